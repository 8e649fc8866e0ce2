"""The papers' artificial data: what is drawn has the distribution that is stated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.stats import kstest

from condens import datasets

TOYS = {
    "Gaussian": datasets.sugiyama2010(),
    "bimodal": datasets.sugiyama2010("bimodal"),
    "skewed": datasets.sugiyama2010("skewed", normalised=True),
    "toy data 1": datasets.shiga2015_toy1(2),
    "uniform": datasets.shiga2015_toy1(2, irrelevant="uniform", normalised=False),
    "toy data 2": datasets.shiga2015_toy2(),
    "a": datasets.tangkaratt2015("a"),
    "b": datasets.tangkaratt2015("b"),
    **{name: datasets.goerg2017(name) for name in ("independent", "step", "linear", "doppler")},
}
DENSITIES = (
    "eight_gaussians",
    "gaussian_laplacian",
    "gaussian_laplacian_2d",
    "three_gaussians_6d",
    "three_gaussians_10d",
)


@pytest.mark.parametrize("toy", TOYS.values(), ids=TOYS)
def test_what_is_drawn_has_the_true_distribution(toy: Any) -> None:
    x, y = toy.sample(2000, random_state=3)
    assert x.shape == (2000, toy.n_inputs)
    assert y.shape == ((2000,) if toy.n_targets == 1 else (2000, toy.n_targets))
    again = toy.sample(2000, random_state=3)
    assert_array_equal(again[0], x)
    assert_array_equal(again[1], y)
    laws = toy.distribution(x)
    for j in range(toy.n_targets):
        pit = laws.marginal(j).cdf(y.reshape(2000, -1)[:, j])
        assert kstest(pit, "uniform").pvalue > 1e-4
    # Inputs that do not matter do not: the distribution stays when they are drawn anew.
    moved = toy.sample(2000, random_state=4)[0]
    moved[:, list(toy.relevant)] = x[:, list(toy.relevant)]
    assert_allclose(toy.distribution(moved).mean(), laws.mean())
    assert_array_equal(toy.components @ toy.components.T, np.eye(len(toy.relevant)))


def test_formulas_at_a_point() -> None:
    law = datasets.sugiyama2010("bimodal").distribution([[0.25]])[0]
    spread = np.exp(0.75) / 8
    assert_allclose(law.means, np.sin(np.pi / 2) / (np.pi / 2) + spread * np.array([-1, 1]))
    assert_allclose(law.scales, 2 / 3 * spread)
    law = datasets.shiga2015_toy2().distribution([[0.1, 0.2, 0.3, -0.4, 0.1, -0.3]])[0]
    t = np.pi * 0.75 * np.pi * 0.3
    assert_allclose(law.means[0], np.sin(t) / t)
    assert_allclose(law.scales[0], np.exp([0.7, 1.3]) / 8)
    assert datasets.tangkaratt2015("b").distribution([[9.0, 2.0, 9.0, 9.0, 9.0]]).mean()[0] == pytest.approx(14)
    # Errata R12: half the integral of the squared truth, less it: -1 / (4 sqrt(pi) 0.25).
    x, y = datasets.tangkaratt2015("a").sample(4000, random_state=0)
    losses = datasets.tangkaratt2015("a").distribution(x).squared_loss(y)
    assert losses.mean() == pytest.approx(-1 / np.sqrt(np.pi), abs=4 * losses.std() / np.sqrt(4000))


@pytest.mark.parametrize("name", DENSITIES)
def test_densities_are_those_of_their_samples(name: Any) -> None:
    toy = datasets.chen2010(name)
    rows = toy.sample(4000, random_state=1)
    assert_array_equal(rows, toy.sample(4000, random_state=1))
    mean = toy.weights @ toy.locations
    unit = np.where(toy.laplacian, 2.0, 1.0)[:, None]
    variance = toy.weights @ (toy.locations**2 + unit * toy.scales**2) - mean**2
    assert_allclose(rows.mean(axis=0), mean, atol=4 * np.sqrt(variance.max() / 4000))
    assert_allclose(rows.var(axis=0), variance, rtol=0.2)
    if rows.shape[1] == 1:
        mass = quad(lambda v: np.exp(toy.log_density([[v]])[0]), -40, 40, limit=400, points=[-2, 0, 2])[0]
        assert mass == pytest.approx(1, abs=1e-6)


def test_eight_gaussians_are_those_of_the_paper() -> None:
    toy = datasets.chen2010("eight_gaussians")
    assert_allclose(toy.locations[1, 0], 3 * (2 / 3 - 1))
    assert_allclose(toy.scales[1, 0] ** 2, 2 / 3)
    toy = datasets.chen2010("three_gaussians_6d")
    assert_allclose(toy.scales[0] ** 2, [1, 2, 1, 2, 1, 2])


def test_what_is_not_there_is_named() -> None:
    for call, text in [
        (lambda: datasets.sugiyama2010("odd"), "noise = 'odd', expected one of gaussian, bimodal, skewed"),
        (lambda: datasets.tangkaratt2015("c"), "dataset = 'c', expected 'a' or 'b'"),
        (lambda: datasets.goerg2017("sine"), "example = 'sine'"),
        (lambda: datasets.chen2010("one"), "density = 'one'"),
        (lambda: datasets.shiga2015_toy1(irrelevant="odd"), "irrelevant = 'odd'"),
        (lambda: datasets.sugiyama2010().distribution([1.0]), r"X has shape \(1,\), expected 1 column"),
        (lambda: datasets.chen2010().log_density([[1.0, 2.0]]), r"X has shape \(1, 2\), expected 1 column"),
    ]:
        with pytest.raises(ValueError, match=text):
            call()
