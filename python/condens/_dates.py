"""Dates of columns whose rows are elsewhere, as microseconds since 1970 on the wall's calendar.

They go to the core as texts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from condens._frames import _DATES

Floats = NDArray[np.float64]


def is_date_type(dtype: Any) -> bool:
    """Whether a column of this type holds dates, with or without a time."""
    return str(dtype).lower().startswith(_DATES)


def microseconds_of(column: Any) -> Floats:
    """Dates as numbers, which hold microseconds exactly for more than a century either way; NaN where missing."""
    values = column
    if getattr(getattr(column, "dt", None), "tz", None) is not None:
        values = column.dt.tz_localize(None)
    stamps = np.asarray(values).astype("datetime64[us]")
    return np.where(np.isnat(stamps), np.nan, stamps.astype(np.int64))


def texts_of(microseconds: Floats) -> list[str]:
    """As ISO 8601 writes them; "" for NaN."""
    gaps = np.isnan(microseconds)
    stamps = np.where(gaps, 0.0, microseconds).astype(np.int64).astype("datetime64[us]")
    texts = np.datetime_as_string(stamps).tolist()
    return ["" if gap else text for gap, text in zip(gaps, texts, strict=True)]
