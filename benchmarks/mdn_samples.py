"""Networks that learn from a sample of the rows and then from sums over all of them, beside those that learn from all.

usage: python benchmarks/mdn_samples.py DATA

DATA holds physicochem.csv. Of its 45,730 rows 4,000, drawn at random, are the test. For each `sample_rows` and
`table_steps` of `mdn`: the mean negative log density of these and the core-seconds of the fit.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

import condens


def main(folder: Path) -> None:
    """Prints the table, a line for each size of the sample."""
    table = pd.read_csv(folder / "physicochem.csv")
    order = np.random.default_rng(0).permutation(len(table))
    test, train = table.iloc[order[:4000]], table.iloc[order[4000:]]
    inputs = [name for name in table.columns if name != "RMSD"]
    steps = [0, 10, 30, 100]
    print("| rows of the sample | " + " | ".join(f"{own} steps on all rows" for own in steps) + " |")
    print("|---|" + "---|" * len(steps))
    for sample in (10_000, 20_000, 0):
        cells = []
        for own in steps if sample else [0]:
            start = time.process_time()
            model = condens.MixtureDensityNetwork(
                n_members=2, sample_rows=sample, table_steps=own, random_state=0, n_jobs=1
            ).fit(train[inputs], train["RMSD"])
            seconds = time.process_time() - start
            nll = -np.mean(model.log_density(test[inputs], test["RMSD"]))
            cells.append(f"{nll:.3f} ({seconds:.0f} s)")
        print(f"| {sample or len(train)} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
