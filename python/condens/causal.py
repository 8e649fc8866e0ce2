"""Densities of a treatment as nuisance functions of causal analyses: weights by the generalized propensity score.

The estimators are scikit-learn regressors, so that EconML and DoubleML take them for conditional means as they are; the
page docs/integrations.md shows it. What those lack is the density of a continuous treatment given the covariates, the
generalized propensity score (Hirano and Imbens 2004)::

    weight = stabilized_weights(GMM(), X, dose)                  # sample_weight of an outcome model
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from condens._arrays import as_float64, as_targets
from condens._frames import as_frame
from condens.composition import cross_val_predict_distribution, held_out_rows

__all__ = ["StabilizedWeights", "stabilized_weights"]

Floats = NDArray[np.float64]

_MOST_ROWS = 500  # whose mean is the density of the treatment


@dataclass(frozen=True)
class StabilizedWeights:
    """Weights of rows, p(t) / p(t | x), and what they are made of."""

    weights: Floats
    """Of mean one, shape (n,)."""
    log_score: Floats
    """Log of the generalized propensity score p(t | x) of every row, by a model that has not seen the row."""
    log_marginal: Floats
    """Log of p(t), or of p(t | v), at every row."""

    @property
    def effective_rows(self) -> float:
        """How many rows of equal weight these are worth (Kish 1965): (sum w)^2 / sum w^2."""
        return float(self.weights.sum() ** 2 / (self.weights**2).sum())

    def balance(self, X: Any, t: ArrayLike) -> Floats:
        """Correlations of every covariate with the treatment, before and after weighting, of shape (d, 2).

        Below 0.1 after weighting is the usual bound (Zhu, Coffman and Ghosh 2015).
        """
        covariates, treatment = as_float64(X, "X"), as_float64(t, "t").reshape(-1)
        if covariates.ndim != 2 or len(covariates) != len(self.weights) or len(treatment) != len(self.weights):
            raise ValueError(
                f"X and t have shapes {covariates.shape} and {treatment.shape}, expected a row for each of the "
                f"{len(self.weights)} weights"
            )
        return np.column_stack(
            [_correlations(covariates, treatment, own) for own in (np.ones_like(self.weights), self.weights)]
        )


def stabilized_weights(
    estimator: Any,
    X: Any,
    t: ArrayLike,
    *,
    given: Any = None,
    groups: ArrayLike | None = None,
    cv: Any = None,
    trim: float = 0.0,
) -> StabilizedWeights:
    """Stabilized inverse-density weights p(t) / p(t | x) of a continuous treatment (Robins, Hernan and Brumback 2000).

    In the weighted rows the treatment is independent of the covariates, so that a regression of the outcome on it tells
    what it does, where all that both depend on is among the covariates. Both densities at a row are by models that have
    not seen it (cross-fitting); p(t) is the mean of p(t | x) over the other rows of its fold, 500 at the most.

    Parameters
    ----------
    estimator : estimator of condens
        Of the density of the treatment given the covariates, or a pipeline or search that ends in one. It is cloned for
        every fold.
    X : array or data frame of shape (n, d)
        Covariates.
    t : array of shape (n,)
        Treatment, with a density.
    given : array or data frame of shape (n, k), optional
        Covariates v of the outcome model: the numerator is then p(t | v), by other clones of the estimator.
    groups : array of shape (n,), optional
        For splitters that keep groups together.
    cv : int, splitter or splits, optional
        The folds, as of `cross_val_predict_distribution`.
    trim : float in [0, 0.5), default 0
        Weights beyond these quantiles on either side are set to them: less variance, and some bias (Cole and Hernan
        2008).

    Returns
    -------
    StabilizedWeights

    Raises
    ------
    ValueError
        For invalid arguments, and where a treatment that was given has density zero.

    Examples
    --------
    >>> import numpy as np
    >>> from condens import GMM
    >>> from condens.causal import stabilized_weights
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(300, 1))
    >>> dose = 0.5 * X[:, 0] + random.normal(size=300)
    >>> found = stabilized_weights(GMM(n_components=1), X, dose)
    >>> before, after = abs(found.balance(X, dose)[0])
    >>> bool(before > 0.4 and after < 0.1)
    True
    """
    if not 0 <= trim < 0.5:
        raise ValueError(f"trim = {trim!r}, expected a number in [0, 0.5)")
    treatment = as_targets(t, least=2)
    if treatment.size != len(treatment):
        raise ValueError(f"t has shape {treatment.shape}, expected one treatment for every row")
    treatment = treatment.reshape(-1)
    X, given = as_frame(X), as_frame(given, "given")
    splits = held_out_rows(cv, X, treatment, groups)
    dist = cross_val_predict_distribution(estimator, X, treatment, cv=splits)
    log_score = dist.logpdf(treatment)
    if given is None:
        log_marginal = np.empty_like(treatment)
        for _, rows in splits:
            others = rows[:: -(-len(rows) // _MOST_ROWS)]
            log_marginal[rows] = logsumexp(dist[others][:, None].logpdf(treatment[rows]), axis=0) - np.log(len(others))
    else:
        log_marginal = cross_val_predict_distribution(estimator, given, treatment, cv=splits).logpdf(treatment)
    with np.errstate(over="ignore"):  # said below
        ratio = np.exp(log_marginal - log_score)
    if not np.isfinite(ratio).all():
        row = int(np.argmin(np.isfinite(ratio)))
        raise ValueError(
            f"t = {treatment[row]:g} in row {row + 1}, counting from 1, has density zero given its covariates: no "
            "weight makes up for it; leave out such rows, or take an estimator with wider tails"
        )
    if trim > 0:
        ratio = np.clip(ratio, *np.quantile(ratio, [trim, 1 - trim]))
    return StabilizedWeights(ratio / ratio.mean(), log_score, log_marginal)


def _correlations(X: Floats, t: Floats, weights: Floats) -> Floats:
    """Weighted correlation of every column of X with t."""
    share = weights / weights.sum()
    x, u = X - share @ X, t - share @ t
    spread = np.sqrt((share @ x**2) * (share @ u**2))
    found: Floats = np.divide(share @ (x * u[:, None]), spread, out=np.zeros(X.shape[1]), where=spread > 0)
    return found
