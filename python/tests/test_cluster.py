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
