"""Coverage of intervals and regions with a guarantee, by simulation: models that are wrong, and few rows.

usage: python benchmarks/coverage.py NOTE [REPETITIONS] > benchmarks/COVERAGE.md

Every repetition draws 120 rows, of which 40 are left out for calibration, and 50 new ones: one input, a skewed target
whose spread grows with it, as it is, as counts, or with zeros. Split conformal prediction promises, over calibrations
and new rows, a coverage from 0.8 to 0.8 + 1 / 41 = 0.824 where scores have no ties; counts and zeros may have more. The
standard error is that of means over repetitions, so that it holds what the rows left out make vary.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

import condens

MODELS = {
    "lscde": condens.LSCDE,
    "gp": condens.GaussianProcess,
    "gmm": condens.GMM,
    "nw": condens.NadarayaWatson,
    "forest": condens.ConditionalForest,
    "boost": condens.BoostedDensity,
}
KINDS = ["real", "positive", "count", "with-atoms"]
LEVEL, ROWS, NEW, SHARE = 0.8, 120, 50, 1 / 3


def draw(random, rows, kind):
    """Inputs and targets."""
    x = random.normal(size=(rows, 1))
    y = np.exp(0.7 * x[:, 0] + 0.8 * random.normal(size=rows))
    if kind == "count":
        y = np.floor(2 * y)
    if kind == "with-atoms":
        y = np.where(random.uniform(size=rows) < 0.4, 0.0, y)
    return x, y


def one(model, kind, seed):
    """Share of new rows inside the interval, and inside the region."""
    random = np.random.default_rng([seed, KINDS.index(kind)])
    x, y = draw(random, ROWS, kind)
    new, truth = draw(random, NEW, kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = model(target_kind=kind, conformal={"share": SHARE}, random_state=seed).fit(x, y)
    low, high = fitted.predict_interval(new, LEVEL).T
    regions = fitted.predict_region(new, LEVEL)
    held = [any(a <= value <= b for a, b in region) for value, region in zip(truth, regions, strict=True)]
    return np.mean((truth >= low) & (truth <= high)), np.mean(held)


def main():
    """Prints the table."""
    repetitions = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    print(f"# Coverage of conformal intervals and regions\n\n{sys.argv[1]}; {repetitions} repetitions.\n")
    print("Written by `benchmarks/coverage.py`, whose head says how.")
    print("Promised: at least 0.8; without ties at most 0.824.\n")
    print("| model | kind | interval | region |\n|---|---|---|---|")
    for name, model in MODELS.items():
        for kind in KINDS:
            found = np.array([one(model, kind, seed) for seed in range(repetitions)])
            error = found.std(axis=0, ddof=1) / np.sqrt(repetitions)
            cells = [f"{mean:.3f} ± {own:.3f}" for mean, own in zip(found.mean(axis=0), error, strict=True)]
            print(f"| `{name}` | {kind} | {cells[0]} | {cells[1]} |", flush=True)


if __name__ == "__main__":
    main()
