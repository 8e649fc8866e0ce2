"""What engines share: columns of rows that are elsewhere, without an engine."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import condens
from condens import _blocks, _cluster, _core

pd = pytest.importorskip("pandas")


def test_levels_that_change_between_passes_are_told() -> None:
    rows = _blocks.Rows(0, pd.DataFrame({"city": ["a", "b"]}), pd.Series([1.0, 2.0]))
    layout = _blocks.Layout(("city",), ("y",), texts=frozenset({"city"}))
    with pytest.raises(ValueError, match="changed between two passes"):
        _blocks.level_rows(layout, {"city": ["a"]}, rows)


class Parts:
    """Every third row of a frame; what is computed travels as it does in a cluster."""

    def __init__(self, frame: Any, target: str) -> None:
        self.frame, self.target = frame, target

    def reduce(self, function: Any, merge: Any, what: str) -> Any:
        parts = [self.frame.iloc[i::3] for i in range(3)]
        x = self.frame.columns.drop(self.target)
        rows = [_blocks.Rows(i, p[x], p[self.target]) for i, p in enumerate(parts) if len(p)]
        return pickle.loads(pickle.dumps(merge([pickle.loads(pickle.dumps(function))(part) for part in rows])))


@pytest.mark.parametrize("missing", ["error", "indicator"])
@pytest.mark.parametrize("rows", [2, 5, 400])
def test_columns_of_parts_are_those_of_the_whole(rows: int, missing: str) -> None:
    random = np.random.default_rng(rows)
    days = random.integers(0, 400, rows) * np.timedelta64(1, "D") + np.datetime64("2023-05-01T06:30")
    frame = pd.DataFrame(
        {
            "a": random.standard_cauchy(rows) * 1e3,
            "b": random.integers(-2, 3, rows) * 1.0,
            "city": [f"c{k}" for k in random.integers(0, 15, rows) ** 2 // 20],
            "sold": days,
            "y": random.normal(size=rows),
        }
    )
    if missing == "indicator":
        for name in ("a", "city", "sold"):
            frame.loc[random.uniform(size=rows) < 0.2, name] = None
        frame.loc[0, ["a", "sold"]] = [1.5, days[0]]
    layout = _blocks.Layout(
        ("a", "b", "city", "sold"), ("y",), frozenset({"city"}), frozenset({"sold"}), missing == "indicator"
    )
    found = _cluster._columns(Parts(frame, "y"), layout, condens.GMM(missing=missing))  # type: ignore[arg-type]
    inputs, targets = _blocks.columns_of(layout, _blocks.Rows(0, frame[list(layout.inputs)], frame["y"]))
    whole = _core.Encoder.fit(_blocks._as_texts(layout, inputs) | targets, ["y"], ["city"], missing)
    assert found.encoder.__getstate__() == whole.__getstate__()  # type: ignore[attr-defined]
    assert found.many_levels == []


def test_columns_of_too_many_levels_name_rows() -> None:
    frame = pd.DataFrame({"id": [f"row {i}" for i in range(100_100)], "y": np.arange(100_100.0)})
    layout = _blocks.Layout(("id",), ("y",), texts=frozenset({"id"}))
    with pytest.raises(ValueError, match="'id' has more than 100000 levels, as names of rows do; leave it out"):
        _cluster._columns(Parts(frame, "y"), layout, condens.GMM())  # type: ignore[arg-type]


def test_a_sample_has_its_share_of_every_stratum() -> None:
    strata = np.repeat(np.arange(4, dtype=np.uint16), [500, 300, 199, 1])
    np.random.default_rng(1).shuffle(strata)
    times = np.zeros(len(strata), dtype=int)
    for seed in range(400):
        rows = _cluster._stratified(strata, 100, np.random.default_rng(seed))
        assert len(rows) == 100
        assert (np.diff(rows) > 0).all()
        assert (np.abs(np.bincount(strata[rows], minlength=4) - [50, 30, 19.9, 0.1]) < 1).all()
        times[rows] += 1
    assert times.mean() == 40
    assert times.max() < 75  # 40 +- 6: each row is as likely
    assert times.min() > 12


def test_strata_follow_the_target() -> None:
    y = pd.Series([-1e9, -2.0, -1.0, 0.0, 1e-9, 1.0, 1e300])
    (found,) = _blocks.strata_of(_blocks.Rows(3, y.to_frame("x"), y))
    assert found[0] == 3
    assert (np.diff(found[1].astype(int)) > 0).all()
    (density,) = _blocks.strata_of(_blocks.Rows(0, y.to_frame("x")))
    assert (density[1] == 0).all()
    with pytest.raises(ValueError, match=r"row 2 .* of partition 1 .*column 'cost' is nan, expected a finite number"):
        _blocks.strata_of(_blocks.Rows(1, y[:2].to_frame("x"), pd.DataFrame({"cost": [1.0, np.nan]})))
