"""PRESS tells its states: weights, laws, the smoothing matrix, and pictures of them."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pictures import (
    draw_and_close,  # noqa: F401  (a fixture)
    legend_texts,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from condens import LSCDE, PRESS, load, plot, transition_matrix

THREE = {"n_states": 3, "regularization": 1e-3}


@pytest.fixture(scope="module")
def stages():
    random = np.random.default_rng(0)
    X = random.uniform(size=(240, 2))
    stage = np.floor(3 * X[:, 0])
    return X, 10 * stage + random.normal(size=240)


@pytest.fixture(scope="module")
def model(stages):
    return PRESS(**THREE).fit(*stages)


def test_the_law_mixes_the_states(model, stages):
    X = stages[0][:7]
    weights = model.state_weights(X)
    assert weights.shape == (7, 3)
    assert_allclose(weights.sum(axis=1), 1, rtol=1e-12)
    y = np.linspace(-3, 23, 50)
    mixed = weights @ model.state_distribution_[:, None].pdf(y)
    assert_allclose(model.predict_distribution(X)[:, None].pdf(y), mixed, rtol=1e-9, atol=1e-15)


def test_states_come_back_with_shapes(model):
    assert model.n_states_ == 3
    assert model.state_coef_.shape == (3, 3)
    assert_array_equal(model.state_coef_, np.column_stack([model.intercept_, model.coef_]))
    assert model.standard_errors_.shape == (3, 3)
    assert model.state_means_.shape == (3, 1)
    assert model.state_inputs_.shape == (3, 2)
    assert (np.diff(model.state_means_[:, 0]) > 5).all()
    assert_allclose(model.state_sizes_.sum(), 240)


def test_entropy_is_that_of_the_weights(model, stages):
    weights = model.state_weights(stages[0])
    expected = -np.sum(weights * np.log2(np.maximum(weights, 1e-300)), axis=1)
    assert_allclose(model.entropy(stages[0]), expected, atol=1e-12)
    assert_allclose(expected.mean(), model.mean_entropy_, atol=1e-12)


def test_smoothing_matrix_gives_the_means(stages):
    X, y = stages
    model = PRESS(**THREE, defensive_weight=0).fit(X, y)
    smoother = model.smoothing_matrix(X)
    assert_allclose(smoother @ y, model.predict(X), rtol=1e-9)
    assert_allclose(np.trace(smoother), model.degrees_of_freedom_)


def test_distances_are_those_of_the_weights(model, stages):
    X = stages[0][:20]
    weights = model.state_weights(X)
    lengths = np.linalg.norm(weights, axis=1)
    expected = 1 - weights @ weights.T / np.outer(lengths, lengths)
    assert_allclose(model.state_distances(X), expected, atol=1e-12)
    assert_allclose(model.state_distances(X, X[:3]), expected[:, :3], atol=1e-12)


def test_factors_make_the_smoothing_matrix(model, stages):
    vectors, values = model.state_factors(stages[0])
    assert_allclose((vectors * values) @ vectors.T, model.smoothing_matrix(stages[0]), atol=1e-12)
    assert_allclose(values.sum(), model.degrees_of_freedom_)


def test_rows_stand_for_states(model, stages):
    X = stages[0]
    rows = model.representative_rows(X, 4)
    assert rows.shape == (3, 4)
    expected = np.argsort(-model.state_weights(X), axis=0, kind="stable")[:4].T
    assert_array_equal(rows, expected)
    assert_array_equal(model.state_representatives_, X[rows[:, 0]])
    with pytest.raises(ValueError, match="count = 0, expected 1 to the 240 rows"):
        model.representative_rows(X, 0)


def test_inputs_vary_in_a_state(model, stages):
    X = stages[0]
    shares = model.state_weights(X) / model.state_sizes_
    expected = [shares[:, j] @ (X - model.state_inputs_[j]) ** 2 for j in range(3)]
    assert_allclose(model.state_input_variances_, expected, rtol=1e-9)


def test_coefficients_have_intervals(model):
    low, high = model.state_coef_interval(0.9)
    assert low.shape == (3, 3)
    assert_allclose((low + high) / 2, model.state_coef_, atol=1e-12)
    assert_allclose((high - low) / (2 * 1.6448536269514722), model.robust_standard_errors_)
    with pytest.raises(ValueError, match="confidence = 2"):
        model.state_coef_interval(2)


def test_a_file_keeps_the_states(model, stages, tmp_path):
    model.save(tmp_path / "states.cbor")
    again = load(tmp_path / "states.cbor")
    assert_array_equal(again.state_weights(stages[0]), model.state_weights(stages[0]))
    assert_array_equal(again.state_distribution_.mean(), model.state_distribution_.mean())


def test_categories_have_shares_in_the_states(stages):
    X, y = stages
    frame = pd.DataFrame({"kind": np.where(X[:, 0] < 1 / 3, "egg", "adult"), "size": X[:, 1]})
    model = PRESS(n_states=2, regularization=1e-3).fit(frame, y)
    names = model._model.encoder.encoded_names
    egg = names.index("kind=egg")
    assert_allclose(model.state_inputs_[:, egg], [1, 0], atol=0.02)
    assert model.state_weights(frame).shape == (240, 2)
    with pytest.raises(AttributeError, match="only a linear map of inputs without categories has it; see state_coef_"):
        _ = model.coef_


def test_only_models_of_states_have_them(stages):
    plain = LSCDE(bandwidth=0.5, bandwidth_y=0.3, regularization=0.1).fit(*stages)
    assert not hasattr(plain, "state_weights")
    with pytest.raises(TypeError, match="only a model of predictive states has states"):
        plain._model.state_weights(stages[0])
    for draw in (plot.states, lambda m: plot.state_weights(m, stages[0]), lambda m: plot.simplex(m, *stages)):
        with pytest.raises(TypeError, match="LSCDE has no states, expected a fitted PRESS"):
            draw(plain)


def test_pictures_of_states(model, stages):
    X, y = stages
    ax = plot.states(model)
    assert len(ax.lines) == 3
    assert legend_texts(ax)[0].startswith("state 1: ")
    ax = plot.state_weights(make_pipeline(StandardScaler(), PRESS(**THREE)).fit(X, y), X, grid=50)
    assert_allclose(np.sum([line.get_ydata() for line in ax.lines], axis=0), 1)
    ax = plot.simplex(model, X, y)
    weights = model.state_weights(X)
    assert_allclose(ax.collections[0].get_offsets()[:, 1], np.sqrt(0.75) * weights[:, 1], atol=1e-12)
    ax = plot.smoothing_matrix(model, X)
    order = np.argsort(weights @ model.state_means_[:, 0], kind="stable")
    assert_allclose(ax.images[0].get_array(), model.smoothing_matrix(X)[np.ix_(order, order)])


def test_the_picture_of_transitions_holds_their_chances(model, stages):
    X = stages[0]
    ax = plot.transitions(model, X, steps=2)
    chances = transition_matrix(model.state_weights(X), 2)
    assert_allclose(ax.images[0].get_array(), chances)
    assert [text.get_text() for text in ax.texts] == [f"{100 * chance:.0f} %" for chance in chances.ravel()]
    assert ax.get_xlabel() == "state 2 rows later"
    with pytest.raises(TypeError, match="LSCDE has no states"):
        plot.transitions(LSCDE(bandwidth=0.5, bandwidth_y=0.3, regularization=0.1).fit(*stages), X)


def test_bad_arguments_are_named(model, stages):
    X, y = stages
    with pytest.raises(ValueError, match="the model has 2 states, expected 3"):
        plot.simplex(PRESS(n_states=2, regularization=1e-3).fit(X, y), X, y)
    with pytest.raises(ValueError, match="order must hold each of the 240 rows once"):
        plot.smoothing_matrix(model, X, order=[0, 1])
