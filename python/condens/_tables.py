"""Tables that go out: columns as a frame of pandas or polars, a table of pyarrow or a dataset of xarray."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condens._frames import library_of

_KINDS = ("pandas", "polars", "pyarrow", "xarray")


def table_like(X: Any, columns: Mapping[str, NDArray[np.float64]], kind: str | None) -> Any:
    """Columns as a table of a kind, by default that of X, with the labels of the rows of X where both have these."""
    own = library_of(X)
    if kind is None:
        kind = own if own in _KINDS else "pandas"
    if kind not in _KINDS:
        raise ValueError(f"kind = {kind!r}, expected one of {', '.join(map(repr, _KINDS))}, or None: that of X")
    try:
        library = importlib.import_module(kind)
    except ModuleNotFoundError as error:
        raise ImportError(
            f"a table of kind {kind!r} needs the package {kind}: pip install {kind}", name=kind
        ) from error
    values = {name: np.asarray(column) for name, column in columns.items()}
    if kind == "pandas":
        return library.DataFrame(values, index=X.index if own == "pandas" else None)
    if kind == "polars":
        return library.DataFrame(values)
    if kind == "pyarrow":
        return library.table(values)
    row, labels = ("row", {}) if own != "xarray" else (next(iter(X.dims)), X.coords)
    if own == "pandas":
        several = X.index.nlevels > 1
        labels = library.Coordinates.from_pandas_multiindex(X.index, row) if several else {row: X.index}
    elif own == "xarray":  # those of the rows, not the names of its columns
        labels = X.drop_vars([name for name, label in X.coords.items() if not set(label.dims) <= {row}]).coords
    return library.Dataset({name: (row, column) for name, column in values.items()}, coords=labels)
