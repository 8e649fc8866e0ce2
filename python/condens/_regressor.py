"""The base of all estimators: a conditional density as a regressor of scikit-learn."""

from __future__ import annotations

import warnings
from os import PathLike, fsencode
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from condens import FitWarning, _core
from condens._arrays import as_float64, as_rows, as_targets, threads_of
from condens._bands import Functional, bands_of
from condens._censoring import known_values, limits_of
from condens._frames import as_frame, check_inputs, has_categories, is_frame, names_of_targets, read_columns
from condens._parameters import (
    COMMON,
    calibrate_share,
    chosen_options,
    conformal_settings,
    kind_text,
    replicate_settings,
    takes_missing,
)
from condens._predictions import PredictsDistributions
from condens._progress import observer
from condens._results import cv_results
from condens.distributions import GaussianMixtures
from condens.target_distributions import distributions_of

if TYPE_CHECKING:
    from typing_extensions import Self  # from Python 3.11 on in typing

Floats = NDArray[np.float64]

# Results that hold a number for every row of the core's x.
_OF_INPUTS = ("support", "feature_importances", "stability", "ranking")


def _learns_from_sums(estimator: Any) -> bool:
    return "learns_from_sums" in estimator._info["capabilities"]


def _learns_exactly(estimator: Any) -> bool:
    return "learns_exactly" in estimator._info["capabilities"]


def _checked_weights(weights: Any) -> Floats:
    values: Floats = as_float64(weights, "sample_weight").reshape(-1)
    wrong = ~((values >= 0) & (values < np.inf))
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"sample_weight: row {row + 1} has {values[row]}, expected a number >= 0")
    return values


class ConditionalDensityRegressor(PredictsDistributions, RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Base class of all estimators of condens."""

    _info: dict[str, Any]
    _model: _core.Model
    _sums: bytes  # of the rows that partial_fit has seen

    report_: dict[str, Any]
    cv_results_: dict[str, Any]
    x_mean_: Floats
    x_scale_: Floats
    y_mean_: Floats
    y_scale_: Floats

    # --- fitting ---------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        censored: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        entry: ArrayLike | None = None,
    ) -> Self:
        """Fit the distribution of y given X.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
            Inputs. Columns of texts and categories of a pandas or polars frame become indicators or, of more than 20
            levels, statistics of y; dates are read off the calendar.
        y : array, series or data frame of shape (n,), (n, 1) or (n, d_y)
            Targets; several are modelled jointly.
        sample_weight : array of shape (n,), optional
            Weights >= 0, in any unit: where they add up to less than the number of rows they are shares of the rows,
            else weight 2 counts as two copies of the row.
        censored : array of shape (n,), optional
            How y is known: 0, False or "exact": y itself; 1, True or "right": more than y; "left": less than y.
        upper : array of shape (n,), optional
            Upper ends, of which y has the lower ones: equal where y is exact, NaN where an end is open.
        entry : array of shape (n,), optional
            Delayed entry: the row is there only because its target is above this; NaN where that is not so.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            For invalid arguments or data.
        NumericalError
            When no candidate gives a density.
        Cancelled
            When the callback returned False.
        """
        return self._fit(X, y, sample_weight, None, limits_of(y, censored, upper, entry))

    @available_if(_learns_from_sums)  # type: ignore[untyped-decorator]  # scikit-learn has no types
    def partial_fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, forget: float = 1.0) -> Self:
        """Learn from further rows, at the cost of these alone.

        The first call is `fit`. Later ones keep what it chose and add the new rows to the sums that the rest follows
        from. `LSCDE` and `LSCE` keep scale, directions, centers, widths and broad component: the model is that of a fit
        to all rows with these given. `GMM` keeps scale, number and shape of its components: every call is a step of
        expectation maximisation, in which earlier rows keep the components that they were given to when they came.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
            Inputs, with the columns of the first call.
        y : array or series of shape (n,), (n, 1) or (n, d_y)
            Targets.
        sample_weight : array of shape (n,), optional
            Weights >= 0, in the unit of all calls.
        forget : float in (0, 1], default 1
            What rows of earlier calls count from now on, of what they counted before: a model whose rows count half
            after 30 calls has `forget=0.5 ** (1 / 30)`.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            For invalid arguments or data.
        NumericalError
            When no density is left.
        """
        if not 0 < forget <= 1:
            raise ValueError(f"forget = {forget!r}, expected a number in (0, 1]")
        sums: bytes | None = self.__dict__.get("_sums")
        if sums is None:
            self._check_plain("partial_fit")
            self._fit(X, y, sample_weight, None)
            self._sums = self._sums_of(X, y, sample_weight)
            return self
        return self._learn(_core.merge(_core.scale_state(sums, float(forget)), self._sums_of(X, y, sample_weight)))

    @available_if(_learns_exactly)  # type: ignore[untyped-decorator]
    def forget_rows(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Take rows of an earlier `partial_fit`, with their weights, out again, as those that a sliding window leaves
        behind.

        Raises
        ------
        ValueError, TypeError
            For invalid arguments or data, and without an earlier `partial_fit`.
        NumericalError
            When no density is left.
        """
        sums: bytes | None = self.__dict__.get("_sums")
        if sums is None:
            raise ValueError(
                "forget_rows: rows of a model that partial_fit has seen can be taken out, expected partial_fit"
            )
        return self._learn(_core.merge(sums, _core.scale_state(self._sums_of(X, y, sample_weight), -1.0)))

    def _check_plain(self, method: str) -> None:
        for setting in ("target_kind", "conformal", "calibrate", "bootstrap", "missing"):
            value, default = getattr(self, setting), COMMON[setting][0]
            if value != default:
                raise ValueError(f"{method}: {setting} = {value!r}, expected {default!r}: it needs all rows at once")

    def _sums_of(self, X: Any, y: Any, weights: Any) -> bytes:
        rows = self._rows(X)
        targets = as_targets(y)
        columns = targets.reshape(len(targets), -1).shape[1]
        if columns != self._model.n_targets:
            raise ValueError(f"y has {columns} columns, but {type(self).__name__} is expecting {self._model.n_targets}")
        given = None if weights is None else _checked_weights(weights)
        check_consistent_length(rows, targets, given)
        return _core.accumulate(
            _core.closing_pass(self._model),
            rows,
            as_rows(targets.reshape(len(targets), -1)),
            given,
            threads=threads_of(self.n_jobs),
        )

    def _learn(self, sums: bytes) -> Self:
        self._set_model(_core.finished(self._model, sums), y_ndim=self._y_ndim)
        self._sums = sums
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, unlabeled: Any, limits: Any = None) -> Self:
        if not hasattr(self, "_info"):
            raise TypeError("ConditionalDensityRegressor is the base class of estimators; fit one, as AutoCDE()")
        if y is None:
            raise ValueError(f"{type(self).__name__}.fit requires y to be passed, but the target y is None")
        x, encoder, targets, target_names = self._training_rows(X, known_values(y, limits), sample_weight)
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, x, dtype=np.float64)
        other = None if unlabeled is None else self._inputs_of(unlabeled, encoder)
        self._fit_core(
            x,
            as_rows(targets.reshape(len(targets), -1)),
            weights=weight,
            x_unlabeled=other,
            encoder=encoder,
            input_names=[str(name) for name in getattr(self, "feature_names_in_", [])],
            target_names=target_names,
            limits=limits,
        )
        self._y_ndim = targets.ndim
        return self

    def _training_rows(
        self, X: Any, y: Any, weights: Any = None
    ) -> tuple[Floats, _core.Encoder | None, Floats, list[str]]:
        """Inputs as numbers, the encoder that knows the levels of categories, targets and their names."""
        X, y = as_frame(X), as_frame(y, "y")
        check_inputs(X)
        if has_categories(X) or takes_missing(self.missing):
            return self._encode(X, y, weights)
        x, targets = validate_data(
            self,
            X,
            y,
            multi_output="takes_one_target" not in self._info["capabilities"],
            y_numeric=True,
            dtype=np.float64,
            order="C",
            ensure_min_samples=2,
        )
        targets = as_float64(targets, "y")
        return x, None, targets, names_of_targets(y, targets, getattr(self, "feature_names_in_", ()))

    def _fit_core(self, x: Floats, y: Floats, **data: Any) -> None:
        options = chosen_options(self._info, self, x, y)
        encoder = data["encoder"]
        said = [] if encoder is None else encoder.warnings(len(x))
        for text in said:  # before the fit, which may take long because of what they warn of
            warnings.warn(f"{type(self).__name__}: {text}", FitWarning, stacklevel=4)
        with observer(bool(self.verbose), self.callback) as watch:
            model = _core.fit(
                self._info["name"],
                self.preset,
                options,
                as_rows(x),
                y,
                threads=threads_of(self.n_jobs),
                callback=watch,
                target_kind=kind_text(self.target_kind),
                **conformal_settings(self.conformal, self._names_of_inputs(encoder, data["input_names"], x.shape[1])),
                pit_share=calibrate_share(self.calibrate),
                **replicate_settings(self.bootstrap),
                **data,
            )
        self._set_model(model, y_ndim=2)
        for text in model.warnings:
            if text not in said:
                warnings.warn(f"{type(self).__name__}: {text}", FitWarning, stacklevel=4)

    @staticmethod
    def _names_of_inputs(encoder: _core.Encoder | None, given: list[str], count: int) -> list[str]:
        """Names of the columns of X; of arrays those that the core gives."""
        return (encoder.input_names if encoder is not None else given) or [f"x{i + 1}" for i in range(count)]

    def _encode(self, X: Any, y: Any, weights: Any) -> tuple[Floats, _core.Encoder, Floats, list[str]]:
        """Inputs with categories as numbers, the encoder that knows their levels, targets and their names."""
        validate_data(self, X, skip_check_array=True)
        columns, categorical = read_columns(X, takes_missing(self.missing))
        targets = as_targets(y, least=2)
        check_consistent_length(X, targets)
        names = names_of_targets(y, targets, columns)
        rows = targets.reshape(len(targets), -1)
        table = {**columns, **{name: np.ascontiguousarray(rows[:, i]) for i, name in enumerate(names)}}
        weight = None if weights is None else _check_sample_weight(weights, rows, dtype=np.float64)
        encoder = _core.Encoder.fit(
            table,
            names,
            categorical,
            self.missing,
            many_levels=self.many_levels,
            rare_levels=self.rare_levels,
            unseen=self.unseen,
            weights=weight,
            seed=int(self.random_state) if isinstance(self.random_state, (int, np.integer)) else 0,
        )
        return as_rows(encoder.encode_training(table, weight)), encoder, targets, names

    def _set_model(self, model: _core.Model, y_ndim: int) -> None:
        self.__dict__.pop("_sums", None)
        self._model = model
        self._y_ndim = y_ndim
        fitted = self._fitted(model)
        self.__dict__.update(fitted)
        self._from_model = tuple(fitted)

    def _fitted(self, model: _core.Model) -> dict[str, Any]:
        """The attributes that a fit gives, all of them from the model."""
        results = {
            name + "_": self._by_input(name, value) if name in _OF_INPUTS else value
            for name, value in model.results.items()
        }
        scales = {name + "_": value for name, value in model.scales.items()}
        details = model.report["details"]
        choice = cv_results(details.get("candidates", {}), details.get("fold_scores"))
        return {**results, **scales, "report_": model.report, "cv_results_": choice}

    def _by_input(self, name: str, value: Floats) -> NDArray[Any]:
        """Numbers of the columns of X, from those of the core's inputs, in which a category has several."""
        encoder = self._model.encoder
        if (encoder.named_inputs or encoder.missing != "error") and len(value):
            columns = np.zeros(max(encoder.groups) + 1)
            (np.add if name == "feature_importances" else np.maximum).at(columns, encoder.groups, value)
            value = columns
        return value > 0 if name == "support" else value

    # --- prediction ----------------------------------------------------------------------------------

    def predict_distribution(self, X: Any) -> GaussianMixtures:
        """The distribution of y given each row of X: n GaussianMixtures, or TargetDistributions of a target_kind."""
        rows = self._rows(X)
        laws = self._model.predict(rows, threads_of(self.n_jobs))
        return distributions_of(laws, (len(rows),), self.n_jobs)  # type: ignore[no-any-return]

    def predict_bands(
        self, X: Any, functional: Functional = "mean", confidence: float = 0.9, method: str = "percentile"
    ) -> Floats:
        """Error bars of what the estimator says of y given each row of X: of one fitted with `bootstrap`.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
            Inputs.
        functional : callable, or name of a method without arguments
            What is asked of the n distributions of `predict_distribution(X)`: "mean", "std", "median", or a function
            of them that returns numbers, as many for every replicate: `lambda dist: dist.cdf(60.0)`.
        confidence : float in (0, 1)
            Level of the error bars.
        method : {'percentile', 'basic', 'normal'}
            How they follow from the replicates (Efron and Tibshirani 1993, chapters 12 and 13).

        Returns
        -------
        bands : array of shape (..., 2)
            The two ends, pointwise; the shape before is that of what the function returns. They are for what the
            estimate is on average over samples: the bias of a smoothed density is not in them.

        Raises
        ------
        ValueError
            Without replicates, with too few for the level, or for a functional whose shape changes.

        Notes
        -----
        Cost: one prediction for each replicate. Source: Efron 1979; docs/bands.md.
        """
        rows = self._rows(X)
        return bands_of(self._model, rows, functional, confidence, method, self.n_jobs)

    def _names_of_targets(self, count: int) -> list[str]:
        return self._model.encoder.target_names

    def _guaranteed(self, what: str, X: Any, level: float, weights: Any) -> Any:
        check_is_fitted(self)
        if not self._model.n_calibration:
            return super()._guaranteed(what, X, level, weights)
        rows = self._rows(X)
        shift = self._shift(rows, weights)
        return getattr(_core, what)(self._model, rows, level, *shift, threads=threads_of(self.n_jobs))

    def _shift(self, rows: Floats, weights: Any) -> tuple[Floats | None, Floats | None]:
        """Weights of the calibration rows and of these rows, for covariate shift."""
        if weights is None:
            return None, None
        if isinstance(weights, str) and weights == "estimated":
            return _core.estimate_shift(self._model, rows, threads=threads_of(self.n_jobs))
        if not isinstance(weights, tuple) or len(weights) != 2:
            raise TypeError(
                "weights: expected None, 'estimated', or a tuple of two arrays: the weights of calibration_rows_, "
                "and those of X"
            )
        calibration, own = (as_rows(np.ravel(as_float64(value, "weights"))) for value in weights)
        return calibration, own

    @property
    def calibration_rows_(self) -> NDArray[np.int64]:
        """Which rows of the fit, counting from 0, say how wide intervals with a guarantee must be, in the order of
        their weights.
        """
        check_is_fitted(self)
        if not self._model.n_calibration:
            raise AttributeError("calibration_rows_ is for estimators with conformal")
        return _core.calibration_rows(self._model).astype(np.int64)

    def log_density(self, X: Any, y: ArrayLike) -> Floats:
        """log p(y_i | x_i) for every row, without holding the distributions in memory."""
        rows = self._rows(X)
        targets = as_targets(y)
        check_consistent_length(rows, targets)
        targets = as_rows(targets.reshape(len(targets), -1))
        return self._model.log_density(rows, targets, threads_of(self.n_jobs))

    def score(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        censored: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        entry: ArrayLike | None = None,
    ) -> float:
        """R squared of the mean, as of any regressor; of a target known by its limits the mean log likelihood of these.

        That is log p(y | x) of exact values, log P(low < Y <= high | x) of others, less log P(Y > entry | x) of rows
        seen late. For the arguments see `fit`; `condens.metrics.censored_scores` gives more.
        """
        limits = limits_of(y, censored, upper, entry)
        if limits is None:
            return float(super().score(X, y, sample_weight))
        rows = self._rows(X)
        check_consistent_length(rows, limits[0])
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, rows, dtype=np.float64)
        scores = _core.score_censored(self._model, rows, *limits, weights=weight, threads=threads_of(self.n_jobs))
        return -float(scores["nll"]["value"])

    def _rows(self, X: Any) -> Floats:
        check_is_fitted(self)
        return self._inputs_of(X, self._model.encoder)

    def _inputs_of(self, X: Any, encoder: _core.Encoder | None) -> Floats:
        """X as the model reads it; checks names and number of columns."""
        X = as_frame(X)
        check_inputs(X)
        if encoder is not None and encoder.missing != "error":
            validate_data(self, X, reset=False, skip_check_array=True)
            columns = read_columns(X, True)[0]
            for text in [*encoder.filled_without_mark(columns), *encoder.unseen_levels(columns)]:
                warnings.warn(f"{type(self).__name__}: {text}", FitWarning, stacklevel=4)
            return as_rows(encoder.encode_inputs(columns))
        if encoder is not None and encoder.named_inputs:
            if not is_frame(X):
                raise TypeError(
                    f"{type(self).__name__} was fitted with categories in {', '.join(encoder.named_inputs)}; "
                    "X must be a data frame with these columns"
                )
            validate_data(self, X, reset=False, skip_check_array=True)
            columns = read_columns(X)[0]
            for text in encoder.unseen_levels(columns):
                warnings.warn(f"{type(self).__name__}: {text}", FitWarning, stacklevel=4)
            return as_rows(encoder.encode_inputs(columns))
        least = min(1, self.n_features_in_)
        X = validate_data(self, X, reset=False, dtype=np.float64, order="C", ensure_min_features=least)
        return as_rows(X)

    @property
    def coef_(self) -> Floats:
        """Coefficients of the inputs, which only a linear `PRESS` has: others have no such attribute.

        scikit-learn's selectors take it for importances of the inputs; the weights of kernels are `kernel_weights_`.
        """
        check_is_fitted(self)
        names = [result["name"] + "_" for result in self._info["results"]]
        known = {"feature_importances_": "importances of inputs", "kernel_weights_": "the weights of kernels"}
        found = ", ".join(f"{meaning} are {name}" for name, meaning in known.items() if name in names)
        text = f"{type(self).__name__!r} object has no attribute 'coef_': that would be numbers of the inputs"
        raise AttributeError(text + (f"; {found}" if found else ""))

    # --- what scikit-learn and pickle ask -------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = takes_missing(self.missing, check=False)
        tags.target_tags.multi_output = "takes_one_target" not in self._info["capabilities"]
        return tags

    @property
    def distribution_(self) -> GaussianMixtures:
        """The one distribution of a model without inputs."""
        check_is_fitted(self)
        if self._model.n_inputs:
            raise AttributeError("distribution_ is for models without inputs; use predict_distribution(X)")
        laws = self._model.predict(np.empty((1, 0)), threads_of(self.n_jobs))
        return distributions_of(laws, (1,), self.n_jobs)[0]  # type: ignore[no-any-return]

    def __getstate__(self) -> dict[str, Any]:
        # Fitted numbers come back from the model, which pickles as the bytes of a model file.
        state = dict(self.__dict__)
        if "_model" in state:
            for name in (*state["_from_model"], "_from_model"):
                state.pop(name, None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_model" in state:
            self._set_model(state["_model"], state["_y_ndim"])
            if "_sums" in state:
                self._sums = state["_sums"]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file that the command line and C++ read, too: CBOR for names in .cbor, else JSON.

        The file appears whole or not at all. Raises OSError when it cannot be written.
        """
        check_is_fitted(self)
        self._model.save(fsencode(path))
