"""Distributions through scikit-learn's compositions: pipelines, searches, transformed targets, held-out rows.

A wrapper predicts all that the estimator inside does::

    model = DistributionRegressor(make_pipeline(StandardScaler(), LSCDE())).fit(X, y)
    model.predict_interval(X_new, 0.9)
    dist = cross_val_predict_distribution(model, X, y, cv=5)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin, clone
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import Tags, _safe_indexing, get_tags
from sklearn.utils._metadata_requests import _routing_enabled
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted, indexable

from condens._arrays import as_targets
from condens._frames import column_names
from condens._predictions import Floats, PredictsDistributions
from condens.distributions import GaussianMixtures
from condens.estimators import ConditionalDensityRegressor
from condens.metrics import laws_of

if TYPE_CHECKING:
    from typing_extensions import Self  # from Python 3.11 on in typing

__all__ = ["DistributionRegressor", "cross_val_predict_distribution"]


class DistributionRegressor(PredictsDistributions, MetaEstimatorMixin, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A pipeline or search that ends in an estimator of condens, with all predictions of that estimator.

    It has `predict`, `predict_distribution`, `predict_quantiles`, `predict_interval` and `log_density`; scorers, plots
    and `condens.compare` accept it like the estimator itself. Like scikit-learn's TransformedTargetRegressor it may
    learn on another scale of y; predictions are on the scale of the y in `fit`.

    Parameters
    ----------
    regressor : estimator
        A pipeline or search that ends in an estimator of condens, or such an estimator. It is cloned for `fit`.
    transformer : transformer, optional
        Of y: one that shifts and scales, such as StandardScaler, MinMaxScaler or RobustScaler. The distribution of
        the original y is a mixture of Gaussians for these only.

    Attributes
    ----------
    regressor_ : estimator
        The fitted clone.
    transformer_ : transformer or None
        The fitted clone.
    n_features_in_, feature_names_in_
        Those of `regressor_`, if it has them.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import PolynomialFeatures
    >>> from condens import LSCDE, DistributionRegressor
    >>> X, y = np.arange(20.0)[:, None], np.arange(20.0) % 7
    >>> model = make_pipeline(PolynomialFeatures(2), LSCDE(bandwidth=0.5, bandwidth_y=0.3, regularization=0.1))
    >>> DistributionRegressor(model).fit(X, y).predict_interval(X[:3]).shape
    (3, 2)
    """

    # Weights of `fit` go to the regressor, which says whether it wants them.
    __metadata_request__fit = {"sample_weight": UNUSED}  # noqa: RUF012

    def __init__(self, regressor: Any, *, transformer: Any = None) -> None:
        self.regressor = regressor
        self.transformer = transformer

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Fit a clone of the regressor.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
            Inputs, as the regressor takes them.
        y : array, series or data frame of shape (n,) or (n, d_y)
            Targets.
        sample_weight : array of shape (n,), optional
            Weights of the rows, for the estimator of condens. With scikit-learn's metadata routing they go where they
            are requested.
        **fit_params
            Handed on to the regressor's `fit`.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            When the transformer does more than shift and scale, and whatever the regressor raises.
        """
        if y is None:
            raise ValueError("DistributionRegressor.fit requires y to be passed, but the target y is None")
        targets = as_targets(y, least=2)
        self._y_ndim = targets.ndim
        self._target_names = column_names(y)
        self.transformer_ = None if self.transformer is None else clone(self.transformer)
        if self.transformer_ is not None:
            rows = targets.reshape(len(targets), -1)
            changed = np.asarray(self.transformer_.fit_transform(rows), dtype=np.float64)
            self._back = _shift_and_scale(self.transformer_, rows, changed)
            names = column_names(y)
            y = _like(changed.reshape(targets.shape), names)
        if sample_weight is not None:
            key = "sample_weight" if _routing_enabled() else _key_of_weights(self.regressor)
            fit_params = {**fit_params, key: sample_weight}
        if _routing_enabled():
            fit_params = process_routing(self, "fit", **fit_params).regressor.fit
        self.regressor_ = clone(self.regressor).fit(X, y, **fit_params)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.regressor_, name):
                setattr(self, name, getattr(self.regressor_, name))
        return self

    def predict_distribution(self, X: Any) -> GaussianMixtures:
        """The distribution of y given each row of X: an array of n Gaussian mixtures."""
        check_is_fitted(self, "regressor_")
        laws = laws_of(self.regressor_, X)
        if self.transformer_ is None:
            return laws
        shift, scale = self._back if laws.n_targets > 1 else (part[0] for part in self._back)
        return laws.scale(scale).shift(shift)

    def get_metadata_routing(self) -> MetadataRouter:
        """Where arguments of `fit` go: to the regressor. scikit-learn asks this."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add_self_request(self).add(regressor=self.regressor, method_mapping=mapping)

    def _names_of_targets(self, count: int) -> list[str]:
        return self._target_names or super()._names_of_targets(count)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        own = get_tags(self.regressor)
        tags.input_tags = own.input_tags
        tags.target_tags.multi_output = own.target_tags.multi_output
        return tags


def _like(y: Floats, names: list[str]) -> Any:
    """y with the names that it had, as pandas or without."""
    if not names:
        return y
    try:
        import pandas as pd
    except ImportError:
        return y
    return pd.Series(y, name=names[0]) if y.ndim == 1 else pd.DataFrame(y, columns=names)


def _key_of_weights(estimator: Any) -> str:
    """The name under which `fit` hands weights on to the density at the end."""
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        return f"{name}__{_key_of_weights(last)}"
    inner = getattr(estimator, "estimator", None)
    if inner is None or isinstance(estimator, ConditionalDensityRegressor):
        return "sample_weight"
    return _key_of_weights(inner)


def _shift_and_scale(transformer: Any, rows: Floats, changed: Floats) -> tuple[Floats, Floats]:
    """Shift and scale of every target that take a transformed row back; ValueError where these do not."""
    d = rows.shape[1]
    if changed.shape != rows.shape:
        raise ValueError(f"transformer makes {changed.shape[-1]} columns of {d} of y, expected as many")
    points = np.vstack([changed.min(axis=0), changed.max(axis=0)])
    ends = np.asarray(transformer.inverse_transform(points), dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = (ends[1] - ends[0]) / (points[1] - points[0])
    shift = ends[0] - scale * points[0]
    spread = np.abs(rows).max(axis=0) + np.ptp(rows, axis=0)
    near = np.abs(shift + scale * changed - rows) <= 1e-8 * spread
    if not (np.isfinite(scale).all() and (scale != 0).all() and near.all()):
        raise ValueError(
            f"transformer = {transformer!r} does more to y than to shift and to scale it (StandardScaler, "
            "MinMaxScaler, RobustScaler do that); transform y yourself, predict quantiles or intervals, and take these "
            "back"
        )
    return shift, scale


def cross_val_predict_distribution(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    groups: ArrayLike | None = None,
    cv: Any = None,
    sample_weight: ArrayLike | None = None,
) -> GaussianMixtures:
    """The distribution of y at every row, by a fit to other rows (cross-validation).

    Parameters
    ----------
    estimator : estimator
        Of condens, or a pipeline or search that ends in one, or a `DistributionRegressor`. It is cloned for every fold.
    X : array or data frame of shape (n, d)
        Inputs.
    y : array, series or data frame of shape (n,) or (n, d_y)
        Targets.
    groups : array of shape (n,), optional
        For splitters that keep groups together.
    cv : int, splitter or splits, optional
        As in scikit-learn, 5 folds in the order of the rows where it is None. Every row must be tested once.
    sample_weight : array of shape (n,), optional
        Weights of the rows in the fits.

    Returns
    -------
    GaussianMixtures of shape (n,)
        In the order of the rows. Distributions of fewer components than others have components of weight zero: memory
        is n times the largest number of components.

    Raises
    ------
    ValueError
        When `cv` does not test every row once.

    Examples
    --------
    >>> import numpy as np
    >>> from condens import LSCDE, cross_val_predict_distribution
    >>> X, y = np.arange(20.0)[:, None], np.arange(20.0) % 7
    >>> dist = cross_val_predict_distribution(LSCDE(bandwidth=0.5, bandwidth_y=0.3, regularization=0.1), X, y)
    >>> dist.shape
    (20,)
    """
    X, y, groups = indexable(X, y, groups)
    splits = held_out_rows(cv, X, y, groups)
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    parts: list[tuple[NDArray[np.intp], GaussianMixtures]] = []
    for train, test in splits:
        model = estimator if isinstance(estimator, DistributionRegressor) else DistributionRegressor(estimator)
        own = None if weights is None else weights[train]
        model = clone(model).fit(_safe_indexing(X, train), _safe_indexing(y, train), sample_weight=own)
        parts.append((test, model.predict_distribution(_safe_indexing(X, test))))
    laws = GaussianMixtures.concatenate([own for _, own in parts])
    return laws[np.argsort(np.concatenate([places for places, _ in parts]), kind="stable")]


def held_out_rows(cv: Any, X: Any, y: Any, groups: Any) -> list[tuple[NDArray[Any], NDArray[np.intp]]]:
    """Rows to fit to and rows left out, of splits that leave every row out once."""
    n = len(y)
    times = np.zeros(n, dtype=np.intp)
    splits = []
    for train, test in check_cv(cv, y, classifier=False).split(X, y, groups):
        times[test] += 1
        splits.append((train, np.arange(n)[test]))
    if not (times == 1).all():
        raise ValueError(
            f"cv tests row {int((times != 1).argmax())} {times[(times != 1).argmax()]} times, expected splits that "
            "test every row once, as those of KFold"
        )
    return splits
