"""The forecaster of sktime: its own checks, forecasts of the fits that it stands for, updates, reductions of sktime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import QUICK
from numpy.testing import assert_allclose, assert_array_equal
from sktime.forecasting.compose import YfromX
from sktime.forecasting.model_evaluation import evaluate
from sktime.split import ExpandingWindowSplitter
from sktime.utils import check_estimator

from condens import LSCDE, lag_table
from condens.export import SkproRegressor
from condens.sktime import DirectForecaster

pytestmark = pytest.mark.filterwarnings("default")  # what other packages say of each other is theirs


@pytest.fixture(scope="module")
def series() -> Any:
    random = np.random.default_rng(0)
    index = pd.period_range("2020-01", periods=80, freq="M")
    return pd.Series(np.sin(np.arange(80) / 3) + 0.2 * random.normal(size=80), index=index, name="flow")


def test_checks_of_sktime() -> None:
    results = check_estimator(DirectForecaster.create_test_instance(), raise_exceptions=True, verbose=False)
    assert len(results) > 300
    assert set(results.values()) == {"PASSED"}


def test_forecasts_are_those_of_the_lag_table(series: Any) -> None:
    forecaster = DirectForecaster(LSCDE(**QUICK), lags=3).fit(series, fh=[1, 4])
    distribution = forecaster.predict_proba()
    assert list(distribution.index) == [pd.Period("2026-09", "M"), pd.Period("2026-12", "M")]
    assert list(distribution.columns) == ["flow"]
    for row, step in enumerate((1, 4)):
        alone = LSCDE(**QUICK).fit(*lag_table(series, 3, step)).predict_distribution([series.to_numpy()[:-4:-1]])
        assert_allclose(distribution.iloc[[row]].pdf(np.array([[0.3]])), alone.pdf(0.3)[:, None], rtol=1e-12)
        assert_allclose(forecaster.predict_quantiles(alpha=[0.1]).iloc[row], alone.ppf(0.1), rtol=1e-12)
        assert_allclose(forecaster.predict().iloc[row], alone.mean()[0], rtol=1e-12)


def test_exogenous_columns_at_the_time_of_the_forecast(series: Any) -> None:
    inputs = pd.DataFrame({"month": series.index.month.astype(float)}, index=series.index)
    forecaster = DirectForecaster(LSCDE(**QUICK), lags=2).fit(series.iloc[:70], X=inputs.iloc[:70], fh=[2])
    table = lag_table(series.iloc[:70], 2, 2, inputs.iloc[:70])
    alone = LSCDE(**QUICK).fit(*table).predict([[series.iloc[69], series.iloc[68], inputs["month"].iloc[71]]])
    assert_array_equal(forecaster.predict(X=inputs.iloc[70:72]).to_numpy(), alone)


def test_updates(series: Any) -> None:
    first, second = series.iloc[:60], series.iloc[60:]
    kept = DirectForecaster(LSCDE(**QUICK), lags=3).fit(first, fh=[1])
    model = kept.estimators_[1]
    kept.update(second, update_params=False)
    assert kept.estimators_[1] is model
    assert_array_equal(kept.predict().to_numpy(), model.predict([series.to_numpy()[:-4:-1]]))
    again = DirectForecaster(LSCDE(**QUICK), lags=3).fit(first, fh=[1]).update(second)
    assert_array_equal(again.predict(), DirectForecaster(LSCDE(**QUICK), lags=3).fit(series, fh=[1]).predict())


def test_evaluation_over_windows(series: Any) -> None:
    from sktime.performance_metrics.forecasting.probabilistic import CRPS

    forecaster = DirectForecaster(LSCDE(**QUICK), lags=3)
    windows = ExpandingWindowSplitter(fh=[1], initial_window=70, step_length=5)
    scores = evaluate(forecaster, windows, series, scoring=CRPS(), error_score="raise")
    assert len(scores) == 2
    assert (scores["test_CRPS"] > 0).all()


def test_reductions_of_sktime_take_the_estimators(series: Any) -> None:
    inputs = pd.DataFrame({"month": series.index.month.astype(float)}, index=series.index)
    reduced = YfromX(SkproRegressor(LSCDE(**QUICK))).fit(series.iloc[:70], X=inputs.iloc[:70], fh=[1, 2])
    alone = LSCDE(**QUICK).fit(inputs.iloc[:70], series.iloc[:70])
    found = reduced.predict_quantiles(X=inputs.iloc[70:72], alpha=[0.1, 0.9]).to_numpy()
    assert_allclose(found, alone.predict_quantiles(inputs.iloc[70:72], [0.1, 0.9]), rtol=1e-12)


def test_a_series_that_is_too_short(series: Any) -> None:
    with pytest.raises(ValueError, match="series has 5 values, expected more than 11 for 10 lags and 2 steps"):
        DirectForecaster(LSCDE(**QUICK)).fit(series.iloc[:5], fh=[2])
