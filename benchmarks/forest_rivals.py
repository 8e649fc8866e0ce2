"""A conditional forest beside quantile-forest and scikit-learn's random forest, on mixed data of growing size.

usage: python benchmarks/forest_rivals.py [ROWS...]
(without ROWS: 10000 100000 1000000, the last by condens alone.) Ten inputs, of which four matter; two are categories
of eight levels, numbers for the rivals; y has two branches and a spread that changes. Of each: seconds of the clock to
fit with all cores, seconds for 10,000 rows of the test, the CRPS there and, where the model has a density, the mean
negative log-likelihood; that of the truth is printed, too. Everything at its defaults; the CRPS of quantiles is twice
the mean quantile loss at 99 levels.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np
from accuracy import LEVELS, Quantiles
from simulated import branches, frame

TEST_ROWS = 10_000
MOST_ROWS_OF_RIVALS = 300_000  # ten times 100,000 rows take ten times as long, and many GiB


def conditional_forest(X, y, X_test, y_test):
    """Categories by name of their column."""
    import condens

    begin = time.perf_counter()
    model = condens.ConditionalForest(random_state=0).fit(frame(X), y)
    fitted = time.perf_counter()
    distribution = model.predict_distribution(frame(X_test))
    crps, nll = distribution.crps(y_test).mean(), -distribution.logpdf(y_test).mean()
    return fitted - begin, time.perf_counter() - fitted, crps, nll


def quantile_forest(X, y, X_test, y_test):
    """All 99 quantiles."""
    from quantile_forest import RandomForestQuantileRegressor

    begin = time.perf_counter()
    model = RandomForestQuantileRegressor(n_jobs=-1, random_state=0).fit(X, y)
    fitted = time.perf_counter()
    crps = Quantiles(model.predict(X_test, quantiles=list(LEVELS))).crps(y_test).mean()
    return fitted - begin, time.perf_counter() - fitted, crps, np.nan


def mean_forest(X, y, X_test, _):
    """The mean only: what the trees alone cost."""
    from sklearn.ensemble import RandomForestRegressor

    begin = time.perf_counter()
    model = RandomForestRegressor(n_jobs=-1, random_state=0).fit(X, y)
    fitted = time.perf_counter()
    model.predict(X_test)
    return fitted - begin, time.perf_counter() - fitted, np.nan, np.nan


def main():
    """The table."""
    models = {"condens": conditional_forest, "quantile-forest": quantile_forest, "scikit-learn, mean": mean_forest}
    X_test, y_test, truth = branches(TEST_ROWS, 1)
    print(f"NLL of the truth {-truth.logpdf(y_test).mean():.4f}")
    print(f"{'rows':>9s} {'':20s} {'fit s':>7s} {'test s':>7s} {'CRPS':>8s} {'NLL':>8s} {'peak GiB':>9s}")
    for rows in [int(word) for word in sys.argv[1:]] or [10_000, 100_000, 1_000_000]:
        X, y, _ = branches(rows, 0)
        for name, scores in models.items():
            if rows > MOST_ROWS_OF_RIVALS and name != "condens":
                continue
            try:
                numbers = scores(X, y, X_test, y_test)
            except ImportError as error:
                print(f"{rows:9d} {name:20s} not installed: {error.name}")
                continue
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            cells = " ".join(
                f"{value:{width}}" for value, width in zip(numbers, ("7.2f", "7.2f", "8.4f", "8.4f"), strict=True)
            )
            print(f"{rows:9d} {name:20s} {cells} {peak:9.2f}", flush=True)


if __name__ == "__main__":
    main()
