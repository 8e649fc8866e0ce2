"""Small random tables for the tests of properties, and fits of every registered model to them.

Hypothesis draws what a table is made of; the numbers follow from its seed. What a failure prints makes the table again.
"""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from conftest import REPOSITORY
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import condens
from condens import _core

MODELS = {info["name"]: info for info in _core.models()}
CASES = [(name, preset) for name, info in MODELS.items() for preset in info["presets"]]
SHORT = json.loads((REPOSITORY / "tests" / "doors" / "cases.json").read_text())["every_model"]["options"]

# How many times as many examples as in ./check: then they are new ones in every run.
MORE = int(os.environ.get("CONDENS_EXAMPLES", "0"))


def examples(count: int) -> settings:
    """So many tables for every model: the same ones in every run, unless CONDENS_EXAMPLES asks for more."""
    return settings(
        max_examples=count * max(1, MORE),
        derandomize=not MORE,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def case_name(case: tuple[str, str]) -> str:
    return " ".join(case)


# --- tables -------------------------------------------------------------------------------------------

INPUTS = ("normal", "heavy", "ties", "binary", "constant", "copy")
TARGETS = ("line", "branches", "heavy", "skewed", "ties")


@dataclass(frozen=True)
class Table:
    """`copies` rows at the end equal those at the beginning."""

    rows: int
    inputs: tuple[str, ...]
    target: str
    copies: int
    seed: int

    @property
    def x(self) -> np.ndarray:
        random = np.random.default_rng(self.seed)
        columns: list[np.ndarray] = []
        for kind in self.inputs:
            z = random.normal(size=self.rows)
            made = {
                "normal": z,
                "heavy": np.clip(random.standard_t(1.5, self.rows), -1e3, 1e3),
                "ties": np.round(z * 1.5),
                "binary": np.where(z > 0, 1.0, 0.0),
                "constant": np.full(self.rows, round(z[0] * 8) / 8),
                "copy": columns[-1] if columns else z,
            }
            columns.append(made[kind])
        return self._with_copies(np.array(columns).T.reshape(self.rows, len(columns)))

    @property
    def y(self) -> np.ndarray:
        random = np.random.default_rng([self.seed, 1])
        z, branch = random.normal(size=self.rows), np.where(random.random(self.rows) < 0.5, 1.0, -1.0)
        first = np.clip(self.x[:, 0], -3, 3) if self.inputs else np.zeros(self.rows)
        made = {
            "line": first + 0.4 * z,
            "branches": branch + 0.5 * first + 0.3 * z,
            "heavy": first + np.clip(random.standard_t(1.5, self.rows), -1e3, 1e3),
            "skewed": np.exp(0.5 * first + 0.6 * z),
            "ties": np.round(2 * (first + z)) / 2,
        }
        return self._with_copies(made[self.target])

    def _with_copies(self, values: np.ndarray) -> np.ndarray:
        if self.copies:
            values[-self.copies :] = values[: self.copies]
        return values


def tables(
    rows: tuple[int, int] = (12, 24),
    inputs: tuple[str, ...] = INPUTS,
    targets: tuple[str, ...] = TARGETS,
    fewest: int = 1,
    copies: bool = True,
) -> st.SearchStrategy[Table]:
    return st.builds(
        Table,
        rows=st.integers(*rows),
        inputs=st.lists(st.sampled_from(inputs), min_size=fewest, max_size=3).map(tuple),
        target=st.sampled_from(targets),
        copies=st.integers(0, 5) if copies else st.just(0),
        seed=st.integers(0, 999),
    )


# --- fits ---------------------------------------------------------------------------------------------

# Members and inner models that have nothing to choose, or little.
ONE = {"bandwidth": 0.5, "bandwidth_y": 0.3, "regularization": 0.1}
INNER: dict[str, dict[str, Any]] = {
    "lsmi": {"options": ONE},
    "sliced": {"options": ONE},
    "forward": {"options": ONE},
    "parzen": {"cv": 0},
    "pool": {"models": ["nw", "gp"]},
    "location_scale": {"mean": "ridge", "model": "nw"},
    "press": {"n_states": [1, 3], "regularization": 1e-3},
    "kqr": {"quantile_levels": [0.1, 0.5, 0.9], "bandwidth": [0.5, 2.0], "regularization": [0.01, 0.1]},
    "sacde": {"bandwidth": [0.4, 1.0], "bandwidth_y": [0.3, 0.8]},
    "salscde": {"selection": {"bandwidth": [0.4, 1.0], "bandwidth_y": [0.3, 0.8]}},
}


def estimator(case: tuple[str, str], **options: Any) -> Any:
    """One thread: small fits side by side are the business of pytest-xdist."""
    name, preset = case
    info = MODELS[name]
    known = {option["name"] for option in info["options"]}
    short = {key: value for key, value in SHORT.items() if key in known}
    own = {**short, **INNER.get(name, {}), **options}
    return getattr(condens, info["class_name"])(preset=preset, random_state=3, n_jobs=1, **own)


def fit(case: tuple[str, str], x: np.ndarray, y: np.ndarray, weights: Any = None, **options: Any) -> Any:
    with warnings.catch_warnings(action="ignore", category=condens.FitWarning):
        return estimator(case, **options).fit(x, y, sample_weight=weights)
