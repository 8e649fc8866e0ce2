"""Joint distributions of several targets: two as an image, more as all pairs of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condens._arrays import as_targets
from condens._frames import column_names
from condens.distributions import GaussianMixtures
from condens.plot._inputs import target_axis
from condens.plot._points import MOST_POINTS, draw_points, point_rows
from condens.plot._style import (
    ACCENT,
    BLUE,
    axes_of,
    caption_below,
    color_bar,
    density_colors,
    legend_above,
    merged,
    percent,
    pyplot,
    shares_in,
    thin,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
_MOST = 8  # targets whose pairs fit into a figure
_TAIL = 0.002


def joint(
    law: GaussianMixtures | Any,
    Y: ArrayLike | None = None,
    *,
    mass: float | Sequence[float] = (0.5, 0.9),
    grid: int = 200,
    names: Sequence[str] | None = None,
    points: bool | Mapping[str, Any] = True,
    max_points: int = MOST_POINTS,
    means: bool | Mapping[str, Any] = False,
    colorbar: bool = True,
    ax: Axes | None = None,
    **kwargs: Any,
) -> Axes:
    """The joint density of two targets as an image, with the edges of its smallest regions.

    Parameters
    ----------
    law : GaussianMixtures of shape () and two targets, or an estimator
        One distribution, such as `laws[0]`, or an estimator that was fitted without a target, whose density is drawn.
    Y : array or data frame of shape (n, 2), optional
        Rows, drawn as points; they widen the axes, and a frame names them.
    mass : float or list of float, in (0, 1), default (0.5, 0.9)
        Probabilities of the regions {y: p(y) > t}, found on the grid.
    grid : int, default 200
        Number of values of each target.
    names : list of str, optional
        Labels of the axes.
    points, means : bool or dict
        Whether rows of Y and means of the components are drawn; a dict has keywords of `Axes.scatter`. The more rows
        there are, the fainter and smaller their points.
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
        For a distribution or rows without exactly two targets.
    """
    law, names, rows = _checked("joint", law, Y, names)
    if law.n_targets != 2:
        raise ValueError(f"joint: law has {law.n_targets} targets, expected 2; pairs() draws more, density() one")
    if grid < 2:
        raise ValueError(f"grid = {grid}, expected at least 2")
    ax = axes_of(ax)
    remarks: list[str] = []
    from matplotlib.colors import PowerNorm

    x, y = (np.linspace(*_range(law, rows, k), grid) for k in range(2))
    p = _density_on(law, x, y)
    norm = PowerNorm(0.5, vmin=0.0, vmax=np.quantile(p, 0.995) or p.max())
    style = {"cmap": density_colors(), "rasterized": True, "shading": "nearest", "norm": norm, **kwargs}
    mesh = ax.pcolormesh(x, y, p, **style)
    if colorbar:
        color_bar(ax, mesh, "density", p.max())
    for share, line in zip(shares_in(mass, "mass"), ("--", "-", ":", "-."), strict=False):
        ax.contour(x, y, p, levels=[_level(p, share)], colors=ACCENT, linewidths=1.3, linestyles=line)
        ax.plot([], [], color=ACCENT, linestyle=line, linewidth=1.3, label=f"{percent(share)} region")
    if rows is not None and points is not False:
        shown = point_rows(len(rows), None, max_points)
        draw_points(ax, rows[:, 0], rows[:, 1], shown, points)
        remarks = [shown.remark()]
    if means is not False:
        default = {"s": 24, "color": ACCENT, "edgecolors": "white", "linewidths": 0.8, "label": "means", "zorder": 3}
        ax.scatter(*law.means.reshape(-1, 2).T, **merged(means, **default))
    ax.set(xlabel=names[0], ylabel=names[1], xlim=x[[0, -1]], ylim=y[[0, -1]])
    caption_below(ax, remarks, legend_lines=legend_above(ax, beside_bar=colorbar))
    return ax


def pairs(
    law: GaussianMixtures | Any,
    Y: ArrayLike | None = None,
    *,
    mass: float | Sequence[float] = (0.5, 0.9),
    names: Sequence[str] | None = None,
    points: bool | Mapping[str, Any] = True,
) -> NDArray[Any]:
    """Every target by itself (diagonal) and every pair of them (below), over the data.

    Parameters
    ----------
    law, Y, mass, names, points
        As in `joint`, for 2 to 8 targets.

    Returns
    -------
    array of matplotlib Axes, of shape (d, d)
        Those above the diagonal are hidden.

    Raises
    ------
    ValueError, TypeError
        For a distribution of one target or more than 8, or rows that do not fit it.
    """
    law, names, rows = _checked("pairs", law, Y, names)
    d = law.n_targets
    if not 2 <= d <= _MOST:
        raise ValueError(f"pairs: law has {d} targets, expected 2 to {_MOST}; take law.marginal([0, 1, 2])")
    size = 1.2 + 1.7 * d
    _, axes = pyplot().subplots(d, d, figsize=(size, size), layout="constrained", squeeze=False)
    for i in range(d):
        for j in range(d):
            ax = axes[i, j]
            if j > i:
                ax.set_visible(False)
            elif j == i:
                _draw_alone(thin(ax), law.marginal(i), None if rows is None else rows[:, i], _range(law, rows, i))
            else:
                of_pair = None if rows is None else rows[:, [j, i]]
                switch = merged(points, s=4) if points is not False else False
                joint(law.marginal([j, i]), of_pair, mass=mass, grid=80, points=switch, colorbar=False, ax=thin(ax))
                ax.get_legend().remove()
                ax.set_xlim(_range(law, rows, j))
            ax.set(xlabel=names[j] if i == d - 1 else "", ylabel=names[i] if j == 0 and i > 0 else "")
            ax.tick_params(labelbottom=i == d - 1, labelleft=j == 0 and i > 0)
    return axes  # type: ignore[no-any-return]


def _draw_alone(ax: Axes, law: GaussianMixtures, values: Floats | None, ends: tuple[float, float]) -> None:
    y = np.linspace(*ends, 300)
    ax.plot(y, law.pdf(y), color=BLUE, linewidth=1.6)
    if values is not None:
        bars = int(np.clip(np.ceil(2 * np.cbrt(len(values))), 5, 60))  # Rice's rule
        ax.hist(values, bins=bars, density=True, color="#CFD8DC", edgecolor="white", linewidth=0.4, zorder=0)
    ax.set_xlim(ends)
    ax.set_yticks([])


def _checked(
    owner: str, law: Any, Y: Any, names: Sequence[str] | None
) -> tuple[GaussianMixtures, Sequence[str], Floats | None]:
    """One distribution, names of its targets, and its rows."""
    given = names
    if hasattr(law, "distribution_"):
        names = names or law._model.encoder.target_names
        law = law.distribution_
    if not isinstance(law, GaussianMixtures):
        raise TypeError(f"{owner}: law is a {type(law).__name__}, expected one distribution, or an estimator of one")
    if law.shape != ():
        raise ValueError(f"{owner}: law has shape {law.shape}, expected one distribution, such as law[0]")
    rows = None if Y is None else as_targets(Y)
    if rows is not None and (rows.ndim != 2 or rows.shape[1] != law.n_targets):
        raise ValueError(f"{owner}: Y has shape {rows.shape}, expected (n, {law.n_targets})")
    names = given or column_names(Y) or names or [f"y{k + 1}" for k in range(law.n_targets)]
    if len(names) != law.n_targets:
        raise ValueError(f"names has {len(names)} entries, expected {law.n_targets}")
    return law, names, rows


def _range(law: GaussianMixtures, rows: Floats | None, target: int) -> tuple[float, float]:
    """The range of one target over the distribution and every row."""
    if rows is None:
        return target_axis(law.marginal(target), None, _TAIL)
    values = rows[:, target]
    low, high = target_axis(law.marginal(target), values, _TAIL)
    margin = 0.02 * float(np.ptp(values))
    return min(low, float(values.min()) - margin), max(high, float(values.max()) + margin)


def _density_on(law: GaussianMixtures, x: Floats, y: Floats) -> Floats:
    """Rows are values of y."""
    grid = np.stack(np.meshgrid(x, y), axis=-1)
    return np.asarray(law.pdf(grid), dtype=np.float64)


def _level(p: Floats, mass: float) -> float:
    """The density above which the cells of the grid hold this share of all."""
    falling = np.sort(p, axis=None)[::-1]
    total = np.cumsum(falling)
    return float(falling[np.searchsorted(total, mass * total[-1])])
