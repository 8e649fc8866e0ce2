"""Scores of predicted distributions, and scorers for grid search and cross-validation::

    GridSearchCV(LSCDE(), {"regularization": [0.01, 0.1, 1.0]}, scoring=condens.metrics.log_likelihood_scorer)

Scorers are greater-is-better, as scikit-learn's; pass `sample_weight` to them by metadata routing.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import MetadataRequest
from sklearn.utils.validation import _check_sample_weight, check_consistent_length

from condens import _cluster, _core
from condens._arrays import as_float64, as_rows, as_targets, threads_of
from condens._censoring import required_limits
from condens.distributions import GaussianMixtures
from condens.estimators import ConditionalDensityRegressor

__all__ = [
    "Scorer",
    "SubspaceChange",
    "censored_scores",
    "concordance",
    "coverage_slices",
    "crps",
    "crps_scorer",
    "kaplan_meier",
    "laws_of",
    "log_likelihood",
    "log_likelihood_scorer",
    "score_table",
    "squared_loss",
    "squared_loss_scorer",
    "subspace_change",
    "subspace_distance",
]


def _final(estimator: Any, X: Any) -> tuple[Any, Any]:
    """The density estimator within pipelines and searches, and X, where it is given, as that estimator gets it."""
    while not hasattr(estimator, "predict_distribution") or _only_wraps(estimator):
        if _only_wraps(estimator):
            estimator = estimator.regressor_
        elif isinstance(estimator, Pipeline):
            X = estimator[:-1].transform(X) if len(estimator) > 1 and X is not None else X
            estimator = estimator[-1]
        elif hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        else:
            raise TypeError(
                f"{type(estimator).__name__} has no predict_distribution; expected an estimator of condens, "
                "or a fitted pipeline or search that ends in one; for a transformed target there is "
                "condens.DistributionRegressor"
            )
    return estimator, X


def _only_wraps(estimator: Any) -> bool:
    """Whether it is a fitted DistributionRegressor without a transformer of y."""
    fitted = getattr(estimator, "__dict__", {})
    return "regressor_" in fitted and fitted.get("transformer_", estimator) is None


def laws_of(estimator: Any, X: Any) -> GaussianMixtures:
    """The distributions of y given the rows of X, also from a fitted pipeline or search that ends in a density.

    `condens.DistributionRegressor` gives pipelines and searches the other predictions, too.
    """
    final, inputs = _final(estimator, X)
    laws: GaussianMixtures = final.predict_distribution(inputs)
    return laws


def _targets(y: ArrayLike, laws: GaussianMixtures) -> NDArray[np.float64]:
    values = as_targets(y)
    check_consistent_length(values, laws)
    return values.reshape(len(values)) if laws.n_targets == 1 else values


def _mean(values: NDArray[np.float64], sample_weight: ArrayLike | None) -> float:
    weights = None if sample_weight is None else _check_sample_weight(sample_weight, values)
    return float(np.average(values, weights=weights))


def log_likelihood(y: ArrayLike, laws: GaussianMixtures, *, sample_weight: ArrayLike | None = None) -> float:
    """Mean log density of y; greater is better."""
    return _mean(laws.logpdf(_targets(y, laws)), sample_weight)


def crps(y: ArrayLike, laws: GaussianMixtures, *, sample_weight: ArrayLike | None = None) -> float:
    """Mean continuous ranked probability score, the energy score for several targets; less is better."""
    return _mean(laws.energy_score(_targets(y, laws)), sample_weight)


def squared_loss(y: ArrayLike, laws: GaussianMixtures, *, sample_weight: ArrayLike | None = None) -> float:
    """Mean of (1/2) integral p^2 - p(y); less is better. Half of the CDE loss of Izbicki and Lee (2016)."""
    return _mean(laws.squared_loss(_targets(y, laws)), sample_weight)


def subspace_distance(A: ArrayLike, B: ArrayLike) -> float:
    """How far two subspaces lie apart: the Frobenius norm of the difference of the projections onto them.

    It is the dimensionality-reduction error of Tangkaratt, Xie and Sugiyama (2015), section 3.2: 0 for the same
    subspace, sqrt(2 k) at right angles.

    Parameters
    ----------
    A, B : arrays of shape (k, d) and (l, d)
        Rows that span the subspaces; they need not be orthonormal. `components_` of an estimator is on the
        standardised scale of X: compare like with like.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        For rows of different lengths, numbers that are not finite, and rows that do not span as many dimensions as
        there are.
    """
    return float(np.sqrt(2) * subspace_change(A, B).distance)


@dataclass(frozen=True)
class SubspaceChange:
    """How far two subspaces lie apart.

    Attributes
    ----------
    angles : array of shape (min(k, l),)
        The principal angles, in radians, falling (Bjorck and Golub 1973).
    distance : float
        The Frobenius norm of the difference of the projections over sqrt(2): the root of the sum of the angles'
        squared sines, where both have as many dimensions.
    share : float
        0 for the same subspace, 1 at right angles.
    """

    angles: NDArray[np.float64]
    distance: float
    share: float


def subspace_change(A: ArrayLike, B: ArrayLike) -> SubspaceChange:
    """How far two subspaces lie apart, by their principal angles.

    Parameters
    ----------
    A, B : arrays of shape (k, d) and (l, d)
        Rows that span the subspaces; they need not be orthonormal. `components_` of an estimator is on the
        standardised scale of X: compare like with like.

    Raises
    ------
    ValueError
        For rows of different lengths, numbers that are not finite, and rows that do not span as many dimensions as
        there are.
    """
    bases = []
    for values, name in ((A, "A"), (B, "B")):
        rows = np.atleast_2d(as_float64(values, name))
        if rows.ndim != 2 or not np.isfinite(rows).all():
            raise ValueError(f"{name} must be rows of finite numbers, expected shape (k, d)")
        if len(rows) > rows.shape[1] or (len(rows) and np.linalg.matrix_rank(rows) < len(rows)):
            raise ValueError(f"{name} has {len(rows)} rows that span fewer dimensions, expected independent rows")
        bases.append(as_rows(rows))
    if bases[0].shape[1] != bases[1].shape[1]:
        raise ValueError(
            f"A has rows of {bases[0].shape[1]} numbers, B of {bases[1].shape[1]}, expected the same space"
        )
    return SubspaceChange(*_core.subspace_change(*bases))


class Scorer:
    """A score of distributions in the form of scikit-learn's scorers: `scorer(estimator, X, y)`, greater is better.

    Parameters
    ----------
    score : callable
        `score(y, laws, sample_weight=None)`, one number.
    sign : {1, -1}
        -1 for losses.
    """

    def __init__(self, score: Callable[..., float], sign: int) -> None:
        self._score = score
        self._sign = sign
        self._request = MetadataRequest(owner=score.__name__)

    def __call__(self, estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Mean score of the distributions that a fitted estimator, pipeline or search predicts."""
        return self._sign * self._score(y, laws_of(estimator, X), sample_weight=sample_weight)

    def __repr__(self) -> str:
        return f"<Scorer: {'-' if self._sign < 0 else ''}{self._score.__name__}>"

    def set_score_request(self, *, sample_weight: bool | str | None) -> Scorer:
        """A copy that requests `sample_weight` (True), does not (False), or requests it by another name."""
        out = copy.deepcopy(self)
        out._request.score.add_request(param="sample_weight", alias=sample_weight)
        return out

    def get_metadata_routing(self) -> MetadataRequest:
        """What the scorer asks to be passed."""
        return self._request


log_likelihood_scorer = Scorer(log_likelihood, 1)
crps_scorer = Scorer(crps, -1)
squared_loss_scorer = Scorer(squared_loss, -1)


def _rows_to_score(
    estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[ConditionalDensityRegressor, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]:
    """The estimator of condens inside, and inputs, targets and weights as its core reads them."""
    final, inputs = _final(estimator, X)
    if not isinstance(final, ConditionalDensityRegressor):
        raise TypeError(f"{type(final).__name__} is no estimator of condens")
    rows = final._rows(inputs)
    values = as_targets(y)
    check_consistent_length(rows, values)
    weights = None if sample_weight is None else _check_sample_weight(sample_weight, rows, dtype=np.float64)
    return final, rows, as_rows(values.reshape(len(values), -1)), weights


def score_table(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    levels: Sequence[float] = (0.5, 0.8, 0.9, 0.95),
    highest_density: bool = True,
) -> dict[str, Any]:
    """All scores of the command `condens score`, with standard errors.

    NLL, squared loss, energy score, and for every target CRPS, tests of PIT uniformity, coverage and width
    of central intervals and (at a millisecond a row) coverage of highest density regions.

    Collections of dask, and columns of files, are scored where they are by the estimators of `condens.dask` and
    `condens.disk`: the same numbers up to the rounding of sums, Kolmogorov and Smirnov's statistic up to 1 / 16384.
    """
    options = {"levels": [float(level) for level in levels], "highest_density": highest_density}
    engine = estimator._rows_elsewhere(X, y, sample_weight) if hasattr(estimator, "_rows_elsewhere") else None
    if engine is not None:
        with closing(engine):
            return _cluster.score_table(estimator, engine, options)
    final, rows, targets, weights = _rows_to_score(estimator, X, y, sample_weight)
    return final._model.score(rows, targets, weights, options, threads_of(final.n_jobs))


def coverage_slices(
    estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, confidence: float = 0.9
) -> dict[str, Any]:
    """Coverage of `predict_interval` within slices of the rows, as `condens score --slices` has it.

    Slices are the fifths of every numeric input, the levels of every category, and the fifths of the widths. Of each
    "slices" has "input", "part", "rows", "coverage" with its binomial "standard_error", mean "width" and "z", the
    distance from the level in standard errors; "worst" is that of the least z, None where none is below the level.
    """
    final, rows, targets, weights = _rows_to_score(estimator, X, y, sample_weight)
    return _core.coverage_slices(final._model, rows, targets, confidence, weights, threads_of(final.n_jobs))


def kaplan_meier(
    y: ArrayLike,
    censored: ArrayLike | None = None,
    entry: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> dict[str, NDArray[np.float64]]:
    """The Kaplan-Meier estimate of P(Y > t) of exact and right-censored values, with Greenwood's standard errors.

    Arrays "times" (where values are), "survival", "standard_error" (NaN where nothing is left), "at_risk" and "events".
    A row censored at t is at risk there; with `entry` a row is at risk after its entry (Kaplan and Meier 1958).
    """
    low, high, late = required_limits(y, censored, None, entry)
    weights = None if sample_weight is None else as_float64(sample_weight, "sample_weight")
    return _core.kaplan_meier(low, high, late, weights)


def concordance(y: ArrayLike, predictions: ArrayLike, censored: ArrayLike | None = None) -> float:
    """Harrell's c: the share of pairs, of which it is known whose y is smaller, that `predictions` order alike.

    Of equal predictions a pair counts half; 0.5 is chance, 1 perfect; NaN without such a pair (Harrell et al. 1982).
    """
    low, high, _ = required_limits(y, censored)
    found = _core.concordance(low, high, as_rows(as_float64(predictions, "predictions").reshape(-1)))
    return float(found["value"])


def censored_scores(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    censored: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    entry: ArrayLike | None = None,
) -> dict[str, Any]:
    """Scores of a target known by its limits, as `condens score --censored` gives them.

    "nll": the mean of -log p(y | x) of exact values and -log P(low < Y <= high | x) of others, plus
    log P(Y > entry | x) of rows seen late; "crps_of_exact": of exact values alone; "concordance" of the predicted
    medians, with "n_pairs", where no row is left or interval censored.
    """
    final, inputs = _final(estimator, X)
    if not isinstance(final, ConditionalDensityRegressor):
        raise TypeError(f"{type(final).__name__} is no estimator of condens")
    rows = final._rows(inputs)
    low, high, late = required_limits(y, censored, upper, entry)
    check_consistent_length(rows, low)
    weights = None if sample_weight is None else _check_sample_weight(sample_weight, rows, dtype=np.float64)
    return _core.score_censored(final._model, rows, low, high, late, weights=weights, threads=threads_of(final.n_jobs))
