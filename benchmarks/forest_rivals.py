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
from scipy import stats

LEVELS = np.arange(1, 100) / 100
TEST_ROWS = 10_000
MOST_ROWS_OF_RIVALS = 300_000  # ten times 100,000 rows take ten times as long, and many GiB


def draw(n, seed):
    """Inputs, targets, and the log density of the truth at these."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 10))
    X[:, 2:4] = random.integers(8, size=(n, 2))
    mean = np.sin(2 * X[:, 0]) + (X[:, 1] > 0.5) + 0.4 * ((5 * X[:, 2]) % 8)
    scale = 0.2 * np.exp(0.4 * X[:, 4])
    branch = random.random(n) < 0.3
    y = mean + branch * 1.5 + scale * random.normal(size=n)
    density = 0.7 * stats.norm.pdf(y, mean, scale) + 0.3 * stats.norm.pdf(y, mean + 1.5, scale)
    return X, y, np.log(density)


def quantile_crps(quantiles, y):
    """From the quantiles at LEVELS, one row for each y."""
    gap = y[:, None] - quantiles
    return 2 * np.maximum(LEVELS * gap, (LEVELS - 1) * gap).mean()


def conditional_forest(X, y, X_test, y_test):
    """Categories by name of their column."""
    import pandas as pd

    import condens

    def frame(X):
        table = pd.DataFrame(X, columns=[f"x{k}" for k in range(10)])
        return table.astype({"x2": int, "x3": int}).astype({"x2": "category", "x3": "category"})

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
    crps = quantile_crps(model.predict(X_test, quantiles=list(LEVELS)), y_test)
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
    X_test, y_test, truth = draw(TEST_ROWS, 1)
    print(f"NLL of the truth {-truth.mean():.4f}")
    print(f"{'rows':>9s} {'':20s} {'fit s':>7s} {'test s':>7s} {'CRPS':>8s} {'NLL':>8s} {'peak GiB':>9s}")
    for rows in [int(word) for word in sys.argv[1:]] or [10_000, 100_000, 1_000_000]:
        X, y, _ = draw(rows, 0)
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
