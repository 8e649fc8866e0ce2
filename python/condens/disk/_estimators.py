"""Estimators of condens that take the columns of files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from condens import _blocks, _cluster
from condens._arrays import threads_of
from condens._blocks import Block, Layout, Rows
from condens.disk._tables import Columns, batches

if TYPE_CHECKING:
    from typing_extensions import Self  # from Python 3.11 on in typing

_UNITS = {"": 1, "B": 1, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "KB": 10**3, "MB": 10**6, "GB": 10**9}
_LEAST_ROWS = 1000  # of a batch
_AT_ONCE = "1 GiB"  # where nothing else is said
_COPIES = 6  # of a batch that are in memory at once: as read, as a frame, as numbers, on the standardised scale, ...


def bytes_of(memory: Any) -> int:
    """The bytes that "2 GiB" means."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", str(memory))
    if isinstance(memory, bool) or found is None or found[2].upper() not in _UNITS:
        raise ValueError(f"memory = {memory!r}, expected a number of bytes, or a text such as '500 MiB' or '2 GiB'")
    return int(float(found[1]) * _UNITS[found[2].upper()])


class DiskEngine:
    """Batches of rows of files, read again for each pass, or kept as numbers where they fit into the memory."""

    def __init__(self, parts: Sequence[Columns | None], memory: int, threads: int) -> None:
        self._parts, self.threads = parts, threads  # X, y, weights
        per_row = sum(part.bytes_per_row for part in parts if part is not None)
        self._rows = max(_LEAST_ROWS, memory // (_COPIES * per_row))
        if memory < _LEAST_ROWS * _COPIES * per_row:
            raise ValueError(
                f"memory = {memory} bytes, expected at least {_LEAST_ROWS * _COPIES * per_row} for {_LEAST_ROWS} rows "
                "at a time"
            )
        self._memory = memory
        self._layout: Layout | None = None
        self._kept: list[Block] | None = None

    def _read(self) -> Iterator[Rows]:
        for i, frames in enumerate(batches(self._parts, self._rows)):
            yield Rows(i, *frames)

    def _blocks(self) -> Iterator[Block]:
        if self._kept is not None:
            yield from self._kept
            return
        assert self._layout is not None
        for rows in self._read():
            block = _blocks.block_of(self._layout, rows)
            if len(block):
                yield block

    def reduce(self, function: Callable[[Rows], Any], merge: Callable[[Sequence[Any]], Any], what: str) -> Any:
        out = None
        for rows in self._read():
            part = function(rows)
            out = part if out is None else merge([out, part])
        if out is None:
            raise ValueError("the table has 0 rows, expected at least 2")
        return merge([out])

    def make_blocks(self, layout: Layout) -> list[int]:
        self._layout = layout
        lengths: list[int] = []
        kept: list[Block] | None = []
        held = 0
        for block in self._blocks():
            lengths.append(len(block))
            held += block.nbytes
            if kept is not None and held <= self._memory // 2:
                kept.append(block)
            else:
                kept = None
        self._kept = kept
        return lengths

    def sums(self, pass_: bytes, first_rows: Sequence[int]) -> bytes:
        out: bytes | None = None
        for block, first in zip(self._blocks(), first_rows, strict=True):
            state = _blocks.accumulate(pass_, block, first, self.threads)
            out = state if out is None else _blocks.merge([out, state])
        assert out is not None
        return out

    def close(self) -> None:
        self._kept = None


class OnDisk:
    """What estimators do with columns of files; anything else they take as their namesakes of condens do."""

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        memory: int | str = _AT_ONCE,
        sample: int | None = None,
        gather_rows: int = 15_000,
    ) -> Self:
        """Fit the distribution of y given X, whose rows are read in batches.

        Parameters
        ----------
        X : Columns, as `table[["a", "b"]]`
            Inputs; texts and categories become indicators, dates are read off the calendar.
        y : Columns, as `table["y"]`, of the same table
            Targets. Estimators of a density do without.
        sample_weight : Columns, as `table["weight"]`, of the same table, optional
            Weights >= 0, in any unit. Rows of weight 0 are left out.
        memory : int or str, default '1 GiB'
            For rows at a time. A table that takes less than half of it as numbers is read once, another one for every
            pass; matrices of the fit come on top.
        sample : int, optional
            Fit to a random sample of so many rows, stratified by the first target, with a warning where there are more:
            for models whose fit is no sum over rows, and for what is asked beside a fit (`conformal`, ...).
        gather_rows : int, default 15000
            Tables of at most so many rows are read whole, and fitted as in memory.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError, KeyError
            For invalid arguments, data, or a model whose fit is no sum over rows. Batches are the partitions that
            messages name.
        """
        self._check_columns(X, y, sample_weight)
        is_density = "is_density" in self._info["capabilities"]  # type: ignore[attr-defined]
        if y is None and not is_density:
            raise ValueError("fit requires y to be passed, but the target y is None")
        if sample is None:
            _cluster.check_settings(self)
        targets = tuple(X.columns if y is None else y.columns)
        layout = Layout((), targets) if y is None else Layout(tuple(X.columns), targets, X.texts, X.dates)
        engine = DiskEngine([X, y, sample_weight], bytes_of(memory), threads_of(self.n_jobs))  # type: ignore[attr-defined]
        if sample is not None:
            rows = _cluster.sample_rows(self, engine, sample)
            return self._fit_to_sample(rows, y)
        _cluster.fit(
            self,
            engine,
            layout,
            names=X.columns,
            y_ndim=1 if y is not None and y.single else 2,
            gather_rows=gather_rows,
        )
        return self

    def _check_columns(self, X: Any, y: Any, sample_weight: Any) -> None:
        for name, columns in (("X", X), ("y", y), ("sample_weight", sample_weight)):
            if not isinstance(columns, Columns) and (name == "X" or columns is not None):
                raise TypeError(
                    f"{name} is a {type(columns).__name__}, expected columns of a condens.disk.Table, as table['y']; "
                    f"condens.{type(self).__name__} takes frames and arrays"
                )
            if columns is not None and columns.table is not X.table:
                raise ValueError(f"{name} is of another table than X, expected columns of one Table")
        if sample_weight is not None and len(sample_weight.columns) != 1:
            raise ValueError(
                f"sample_weight has {len(sample_weight.columns)} columns, expected one, as table['weight']"
            )

    def _rows_elsewhere(self, X: Any, y: Any, sample_weight: Any) -> DiskEngine | None:
        """For `condens.metrics`: columns of files; None for anything else."""
        if not isinstance(X, Columns):
            return None
        check_is_fitted(self)
        self._check_columns(X, y, sample_weight)
        if y is None:
            raise ValueError("y is None, expected the targets of the rows to score")
        return DiskEngine([X, y, sample_weight], bytes_of(_AT_ONCE), threads_of(self.n_jobs))  # type: ignore[attr-defined]

    def _fit_to_sample(self, rows: Sequence[Rows], y: Columns | None) -> Self:
        import pandas as pd

        x = pd.concat([part.x for part in rows], ignore_index=True)
        weighted = rows[0].weights is not None
        weights = pd.concat([part.weights for part in rows], ignore_index=True).iloc[:, 0] if weighted else None
        if y is None:
            return super().fit(x, sample_weight=weights)  # type: ignore[misc,no-any-return]
        targets = pd.concat([part.y for part in rows], ignore_index=True)
        return super().fit(x, targets.iloc[:, 0] if y.single else targets, weights)  # type: ignore[misc,no-any-return]


def make_estimator(cls: type[Any], module: str) -> type[Any]:
    """The estimator's class for columns of files."""
    text = (cls.__doc__ or "").replace("\n", "\n\nOn files: see `fit`, and docs/cluster.md.\n", 1)
    return type(cls.__name__, (OnDisk, cls), {"__doc__": text, "__module__": module})
