"""What the code of the pages takes for granted: a folder with small tables, and names in Python, R and C++.

The tables are drawn here, each with the columns that the pages name; new.csv and test.csv have the inputs and targets
of all of them, since a model reads its own columns by their names.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

ROWS = 160
INPUTS = ["age", "dose", "region"]


def table(rows: int, seed: int) -> pd.DataFrame:
    """Inputs and every target of the pages."""
    random = np.random.default_rng(seed)
    out = pd.DataFrame({"age": random.uniform(20, 80, rows).round(2), "dose": random.normal(3, 1, rows).round(3)})
    out["region"] = random.choice(["north", "south"], rows)
    mean = 2 + 0.05 * out.age + np.where(random.random(rows) < 0.5, out.dose, -out.dose)
    out["y"] = (mean + 0.4 * random.normal(size=rows)).round(4)
    out["outcome"] = out.y
    out["load"] = (20 + 3 * out.y).round(3)
    out["cost"] = np.where(
        random.random(rows) < 0.4, 0.0, np.exp(5 + 0.02 * out.age + 0.5 * random.normal(size=rows)).round(2)
    )
    out["rings"] = random.poisson(3 + out.age / 20)
    wait = np.exp(2 + 0.01 * out.age + 0.5 * random.normal(size=rows))
    until = random.exponential(30, rows)
    out["waiting"] = (wait > until).astype(int)
    out["days"] = np.minimum(wait, until).round(2) + 0.01
    out["a"], out["b"] = random.normal(size=rows).round(4), random.normal(size=rows).round(4)
    out["w"] = random.uniform(0.5, 2, rows).round(3)
    out["duration"] = random.choice([2.0, 3.0, 4.0, 5.0], rows)
    return out


TABLES = {
    "train.csv": [*INPUTS, "w", "y"],
    "small.csv": [*INPUTS, "y"],
    "data.csv": ["age", "dose", "y"],
    "patients.csv": [*INPUTS, "outcome"],
    "claims.csv": [*INPUTS, "cost"],
    "sales.csv": [*INPUTS, "cost"],
    "waits.csv": [*INPUTS, "days", "waiting"],
    "hourly.csv": [*INPUTS, "load"],
    "abalone.csv": [*INPUTS, "rings"],
    "rings.csv": ["a", "b"],
}


def write_tables(place: Path, root: Path) -> None:
    """The files of the pages, with data/ of the tree."""
    (place / "data").symlink_to(root / "data")
    (place / "geyser.csv").symlink_to(root / "data" / "geyser.csv")
    for name, columns in TABLES.items():
        table(24 if name == "small.csv" else ROWS, seed=1)[columns].to_csv(place / name, index=False)
    trial = table(ROWS, seed=1)[["age", "dose", "outcome"]]
    (place / "trial").mkdir()
    for part in range(2):
        trial[part::2].to_parquet(place / "trial" / f"part.{part}.parquet", index=False)
    flights = trial.rename(columns={"outcome": "delay"})
    flights.to_parquet(place / "flights.parquet", index=False)
    test = table(60, seed=2)
    test.to_csv(place / "test.csv", index=False)
    test.head(12).to_csv(place / "new.csv", index=False)


def names() -> dict[str, Any]:
    """What the Python of every page may use without having made it."""
    import condens

    train, test = table(ROWS, seed=1), table(60, seed=2)
    X, X_test = train[["age", "dose"]], test[["age", "dose"]]
    new = SimpleNamespace(X=X_test.head(12), y=test.y.head(12))
    out = {
        "condens": condens, "np": np, "pd": pd,
        "X": X, "y": train.y, "Y": train[["a", "b"]], "X_test": X_test, "y_test": test.y,
        "X_new": new.X, "y_new": new.y,
        "frame": train[INPUTS], "pandas_frame": X_test, "cost": train.cost, "visits": train.rings,
        "visits_new": test.rings.head(12), "days": train.days, "waiting": train.waiting, "days_test": test.days,
        "waiting_test": test.waiting, "ratio": lambda X: np.exp(X["dose"] / 4),
    }  # fmt: skip
    days = [(X[i : i + 40], train.y[i : i + 40]) for i in range(0, ROWS, 40)]
    for name, (X_day, y_day) in zip(("monday", "tuesday", "wednesday"), days, strict=False):
        out |= {f"X_{name}": X_day, f"y_{name}": y_day}
    return out | {"week": days}
