"""Colours, spines and sizes of all pictures. Nothing here changes a setting of matplotlib."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from condens._arrays import as_share

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import LinearSegmentedColormap

# Lines that colour-blind readers can tell apart: Okabe and Ito (2008).
LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#4D4D4D")
BLUE, ACCENT, GREEN = LINES[:3]
POINTS = "#222222"
REFERENCE = "#777777"
BESIDE_SHARE = 0.1  # of the height of a figure: what legend and caption may take together
LEGEND_SIZE = 8.0  # points
LEGEND_LINE = 11.5
CAPTION_SIZE = 7.0
CAPTION_LINE = 8.4
_BESIDE_LETTERS = 28  # of a label to the right of the axes
BEYOND = "#F0F0F0"  # where y goes beyond the data
EXPECTED = "#DDDDDD"  # bands of what chance alone does

# White is no density, dark is much; lightness falls evenly (seaborn's mako, reversed, from white).
_DENSITY = (
    *("#FFFFFF", "#DEF5E5", "#A0DFB9", "#54C9AD", "#38AAAC", "#348AA6", "#366A9F", "#40498E", "#3B2F5E", "#28192F"),
)


def pyplot() -> Any:
    """matplotlib.pyplot, imported when something is drawn."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('condens.plot needs matplotlib: pip install "condens[plot]"') from error
    return plt


def axes_of(ax: Axes | None, *, square: bool = False) -> Axes:
    """The axes given, as they are, or those of a new figure, with thin spines."""
    if ax is not None:
        return ax
    _, out = pyplot().subplots(figsize=(4.2, 4.2) if square else (5.6, 4.4), layout="constrained")
    return thin(out)


def color_bar(ax: Axes, shown: Any, label: str, high: float) -> None:
    """A thin colour bar; an arrow where values above its end, up to `high`, are shown."""
    above = shown.norm.vmax is not None and high > shown.norm.vmax
    bar = ax.figure.colorbar(shown, ax=ax, extend="max" if above else "neither", pad=0.02)
    bar.set_label(label, size=10)
    bar.outline.set_linewidth(0.6)
    bar.ax.tick_params(width=0.6, length=3, labelsize=9)


def thin(ax: Axes) -> Axes:
    """Thin spines at the left and the bottom, readable numbers."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_linewidth(0.6)
    ax.tick_params(width=0.6, length=3, labelsize=9)
    ax.xaxis.label.set_fontsize(10)
    ax.yaxis.label.set_fontsize(10)
    return ax


def wrapped(text: str, width: int) -> str:
    """Lines of at most `width` letters that do not part a name from its value."""
    return textwrap.fill(text.replace(" = ", "\u00a0=\u00a0"), max(width, 20)).replace("\u00a0", " ")


def legend_above(ax: Axes, title: str = "", *, beside_bar: bool = False) -> int:
    """A legend that covers no data, in as many columns as fit; returns its number of lines.

    Where it would take more than a tenth of the height, it stands to the right, unless a colour bar does: 0 lines.
    """
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return 0
    style: dict[str, Any] = {
        "columnspacing": 1.2,
        "labelspacing": 0.2,
        "handlelength": 1.6,
        "frameon": False,
        "fontsize": LEGEND_SIZE,
        "alignment": "left",
        "title_fontsize": LEGEND_SIZE,
        "borderpad": 0.1,
    }
    # A legend wider than the axes would squeeze them, and a colour bar takes a sixth of the room.
    room = _letters(ax, LEGEND_SIZE) * (0.83 if beside_bar else 1.0)
    labels = [wrapped(label, int(room) - 5) for label in labels]
    widths = [max(map(len, label.splitlines())) + 5 for label in labels]
    columns = next((k for k in range(len(labels), 1, -1) if _row_width(widths, k) <= room), 1)
    lines: int = math.ceil(sum(label.count("\n") + 1 for label in labels) / columns)
    heading = wrapped(title, int(room)) or None
    most = BESIDE_SHARE * _height(ax) / LEGEND_LINE
    if lines > max(1.0, most) and not beside_bar and not title:
        labels = [wrapped(label, _BESIDE_LETTERS) for label in labels]
        place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "ncols": 1, "borderaxespad": 0.4}
        lines = 0
    else:
        place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": columns, "borderaxespad": 0.2}
    legend = ax.legend(handles, labels, title=heading, **style, **place)
    for handle in legend.legend_handles:
        _make_plain(handle)
    return lines


def _letters(ax: Axes, size: float) -> float:
    """How many letters of a size the axes have room for: constrained layout makes them wider than they begin."""
    width = float(ax.get_window_extent().width) / ax.figure.dpi * 72
    return width * (1.1 if ax.figure.get_layout_engine() is not None else 1.0) / (0.55 * size)


def _height(ax: Axes) -> float:
    """Of the figure, in points."""
    return float(ax.figure.bbox.height / ax.figure.dpi * 72)


def _make_plain(handle: Any) -> None:
    """Points may be faint and small in the picture, their mark in a legend is not."""
    from matplotlib.collections import PathCollection
    from matplotlib.colors import to_rgba

    if not isinstance(handle, PathCollection):
        return
    handle.set_sizes([max(16.0, *np.atleast_1d(handle.get_sizes())[:1])])
    if handle.get_alpha() is None:  # else the caller asked for it
        for part in ("facecolor", "edgecolor"):
            colors = np.atleast_2d(handle.get_facecolor() if part == "facecolor" else handle.get_edgecolor())
            if colors.size:
                handle.set(**{part: to_rgba(colors[-1], 1.0)})


def caption_below(
    ax: Axes, remarks: list[str], lead: str = "", items: list[str] | None = None, tail: str = "", legend_lines: int = 1
) -> str:
    """Small text below the label of x: remarks, and items as far as a tenth of the height holds them and the legend.

    The tail gives way to items.
    """
    items = items or []
    lines = max(1, int((BESIDE_SHARE * _height(ax) - LEGEND_LINE * legend_lines) / CAPTION_LINE))
    width = int(_letters(ax, CAPTION_SIZE))
    filled: list[str] = []
    for count, end in [(len(items), tail), *((k, "") for k in range(len(items), -1, -1))]:
        filled = wrapped(_caption(remarks, lead, items, count, end), width).splitlines()
        if len(filled) <= lines:
            break
    if not filled:
        return ""
    if len(filled) > lines:
        filled = [*filled[: lines - 1], filled[lines - 1][: width - 2] + " \u2026"]
    out = "\n".join(filled)
    # Hung below the label, so that it moves with it.
    ax.annotate(
        out,
        (0.5, 0.0),
        (0.0, -2.0),
        xycoords=ax.xaxis.label,
        textcoords="offset points",
        ha="center",
        va="top",
        fontsize=CAPTION_SIZE,
        color="#555555",
        gid="caption",
        annotation_clip=False,
    )
    return out


def _caption(remarks: list[str], lead: str, items: list[str], count: int, tail: str) -> str:
    parts = [remark for remark in remarks if remark]
    if items:
        rest = len(items) - count
        where = ", ".join(items[:count])
        if rest:
            where += (" and " if count else "") + f"{rest} {'more' if count else 'inputs'}"
        parts.append(f"{lead}{where}{'; ' + tail if tail else '.'}")
    return " ".join(parts)


def _row_width(widths: list[int], columns: int) -> int:
    """Letters of a row of the legend, which fills column by column."""
    return sum(max(part) for part in np.array_split(widths, columns))


def density_colors() -> LinearSegmentedColormap:
    """White (no density) to dark (most)."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("condens_density", list(_DENSITY))


def shades(count: int) -> list[tuple[float, ...]]:
    """Colours of nested bands, from the widest (light) to the narrowest."""
    colors = density_colors()
    return [tuple(colors(share)) for share in (np.linspace(0.14, 0.42, count) if count > 1 else [0.28])]


def merged(switch: bool | Mapping[str, Any], **defaults: Any) -> dict[str, Any]:
    """Keywords of one artist: the defaults, and those of the caller over them."""
    return {**defaults, **(switch if isinstance(switch, Mapping) else {})}


def percent(share: float) -> str:
    """0.955 as '95.5 %'."""
    return f"{100 * share:g} %"


def share_in(value: Any, name: str) -> float:
    """A number strictly between 0 and 1."""
    return as_share(value, name)


def shares_in(values: Any, name: str) -> list[float]:
    """Falling numbers strictly between 0 and 1: bands are drawn from the widest to the narrowest."""
    out = sorted({share_in(value, name) for value in np.atleast_1d(values)}, reverse=True)
    if not out:
        raise ValueError(f"{name} = {values!r}, expected at least one number in (0, 1)")
    return out
