"""Points of the data behind curves: fewer, fainter and smaller the more rows there are, so that they bury nothing.

The rules and constants are those of the command's pictures (plot/points.hpp, plot/moving.cpp).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condens.plot._style import POINTS, merged

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

MOST_POINTS = 1500  # more are thinned evenly, and the caption says so
FAINT_FROM = 300  # points: above, the ink grows with the root of their number
SMALL_FROM = 500  # points: above, they shrink, and have no white edge
STRONGEST = 0.8  # opacity of a point among few
WEAKEST_CLOSENESS = 0.05  # rows farther from a section than this are left out
BELOW_LINES = 1.5  # zorder: over images and bands, below curves


@dataclass(frozen=True)
class PointRows:
    """The rows that are drawn, and how near each is to the section, from 0 to 1."""

    rows: NDArray[np.intp]
    closeness: Floats
    of: int  # rows there were

    def remark(self, beyond: int = 0) -> str:
        """How many rows are drawn, and how many of all lie beyond the axis; empty where all can be seen."""
        drawn = "" if len(self.rows) == self.of else f"{len(self.rows):,} of {self.of:,} rows drawn"
        outside = f"{beyond:,} beyond the axis" if beyond else ""
        if outside and not drawn:
            outside = f"{beyond:,} {'row' if beyond == 1 else 'rows'} beyond the axis"
        return ", ".join(part for part in (drawn, outside) if part) + ("." if drawn or outside else "")


def point_rows(n: int, closeness: Floats | None, most: int) -> PointRows:
    """At most `most` rows, evenly spaced among those near enough; without closeness all rows are near."""
    if most < 1:
        raise ValueError(f"max_points = {most}, expected at least 1; points=False draws none")
    near = np.arange(n) if closeness is None else np.flatnonzero(closeness >= WEAKEST_CLOSENESS)
    shown = min(len(near), int(most))
    rows = near[np.arange(shown) * len(near) // max(shown, 1)]
    return PointRows(rows, np.ones(shown) if closeness is None else closeness[rows], n)


def opacity_of(count: float) -> float:
    """Of each of so many points."""
    return float(STRONGEST * np.sqrt(min(1.0, FAINT_FROM / max(count, 1.0))))


def size_of(count: float) -> float:
    """The area of each of so many points, as `Axes.scatter` takes it."""
    return float(12.0 * np.sqrt(min(1.0, SMALL_FROM / max(count, 1.0))))


def draw_points(
    ax: Axes, x: Floats, y: Floats, shown: PointRows, points: bool | Mapping[str, Any], **defaults: Any
) -> Any:
    """The rows chosen, the nearest on top; a dict of the caller has keywords of `Axes.scatter`."""
    order = np.argsort(shown.closeness, kind="stable")
    rows = shown.rows[order]
    count = float(shown.closeness.sum())
    edge = {"edgecolors": "white", "linewidths": 0.4 if count <= SMALL_FROM else 0.0}
    style = merged(
        points,
        **{"s": size_of(count), "color": POINTS, "zorder": BELOW_LINES, "label": "data", **edge, **defaults},
    )
    # Colours and sizes that the caller gave one a row.
    per_row = {"c", "s", "alpha", "color", "facecolors", "edgecolors", "linewidths"}
    style = {k: np.asarray(v)[rows] if k in per_row and np.shape(v)[:1] == (shown.of,) else v for k, v in style.items()}
    if "c" in style:
        style.pop("color", None)
    strength = opacity_of(count) * shown.closeness[order]
    if "alpha" not in style and "color" in style:
        style["facecolors"] = _faded(style.pop("color"), strength)
        style["edgecolors"] = _faded(style["edgecolors"], strength)
    return ax.scatter(x[rows], y[rows], **style)


def _faded(color: Any, strength: Floats) -> Floats:
    """A colour for each point."""
    from matplotlib.colors import to_rgba_array

    out = np.array(np.broadcast_to(to_rgba_array(color), (len(strength), 4)))
    out[:, 3] *= strength
    return out
