"""Distributions that are not predicted yet, one task for each partition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import dask
from dask.delayed import Delayed, delayed

from condens import _core
from condens.target_distributions import distributions_of


class LazyDistributions:
    """The distribution of y given each row of a dask collection, in partitions that nothing has computed yet.

    `compute()` gives all of them as one array of distributions; `map(function)` asks each partition on its worker and
    sends back no more than the answers, as `map(lambda dist: dist.ppf(0.99)).compute()`; `to_delayed()` are the
    partitions, for `dask.compute`.
    """

    def __init__(self, parts: Sequence[Delayed], n_jobs: int | None = None) -> None:
        self._parts = list(parts)
        self._n_jobs = n_jobs

    @property
    def npartitions(self) -> int:
        """Number of partitions."""
        return len(self._parts)

    def to_delayed(self) -> list[Delayed]:
        """A delayed array of distributions for each partition; None of one without rows."""
        return list(self._parts)

    def __iter__(self) -> Iterator[Delayed]:
        return iter(self._parts)

    def compute(self, **options: Any) -> Any:
        """All distributions, in the order of the rows. Options are those of `dask.compute`."""
        parts = [part for part in dask.compute(*self._parts, **options) if part is not None]
        laws = [part._laws for part in parts]
        kind = type(laws[0]) if laws else _core.Laws
        if kind is not _core.Laws and len(laws) > 1:
            raise TypeError(
                "distributions of a target_kind stay in partitions; use map, or to_delayed and dask.compute"
            )
        whole = laws[0] if len(laws) == 1 else _core.Laws.concatenate(laws)
        return distributions_of(whole, (sum(map(len, laws)),), self._n_jobs)

    def map(self, function: Callable[[Any], Any]) -> LazyAnswers:
        """What a function says of the distributions of each partition, one number or row of numbers for each."""
        return LazyAnswers([delayed(_answer)(function, part) for part in self._parts])

    def __repr__(self) -> str:
        return f"<LazyDistributions: {self.npartitions} partitions; .compute(), .map(function), .to_delayed()>"


class LazyAnswers:
    """Arrays, one for each partition, that nothing has computed yet."""

    def __init__(self, parts: Sequence[Delayed]) -> None:
        self._parts = list(parts)

    def to_delayed(self) -> list[Delayed]:
        """A delayed array for each partition; None of one without rows."""
        return list(self._parts)

    def compute(self, **options: Any) -> Any:
        """One array, in the order of the rows."""
        import numpy as np

        return np.concatenate([part for part in dask.compute(*self._parts, **options) if part is not None])


def _answer(function: Callable[[Any], Any], part: Any) -> Any:
    return None if part is None else function(part)
