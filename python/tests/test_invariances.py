"""What a change of the table that changes nothing does to the distributions, for every registered model: other units,
other origins, another order of rows or inputs, weights in place of copies.

Where a model draws at random (starts, folds, subsets), the draws go by place, and what was moved draws otherwise. So
folds are given where a model cuts the rows by their places, and inner models have nothing to choose. What then remains
is in EXCEPT, with its reason.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from tables import CASES, MODELS, Table, case_name, examples, fit, tables

# Searches end where steps are below 1e-9 or so of a width; rounding of what was moved shows in the seventh digit.
TOLERANCE = 1e-5

# These cut the rows into folds by their places; others order the rows by their numbers first, copies as one.
HAVE_FOLDS = {name for name, info in MODELS.items() if any(option["name"] == "cv" for option in info["options"])}
CUT_BY_PLACE = {"lscde", "sacde", "salscde", "lsce", "lsmi", "sliced", "ekde", "kqr", "forward"}

STARTS = "starts are drawn for one input after the other, or for rows in the order of their numbers"
FOLDS = "its own folds are drawn for rows in the order of their numbers"
SPLITS = "rows and inputs are drawn at every split of a tree, in the order in which the splits come"
MAXIMA = "the likelihood of a Gaussian process has several maxima, and rounding of distances says which a search finds"
MEMBERS = "trees and networks are among the models that it compares"
BY_PLACE = "the models that it compares cut the rows by their places"
LEAVES_COPIES = "the preset leaves out one row, not its copies (merge_copies = false)"
EXCEPT: dict[str, dict[str, str]] = {
    "rows": {"auto recommended": BY_PLACE},
    "inputs": {
        "lsce": STARTS,
        "lsmi": STARTS,
        "mdn": STARTS,
        "press": STARTS,
        "gskd": STARTS,
        "gmm": STARTS,
        "forest": SPLITS,
        "boost recommended": FOLDS,
        "gp": MAXIMA,
        "pool": MAXIMA,
        "auto": MEMBERS,
    },
    "copies": {
        "nw paper": LEAVES_COPIES,
        "gskd paper": LEAVES_COPIES,
        "parzen paper": LEAVES_COPIES,
        "skd paper": LEAVES_COPIES,
        "rsde paper": LEAVES_COPIES,
        "location_scale paper": "its nw of the same preset: " + LEAVES_COPIES,
        "pool paper": "its nw of the same preset: " + LEAVES_COPIES,
        "auto recommended": BY_PLACE,
    },
}
EXCEPT["mirror"] = {**EXCEPT["inputs"], "sliced": "slices of equal shares are filled from the lowest y on"}

# Where `auto` compares metrics by folds of its own, one is given.
METRIC: dict[str, dict[str, Any]] = {
    "lscde recommended": {"metric": "nw"},
    "nw recommended": {"metric": "diagonal"},
    "rkde recommended": {"shape": "diagonal"},
    "location_scale recommended": {"options": {"metric": "diagonal"}},
}


def cases_of(what: str) -> list[tuple[str, str]]:
    except_for = EXCEPT[what]
    return [case for case in CASES if case[0] not in except_for and " ".join(case) not in except_for]


def folds_of(case: tuple[str, str], table: Table, every_model: bool = False) -> np.ndarray | None:
    """Two folds that do not cut copies of a row apart; None where rows are ordered first."""
    if case[0] not in CUT_BY_PLACE and not (every_model and case[0] in HAVE_FOLDS):
        return None
    _, row = np.unique(np.column_stack([table.x, table.y]), axis=0, return_inverse=True)
    return row.ravel() % 2.0


def fit_by(case: tuple[str, str], x: np.ndarray, y: np.ndarray, folds: np.ndarray | None, **more: Any) -> Any:
    return fit(case, x, y, **({} if folds is None else {"cv": list(folds)}), **more)


@pytest.mark.parametrize("case", cases_of("rows"), ids=case_name)
@examples(4)
@given(table=tables(), seed=st.integers(0, 99))
def test_the_order_of_rows(case: tuple[str, str], table: Table, seed: int) -> None:
    x, y, folds = table.x, table.y, folds_of(case, table)
    order = np.random.default_rng(seed).permutation(table.rows)
    other = fit_by(case, x[order], y[order], None if folds is None else folds[order])
    assert_allclose(other.log_density(x, y), fit_by(case, x, y, folds).log_density(x, y), atol=TOLERANCE)


@pytest.mark.parametrize("case", cases_of("inputs"), ids=case_name)
@examples(4)
@given(table=tables(inputs=("normal", "heavy", "ties", "binary"), fewest=2, copies=False), data=st.data())
def test_the_order_of_inputs(case: tuple[str, str], table: Table, data: st.DataObject) -> None:
    x, y, folds = table.x, table.y, folds_of(case, table, every_model=True)
    order = data.draw(st.permutations(range(x.shape[1])))
    metric = METRIC.get(case_name(case), {})
    other = fit_by(case, x[:, order], y, folds, **metric)
    expected = fit_by(case, x, y, folds, **metric).log_density(x, y)
    assert_allclose(other.log_density(x[:, order], y), expected, atol=TOLERANCE)


@pytest.mark.parametrize("case", CASES, ids=case_name)
@examples(4)
@given(table=tables(), seed=st.integers(0, 99))
def test_units_and_origins_of_every_column(case: tuple[str, str], table: Table, seed: int) -> None:
    """The density is divided by the unit of y."""
    x, y = table.x, table.y
    random = np.random.default_rng(seed)
    a, b = random.uniform(0.1, 10, x.shape[1] + 1), random.uniform(-100, 100, x.shape[1] + 1)
    moved_x, moved_y = x * a[:-1] + b[:-1], y * a[-1] + b[-1]
    other = fit(case, moved_x, moved_y)
    expected = fit(case, x, y).log_density(x, y) - np.log(a[-1])
    assert_allclose(other.log_density(moved_x, moved_y), expected, atol=TOLERANCE)


@pytest.mark.parametrize("case", cases_of("mirror"), ids=case_name)
@examples(3)
@given(table=tables(inputs=("normal", "heavy", "ties"), copies=False), side=st.sampled_from(["x", "y"]))
def test_a_column_with_its_sign_changed(case: tuple[str, str], table: Table, side: str) -> None:
    x, y, folds = table.x, table.y, folds_of(case, table, every_model=True)
    metric = METRIC.get(case_name(case), {})
    expected = fit_by(case, x, y, folds, **metric).log_density(x, y)
    x, y = (-x, y) if side == "x" else (x, -y)
    assert_allclose(fit_by(case, x, y, folds, **metric).log_density(x, y), expected, atol=TOLERANCE)


@pytest.mark.parametrize("case", CASES, ids=case_name)
@pytest.mark.parametrize("unit", [1e100, 1e-100])
@examples(2)
@given(table=tables(), of=st.sampled_from(["x", "y", "both"]))
def test_units_at_the_ends_of_numbers(case: tuple[str, str], unit: float, table: Table, of: str) -> None:
    """Nothing overflows, is lost below the least number, or is not a number."""
    x, y = table.x, table.y
    u, v = (1.0 if of == "y" else unit), (1.0 if of == "x" else unit)
    laws = fit(case, x, y).predict_distribution(x)
    other = fit(case, u * x, v * y).predict_distribution(u * x)
    for name in ("mean", "std", "median"):
        scale = np.abs(y).max()
        assert_allclose(getattr(other, name)() / v, getattr(laws, name)(), atol=TOLERANCE * scale)
    assert_allclose(other.logpdf(v * y) + np.log(v), laws.logpdf(y), atol=TOLERANCE)
    assert (other.pdf(v * y) > 0).all()
    assert_allclose(other.cdf(v * y), laws.cdf(y), atol=TOLERANCE)
    assert_allclose(other.ppf(0.9) / v, laws.ppf(0.9), atol=TOLERANCE * np.abs(y).max())
    assert_allclose(other.crps(v * y) / v, laws.crps(y), rtol=TOLERANCE, atol=TOLERANCE)
    assert_allclose(other.entropy() - np.log(v), laws.entropy(), atol=TOLERANCE)
    assert_allclose(np.array(other.stats("sk")), np.array(laws.stats("sk")), rtol=1e-4, atol=1e-4)
    for a, b in zip(other[:2].hdr(0.8), laws[:2].hdr(0.8), strict=True):
        assert_allclose(a / v, b, atol=1e-4 * np.abs(y).max())


@pytest.mark.parametrize("case", cases_of("copies"), ids=case_name)
@examples(4)
@given(table=tables(), seed=st.integers(0, 99))
def test_weights_are_copies(case: tuple[str, str], table: Table, seed: int) -> None:
    x, y, folds = table.x, table.y, folds_of(case, table)
    copies = np.random.default_rng(seed).integers(1, 4, table.rows)
    row = np.repeat(np.arange(table.rows), copies)
    weighted = fit_by(case, x, y, folds, weights=copies)
    repeated = fit_by(case, x[row], y[row], None if folds is None else folds[row])
    assert_allclose(weighted.log_density(x, y), repeated.log_density(x, y), atol=TOLERANCE)


@pytest.mark.parametrize("case", CASES, ids=case_name)
@examples(2)
@given(table=tables(), seed=st.integers(0, 99))
def test_weight_zero_is_absence_and_weights_have_no_unit(case: tuple[str, str], table: Table, seed: int) -> None:
    """Shares that add up to less than the rows; what has none may be anything."""
    x, y = table.x, table.y
    random = np.random.default_rng(seed)
    shares = random.integers(1, 9, table.rows) / 16
    left_out = random.choice(table.rows, 3, replace=False)
    kept = np.setdiff1d(np.arange(table.rows), left_out)
    shares[left_out] = 0
    expected = fit(case, x[kept], y[kept], weights=shares[kept]).log_density(x, y)
    odd_x, odd_y = x.copy(), y.copy()
    odd_x[left_out], odd_y[left_out] = 1e5, -1e5
    assert_allclose(fit(case, odd_x, odd_y, weights=1e-100 * shares).log_density(x, y), expected, atol=TOLERANCE)
