"""Estimators of condens that take dask collections."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any

import dask.array as da
import numpy as np
from dask.delayed import delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from condens import _blocks, _cluster
from condens._arrays import as_float64, as_share
from condens._blocks import Layout
from condens._dates import is_date_type
from condens._frames import _is_text, check_inputs, column_names, is_frame, names_of_targets
from condens.dask._distributions import LazyDistributions
from condens.dask._engine import DaskEngine, columns_of, is_lazy, partitions_of
from condens.estimators import _CLASSES

if TYPE_CHECKING:
    from typing_extensions import Self  # from Python 3.11 on in typing

Floats = NDArray[np.float64]


def _layout(x: Any, y: Any, is_density: bool) -> tuple[Layout, list[str], int]:
    """The columns, the names that X gives them, and the dimensions of y."""
    count, _ = columns_of(x)
    names = column_names(x) if is_frame(x) else []
    texts = frozenset(str(name) for name in x.columns if _has_levels(x[name])) if is_frame(x) else frozenset()
    dates = frozenset(str(name) for name in x.columns if is_date_type(x[name].dtype)) if is_frame(x) else frozenset()
    inputs = names or [f"x{i + 1}" for i in range(count)]
    if y is None:
        if not is_density:
            raise ValueError("fit requires y to be passed, but the target y is None")
        targets = names or names_of_targets(None, np.empty((1, count)), ())
        return Layout((), tuple(targets)), names, 2
    if texts and not names:
        raise TypeError("categories need columns whose names are all texts")
    width, many = columns_of(y)
    # Arrays of dask have names, too, which are those of tasks.
    targets = names_of_targets(y if hasattr(y, "columns") else None, np.empty((1, width)), names)
    return Layout(tuple(inputs), tuple(targets), texts, dates), names, 2 if many else 1


def _has_levels(column: Any) -> bool:
    # Whether a column of objects holds texts no one knows before it is read.
    return str(column.dtype).lower() not in ("object", "o") and _is_text(column)


class OnDask:
    """What estimators do with dask collections; anything else they take as their namesakes of condens do."""

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, sample: int | None = None, gather_rows: int = 15_000
    ) -> Self:
        """Fit the distribution of y given X, whose rows stay where they are.

        Parameters
        ----------
        X : data frame or array of dask
            Inputs; texts and categories of a frame become indicators, dates are read off the calendar. Arrays are cut
            along rows.
        y : series, data frame or array of dask, cut as X
            Targets. Estimators of a density do without.
        sample_weight : series or array of dask, cut as X, optional
            Weights >= 0, in any unit. Rows of weight 0 are left out.
        sample : int, optional
            Fit to a random sample of so many rows, stratified by the first target, which is brought to the driver, with
            a warning where there are more: for models whose fit is no sum over rows, and for what is asked beside a fit
            (`conformal`, ...).
        gather_rows : int, default 15000
            Tables of at most so many rows are brought to the driver, and fitted as on one machine.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            For invalid arguments, data, or a model whose fit is no sum over rows.
        RuntimeError
            When workers have another version of condens.
        """
        if not is_lazy(X):
            raise TypeError(
                f"X is a {type(X).__name__}, expected a data frame or array of dask; condens.{type(self).__name__} "
                "takes others, and dask.dataframe.from_pandas or dask.array.from_array make one"
            )
        if X.ndim == 1:
            raise ValueError("X is one column, expected a table of columns, as ddf[['a']] or array[:, None]")
        check_inputs(X)
        layout, names, y_ndim = _layout(X, y, "is_density" in self._info["capabilities"])  # type: ignore[attr-defined]
        if sample is None:
            _cluster.check_settings(self)
        engine = DaskEngine(X, y, sample_weight)
        try:
            if sample is not None:
                return self._fit_to_sample(engine, sample, y, sample_weight)
            _cluster.fit(self, engine, layout, names=names, y_ndim=y_ndim, gather_rows=gather_rows)
        finally:
            engine.close()
        return self

    def _fit_to_sample(self, engine: DaskEngine, sample: int, y: Any, weights: Any) -> Self:
        rows = _cluster.sample_rows(self, engine, sample)
        x, targets, weight = (_joined([getattr(part, name) for part in rows]) for name in ("x", "y", "weights"))
        if y is None:
            return super().fit(x, sample_weight=weight)  # type: ignore[misc,no-any-return]
        return super().fit(x, targets, weight)  # type: ignore[misc,no-any-return]

    # --- prediction -----------------------------------------------------------------------------------

    def predict_distribution(self, X: Any) -> Any:
        """The distribution of y given each row of X: of a dask collection lazily, as `LazyDistributions`."""
        if not is_lazy(X):
            return super().predict_distribution(X)  # type: ignore[misc]
        check_is_fitted(self)
        own = delayed(self)
        parts = [delayed(_distributions)(own, part) for part in partitions_of(X, "X")]
        return LazyDistributions(parts, self.n_jobs)  # type: ignore[attr-defined]

    def predict(self, X: Any) -> Any:
        """Mean of y given each row of X, lazily."""
        if not is_lazy(X):
            return super().predict(X)  # type: ignore[misc]
        many = self._y_ndim == 2  # type: ignore[attr-defined]
        return self._lazily(X, "predict", names=self._target_names() if many else None)

    def predict_quantiles(self, X: Any, quantiles: ArrayLike = (0.05, 0.5, 0.95)) -> Any:
        """Quantiles of y given each row of X, lazily: a column for each level, or, of several targets, for each level
        of each target.
        """
        if not is_lazy(X):
            return super().predict_quantiles(X, quantiles)  # type: ignore[misc]
        levels = [
            as_share(level, "quantiles", closed=True) for level in np.atleast_1d(as_float64(quantiles, "quantiles"))
        ]
        names = self._by_target_names([f"{level:g}" for level in levels])
        return self._lazily(X, "predict_quantiles", levels, names=names)

    def predict_interval(self, X: Any, confidence: float = 0.9, weights: Any = None) -> Any:
        """Ends of central intervals, lazily: the columns lower and upper, or these of each target."""
        if not is_lazy(X):
            return super().predict_interval(X, confidence, weights)  # type: ignore[misc]
        if weights is not None:
            raise ValueError("weights are for data in memory, expected None with a dask collection")
        names = self._by_target_names(["lower", "upper"])
        return self._lazily(X, "predict_interval", as_share(confidence, "confidence"), names=names)

    def log_density(self, X: Any, y: Any) -> Any:
        """log p(y_i | x_i) for every row, in their order: lazily, a series or an array of dask."""
        if not is_lazy(X):
            return super().log_density(X, y)  # type: ignore[misc]
        return self._lazily(X, "log_density", y=y)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, **limits: Any) -> float:
        """R squared of the mean, or, of a density without y, the mean log density; computed at once."""
        if not is_lazy(X):
            return super().score(X, y, sample_weight, **limits)  # type: ignore[misc,no-any-return]
        if limits:
            raise ValueError(f"{', '.join(limits)}: expected data in memory, not a dask collection")
        check_is_fitted(self)
        with closing(DaskEngine(X, y, sample_weight)) as engine:
            moments = engine.reduce(partial(_moments, self), _add_moments, "score")
        weight, _, spread, loss = moments
        if y is None:
            return float(-loss / weight)
        # Of a target that does not vary R squared is 1 for perfect predictions, else 0, as of scikit-learn.
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.where(spread > 0, 1 - loss / spread, np.where(loss > 0, 0.0, 1.0))
        return float(each.mean())

    def _rows_elsewhere(self, X: Any, y: Any, sample_weight: Any) -> DaskEngine | None:
        """For `condens.metrics`: collections of dask; None for anything else."""
        if not is_lazy(X):
            return None
        check_is_fitted(self)
        if y is None:
            raise ValueError("y is None, expected the targets of the rows to score")
        return DaskEngine(X, y, sample_weight)

    def _lazily(self, X: Any, method: str, *arguments: Any, y: Any = None, names: Sequence[str] | None = None) -> Any:
        check_is_fitted(self)
        call = partial(_predicted, method=method, arguments=arguments, names=names)
        if is_frame(X):
            import pandas as pd

            meta: Any = pd.Series(dtype=np.float64, name=method)
            if names is not None:
                meta = pd.DataFrame({name: pd.Series(dtype=np.float64) for name in names})
            others = [] if y is None else [y]
            return X.map_partitions(call, *others, estimator=delayed(self), meta=meta, align_dataframes=False)
        X = X.rechunk({1: -1})
        form, added = ("i", {}) if names is None else ("iq", {"q": len(names)})
        pair = () if y is None else (y, "i" if y.ndim == 1 else "ik")
        if y is not None and y.ndim == 2:
            pair = (y.rechunk({1: -1}), "ik")
        return da.blockwise(
            call, form, X, "ij", *pair, estimator=delayed(self), new_axes=added, concatenate=True, dtype=np.float64,
            meta=np.empty((0,) * len(form)), align_arrays=True,
        )  # fmt: skip

    def _target_names(self) -> list[str]:
        return list(self._model.encoder.target_names)  # type: ignore[attr-defined]

    def _by_target_names(self, names: Sequence[str]) -> list[str]:
        targets = self._target_names()
        return list(names) if len(targets) == 1 else [f"{target} {name}" for target in targets for name in names]


def _joined(parts: Sequence[Any]) -> Any:
    if not parts or parts[0] is None:
        return None
    if hasattr(parts[0], "iloc"):
        import pandas as pd

        return pd.concat(parts)
    return np.concatenate(parts)


def _distributions(estimator: Any, x: Any) -> Any:
    return estimator.predict_distribution(x) if len(x) else None


def _predicted(
    x: Any, *y: Any, estimator: Any, method: str, arguments: Sequence[Any], names: Sequence[str] | None
) -> Any:
    """What a method says of the rows of one partition, with their index."""
    width = () if names is None else (len(names),)
    values = np.empty((0, *width))
    if len(x):
        values = np.reshape(getattr(estimator, method)(x, *y, *arguments), (len(x), *width))
    if not hasattr(x, "iloc"):
        return values
    import pandas as pd

    if names is None:
        return pd.Series(values, index=x.index, name=method)
    return pd.DataFrame(values, index=x.index, columns=list(names))


Moments = tuple[Any, Any, Any, Any]  # weight, mean of y, weighted squares around it, weighted loss; of each target


def _moments(estimator: Any, rows: _blocks.Rows) -> Moments:
    _blocks._check_lengths(rows)
    weights = np.ones(len(rows)) if rows.weights is None else as_float64(rows.weights, "sample_weight").reshape(-1)
    if rows.y is None:
        return weights.sum(), 0.0, 0.0, -float(weights @ estimator.score_samples(rows.x))
    y = as_float64(rows.y, "y").reshape(len(rows), -1)
    error = y - np.reshape(estimator.predict(rows.x), y.shape)
    total = weights.sum()
    mean = weights @ y / total if total > 0 else np.zeros(y.shape[1])
    return total, mean, weights @ (y - mean) ** 2, weights @ error**2


def _add_moments(parts: Sequence[Moments]) -> Moments:
    """Chan, Golub and LeVeque's update."""
    weight, mean, spread, loss = parts[0]
    for other, other_mean, other_spread, other_loss in parts[1:]:
        total = weight + other
        if total > 0:
            step = np.subtract(other_mean, mean)
            spread = spread + other_spread + step**2 * (weight * other / total)
            mean = mean + step * (other / total)
        weight, loss = total, loss + other_loss
    return weight, mean, spread, loss


def _make_estimator(cls: type[Any]) -> type[Any]:
    """The estimator's class for dask collections."""
    text = (cls.__doc__ or "").replace("\n", "\n\nOn dask data frames and arrays: see `fit`, and docs/cluster.md.\n", 1)
    return type(cls.__name__, (OnDask, cls), {"__doc__": text, "__module__": __package__})


CLASSES = {cls.__name__: _make_estimator(cls) for cls in _CLASSES.values()}
