"""Categories of many levels as indicators, as statistics out of fold, and as statistics that saw their own target.

usage: python benchmarks/levels.py FLIGHTS.csv.gz NOTE > benchmarks/LEVELS.md
(FLIGHTS: nycflights13, the target arr_delay in the last column; of it 2,000 random rows train and 4,000 others test.)
Generated: 2,000 rows of 200 levels whose means and spreads differ, and the same with a target that is noise. Each line
has the mean log score of the test rows (higher is better) and the seconds of the fit. NOTE: date, commit, machine.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np
import pandas as pd

from condens import BoostedDensity, ConditionalForest


def generated(noise: bool):
    """Rows of 200 levels; with `noise` the target has nothing to do with them."""
    random = np.random.default_rng(0)
    shop = random.integers(0, 200, 6000)
    mean, spread = random.normal(size=200), np.exp(0.5 * random.normal(size=200))
    z = random.normal(size=6000)
    y = z if noise else mean[shop] + spread[shop] * z
    return pd.DataFrame({"shop": [f"s{k}" for k in shop], "u": random.normal(size=6000)}), y


def flights(path: str):
    """Delays by destination, carrier, hour and month."""
    table = pd.read_csv(path).sample(6000, random_state=0)
    return table[["dest", "carrier", "hour", "month"]], table["arr_delay"].to_numpy(float)


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    print(f"# Many levels\n\n`python benchmarks/levels.py`; {sys.argv[2]}.\n")
    print("| set | model | levels | log score | seconds |\n|---|---|---|---|---|")
    sets = {"generated": generated(False), "noise": generated(True), "flights": flights(sys.argv[1])}
    for name, (X, y) in sets.items():
        for cls in (BoostedDensity, ConditionalForest):
            for how in ("indicators", "statistics", "statistics in fold"):
                model = cls(many_levels=how.split()[0], unseen="other")
                if how == "statistics in fold":
                    model._encode = lambda X, y, w, model=model: in_fold(model, X, y)
                start = time.perf_counter()
                model.fit(X[:2000], y[:2000])
                seconds = time.perf_counter() - start
                score = np.mean(model.log_density(X[2000:], y[2000:]))
                print(f"| {name} | {model._info['name']} | {how} | {score:.3f} | {seconds:.1f} |", flush=True)


def in_fold(model, X, y):
    """Training rows coded as prediction codes them: with their own targets."""
    _, encoder, targets, names = type(model)._encode(model, X, y, None)
    return model._inputs_of(X, encoder), encoder, targets, names


if __name__ == "__main__":
    main()
