"""The few directions that a model found: the data over them, and what each number of directions scored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condens.distributions import GaussianMixtures
from condens.metrics import _final
from condens.plot._inputs import predicted, target_of
from condens.plot._points import MOST_POINTS, draw_points, point_rows
from condens.plot._style import (
    ACCENT,
    BLUE,
    REFERENCE,
    axes_of,
    legend_above,
    percent,
    share_in,
    thin,
    wrapped,
)
from condens.plot.densities import density_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]


class _OfComponents:
    """The model of y given z, as the pictures over one input see a model."""

    def __init__(self, model: Any) -> None:
        self._model = model._model
        self._inner = model._model.inner
        self.n_jobs = model.n_jobs
        self.feature_names_in_ = [_label(model, k) for k in range(model.n_components_)]

    def predict_distribution(self, z: Floats) -> GaussianMixtures:
        rows = np.ascontiguousarray(z)
        return GaussianMixtures._of(self._inner.predict(rows, 0), (len(rows),), self.n_jobs)


def sufficient_summary(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    target: int | str = 0,
    confidence: float = 0.9,
    grid: int = 150,
    points: bool | Mapping[str, Any] = True,
    colorbar: bool = True,
    ax: Axes | None = None,
    **kwargs: Any,
) -> Axes:
    """The sufficient-summary plot (Cook 1998): what y does over the directions that the model found.

    With one direction z1 = W s(x), y against z1: the density of y given z1 as a map behind the points, with its
    mean and a central interval. With more, the rows over z1 and z2 in the colour of y, before the median of y that
    the model gives there, in the same colours but paler; other directions stay at their medians.

    Parameters
    ----------
    model : estimator
        A fitted estimator with `components_` (LSCE, LSMI, Sliced), or a pipeline or search that ends in one.
    X : array or data frame of shape (n, d)
        Inputs, as the model takes them.
    y : array, series or frame of shape (n,) or (n, d_y)
        Targets.
    target : int or str, default 0
        The target, by place or name; of several, its marginal distribution is drawn.
    confidence : float, default 0.9
        Probability of the central interval, with one direction.
    grid : int, default 150
        Number of values along each axis.
    points : bool or dict
        Whether the rows are drawn, at most 1500 of them; a dict has keywords of `Axes.scatter`.
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
        For a model without directions, or data that do not fit it.
    """
    final, inputs = _reducing(model, X)
    level = share_in(confidence, "confidence")
    z = final.transform(inputs)
    inner = _OfComponents(final)
    if final.n_components_ > 1:
        return _over_two(inner, z, y, target, grid, points, colorbar, ax, kwargs)
    style = {"points": points, "mean": True, "colorbar": colorbar, **kwargs}
    ax = density_map(inner, z, y, target=target, grid=grid, ax=ax, **style)
    shown = ax.lines[-1].get_xdata()
    found = predicted(inner, np.asarray(shown)[:, None], target, y)
    for end, label in zip(found.laws.interval(level), (f"{percent(level)} interval", None), strict=True):
        ax.plot(shown, end, color=ACCENT, linewidth=1.1, linestyle="--", label=label)
    legend_above(ax, beside_bar=colorbar)
    return ax


def dimensions(model: Any, *, ax: Axes | None = None, **kwargs: Any) -> Axes:
    """The cross-validated score of every number of directions, with its standard error, and the one chosen.

    Parameters
    ----------
    model : estimator
        An estimator with `components_` that chose `n_components`, or a pipeline or search that ends in one.
    ax : matplotlib Axes, optional
        Where to draw; None is a new figure.
    **kwargs
        Keywords of `Axes.errorbar`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError, TypeError
        For a model without directions, or one that compared no numbers of them.
    """
    final = _reducing(model, None)[0]
    found = final.report_["details"].get("candidates", {})
    if "n_components" not in found:
        raise ValueError(f"{type(final).__name__} compared no numbers of components; give several, or None")
    score = np.where(found["score"] == np.finfo(float).max, np.nan, found["score"])
    ax = axes_of(ax)
    style = {"color": BLUE, "marker": "o", "markersize": 4, "linewidth": 1.6, "elinewidth": 1.0, **kwargs}
    ax.errorbar(found["n_components"], score, found["standard_error"], **style)
    chosen = final.n_components_
    ax.axvline(chosen, color=REFERENCE, linewidth=1.0, linestyle="--", label=f"chosen: {chosen}")
    ax.set_xticks(found["n_components"], [f"{count:g}" for count in found["n_components"]])
    ax.set_xlabel("number of components")
    ax.set_ylabel("cross-validated score (less is better)")
    legend_above(ax)
    return ax


def _over_two(
    inner: _OfComponents,
    z: Floats,
    y: ArrayLike,
    target: int | str,
    grid: int,
    points: bool | Mapping[str, Any],
    colorbar: bool,
    ax: Axes | None,
    kwargs: dict[str, Any],
) -> Axes:
    ax = axes_of(ax)
    sides = [np.linspace(*_widened(z[:, k]), grid) for k in range(2)]
    rows = np.tile(np.median(z, axis=0), (grid * grid, 1))
    rows[:, :2] = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
    found = predicted(inner, rows, target, y)
    values = target_of(z, y, found)
    low, high = np.quantile(values, [0.02, 0.98])
    style = {"vmin": low, "vmax": high, "cmap": "viridis"}
    median = found.laws.median().reshape(grid, grid)
    ax.pcolormesh(*sides, median, **{**style, "alpha": 0.4, "rasterized": True, "shading": "nearest", **kwargs})
    if points is not False:
        edge = {"s": 16, "alpha": 1.0, "edgecolors": "#1a1a1a", "linewidths": 0.4}
        some = point_rows(len(values), None, MOST_POINTS)
        dots = draw_points(ax, z[:, 0], z[:, 1], some, points, c=values, **edge, **style)
        if colorbar:
            bar = ax.figure.colorbar(dots, ax=ax, pad=0.02, extend="both")
            bar.set_label(f"{found.name} (behind: its median)", size=10)
            bar.outline.set_linewidth(0.6)
            bar.ax.tick_params(width=0.6, length=3, labelsize=9)
    ax.set_xlabel(inner.feature_names_in_[0])
    ax.set_ylabel(wrapped(inner.feature_names_in_[1], 36))
    return thin(ax)


def _widened(values: Floats) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = 0.04 * (high - low) or 0.5
    return low - margin, high + margin


def _reducing(model: Any, X: Any) -> tuple[Any, Any]:
    final, inputs = _final(model, X)
    if not hasattr(final, "components_"):
        raise TypeError(f"{type(final).__name__} has no components_, expected a fitted LSCE, LSMI or Sliced")
    if final.n_components_ == 0:
        raise ValueError(f"{type(final).__name__} found no direction, expected at least one")
    return final, inputs


def _label(model: Any, k: int, most: int = 3) -> str:
    """A component and its largest loadings: "z1 = 0.71 a - 0.70 b + ..."."""
    names = model._model.encoder.encoded_names
    loadings = model.components_[k]
    order = [j for j in np.argsort(-np.abs(loadings), kind="stable") if loadings[j] != 0]
    terms = [f"{'-' if loadings[j] < 0 else '+'} {abs(loadings[j]):.2g} {names[j]}" for j in order[:most]]
    text = " ".join(terms).removeprefix("+ ") + (" + ..." if len(order) > most else "")
    return f"z{k + 1} = {text}"
