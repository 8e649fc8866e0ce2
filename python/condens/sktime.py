"""A forecaster of sktime whose forecasts are distributions::

    from condens.sktime import DirectForecaster
    forecaster = DirectForecaster(LSCDE(), lags=12).fit(y, fh=[1, 2, 3])
    forecaster.predict_proba()                                   # exact Gaussian mixtures, as skpro's distributions

sktime's own reductions take the estimators, too, as skpro's regressors: `YfromX(SkproRegressor(LSCDE()))`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

try:
    import pandas as pd
    from sktime.forecasting.base import BaseForecaster

    from condens.export import SkproDistribution
except ImportError as error:
    raise ImportError("condens.sktime needs sktime and skpro: pip install 'condens[sktime]'") from error

from condens.distributions import GaussianMixtures
from condens.metrics import laws_of
from condens.series import lag_table

__all__ = ["DirectForecaster"]


class DirectForecaster(BaseForecaster):  # type: ignore[misc]  # sktime has no types
    """Direct reduction: for every step ahead a model of its own, of y at that time given the values up to now.

    Parameters
    ----------
    estimator : estimator of condens
        Or a pipeline or search of scikit-learn that ends in one. For every horizon a clone is fitted.
    lags : int, default 10
        How many of the latest values are inputs. Exogenous columns X, at the time of the forecast, come after them.

    Attributes
    ----------
    estimators_ : dict
        The fitted clone of every horizon.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from condens import LSCDE
    >>> from condens.sktime import DirectForecaster
    >>> y = pd.Series(np.sin(np.arange(60.0)))
    >>> estimator = LSCDE(bandwidth=0.5, bandwidth_y=0.3, regularization=0.1)
    >>> forecaster = DirectForecaster(estimator, lags=3).fit(y, fh=[1, 2])
    >>> forecaster.predict_interval(coverage=0.9).shape
    (2, 2)
    """

    _tags = {  # noqa: RUF012  (as sktime wants it)
        "authors": ["condens contributors"],
        "python_dependencies": ["condens", "skpro"],
        "y_inner_mtype": "pd.Series",
        "X_inner_mtype": "pd.DataFrame",
        "capability:exogenous": True,
        "capability:missing_values": False,
        "capability:update": True,
        "requires-fh-in-fit": True,
        "capability:pred_int": True,
        "capability:insample": False,
        "capability:pred_int:insample": False,
    }
    _config = {"remember_data": False}  # noqa: RUF012  (this class does, and says what `update` means)

    def __init__(self, estimator: Any, lags: int = 10) -> None:
        self.estimator = estimator
        self.lags = lags
        super().__init__()
        self._y = self._X = None  # where sktime keeps the data of forecasters that are told to remember them

    def _fit(self, y: pd.Series, X: pd.DataFrame | None = None, fh: Any = None) -> DirectForecaster:
        self._seen, self._seen_inputs = y, X
        values = y.to_numpy(dtype=np.float64)
        more = None if X is None else X.loc[y.index].to_numpy(dtype=np.float64)
        self.estimators_ = {}
        for step in self._steps(fh):
            inputs, targets = lag_table(values, self.lags, step, more)
            self.estimators_[step] = clone(self.estimator).fit(inputs, targets)
        return self

    def _update(self, y: pd.Series, X: pd.DataFrame | None = None, update_params: bool = True) -> DirectForecaster:
        """Fit to all values so far or, without `update_params`, forecast from the new ones by the models there are."""
        seen, inputs = _joined(self._seen, y), _joined(self._seen_inputs, X)
        if update_params:
            return self._fit(seen, inputs, self._fh)
        self._seen, self._seen_inputs = seen, inputs
        return self

    def _steps(self, fh: Any) -> list[int]:
        return [int(step) for step in fh.to_relative(self.cutoff)]

    def _distributions(self, fh: Any, X: pd.DataFrame | None) -> tuple[GaussianMixtures, pd.Index]:
        latest = self._seen.to_numpy(dtype=np.float64)[: -self.lags - 1 : -1]
        index = fh.to_absolute_index(self.cutoff)
        laws = []
        for step, time in zip(self._steps(fh), index, strict=True):
            inputs = latest if X is None else np.concatenate([latest, X.loc[time].to_numpy(dtype=np.float64)])
            laws.append(laws_of(self.estimators_[step], inputs[None]))
        return GaussianMixtures.concatenate(laws), index

    def _predict(self, fh: Any, X: pd.DataFrame | None = None) -> pd.Series:
        laws, index = self._distributions(fh, X)
        return pd.Series(laws.mean(), index=index, name=self._seen.name)

    def _predict_proba(self, fh: Any, X: pd.DataFrame | None = None, marginal: bool = True) -> SkproDistribution:
        laws, index = self._distributions(fh, X)
        return SkproDistribution(laws, index=index, columns=pd.Index(self._get_varnames()))

    @classmethod
    def get_test_params(cls, parameter_set: str = "default") -> list[dict[str, Any]]:
        """Parameters of instances that sktime's checks are run on."""
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        from condens import LSCDE

        lscde = LSCDE(bandwidth=0.8, bandwidth_y=0.5, regularization=0.1)
        return [{"estimator": lscde, "lags": 2}, {"estimator": make_pipeline(StandardScaler(), lscde), "lags": 3}]


def _joined(old: Any, new: Any) -> Any:
    """Rows of both in the order of time, those of `new` where both have them."""
    if old is None or new is None:
        return old if new is None else new
    both = pd.concat([old, new])
    return both[~both.index.duplicated(keep="last")].sort_index()
