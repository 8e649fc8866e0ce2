"""Estimators that select inputs: what scikit-learn expects of a selector, categories, models inside models."""

import numpy as np
import pandas as pd
import pytest
from conftest import QUICK, assert_same_model
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import condens
from condens import LSCDE, SACDE, SALSCDE, ForwardSelection, NadarayaWatson

SPARSE = {"bandwidth": 0.5, "bandwidth_y": 0.3, "n_centers": 40}

QUICK_SALSCDE = SALSCDE(selection=SPARSE, options=QUICK)


@pytest.fixture(scope="module")
def planted():
    """The second of five inputs moves y."""
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 5))
    return X, X[:, 1] + 0.3 * random.normal(size=200)


@pytest.fixture(scope="module")
def frame():
    """A category of three levels moves y; numbers do not."""
    random = np.random.default_rng(1)
    town = random.choice(["Bern", "Oslo", "Rome"], 150)
    X = pd.DataFrame({"noise": random.normal(size=150), "town": town, "other": random.normal(size=150)})
    return X, pd.Series(2.0 * (town == "Oslo") - 2.0 * (town == "Rome") + 0.3 * random.normal(size=150), name="y")


@pytest.mark.parametrize(
    "estimator", [SACDE(**SPARSE), ForwardSelection(model=LSCDE(**QUICK), max_features=1), QUICK_SALSCDE]
)
def test_selectors_select(estimator, planted):
    X, y = planted
    model = clone(estimator).fit(X, y)
    assert model.support_.dtype == bool
    assert_array_equal(model.support_, [False, True, False, False, False])
    assert_array_equal(model.get_support(indices=True), [1])
    assert_array_equal(model.transform(X), X[:, [1]])
    assert list(model.get_feature_names_out()) == ["x1"]
    # Inputs that were left out do not move the law.
    other = X.copy()
    other[:, ~model.support_] += 5.0
    assert_allclose(model.log_density(other, y), model.log_density(X, y), rtol=1e-12)


def test_a_selector_stands_in_a_pipeline(planted):
    X, y = planted
    model = make_pipeline(SACDE(**SPARSE), NadarayaWatson()).fit(X, y)
    assert model[-1].n_features_in_ == 1


@pytest.mark.parametrize("estimator", [SACDE(**SPARSE), ForwardSelection(model=LSCDE(**QUICK))])
def test_a_category_is_one_input(estimator, frame):
    model = clone(estimator).fit(*frame)
    assert_array_equal(model.support_, [False, True, False])
    assert list(model.get_feature_names_out()) == ["town"]
    if hasattr(model, "feature_importances_"):
        assert_allclose(model.feature_importances_, [0, 1, 0])


def test_importances_of_nadaraya_watson_sum_to_one(planted, frame):
    model = NadarayaWatson().fit(*planted)
    assert_allclose(model.feature_importances_.sum(), 1.0)
    assert model.feature_importances_.argmax() == 1
    model = NadarayaWatson().fit(*frame)
    assert model.feature_importances_.shape == (3,)
    assert_allclose(model.feature_importances_.sum(), 1.0)
    assert model.feature_importances_.argmax() == 1


def test_a_model_may_be_named_or_given(planted):
    X, y = planted
    named = ForwardSelection(model="lscde", options=QUICK, max_features=1).fit(X, y)
    given = ForwardSelection(model=LSCDE(**QUICK), max_features=1).fit(X, y)
    assert_same_model(named, given)
    assert_array_equal(given.ranking_, [0, 1, 0, 0, 0])
    assert given.get_params()["model__n_centers"] == QUICK["n_centers"]
    copied = clone(given).set_params(model__n_centers=20).fit(X, y)
    assert copied.model.n_centers == 20
    paper = ForwardSelection(model=LSCDE(preset="paper", **QUICK)).fit(X, y)
    assert paper._model.options["model_preset"] == "paper"


def test_options_of_a_stage_may_be_an_estimator(planted):
    X, y = planted
    stages = [option["name"] for option in SALSCDE._info["options"] if option["type"] == "options"]
    assert len(stages) == 2
    selection, estimation = stages
    as_dicts = SALSCDE(**{selection: SPARSE, estimation: QUICK}).fit(X, y)
    as_models = SALSCDE(**{selection: SACDE(**SPARSE), estimation: LSCDE(**QUICK)}).fit(X, y)
    assert_same_model(as_dicts, as_models)
    with pytest.raises(TypeError, match=f"{selection} is of type LSCDE"):
        SALSCDE(**{selection: LSCDE()}).fit(X, y)
    with pytest.raises(TypeError, match=f"{selection} = 3, expected a dict"):
        SALSCDE(**{selection: 3}).fit(X, y)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"model": "lscdee"}, ValueError, "lscde"),
        ({"model": "forward"}, ValueError, "forward"),
        ({"options": {"bandwith": 1}}, ValueError, "bandwidth"),
        ({"options": {"n_centers": 0}}, ValueError, "n_centers = 0"),
        ({"options": 3}, TypeError, "options = 3, expected a dict"),
        ({"model_preset": "best"}, ValueError, "best"),
    ],
)
def test_wrong_inner_models_are_named(planted, options, error, text):
    with pytest.raises(error, match=text):
        ForwardSelection(**{"model": "lscde", **options}).fit(*planted)


def test_models_inside_models_come_back_from_files(planted, tmp_path):
    X, y = planted
    for estimator in (ForwardSelection(model=LSCDE(**QUICK)), QUICK_SALSCDE, SACDE(**SPARSE)):
        model = clone(estimator).fit(X, y)
        model.save(tmp_path / "m.json")
        again = condens.load(tmp_path / "m.json")
        assert type(again) is type(model)
        assert_array_equal(again.support_, model.support_)
        assert_array_equal(again.log_density(X, y), model.log_density(X, y))
        refitted = clone(again).fit(X, y)
        assert_same_model(refitted, model)


@pytest.mark.filterwarnings("ignore:.*hardly depends")  # which is what is asked for
def test_nothing_selected_is_the_marginal_law():
    random = np.random.default_rng(2)
    X, y = random.normal(size=(200, 3)), random.normal(size=200)
    with pytest.warns(condens.FitWarning, match="no input was selected"):
        model = SACDE(**SPARSE, regularization=1.0).fit(X, y)
    assert not model.support_.any()
    densities = model.predict_distribution(X[:5]).pdf(0.0)
    assert_allclose(densities, densities[0])


def test_stability_is_a_share(planted):
    X, y = planted
    model = SACDE(**SPARSE, regularization=0.3, stability_resamples=10).fit(X, y)
    assert model.stability_.shape == (5,)
    assert model.stability_[1] == 1.0
    assert ((model.stability_ >= 0) & (model.stability_ <= 1)).all()


def test_contributions_sum_up_to_the_density(planted):
    X, y = planted
    model = SACDE(**SPARSE, regularization=0.2, constant_group=False, defensive_weight=0.0, center_selection="random")
    model = model.fit(X, y)
    grid = np.linspace(y.min() - 3, y.max() + 3, 800)
    x = X[:4]
    total = sum(np.stack([model.contribution(j, x[i : i + 1, j], grid)[0] for i in range(len(x))]) for j in range(5))
    expected = model.predict_distribution(x)[:, None].pdf(grid)
    # Contributions are on no scale of their own: normalise them over y.
    step = grid[1] - grid[0]
    assert_allclose(total / (total.sum(1, keepdims=True) * step), expected, rtol=1e-6, atol=1e-9)
    with pytest.raises(ValueError, match="feature = 5"):
        model.contribution(5, [0.0], [0.0])


def test_groups_enter_together():
    random = np.random.default_rng(3)
    X = random.normal(size=(300, 4))
    y = np.where(X[:, 0] * X[:, 2] > 0, 1.0, -1.0) + 0.3 * random.normal(size=300)
    model = SACDE(groups=[0, 1, 0, 2], bandwidth=0.5, bandwidth_y=0.3).fit(X, y)
    assert_array_equal(model.support_, [True, False, True, False])
    assert model.kernel_weights_.shape == (3, 100)
    assert_array_equal(model.contribution(1, [0.0, 1.0], [0.0]), 0.0)
    with pytest.raises(
        ValueError, match=r"feature = 2 is in a group with others \(groups\), which have one term together"
    ):
        model.contribution(2, [0.0], [0.0])
    with pytest.raises(ValueError, match="groups has 2 numbers for 4 inputs, expected one for each, or none"):
        SACDE(groups=[0, 1]).fit(X, y)
    both = SALSCDE(selection={"groups": [0, 1, 0, 2], "bandwidth": 0.5, "bandwidth_y": 0.3}, options=QUICK).fit(X, y)
    assert_array_equal(both.support_, model.support_)
