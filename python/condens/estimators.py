"""Conditional densities as scikit-learn regressors, one class for each model that the core registers."""

from __future__ import annotations

import difflib
from os import PathLike, fsdecode, fspath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from condens import _core
from condens._arrays import as_float64, as_rows, as_share, threads_of
from condens._bands import SubspaceIntervals
from condens._censoring import known_values, limits_of
from condens._frames import as_frame, check_inputs, names_of_features, names_of_targets
from condens._parameters import defaults, docstring, named, parameters_of, signature
from condens._regressor import ConditionalDensityRegressor as ConditionalDensityRegressor
from condens.distributions import GaussianMixtures

if TYPE_CHECKING:
    from typing_extensions import Self  # from Python 3.11 on in typing

    from condens._registered import *  # noqa: F403  (every estimator, with its keywords)

Floats = NDArray[np.float64]


class _WithUnlabeled(ConditionalDensityRegressor):
    """Estimators that learn from inputs without targets, too."""

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        X_unlabeled: Any | None = None,
        *,
        censored: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        entry: ArrayLike | None = None,
    ) -> Self:
        return self._fit(X, y, sample_weight, X_unlabeled, limits_of(y, censored, upper, entry))

    fit.__doc__ = (ConditionalDensityRegressor.fit.__doc__ or "").replace(
        "        Returns\n",
        "        X_unlabeled : array or data frame of shape (n', d), optional\n"
        "            Inputs whose target is unknown.\n\n        Returns\n",
    )


class _Selecting(SelectorMixin, ConditionalDensityRegressor):  # type: ignore[misc]
    """Estimators that select inputs are selectors of scikit-learn, too: `get_support`, `transform`."""

    support_: NDArray[np.bool_]

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_


class _Reducing(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ConditionalDensityRegressor):  # type: ignore[misc]
    """Estimators that reduce the inputs to a few directions are transformers of scikit-learn, too.

    Attributes
    ----------
    components_ : array of shape (n_components, d)
        One direction a row, orthonormal on the standardised scale of X. A category has a column for each of its
        indicators.
    """

    components_: Floats
    n_components_: int

    def transform(self, X: Any) -> Floats:
        """The directions of each row of X, of shape (n, n_components): `components_` times the standardised X."""
        rows = self._rows(X)
        return self._model.transform(rows)

    def subspace_intervals(self, confidence: float = 0.9, method: str = "percentile") -> SubspaceIntervals:
        """How sure the directions are: what the replicates of an estimator fitted with `bootstrap` say of the subspace.

        Parameters
        ----------
        confidence : float in (0, 1)
            Level of the intervals and of the bounds.
        method : {'percentile', 'basic', 'normal'}
            How intervals follow from the replicates, as in `predict_bands`.

        Returns
        -------
        SubspaceIntervals

        Raises
        ------
        ValueError
            Without replicates, and with too few for the level.

        Notes
        -----
        Every search starts where that of all rows ended. Source: Z. Ye and R. E. Weiss, J. Amer. Statist. Assoc. 98,
        2003; docs/bands.md.
        """
        check_is_fitted(self)
        return SubspaceIntervals(**self._model.subspace_intervals(as_share(confidence, "confidence"), method))

    @property
    def _n_features_out(self) -> int:
        return self.n_components_


class _Additive(_Selecting):
    """Estimators whose density is a sum over inputs."""

    groups: Any

    def contribution(self, feature: int, x: ArrayLike, y: ArrayLike) -> Floats:
        """What one input alone adds to the unnormalised density: r_d(y, x_d) of Shiga et al. (2015), eq. 4.

        Parameters
        ----------
        feature : int
            Place of the input among the columns of X; it has numbers.
        x : array of shape (m,)
            Values of that input.
        y : array of shape (k,) or (k, d_y)
            Values of the targets.

        Returns
        -------
        array of shape (m, k)
            On the standardised scale of y. Zero for an input that was not selected.

        Raises
        ------
        ValueError
            For a column that there is not, and one of a group of several (`groups`).
        """
        check_is_fitted(self)
        if not 0 <= feature < self.n_features_in_:
            raise ValueError(f"feature = {feature}, expected an index in [0, {self.n_features_in_})")
        groups = np.asarray([] if self.groups is None else self.groups).ravel()
        if groups.size and np.count_nonzero(groups == groups[feature]) > 1:
            raise ValueError(
                f"feature = {feature} is in a group with others (groups), which have one term together; expected an "
                "input of its own"
            )
        grid_x, grid_y = (as_float64(values, name) for values, name in ((x, "x"), (y, "y")))
        return self._model.contribution(
            int(feature), as_rows(grid_x.reshape(-1, 1)), as_rows(grid_y.reshape(len(grid_y), -1))
        )


class _OfQuantiles(ConditionalDensityRegressor):
    """Estimators whose density is made from quantiles that they estimate."""

    def exact_quantiles(self, X: Any) -> Floats:
        """The estimated quantiles at each row of X, of shape (n, levels), at the levels `levels_`.

        They solve the problems of quantile regression; those of `predict_quantiles` are of the density made from them.
        """
        rows = self._rows(X)
        return self._model.exact_quantiles(rows, threads_of(self.n_jobs))


class _OfStates(ConditionalDensityRegressor):
    """Estimators whose distribution at x mixes the distributions of a few states."""

    state_coef_: Floats

    def state_weights(self, X: Any) -> Floats:
        """The weights of the states at each row of X, of shape (n, n_states): every row sums to one."""
        rows = self._rows(X)
        return self._model.state_weights(rows)

    def entropy(self, X: Any) -> Floats:
        """Entropy of the weights at each row of X, in bits: 0 where the state is certain (Goerg 2017, eq. 18)."""
        rows = self._rows(X)
        return self._model.entropy(rows)

    def smoothing_matrix(self, X: Any) -> Floats:
        """S of y-hat = S y (Goerg 2017, eq. 24) at rows of the fit, of shape (n, n).

        Row i holds what every row, of weight 1, weighs in the mean at row i.
        """
        rows = self._rows(X)
        return self._model.smoothing_matrix(rows)

    def state_distances(self, X: Any, other: Any = None) -> Floats:
        """Cosine distances between the state weights of the rows of X and of `other`, by default X itself.

        Of shape (n, m): 0 for rows of the same predictive distribution, 1 where no state is common to both (Goerg
        2017, eq. 41).
        """
        rows = self._rows(X)
        return self._model.state_distances(rows, rows if other is None else self._rows(other))

    def state_factors(self, X: Any) -> tuple[Floats, Floats]:
        """V and lambda of the smoothing matrix S = V diag(lambda) V' at rows of the fit (Goerg 2017, eq. 42).

        V, of shape (n, n_states), holds the states' weights with columns of length one; lambda, of shape (n_states,),
        adds up to the degrees of freedom. The columns are orthogonal if and only if every row is certain of its state.
        """
        rows = self._rows(X)
        return self._model.state_factors(rows)

    def representative_rows(self, X: Any, count: int = 1) -> NDArray[np.intp]:
        """Numbers of the rows of X with the largest weight of every state, of shape (n_states, count).

        The largest comes first. Where a mean of the inputs would be no possible row, these are examples of a state.
        """
        rows = self._rows(X)
        return self._model.representative_rows(rows, count).astype(np.intp)

    def state_coef_interval(self, confidence: float = 0.95, method: str = "robust") -> tuple[Floats, Floats]:
        """Lower and upper bounds of `state_coef_`.

        Parameters
        ----------
        confidence : float in (0, 1)
            Level of each interval for itself, not of all of them at once.
        method : {'robust', 'percentile', 'basic', 'normal'}
            By `robust_standard_errors_` (empty where there are no such errors), or from the replicates of an estimator
            fitted with `bootstrap`, whose states are matched to the fitted ones.

        Raises
        ------
        ValueError
            For an unknown method; for those of the bootstrap without replicates, and with too few for the level.
        """
        check_is_fitted(self)
        if method == "robust":
            return self._model.coefficient_intervals(confidence)
        return self._model.bootstrap_coefficients(confidence, method)

    @property
    def coef_(self) -> Floats:
        """Coefficients of the inputs in every state's score, of shape (n_states, n_features): of `state_coef_`."""
        return self._linear("coef_")[:, 1:]

    @property
    def intercept_(self) -> Floats:
        """Constant of every state's score, of shape (n_states,): of `state_coef_`."""
        return self._linear("intercept_")[:, 0]

    def _linear(self, name: str) -> Floats:
        check_is_fitted(self)
        coefficients: Floats = self.state_coef_
        if not coefficients.size or self._model.encoder.named_inputs:
            text = f"{type(self).__name__!r} object has no attribute {name!r}: only a linear map of inputs without "
            raise AttributeError(text + "categories has it; see state_coef_")
        return coefficients

    @property
    def state_distribution_(self) -> GaussianMixtures:
        """The distribution of y in each state, of shape (n_states,)."""
        check_is_fitted(self)
        laws = self._model.state_densities()
        return GaussianMixtures._of(laws, (self._model.results["n_states"],), self.n_jobs)


class _OfRatio(ConditionalDensityRegressor):
    """Estimators whose density is a ratio of two densities, divided by its mass."""

    def log_mass(self, X: Any) -> Floats:
        """The logarithm of the mass of the ratio p(x, y) / p(x) at each row of X: 0 where both have the same widths.

        Without a defensive component `log_density(X, y) + log_mass(X)` is the logarithm of the ratio itself
        (Sugiyama et al. 2010, section 3.4).
        """
        rows = self._rows(X)
        return self._model.log_mass(rows, threads_of(self.n_jobs))


def _is_plain_density(estimator: Any) -> bool:
    if estimator.__sklearn_is_fitted__() and estimator._model.n_inputs:
        raise AttributeError("the model was fitted with a target; use log_density(X, y) or predict_distribution(X)")
    return True


class _Density(ConditionalDensityRegressor):
    """Estimators of the density of all columns together; with a target they condition it on the inputs."""

    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        censored: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        entry: ArrayLike | None = None,
    ) -> Self:
        """Fit the density of the columns of X or, with y, the distribution of y given X.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
            Without y the rows whose density is wanted (numbers only; (n,) is one column), with y the inputs.
        y : array, series or data frame of shape (n,), (n, 1) or (n, d_y), optional
            Targets. The density of (X, y) is fitted and conditioned on X, exactly.
        sample_weight : array of shape (n,), optional
            Weights >= 0, in any unit: where they add up to less than the number of rows they are shares of the rows,
            else weight 2 counts as two copies of the row.
        censored : array of shape (n,), optional
            How y, or without y the one column of X, is known: 0, False or "exact": the value itself; 1, True or
            "right": more than it; "left": less than it.
        upper : array of shape (n,), optional
            Upper ends, of which y (or X) has the lower ones: equal where exact, NaN where an end is open.
        entry : array of shape (n,), optional
            Delayed entry: the row is there only because its target is above this; NaN where that is not so.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            For invalid arguments or data.
        Cancelled
            When the callback returned False.
        """
        limits = limits_of(X if y is None else y, censored, upper, entry)
        return (
            self._fit_density(X, sample_weight, limits) if y is None else self._fit(X, y, sample_weight, None, limits)
        )

    def _fit_density(self, X: Any, sample_weight: Any, limits: Any = None) -> Self:
        rows = self._density_rows(known_values(X, limits))
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, rows, dtype=np.float64)
        names = [str(name) for name in getattr(self, "feature_names_in_", [])]
        self._fit_core(
            np.empty((len(rows), 0)),
            as_rows(rows),
            weights=weight,
            encoder=None,
            input_names=[],
            target_names=names or names_of_targets(None, rows, ()),
            limits=limits,
        )
        return self

    def _density_rows(self, X: Any) -> Floats:
        X = as_frame(X)
        check_inputs(X)
        return self._checked(X, reset=True)

    @available_if(_is_plain_density)  # type: ignore[untyped-decorator]  # scikit-learn has no types
    def score_samples(self, X: Any) -> Floats:
        """Log density at every row of X, for a model that was fitted without y."""
        check_is_fitted(self)
        rows = self._checked(as_frame(X), reset=False)
        return self._model.log_density(np.empty((len(rows), 0)), as_rows(rows), threads_of(self.n_jobs))

    @available_if(_is_plain_density)  # type: ignore[untyped-decorator]  # scikit-learn has no types
    def sample(self, n_samples: int = 1, random_state: Any = None) -> Floats:
        """Draws from the density, of shape (n_samples, d), for a model that was fitted without y."""
        check_is_fitted(self)
        return np.reshape(self.distribution_.rvs(n_samples, random_state=random_state), (n_samples, -1))

    def score(
        self,
        X: Any,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        censored: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        entry: ArrayLike | None = None,
    ) -> float:
        """The mean log density of the rows of X or, with y, what other estimators score.

        That is R squared of the mean, or of a target known by its limits the mean log likelihood of these.
        """
        if y is not None:
            return super().score(X, y, sample_weight, censored=censored, upper=upper, entry=entry)
        if limits_of(X, censored, upper, entry) is not None:
            raise ValueError("of a density without inputs give the target as y, and X as an array of shape (n, 0)")
        weight = None if sample_weight is None else as_float64(sample_weight, "sample_weight")
        return float(np.average(self.score_samples(X), weights=weight))

    def _checked(self, X: Any, reset: bool) -> Floats:
        if np.ndim(X) == 1:
            X = np.reshape(X, (-1, 1))
        rows = validate_data(self, X, reset=reset, dtype=np.float64, order="C", ensure_min_samples=2 if reset else 1)
        return np.asarray(rows, dtype=np.float64)

    def _inputs_of(self, X: Any, encoder: _core.Encoder | None) -> Floats:
        if self.__sklearn_is_fitted__() and not self._model.n_inputs:
            raise ValueError(
                f"{type(self).__name__} was fitted without a target; use distribution_, score_samples or sample"
            )
        return super()._inputs_of(X, encoder)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        tags.regressor_tags.poor_score = True  # a density of ten columns from fifty rows is no regression
        return tags


# What an estimator can do beside fit and predict follows from what its model can.
_BASES: dict[str, type[ConditionalDensityRegressor]] = {
    "has_contributions": _Additive,
    "selects_inputs": _Selecting,
    "reduces_inputs": _Reducing,
    "has_states": _OfStates,
    "has_quantiles": _OfQuantiles,
    "has_mass": _OfRatio,
    "is_density": _Density,
    "learns_from_unlabeled": _WithUnlabeled,
}


def _bases(info: dict[str, Any]) -> tuple[type, ...]:
    bases = tuple(base for capability, base in _BASES.items() if capability in info["capabilities"])
    return bases or (ConditionalDensityRegressor,)


def _make_estimator(info: dict[str, Any]) -> type[ConditionalDensityRegressor]:
    known = defaults(info)

    def __init__(self: ConditionalDensityRegressor, **parameters: Any) -> None:
        for name in parameters:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise TypeError(f"{info['class_name']}() has no argument {name!r}{hint}; it has {', '.join(known)}")
        for name, default in known.items():
            setattr(self, name, parameters.get(name, default))

    __init__.__signature__ = signature(info)  # type: ignore[attr-defined]
    bases = _bases(info)
    return type(
        info["class_name"],
        bases,
        {
            "__init__": __init__,
            "fit": named(type("", bases, {}).fit, f"{info['class_name']}.fit"),  # type: ignore[attr-defined]
            "__doc__": docstring(info),
            "__module__": __name__,
            "_info": info,
        },
    )


_CLASSES = {info["name"]: _make_estimator(info) for info in _core.models()}
globals().update({cls.__name__: cls for cls in _CLASSES.values()})
__all__ = sorted({"ConditionalDensityRegressor", "load"} | {cls.__name__ for cls in _CLASSES.values()})


def load(path: str | PathLike[str]) -> ConditionalDensityRegressor:
    """Read a model that was written by `save`, by the command line or by C++.

    Returns the fitted estimator; its parameters are the nearest preset and what differs from it. Raises
    OSError when the file cannot be read, and FormatError when it is truncated, altered, or no model.
    """
    with open(fspath(path), "rb") as file:
        # Names of files are not always UTF-8, which the core's messages are.
        return estimator_of(_core.parse_model(file.read(), fsdecode(path).encode("utf-8", "backslashreplace").decode()))


def estimator_of(model: _core.Model) -> ConditionalDensityRegressor:
    """The fitted estimator of a model that was read."""
    cls = _CLASSES[model.name]
    estimator = cls(
        **parameters_of(cls._info, model.options),
        target_kind=model.target_kind,
        conformal=_core.conformal_settings(model),
        calibrate=_core.calibration_map(model) is not None,
        bootstrap=model.n_replicates,
        missing=model.encoder.missing,
        unseen=model.encoder.unseen,
    )
    names, given = names_of_features(model, "is_density" in cls._info["capabilities"])
    estimator.n_features_in_ = len(names)
    if given:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    estimator._set_model(model, y_ndim=1 if model.n_targets == 1 else 2)
    return estimator
