"""Estimators that reduce the inputs: transformers of scikit-learn, categories, models inside, pictures."""

import numpy as np
import pandas as pd
import pytest
from conftest import QUICK, assert_same_model
from numpy.testing import assert_allclose, assert_array_equal
from pictures import (
    QuadMesh,
    draw_and_close,  # noqa: F401  (a fixture)
    legend_texts,
    lines_of,
    only,
)
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import condens
from condens import LSCDE, LSMI, EpsilonKDE, Sliced, plot

ONE_CELL = {"bandwidth": 0.7, "bandwidth_y": 0.3, "regularization": 0.001, "n_centers": 40, "random_starts": 1}
REDUCERS = [Sliced(options=QUICK), LSMI(**ONE_CELL, options=QUICK)]
NAMES = ["sliced", "lsmi"]


@pytest.fixture(scope="module")
def planted():
    """x1 - x3 moves y."""
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 4)) * [1.0, 10.0, 1.0, 0.1]
    return X, X[:, 0] - X[:, 2] + 0.3 * random.normal(size=150)


@pytest.mark.parametrize("estimator", REDUCERS, ids=NAMES)
def test_reducers_transform(estimator, planted):
    X, y = planted
    model = clone(estimator).set_params(n_components=2).fit(X, y)
    assert model.n_components_ == 2
    assert model.components_.shape == (2, 4)
    assert_allclose(model.components_ @ model.components_.T, np.eye(2), atol=1e-12)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    assert_allclose(model.transform(X), scaled @ model.components_.T, atol=1e-10)
    assert_allclose(clone(model).fit_transform(X, y), model.transform(X))
    name = type(model).__name__.lower()
    assert list(model.get_feature_names_out()) == [f"{name}0", f"{name}1"]
    # The direction that moves y lies in the subspace.
    assert np.linalg.norm(model.components_ @ np.array([1, 0, -1, 0]) / np.sqrt(2)) > 0.97


@pytest.mark.parametrize("estimator", REDUCERS, ids=NAMES)
@pytest.mark.parametrize("n_components", [1, 3, 4])
def test_components_have_the_same_shape_for_any_number(estimator, n_components, planted, tmp_path):
    X, y = planted
    model = clone(estimator).set_params(n_components=n_components)
    if n_components == 4:
        with pytest.warns(condens.FitWarning, match="as many as inputs"):
            model.fit(X, y)
    else:
        model.fit(X, y)
    assert model.components_.shape == (n_components, 4)
    model.save(tmp_path / "model.cbor")
    again = condens.load(tmp_path / "model.cbor")
    assert_array_equal(again.components_, model.components_)
    assert_same_model(again, model)


def test_one_input_is_a_matrix_too(planted):
    X, y = planted
    with pytest.warns(condens.FitWarning, match="as many as inputs"):
        model = Sliced(n_components=1, options=QUICK).fit(X[:, :1], y)
    assert_array_equal(model.components_, [[1.0]])


def test_the_number_of_components_is_chosen(planted):
    X, y = planted
    model = Sliced(n_components=[1, 2], model=LSCDE(**QUICK), cv=3).fit(X, y)
    assert model.n_components_ == 1
    assert_array_equal(model.cv_results_["param_n_components"], [1, 2])
    assert np.isfinite(model.cv_results_["mean_test_score"]).all()


def test_a_category_has_a_loading_for_each_indicator():
    random = np.random.default_rng(1)
    town = random.choice(["Bern", "Oslo", "Rome"], 150)
    X = pd.DataFrame({"noise": random.normal(size=150), "town": town})
    y = 2.0 * (town == "Oslo") - 2.0 * (town == "Rome") + 0.3 * random.normal(size=150)
    model = Sliced(n_components=1, options=QUICK).fit(X, y)
    assert model.components_.shape == (1, 4)
    assert abs(model.components_[0, 0]) < 0.2
    assert model.transform(X).shape == (150, 1)


def test_a_reducer_stands_in_a_pipeline(planted):
    X, y = planted
    model = make_pipeline(Sliced(n_components=1, options=QUICK), EpsilonKDE()).fit(X, y)
    assert model[-1].n_features_in_ == 1


def test_transform_needs_a_fit_and_the_inputs_of_the_fit(planted):
    X, y = planted
    model = Sliced(n_components=1, options=QUICK)
    with pytest.raises(ValueError, match="not fitted"):
        model.transform(X)
    with pytest.raises(ValueError, match="3 features"):
        model.fit(X, y).transform(X[:, :3])


# --- pictures -----------------------------------------------------------------------------------------


def test_the_summary_of_one_component_is_a_map_with_the_data(planted):
    X, y = planted
    model = Sliced(n_components=1, options=QUICK).fit(X, y)
    ax = plot.sufficient_summary(model, X, y, confidence=0.8, grid=40)
    assert ax.get_xlabel().startswith("z1 = ")
    assert "x1" in ax.get_xlabel()
    assert ax.get_ylabel() == "y"
    assert {"mean", "80 % interval"} <= set(legend_texts(ax))
    z, mean = lines_of(ax, "mean")
    inner = model._model.inner.predict(np.ascontiguousarray(z[:, None]))
    assert_allclose(mean, inner.mean()[:, 0])
    assert_array_equal(ax.collections[-1].get_offsets()[:, 0], model.transform(X)[:, 0])


def test_the_summary_of_more_components_is_coloured_by_y(planted):
    X, y = planted
    model = make_pipeline(StandardScaler(), LSMI(**ONE_CELL, n_components=3, options=QUICK)).fit(X, y)
    ax = plot.sufficient_summary(model, X, y, grid=10)
    points = ax.collections[-1]
    z = model[-1].transform(model[0].transform(X))
    assert_array_equal(points.get_offsets(), z[:, :2])
    assert_array_equal(points.get_array(), y)
    assert only(ax, QuadMesh).get_array().size == 100
    assert [ax.get_xlabel()[:2], ax.get_ylabel()[:2]] == ["z1", "z2"]
    bare = plot.sufficient_summary(model, X, y, grid=10, points=False, colorbar=False)
    assert len(bare.collections) == 1


def test_dimensions_show_every_score_and_the_choice(planted):
    X, y = planted
    model = Sliced(n_components=[1, 2, 3], options=QUICK).fit(X, y)
    ax = plot.dimensions(model)
    found = model.report_["details"]["candidates"]
    assert_array_equal(ax.lines[0].get_ydata(), found["score"])
    assert legend_texts(ax) == [f"chosen: {model.n_components_}"]
    with pytest.raises(ValueError, match="compared no numbers of components"):
        plot.dimensions(Sliced(n_components=1, options=QUICK).fit(X, y))


def test_pictures_say_what_is_missing(planted):
    X, y = planted
    with pytest.raises(TypeError, match="LSCDE has no components_"):
        plot.sufficient_summary(LSCDE(**QUICK).fit(X, y), X, y)
    model = Sliced(n_components=1, options=QUICK).fit(X, y)
    with pytest.raises(ValueError, match="confidence = 2"):
        plot.sufficient_summary(model, X, y, confidence=2)
