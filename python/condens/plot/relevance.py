"""Which inputs matter: their importances, the path of a penalty, and what each of them contributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condens._arrays import as_float64
from condens.metrics import _final
from condens.plot._inputs import columns_of, place_of
from condens.plot._points import MOST_POINTS, draw_points, point_rows
from condens.plot._style import (
    ACCENT,
    BLUE,
    EXPECTED,
    LINES,
    REFERENCE,
    axes_of,
    color_bar,
    density_colors,
    legend_above,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]


def importances(model: Any, *, top: int = 20, ax: Axes | None = None, **kwargs: Any) -> Axes:
    """How much each input matters to the model, as bars; the largest at the top.

    Inputs that a selecting model left out are grey, and shares of half-samples (`stability_`), where the model
    has them, are points on the same axis from 0 to 1.

    Parameters
    ----------
    model : estimator
        A fitted estimator of condens with `feature_importances_`, or a pipeline or search that ends in one.
    top : int, default 20
        The most bars that are drawn.
    ax : matplotlib Axes, optional
        Where to draw; None is a new figure.
    **kwargs
        Keywords of `Axes.barh`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        For a model without importances of its inputs.
    """
    final = _final(model, None)[0]
    values = getattr(final, "feature_importances_", None)
    if values is None:
        raise ValueError(f"{type(final).__name__} has no feature_importances_, expected a fitted model that has")
    if top < 1:
        raise ValueError(f"top = {top}, expected at least 1")
    ax = axes_of(ax)
    names = _names(final)
    shown = np.argsort(-values, kind="stable")[:top]
    support = getattr(final, "support_", np.ones(len(values), dtype=bool))
    place = np.arange(len(shown))
    style = {"color": [BLUE if support[j] else EXPECTED for j in shown], "height": 0.7, **kwargs}
    ax.barh(place, values[shown], **style)
    stability = getattr(final, "stability_", np.empty(0))
    if len(stability):
        ax.plot(stability[shown], place, "o", color=ACCENT, markersize=5, label="share of half-samples")
        ax.set_xlim(0, 1.02)
        legend_above(ax)
    ax.set_yticks(place, [names[j] for j in shown])
    ax.invert_yaxis()
    left_out = len(values) - len(shown)
    ax.set_xlabel("importance" + (f" (the {len(shown)} largest of {len(values)})" if left_out else ""))
    return ax


def path(model: Any, *, top: int = 7, ax: Axes | None = None, **kwargs: Any) -> Axes:
    """The norm of every input's coefficients over the penalty, with the chosen penalty.

    Inputs enter from the left: the penalty falls. Those that never enter are not drawn; beyond the `top` that are
    strongest at the chosen penalty, lines are grey.

    Parameters
    ----------
    model : SACDE
        Fitted with several candidates for `regularization`, or a pipeline or search that ends in one.
    top : int, default 7
        The number of inputs with a colour and an entry in the legend.
    ax : matplotlib Axes, optional
        Where to draw; None is a new figure.
    **kwargs
        Keywords of `Axes.plot`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        For a model without a path.
    """
    final = _final(model, None)[0]
    details = getattr(final, "report_", {}).get("details", {})
    if "path" not in details:
        raise ValueError(f"{type(final).__name__} has no path of penalties, expected a fitted SACDE")
    ax = axes_of(ax)
    found = details["path"]
    penalty = np.atleast_1d(found["regularization"])
    inputs = np.atleast_1d(found["inputs"]).astype(int)
    norms = np.asarray(found["norms"]).reshape(len(penalty), len(inputs))
    chosen = float(found["chosen"])
    at_chosen = norms[np.argmin(np.abs(np.log(penalty / chosen)))]
    order = np.lexsort((-norms.max(axis=0, initial=0.0), -at_chosen))
    names = _names(final)
    for rank, j in enumerate(order):
        colored = rank < min(top, len(LINES))
        style = {"color": LINES[rank] if colored else EXPECTED, "linewidth": 1.8 if colored else 0.9, **kwargs}
        ax.plot(penalty, norms[:, j], label=names[inputs[j]] if colored else None, zorder=3 if colored else 2, **style)
    ax.axvline(chosen, color=REFERENCE, linewidth=1.0, linestyle="--", label=f"chosen: {chosen:.3g}")
    ax.set_xscale("log")
    ax.invert_xaxis()
    ax.set_ylim(bottom=0)
    ax.set_xlabel("regularization")
    ax.set_ylabel("norm of the coefficients")
    legend_above(ax)
    return ax


def contribution(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    feature: int | str = 0,
    grid: int = 200,
    y_grid: int = 200,
    points: bool | Mapping[str, Any] = True,
    colorbar: bool = True,
    ax: Axes | None = None,
    **kwargs: Any,
) -> Axes:
    """What one input alone adds to the unnormalised density: r_d(y, x_d) of Shiga et al. (2015), eq. 4.

    The conditional density is the sum of all contributions, normalised over y. An input that was not selected
    contributes nothing: its picture is blank.

    Parameters
    ----------
    model : SACDE
        Fitted to one target, or a pipeline or search that ends in one.
    X : array or data frame of shape (n, d)
        Inputs, which give the range of the axis.
    y : array of shape (n,)
        Targets, which give the range of the other axis.
    feature : int or str, default 0
        The input, by place or name; it has numbers.
    grid, y_grid : int, default 200
        Number of values along each axis.
    points : bool or dict
        Whether points of (X, y) are drawn, at most 1500 of them; a dict has keywords of `Axes.scatter`.
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
    """
    final, inputs = _final(model, X)
    if not hasattr(final, "contribution"):
        raise TypeError(f"{type(final).__name__} is not additive, expected a fitted SACDE")
    columns = columns_of(inputs, final)
    place = place_of(feature, [column.name for column in columns], "feature")
    values = columns[place].numbers
    if values is None:
        raise ValueError(f"feature = {feature!r} has categories, expected an input of numbers")
    targets = as_float64(y, "y").ravel()
    ax = axes_of(ax)
    x = np.linspace(values.min(), values.max(), grid)
    levels = np.linspace(targets.min(), targets.max(), y_grid)
    r = final.contribution(place, x, levels)
    style = {"cmap": density_colors(), "rasterized": True, "shading": "nearest", **kwargs}
    mesh = ax.pcolormesh(x, levels, r.T, vmin=0.0, vmax=max(float(r.max()), np.finfo(float).tiny), **style)
    name = columns[place].name
    if colorbar:
        color_bar(ax, mesh, f"contribution of {name}", r.max())
    if points is not False:
        draw_points(ax, values, targets, point_rows(len(targets), None, MOST_POINTS), points)
    ax.set_xlabel(name)
    ax.set_ylabel(final._model.encoder.target_names[0])
    return ax


def _names(model: Any) -> list[str]:
    """Names of the inputs: columns of X."""
    given = getattr(model, "feature_names_in_", None)
    return [str(n) for n in given] if given is not None else [f"x{j + 1}" for j in range(model.n_features_in_)]
