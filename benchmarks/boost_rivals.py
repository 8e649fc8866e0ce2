"""Boosted trees beside CatBoost with uncertainty and NGBoost, on larger tables and on simulated mixed data.

usage: python benchmarks/boost_rivals.py [DATA | ROWS]...
(DATA: a CSV file, packed or not, the target in its last column, rows with an empty field left out; ROWS: so many rows
of simulated data with ten inputs, of which four matter; two are categories of eight levels, y has two branches and a
spread that changes. Without arguments: 100000.) A fifth of the rows of a file is the test, of simulated data 10,000
others. Of each: seconds of the clock to fit with all cores and to predict the test, the mean negative log-likelihood
there and the CRPS. Everything at its defaults: CatBoost with its loss RMSEWithUncertainty and the categories by name,
NGBoost with its Gaussian, categories as indicators, and at most NGBOOST_ROWS rows, whose seconds are multiplied
accordingly.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pandas as pd
from accuracy import Normals
from simulated import branches, frame

TEST_ROWS = 10_000
NGBOOST_ROWS = 10_000  # its trees sort every input in every round: of more rows the time is extrapolated


def from_file(name):
    """Training and test inputs and targets; texts are categories."""
    table = pd.read_csv(name).dropna().sample(frac=1, random_state=0).reset_index(drop=True)
    for column in table.columns[:-1]:
        if not pd.api.types.is_numeric_dtype(table[column]):
            table[column] = table[column].astype("category")
    X, y = table.iloc[:, :-1], table.iloc[:, -1].to_numpy(float)
    first = len(y) // 5
    return X[first:], y[first:], X[:first], y[:first]


def scores(distributions, y):
    """Mean negative log-likelihood and CRPS."""
    return -distributions.logpdf(y).mean(), distributions.crps(y).mean()


def boosted(X, y, X_test, y_test):
    """Ours."""
    import condens

    begin = time.perf_counter()
    model = condens.BoostedDensity(random_state=0).fit(X, y)
    fitted = time.perf_counter()
    distribution = model.predict_distribution(X_test)
    seconds = time.perf_counter() - fitted
    return fitted - begin, seconds, *scores(distribution, y_test)


def catboost(X, y, X_test, y_test):
    """Mean and variance of a Gaussian."""
    from catboost import CatBoostRegressor

    categories = [c for c in X.columns if X[c].dtype == "category"]
    X, X_test = X.astype(dict.fromkeys(categories, str)), X_test.astype(dict.fromkeys(categories, str))
    begin = time.perf_counter()
    model = CatBoostRegressor(
        loss_function="RMSEWithUncertainty", verbose=False, random_seed=0, allow_writing_files=False
    )
    model.fit(X, y, cat_features=categories)
    fitted = time.perf_counter()
    mean, variance = model.predict(X_test).T
    seconds = time.perf_counter() - fitted
    return fitted - begin, seconds, *scores(Normals(mean, np.sqrt(variance)), y_test)


def ngboost(X, y, X_test, y_test):
    """A Gaussian, 500 rounds."""
    from ngboost import NGBRegressor

    some = min(len(y), NGBOOST_ROWS)
    both = pd.get_dummies(pd.concat([X[:some], X_test]), drop_first=True).to_numpy(float)
    begin = time.perf_counter()
    model = NGBRegressor(verbose=False, random_state=0).fit(both[:some], y[:some])
    fitted = time.perf_counter()
    at = model.pred_dist(both[some:]).params
    seconds = time.perf_counter() - fitted
    return (fitted - begin) * len(y) / some, seconds, *scores(Normals(at["loc"], at["scale"]), y_test)


def main():
    """The tables."""
    for word in sys.argv[1:] or ["100000"]:
        if word.isdigit():
            X, y, _ = branches(int(word), 0)
            X_test, y_test, _ = branches(TEST_ROWS, 1)
            X, X_test = frame(X), frame(X_test)
        else:
            X, y, X_test, y_test = from_file(word)
        print(f"{word.rsplit('/', 1)[-1]}: {len(y)} rows, {X.shape[1]} inputs")
        print(f"{'':10s} {'fit s':>8s} {'by ours':>8s} {'test s':>7s} {'NLL':>9s} {'CRPS':>10s}")
        ours = float("nan")
        for name, measure in {"condens": boosted, "catboost": catboost, "ngboost": ngboost}.items():
            try:
                fit, test, nll, crps = measure(X, y, X_test, y_test)
            except ImportError as error:
                print(f"{name:10s} not installed: {error.name}")
                continue
            ours = fit if name == "condens" else ours
            print(f"{name:10s} {fit:8.2f} {fit / ours:8.2f} {test:7.2f} {nll:9.4f} {crps:10.5g}", flush=True)


if __name__ == "__main__":
    main()
