"""What missing inputs cost, against complete ones: imputed by the model, marked, or replaced by means.

usage: python benchmarks/missing.py DATA NOTE > benchmarks/MISSING.md

DATA holds the CSV files (reproduce/common/fetch_data.sh and its README say where from). Of the inputs of every row a
share is taken away, in training and test rows: each value with the same probability ("chance"), or more often where
the first input, which stays, is large ("by input", missing at random in the sense of Rubin 1976). Each number is a mean
over three splits, with its standard error: the loss of the log score, in nats a row, against the same model with
complete inputs. "mean" puts the mean of the training rows in every gap. "split" is what a tree does that sends what is
missing to the better side of every split: every input is there twice, with gaps below all values and above all.
"""

from __future__ import annotations

import itertools
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import special

import condens

MODELS = {
    "gmm": lambda **own: condens.GMM(**own),
    "lscde": lambda **own: condens.LSCDE(**own),
    "boost": lambda **own: condens.BoostedDensity(**own),
    "forest": lambda **own: condens.ConditionalForest(**own),
}
SETS = {"abalone": ("abalone.csv", "rings"), "concrete": ("concrete.csv", None), "simulated": (None, None)}
SPLITS = 3
MOST_ROWS = 1000
TREES = ("boost", "forest")


def rows_of(data, name):
    """Numeric inputs and the target."""
    file, target = SETS[name]
    if file is None:
        random = np.random.default_rng(0)
        base = random.normal(size=(MOST_ROWS, 2))
        X = np.column_stack([base @ random.normal(size=(2, 6)) + 0.4 * random.normal(size=(MOST_ROWS, 6))])
        y = np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.3 * np.exp(0.3 * X[:, 2]) * random.normal(size=MOST_ROWS)
        return X, y
    table = pd.read_csv(Path(data) / file)
    target = target if target in table else table.columns[-1]
    y = table[target].to_numpy(float)
    X = table.drop(columns=target).select_dtypes("number").to_numpy(float)
    order = np.random.default_rng(0).permutation(len(y))[:MOST_ROWS]
    return X[order], y[order]


def gaps(X, share, how, random):
    """X with values taken away."""
    probability = np.full(X.shape, share)
    if how == "by input":
        z = (X[:, 0] - X[:, 0].mean()) / X[:, 0].std()
        slope = special.expit(2 * z)
        probability = np.clip(share * slope / slope.mean(), 0, 0.95)[:, None] * np.ones(X.shape)
        probability[:, 0] = 0.0
    return np.where(random.random(X.shape) < probability, np.nan, X)


def at_both_ends(X, train):
    """Every input twice, its gaps below all values of the training rows and above them."""
    low, high = np.nanmin(X[train], axis=0), np.nanmax(X[train], axis=0)
    margin = high - low
    return np.hstack([np.where(np.isnan(X), low - margin, X), np.where(np.isnan(X), high + margin, X)])


def score(model, train, test):
    """Mean log density of the test rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", condens.FitWarning)
        return model.fit(*train).log_density(*test).mean()


def losses(make, X, y, how, share, split, trees):
    """What "model", "indicator", "mean" and, of trees, "split" lose against complete inputs."""
    random = np.random.default_rng(split)
    order = random.permutation(len(y))
    test, train = order[: len(y) // 4], order[len(y) // 4 :]
    gappy = gaps(X, share, how, random)
    means = np.where(np.isnan(gappy), np.nanmean(gappy[train], axis=0), gappy)

    def score_of(inputs, **own):
        return score(make(**own), (inputs[train], y[train]), (inputs[test], y[test]))

    whole = score_of(X)
    return [
        whole - score_of(gappy, missing="model"),
        whole - score_of(gappy, missing="indicator"),
        whole - score_of(means),
        whole - score_of(at_both_ends(gappy, train)) if trees else np.nan,
    ]


def main() -> None:
    """Prints the table."""
    data, note = sys.argv[1:]
    print("# What missing inputs cost\n")
    print(f"By `python benchmarks/missing.py`; {note}. {__doc__.split('say where from). ')[1].strip()}\n")
    print("| data | model | gaps | share | model | indicator | mean | split | model / mean |")
    print("|---|---|---|---|---|---|---|---|---|")
    ratios = []
    for name, label, how, share in itertools.product(SETS, MODELS, ("chance", "by input"), (0.1, 0.3)):
        X, y = rows_of(data, name)
        trees = label in TREES
        found = np.array([losses(MODELS[label], X, y, how, share, split, trees) for split in range(SPLITS)])
        mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(SPLITS)
        cells = " | ".join("–" if np.isnan(m) else f"{m:.3f} ± {e:.3f}" for m, e in zip(mean, error, strict=True))
        ratios.append(mean[0] / mean[2])
        print(f"| {name} | `{label}` | {how} | {share:.0%} | {cells} | {ratios[-1]:.2f} |", flush=True)
    print(
        f"\nThe loss with `model` is at most half of that with means in {np.sum(np.array(ratios) <= 0.5)} of "
        f"{len(ratios)} rows; the median of the ratios is {np.median(ratios):.2f}."
    )


if __name__ == "__main__":
    main()
