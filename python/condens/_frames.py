"""Data frames of pandas and polars, tables of pyarrow and xarray, read without importing any of them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condens import _core
from condens._arrays import as_float64

_TEXTS = ("str", "string", "utf8", "categorical", "enum")
_TEXT_PREFIXES = ("string[", "large_string", "categorical(", "enum(")
_DATES = ("date", "timestamp")  # datetime64[ns], Date, Datetime(...), timestamp[ns][pyarrow]
_TIMES = ("time", "duration", "period", "interval")  # timedelta64[ns], Duration(...), ...


def is_frame(data: Any) -> bool:
    """Whether `data` has named columns and rows to count."""
    return all(hasattr(type(data), name) for name in ("columns", "dtypes", "__getitem__", "__len__"))


def library_of(data: Any) -> str:
    """The package that the type of `data` is from."""
    return type(data).__module__.partition(".")[0]


def as_frame(data: Any, name: str = "X") -> Any:
    """Tables of pyarrow and labelled arrays of xarray as pandas has them; everything else is itself."""
    library = library_of(data)
    if library == "pyarrow" and hasattr(data, "to_pandas"):
        return data.to_pandas()
    if library != "xarray":
        return data
    if hasattr(data, "data_vars"):
        if len(data.dims) != 1:
            raise ValueError(
                f"{name} is a dataset with dimensions {', '.join(map(str, data.dims))}, expected one: that of the "
                "rows; make one of several by data.stack(row=[...])"
            )
        return data[list(data.data_vars)].reset_coords(drop=True).to_dataframe()
    if data.ndim not in (1, 2):
        raise ValueError(f"{name} has {data.ndim} dimensions, expected rows and columns; see DataArray.stack")
    return data.to_pandas()


def column_names(data: Any) -> list[str]:
    """Names of the columns of a frame, or the name of a series; empty where there are none."""
    if is_frame(data):
        names = list(data.columns)
    else:
        name = getattr(data, "name", None)
        names = [] if name is None or name == "" else [name]
    return names if all(isinstance(name, str) and name for name in names) else []


def names_of_targets(y: Any, targets: NDArray[np.float64], inputs: Iterable[str]) -> list[str]:
    """The names that y has, else "y" or "y1", "y2", ..., or what the inputs leave free."""
    taken = set(inputs)
    names = column_names(y)
    if taken & set(names):
        raise ValueError(f"columns {sorted(taken & set(names))} are inputs and targets, expected names that differ")
    stem, count = "y", targets.reshape(len(targets), -1).shape[1]
    while not names or taken & set(names):
        names = [stem] if count == 1 else [f"{stem}{i + 1}" for i in range(count)]
        stem = "target" if stem == "y" else stem + "_"
    return names


def check_inputs(data: Any) -> None:
    """Refuses durations and arrays of dates, which numpy would take for numbers, and columns of one name."""
    advice = "make numbers of them first, such as the days since some date"
    if not is_frame(data):
        dtype = getattr(data, "dtype", None)
        if isinstance(dtype, np.dtype) and dtype.kind in "mM":
            raise TypeError(f"X has dtype {dtype}, expected real numbers; {advice}")
        return
    names = list(data.columns)
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"X has several columns named {twice!r}, expected names that differ")
    for name in names:
        if str(data[name].dtype).lower().startswith(_TIMES) and not _is_date(data[name]):
            raise TypeError(
                f"column {name!r} has dtype {data[name].dtype}, expected numbers, texts, categories or dates; {advice}"
            )


def _is_date(column: Any) -> bool:
    """Whether a column of a frame holds dates, with or without a time."""
    name = str(column.dtype).lower()
    if name in ("object", "o"):
        there = [value for value in column if isinstance(value, date)]
        return bool(there)
    return name.startswith(_DATES)


def _is_text(column: Any) -> bool:
    """Whether a column of a frame holds texts or categories."""
    dtype = column.dtype
    if hasattr(dtype, "categories"):  # pandas' CategoricalDtype, polars' Enum and Categorical
        return True
    name = str(dtype).lower()
    if name in ("object", "o"):
        return any(isinstance(value, str) for value in column)
    return name in _TEXTS or name.startswith(_TEXT_PREFIXES)


def has_categories(data: Any) -> bool:
    """Whether a frame has columns that are no numbers."""
    return is_frame(data) and any(_is_text(data[name]) or _is_date(data[name]) for name in data.columns)


def _texts(column: Any, name: str, keep_missing: bool) -> list[str]:
    missing = np.asarray(column.isna() if hasattr(column, "isna") else column.is_null(), dtype=bool)
    values = column.to_list()
    if _is_date(column):  # without the zone: the calendar is the one on the wall
        texts = [value.isoformat()[:26].split("+")[0] if isinstance(value, date) else str(value) for value in values]
    else:
        texts = [str(value) for value in values]
    missing = missing | np.array([text == "" for text in texts], dtype=bool)
    if not keep_missing:
        _refuse_missing(missing, name)
    return ["" if gap else text for gap, text in zip(missing, texts, strict=True)]


def _numbers(column: Any, name: str, keep_missing: bool) -> NDArray[np.float64]:
    try:
        # Only numbers of pandas' own types have marks of what is missing that are no NaN.
        dtype = column.dtype
        marked = hasattr(column, "isna") and not isinstance(dtype, np.dtype) and dtype.kind in "biuf"
        raw = column.to_numpy(dtype=np.float64, na_value=np.nan) if marked else column.to_numpy()
        values = np.ascontiguousarray(as_float64(raw, name))
    except (TypeError, ValueError):
        raise TypeError(f"column {name!r} has dtype {column.dtype}, expected numbers, texts or categories") from None
    if not keep_missing:
        _refuse_missing(np.isnan(values), name)
    return values


def _refuse_missing(missing: NDArray[np.bool_], name: str) -> None:
    if missing.any():
        raise ValueError(
            f"column {name!r} has {missing.sum()} missing value(s) (NaN, empty text), the first in row "
            f"{missing.argmax() + 1}, counting from 1; fill them in, leave such rows out, or keep them by "
            "missing='model' or missing='indicator'"
        )


def read_columns(data: Any, keep_missing: bool = False) -> tuple[dict[str, Any], list[str]]:
    """The columns as arrays of float64 or lists of texts, and the names of the latter; x1, x2, ... of arrays."""
    if not is_frame(data):
        rows = as_float64(data, "X")
        if rows.ndim != 2:
            raise ValueError(f"X has {rows.ndim} dimensions, expected 2: rows and columns")
        return {f"x{i + 1}": np.ascontiguousarray(column) for i, column in enumerate(rows.T)}, []
    if not all(isinstance(name, str) for name in data.columns):
        raise TypeError("categories need columns whose names are all texts")
    categorical = [name for name in data.columns if _is_text(data[name])]
    texts = {name for name in data.columns if name in categorical or _is_date(data[name])}
    columns = {name: (_texts if name in texts else _numbers)(data[name], name, keep_missing) for name in data.columns}
    return columns, categorical


def names_of_features(model: _core.Model, is_density: bool) -> tuple[list[str], bool]:
    """Names of the columns of X in a fit, and whether X had names."""
    names = model.encoder.input_names
    unnamed = [f"x{i + 1}" for i in range(len(names))]
    if is_density and not names:  # the columns of X were its targets
        names, unnamed = model.encoder.target_names, names_of_targets(None, np.empty((1, model.n_targets)), ())
    return names, bool(names) and names != unnamed
