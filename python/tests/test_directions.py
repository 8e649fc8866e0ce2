"""Directions of reductions: how sure, how many, of which inputs; and the coefficients of states by the bootstrap."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from condens import LSCE, PRESS, NadarayaWatson, Sliced, inspection, load, metrics

pytestmark = pytest.mark.filterwarnings("ignore::condens.FitWarning")  # of densities of few candidates

QUICK = {"n_components": 1, "bandwidth": 0.7, "bandwidth_y": 0.3, "regularization": 0.01, "n_centers": 30}


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(100, 5))
    y = 2 * np.tanh(X[:, 0] - X[:, 1]) + 0.3 * random.normal(size=100)
    return X, y


def test_subspace_intervals_are_those_of_the_replicates(rows, tmp_path):
    model = LSCE(**QUICK, bootstrap=19).fit(*rows)
    found = model.subspace_intervals()
    assert found.angles.shape == (19, 1)
    assert_allclose(found.projection, model.components_.T @ model.components_, atol=1e-12)
    assert (found.lower <= found.upper).all()
    assert found.lower[0, 0] < 0.5 < found.upper[0, 0]
    assert_allclose(found.distances, np.sin(found.angles[:, 0]), atol=1e-9)
    assert found.distance_bound == np.sort(found.distances)[17]
    assert_array_equal(found.loaded, np.ones(5))
    model.save(tmp_path / "w.cbor")
    assert_array_equal(load(tmp_path / "w.cbor").subspace_intervals().lower, found.lower)
    normal = model.subspace_intervals(0.5, "normal")
    assert_allclose((normal.upper + normal.lower) / 2, found.projection, atol=1e-12)


def test_subspace_intervals_need_replicates(rows):
    with pytest.raises(ValueError, match="subspace_intervals: the estimator has no replicates; fit it with bootstrap"):
        LSCE(**QUICK).fit(*rows).subspace_intervals()
    assert not hasattr(NadarayaWatson(), "subspace_intervals")


def test_changes_are_those_of_projections(rows):
    random = np.random.default_rng(1)
    A, B = random.normal(size=(2, 5)), random.normal(size=(3, 5))
    found = metrics.subspace_change(A, B)
    difference = np.linalg.pinv(A) @ A - np.linalg.pinv(B) @ B
    assert_allclose(found.distance, np.linalg.norm(difference) / np.sqrt(2))
    assert found.angles.shape == (2,)
    assert 0 < found.share <= 1
    assert_allclose(metrics.subspace_distance(A, B), np.linalg.norm(difference))


def test_inputs_leave_the_directions(rows):
    model = LSCE(**QUICK, sparse=True).fit(*rows)
    assert_array_equal(model.components_[0] != 0, [True, True, False, False, False])
    assert model.report_["details"]["n_inputs_used"] == 2


def test_searches_start_where_they_are_told_to(rows):
    start = np.array([[1.0, -1.0, 0.0, 0.0, 0.0]])
    model = LSCE(**QUICK, start_directions=start, informed_starts=False, random_starts=0).fit(*rows)
    assert model.report_["details"]["starts"]["start"] == ["given"]


def test_one_direction_is_enough(rows):
    X, y = rows
    model = Sliced(n_components=1, model="ekde").fit(X, y)
    found = inspection.dimension_test(model, X, y, folds=3, most=2)
    assert found.n_directions == 1
    assert not found.all_rejected
    assert_array_equal(found.tested, [0, 1])
    assert_array_equal(found.rejected, [True, False])
    assert_allclose(found.score[1] - found.score[0], found.gain[0])
    with pytest.raises(ValueError, match="dimension test: nw does not reduce its inputs"):
        inspection.dimension_test(NadarayaWatson().fit(X, y), X, y)


def test_coefficients_have_bootstrap_intervals():
    random = np.random.default_rng(2)
    X = random.normal(size=(200, 2))
    y = 3.0 * (random.uniform(size=200) < 1 / (1 + np.exp(-2 * X[:, 0]))) + 0.5 * random.normal(size=200)
    model = PRESS(n_states=2, regularization=1e-2, n_starts=1, bootstrap=39).fit(X, y)
    low, high = model.state_coef_interval(0.9, "percentile")
    assert low.shape == model.state_coef_.shape
    assert (low < high).all()
    robust_low, robust_high = model.state_coef_interval(0.9)
    assert_allclose(high - low, robust_high - robust_low, rtol=0.6)
    with pytest.raises(ValueError, match="method = 'exact', expected one of percentile, basic, normal"):
        model.state_coef_interval(0.9, "exact")
    with pytest.raises(ValueError, match="state_coef_interval: the estimator has no replicates"):
        PRESS(n_states=2, n_starts=1).fit(X, y).state_coef_interval(0.9, "basic")


def test_adam_is_near_the_minimum():
    random = np.random.default_rng(3)
    X = random.normal(size=(500, 2))
    y = 3.0 * (random.uniform(size=500) < 1 / (1 + np.exp(-2 * X[:, 0]))) + 0.5 * random.normal(size=500)
    full = PRESS(n_states=2, regularization=1e-3).fit(X, y)
    adam = PRESS(n_states=2, regularization=1e-3, optimizer="adam", minibatch=50).fit(X, y)
    assert_allclose(adam.log_density(X, y).mean(), full.log_density(X, y).mean(), atol=0.01)
