"""Rows, columns and numbers of distributions, as `condens.inspection` asks for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condens._arrays import as_float64
from condens._frames import is_frame
from condens.metrics import laws_of

Floats = NDArray[np.float64]
Of = str | float | Callable[[Any], Floats]

_ROWS_AT_ONCE = 20_000  # predictions that are in memory together

# --- rows and columns of arrays and frames --------------------------------------------------------


def names_of(X: Any) -> list[str]:
    return [str(name) for name in X.columns] if is_frame(X) else [f"x{i + 1}" for i in range(np.shape(X)[1])]


def feature_of(X: Any, feature: int | str) -> tuple[int, str]:
    names = names_of(X)
    if isinstance(feature, str):
        if feature not in names:
            raise ValueError(f"feature = {feature!r}, expected one of {', '.join(names)}")
        return names.index(feature), feature
    if not 0 <= feature < len(names):
        raise ValueError(f"feature = {feature}, expected an index in [0, {len(names)})")
    return int(feature), names[feature]


def column_of(X: Any, place: int) -> NDArray[Any]:
    if is_frame(X):
        return np.asarray(X[list(X.columns)[place]].to_numpy())
    return np.asarray(X)[:, place]


def with_column(X: Any, place: int, column: NDArray[Any]) -> Any:
    """A copy with another column."""
    if not is_frame(X):
        out = np.array(X, dtype=np.float64)
        out[:, place] = column
        return out
    name = list(X.columns)[place]
    if hasattr(X, "with_columns"):  # polars
        import polars

        return X.with_columns(polars.Series(name, column))
    return X.assign(**{name: type(X[name])(column, index=X.index, dtype=X[name].dtype)})


def take(X: Any, rows: NDArray[np.intp]) -> Any:
    if not is_frame(X):
        return np.asarray(X)[rows]
    return X[rows] if hasattr(X, "with_columns") else X.iloc[rows].reset_index(drop=True)


def grid_of(column: NDArray[Any], grid: int | ArrayLike) -> NDArray[Any]:
    if column.dtype.kind not in "biuf":
        return np.unique(column.astype(str)) if isinstance(grid, (int, np.integer)) else np.asarray(grid)
    if not isinstance(grid, (int, np.integer)):
        return np.asarray(as_float64(grid, "grid")).reshape(-1)
    if grid < 2:
        raise ValueError(f"grid = {grid}, expected at least 2 values")
    return quantiles_of(column.astype(np.float64), int(grid))


def quantiles_of(numbers: Floats, count: int) -> Floats:
    """At most `count` of the numbers at evenly spaced ranks, from the least to the largest."""
    ranks = -(-np.arange(count) * len(numbers) // (count - 1))  # rounded up, counting from 1
    return np.unique(np.sort(numbers)[np.maximum(ranks - 1, 0)])


# --- what of the distributions --------------------------------------------------------------------


def name_of(of: Of) -> str:
    if isinstance(of, str):
        return of
    return f"{100 * of:g} % quantile" if isinstance(of, (int, float)) else getattr(of, "__name__", "function")


def numbers_of(model: Any, X: Any, of: Of) -> Floats:
    """A number for every row."""
    n = len(X)
    parts = [take(X, np.arange(start, min(n, start + _ROWS_AT_ONCE))) for start in range(0, n, _ROWS_AT_ONCE)]
    return np.concatenate([value_of(laws_of(model, part), of) for part in parts])


def value_of(laws: Any, of: Of) -> Floats:
    if laws.n_targets != 1:
        raise ValueError(f"the model has {laws.n_targets} targets, expected one")
    if callable(of):
        out = np.asarray(of(laws), dtype=np.float64)
        if out.shape != laws.shape:
            raise ValueError(f"of gives an array of shape {out.shape}, expected a number for each of {laws.shape}")
        return out
    if isinstance(of, str):
        if of not in ("mean", "std", "median"):
            raise ValueError(f"of = {of!r}, expected 'mean', 'std', 'median', a probability or a function")
        return np.asarray(getattr(laws, of)())
    if not 0 < of < 1:
        raise ValueError(f"of = {of}, expected a probability in (0, 1)")
    return np.asarray(laws.ppf(float(of)))


def score_of(model: Any, X: Any, y: Floats, scoring: str) -> float:
    laws = laws_of(model, X)
    if laws.n_targets != 1:
        raise ValueError(f"the model has {laws.n_targets} targets, expected one")
    return float(np.mean(-laws.logpdf(y) if scoring == "nll" else laws.crps(y)))


def distance_to(one: Any, kind: str) -> Callable[[Any], Floats]:
    """Distances of distributions to one, between the quantiles of both: of counts these hold every jump."""
    logits = np.linspace(-1, 1, 101) * np.log(1e7 - 1)
    levels = 1 / (1 + np.exp(-logits))
    nodes, weights = np.polynomial.legendre.leggauss(3)
    ends_of_one = one[:, None].ppf(levels)

    def distance(laws: Any) -> Floats:
        ends = np.concatenate([laws[:, None].ppf(levels), np.repeat(ends_of_one, len(laws), axis=0)], axis=1)
        ends.sort(axis=1)
        half = np.diff(ends, axis=1)[:, :, None] / 2
        points = (ends[:, :-1, None] + half * (1 + nodes)).reshape(len(laws), -1)
        gap = laws[:, None].cdf(points) - one[:, None].cdf(points.reshape(1, -1)).reshape(points.shape)
        if kind == "kolmogorov":
            return np.asarray(np.abs(gap).max(axis=1))
        return np.asarray((gap**2 * (half * weights).reshape(points.shape)).sum(axis=1))

    return distance
