"""Dates of columns whose rows are elsewhere, as microseconds since 1970 on the wall's calendar.

They are numbers, of which ends and medians are found as of others, and go to the core as texts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from condens._frames import _DATES

Floats = NDArray[np.float64]
Extremes = tuple[tuple[float, float], tuple[float, float]]  # (share of the circle, date): the smallest, the largest

_DAY = 86_400_000_000
_MONDAY = 4  # days from 1970-01-01 to the first one


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


def calendar_extremes(microseconds: Floats) -> dict[str, Extremes]:
    """Of each circle of the calendar two dates that differ on it where any two do."""
    dates = microseconds[~np.isnan(microseconds)]
    if not dates.size:
        return {}
    days = np.floor(dates / _DAY)
    stamps = days.astype(np.int64).astype("datetime64[D]")
    years = stamps.astype("datetime64[Y]")
    first, next_first = years.astype("datetime64[D]"), (years + 1).astype("datetime64[D]")
    shares = {
        "year": (stamps - first) / (next_first - first),
        "week": (days - _MONDAY) % 7,
        "day": dates - days * _DAY,
    }
    return {
        part: tuple((float(share[i]), float(dates[i])) for i in (share.argmin(), share.argmax()))  # type: ignore[misc]
        for part, share in shares.items()
    }
