"""Time series as tables."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from condens import LSCDE, lag_table, time_folds, transition_matrix


def test_lags_are_the_values_before():
    series = np.arange(10.0)
    for lags in (1, 3):
        for horizon in (1, 2):
            X, y = lag_table(series, lags, horizon)
            assert X.shape == (10 - lags - horizon + 1, lags)
            for row, target in zip(X, y, strict=True):
                assert_array_equal(row, target - horizon - np.arange(lags))


def test_other_inputs_are_those_of_the_target():
    more = np.arange(20.0).reshape(10, 2)
    X, y = lag_table(np.arange(10.0), 2, X=more)
    assert_array_equal(X[:, 2:], more[y.astype(int)])


def test_folds_are_blocks_that_a_fit_takes():
    folds = time_folds(103, 4)
    assert (np.diff(folds) >= 0).all()
    assert_array_equal(np.unique(folds), np.arange(4))
    assert np.ptp(np.bincount(folds)) <= 1
    X, y = lag_table(np.random.default_rng(0).normal(size=104).cumsum(), 1)
    LSCDE(cv=folds).fit(X, y)


def test_transitions_of_certain_rows_are_their_shares():
    states = np.random.default_rng(0).integers(3, size=200)
    for steps in (1, 2):
        expected = np.zeros((3, 3))
        for now, later in zip(states[:-steps], states[steps:], strict=True):
            expected[now, later] += 1
        expected /= expected.sum(axis=1, keepdims=True)
        assert_allclose(transition_matrix(np.eye(3)[states], steps), expected)


def test_transitions_of_uncertain_rows_are_those_of_the_weights():
    weights = np.random.default_rng(0).dirichlet([1, 1, 1], size=50)
    expected = np.zeros((3, 3))
    for now, later in pairwise(weights):
        for j in range(3):
            for k in range(3):
                expected[j, k] += now[j] * later[k] / weights[:-1, j].sum()
    assert_allclose(transition_matrix(weights), expected)
    assert_allclose(expected.sum(axis=1), 1)
    assert np.isnan(transition_matrix(np.eye(2)[[0, 0, 0]])[1]).all()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: lag_table(np.zeros((2, 2)), 1), "series has 2 dimensions, expected 1"),
        (lambda: lag_table(np.zeros(5), 0), "lags = 0 and horizon = 1, expected whole numbers >= 1"),
        (lambda: lag_table(np.zeros(5), 4, 2), "series has 5 values, expected more than 5 for 4 lags and 2 steps"),
        (lambda: lag_table(np.zeros(5), 1, X=np.zeros((4, 1))), r"X has shape \(4, 1\), expected \(5, d\)"),
        (lambda: transition_matrix(np.ones(3)), "weights has 1 dimensions, expected 2: a row for every time"),
        (lambda: transition_matrix(np.eye(3), 3), "steps = 3, expected a whole number from 1 to 2 for 3 rows"),
        (lambda: time_folds(5, 6), "folds = 6, expected a whole number from 2 to n = 5"),
    ],
)
def test_refuses(call, text):
    with pytest.raises(ValueError, match=text):
        call()
