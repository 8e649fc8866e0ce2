"""Partitions of a Spark data frame: kept on the executors as numbers, and summed up in trees.

Frames are read by Arrow (`mapInArrow`). A pass over the rows is a job of RDDs, which costs a third of what one of data
frames does, and whose tasks find their rows in files beside Spark's own, mapped into memory: the JVM would hand all of
them over anew. Tasks report errors as records, so that the driver raises them as they are.
"""

from __future__ import annotations

import os
import pickle
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from pyspark import RDD, InheritableThread, StorageLevel, cloudpickle
from pyspark.sql import DataFrame, SparkSession, is_remote

from condens import Cancelled, NumericalError, _blocks, _cluster, _core
from condens._blocks import Block, Layout, Rows

# What every task sends: its place in order, the number of its rows, an error or else pickled bytes.
_SCHEMA = "place long, part long, rows long, error binary, bytes binary"
_PIECE_ROWS = 65_536  # of a block, at a time from Python to the JVM
_ON_DRIVER = 64  # so many states at most the driver merges itself

Record = tuple[int, int, int, bytes | None, bytes | None]
Work = Callable[[int, Iterable[Any]], Iterable[tuple[int, int, int, bytes | None]]]
_Answer = TypeVar("_Answer")


def _checked(work: Work) -> Callable[[Iterable[Any]], Iterator[Record]]:
    """`work` as a function for RDDs, which must not need condens before its version is known."""
    payload, version = cloudpickle.dumps(work), _core.version

    def run(items: Iterable[Any]) -> Iterator[Record]:
        import pickle
        import platform

        from pyspark import TaskContext

        place = TaskContext.get().partitionId()
        try:
            try:
                from condens import _core

                found = _core.version
            except ImportError:
                found = "not installed"
            if found != version:
                raise RuntimeError(
                    f"condens is {found} on {platform.node()} and {version} on the driver, expected one version; "
                    "install the same on all machines of the cluster"
                )
            for number, part, rows, data in pickle.loads(payload)(place, items):
                yield number, part, rows, None, data
        except (ValueError, TypeError, ArithmeticError, RuntimeError) as error:
            yield place, 0, 0, pickle.dumps((type(error).__name__, str(error))), None

    return run


def _in_arrow(work: Work) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """`work` as a function for mapInArrow."""
    run, names = _checked(work), [part.split()[0] for part in _SCHEMA.split(", ")]

    def batches(given: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        kinds = [pa.int64(), pa.int64(), pa.int64(), pa.binary(), pa.binary()]
        for record in run(given):
            columns = [pa.array([value], kind) for value, kind in zip(record, kinds, strict=True)]
            yield pa.RecordBatch.from_arrays(columns, names)

    return batches


_ERRORS: dict[str, type[Exception]] = {
    error.__name__: error for error in (ValueError, TypeError, NumericalError, RuntimeError, Cancelled)
}


def run_job(session: SparkSession, job: Callable[[], _Answer]) -> _Answer:
    """The answer of `job`, whose tasks are cancelled where Ctrl-C, or anything else, ends the wait for it.

    It has a thread of its own: one that Ctrl-C interrupts in the middle of a job has no connection to the JVM left by
    which Spark could cancel it.
    """
    tag, answer = f"condens-{uuid.uuid4().hex}", Future[_Answer]()
    context = session.sparkContext

    def work() -> None:
        try:
            context.addJobTag(tag)
            answer.set_result(job())
        except BaseException as error:
            answer.set_exception(error)

    thread = InheritableThread(work, session=session, daemon=True)
    thread.start()
    try:
        return answer.result()
    finally:
        while not answer.done():  # the job may not have begun: then there is nothing to cancel yet
            context.cancelJobsWithTag(tag)
            wait([answer], timeout=0.1)


def _raise_error(record: Record) -> None:
    """What the task says that made the record, if it failed."""
    error = record[3]
    if error is not None:
        kind, text = pickle.loads(error)
        raise _ERRORS.get(kind, RuntimeError)(text)


def _collected(session: SparkSession, source: DataFrame | RDD[Record]) -> list[Record]:
    """The records in order; raises the first error among them."""
    records = sorted(run_job(session, source.collect), key=lambda record: record[:2])
    for record in records:
        _raise_error(record)
    return records


def _frames(names: dict[str, list[str]], place: int, batches: Iterable[Any]) -> Rows | None:
    """The rows of a partition; `names` are those of inputs, targets and weight, by their places in the batches."""
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
    rows = column.to_pylist()
    widths = {None if row is None else len(row) for row in rows}
    if len(widths) > 1 or None in widths:
        bad = next(i for i, row in enumerate(rows) if row is None or len(row) != len(rows[0]))
        value = rows[bad] if rows[bad] is None else f"of {len(rows[bad])} numbers"
        raise _blocks.first_error(bad, place, "featuresCol", value, "vectors of one length")
    return np.array(rows, dtype=np.float64)


def _of_rows(
    names: dict[str, list[str]], function: Callable[[Rows], Any], place: int, batches: Any
) -> Iterator[tuple[int, int, int, bytes]]:
    rows = _frames(names, place, batches)
    if rows is not None:
        yield place, 0, len(rows), pickle.dumps(function(rows))


# --- blocks, as pickled pieces that the JVM keeps and in files ------------------------------------------


def _to_blocks(
    names: dict[str, list[str]], layout: Layout, name: str, size: int, place: int, batches: Any
) -> Iterator[tuple[int, int, int, bytes]]:
    rows = _frames(names, place, batches)
    if rows is None:
        return
    block = _blocks.block_of(layout, rows)
    _write(block, name, place)
    for part, begin in enumerate(range(0, len(block), size)):
        piece = slice(begin, begin + size)
        weights = None if block.weights is None else block.weights[piece]
        own = Block(block.x[piece], block.y[piece], weights)
        yield place, part, len(own), pickle.dumps(own, protocol=5)


def _path(name: str, place: int, part: str) -> Path:
    """Of a part of a partition's block, where this executor may keep files until the application ends."""
    return Path(os.environ["SPARK_LOCAL_DIRS"].split(",")[0]) / f"condens-{name}-{place}-{part}.npy"


def _write(block: Block, name: str, place: int) -> None:
    """Into files; a copy of this task may do so at the same time."""
    for part, values in vars(block).items():
        if values is not None:
            path = _path(name, place, part)
            beside = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
            with beside.open("wb") as file:
                np.save(file, values)
            beside.replace(path)


def _rewritten(name: str, place: int, records: Iterable[Record]) -> Iterator[tuple[int, int, int, None]]:
    """The partition's pieces, as files."""
    pieces: list[Block] = []
    for record in records:
        _raise_error(record)
        pieces.append(pickle.loads(record[4] or b""))
    if pieces:
        block = _blocks.joined(pieces)
        _write(block, name, place)
        yield place, 0, len(block), None


def _removed(name: str, _: int, numbers: Iterable[int]) -> Iterator[tuple[int, int, int, None]]:
    for _ in numbers:  # all of them, or Spark would end this worker
        for path in _path(name, 0, "x").parent.glob(f"condens-{name}-*"):
            path.unlink(missing_ok=True)
    return iter(())


# --- passes ------------------------------------------------------------------------------------------


def _accumulated(
    pass_: bytes,
    name: str,
    parts: Sequence[str],
    places: dict[int, tuple[int, int]],
    place: int,
    records: Iterable[Record],
) -> Iterator[tuple[int, int, int, bytes | None]]:
    """The state of the partition's block; None where its files are on another machine."""
    pieces = list(records)
    for record in pieces:
        _raise_error(record)
    if not pieces:
        return
    number, first_row = places[place]
    try:
        block = Block(**{part: np.load(_path(name, place, part), mmap_mode="r") for part in parts})
    except FileNotFoundError:
        yield number, 0, 0, None
    else:
        yield number, 0, 0, _blocks.accumulate(pass_, block, first_row)


def _merged(place: int, states: Iterable[tuple[int, Record]]) -> Iterator[tuple[int, int, int, bytes | None]]:
    """One state of those in a group, in their order; None if one of them is."""
    records = sorted(record for _, record in states)
    for record in records:
        _raise_error(record)
    data = [record[4] for record in records]
    yield place, 0, 0, None if None in data else _blocks.merge(data)  # type: ignore[arg-type]


class SparkEngine:
    """Partitions of a data frame whose columns are x0, x1, ..., y0, ..., and w0."""

    threads = 1

    def __init__(self, frame: DataFrame, names: dict[str, list[str]]) -> None:
        if is_remote():
            raise RuntimeError(
                "the session is one of Spark Connect, which has no RDDs; expected a classic one, on the driver or by "
                "spark-submit"
            )
        self._frame = frame
        self._session = frame.sparkSession
        self._names = names
        self._kept: list[DataFrame | RDD[Record]] = []
        self._read = False
        self._name = uuid.uuid4().hex  # of the files
        self._pieces: DataFrame | None = None
        self._files: RDD[Record]  # the pieces' records without their bytes, on the executors that have the files
        self._places: list[int] = []

    def close(self) -> None:
        """Takes back what is kept on the executors."""
        for kept in self._kept:
            kept.unpersist()
        self._kept = []
        if self._pieces is not None:  # of executors that have other things to do, when the application ends
            context, self._pieces = self._session.sparkContext, None
            cores = context.parallelize(range(context.defaultParallelism), context.defaultParallelism)
            _collected(self._session, cores.mapPartitions(_checked(partial(_removed, self._name))))

    def reduce(self, function: Callable[[Rows], Any], merge: Callable[[Sequence[Any]], Any], what: str) -> Any:
        if not self._read:  # and will be again
            self._frame, self._read = self._frame.persist(), True
            self._kept.append(self._frame)
        work = partial(_of_rows, self._names, function)
        records = _collected(self._session, self._frame.mapInArrow(_in_arrow(work), _SCHEMA))
        if not records:
            raise ValueError("the table has 0 rows, expected at least 2")
        return _tree([pickle.loads(record[4] or b"") for record in records], merge)

    def make_blocks(self, layout: Layout) -> list[int]:
        work = partial(_to_blocks, self._names, layout, self._name, _PIECE_ROWS)
        # On disk, since files have them already, except for executors that come later.
        self._pieces = self._frame.mapInArrow(_in_arrow(work), _SCHEMA).persist(StorageLevel.DISK_ONLY)
        self._files = self._pieces.drop("bytes").rdd.map(lambda row: (*row, None)).persist()
        self._kept += [self._pieces, self._files]
        lengths = Counter[int]()
        for record in _collected(self._session, self._files):
            lengths[record[0]] += record[2]
        self._places = list(lengths)
        return list(lengths.values())

    def sums(self, pass_: bytes, first_rows: Sequence[int]) -> bytes:
        assert self._pieces is not None
        numbered = enumerate(zip(self._places, first_rows, strict=True))
        places = {place: (number, first) for number, (place, first) in numbered}
        parts = ["x", "y", *(["weights"] if "w0" in self._frame.columns else [])]
        work = _checked(partial(_accumulated, pass_, self._name, parts, places))
        states = self._states(self._files.mapPartitions(work))
        if None in states:
            written = self._pieces.rdd.map(tuple).mapPartitions(_checked(partial(_rewritten, self._name)))
            states = self._states(written.mapPartitions(work))
        return _tree(states, _blocks.merge)  # type: ignore[no-any-return]

    def _states(self, states: RDD[Record]) -> list[bytes | None]:
        """Those of the blocks, or of groups of them."""
        count, fan_in = len(self._places), _cluster.FAN_IN
        while count > _ON_DRIVER:
            count = -(-count // fan_in)
            groups = states.map(lambda record: (record[0] // fan_in, record)).partitionBy(count, lambda group: group)
            states = groups.mapPartitions(_checked(_merged))
        return [record[4] for record in _collected(self._session, states)]


def _tree(states: list[Any], merge: Callable[[Sequence[Any]], Any]) -> Any:
    """Merged in order by the tree whose first levels executors may have done."""
    while True:
        states = [merge(states[i : i + _cluster.FAN_IN]) for i in range(0, len(states), _cluster.FAN_IN)]
        if len(states) == 1:
            return states[0]
