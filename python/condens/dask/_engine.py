"""Partitions of dask collections: kept on the workers as numbers, and summed up in trees of tasks."""

from __future__ import annotations

import importlib.metadata
import sys
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import dask
from dask.delayed import Delayed, delayed

from condens import _blocks, _cluster, _core
from condens._blocks import Block, Layout, Rows

_WORKER = "a worker of dask"
# A task of dask takes milliseconds beside its work, and a fit some hundred passes: small partitions are joined into so
# many blocks, of at least and at most so many rows. Larger partitions stay as they are.
_BLOCKS, _LEAST_ROWS, _MOST_ROWS = 4, 50_000, 250_000


def is_lazy(data: Any) -> bool:
    """Whether `data` is a data frame, series or array of dask."""
    return dask.is_dask_collection(data) and (hasattr(data, "npartitions") or hasattr(data, "chunks"))


def partitions_of(data: Any, name: str, *, as_cut: bool = False) -> list[Delayed]:
    """The parts of a collection, in the order of the rows; of a frame optimised, or as it is cut."""
    if not is_lazy(data):
        raise TypeError(f"{name} is a {type(data).__name__}, expected a data frame, series or array of dask, as X is")
    if hasattr(data, "chunks") and data.ndim == 2:
        data = data.rechunk({1: -1})  # a partition has whole rows
    parts = data.to_delayed(optimize_graph=not as_cut)
    return list(parts.ravel()) if hasattr(parts, "ravel") else list(parts)


def client() -> Any:
    """The client of dask.distributed that computes here, if there is one."""
    if "distributed" not in sys.modules:
        return None
    try:
        return sys.modules["distributed"].get_client()
    except ValueError:
        return None


def compute(what: Delayed) -> Any:
    """The value, by one future, which is cancelled with all tasks behind it when something stops us."""
    here = client()
    if here is None:
        return what.compute()
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message="Sending large graph"
        )  # a pass, which lost workers must not take along
        future = here.compute(what, optimize_graph=False)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _rows(partition: int, x: Any, y: Any, weights: Any) -> Rows:
    return Rows(partition, x, y, weights)


def _checked(version: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """The function on a worker, which may have joined the cluster just now."""
    if _core.version != version:
        raise RuntimeError(
            f"condens is {_core.version} on {_WORKER} and {version} on the driver, expected one version; install the "
            "same on all machines of the cluster"
        )
    return function(*arguments)


def _versions() -> dict[str, Any]:
    here = client()
    if here is None:
        return {}
    # A function of the standard library, since workers may have no condens that could be asked.
    return dict(here.run(importlib.metadata.version, "condens", on_error="return"))


class Kept(NamedTuple):
    """A block that is kept, and the worker that it is dealt to, if there are workers."""

    block: Delayed
    worker: str | None


class DaskEngine:
    """Partitions of X, y and weights, which are cut alike."""

    threads = 1

    def __init__(self, x: Any, y: Any, weights: Any) -> None:
        given = {"X": x, "y": y, "sample_weight": weights}
        given = {name: data for name, data in given.items() if data is not None}
        parts = {name: partitions_of(data, name) for name, data in given.items()}
        if len({len(own) for own in parts.values()}) > 1:
            # Optimised, dask reads small Parquet files together, the more the fewer columns are taken of them.
            parts = {name: partitions_of(data, name, as_cut=True) for name, data in given.items()}
        for name, own in parts.items():
            if len(own) != len(parts["X"]):
                raise ValueError(
                    f"{name} has {len(own)} partitions and X has {len(parts['X'])}, expected as many; take both from "
                    "one frame, as ddf[inputs] and ddf[target], or rechunk arrays alike"
                )
        for worker, found in _versions().items():
            _cluster.check_version("not installed" if isinstance(found, Exception) else found, f"worker {worker}")
        nothing = [None] * len(parts["X"])
        columns = (parts["X"], parts.get("y", nothing), parts.get("sample_weight", nothing))
        name = f"condens-rows-{uuid.uuid4().hex}"
        self._rows: list[Delayed] = [
            delayed(_rows)(i, *row, dask_key_name=(name, i)) for i, row in enumerate(zip(*columns, strict=True))
        ]
        self._blocks: list[Kept] = []
        self._kept: list[Delayed] = []
        self._read = False

    def _keep(self, parts: Sequence[Delayed]) -> list[Delayed]:
        kept = list(dask.persist(*parts))
        self._kept += kept
        return kept

    def close(self) -> None:
        """Takes back what is kept on the workers, and what still runs there."""
        here = client()
        if here is not None:
            here.cancel(sys.modules["distributed"].futures_of(self._kept))
        self._kept, self._rows, self._blocks = [], [], []

    def reduce(self, function: Callable[[Rows], Any], merge: Callable[[Sequence[Any]], Any], what: str) -> Any:
        if not self._read:  # and will be again
            self._rows, self._read = self._keep(self._rows), True
            lengths = dict(
                compute(tree([(rows,) for rows in self._rows], _blocks.lengths_of, _blocks.concatenated, "lengths"))
            )
            self._rows = [rows for i, rows in enumerate(self._rows) if lengths[i]]
            if not self._rows:
                raise ValueError("the table has 0 rows, expected at least 2")
        return compute(tree([(rows,) for rows in self._rows], function, merge, what))

    def make_blocks(self, layout: Layout) -> list[int]:
        name, make = f"condens-blocks-{uuid.uuid4().hex}", partial(_checked, _core.version, _blocks.block_of, layout)
        blocks = self._keep([_task(make, rows, key=(name, i)) for i, rows in enumerate(self._rows)])
        lengths = compute(tree([(block,) for block in blocks], _length, _blocks.concatenated, "lengths"))
        self._kept, self._rows = blocks, []
        there = [(block, length) for block, length in zip(blocks, lengths, strict=True) if length]
        groups = [there[group] for group in neighbours([length for _, length in there])]
        # A pass takes as long as the worker that has the most rows, and what it keeps of them is there alone.
        name, workers = f"condens-joined-{uuid.uuid4().hex}", self._dealt_out(groups)
        joined = self._keep(
            [
                _task(_blocks.joined, [block for block, _ in group], key=(name, i), worker=worker)
                for i, (group, worker) in enumerate(zip(groups, workers, strict=True))
            ]
        )
        self._kept, self._blocks = joined, list(map(Kept, joined, workers))
        return [sum(length for _, length in group) for group in groups]

    def _dealt_out(self, groups: Sequence[Sequence[tuple[Delayed, int]]]) -> Sequence[str | None]:
        """A worker for each group of blocks and their lengths."""
        here = client()
        threads = {} if here is None else here.nthreads()
        if not threads:
            return [None] * len(groups)
        futures_of = sys.modules["distributed"].futures_of
        holders = here.who_has(futures_of([block for group in groups for block, _ in group]))
        rows = [Counter[str]() for _ in groups]
        for own, group in zip(rows, groups, strict=True):
            for block, length in group:
                for worker in list(holders.get(futures_of(block)[0].key, []))[:1]:
                    own[worker] += length
        return dealt_out(rows, [sum(length for _, length in group) for group in groups], threads)

    def parts(
        self, function: Callable[..., Block], first_rows: Sequence[int], *more: Any
    ) -> tuple[list[Kept], list[int]]:
        """Parts of the blocks, kept beside them, and how many rows these have; without those that have none."""
        name = f"condens-parts-{uuid.uuid4().hex}"
        pairs = zip(self._blocks, first_rows, strict=True)
        parts = self._keep(
            [
                _task(function, own.block, first, *more, key=(name, i), worker=own.worker)
                for i, (own, first) in enumerate(pairs)
            ]
        )
        lengths = compute(tree([(part,) for part in parts], _length, _blocks.concatenated, "lengths"))
        kept = [Kept(part, own.worker) for part, own in zip(parts, self._blocks, strict=True)]
        return [own for own, length in zip(kept, lengths, strict=True) if length], [n for n in lengths if n]

    def release(self, parts: Sequence[Kept]) -> None:
        """Forgets parts that were kept."""
        own = {id(part.block) for part in parts}
        self._kept = [part for part in self._kept if id(part) not in own]

    def sums(self, pass_: bytes, first_rows: Sequence[int]) -> bytes:
        return sums_of(self._blocks, pass_, first_rows)


def sums_of(blocks: Sequence[Kept], pass_: bytes, first_rows: Sequence[int]) -> bytes:
    """The merged state of blocks."""
    shared: Any = pass_
    if len(blocks) > _cluster.FAN_IN:  # once in the graph, by a task more, which outlives workers
        name = f"condens-pass-{uuid.uuid4().hex}"
        shared = Delayed(name, {name: pass_})
    parts = [(shared, own.block, first) for own, first in zip(blocks, first_rows, strict=True)]
    workers = [own.worker for own in blocks]
    return compute(tree(parts, _blocks.accumulate, _blocks.merge, "accumulate", workers))  # type: ignore[no-any-return]


def neighbours(lengths: Sequence[int]) -> list[slice]:
    """Blocks of so many rows, which of them make one together; it depends on the table alone, not on the workers."""
    most = min(max(sum(lengths) // _BLOCKS, _LEAST_ROWS), _MOST_ROWS)
    out: list[slice] = []
    begin = rows = 0
    for i, length in enumerate(lengths):
        if i > begin and rows + length > most:
            out.append(slice(begin, i))
            begin, rows = i, 0
        rows += length
    return [*out, slice(begin, len(lengths))]


def dealt_out(rows: Sequence[Counter[str]], lengths: Sequence[int], threads: dict[str, int]) -> list[str]:
    """A worker for each block: where most of its rows are, unless those have their share by their threads already."""
    share, load = sum(lengths) / sum(threads.values()), Counter[str]()
    out: list[str] = []
    for own, length in zip(rows, lengths, strict=True):
        worker, _ = max(own.items(), key=lambda item: item[1], default=("", 0))
        if load[worker] + length > share * threads.get(worker, 0):
            worker = min(threads, key=lambda other: (load[other] + length) / threads[other])
        load[worker] += length
        out.append(worker)
    return out


def _length(block: Block) -> list[int]:
    return [len(block)]


def _task(function: Callable[..., Any], *arguments: Any, key: tuple[Any, ...], worker: str | None = None) -> Delayed:
    """A task by its name, on a worker as long as there is this one."""
    if worker is None:
        return delayed(function)(*arguments, dask_key_name=key)
    with dask.annotate(workers=[worker], allow_other_workers=True):
        return delayed(function)(*arguments, dask_key_name=key)


def tree(
    parts: Sequence[tuple[Any, ...]],
    function: Callable[..., Any],
    merge: Callable[[Sequence[Any]], Any],
    what: str,
    workers: Sequence[str | None] | None = None,
) -> Delayed:
    """The function of all parts, merged in order by a tree whose shape depends on their number alone."""
    token, own = uuid.uuid4().hex, partial(_checked, _core.version, function)
    places = [None] * len(parts) if workers is None else workers
    level = [
        _task(own, *part, key=(f"condens-{what}-{token}", i), worker=worker)
        for i, (part, worker) in enumerate(zip(parts, places, strict=True))
    ]
    height = 0
    while len(level) > 1 or height == 0:
        height += 1
        groups = [level[i : i + _cluster.FAN_IN] for i in range(0, len(level), _cluster.FAN_IN)]
        level = [_task(merge, group, key=(f"condens-merge-{token}", height, i)) for i, group in enumerate(groups)]
    return level[0]


def columns_of(data: Any) -> tuple[int, bool]:
    """How many columns a collection has, and whether it is a table of columns rather than one column."""
    if data.ndim == 1:
        return 1, False
    return len(data.columns) if hasattr(data, "columns") else int(data.shape[1]), True
