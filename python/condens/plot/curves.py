"""Densities as curves over y."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condens._arrays import as_float64
from condens._distribution_array import DistributionArray
from condens.distributions import GaussianMixtures
from condens.metrics import _final
from condens.plot._inputs import columns_of, outside_remark, predicted, range_of_fit, value_text
from condens.plot._style import BEYOND, LEGEND_LINE, LINES, axes_of, caption_below, legend_above, pyplot, thin

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
_MOST = 20  # curves that a picture may have and still be read


def density(
    laws: GaussianMixtures,
    *,
    y_grid: ArrayLike | None = None,
    components: bool = False,
    labels: Sequence[str] | None = None,
    data_range: tuple[float, float] | None = None,
    name: str = "y",
    ax: Axes | None = None,
    **kwargs: Any,
) -> Axes:
    """Densities of distributions of one target as curves.

    Parameters
    ----------
    laws : GaussianMixtures or TargetDistributions of shape () or (n,), n <= 20
        One curve each. Of values that can be counted it is the probability over the length of their intervals; atoms
        are bars, with their probabilities written above.
    y_grid : rising array, optional
        Where to compute; by default equal steps of y and of probability over the central 99.8 % of every distribution,
        so that narrow peaks are not missed.
    components : bool, default False
        Whether the weighted components are drawn below, thin; those lower than a hundredth of the distribution's
        highest density, which could hardly be seen, are left out.
    labels : list of str, optional
        Names of the distributions for the legend.
    data_range : (float, float), optional
        The least and the largest y of the data. Beyond them the axes are grey, and where the least is not negative,
        no curve goes below zero.
    name : str, default "y"
        Label of the axis.
    ax : matplotlib Axes, optional
        Where to draw; None is a new figure.
    **kwargs
        Keywords of `Axes.plot`, for all curves.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        For distributions of several targets or too many of them, labels that are not one for each, or a grid that does
        not rise.
    """
    if not isinstance(laws, DistributionArray):
        raise TypeError(f"laws is a {type(laws).__name__}, expected GaussianMixtures; slices() draws those of a model")
    if components and not isinstance(laws, GaussianMixtures):
        raise ValueError(f"components = {components!r}, expected False: only Gaussian mixtures have components")
    if laws.n_targets != 1:
        raise ValueError(f"density: laws have {laws.n_targets} targets, expected one; take laws.marginal(j)")
    laws = laws.reshape(-1)
    if not 1 <= len(laws) <= _MOST:
        raise ValueError(f"density: {len(laws)} distributions, expected 1 to {_MOST}; choose some, such as laws[:5]")
    if labels is not None and len(labels) != len(laws):
        raise ValueError(f"labels has {len(labels)} names, expected {len(laws)}, one for each")
    grids = _grids(laws, y_grid, data_range)
    given = ax
    ax = axes_of(given)
    for i, (law, grid, color) in enumerate(zip(laws, grids, _colors(len(laws)), strict=True)):
        style = {"color": color, "linewidth": 1.8, **({} if labels is None else {"label": labels[i]}), **kwargs}
        heights = law._heights(grid)
        (line,) = ax.plot(grid, heights, **style)
        _draw_atoms(ax, law, float(heights.max()), i, line.get_color())
        line.sticky_edges.y.append(0.0)  # the axis begins there and still grows with what is drawn later
        ax.update_datalim([(grid[0], 0.0)])
        if components:
            _draw_components(ax, law, grid, line.get_color())
    if data_range is not None:
        _draw_beyond(ax, grids[0][[0, -1]], data_range)
    ax.margins(x=0)
    ax.set_xlabel(name)
    ax.set_ylabel("density")
    if labels is not None and not legend_above(ax) and given is None:
        # A figure made here, with its legend at the right.
        lines = len("\n".join(text.get_text() for text in cast(Any, ax.get_legend()).get_texts()).splitlines())
        ax.figure.set_size_inches(7.8, max(4.4, 0.8 + lines * LEGEND_LINE / 72))  # type: ignore[union-attr]
    return ax


def _draw_atoms(ax: Axes, law: DistributionArray, top: float, place: int, color: Any) -> None:
    """A bar at every atom, as high as the curve where the atom is certain."""
    for atom, share in zip(law.atoms, getattr(law, "atom_probabilities", ()), strict=True):
        offset = (3.5 * place, 0.0)
        ax.annotate(
            "", (atom, 0.0), (atom, top * share), arrowprops={"arrowstyle": "-", "color": color, "linewidth": 3}
        )
        text = f"{share:.2g}"
        ax.annotate(text, (atom, top * share), offset, textcoords="offset points", color=color, fontsize=8, va="bottom")
        ax.update_datalim([(atom, 0.0)])


def slices(
    model: Any,
    X: Any,
    *,
    target: int | str = 0,
    panels: bool = False,
    y_grid: ArrayLike | None = None,
    components: bool = False,
    ax: Axes | NDArray[Any] | None = None,
    **kwargs: Any,
) -> Axes | NDArray[Any]:
    """The density p(y | x) at every row of X as a curve, in one picture or one panel each.

    Parameters
    ----------
    model : estimator
        A fitted estimator of condens, or a pipeline or search that ends in one.
    X : array or data frame of shape (n, d), n <= 20
        The rows. The legend names those inputs in which they differ, the caption the others. Where y goes beyond the
        data of the fit, the axes are grey, and where these are not negative, no curve goes below zero.
    target : int or str, default 0
        The target, by place or name; of several, its marginal distribution is drawn.
    panels : bool, default False
        Whether every row gets its own axes, below each other, with common scales.
    y_grid, components
        As in `density`.
    ax : matplotlib Axes, or an array of n Axes for panels, optional
        Where to draw; None is a new figure.
    **kwargs
        Keywords of `Axes.plot`, for all curves.

    Returns
    -------
    matplotlib Axes, or an array of n Axes for panels
    """
    labels, common = _row_labels(X, model)
    if not 1 <= len(labels) <= _MOST:
        raise ValueError(f"X has {len(labels)} rows, expected 1 to {_MOST} curves; choose some, such as X[:5]")
    found = predicted(model, X, target)
    style: dict[str, Any] = {
        "components": components,
        "data_range": range_of_fit(_final(model, X)[0], found.place),
        **kwargs,
    }
    if not panels:
        if isinstance(ax, np.ndarray):
            raise TypeError("ax is an array, expected one Axes; panels=True draws into several")
        ax = density(found.laws, y_grid=y_grid, labels=labels, name=found.name, ax=ax, **style)
        caption_below(ax, [outside_remark(found.laws, ax.get_xlim())], "At ", common)
        return ax
    axes = _panel_axes(ax, len(labels))
    grids = _grids(found.laws, y_grid, style["data_range"])
    for law, grid, label, panel in zip(found.laws, grids, labels, axes, strict=True):
        density(law, y_grid=grid, name=found.name, ax=panel, **style)
        panel.set_title(label, fontsize=9, loc="left")
        panel.label_outer()
    top = max(panel.get_ylim()[1] for panel in axes)
    for panel in axes:
        panel.set_ylim(0, top)
    caption_below(axes[-1], [outside_remark(found.laws, axes[-1].get_xlim())], "At ", common)
    return axes


def _draw_beyond(ax: Axes, ends: Floats, data_range: tuple[float, float]) -> None:
    low, high = data_range
    if not low < high:
        raise ValueError(f"data_range = {data_range!r}, expected the least and a larger y")
    style: dict[str, Any] = {"color": BEYOND, "linewidth": 0, "zorder": 0}
    label: str | None = "beyond the data"
    for start, stop in ((ends[0], min(low, ends[1])), (max(high, ends[0]), ends[1])):
        if start < stop:
            ax.axvspan(start, stop, label=label, **style)
            label = None


def _grids(
    laws: GaussianMixtures, y_grid: ArrayLike | None, data_range: tuple[float, float] | None = None
) -> list[Floats]:
    """Values of y for every distribution, all with the same ends."""
    if y_grid is not None:
        grid = as_float64(y_grid, "y_grid")
        if grid.ndim != 1 or len(grid) < 2 or not (np.diff(grid) > 0).all():
            raise ValueError("y_grid must have at least 2 rising values of y")
        return [grid] * len(laws)
    quantiles = laws[:, None].ppf(np.linspace(0.001, 0.999, 401))
    if data_range is not None and data_range[0] >= 0 < quantiles.max():
        quantiles = np.maximum(quantiles, 0.0)
    even = np.linspace(quantiles.min(), quantiles.max(), 401)
    return [np.unique(np.concatenate([even, own])) for own in quantiles]


def _colors(count: int) -> list[Any]:
    if count <= len(LINES):
        return list(LINES[:count])
    from matplotlib import colormaps

    return list(colormaps["viridis"](np.linspace(0, 0.9, count)))


def _draw_components(ax: Axes, law: GaussianMixtures, grid: Floats, color: Any) -> None:
    from matplotlib.collections import LineCollection

    w, v, s = law.weights, law.means, law.scales
    peaks = w / (np.sqrt(2 * np.pi) * s)
    seen = peaks > 1e-2 * law.pdf(grid).max()
    curves = peaks[seen, None] * np.exp(-0.5 * ((grid - v[seen, None]) / s[seen, None]) ** 2)
    lines = [np.column_stack([grid, curve]) for curve in curves]
    ax.add_collection(LineCollection(lines, colors=[color], linewidths=0.7, alpha=0.55))


def _row_labels(X: Any, model: Any) -> tuple[list[str], list[str]]:
    """What differs between the rows, as texts, and what they have in common; of a single row everything."""
    columns = columns_of(X, model)
    values = [(c.name, c.numbers.tolist() if c.numbers is not None else c.texts or []) for c in columns]
    differing = [(name, column) for name, column in values if len(set(column)) > 1] or values
    labels = [", ".join(f"{name} = {value_text(column[i])}" for name, column in differing) for i in range(len(X))]
    told = {name for name, _ in differing}
    return labels, [f"{name} = {value_text(column[0])}" for name, column in values if name not in told]


def _panel_axes(ax: Axes | NDArray[Any] | None, count: int) -> NDArray[Any]:
    if ax is None:
        size = (5.6, 0.8 + 1.2 * count)
        _, axes = pyplot().subplots(count, 1, figsize=size, sharex=True, layout="constrained", squeeze=False)
        return np.array([thin(panel) for panel in axes[:, 0]], dtype=object)
    axes = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
    if len(axes) != count:
        raise ValueError(f"ax has {len(axes)} axes, expected {count}, one per row of X")
    return axes
