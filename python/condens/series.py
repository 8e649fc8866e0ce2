"""Time series as tables: the values before as inputs, folds that keep what is near in time together."""

from __future__ import annotations

import operator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condens import _core
from condens._arrays import as_rows

__all__ = ["lag_table", "time_folds", "transition_matrix"]


def lag_table(
    series: ArrayLike, lags: int, horizon: int = 1, X: ArrayLike | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The values before each value of a series, and the value.

    Parameters
    ----------
    series : array of shape (n,)
        Values in the order of time, at even steps.
    lags : int
        How many values before are inputs, >= 1: the nearest first.
    horizon : int, default 1
        How many steps ahead the target is of the nearest of them.
    X : array of shape (n, d), optional
        More inputs, known at the time of the target, such as the hour: they come last.

    Returns
    -------
    inputs : array of shape (n - lags - horizon + 1, lags + d)
    targets : array of shape (n - lags - horizon + 1,)

    Raises
    ------
    ValueError
        For lags or a horizon below 1, and a series that is too short for them.

    Examples
    --------
    >>> X, y = lag_table([1.0, 2.0, 3.0, 4.0], lags=2)
    >>> X
    array([[2., 1.],
           [3., 2.]])
    >>> y
    array([3., 4.])
    """
    values = np.asarray(series, dtype=np.float64)
    lags, horizon = operator.index(lags), operator.index(horizon)
    if values.ndim != 1:
        raise ValueError(f"series has {values.ndim} dimensions, expected 1")
    if lags < 1 or horizon < 1:
        raise ValueError(f"lags = {lags} and horizon = {horizon}, expected whole numbers >= 1")
    first = lags + horizon - 1
    if values.size <= first:
        raise ValueError(
            f"series has {values.size} values, expected more than {first} for {lags} lags and {horizon} steps"
        )
    inputs = [values[first - horizon - k : values.size - horizon - k] for k in range(lags)]
    if X is not None:
        more = np.asarray(X, dtype=np.float64)
        if more.ndim != 2 or len(more) != values.size:
            raise ValueError(
                f"X has shape {more.shape}, expected ({values.size}, d): a row for every value of the series"
            )
        inputs += list(more[first:].T)
    return np.column_stack(inputs), values[first:].copy()


def time_folds(n: int, folds: int = 5) -> NDArray[np.int64]:
    """Folds of rows in the order of time, for the argument `cv` of estimators: blocks of neighbours.

    Rows next to each other are alike; in random folds a model would be chosen for how well it remembers them. Blocks
    are left out whole (Roberts et al. 2017). For scores of what comes after the past alone, use scikit-learn's
    TimeSeriesSplit with `cross_val_score`.

    Parameters
    ----------
    n : int
        Number of rows.
    folds : int, default 5
        Number of blocks, from 2 to n.

    Returns
    -------
    array of shape (n,)
        The fold of every row, 0 to folds - 1.
    """
    n, folds = operator.index(n), operator.index(folds)
    if not 2 <= folds <= n:
        raise ValueError(f"folds = {folds}, expected a whole number from 2 to n = {n}")
    return np.arange(n, dtype=np.int64) * folds // n


def transition_matrix(weights: ArrayLike, steps: int = 1) -> NDArray[np.float64]:
    """How states follow each other in time: the chances of each state some rows later, given the state of a row.

    With the weights w of the states at the rows 0, 1, ..., n - 1 in the order of time, row j holds
    sum_t w[t, j] w[t + steps, k] / sum_t w[t, j]. Where every row is certain of its state these are the shares of the
    transitions that were seen; predictive states of a process form a Markov chain (Shalizi and Crutchfield 2001).

    Parameters
    ----------
    weights : array of shape (n, J)
        As `state_weights` of PRESS gives them: >= 0, each row sums to one.
    steps : int, default 1
        How many rows later, from 1 to n - 1.

    Returns
    -------
    array of shape (J, J)
        Rows sum to one; that of a state without weight is NaN.

    Examples
    --------
    >>> transition_matrix([[1, 0], [0, 1], [1, 0], [1, 0]])
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    table, steps = np.asarray(weights, dtype=np.float64), operator.index(steps)
    if table.ndim != 2:
        raise ValueError(f"weights has {table.ndim} dimensions, expected 2: a row for every time")
    return _core.transition_matrix(as_rows(table), steps)
