"""Pictures over one input: the density, central intervals, highest density regions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condens.plot._inputs import Predicted, Sweep, outside_remark, predicted, sweep_of, target_axis, target_of
from condens.plot._points import MOST_POINTS, PointRows, draw_points, point_rows
from condens.plot._style import (
    ACCENT,
    axes_of,
    color_bar,
    density_colors,
    legend_above,
    merged,
    percent,
    shades,
    shares_in,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
_TAIL = 0.005  # of the distributions, which the axis of y may leave out at either side


def density_map(
    model: Any,
    X: Any,
    y: ArrayLike | None = None,
    *,
    feature: int | str = 0,
    target: int | str = 0,
    at: Mapping[int | str, Any] | None = None,
    grid: int | ArrayLike = 200,
    y_grid: int | ArrayLike = 300,
    points: bool | Mapping[str, Any] = True,
    max_points: int = MOST_POINTS,
    mean: bool | Mapping[str, Any] = False,
    colorbar: bool = True,
    ax: Axes | None = None,
    **kwargs: Any,
) -> Axes:
    """The conditional density p(y | x) as an image over one input.

    Colour is the square root of the density up to its 99.5 % quantile over the picture, so that narrow and
    broad distributions can both be read; white is no density. `norm`, `vmin`, `vmax` and `cmap` change that.

    Parameters
    ----------
    model : estimator
        A fitted estimator of condens, or a pipeline or search that ends in one.
    X : array or data frame of shape (n, d)
        Inputs, as the model takes them. They give the range of the axis and the typical values.
    y : array, series or frame of shape (n,) or (n, d_y), optional
        Targets, drawn as points below the curves, fainter and smaller the more there are. Where other inputs are
        held fixed, a row is paler the farther its own are from these values, and left out where they are far.
    feature : int or str, default 0
        The input along the axis, by place or name. A categorical one, or one of at most five values, shows a column
        for each.
    target : int or str, default 0
        The target, by place or name; of several, its marginal distribution is drawn.
    at : dict, optional
        Values of other inputs by place or name. Those not given are held at their median, categories at the most
        frequent one. The caption gives the values.
    grid : int or rising array, default 200
        Number of values over the range of X (and 2 % beyond), or the values of `feature`.
    y_grid : int or rising array, default 300
        Number of values over the range of y and the distributions, or the values of y. The range does not go below zero
        where y does not; the caption says what lies outside.
    points, mean : bool or dict
        Whether points of (X, y) and the curve of the mean are drawn; a dict has keywords of their artist
        (`Axes.scatter`, `Axes.plot`).
    max_points : int, default 1500
        Rows drawn; more are thinned evenly, and the caption says so.
    colorbar : bool, default True
        Whether the figure gets a colour bar.
    ax : matplotlib Axes, optional
        Where to draw; None is a new figure.
    **kwargs
        Keywords of `Axes.pcolormesh`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError, TypeError
        For arguments or data that do not fit the model.
    ImportError
        Without matplotlib.
    """
    ax = axes_of(ax)
    from matplotlib.colors import PowerNorm

    sweep = sweep_of(model, X, feature, at, grid)
    found = predicted(model, sweep.rows, target, y)
    values = None if y is None else target_of(X, y, found)
    levels = _levels(found, values, y_grid)
    p = found.laws._heights(levels)

    keywords: dict[str, Any] = {"cmap": density_colors(), "rasterized": True, "shading": "flat", **kwargs}
    if "norm" not in keywords:
        low, high = keywords.pop("vmin", None), keywords.pop("vmax", None)
        high = (np.quantile(p, 0.995) or p.max()) if high is None else high
        keywords["norm"] = PowerNorm(0.5, vmin=0.0 if low is None else low, vmax=high)
    middles = (levels[1:] + levels[:-1]) / 2
    mesh = ax.pcolormesh(sweep.edges, np.concatenate([levels[:1], middles, levels[-1:]]), p.T, **keywords)
    if colorbar:
        color_bar(ax, mesh, f"density of {found.name}", p.max())
    if mean is not False:
        ax.plot(*sweep.outline(found.laws.mean()), **merged(mean, color=ACCENT, linewidth=1.6, label="mean"))
    shown = _draw_points(ax, sweep, values, points, max_points)
    ax.set_ylim(levels[0], levels[-1])
    _finish(ax, sweep, found, values, shown, beside_bar=colorbar)
    return ax


def interval_fan(
    model: Any,
    X: Any,
    y: ArrayLike | None = None,
    *,
    confidence: float | Sequence[float] = (0.5, 0.8, 0.95),
    feature: int | str = 0,
    target: int | str = 0,
    at: Mapping[int | str, Any] | None = None,
    grid: int | ArrayLike = 200,
    points: bool | Mapping[str, Any] = True,
    max_points: int = MOST_POINTS,
    median: bool | Mapping[str, Any] = True,
    ax: Axes | None = None,
    **kwargs: Any,
) -> Axes:
    """Nested central intervals and the median of y over one input.

    Parameters
    ----------
    model, X, y, feature, target, at, grid, points, max_points, ax
        As in `density_map`.
    confidence : float or list of float, in (0, 1), default (0.5, 0.8, 0.95)
        Probabilities of the intervals.
    median : bool or dict, default True
        Whether the curve of the median is drawn; a dict has keywords of `Axes.plot`.
    **kwargs
        Keywords of `Axes.fill_between`.

    Returns
    -------
    matplotlib Axes
    """
    masses = shares_in(confidence, "confidence")
    drawn = ax is not None and ax.has_data()
    ax = axes_of(ax)
    sweep = sweep_of(model, X, feature, at, grid)
    found = predicted(model, sweep.rows, target, y)
    values = None if y is None else target_of(X, y, found)
    for mass, color in zip(masses, shades(len(masses)), strict=True):
        low, high = found.laws.interval(mass)
        x, low = sweep.outline(low)
        _, high = sweep.outline(high)
        ax.fill_between(x, low, high, **{"color": color, "linewidth": 0, "label": f"central {percent(mass)}", **kwargs})
    if median is not False:
        x, middle = sweep.outline(found.laws.median())
        ax.plot(x, middle, **merged(median, color=ACCENT, linewidth=1.6, label="median"))
    shown = _draw_points(ax, sweep, values, points, max_points)
    _cover(ax, drawn, found, values)
    _finish(ax, sweep, found, values, shown)
    return ax


def hdr_bands(
    model: Any,
    X: Any,
    y: ArrayLike | None = None,
    *,
    mass: float | Sequence[float] = (0.5, 0.9),
    feature: int | str = 0,
    target: int | str = 0,
    at: Mapping[int | str, Any] | None = None,
    grid: int | ArrayLike = 200,
    points: bool | Mapping[str, Any] = True,
    max_points: int = MOST_POINTS,
    ax: Axes | None = None,
    **kwargs: Any,
) -> Axes:
    """Highest density regions of y over one input: two branches show as two bands.

    The region of every x is a union of intervals, each drawn as a bar as wide as the step of x. Costs about a
    millisecond for every x and mass.

    Parameters
    ----------
    model, X, y, feature, target, at, grid, points, max_points, ax
        As in `density_map`.
    mass : float or list of float, in (0, 1), default (0.5, 0.9)
        Probabilities of the regions.
    **kwargs
        Keywords of `matplotlib.collections.PolyCollection`.

    Returns
    -------
    matplotlib Axes
    """
    masses = shares_in(mass, "mass")
    drawn = ax is not None and ax.has_data()
    ax = axes_of(ax)
    from matplotlib.collections import PolyCollection

    sweep = sweep_of(model, X, feature, at, grid)
    found = predicted(model, sweep.rows, target, y)
    values = None if y is None else target_of(X, y, found)
    left, right = sweep.edges[:-1], sweep.edges[1:]
    if sweep.levels:
        left, right = sweep.positions - 0.38, sweep.positions + 0.38
    for share, color in zip(masses, shades(len(masses)), strict=True):
        bars = [
            [(x0, low), (x1, low), (x1, high), (x0, high)]
            for x0, x1, region in zip(left, right, found.laws.hdr(share), strict=True)
            for low, high in region
        ]
        # The thin edge closes the seams between neighbours.
        style = {"facecolor": color, "edgecolor": color, "linewidth": 0.3, "label": f"highest density {percent(share)}"}
        ax.add_collection(PolyCollection(bars, **{**style, **kwargs}))
    ax.autoscale_view()
    shown = _draw_points(ax, sweep, values, points, max_points)
    _cover(ax, drawn, found, values)
    _finish(ax, sweep, found, values, shown)
    return ax


def _levels(found: Predicted, values: Floats | None, y_grid: int | ArrayLike) -> Floats:
    """Values of y: the grid given, or over the axis of the data and the distributions."""
    if not isinstance(y_grid, (int, np.integer)):
        levels = np.asarray(y_grid, dtype=np.float64)
        if levels.ndim != 1 or len(levels) < 2 or not (np.diff(levels) > 0).all():
            raise ValueError("y_grid must be a number of values, or at least 2 rising values of y")
        return levels
    if y_grid < 2:
        raise ValueError(f"y_grid = {y_grid}, expected at least 2")
    return np.linspace(*target_axis(found.laws, values, _TAIL), int(y_grid))


def _cover(ax: Axes, drawn: bool, found: Predicted, values: Floats | None) -> None:
    """An axis of y for the data and the distributions, and for what was drawn before."""
    before = ax.get_ylim()
    low, high = target_axis(found.laws, values, _TAIL)
    ax.set_ylim(*((min(low, before[0]), max(high, before[1])) if drawn else (low, high)))


def _draw_points(
    ax: Axes, sweep: Sweep, values: Floats | None, points: bool | Mapping[str, Any], max_points: int
) -> PointRows | None:
    if values is None or points is False:
        return None
    shown = point_rows(len(values), sweep.closeness, max_points)
    draw_points(ax, sweep.data, values, shown, points)
    return shown


def _finish(
    ax: Axes, sweep: Sweep, found: Predicted, values: Floats | None, shown: PointRows | None, beside_bar: bool = False
) -> None:
    ax.set_ylabel(found.name)
    lines = legend_above(ax, beside_bar=beside_bar)
    low, high = ax.get_ylim()
    remarks = [outside_remark(found.laws, (low, high))]
    if shown is not None and values is not None:
        remarks.append(shown.remark(int(((values < low) | (values > high)).sum())))
    sweep.finish(ax, remarks, with_points=shown is not None, legend_lines=lines)
