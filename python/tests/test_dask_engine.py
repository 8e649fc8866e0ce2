"""How condens.dask cuts a table into blocks, and on which workers it keeps them."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import numpy as np
import pytest

dd = pytest.importorskip("dask.dataframe")
pytest.importorskip("distributed")

from condens import _blocks  # noqa: E402
from condens.dask import _engine  # noqa: E402


def test_small_partitions_are_joined_with_their_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _engine.neighbours([60_000, 60_000, 60_000]) == [slice(0, 1), slice(1, 2), slice(2, 3)]
    assert _engine.neighbours([50_000] * 20) == [slice(begin, begin + 5) for begin in (0, 5, 10, 15)]
    assert _engine.neighbours([300_000, 10]) == [slice(0, 1), slice(1, 2)]
    monkeypatch.setattr(_engine, "_BLOCKS", 1)
    monkeypatch.setattr(_engine, "_MOST_ROWS", 6_000)
    monkeypatch.setattr(_engine, "_LEAST_ROWS", 1)
    assert _engine.neighbours([4_000, 1_000, 1_000, 9_000, 500, 600]) == [slice(0, 3), slice(3, 4), slice(4, 6)]


def dealt_out(rows: list[dict[str, int]], threads: dict[str, int]) -> str:
    return "".join(_engine.dealt_out([Counter(own) for own in rows], [sum(own.values()) for own in rows], threads))


def test_blocks_stay_where_their_rows_are_up_to_an_even_share() -> None:
    assert dealt_out([{"b": 9}, {"a": 9}, {"b": 5, "a": 4}, {"a": 9}], {"a": 1, "b": 1}) == "baba"
    assert dealt_out([{"a": 9}] * 6, {"a": 1, "b": 1}) == "aaabbb"
    assert dealt_out([{"a": 9}] * 6, {"a": 1, "b": 2}) == "aabbbb"
    assert sorted(dealt_out([{"a": 9}] * 3, {"a": 2, "b": 2})) == ["a", "a", "b"]
    assert dealt_out([{"gone": 9}, {"gone": 9}], {"a": 1, "b": 1}) == "ab"
    assert sorted(dealt_out([{"a": 9}] * 2, {"a": 8, "b": 8, "c": 8})) == ["a", "b"]


def own_process(pass_: bytes, block: Any, first_row: int) -> bytes:
    return f"{first_row}:{os.getpid()} ".encode()


def test_every_pass_finds_a_block_on_the_same_worker(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_blocks, "accumulate", own_process)
    monkeypatch.setattr(_blocks, "merge", b"".join)
    monkeypatch.setattr(_engine, "_BLOCKS", 8)
    monkeypatch.setattr(_engine, "_LEAST_ROWS", 1)
    cluster.wait_for_workers(4)  # a test before may have killed one
    random = np.random.default_rng(0)
    table = dd.from_dict({"x": random.normal(size=6_400), "y": random.normal(size=6_400)}, npartitions=16)
    engine = _engine.DaskEngine(table[["x"]], table["y"], None)
    engine.reduce(_blocks.lengths_of, _blocks.concatenated, "lengths")
    lengths = engine.make_blocks(_blocks.Layout(("x",), ("y",)))
    assert lengths == [800] * 8
    first_rows = list(range(0, 6_400, 800))
    seen = {engine.sums(b"", first_rows) for _ in range(8)}
    engine.close()
    assert len(seen) == 1
    places = dict(own.split(b":") for own in seen.pop().split())
    assert [int(first) for first in places] == first_rows
    assert list(Counter(places.values()).values()) == [2] * 4
