"""Tables in files, read in batches of rows, in their order."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

_FORMATS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".arrow": "ipc", ".feather": "ipc", ".ipc": "ipc"}


def _format_of(path: Path) -> str:
    files = [path]
    if path.is_dir():  # without what pyarrow passes over
        inside = sorted(child for child in path.rglob("*") if child.suffix in _FORMATS and child.is_file())
        files = [child for child in inside if not any(part[0] in "._" for part in child.relative_to(path).parts)]
    suffix = files[0].suffix.lower() if files else ""
    if suffix not in _FORMATS:
        known = ", ".join(_FORMATS)
        raise ValueError(
            f"{path} ends in {suffix!r}, expected a file, or a folder of files, that end in one of {known}"
        )
    return _FORMATS[suffix]


class Table:
    """Columns of one or several files, of which nothing is read but names and types.

    Parameters
    ----------
    source : path, list of paths, or pyarrow.dataset.Dataset
        Parquet, Arrow (Feather) or CSV, by the ends of their names. A folder is all files in it, in the order of their
        paths; folders in it that are named as COLUMN=VALUE, which Hive, Spark and Dask write, are columns.
    """

    def __init__(self, source: str | PathLike[str] | Sequence[str | PathLike[str]] | ds.Dataset) -> None:
        if isinstance(source, ds.Dataset):
            self.dataset = source
            return
        paths = [Path(fspath(path)) for path in ([source] if isinstance(source, (str, PathLike)) else source)]
        if not paths:
            raise ValueError("source is an empty list, expected at least one file")
        for path in paths:
            if not path.exists():
                raise FileNotFoundError(f"{path}: there is no such file or folder")
        whole: Any = str(paths[0]) if len(paths) == 1 else [str(path) for path in paths]
        columns_by_folders = "hive" if len(paths) == 1 and paths[0].is_dir() else None
        self.dataset = ds.dataset(whole, format=_format_of(paths[0]), partitioning=columns_by_folders)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.dataset.schema.names)

    def __len__(self) -> int:
        return int(self.dataset.count_rows())

    def __getitem__(self, names: str | Sequence[str]) -> Columns:
        return Columns(self, [names] if isinstance(names, str) else list(names), single=isinstance(names, str))

    def __repr__(self) -> str:
        return f"Table({len(self.columns)} columns: {', '.join(self.columns)})"


class Columns:
    """Some columns of a table, which are read where they are needed."""

    def __init__(self, table: Table, names: Sequence[str], single: bool) -> None:
        for name in names:
            if name not in table.columns:
                near = difflib.get_close_matches(name, table.columns, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise KeyError(f"column {name!r} is not there, expected one of {', '.join(table.columns)}{hint}")
        if not names:
            raise ValueError("no columns, expected at least one name")
        self.table = table
        self.columns = list(names)
        self.single = single

    def __len__(self) -> int:
        return len(self.table)

    @property
    def texts(self) -> frozenset[str]:
        """Names of the columns that hold texts or categories."""
        schema = self.table.dataset.schema
        return frozenset(name for name in self.columns if _is_text(schema.field(name).type))

    @property
    def dates(self) -> frozenset[str]:
        """Names of the columns that hold dates, with or without a time."""
        schema = self.table.dataset.schema
        return frozenset(name for name in self.columns if _is_date(schema.field(name).type))

    @property
    def bytes_per_row(self) -> int:
        """What a row takes as numbers, and about as much again where it holds texts."""
        return 8 * len(self.columns) + 56 * len(self.texts | self.dates)


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_date(kind: pa.DataType) -> bool:
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


def batches(parts: Sequence[Columns | None], rows: int) -> Iterator[list[Any]]:
    """Frames of `rows` rows of each part, the last one of fewer: the same for any cut of the file."""
    there = [part for part in parts if part is not None]
    names = list(dict.fromkeys(name for part in there for name in part.columns))
    read = there[0].table.dataset.to_batches(columns=names, batch_size=rows, batch_readahead=1, fragment_readahead=1)
    held: list[pa.RecordBatch] = []
    count = 0
    for batch in read:
        while batch.num_rows:
            part = batch.slice(0, rows - count)
            held.append(part)
            count += part.num_rows
            batch = batch.slice(part.num_rows)
            if count == rows:
                yield _frames(held, parts)
                held, count = [], 0
    if count:
        yield _frames(held, parts)


def _frames(held: Sequence[pa.RecordBatch], parts: Sequence[Columns | None]) -> list[Any]:
    table = pa.Table.from_batches(held)
    return [None if part is None else table.select(part.columns).to_pandas() for part in parts]
