"""Time series as tables."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from condens import LSCDE, lag_table, time_folds


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


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: lag_table(np.zeros((2, 2)), 1), "series has 2 dimensions, expected 1"),
        (lambda: lag_table(np.zeros(5), 0), "lags = 0 and horizon = 1, expected whole numbers >= 1"),
        (lambda: lag_table(np.zeros(5), 4, 2), "series has 5 values, expected more than 5 for 4 lags and 2 steps"),
        (lambda: lag_table(np.zeros(5), 1, X=np.zeros((4, 1))), r"X has shape \(4, 1\), expected \(5, d\)"),
        (lambda: time_folds(5, 6), "folds = 6, expected a whole number from 2 to n = 5"),
    ],
)
def test_refuses(call, text):
    with pytest.raises(ValueError, match=text):
        call()
