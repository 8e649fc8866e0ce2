"""What moved the answer: effects of inputs on the whole distribution, of every model, pipeline or search.

    inspection.partial_dependence(model, X, "age", of=0.9)           # the 90 % quantile over age, others as they are
    inspection.accumulated_local_effects(model, X, "age", of="std")  # where inputs go together
    inspection.permutation_importance(model, X_test, y_test)         # what the log score loses
    inspection.shapley_values(model, row, X, of="mean")              # what every input added to one prediction
    inspection.compare_rows(model, row, other, of="crps")            # which inputs make two distributions differ
    inspection.training_row_weights(model, row, X, y)                # the training rows that made a distribution
    inspection.dimension_test(model, X, y)                           # how many directions of a reduction are enough

`of` says what of a distribution: "mean", "std", "median", a probability (its quantile), or a function that takes
distributions and gives a number for each. One target.
"""

# These are the definitions of condens/inspection/*.hpp, which the command has, written once more: here they are of any
# pipeline or search around an estimator and of any function `of`, which the core cannot call. Weights of training rows
# are the core's own.

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from condens._arrays import as_float64, as_rows, as_targets, threads_of
from condens._bands import SubspaceIntervals
from condens._dimension import DimensionTest, dimension_test
from condens._frames import is_frame
from condens._inspected import (
    Floats,
    Of,
    column_of,
    distance_to,
    feature_of,
    grid_of,
    name_of,
    names_of,
    numbers_of,
    quantiles_of,
    score_of,
    take,
    with_column,
)
from condens.metrics import _final, laws_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "DimensionTest",
    "Effect",
    "Importances",
    "RowWeights",
    "Shares",
    "SubspaceIntervals",
    "accumulated_local_effects",
    "compare_rows",
    "dimension_test",
    "partial_dependence",
    "permutation_importance",
    "shapley_values",
    "training_row_weights",
]

_MOST_EXACT = 12  # inputs that differ, of which all subsets are taken


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

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Axes:
        """Bars with the standard error over the repetitions, the largest at the top; keywords of `Axes.barh`."""
        error = self.importances_std / np.sqrt(self.importances.shape[1])
        return _bars(self.names, self.importances_mean, error, "what the score loses", ax, kwargs)


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

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Axes:
        """Bars with standard errors, the largest at the top; keywords of `Axes.barh`."""
        label = f"from {self.base:.4g} to {self.prediction:.4g}"
        return _bars(self.names, self.values, self.standard_error, label, ax, kwargs)


@dataclass(frozen=True)
class RowWeights:
    """The training rows that weigh most in distributions.

    Attributes
    ----------
    rows : array of shape (n, k)
        Their numbers, counting from 0, by falling weight; -1 where no more rows have a weight.
    weights : array of shape (n, k)
        What they weigh.
    others : array of shape (n,)
        What all other rows weigh: all sum to one.
    """

    rows: NDArray[np.intp]
    weights: Floats
    others: Floats


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
    place, name = feature_of(X, feature)
    column = column_of(X, place)
    values = grid_of(column, grid)
    blocks = [
        numbers_of(model, with_column(X, place, np.full(len(column), value, dtype=values.dtype)), of)
        for value in values
    ]
    means = np.array([block.mean() for block in blocks])
    # Of the differences to the mean curve: what rows have in common moves the curve as a whole.
    table = np.stack(blocks) - np.mean(blocks, axis=0)
    error = table.std(axis=1, ddof=1) / np.sqrt(len(column)) if len(column) > 1 else np.full(len(values), np.nan)
    return Effect(name, name_of(of), values, means, error)


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
    place, name = feature_of(X, feature)
    column = column_of(X, place)
    if column.dtype.kind not in "biuf":
        raise ValueError(f"feature = {feature!r} has levels, expected numbers; use partial_dependence")
    if bins < 1:
        raise ValueError(f"bins = {bins}, expected at least 1")
    numbers = column.astype(np.float64)
    edges = quantiles_of(numbers, bins + 1)
    if len(edges) < 2:
        raise ValueError(f"feature = {feature!r} is always {edges[0] + 0.0:g}, expected at least two values")
    bin_of = np.clip(np.searchsorted(edges, numbers, side="left") - 1, 0, len(edges) - 2)
    change = numbers_of(model, with_column(X, place, edges[bin_of + 1]), of) - numbers_of(
        model, with_column(X, place, edges[bin_of]), of
    )
    count = np.bincount(bin_of, minlength=len(edges) - 1)
    mean = np.bincount(bin_of, change, minlength=len(count)) / np.maximum(count, 1)
    square = np.bincount(bin_of, (change - mean[bin_of]) ** 2, minlength=len(count)) / np.maximum(count - 1, 1)
    curve = np.concatenate([[0.0], np.cumsum(mean)])
    error = np.sqrt(np.concatenate([[0.0], np.cumsum(square / np.maximum(count, 1))]))
    middle = (curve[1:] + curve[:-1]) / 2
    return Effect(name, name_of(of), edges, curve - (middle * count).sum() / count.sum(), error)


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
    score = score_of(model, X, targets, scoring)
    names = names_of(X)
    losses = np.empty((len(names), n_repeats))
    for place in range(len(names)):
        column = column_of(X, place)
        for k in range(n_repeats):
            losses[place, k] = (
                score_of(model, with_column(X, place, random.permutation(column)), targets, scoring) - score
            )
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
    names, random = names_of(X), check_random_state(random_state)
    d, own = len(names), _single(row, "row", X)
    orders = np.stack([random.permutation(d) for _ in range(n_permutations)])
    others = random.randint(len(X), size=n_permutations)
    return _sampled(model, own, take(X, np.repeat(others, d + 1)), orders, of)


def compare_rows(
    model: Any, row: Any, other: Any, *, of: Of = "mean", n_permutations: int = 200, random_state: Any = None
) -> Shares:
    """Which inputs make the distribution at one row differ from that at another: Shapley values between the two.

    Parameters
    ----------
    model : estimator
        Fitted: of condens, or a pipeline or search that ends in one.
    row, other : arrays of shape (d,), or arrays or data frames of shape (1, d)
        The row, and what it is compared with.
    of : "mean", "std", "median", float, callable, "crps" or "kolmogorov"
        What of the distributions, or how far they are from that of `other`: the integral of (F - G)^2, which is what
        the CRPS loses by forecasting F where G is true, or the largest difference of F and G.
    n_permutations : int
        Orders that are drawn where more than twelve inputs differ; of fewer, all subsets are taken.
    random_state : int, Generator or RandomState, optional
        An int gives the same orders again.

    Returns
    -------
    Shares
        `base` of the other row, 0 of a distance.

    Notes
    -----
    Cost: 2^a predictions for a inputs that differ, or n_permutations (d + 1). Source: L. S. Shapley, 1953.
    """
    if n_permutations < 2:
        raise ValueError(f"n_permutations = {n_permutations}, expected at least 2")
    start = _single(other, "other", other)
    own = _single(row, "row", start)
    if of in ("crps", "kolmogorov"):
        of = distance_to(laws_of(model, start), str(of))
    differ = [place for place in range(len(names_of(start))) if column_of(own, place)[0] != column_of(start, place)[0]]
    if len(differ) <= _MOST_EXACT:
        return _exact(model, own, start, differ, of)
    random, d = check_random_state(random_state), len(names_of(start))
    orders = np.stack([random.permutation(d) for _ in range(n_permutations)])
    return _sampled(model, own, take(start, np.zeros(n_permutations * (d + 1), dtype=np.intp)), orders, of)


def training_row_weights(
    model: Any, X: Any, training: Any, y: ArrayLike, *, sample_weight: ArrayLike | None = None, k: int = 10
) -> RowWeights:
    """The training rows that made the distributions, of models with a kernel at each: the k heaviest.

    Models do not keep the numbers of their rows, which may be merged or sorted: the training data say which is which.

    Parameters
    ----------
    model : NadarayaWatson, EpsilonKDE, RatioKDE, Parzen or ConditionalForest
        Fitted; also a selection or projection of inputs around one, or a pipeline or search that ends in one.
    X : array or data frame of shape (n, d)
        Where the distributions are.
    training, y : array or data frame of shape (m, d), array of shape (m,)
        What the model was fitted to, unchanged; of a search that refits, all of it.
    sample_weight : array of shape (m,), optional
        The weights of the fit.
    k : int
        How many rows.

    Returns
    -------
    RowWeights

    Raises
    ------
    ValueError
        For another model, and for data that are not those of the fit.

    Notes
    -----
    Of a target with atoms the weights are those of the part beside the atoms. Source: N. Meinshausen, J. Mach. Learn.
    Res. 7, 2006, for forests.
    """
    final, inputs = _final(model, X)
    _, rows = _final(model, training)
    targets = as_targets(y)
    check_consistent_length(rows, targets)
    weights = None if sample_weight is None else as_float64(sample_weight, "sample_weight")
    found = final._model.row_weights(
        final._rows(inputs),
        final._rows(rows),
        as_rows(targets.reshape(len(targets), -1)),
        weights=weights,
        most=k,
        threads=threads_of(final.n_jobs),
    )
    return RowWeights(found[0].astype(np.intp), found[1], found[2])


# --- games of inputs ------------------------------------------------------------------------------


def _single(row: Any, name: str, X: Any) -> Any:
    """One row, as X has rows."""
    out = row
    if not is_frame(row):
        out = np.reshape(np.asarray(row) if is_frame(X) else as_float64(row, name), (1, -1))
    d = len(names_of(X)) if is_frame(X) or np.ndim(X) == 2 else np.size(X)
    if len(names_of(out)) != d or len(out) != 1:
        raise ValueError(f"{name} has shape {np.shape(row)}, expected one row of {d} inputs, as X has")
    return out


def _replaced(rows: Any, own: Any, taken: NDArray[np.bool_]) -> Any:
    """Rows with the inputs `taken` (rows x d) of the one row `own`."""
    for place in range(taken.shape[1]):
        column = column_of(rows, place).copy()
        column[taken[:, place]] = column_of(own, place)[0]
        rows = with_column(rows, place, column)
    return rows


def _sampled(model: Any, own: Any, rows: Any, orders: NDArray[np.intp], of: Of) -> Shares:
    """Of rows that stand d + 1 times for every order, in which their inputs become those of `own` one by one."""
    n, d = orders.shape
    # Step s of order m: the first s inputs of the order are those of the row.
    taken = np.zeros((n, d + 1, d), dtype=bool)
    for step in range(d):
        taken[:, step + 1] = taken[:, step]
        taken[np.arange(n), step + 1, orders[:, step]] = True
    found = numbers_of(model, _replaced(rows, own, taken.reshape(-1, d)), of).reshape(n, d + 1)
    shares = np.empty((n, d))
    np.put_along_axis(shares, orders, np.diff(found, axis=1), axis=1)
    error = shares.std(axis=0, ddof=1) / np.sqrt(n)
    return Shares(names_of(own), shares.mean(axis=0), error, float(found[:, -1].mean()), float(found[:, 0].mean()))


def _exact(model: Any, own: Any, start: Any, differ: list[int], of: Of) -> Shares:
    """Of all subsets of the inputs that differ."""
    a, d = len(differ), len(names_of(own))
    subsets = (np.arange(2**a)[:, None] >> np.arange(a)) & 1 == 1
    taken = np.zeros((2**a, d), dtype=bool)
    taken[:, differ] = subsets
    found = numbers_of(model, _replaced(take(start, np.zeros(2**a, dtype=np.intp)), own, taken), of)
    size = subsets.sum(axis=1)
    values = np.zeros(d)
    for player, place in enumerate(differ):
        without = np.flatnonzero(~subsets[:, player])
        share = np.array([1.0 / (a * math.comb(a - 1, int(k))) for k in size[without]])
        values[place] = share @ (found[without | (1 << player)] - found[without])
    return Shares(names_of(own), values, np.zeros(d), float(found[-1]), float(found[0]))


def _bars(names: list[str], values: Floats, error: Floats, label: str, ax: Axes | None, kwargs: dict[str, Any]) -> Axes:
    from condens.plot._style import BLUE, REFERENCE, axes_of

    ax = axes_of(ax)
    order = np.argsort(np.abs(values), kind="stable")
    bars = [names[i] for i in order]
    ax.barh(range(len(bars)), values[order], xerr=error[order], tick_label=bars, **{"color": BLUE, **kwargs})
    ax.axvline(0, color=REFERENCE, linewidth=0.8)
    ax.set_xlabel(label)
    return ax
