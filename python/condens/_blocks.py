"""Rows of a partition as the core reads them, on the worker of a cluster that holds them.

Engines (`condens.dask`, `condens.spark`) call the functions of this file there. Messages name the partition (counting
from 0, as engines do), the row within it (counting from 1) and the column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condens import _core
from condens._arrays import as_float64, as_rows
from condens._dates import microseconds_of, texts_of
from condens._frames import _TIMES, _texts, is_frame

Floats = NDArray[np.float64]
Columns = dict[str, Any]

CHANGED = "a column changed between two passes; persist the table, or make its source deterministic"
MISSING_LEVEL = "(missing)"  # of the core's encoder


@dataclass(frozen=True)
class Rows:
    """A partition as it came: frames or arrays."""

    partition: int
    x: Any
    y: Any = None
    weights: Any = None

    def __len__(self) -> int:
        return len(self.x)


@dataclass(frozen=True)
class Block:
    """A partition, or a part of one, in numbers."""

    x: Floats
    y: Floats
    weights: Floats | None = None

    def __len__(self) -> int:
        return len(self.y)

    @property
    def nbytes(self) -> int:
        """Memory that the numbers take."""
        return sum(part.nbytes for part in (self.x, self.y, self.weights) if part is not None)


@dataclass(frozen=True)
class LevelStatistics:
    """What stands for the levels of columns that have many, and what says which of it a row takes."""

    codes: dict[str, list[Floats]]  # of a column, from the rows outside of each fold, and last from all rows
    rows: int
    first_rows: dict[int, int]  # the place of each partition's first row
    seed: int


@dataclass(frozen=True)
class Layout:
    """What the columns are, found out on the driver."""

    inputs: tuple[str, ...]
    targets: tuple[str, ...]  # of a density the columns of X, and there are no inputs
    texts: frozenset[str] = frozenset()
    dates: frozenset[str] = frozenset()  # whose values are microseconds (_dates.py)
    keep_missing: bool = False
    encoder: _core.Encoder | None = field(default=None, hash=False)  # without statistics of levels
    statistics: LevelStatistics | None = field(default=None, hash=False)

    @property
    def is_density(self) -> bool:
        """Whether there is no y: the columns of X are the targets."""
        return not self.inputs


def first_error(rows: int, partition: int, name: str, value: Any, expected: str) -> ValueError:
    """What is wrong with the first bad value."""
    return ValueError(
        f"row {rows + 1} (counting from 1) of partition {partition} (counting from 0): column {name!r} is {value!r}, "
        f"expected {expected}; correct it, or leave such rows out"
    )


def _first_that_is_no_number(values: Sequence[Any]) -> tuple[int, Any]:
    for i, value in enumerate(values):
        try:
            float(value)
        except (TypeError, ValueError, OverflowError):
            return i, value
    return 0, values[0]


def _numbers(column: Any, name: str, partition: int, keep_missing: bool = False) -> Floats:
    """One column of a frame or an array as finite numbers, or NaN where they may be missing."""
    dtype = column.dtype
    if str(dtype).lower().startswith(("date", "timestamp", *_TIMES)):
        raise TypeError(
            f"column {name!r} has dtype {dtype}, expected numbers; make numbers of dates first, such as the days since "
            "some date"
        )
    marked = not isinstance(dtype, np.dtype) and dtype.kind in "biuf"  # pandas' own marks of what is missing
    raw = column.to_numpy(dtype=np.float64, na_value=np.nan) if marked else np.asarray(column)
    try:
        values = as_float64(raw, name)
    except (TypeError, ValueError):
        row, value = _first_that_is_no_number(raw.tolist())
        raise first_error(row, partition, name, value, "a number") from None
    bad = np.isinf(values) if keep_missing else ~np.isfinite(values)
    if bad.any():
        row = int(bad.argmax())
        raise first_error(row, partition, name, float(values[row]), "a finite number")
    return np.ascontiguousarray(values)


def _levels(column: Any, name: str, partition: int, keep_missing: bool) -> list[str]:
    texts = _texts(column, name, keep_missing=True)
    if not keep_missing and "" in texts:
        raise first_error(texts.index(""), partition, name, "", "a text or a category that is not missing")
    return texts


def _dates(column: Any, name: str, partition: int, keep_missing: bool) -> Floats:
    values = microseconds_of(column)
    gaps = np.isnan(values)
    if gaps.any() and not keep_missing:
        raise first_error(int(gaps.argmax()), partition, name, None, "a date that is not missing")
    return values


def _column(data: Any, place: int, name: str) -> Any:
    if is_frame(data):
        return data.iloc[:, place]
    if getattr(data, "ndim", 1) == 1:
        return data
    return data[:, place]


def _as_columns(data: Any, names: Sequence[str], rows: Rows, layout: Layout, of_inputs: bool) -> Columns:
    out: Columns = {}
    width = data.shape[1] if getattr(data, "ndim", 1) == 2 else 1
    if width != len(names):
        raise ValueError(f"partition {rows.partition} has {width} columns, expected {len(names)}: {', '.join(names)}")
    for place, name in enumerate(names):
        column = _column(data, place, name)
        if of_inputs and name in layout.texts:
            out[name] = _levels(column, name, rows.partition, layout.keep_missing)
        elif of_inputs and name in layout.dates:
            out[name] = _dates(column, name, rows.partition, layout.keep_missing)
        else:
            out[name] = _numbers(column, name, rows.partition, of_inputs and layout.keep_missing)
    return out


def _check_lengths(rows: Rows) -> None:
    for what, part in (("y", rows.y), ("sample_weight", rows.weights)):
        if part is not None and len(part) != len(rows):
            raise ValueError(
                f"partition {rows.partition} (counting from 0) has {len(rows)} rows in X and {len(part)} in {what}, "
                "expected as many; take both from one frame, as ddf[inputs] and ddf[target]"
            )


def weights_of(rows: Rows) -> Floats | None:
    """The weights, where there are any."""
    if rows.weights is None:
        return None
    weights = _numbers(_column(rows.weights, 0, "sample_weight"), "sample_weight", rows.partition)
    if (weights < 0).any():
        row = int((weights < 0).argmax())
        raise first_error(row, rows.partition, "sample_weight", float(weights[row]), "a weight >= 0")
    return as_rows(weights)


def columns_of(layout: Layout, rows: Rows) -> tuple[Columns, Columns]:
    """Inputs and targets by their names."""
    _check_lengths(rows)
    inputs = {} if layout.is_density else _as_columns(rows.x, layout.inputs, rows, layout, True)
    targets = _as_columns(rows.x if layout.is_density else rows.y, layout.targets, rows, layout, False)
    return inputs, targets


def targets_of(names: Sequence[str], rows: Rows) -> Floats:
    """The targets in numbers."""
    _check_lengths(rows)
    targets = _as_columns(rows.y, names, rows, Layout((), tuple(names)), False)
    return as_rows(np.stack(list(targets.values()), axis=1))


def with_codes(encoder: _core.Encoder, statistics: LevelStatistics, fold: int = -1) -> _core.Encoder:
    """The encoder with statistics of levels, from the rows outside of a fold, or from all."""
    for name, codes in statistics.codes.items():
        encoder = encoder.with_codes(name, codes[fold])
    return encoder


def _as_texts(layout: Layout, inputs: Columns) -> Columns:
    return {name: texts_of(values) if name in layout.dates else values for name, values in inputs.items()}


def _encoded(layout: Layout, rows: Rows, inputs: Columns) -> Floats:
    read, encoder, statistics = _as_texts(layout, inputs), layout.encoder, layout.statistics
    assert encoder is not None
    if statistics is None:
        return encoder.encode_inputs(read)
    first = statistics.first_rows[rows.partition]
    fold = np.array(_core.folds_of_codes(statistics.rows, first, len(rows), statistics.seed))
    parts, places = [], []
    for k in np.unique(fold):
        own = np.flatnonzero(fold == k)
        part = {n: v[own] if isinstance(v, np.ndarray) else [v[i] for i in own] for n, v in read.items()}
        parts.append(with_codes(encoder, statistics, k).encode_inputs(part))
        places.append(own)
    out = np.empty((len(rows), parts[0].shape[1]))
    out[np.concatenate(places)] = np.concatenate(parts)
    return out


def block_of(layout: Layout, rows: Rows) -> Block:
    """A partition in numbers."""
    inputs, targets = columns_of(layout, rows)
    if layout.encoder is not None:
        x = _encoded(layout, rows, inputs) if len(rows) else np.empty((0, 0))
    else:
        x = np.stack(list(inputs.values()), axis=1) if inputs else np.empty((len(rows), 0))
    block = Block(as_rows(x), as_rows(np.stack(list(targets.values()), axis=1)), weights_of(rows))
    if block.weights is None or (block.weights > 0).all():
        return block
    counted = block.weights > 0  # what does not count has no place in the table
    return Block(block.x[counted], block.y[counted], block.weights[counted])


def joined(blocks: Sequence[Block]) -> Block:
    """Neighbouring blocks as one."""
    if len(blocks) == 1:
        return blocks[0]

    def rows(parts: list[Any]) -> Any:
        return None if parts[0] is None else np.concatenate(parts)

    return Block(rows([b.x for b in blocks]), rows([b.y for b in blocks]), rows([b.weights for b in blocks]))


def accumulate(pass_: bytes, block: Block, first_row: int, threads: int = 1) -> bytes:
    """What a block adds to a pass."""
    return _core.accumulate(pass_, block.x, block.y, block.weights, first_row, threads)


def merge(states: Sequence[bytes]) -> bytes:
    """States of neighbouring blocks, in order, as one."""
    out = states[0]
    for state in states[1:]:
        out = _core.merge(out, state)
    return out


def concatenated(parts: Sequence[list[Any]]) -> list[Any]:
    """Lists of neighbouring partitions, in order, as one."""
    return [item for part in parts for item in part]


def lengths_of(rows: Rows) -> list[tuple[int, int]]:
    """The number of the partition, and how many rows it has."""
    return [(rows.partition, len(rows))]


def strata_of(rows: Rows) -> list[tuple[int, NDArray[np.uint16]]]:
    """The number of the partition, and of each row the first 16 ordered bits of its first target; zeros without one."""
    if rows.y is None:
        return [(rows.partition, np.zeros(len(rows), dtype=np.uint16))]
    _check_lengths(rows)
    name = str(rows.y.columns[0]) if getattr(rows.y, "ndim", 1) == 2 and is_frame(rows.y) else "y"
    y = _numbers(_column(rows.y, 0, name), name, rows.partition)
    return [(rows.partition, (_ordered(y) >> np.uint64(48)).astype(np.uint16))]


def add_columns(layout: Layout, columns: _core.TableColumns, rows: Rows) -> _core.TableColumns:
    """What a partition adds to a reading."""
    inputs, targets = columns_of(layout, rows)
    return columns.add(_as_texts(layout, inputs) | targets)


def merge_columns(parts: Sequence[_core.TableColumns]) -> _core.TableColumns:
    """What neighbouring partitions add, in order, as one."""
    return reduce(lambda first, later: first.merge(later), parts)


def level_rows(layout: Layout, levels: dict[str, list[str]], rows: Rows) -> list[tuple[Any, ...]]:
    """The number of the partition, its targets and weights, and of each of these columns the places of its levels."""
    inputs, targets = columns_of(layout, rows)
    places: dict[str, NDArray[np.int32]] = {}
    for name, own in levels.items():
        place = {level: i for i, level in enumerate(own)}
        try:
            places[name] = np.array([place[text or MISSING_LEVEL] for text in inputs[name]], dtype=np.int32)
        except KeyError:
            raise ValueError(CHANGED) from None
    return [(rows.partition, as_rows(np.stack(list(targets.values()), axis=1)), weights_of(rows), places)]


_SIGN = np.uint64(1 << 63)


def _ordered(values: Floats) -> NDArray[np.uint64]:
    bits = (values + 0.0).view(np.uint64)  # no -0.0
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def pick(numbers: Sequence[NDArray[np.int64]], rows: Rows) -> list[Rows]:
    """The rows of this partition that are wanted; `numbers` holds those of every partition."""
    own = numbers[rows.partition]
    if not len(own):
        return []

    def part(data: Any) -> Any:
        return None if data is None else data.iloc[own] if hasattr(data, "iloc") else data[own]

    return [Rows(rows.partition, part(rows.x), part(rows.y), part(rows.weights))]
