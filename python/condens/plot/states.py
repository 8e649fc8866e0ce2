"""Predictive states: what y does in each of them, where each holds, and how certain the rows are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condens.metrics import _final
from condens.plot._inputs import predicted, range_of_fit, sweep_of, target_of
from condens.plot._points import MOST_POINTS, draw_points, point_rows
from condens.plot._style import LINES, axes_of, color_bar, density_colors, legend_above, percent
from condens.plot.curves import density
from condens.series import transition_matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]


def states(model: Any, *, target: int | str = 0, ax: Axes | None = None, **kwargs: Any) -> Axes:
    """The density of y in each state, as curves; the distribution at x mixes them by the weights of the states.

    Parameters
    ----------
    model : PRESS
        Fitted, or a pipeline or search that ends in one.
    target : int or str, default 0
        The target, by place or name; of several, its marginal distribution is drawn.
    ax : matplotlib Axes, optional
        Where to draw; None is a new figure.
    **kwargs
        Keywords of `Axes.plot`, for all curves.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    TypeError
        For a model without states.
    """
    final = _of_states(model, None)[0]
    names = final._model.encoder.target_names
    place = names.index(target) if isinstance(target, str) else target
    shares = final.state_sizes_ / final.state_sizes_.sum()
    labels = [f"state {j + 1}: {percent(round(100 * share) / 100)} of the rows" for j, share in enumerate(shares)]
    style = {"labels": labels, "data_range": range_of_fit(final, place), **kwargs}
    return density(final.state_distribution_.marginal(place), name=names[place], ax=ax, **style)


def state_weights(
    model: Any,
    X: Any,
    *,
    feature: int | str = 0,
    at: Mapping[int | str, Any] | None = None,
    grid: int | ArrayLike = 200,
    ax: Axes | None = None,
    **kwargs: Any,
) -> Axes:
    """The weight of every state as one input varies and the others are held fixed.

    Parameters
    ----------
    model : PRESS
        Fitted, or a pipeline or search that ends in one.
    X : array or data frame of shape (n, d)
        Inputs, which give the range of the axis and the typical values.
    feature : int or str, default 0
        The input that varies, by place or name.
    at : dict, optional
        Values of other inputs, by place or name; medians and most frequent categories otherwise.
    grid : int or rising array, default 200
        Values of the input, or their number.
    ax : matplotlib Axes, optional
        Where to draw; None is a new figure.
    **kwargs
        Keywords of `Axes.plot`, for all curves.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError, TypeError
        For a model without states, and arguments or data that do not fit it.
    """
    final, inputs = _of_states(model, X)
    sweep = sweep_of(final, inputs, feature, at, grid)
    weights = final.state_weights(sweep.rows)
    ax = axes_of(ax)
    for j, line in enumerate(weights.T):
        style = {"color": LINES[j % len(LINES)], "linewidth": 1.8, "label": f"state {j + 1}", **kwargs}
        ax.plot(*sweep.outline(line), **style)
    sweep.finish(ax, [])
    ax.set_ylim(0, 1.02)
    ax.set_ylabel("weight of the state")
    legend_above(ax)
    return ax


def simplex(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    target: int | str = 0,
    points: Mapping[str, Any] | None = None,
    colorbar: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """The rows in the triangle of their weights of three states, in the colour of y (Goerg 2017, figure 2).

    A row at a corner is certain of that state; one in the middle is undecided.

    Parameters
    ----------
    model : PRESS
        Fitted with three states, or a pipeline or search that ends in one.
    X : array or data frame of shape (n, d)
        Inputs, as the model takes them.
    y : array, series or frame of shape (n,) or (n, d_y)
        Targets.
    target : int or str, default 0
        The target that gives the colours, by place or name.
    points : dict, optional
        Keywords of `Axes.scatter`; of more rows, 1500 are drawn.
    colorbar : bool, default True
        Whether the figure gets a colour bar.
    ax : matplotlib Axes, optional
        Where to draw; None is a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError, TypeError
        For a model of other than three states, and data that do not fit it.
    """
    final, inputs = _of_states(model, X)
    if final.n_states_ != 3:
        raise ValueError(f"simplex: the model has {final.n_states_} states, expected 3")
    which = predicted(final, inputs, target, y)
    values = target_of(inputs, y, which)
    corners = np.array([[0.0, 0.0], [0.5, np.sqrt(0.75)], [1.0, 0.0]])
    at = final.state_weights(inputs) @ corners
    ax = axes_of(ax, square=True)
    ax.fill(*corners.T, facecolor="#FAFAFA", edgecolor="#777777", linewidth=0.8, zorder=0)
    low, high = np.quantile(values, [0.02, 0.98])
    style = {"c": values, "alpha": 1.0, "cmap": "viridis", "vmin": low, "vmax": high, "linewidths": 0.4}
    shown = draw_points(ax, at[:, 0], at[:, 1], point_rows(len(values), None, MOST_POINTS), points or {}, s=14, **style)
    for j, ((x, height), where) in enumerate(zip(corners, ("left", "center", "right"), strict=True)):
        text = f"state {j + 1}: mean {final.state_means_[j, which.place]:.3g}"
        below = height == 0.0
        ax.text(x, height + (-0.04 if below else 0.03), text, ha=where, va="top" if below else "bottom", fontsize=9)
    ax.set_aspect("equal")
    ax.set_axis_off()
    if colorbar:
        color_bar(ax, shown, which.name, high)
    return ax


def smoothing_matrix(
    model: Any, X: Any, *, order: ArrayLike | None = None, colorbar: bool = True, ax: Axes | None = None, **kwargs: Any
) -> Axes:
    """What each row of the fit weighs in the mean at another: S of y-hat = S y (Goerg 2017, eq. 24).

    Parameters
    ----------
    model : PRESS
        Fitted, or a pipeline or search that ends in one.
    X : array or data frame of shape (n, d)
        Inputs of the fit, or some of its rows; the picture has n^2 cells.
    order : array of int of shape (n,), optional
        Rows in the order in which they are drawn; by default by the input, if there is but one, else by their mean.
    colorbar : bool, default True
        Whether the figure gets a colour bar.
    ax : matplotlib Axes, optional
        Where to draw; None is a new figure.
    **kwargs
        Keywords of `Axes.imshow`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError, TypeError
        For a model without states, and data that do not fit it.
    """
    final, inputs = _of_states(model, X)
    smoother = final.smoothing_matrix(inputs)
    means = final.state_weights(inputs) @ final.state_means_[:, 0]
    if order is None:
        rows = np.asarray(inputs, dtype=object)
        alone = rows.ndim == 2 and rows.shape[1] == 1
        order = np.argsort(rows[:, 0] if alone else means, kind="stable")
    places = np.asarray(order, dtype=np.intp)
    if places.shape != means.shape or set(places) != set(range(len(means))):
        raise ValueError(f"order must hold each of the {len(means)} rows once, as numbers from 0")
    ax = axes_of(ax, square=True)
    style = {"cmap": density_colors(), "origin": "lower", "interpolation": "nearest", "vmin": 0.0, **kwargs}
    shown = ax.imshow(smoother[np.ix_(places, places)], **style)
    ax.set_xlabel("row of the fit")
    ax.set_ylabel("row predicted")
    if colorbar:
        color_bar(ax, shown, "weight", float(smoother.max(initial=0.0)))
    return ax


def transitions(
    model: Any, X: Any, *, steps: int = 1, colorbar: bool = True, ax: Axes | None = None, **kwargs: Any
) -> Axes:
    """The states as a chain: the chance of each state after each, of rows in the order of time.

    Parameters
    ----------
    model : PRESS
        Fitted, or a pipeline or search that ends in one.
    X : array or data frame of shape (n, d)
        Rows in the order of time, such as those of `condens.lag_table`.
    steps : int, default 1
        How many rows later.
    colorbar : bool, default True
        Whether the figure gets a colour bar.
    ax : matplotlib Axes, optional
        Where to draw; None is a new figure.
    **kwargs
        Keywords of `Axes.imshow`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError, TypeError
        For a model without states, and data that do not fit it.
    """
    final, inputs = _of_states(model, X)
    chances = transition_matrix(final.state_weights(inputs), steps)
    ax = axes_of(ax, square=True)
    style = {"cmap": density_colors(), "interpolation": "nearest", "vmin": 0.0, "vmax": 1.0, **kwargs}
    shown = ax.imshow(chances, **style)
    names = [str(j + 1) for j in range(len(chances))]
    ax.set_xticks(range(len(names)), names)
    ax.set_yticks(range(len(names)), names)
    ax.set_xlabel("next state" if steps == 1 else f"state {steps} rows later")
    ax.set_ylabel("state")
    for j, row in enumerate(chances):
        for k, chance in enumerate(row):
            ax.text(k, j, f"{100 * chance:.0f} %", ha="center", va="center", color="white" if chance > 0.5 else "black")
    if colorbar:
        color_bar(ax, shown, "chance", 1.0)
    return ax


def _of_states(model: Any, X: Any) -> tuple[Any, Any]:
    final, inputs = _final(model, X)
    if not hasattr(final, "state_weights"):
        raise TypeError(f"{type(final).__name__} has no states, expected a fitted PRESS")
    return final, inputs
