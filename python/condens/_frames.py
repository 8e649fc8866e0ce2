"""Data frames of pandas and polars, read without importing either."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_frame(data: Any) -> bool:
    """Whether `data` has named columns."""
    return hasattr(data, "columns") and hasattr(data, "dtypes") and hasattr(data, "__getitem__")


def column_names(data: Any) -> list[str]:
    """Names of the columns of a frame, or the name of a series; empty where there are none."""
    if is_frame(data):
        names = list(data.columns)
    else:
        name = getattr(data, "name", None)
        names = [] if name is None or name == "" else [name]
    return names if all(isinstance(name, str) and name for name in names) else []


def _is_text(column: Any) -> bool:
    """Whether a column of a frame holds texts or categories."""
    dtype = column.dtype
    if hasattr(dtype, "categories"):  # pandas' CategoricalDtype, polars' Enum and Categorical
        return True
    name = str(dtype)
    if name in ("object", "O"):
        return any(isinstance(value, str) for value in column)
    return name.lower().startswith(("str", "string", "categorical", "enum", "utf8", "large_string"))


def has_categories(data: Any) -> bool:
    """Whether a frame has columns that are no numbers."""
    return is_frame(data) and any(_is_text(data[name]) for name in data.columns)


def _texts(column: Any) -> list[str]:
    return ["" if value is None or value != value else str(value) for value in column.to_list()]


def _numbers(column: Any, name: str) -> np.ndarray:
    try:
        if hasattr(column, "isna"):
            return np.ascontiguousarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
        return np.ascontiguousarray(column.to_numpy(), dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"column {name!r} has dtype {column.dtype}, expected numbers, texts or categories") from None


def read_columns(data: Any) -> tuple[dict[str, Any], list[str]]:
    """The columns as arrays of float64 or lists of texts, and the names of the latter."""
    if not all(isinstance(name, str) for name in data.columns):
        raise TypeError("categories need columns whose names are all texts")
    categorical = [name for name in data.columns if _is_text(data[name])]
    columns = {name: _texts(data[name]) if name in categorical else _numbers(data[name], name) for name in data.columns}
    return columns, categorical
