"""What scikit-learn asks beside numbers: metadata routing, names of columns, set_output, pictures of estimators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sklearn
from conftest import QUICK, make_data
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, GroupKFold, LeaveOneGroupOut, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import condens
from condens import LSCDE, DistributionRegressor, metrics

X, Y = make_data(60)
WEIGHTS = np.random.default_rng(1).uniform(0.1, 3, 60)
CENSORED = np.arange(60) % 5 == 0
GROUPS = np.arange(60) % 6


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def scaled(**requests: bool) -> Any:
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    return make_pipeline(scaler, LSCDE(**QUICK).set_fit_request(**requests))


@pytest.mark.usefixtures("routing")
def test_groups_keep_rows_together() -> None:
    found = cross_validate(
        LSCDE(**QUICK), X, Y, cv=LeaveOneGroupOut(), scoring=metrics.crps_scorer, params={"groups": GROUPS}
    )["test_score"]
    for group in range(6):
        inside = group == GROUPS
        alone = LSCDE(**QUICK).fit(X[~inside], Y[~inside]).predict_distribution(X[inside])
        assert found[group] == pytest.approx(-alone.crps(Y[inside]).mean(), rel=1e-12)
    search = GridSearchCV(LSCDE(**QUICK), {"bandwidth": [0.4, 0.8]}, cv=GroupKFold(3)).fit(X, Y, groups=GROUPS)
    assert search.best_params_["bandwidth"] in (0.4, 0.8)


@pytest.mark.usefixtures("routing")
def test_censoring_reaches_the_fit_and_the_score() -> None:
    model = scaled(censored=True)
    model[-1].set_score_request(censored=True)
    model.fit(X, Y, censored=CENSORED)
    inputs = StandardScaler().fit_transform(X)
    alone = LSCDE(**QUICK).fit(inputs, Y, censored=CENSORED)
    assert_array_equal(model.predict(X), alone.predict(inputs))
    assert model.score(X, Y, censored=CENSORED) == alone.score(inputs, Y, censored=CENSORED)
    search = GridSearchCV(model, {"lscde__bandwidth": [0.5]}, cv=3).fit(X, Y, censored=CENSORED)
    assert_array_equal(search.predict(X), alone.predict(inputs))
    both = cross_validate(model, X, Y, cv=GroupKFold(3), params={"censored": CENSORED, "groups": GROUPS})
    assert np.isfinite(both["test_score"]).all()


@pytest.mark.usefixtures("routing")
def test_a_wrapper_hands_on_what_its_regressor_asks_for() -> None:
    plain = DistributionRegressor(scaled(sample_weight=True)).fit(X, Y, sample_weight=WEIGHTS)
    alone = LSCDE(**QUICK).fit(StandardScaler().fit_transform(X), Y, sample_weight=WEIGHTS)
    assert_array_equal(plain.regressor_[-1].kernel_weights_, alone.kernel_weights_)
    searched = GridSearchCV(
        DistributionRegressor(scaled(sample_weight=True)), {"regressor__lscde__bandwidth": [0.5]}, cv=3
    )
    searched.estimator.set_score_request(sample_weight=True)
    searched.fit(X, Y, sample_weight=WEIGHTS)
    assert_array_equal(searched.best_estimator_.regressor_[-1].kernel_weights_, alone.kernel_weights_)
    waits = DistributionRegressor(scaled(censored=True)).fit(X, Y, censored=CENSORED)
    assert_array_equal(waits.predict(X), scaled(censored=True).fit(X, Y, censored=CENSORED).predict(X))
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        DistributionRegressor(LSCDE(**QUICK)).fit(X, Y, sample_weight=WEIGHTS)
    assert not hasattr(DistributionRegressor(LSCDE()), "set_fit_request")


# --- transformers -----------------------------------------------------------------------------------------

SPARSE = {"bandwidth": 0.7, "bandwidth_y": 0.4, "regularization": 0.05, "n_centers": 30}
SEARCHED = {"bandwidth": 0.7, "bandwidth_y": 0.4, "regularization": 0.1, "random_starts": 1, "n_components": 1}
TRANSFORMERS = [
    condens.SACDE(**SPARSE),
    condens.SALSCDE(selection=SPARSE, options=QUICK),
    condens.ForwardSelection(options=QUICK, max_features=1),
    condens.LSCE(**SEARCHED),
    condens.LSMI(**SEARCHED, options=QUICK),
    condens.Sliced(options=QUICK, n_components=1),
]


@pytest.mark.filterwarnings("ignore::condens.FitWarning")
@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("estimator", TRANSFORMERS, ids=lambda estimator: type(estimator).__name__)
def test_transformed_inputs_are_frames(estimator: Any, library: str) -> None:
    module = pytest.importorskip(library)
    frame = module.DataFrame({"u": X[:, 0], "v": X[:, 1]})
    model = clone(estimator).set_output(transform=library).fit(frame, Y)
    found = model.transform(frame)
    assert isinstance(found, module.DataFrame)
    assert list(found.columns) == list(model.get_feature_names_out())
    assert_allclose(found.to_numpy(), clone(estimator).fit(X, Y).transform(X), rtol=1e-12)
    if library == "pandas":  # and the names reach the next step
        step = make_pipeline(clone(estimator), LSCDE(**QUICK)).set_output(transform="pandas").fit(frame, Y)[-1]
        assert list(step.feature_names_in_) == list(model.get_feature_names_out())


# --- pictures of estimators ---------------------------------------------------------------------------------


def test_notebooks_show_what_is_inside() -> None:
    nested = DistributionRegressor(make_pipeline(StandardScaler(), LSCDE(bandwidth=0.25)))
    for model in (nested, nested.fit(X, Y)):
        html = model._repr_html_()
        assert all(name in html for name in ("DistributionRegressor", "StandardScaler", "LSCDE", "0.25"))
    assert repr(LSCDE(bandwidth=0.25)) == "LSCDE(bandwidth=0.25)"
