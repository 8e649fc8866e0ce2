"""What engines share: columns of rows that are elsewhere, without an engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from condens import _blocks, _cluster

pd = pytest.importorskip("pandas")


def test_levels_that_change_between_passes_are_told() -> None:
    rows = _blocks.Rows(0, pd.DataFrame({"city": ["a", "b"]}), pd.Series([1.0, 2.0]))
    layout = _blocks.Layout(("city",), ("y",), texts=frozenset({"city"}))
    with pytest.raises(ValueError, match="changed between two passes"):
        _blocks.level_rows(layout, {"city": ["a"]}, rows)


@pytest.mark.parametrize("rows", [1, 2, 5, 200])
def test_medians_are_exact(rows: int) -> None:
    random = np.random.default_rng(rows)
    frame = pd.DataFrame({"a": random.standard_cauchy(rows) * 1e3, "b": random.integers(-2, 3, rows) * 1.0})
    layout = _blocks.Layout(("a",), ("b",))

    class Parts:
        def reduce(self, function: Any, merge: Any, what: str) -> Any:
            parts = [frame.iloc[i::3] for i in range(3)]
            return merge([function(_blocks.Rows(i, p[["a"]], p["b"])) for i, p in enumerate(parts) if len(p)])

    counts = Parts().reduce(lambda rows: _blocks.count_levels(layout, rows), _blocks.add_counts, "")
    found = _cluster._medians(Parts(), layout, counts, ["a", "b"])  # type: ignore[arg-type]
    assert found["a"] == pytest.approx(frame["a"].median(), rel=1e-15)
    assert found["b"] == frame["b"].median()


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
