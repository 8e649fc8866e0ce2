"""GaussianMixtures: what the constructor and the functions refuse, how components broadcast, copies and pickles."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from test_distributions import LAWS, two_targets

from condens import GaussianMixtures


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (([0.5, 0.6], 0, 1), ValueError, "weights must be >= 0 with sum 1"),
        (([1.5, -0.5], 0, 1), ValueError, "weights must be >= 0 with sum 1"),
        (([np.nan, 1.0], 0, 1), ValueError, "weights must be >= 0 with sum 1"),
        ((1.0, 0.0, 1.0), ValueError, "weights need an axis of components"),
        (
            ([1.0], [0.0, 1.0], [1.0]),
            ValueError,
            r"weights, means and scales of shapes \(1,\), \(2,\) and \(1,\) do not",
        ),
        (([1.0], [np.nan], [1.0]), ValueError, "(?i)mean.*finite|nan"),
        (([1.0], [np.inf], [1.0]), ValueError, "(?i)mean.*finite|inf"),
        (([1.0], [0.0], [0.0]), ValueError, "scale"),
        (([1.0], [0.0], [-1.0]), ValueError, "scale"),
        (([0.5, 0.5], [1, 2, 3], [1.0]), ValueError, "do not go together"),
        ((np.ones((3, 1)), np.zeros((2, 1)), [1.0]), ValueError, "do not go together"),
        (([], [], []), ValueError, "weights must be >= 0 with sum 1"),
        ((["a"], [0.0], [1.0]), TypeError, "weights has dtype <U1, expected real numbers"),
        (([1.0], [1j], [1.0]), TypeError, "means has dtype complex128, expected real numbers"),
        (([1.0], [None], [object()]), TypeError, "scales holds something that is no number"),
    ],
)
def test_wrong_components(arguments: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        GaussianMixtures(*arguments)


@pytest.mark.parametrize(
    "name", ["pdf", "logpdf", "cdf", "sf", "logcdf", "logsf", "crps", "energy_score", "squared_loss", "hdr_mass"]
)
def test_nan_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"(?i)nan"):
        getattr(LAWS, name)([0.0, np.nan, 1.0])


@pytest.mark.parametrize("level", [-0.1, 1.1, np.nan, np.inf])
@pytest.mark.parametrize("name", ["ppf", "isf"])
def test_levels_outside_are_refused(name: str, level: float) -> None:
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        getattr(LAWS, name)(level)


@pytest.mark.parametrize("mass", [0.0, 1.0, -1, np.nan])
@pytest.mark.parametrize("name", ["interval", "hdr"])
def test_masses_outside_are_refused(name: str, mass: float) -> None:
    with pytest.raises(ValueError, match=r"\(0, 1\)"):
        getattr(LAWS, name)(mass)


def test_other_wrong_arguments() -> None:
    with pytest.raises(ValueError, match=r"stats: moments = 'mx', expected some of the letters m, v, s, k"):
        LAWS.stats("mx")
    with pytest.raises(ValueError, match="order"):
        LAWS.moment(-1)
    with pytest.raises(TypeError):
        LAWS.moment(1.5)
    with pytest.raises(IndexError, match="target 1 of 1"):
        LAWS.marginal(1)
    with pytest.raises(ValueError, match=r"y has shape \(3,\), expected 2 targets along its last axis"):
        two_targets().pdf([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"y of shape \(4,\) does not broadcast against distributions of shape \(3,\)"):
        LAWS.pdf(np.zeros(4))


def test_means_and_scales_broadcast() -> None:
    laws = GaussianMixtures([0.5, 0.5], [[0.0, 1.0], [2.0, 3.0]], 2)
    assert laws.shape == (2,)
    assert_array_equal(laws.weights, np.full((2, 2), 0.5))
    assert_array_equal(laws.scales, np.full((2, 2), 2.0))
    assert_array_equal(laws.mean(), [0.5, 2.5])
    assert GaussianMixtures([1.0], 3, 4).mean() == 3
    pair = GaussianMixtures([1.0], [1.0, 2.0], 1.0, multivariate=True)
    assert (pair.shape, pair.n_targets) == ((), 2)
    assert_array_equal(pair.mean(), [1, 2])


# --- copies ------------------------------------------------------------------------------------------------


def test_copies_are_equal_to_the_bit(fitted: Any, data: Any) -> None:
    for laws in (LAWS, LAWS[1], LAWS[:, None], LAWS[:0], two_targets(), fitted.predict_distribution(data[0])):
        for other in (pickle.loads(pickle.dumps(laws)), copy.copy(laws), copy.deepcopy(laws)):
            assert other.shape == laws.shape
            assert_array_equal(other.weights, laws.weights)
            assert_array_equal(other.means, laws.means)
            assert_array_equal(other.scales, laws.scales)
            assert_array_equal(other.mean(), laws.mean())


def test_infinite_y_is_a_limit_or_refused() -> None:
    for name, limits in {"cdf": (0.0, 1.0), "sf": (1.0, 0.0), "pdf": (0.0, 0.0)}.items():
        try:
            found = getattr(LAWS[0], name)([-np.inf, np.inf])
        except ValueError:
            continue
        assert_array_equal(found, limits)


def test_components_are_read_only_views(fitted: Any, data: Any) -> None:
    laws = fitted.predict_distribution(data[0])
    assert laws.weights.shape == laws.means.shape == laws.scales.shape == (80, laws.n_components)
    assert_allclose(laws.weights.sum(-1), 1, rtol=1e-12)
    assert np.shares_memory(laws.means, laws._laws.means)
    for values in (laws.means, laws.scales):
        with pytest.raises(ValueError, match="read-only"):
            values[...] = 0
    means = laws.means
    expected = means.copy()
    del laws  # they live on
    assert_array_equal(means, expected)
