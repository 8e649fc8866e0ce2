"""Targets that are known by their limits: from the arguments of `fit` and `score` to lower and upper ends."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length

from condens._arrays import as_float64

Floats = NDArray[np.float64]
Limits = tuple[Floats, Floats, Floats | None]

_EXACT = {"0", "no", "false", "exact"}
_RIGHT = {"1", "yes", "true", "right"}


def limits_of(y: ArrayLike, censored: Any = None, upper: Any = None, entry: Any = None) -> Limits | None:
    """Lower ends, upper ends and entries of one target, or None where all arguments are None."""
    if censored is None and upper is None and entry is None:
        return None
    if censored is not None and upper is not None:
        raise ValueError("censored and upper both say how y is known, expected one of them")
    low = as_float64(y, "y")
    if low.ndim != 1 and low.shape != (len(low), 1):
        raise ValueError(f"y has shape {low.shape}, expected one target: only one can be censored")
    low = low.reshape(-1).copy()
    high = low.copy()
    if censored is not None:
        for i, known in enumerate(_known(censored, low)):
            if known == "right":
                high[i] = np.inf
            elif known == "left":
                low[i] = -np.inf
    if upper is not None:
        high = _column(upper, "upper", low).copy()
        missing = np.isnan(low) & np.isnan(high)
        if missing.any():
            raise ValueError(f"row {missing.argmax() + 1} (counting from 1): y and upper are NaN, expected one of them")
        low[np.isnan(low)] = -np.inf
        high[np.isnan(high)] = np.inf
    late = None
    if entry is not None:
        late = _column(entry, "entry", low).copy()
        late[np.isnan(late)] = -np.inf
    return low, high, late


def required_limits(y: ArrayLike, censored: Any = None, upper: Any = None, entry: Any = None) -> Limits:
    """The same, where all values are exact unless something else is said."""
    if censored is None and upper is None:
        censored = np.zeros(np.shape(y))
    limits = limits_of(y, censored, upper, entry)
    assert limits is not None
    return limits


def known_values(y: Any, limits: Limits | None) -> Any:
    """y, with upper ends in the place of lower ends that are open."""
    if limits is None:
        return y
    low, high, _ = limits
    values = np.where(np.isneginf(low), high, low)
    given = as_float64(y, "y").reshape(-1)
    if np.array_equal(values, given):
        return y
    if hasattr(y, "name") and hasattr(y, "index"):  # a series of pandas keeps its name
        return type(y)(values, index=y.index, name=y.name)
    return values


def _column(values: Any, name: str, like: Floats) -> Floats:
    column = as_float64(values, name).reshape(-1)
    check_consistent_length(like, column)
    return column


def _known(censored: Any, like: Floats) -> list[str]:
    flags = np.asarray(censored).reshape(-1)
    check_consistent_length(like, flags)
    known = []
    for i, flag in enumerate(flags):
        word = str(flag).lower()
        word = word.removesuffix(".0")
        if word not in _EXACT | _RIGHT | {"left"}:
            raise ValueError(
                f"censored: row {i + 1} (counting from 1) is {flag!r}, "
                'expected 0, False or "exact"; 1, True or "right"; or "left"'
            )
        known.append("exact" if word in _EXACT else "right" if word in _RIGHT else "left")
    return known
