"""Pipelines, searches and transformed targets keep what the estimator at their end predicts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from conftest import QUICK, make_data
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    PowerTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.utils.estimator_checks import parametrize_with_checks

import condens
from condens import GMM, LSCDE, DistributionRegressor, GaussianProcess, cross_val_predict_distribution, metrics, plot


def pipeline() -> Any:
    return make_pipeline(StandardScaler(), SelectKBest(f_regression, k=1), LSCDE(**QUICK))


@parametrize_with_checks([DistributionRegressor(LSCDE(**QUICK)), DistributionRegressor(make_pipeline(LSCDE(**QUICK)))])
@pytest.mark.filterwarnings("ignore::condens.FitWarning")
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def same_predictions(model: Any, final: Any, x: Any, inner: Any, y: Any) -> None:
    assert_array_equal(model.predict(x), final.predict(inner))
    assert_array_equal(model.predict_quantiles(x, [0.1, 0.5]), final.predict_quantiles(inner, [0.1, 0.5]))
    assert_array_equal(model.predict_interval(x, 0.8), final.predict_interval(inner, 0.8))
    assert_allclose(model.log_density(x, y), final.log_density(inner, y), rtol=1e-9)
    assert_array_equal(model.predict_distribution(x).cdf(y), final.predict_distribution(inner).cdf(y))
    assert model.score(x, y) == pytest.approx(final.score(inner, y))


def test_a_pipeline_predicts_what_its_last_step_does(data: Any) -> None:
    x, y = data
    model = DistributionRegressor(pipeline()).fit(x, y)
    inner = model.regressor_[:-1].transform(x)
    same_predictions(model, model.regressor_[-1], x, inner, y)
    assert model.n_features_in_ == 2
    assert metrics.crps_scorer(model, x, y) == metrics.crps_scorer(model.regressor_, x, y)
    assert cross_val_score(model, x, y, scoring=metrics.log_likelihood_scorer, cv=3).shape == (3,)


def test_a_search_predicts_what_its_best_does(data: Any) -> None:
    x, y = data
    search = GridSearchCV(pipeline(), {"lscde__bandwidth": [0.1, 0.5]}, scoring=metrics.log_likelihood_scorer, cv=3)
    model = DistributionRegressor(search).fit(x, y)
    best = model.regressor_.best_estimator_
    same_predictions(model, best[-1], x, best[:-1].transform(x), y)
    # The other way round: a search over what the wrapper holds.
    outer = GridSearchCV(
        DistributionRegressor(pipeline()),
        {"regressor__lscde__bandwidth": [0.1, 0.5]},
        scoring=metrics.log_likelihood_scorer,
        cv=3,
    ).fit(x, y)
    assert outer.best_score_ == pytest.approx(model.regressor_.best_score_)
    assert_array_equal(metrics.laws_of(outer, x).mean(), model.predict(x))


def test_columns_of_frames_reach_the_estimator() -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"size": random.normal(size=90), "town": random.choice(["Bern", "Oslo"], 90)})
    y = pd.Series(frame["size"] + 2.0 * (frame["town"] == "Oslo") + 0.2 * random.normal(size=90), name="price")
    frame.loc[3, "size"] = np.nan
    columns = make_column_transformer(
        (SimpleImputer(), ["size"]), (OneHotEncoder(sparse_output=False), ["town"]), verbose_feature_names_out=False
    ).set_output(transform="pandas")
    model = DistributionRegressor(make_pipeline(columns, GaussianProcess()), transformer=StandardScaler()).fit(frame, y)
    assert model.predict_interval(frame).shape == (90, 2)
    assert model.score(frame, y) > 0.8
    assert list(model.feature_names_in_) == ["size", "town"]
    assert model.regressor_[-1].feature_names_in_.tolist() == ["size", "town_Bern", "town_Oslo"]
    assert model.regressor_[-1]._model.encoder.target_names == ["price"]
    kept = ColumnTransformer(
        [("own", "passthrough", ["town"])], remainder=SimpleImputer(), verbose_feature_names_out=False
    )
    texts = make_pipeline(kept.set_output(transform="pandas"), LSCDE(**QUICK)).fit(frame, y)  # a category of condens
    assert metrics.laws_of(texts, frame).shape == (90,)


@pytest.mark.parametrize(
    "scaler",
    [StandardScaler(), MinMaxScaler((1, 3)), RobustScaler(), FunctionTransformer(np.negative, np.negative)],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("d_y", [0, 2])
def test_a_target_may_be_shifted_and_scaled(scaler: Any, d_y: int) -> None:
    x, y = make_data(d_y=d_y)
    y = 1000 + 50 * y
    plain = {**QUICK, "standardize": False}
    rows = y.reshape(80, -1)
    model = DistributionRegressor(LSCDE(**plain), transformer=scaler).fit(x, y)
    scaled = clone(scaler).fit_transform(rows)
    inner = LSCDE(**plain).fit(x, scaled.reshape(y.shape))
    own = inner.predict_distribution(x)
    slope = np.abs(np.ptp(rows, axis=0) / np.ptp(scaled, axis=0))
    laws = model.predict_distribution(x)
    back = clone(scaler).fit(rows).inverse_transform(own.mean().reshape(80, -1))
    assert_allclose(laws.mean().reshape(80, -1), back, rtol=1e-10)
    assert_allclose(laws.std().reshape(80, -1), own.std().reshape(80, -1) * slope, rtol=1e-9)
    # The density changes by the volume.
    inside = own.logpdf(scaled.reshape(y.shape)) - np.log(slope).sum()
    assert_allclose(model.log_density(x, y), inside, rtol=1e-7, atol=1e-8)
    assert model.predict(x).shape == y.shape
    ends = model.predict_interval(x)
    assert (ends[..., 0] < ends[..., 1]).all()


def test_a_transformer_that_bends_is_refused(data: Any) -> None:
    x, y = data
    for bent in (FunctionTransformer(np.arcsinh, np.sinh), PowerTransformer()):
        with pytest.raises(ValueError, match="does more to y than to shift and to scale it"):
            DistributionRegressor(LSCDE(**QUICK), transformer=bent).fit(x, y)


def test_weights_reach_the_density(data: Any) -> None:
    x, y = data
    weights = np.random.default_rng(1).uniform(0.1, 3, 80)
    expected = LSCDE(**QUICK).fit(StandardScaler().fit_transform(x), y, sample_weight=weights)
    nested = make_pipeline(StandardScaler(), LSCDE(**QUICK))
    search = GridSearchCV(make_pipeline(StandardScaler(), LSCDE(**QUICK)), {"lscde__bandwidth": [0.5]}, cv=3)
    for regressor, final in ((nested, lambda m: m[-1]), (search, lambda m: m.best_estimator_[-1])):
        model = DistributionRegressor(regressor).fit(x, y, sample_weight=weights)
        assert_array_equal(final(model.regressor_).kernel_weights_, expected.kernel_weights_)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False), LSCDE(**QUICK).set_fit_request(sample_weight=True)
        )
        model = DistributionRegressor(routed).fit(x, y, sample_weight=weights)
    assert_array_equal(model.regressor_[-1].kernel_weights_, expected.kernel_weights_)


def test_pictures_take_what_is_wrapped(data: Any) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    x, y = data
    for model in (DistributionRegressor(pipeline()), DistributionRegressor(pipeline(), transformer=StandardScaler())):
        model.fit(x, y)
        for draw in (plot.density_map, plot.interval_fan, plot.calibration):
            ax = Figure(layout="constrained").add_subplot()
            assert draw(model, x, y, ax=ax) is ax


def test_comparisons_take_pipelines_on_the_same_splits(data: Any) -> None:
    x, y = data
    # A pipeline that changes nothing is its last step.
    same = make_pipeline("passthrough", LSCDE(**QUICK))
    weights = np.random.default_rng(1).integers(0, 3, 80).astype(float)
    board = condens.compare(
        x, y, {"own": LSCDE(**QUICK), "pipe": same, "gp": "gp"}, repeats=3, random_state=5, sample_weight=weights
    )
    place = {name: board.models.index(name) for name in ("own", "pipe")}
    for measure in ("nll", "nll_standardized", "squared_loss", "crps", "coverage_0.9"):
        assert_allclose(board.scores[measure][place["pipe"]], board.scores[measure][place["own"]], rtol=1e-9)
    assert (board.scores["seconds"][place["pipe"]] > 0).all()
    alone = condens.compare(x, y, {"pipe": same}, repeats=3, random_state=5, sample_weight=weights)
    assert_array_equal(alone.scores["nll"][0], board.scores["nll"][place["pipe"]])
    two = make_data(d_y=2)
    board = condens.compare(*two, {"own": LSCDE(**QUICK), "pipe": same}, repeats=2)
    assert_allclose(board.scores["crps"][0], board.scores["crps"][1], rtol=1e-9)


def test_comparisons_of_pipelines_read_what_these_read(data: Any) -> None:
    x, y = data
    holes = np.where(np.arange(160).reshape(80, 2) % 7 == 0, np.nan, x)
    models = [make_pipeline(SimpleImputer(), LSCDE(**QUICK)), make_pipeline(SimpleImputer(), GaussianProcess())]
    board = condens.compare(holes, y, models, repeats=2)
    assert len(board.models) == 2
    with pytest.raises(ValueError, match="NaN"):
        condens.compare(holes, y, [*models, "lscde"], repeats=2)
    with pytest.warns(condens.FitWarning, match=r"bad failed on 2 of 2 splits: .*NaN"):
        board = condens.compare(holes, y, {"good": models[0], "bad": make_pipeline(LSCDE(**QUICK))}, repeats=2)
    assert board.best == "good"
    with pytest.raises(ValueError, match="NaN"):
        condens.compare(holes, y, {"bad": make_pipeline(LSCDE(**QUICK))}, repeats=2)
    calls: list[float] = []

    def stop(task: str, fraction: float) -> bool:
        calls.append(fraction)
        return False

    with pytest.raises(condens.Cancelled):
        condens.compare(holes, y, models, repeats=2, callback=stop)
    assert calls == [0.25]


def test_distributions_out_of_fold_are_those_of_fits_without_the_fold(data: Any) -> None:
    x, y = data
    folds = KFold(3, shuffle=True, random_state=0)
    laws = cross_val_predict_distribution(pipeline(), x, y, cv=folds)
    assert laws.shape == (80,)
    assert_allclose(laws.mean(), cross_val_predict(pipeline(), x, y, cv=folds), rtol=1e-12)
    for train, test in folds.split(x):
        own = metrics.laws_of(pipeline().fit(x[train], y[train]), x[test])
        assert_array_equal(laws[test].logpdf(y[test]), own.logpdf(y[test]))
    groups = np.arange(80) // 10
    grouped = cross_val_predict_distribution(LSCDE(**QUICK), x, y, groups=groups, cv=GroupKFold(4))
    assert grouped.shape == (80,)
    with pytest.raises(ValueError, match=r"cv tests row .* times, expected splits that test every row once"):
        cross_val_predict_distribution(LSCDE(**QUICK), x, y, cv=ShuffleSplit(2, random_state=0))


def test_distributions_out_of_fold_of_full_covariances_and_weights() -> None:
    x, y = make_data(60, d_y=2)
    weights = np.random.default_rng(1).uniform(0.5, 2, 60)
    model = GMM(n_components=2, covariance="full", defensive_weight=0)
    folds = KFold(2)
    laws = cross_val_predict_distribution(model, x, y, cv=folds, sample_weight=weights)
    for train, test in folds.split(x):
        own = clone(model).fit(x[train], y[train], sample_weight=weights[train]).predict_distribution(x[test])
        assert_allclose(laws[test].logpdf(y[test]), own.logpdf(y[test]), rtol=1e-12)
        assert_allclose(laws[test].cov(), own.cov(), rtol=1e-12)
