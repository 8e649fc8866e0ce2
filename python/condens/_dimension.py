"""How many directions of a reduction are enough: tests by scores of rows left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length

from condens._arrays import as_float64, as_rows, as_targets, threads_of
from condens.metrics import _final

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DimensionTest:
    """Tests of how many directions the distribution of y needs, one after another.

    Attributes
    ----------
    n_directions : int
        The first number that was not rejected, or the most that were fitted.
    all_rejected : bool
        Whether every number up to the most that were fitted was rejected.
    tested : array of shape (k,)
        Numbers of directions: 0 (the density of y alone), 1, ...
    score : array of shape (k,)
        Their mean log scores on rows left out.
    gain, standard_error, p_value : arrays of shape (k,)
        What one direction more adds to the score.
    rejected : array of shape (k,)
        Whether a number is too few, at the level.
    """

    n_directions: int
    all_rejected: bool
    tested: NDArray[np.intp]
    score: Floats
    gain: Floats
    standard_error: Floats
    p_value: Floats
    rejected: NDArray[np.bool_]


def dimension_test(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    level: float = 0.05,
    folds: int = 5,
    most: int = 10,
    seed: int = 0,
) -> DimensionTest:
    """How many directions of a reduction are enough: whether one more has a higher log score on rows left out.

    For d = 0, 1, ... the model is fitted again without each fold, with d and with d + 1 directions; d is rejected where
    the mean difference of the log scores exceeds a normal quantile of the level times its standard error. The first d
    that is not rejected is the answer: more than predict best are taken with a chance of at most the level.

    Parameters
    ----------
    model : LSCE, LSMI or Sliced
        Fitted, for its options; also a pipeline or search that ends in one, what is before it staying as it is.
    X, y : array or data frame of shape (n, d), array of shape (n,) or (n, d_y)
        Rows to fit to, those of the fit or others.
    sample_weight : array of shape (n,), optional
        Weights of the rows.
    level : float in (0, 1)
        Of every test.
    folds : int
        Parts of the rows that are left out in turn.
    most : int
        Most directions that are fitted.
    seed : int
        Of the folds.

    Returns
    -------
    DimensionTest

    Raises
    ------
    ValueError
        For a model without directions and for data that it cannot be fitted to.

    Notes
    -----
    Source: P. Bayle, A. Bayle, L. Janson and L. Mackey, NeurIPS 2020, for the standard error; J. Lei, J. Amer. Statist.
    Assoc. 115, 2020.
    """
    final, rows = _final(model, X)
    targets = as_targets(y)
    check_consistent_length(rows, targets)
    weights = None if sample_weight is None else as_float64(sample_weight, "sample_weight")
    n_directions, all_rejected, steps = final._model.dimension_test(
        final._rows(rows),
        as_rows(targets.reshape(len(targets), -1)),
        weights=weights,
        options={"level": level, "folds": folds, "most": most, "seed": seed},
        threads=threads_of(final.n_jobs),
    )
    tested, score, gain, error, p_value, rejected = np.ascontiguousarray(steps.T)
    return DimensionTest(
        n_directions, all_rejected, tested.astype(np.intp), score, gain, error, p_value, rejected.astype(bool)
    )
