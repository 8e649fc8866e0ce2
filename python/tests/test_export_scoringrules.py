"""Scores of scoringrules' normal mixtures are ours."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import QUICK, make_data
from numpy.testing import assert_allclose

import condens
from condens import GaussianMixtures
from condens.export import to_scoringrules

scoringrules = pytest.importorskip("scoringrules")


def random_laws(shape: tuple[int, ...] = (6,), m: int = 5) -> GaussianMixtures:
    random = np.random.default_rng(1)
    size = (*shape, m)
    return GaussianMixtures(
        random.dirichlet(np.ones(m), shape), random.normal(0, 2, size), random.uniform(0.2, 1.5, size)
    )


@pytest.mark.parametrize("shape", [(), (6,), (3, 2)])
def test_scores_are_ours(shape: tuple[int, ...]) -> None:
    laws = random_laws(shape)
    y = np.random.default_rng(2).normal(0, 2, shape)
    mixture = to_scoringrules(laws)
    assert {name: value.shape for name, value in mixture.items()} == dict.fromkeys("msw", (*shape, 5))
    assert_allclose(scoringrules.crps_mixnorm(y, **mixture), laws.crps(y), rtol=1e-10)
    assert_allclose(scoringrules.logs_mixnorm(y, **mixture), -laws.logpdf(y), rtol=1e-10)


def test_scores_of_predictions() -> None:
    x, y = make_data(60)
    laws = condens.LSCDE(**QUICK).fit(x, y).predict_distribution(x)
    mixture = to_scoringrules(laws)
    assert_allclose(scoringrules.crps_mixnorm(y, **mixture), laws.crps(y), rtol=1e-10)
    assert_allclose(scoringrules.logs_mixnorm(y, **mixture), -laws.logpdf(y), rtol=1e-10)


def test_one_y_for_all_laws_and_a_grid() -> None:
    laws = random_laws()
    grid = np.linspace(-3, 3, 4)
    assert_allclose(scoringrules.crps_mixnorm(0.5, **to_scoringrules(laws)), laws.crps(0.5), rtol=1e-10)
    column = laws[:, None]
    assert_allclose(scoringrules.crps_mixnorm(grid, **to_scoringrules(column)), column.crps(grid), rtol=1e-10)


def test_order_of_the_arguments() -> None:
    laws = random_laws()
    means, scales, weights = to_scoringrules(laws).values()
    assert_allclose(scoringrules.crps_mixnorm(0.0, means, scales, weights), laws.crps(0.0), rtol=1e-10)


def test_several_targets_are_refused() -> None:
    laws = GaussianMixtures([1.0], [[0.0, 1.0]], [[1.0, 1.0]], multivariate=True)
    with pytest.raises(ValueError, match="laws have 2 targets"):
        to_scoringrules(laws)
    assert to_scoringrules(laws.marginal(1))["m"] == 1.0
