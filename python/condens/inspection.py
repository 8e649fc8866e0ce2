"""What moved the answer: effects of inputs on the whole distribution, of every model, pipeline or search.

    inspection.partial_dependence(model, X, "age", of=0.9)           # the 90 % quantile over age, others as they are
    inspection.accumulated_local_effects(model, X, "age", of="std")  # where inputs go together
    inspection.permutation_importance(model, X_test, y_test)         # what the log score loses
    inspection.shapley_values(model, row, X, of="mean")              # what every input added to one prediction

`of` says what of a distribution: "mean", "std", "median", a probability (its quantile), or a function that takes
distributions and gives a number for each. One target.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from condens._arrays import as_float64, as_targets
from condens._frames import is_frame
from condens.metrics import laws_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Effect",
    "Importances",
    "Shares",
    "accumulated_local_effects",
    "partial_dependence",
    "permutation_importance",
    "shapley_values",
]

Floats = NDArray[np.float64]
Of = str | float | Callable[[Any], Floats]

_ROWS_AT_ONCE = 20_000  # predictions that are in memory together


@dataclass(frozen=True)
class Effect:
    """How something of the distribution goes with one input.

    Attributes
    ----------
    feature, of : str
        Name of the input, and of what is drawn.
    grid : array of shape (k,)
        Values of the input: numbers, or levels.
    values, standard_error : arrays of shape (k,)
        Means over the rows, and their standard errors; of accumulated effects their mean is zero.
    """

    feature: str
    of: str
    grid: NDArray[Any]
    values: Floats
    standard_error: Floats

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Axes:
        """A line with a band of two standard errors; of levels, points with bars. Keywords are those of `Axes.plot`."""
        from condens.plot._style import BLUE, axes_of

        ax = axes_of(ax)
        style = {"color": BLUE, **kwargs}
        if self.grid.dtype.kind in "biuf":
            ax.plot(self.grid, self.values, **style)
            low, high = self.values - 2 * self.standard_error, self.values + 2 * self.standard_error
            ax.fill_between(self.grid, low, high, color=style["color"], alpha=0.2, linewidth=0)
        else:
            places = np.arange(len(self.grid))
            ax.errorbar(places, self.values, yerr=2 * self.standard_error, fmt="o", **style)
            ax.set_xticks(places, [str(level) for level in self.grid])
        ax.set_xlabel(self.feature)
        ax.set_ylabel(self.of)
        return ax


@dataclass(frozen=True)
class Importances:
    """What a score loses when an input is shuffled, as scikit-learn's permutation importances.

    Attributes
    ----------
    names : list of str
        Inputs, in the order of the columns.
    importances_mean, importances_std : arrays of shape (d,)
        Over the repetitions.
    importances : array of shape (d, n_repeats)
        Every repetition.
    score : float
        The mean score of the rows as they are; less is better.
    """

    names: list[str]
    importances_mean: Floats
    importances_std: Floats
    importances: Floats
    score: float


@dataclass(frozen=True)
class Shares:
    """What every input added to one prediction.

    Attributes
    ----------
    names : list of str
        Inputs, in the order of the columns.
    values, standard_error : arrays of shape (d,)
        Shapley values and their standard errors; the values add up to `prediction - base`.
    prediction, base : float
        At the row, and the mean over the rows that it was compared with.
    """

    names: list[str]
    values: Floats
    standard_error: Floats
    prediction: float
    base: float


def partial_dependence(
    model: Any, X: Any, feature: int | str, *, of: Of = "mean", grid: int | ArrayLike = 30
) -> Effect:
    """The mean over rows of something of their distributions, when one input of all of them is set to a value.

    Rows that no one has seen take part where inputs go together: `accumulated_local_effects` does without.

    Parameters
    ----------
    model : estimator
        Fitted: of condens, or a pipeline or search that ends in one.
    X : array or data frame of shape (n, d)
        Rows of which the other inputs are taken.
    feature : int or str
        The input, by place or name.
    of : "mean", "std", "median", float or callable
        What of the distributions: a probability is its quantile.
    grid : int or array
        Values of the input, or how many quantiles of it; a category takes its levels.

    Returns
    -------
    Effect

    Notes
    -----
    Cost: a prediction for every row and value. Source: J. H. Friedman, Ann. Statist. 29, 2001, section 8.2.
    """
    place, name = _feature(X, feature)
    column = _column(X, place)
    values = _grid(column, grid)
    blocks = [_numbers(model, _with(X, place, np.full(len(column), value, dtype=values.dtype)), of) for value in values]
    means = np.array([block.mean() for block in blocks])
    # Of the differences to the mean curve: what rows have in common moves the curve as a whole.
    table = np.stack(blocks) - np.mean(blocks, axis=0)
    error = table.std(axis=1, ddof=1) / np.sqrt(len(column)) if len(column) > 1 else np.full(len(values), np.nan)
    return Effect(name, _name_of(of), values, means, error)


def accumulated_local_effects(model: Any, X: Any, feature: int | str, *, of: Of = "mean", bins: int = 20) -> Effect:
    """The sum of local changes of something of the distributions along one input of numbers, with mean zero.

    In every bin of the input the rows that lie there are moved to its ends, and their changes averaged: only what is
    near to rows counts, where inputs go together, too.

    Parameters
    ----------
    model, X, feature, of
        As in `partial_dependence`; the input has numbers.
    bins : int
        At most so many bins, of about as many rows each.

    Returns
    -------
    Effect
        At the ends of the bins.

    Notes
    -----
    Cost: two predictions for every row. Source: D. W. Apley and J. Zhu, J. Roy. Statist. Soc. B 82, 2020, eqs. 15, 16.
    """
    place, name = _feature(X, feature)
    column = _column(X, place)
    if column.dtype.kind not in "biuf":
        raise ValueError(f"feature = {feature!r} has levels, expected numbers; use partial_dependence")
    if bins < 1:
        raise ValueError(f"bins = {bins}, expected at least 1")
    numbers = column.astype(np.float64)
    edges = np.unique(np.quantile(numbers, np.linspace(0, 1, bins + 1), method="inverted_cdf"))
    if len(edges) < 2:
        raise ValueError(f"feature = {feature!r} is always {edges[0] + 0.0:g}, expected at least two values")
    bin_of = np.clip(np.searchsorted(edges, numbers, side="left") - 1, 0, len(edges) - 2)
    change = _numbers(model, _with(X, place, edges[bin_of + 1]), of) - _numbers(
        model, _with(X, place, edges[bin_of]), of
    )
    count = np.bincount(bin_of, minlength=len(edges) - 1)
    mean = np.bincount(bin_of, change, minlength=len(count)) / np.maximum(count, 1)
    square = np.bincount(bin_of, (change - mean[bin_of]) ** 2, minlength=len(count)) / np.maximum(count - 1, 1)
    curve = np.concatenate([[0.0], np.cumsum(mean)])
    error = np.sqrt(np.concatenate([[0.0], np.cumsum(square / np.maximum(count, 1))]))
    middle = (curve[1:] + curve[:-1]) / 2
    return Effect(name, _name_of(of), edges, curve - (middle * count).sum() / count.sum(), error)


def permutation_importance(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    scoring: str = "nll",
    n_repeats: int = 5,
    random_state: Any = None,
) -> Importances:
    """What a score of rows loses when one of their inputs is shuffled among them.

    Parameters
    ----------
    model : estimator
        Fitted: of condens, or a pipeline or search that ends in one.
    X : array or data frame of shape (n, d)
        Rows, best some that the fit has not seen.
    y : array of shape (n,)
        Their targets.
    scoring : "nll" or "crps"
        The mean of minus the log density (of counts and atoms, probability), or of the CRPS.
    n_repeats : int
        Shuffles of every input.
    random_state : int, Generator or RandomState, optional
        An int gives the same shuffles again.

    Returns
    -------
    Importances

    Notes
    -----
    Cost: a prediction for every row, input and repetition. Source: L. Breiman, Random forests, Machine Learning 45,
    2001.
    """
    if scoring not in ("nll", "crps"):
        raise ValueError(f"scoring = {scoring!r}, expected 'nll' or 'crps'")
    if n_repeats < 1:
        raise ValueError(f"n_repeats = {n_repeats}, expected at least 1")
    targets = as_targets(y).reshape(-1)
    check_consistent_length(X, targets)
    random = check_random_state(random_state)
    score = _score(model, X, targets, scoring)
    names = _names(X)
    losses = np.empty((len(names), n_repeats))
    for place in range(len(names)):
        column = _column(X, place)
        for k in range(n_repeats):
            losses[place, k] = _score(model, _with(X, place, random.permutation(column)), targets, scoring) - score
    return Importances(names, losses.mean(axis=1), losses.std(axis=1), losses, score)


def shapley_values(
    model: Any, row: Any, X: Any, *, of: Of = "mean", n_permutations: int = 200, random_state: Any = None
) -> Shares:
    """What every input added to the prediction at one row, against rows of X: Shapley values by sampling.

    In random orders the inputs of a random row of X are replaced one by one by those of `row`; what the prediction
    changes by is the share of that input. The means add up to the difference exactly.

    Parameters
    ----------
    model : estimator
        Fitted: of condens, or a pipeline or search that ends in one.
    row : array or data frame of shape (1, d), or array of shape (d,)
        The row to explain.
    X : array or data frame of shape (n, d)
        Rows to compare with.
    of : "mean", "std", "median", float or callable
        What of the distributions: a probability is its quantile.
    n_permutations : int
        Orders that are drawn.
    random_state : int, Generator or RandomState, optional
        An int gives the same orders again.

    Returns
    -------
    Shares

    Notes
    -----
    Cost: n_permutations (d + 1) predictions. Source: E. Strumbelj and I. Kononenko, Knowl. Inf. Syst. 41, 2014,
    algorithm 1.
    """
    if n_permutations < 2:
        raise ValueError(f"n_permutations = {n_permutations}, expected at least 2")
    names = _names(X)
    d, random = len(names), check_random_state(random_state)
    own: Any = row
    if not is_frame(row):
        own = np.reshape(np.asarray(row) if is_frame(X) else as_float64(row, "row"), (1, -1))
    if len(_names(own)) != d or len(own) != 1:
        raise ValueError(f"row has shape {np.shape(row)}, expected one row of {d} inputs, as X has")
    orders = np.stack([random.permutation(d) for _ in range(n_permutations)])
    others = random.randint(len(X), size=n_permutations)
    # Step s of order m: the first s inputs of the order are those of the row.
    taken = np.zeros((n_permutations, d + 1, d), dtype=bool)
    for step in range(d):
        taken[:, step + 1] = taken[:, step]
        taken[np.arange(n_permutations), step + 1, orders[:, step]] = True
    rows = np.repeat(others, d + 1)
    mixed = _take(X, rows)
    for place in range(d):
        replaced = taken[:, :, place].reshape(-1)
        column = _column(mixed, place).copy()
        column[replaced] = _column(own, place)[0]
        mixed = _with(mixed, place, column)
    found = _numbers(model, mixed, of).reshape(n_permutations, d + 1)
    shares = np.empty((n_permutations, d))
    np.put_along_axis(shares, orders, np.diff(found, axis=1), axis=1)
    error = shares.std(axis=0, ddof=1) / np.sqrt(n_permutations)
    return Shares(names, shares.mean(axis=0), error, float(found[:, -1].mean()), float(found[:, 0].mean()))


# --- rows and columns of arrays and frames --------------------------------------------------------


def _names(X: Any) -> list[str]:
    return [str(name) for name in X.columns] if is_frame(X) else [f"x{i + 1}" for i in range(np.shape(X)[1])]


def _feature(X: Any, feature: int | str) -> tuple[int, str]:
    names = _names(X)
    if isinstance(feature, str):
        if feature not in names:
            raise ValueError(f"feature = {feature!r}, expected one of {', '.join(names)}")
        return names.index(feature), feature
    if not 0 <= feature < len(names):
        raise ValueError(f"feature = {feature}, expected an index in [0, {len(names)})")
    return int(feature), names[feature]


def _column(X: Any, place: int) -> NDArray[Any]:
    if is_frame(X):
        return np.asarray(X[list(X.columns)[place]].to_numpy())
    return np.asarray(X)[:, place]


def _with(X: Any, place: int, column: NDArray[Any]) -> Any:
    """A copy with another column."""
    if not is_frame(X):
        out = np.array(X, dtype=np.float64)
        out[:, place] = column
        return out
    name = list(X.columns)[place]
    if hasattr(X, "with_columns"):  # polars
        import polars

        return X.with_columns(polars.Series(name, column))
    return X.assign(**{name: type(X[name])(column, index=X.index, dtype=X[name].dtype)})


def _take(X: Any, rows: NDArray[np.intp]) -> Any:
    if not is_frame(X):
        return np.asarray(X)[rows]
    return X[rows] if hasattr(X, "with_columns") else X.iloc[rows].reset_index(drop=True)


def _grid(column: NDArray[Any], grid: int | ArrayLike) -> NDArray[Any]:
    if column.dtype.kind not in "biuf":
        return np.unique(column.astype(str)) if isinstance(grid, (int, np.integer)) else np.asarray(grid)
    if not isinstance(grid, (int, np.integer)):
        return np.asarray(as_float64(grid, "grid")).reshape(-1)
    if grid < 2:
        raise ValueError(f"grid = {grid}, expected at least 2 values")
    return np.unique(np.quantile(column.astype(np.float64), np.linspace(0, 1, int(grid)), method="inverted_cdf"))


# --- what of the distributions --------------------------------------------------------------------


def _name_of(of: Of) -> str:
    if isinstance(of, str):
        return of
    return f"{100 * of:g} % quantile" if isinstance(of, (int, float)) else getattr(of, "__name__", "function")


def _numbers(model: Any, X: Any, of: Of) -> Floats:
    """A number for every row."""
    n = len(X)
    parts = [_take(X, np.arange(start, min(n, start + _ROWS_AT_ONCE))) for start in range(0, n, _ROWS_AT_ONCE)]
    return np.concatenate([_of(laws_of(model, part), of) for part in parts])


def _of(laws: Any, of: Of) -> Floats:
    if laws.n_targets != 1:
        raise ValueError(f"the model has {laws.n_targets} targets, expected one")
    if callable(of):
        out = np.asarray(of(laws), dtype=np.float64)
        if out.shape != laws.shape:
            raise ValueError(f"of gives an array of shape {out.shape}, expected a number for each of {laws.shape}")
        return out
    if isinstance(of, str):
        if of not in ("mean", "std", "median"):
            raise ValueError(f"of = {of!r}, expected 'mean', 'std', 'median', a probability or a function")
        return np.asarray(getattr(laws, of)())
    if not 0 < of < 1:
        raise ValueError(f"of = {of}, expected a probability in (0, 1)")
    return np.asarray(laws.ppf(float(of)))


def _score(model: Any, X: Any, y: Floats, scoring: str) -> float:
    laws = laws_of(model, X)
    if laws.n_targets != 1:
        raise ValueError(f"the model has {laws.n_targets} targets, expected one")
    return float(np.mean(-laws.logpdf(y) if scoring == "nll" else laws.crps(y)))
