"""How model selection went: the score over its candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from condens.plot._style import ACCENT, BLUE, axes_of, color_bar, legend_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize

Floats = NDArray[np.float64]


def tuning(
    estimator: Any,
    x: str = "bandwidth",
    y: str = "regularization",
    *,
    colorbar: bool = True,
    ax: Axes | None = None,
    **kwargs: Any,
) -> Axes:
    """The score of cross-validation over two parameters, each time the best over all others.

    Scores are drawn as losses: less is better, and the minimum is marked. Candidates that were given are cells
    (colours end at the 80 % quantile, so that bad ones do not use them up); candidates beside them, such as
    those of `refine`, are points. Where one parameter only was varied the picture is a curve with standard
    errors. A minimum on the edge of the candidates is pointed out: a wider list may score better.

    Parameters
    ----------
    estimator : estimator
        Fitted by a choice among candidates: an estimator of condens, a pipeline that ends in one, or a search
        of scikit-learn.
    x, y : str
        Names of parameters; those in a pipeline may do without `step__`. Not needed where one parameter only was
        varied.
    colorbar : bool, default True
        Whether the figure gets a colour bar.
    ax : matplotlib Axes, optional
        Where to draw; None is a new figure.
    **kwargs
        Keywords of `Axes.pcolormesh`, or of `Axes.errorbar` for a curve.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        When nothing was tuned, no candidate has a score, or x or y is no parameter with numbers as candidates.
    """
    table = _read(estimator)
    drawn = table.varied
    if len(drawn) > 1:
        places = [table.resolve(name, argument) for name, argument in ((x, "x"), (y, "y"))]
        if places[0] == places[1]:
            raise ValueError(f"x and y are both {x!r}, expected two parameters")
        drawn = [name for name in places if name in table.varied]
        if not drawn:
            raise ValueError(f"x = {x!r} and y = {y!r} had one candidate each, expected {_list(table.varied)}")
    ax = axes_of(ax)
    if len(drawn) == 1:
        _curve(ax, table, drawn[0], kwargs)
    else:
        _surface(ax, table, drawn[0], drawn[1], colorbar, kwargs)
    return ax


@dataclass(frozen=True)
class _Table:
    """Candidates, one place each in all arrays."""

    parameters: dict[str, Floats]
    given: dict[str, Floats]  # candidates that the user or the preset listed, sorted
    loss: Floats  # less is better; infinite where the candidate failed
    error: Floats  # standard error of the loss
    unordered: dict[str, Floats]  # parameters without numbers, coded
    loss_name: str

    @property
    def best(self) -> int:
        return int(np.argmin(self.loss))

    @property
    def varied(self) -> list[str]:
        """Parameters with several candidates."""
        return [name for name, values in self.parameters.items() if len(np.unique(values)) > 1]

    def resolve(self, name: str, argument: str) -> str:
        """A parameter by its name, or by the end of it after a pipeline's '__'."""
        found = [p for p in self.parameters if p == name] or [p for p in self.parameters if p.endswith("__" + name)]
        if len(found) == 1:
            return found[0]
        raise ValueError(f"{argument} = {name!r}, expected one of {_list(list(self.parameters))}")

    def best_of_each(self, names: list[str]) -> tuple[Floats, NDArray[np.intp]]:
        """The distinct values of these parameters, and the place of the best candidate of each."""
        values = np.column_stack([self.parameters[name] for name in names])
        distinct, group = np.unique(values, axis=0, return_inverse=True)
        order = np.lexsort((self.loss, group.ravel()))
        first = np.searchsorted(group.ravel()[order], np.arange(len(distinct)))
        return distinct, order[first]

    def minimum_text(self, names: list[str]) -> str:
        where = ", ".join(f"{_short(name)} = {self.parameters[name][self.best]:.3g}" for name in names)
        return f"minimum {self.loss[self.best]:.4g} at {where}"

    def edge_text(self) -> str:
        """Parameters whose best value is the smallest or largest candidate; empty where there are none."""
        notes = []
        for name in self.varied:
            values = self.parameters[name]
            chosen = values[self.best]
            if chosen in (values.min(), values.max()):
                side = "smallest" if chosen == values.min() else "largest"
                notes.append(f"{_short(name)} = {chosen:.3g} ({side})")
        return "On the edge of the candidates: " + ", ".join(notes) if notes else ""

    def others_text(self, names: list[str]) -> str:
        """Parameters over which the best is shown: those that still vary where the drawn ones are fixed."""
        drawn = np.unique(np.column_stack([self.parameters[name] for name in names]), axis=0)
        out = []
        for name, values in (self.parameters | self.unordered).items():
            both = np.column_stack([*(self.parameters[other] for other in names), values])
            if name not in names and len(np.unique(both, axis=0)) > len(drawn):
                out.append(_short(name))
        return " and ".join(out)


def _list(names: list[str]) -> str:
    return " or ".join(repr(_short(name)) for name in names)


def _short(name: str) -> str:
    return name.rsplit("__", 1)[-1]


def _read(estimator: Any) -> _Table:
    """Candidates and scores of an estimator of condens or a search."""
    while isinstance(estimator, Pipeline):
        estimator = estimator[-1]
    what = type(estimator).__name__
    results = getattr(estimator, "cv_results_", None)
    if results is None:
        raise ValueError(f"{what} has no cv_results_, expected a fitted estimator of condens or search")
    if not results:
        raise ValueError(
            f"{what}: nothing was tuned, every option had one value; fit with lists of candidates, "
            "such as regularization=[0.01, 0.1, 1]"
        )
    columns = {key[6:]: _numbers(values) for key, values in results.items() if key.startswith("param_")}
    parameters = {name: values for name, values in columns.items() if values is not None}
    unordered = {
        name: np.unique([repr(value) for value in results[f"param_{name}"]], return_inverse=True)[1].astype(np.float64)
        for name in columns.keys() - parameters.keys()
    }
    if "mean_test_score" not in results:
        raise ValueError(f"{what}: cv_results_ has no mean_test_score, expected a search with one score")
    if all(len(np.unique(values)) < 2 for values in parameters.values()):
        raise ValueError(f"{what}: no parameter had several numbers as candidates, expected at least one")
    score = np.asarray(results["mean_test_score"], dtype=np.float64)
    loss = np.where(np.isfinite(score), -score, np.inf)
    if not np.isfinite(loss).any():
        raise ValueError(f"{what}: no candidate has a finite score")
    if "standard_error_test_score" in results:
        error = np.asarray(results["standard_error_test_score"], dtype=np.float64)
    else:
        # std_test_score divides by the number of folds k, an unbiased variance by k - 1.
        folds = sum(key.startswith("split") and key.endswith("_test_score") for key in results)
        error = np.asarray(results["std_test_score"], dtype=np.float64) / np.sqrt(max(folds - 1, 1))
    core = getattr(estimator, "_model", None)
    options = core.options if core is not None else {}
    # An empty list of widths in y follows the widths in x: all of its values are given ones.
    listed = {name: options.get(name) or values for name, values in parameters.items()}
    given = {name: np.unique(np.asarray(values, dtype=np.float64)) for name, values in listed.items()}
    names = {"nll": "negative log-likelihood", "squared": "squared loss"}
    loss_name = names.get(options.get("scoring", ""), "loss (minus the score)")
    return _Table(parameters, given, loss, np.where(np.isfinite(loss), error, 0.0), unordered, loss_name)


def _numbers(values: Any) -> Floats | None:
    """Candidates as numbers; None where some are not."""
    try:
        out = np.asarray(np.ma.filled(np.ma.asarray(values).astype(np.float64), np.nan))
    except (TypeError, ValueError):
        return None
    return out if np.isfinite(out).all() else None


def _curve(ax: Axes, table: _Table, name: str, keywords: dict[str, Any]) -> None:
    values, places = table.best_of_each([name])
    x, loss = values[:, 0], table.loss[places]
    worked = np.isfinite(loss)
    others = table.others_text([name])
    style = {"color": BLUE, "marker": "o", "markersize": 4, "linewidth": 1.6, "elinewidth": 1.0, "capsize": 2}
    label = "± 1 standard error" + (f", best over {others}" if others else "")
    error = table.error[places][worked]
    ax.errorbar(x[worked], loss[worked], yerr=error, **{**style, "label": label, **keywords})
    if not worked.all():
        at_top = ax.get_xaxis_transform()
        ax.plot(
            x[~worked], np.full((~worked).sum(), 0.97), "x", color="#888888", transform=at_top, label="failed, no score"
        )
    best = table.best
    ring: dict[str, Any] = {
        "marker": "o",
        "s": 90,
        "facecolors": "none",
        "edgecolors": ACCENT,
        "linewidths": 2,
        "zorder": 4,
    }
    ax.scatter([table.parameters[name][best]], [table.loss[best]], **ring, label=table.minimum_text([name]))
    if x.min() > 0:
        ax.set_xscale("log")
    _ticks(ax.xaxis, table.given[name])
    ax.set_xlabel(_short(name))
    ax.set_ylabel(table.loss_name)
    legend_above(ax, title=table.edge_text())


def _surface(ax: Axes, table: _Table, x: str, y: str, colorbar: bool, keywords: dict[str, Any]) -> None:
    values, places = table.best_of_each([x, y])
    loss = table.loss[places]
    cells, tried, beside = _cells(table.given[x], table.given[y], values, loss)
    style = {"cmap": "viridis", "norm": _norm(loss), "edgecolors": "white", "linewidth": 0.6, **keywords}
    shown: Any = None
    if cells.size:
        edges_x, edges_y = _edges(table.given[x]), _edges(table.given[y])
        shown = ax.pcolormesh(edges_x, edges_y, np.ma.masked_invalid(cells), **style)
        failed = {"facecolor": "#CCCCCC", "edgecolor": "#555555", "hatch": "xxx", "label": "failed, no score"}
        untried = {"facecolor": "white", "edgecolor": "#AAAAAA", "hatch": "...", "label": "not tried"}
        _draw_cells(ax, edges_x, edges_y, np.isinf(cells), failed)
        _draw_cells(ax, edges_x, edges_y, ~tried, untried)
    points, heights = values[beside], loss[beside]
    worked = np.isfinite(heights)
    if worked.any():
        label = "refined" if cells.size else "candidates"
        marks: dict[str, Any] = {"s": 26, "edgecolors": "white", "linewidths": 0.8, "zorder": 3, "label": label}
        colors = {"cmap": style["cmap"], "norm": style["norm"]}
        drawn = ax.scatter(points[worked, 0], points[worked, 1], c=heights[worked], **colors, **marks)
        shown = drawn if shown is None else shown
    if not worked.all():
        crosses = points[~worked]
        label = "_nolegend_" if np.isinf(cells).any() else "failed, no score"
        ax.plot(crosses[:, 0], crosses[:, 1], "x", color="#555555", markersize=5, label=label)

    best = table.best
    spot = [table.parameters[x][best]], [table.parameters[y][best]]
    ring: dict[str, Any] = {"s": 110, "facecolors": "none", "edgecolors": ACCENT, "linewidths": 2.2, "zorder": 4}
    ax.scatter(*spot, **ring, label=table.minimum_text([x, y]))
    for name, axis, log in ((x, ax.xaxis, ax.set_xscale), (y, ax.yaxis, ax.set_yscale)):
        if table.parameters[name].min() > 0:
            log("log")
        _ticks(axis, table.given[name] if cells.size else np.empty(0))
    ax.set_xlabel(_short(x))
    ax.set_ylabel(_short(y))
    if colorbar and shown is not None:
        others = table.others_text([x, y])
        label = table.loss_name + (f",\nbest over {others}" if others else "")
        color_bar(ax, shown, label, loss[np.isfinite(loss)].max())
    ax.use_sticky_edges = False  # a margin shows where the candidates end
    ax.margins(0.03)
    legend_above(ax, title=table.edge_text(), beside_bar=colorbar)


def _cells(gx: Floats, gy: Floats, values: Floats, loss: Floats) -> tuple[Floats, NDArray[np.bool_], NDArray[np.bool_]]:
    """Losses of the cells (rows: gy), which of them were tried, and which candidates lie beside them.

    Scattered candidates, which would leave most cells empty, make no cells.
    """
    on_grid = np.isin(values[:, 0], gx) & np.isin(values[:, 1], gy)
    if on_grid.sum() < 0.5 * len(gx) * len(gy):
        return np.empty((0, 0)), np.empty((0, 0), dtype=bool), np.ones(len(values), dtype=bool)
    cells = np.full((len(gy), len(gx)), np.nan)
    tried = np.zeros(cells.shape, dtype=bool)
    place = np.searchsorted(gy, values[on_grid, 1]), np.searchsorted(gx, values[on_grid, 0])
    cells[place] = loss[on_grid]
    tried[place] = True
    return cells, tried, ~on_grid


def _edges(values: Floats) -> Floats:
    """Ends of cells around candidates: half-way, on a logarithmic axis in ratio."""
    log = values.min() > 0
    v = np.log(values) if log else values
    steps = np.diff(v) / 2
    edges = np.concatenate([[v[0] - steps[0]], v[:-1] + steps, [v[-1] + steps[-1]]])
    return np.exp(edges) if log else edges


def _norm(loss: Floats) -> Normalize:
    from matplotlib.colors import PowerNorm

    finite = loss[np.isfinite(loss)]
    low, high = float(finite.min()), float(np.quantile(finite, 0.8))
    if not high > low:
        high = max(float(finite.max()), low + 1e-6 * max(1.0, abs(low)))
    return PowerNorm(0.5, vmin=low, vmax=high)


def _draw_cells(ax: Axes, edges_x: Floats, edges_y: Floats, which: NDArray[np.bool_], style: dict[str, Any]) -> None:
    """Hatched rectangles, one of them in the legend."""
    from matplotlib.patches import Rectangle

    for number, (i, j) in enumerate(np.argwhere(which)):
        corner = edges_x[j], edges_y[i]
        size = edges_x[j + 1] - corner[0], edges_y[i + 1] - corner[1]
        own = {**style, "label": style["label"] if number == 0 else "_nolegend_"}
        ax.add_patch(Rectangle(corner, *size, linewidth=0.4, **own))


def _ticks(axis: Any, candidates: Floats) -> None:
    """Ticks at the candidates, as far as they are few."""
    if 1 < len(candidates) <= 12:
        axis.set_ticks(candidates, [f"{value:g}" for value in candidates])
        axis.set_ticks([], minor=True)
