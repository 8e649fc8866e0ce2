"""Partitions of a Spark data frame: kept on the executors as numbers, and summed up in trees.

All of it is DataFrame API with Arrow batches (`mapInArrow`, `applyInPandas`). Tasks report errors as rows, so that the
driver raises them as they are.
"""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from functools import partial
from typing import Any, TypeVar

from pyspark import InheritableThread, cloudpickle
from pyspark.sql import DataFrame, SparkSession, is_remote
from pyspark.sql import functions as F

from condens import Cancelled, NumericalError, _blocks, _cluster, _core
from condens._blocks import Block, Layout, Rows

# What every task sends: its place in order, the number of its rows, an error or else pickled bytes.
_SCHEMA = "place long, part long, rows long, error binary, bytes binary"
_BLOCK_ROWS = 65_536  # of one block: a row of the kept data frame, which Arrow and the JVM hold in one piece
_ON_DRIVER = 64  # so many states at most the driver merges itself

Record = tuple[int, int, int, bytes]
Work = Callable[[int, Iterable[Any]], Iterable[Record]]
_Answer = TypeVar("_Answer")


def _checked(work: Work) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """`work` as a function for mapInArrow, which must not need condens before its version is known."""
    payload, version, names = cloudpickle.dumps(work), _core.version, [part.split()[0] for part in _SCHEMA.split(", ")]

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        import importlib.metadata
        import pickle
        import platform

        import pyarrow as pa
        from pyspark import TaskContext

        kinds = [pa.int64(), pa.int64(), pa.int64(), pa.binary(), pa.binary()]

        def batch(*record: Any) -> Any:
            return pa.RecordBatch.from_arrays([pa.array([v], k) for v, k in zip(record, kinds, strict=True)], names)

        place = TaskContext.get().partitionId()
        try:
            try:
                found = importlib.metadata.version("condens")
            except importlib.metadata.PackageNotFoundError:
                found = "not installed"
            if found != version:
                raise RuntimeError(
                    f"condens is {found} on {platform.node()} and {version} on the driver, expected one version; "
                    "install the same on all machines of the cluster"
                )
            for number, part, rows, data in pickle.loads(payload)(place, batches):
                yield batch(number, part, rows, None, data)
        except (ValueError, TypeError, ArithmeticError, RuntimeError) as error:
            yield batch(place, 0, 0, pickle.dumps((type(error).__name__, str(error))), None)

    return run


_ERRORS: dict[str, type[Exception]] = {
    error.__name__: error for error in (ValueError, TypeError, NumericalError, RuntimeError, Cancelled)
}


def run_job(session: SparkSession, job: Callable[[], _Answer]) -> _Answer:
    """The answer of `job`, whose tasks are cancelled where Ctrl-C, or anything else, ends the wait for it.

    It has a thread of its own: one that Ctrl-C interrupts in the middle of a job has no connection to the JVM left by
    which Spark could cancel it.
    """
    tag, answer = f"condens-{uuid.uuid4().hex}", Future[_Answer]()
    add, cancel = (
        (session.addTag, session.interruptTag)
        if is_remote()
        else (session.sparkContext.addJobTag, session.sparkContext.cancelJobsWithTag)
    )

    def work() -> None:
        try:
            add(tag)
            answer.set_result(job())
        except BaseException as error:
            answer.set_exception(error)

    thread = InheritableThread(work, session=session, daemon=True)
    thread.start()
    try:
        return answer.result()
    finally:
        while not answer.done():  # the job may not have begun: then there is nothing to cancel yet
            cancel(tag)
            wait([answer], timeout=0.1)


def _collected(frame: DataFrame) -> list[Any]:
    """The records in order; raises the first error among them."""
    found = run_job(frame.sparkSession, frame.collect)
    records = sorted(found, key=lambda record: (record["place"], record["part"]))
    for record in records:
        if record["error"] is not None:
            kind, text = pickle.loads(record["error"])
            raise _ERRORS.get(kind, RuntimeError)(text)
    return records


def _frames(names: dict[str, list[str]], place: int, batches: Iterable[Any]) -> Rows | None:
    """The rows of a partition; `names` are those of inputs, targets and weight, by their places in the batches."""
    import numpy as np
    import pyarrow as pa

    held = [batch for batch in batches if batch.num_rows]
    if not held:
        return None
    table = pa.Table.from_batches(held)
    parts: dict[str, Any] = {}
    for role, own in names.items():
        columns = [name for name in table.column_names if name.startswith(role)]
        if not columns:
            parts[role] = None
        elif role == "x" and not own:  # a column of vectors
            parts[role] = _vectors(table.column(columns[0]), place)
        else:
            frame = table.select(columns).to_pandas()
            frame.columns = own
            parts[role] = frame
    if parts["x"] is None:
        parts["x"] = np.empty((table.num_rows, 0))
    return Rows(place, parts["x"], parts["y"], parts["w"])


def _vectors(column: Any, place: int) -> Any:
    import numpy as np

    rows = column.to_pylist()
    widths = {None if row is None else len(row) for row in rows}
    if len(widths) > 1 or None in widths:
        bad = next(i for i, row in enumerate(rows) if row is None or len(row) != len(rows[0]))
        value = rows[bad] if rows[bad] is None else f"of {len(rows[bad])} numbers"
        raise _blocks.first_error(bad, place, "featuresCol", value, "vectors of one length")
    return np.array(rows, dtype=np.float64)


def _of_rows(
    names: dict[str, list[str]], function: Callable[[Rows], Any], place: int, batches: Any
) -> Iterator[Record]:
    rows = _frames(names, place, batches)
    if rows is not None:
        yield place, 0, len(rows), pickle.dumps(function(rows))


def _to_blocks(names: dict[str, list[str]], layout: Layout, size: int, place: int, batches: Any) -> Iterator[Record]:
    rows = _frames(names, place, batches)
    if rows is None:
        return
    block = _blocks.block_of(layout, rows)
    for part, begin in enumerate(range(0, len(block), size)):
        piece = slice(begin, begin + size)
        weights = None if block.weights is None else block.weights[piece]
        own = Block(block.x[piece], block.y[piece], weights)
        yield place, part, len(own), pickle.dumps(own, protocol=5)


def _accumulated(
    pass_: bytes, places: dict[tuple[int, int], tuple[int, int]], _: int, batches: Any
) -> Iterator[Record]:
    for batch in batches:
        for record in batch.to_pylist():
            number, first_row = places[record["place"], record["part"]]
            state = _blocks.accumulate(pass_, pickle.loads(record["bytes"]), first_row)
            yield number, 0, record["rows"], pickle.dumps(state)


def _merging(merge: Callable[[Sequence[Any]], Any]) -> Callable[[Any], Any]:
    """A function for applyInPandas: one record of those in a frame, in their order; the first error, if any."""

    def run(frame):  # type: ignore[no-untyped-def]  # pyspark would read the types
        frame = frame.sort_values("place")
        place = int(frame["place"].iloc[0]) // _cluster.FAN_IN
        bad = frame[frame["error"].notna()]
        if len(bad):
            return bad.iloc[:1].assign(place=place)
        data = pickle.dumps(merge([pickle.loads(data) for data in frame["bytes"]]))
        return frame.iloc[:1].assign(place=place, bytes=[data], rows=int(frame["rows"].sum()))

    return run


class SparkEngine:
    """Partitions of a data frame whose columns are x0, x1, ..., y0, ..., and w0."""

    threads = 1

    def __init__(self, frame: DataFrame, names: dict[str, list[str]]) -> None:
        self._frame = frame
        self._names = names
        self._kept: list[DataFrame] = []
        self._blocks: DataFrame | None = None
        self._places: list[tuple[int, int]] = []
        self._read = False

    def _keep(self, frame: DataFrame) -> DataFrame:
        kept = frame.persist()
        self._kept.append(kept)
        return kept

    def close(self) -> None:
        """Takes back what is kept on the executors."""
        for frame in self._kept:
            frame.unpersist()
        self._kept = []

    def reduce(self, function: Callable[[Rows], Any], merge: Callable[[Sequence[Any]], Any], what: str) -> Any:
        if not self._read:  # and will be again
            self._frame, self._read = self._keep(self._frame), True
        work = partial(_of_rows, self._names, function)
        records = _collected(self._frame.mapInArrow(_checked(work), _SCHEMA))
        if not records:
            raise ValueError("the table has 0 rows, expected at least 2")
        return _tree([pickle.loads(record["bytes"]) for record in records], merge)

    def make_blocks(self, layout: Layout) -> list[int]:
        work = partial(_to_blocks, self._names, layout, _BLOCK_ROWS)
        self._blocks = self._keep(self._frame.mapInArrow(_checked(work), _SCHEMA))
        records = _collected(self._blocks.select("place", "part", "rows", "error"))
        self._places = [(record["place"], record["part"]) for record in records]
        return [record["rows"] for record in records]

    def sums(self, pass_: bytes, first_rows: Sequence[int]) -> bytes:
        assert self._blocks is not None
        places = {
            place: (number, first) for number, (place, first) in enumerate(zip(self._places, first_rows, strict=True))
        }
        frame = self._blocks.mapInArrow(_checked(partial(_accumulated, pass_, places)), _SCHEMA)
        count, merge = len(places), _merging(_blocks.merge)
        while count > _ON_DRIVER:
            group = F.floor(F.col("place") / _cluster.FAN_IN)
            frame = frame.groupBy(group).applyInPandas(merge, _SCHEMA)
            count = -(-count // _cluster.FAN_IN)
        records = _collected(frame)
        return _tree([pickle.loads(record["bytes"]) for record in records], _blocks.merge)  # type: ignore[no-any-return]


def _tree(states: list[Any], merge: Callable[[Sequence[Any]], Any]) -> Any:
    """Merged in order by the tree whose first levels executors may have done."""
    while True:
        states = [merge(states[i : i + _cluster.FAN_IN]) for i in range(0, len(states), _cluster.FAN_IN)]
        if len(states) == 1:
            return states[0]
