"""Fits of rows that are elsewhere beside the fit of the same rows in memory: the largest difference of log densities.

Five public tables, of each 20,000 rows at random (all where there are fewer), every model whose fit is sums over rows:
by dask in 1, 3 and 7 partitions, and from a Parquet file in batches of about 2,000 rows.

usage: equality.py FOLDER [MODEL ...]    (FOLDER has large/california_housing.csv.gz, ...; prints EQUALITY.md's table)
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd

import condens
import condens.dask
import condens.disk

SETS = {
    "california": ("large/california_housing.csv.gz", "median_house_value", []),
    "diamonds": ("large/diamonds.csv.gz", "price", []),
    "bikes": ("large/bike_hour.csv.gz", "cnt", []),
    "flights": ("large/nyc_flights.csv.gz", "arr_delay", ["dest"]),  # many levels: python/tests/test_dask.py
    "physicochem": ("physicochem.csv", "RMSD", []),
}
MODELS = {
    "LSCDE": {"n_centers": 100, "max_centers": 200, "random_state": 0},
    "GMM": {"n_components": [2, 4, 8], "random_state": 0},
    "LSCE": {"n_components": [1, 2], "n_centers": 50, "max_search_rows": 2000, "random_state": 0},
    "SACDE": {"n_centers": 50, "bandwidth": [0.25, 1], "bandwidth_y": [0.1, 0.4], "random_state": 0},
    "SALSCDE": {
        "selection": {"n_centers": 50, "bandwidth": 1.0, "bandwidth_y": [0.1, 0.4]},
        "options": {"n_centers": 100, "max_centers": 200},
        "random_state": 0,
    },
    "Parzen": {"width_rows": 2000, "random_state": 0},
    "PRESS": {"n_states": [2, 4], "sample_rows": 2000, "random_state": 0},
    "MixtureDensityNetwork": {"n_members": 2, "sample_rows": 2000, "random_state": 0},
    "BoostedDensity": {"n_rounds": 50, "random_state": 0},
    "Pooled": {
        "models": ["lscde", "gmm", "boost"],
        "options": {"lscde": {"max_centers": 100}, "gmm": {"n_components": 4}, "boost": {"n_rounds": 15}},
        "cv": 2,
        "random_state": 0,
    },
}  # without auto, which brings tables of up to 100,000 rows to the driver
ROWS = 20_000


def difference(a: Any, b: Any, x: Any, y: Any) -> float:
    """The largest of the rows."""
    return float(np.abs(a.log_density(x, y) - b.log_density(x, y)).max())


def main(folder: Path, models: list[str]) -> None:
    """Prints the table, a line for each set and model, of all models unless some are named."""
    warnings.simplefilter("ignore")
    print("| set | rows | model | 1 partition | 3 | 7 | a file, in batches |\n|---|---|---|---|---|---|---|")
    for name, (file, target, left_out) in SETS.items():
        frame = pd.read_csv(folder / file).dropna().drop(columns=left_out)
        frame = frame.sample(min(ROWS, len(frame)), random_state=0).reset_index(drop=True)
        frame[target] = frame[target].astype(float)
        x, y = frame.drop(columns=target), frame[target]
        inputs = list(x.columns)
        for model in models or MODELS:
            parameters = MODELS[model]
            plain = getattr(condens, model)(**parameters).fit(x, y)
            found = []
            for partitions in (1, 3, 7):
                table = dd.from_pandas(frame, npartitions=partitions)
                own = getattr(condens.dask, model)(**parameters).fit(table[inputs], table[target])
                found.append(difference(plain, own, x[:2000], y[:2000]))
            with tempfile.TemporaryDirectory() as place:
                frame.to_parquet(Path(place) / "rows.parquet")
                rows = condens.disk.Table(Path(place) / "rows.parquet")
                memory = 2000 * 6 * 64 * frame.shape[1]
                own = getattr(condens.disk, model)(**parameters).fit(rows[inputs], rows[target], memory=memory)
                found.append(difference(plain, own, x[:2000], y[:2000]))
            cells = " | ".join(f"{value:.0e}" for value in found)
            print(f"| {name} | {len(frame):,} | {model} | {cells} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
