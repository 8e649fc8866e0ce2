"""Modes and highest-density regions of truncated and mapped distributions, against plain brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from condens import GaussianMixtures


def mixtures(n: int = 4) -> GaussianMixtures:
    random = np.random.default_rng(3)
    weights = random.dirichlet(np.ones(3), size=n)
    return GaussianMixtures(weights, random.normal(scale=2.0, size=(n, 3)), random.uniform(0.3, 0.8, size=(n, 3)))


def fine_grid(law: Any, size: int = 10_001) -> tuple[np.ndarray, np.ndarray]:
    """Points even in level and in z together, and the density there."""
    low, high = float(law.ppf(1e-9)), float(law.isf(1e-9))
    z = np.unique(np.concatenate([np.linspace(low, high, size), law.ppf(np.linspace(1e-9, 1 - 1e-9, 4_001))]))
    return z, law.pdf(z)


def brute_modes(law: Any) -> np.ndarray:
    """Local maxima on the grid, those at finite ends among them, by falling density."""
    z, p = fine_grid(law)
    padded = np.concatenate([[-np.inf], p, [-np.inf]])
    top = (p > padded[:-2]) & (p >= padded[2:])
    return z[top][np.argsort(-p[top])]


def same_modes(law: Any) -> None:
    scale = float(law.isf(1e-3) - law.ppf(1e-3))
    np.testing.assert_allclose(law.modes(), brute_modes(law), atol=2e-3 * scale, rtol=0.0)
    for mode in law.modes():  # and higher than what the grid has beside it
        step = 1e-5 * scale
        assert law.pdf(mode) >= max(law.pdf(mode - step), law.pdf(mode + step))


def brute_region(law: Any, mass: float) -> np.ndarray:
    """Cells of the grid by falling density until they hold `mass`, neighbours joined."""
    z, p = fine_grid(law)
    share = np.diff(law.cdf(z))
    height = np.minimum(p[1:], p[:-1])
    order = np.argsort(-height)
    used = np.zeros(share.size, dtype=bool)
    used[order[: int(np.searchsorted(np.cumsum(share[order]), mass)) + 1]] = True
    edges = np.diff(np.concatenate([[0], used.astype(int), [0]]))
    return np.column_stack([z[np.flatnonzero(edges == 1)], z[np.flatnonzero(edges == -1)]])


def check(law: Any, mass: float, rtol: float = 2e-3) -> None:
    region = law.hdr(mass)
    low, high = law.support()
    covered = sum(float(law.cdf(b) - law.cdf(a)) for a, b in region)
    np.testing.assert_allclose(covered, mass, rtol=1e-9)
    inner = region[(region > low) & (region < high)]
    heights = law.pdf(inner)
    np.testing.assert_allclose(heights, heights[:1].repeat(len(heights)), rtol=1e-7)
    expected = brute_region(law, mass)
    assert region.shape == expected.shape
    scale = float(law.isf(1e-3) - law.ppf(1e-3))
    np.testing.assert_allclose(region, expected, atol=rtol * scale)


@pytest.mark.parametrize("mass", [0.1, 0.5, 0.9, 0.99])
def test_regions_of_truncated_mixtures_are_those_of_brute_force(mass: float) -> None:
    for law in mixtures():
        for lower, upper in [(-1.0, np.inf), (-np.inf, 0.5), (-0.7, 1.1)]:
            check(law.truncate(lower, upper), mass)


@pytest.mark.parametrize("name", ["exp", "expm1", "logistic", "arcsinh"])
def test_regions_of_mapped_mixtures_are_those_of_brute_force(name: str) -> None:
    for law in mixtures():
        if name == "arcsinh":
            there = (2 * law).transform(np.arcsinh, np.sinh, lambda x: 1 / np.sqrt(1 + x * x))
        else:
            there = (0.4 * law).transform(name)
        for mass in (0.3, 0.9):
            check(there, mass)
        same_modes(there)
        assert there.mode() == there.modes()[0]


def test_falling_and_repeated_maps_and_truncation_between() -> None:
    for law in mixtures():
        positive = (0.2 * law + 3).truncate(0.5)
        check(positive.transform("reciprocal"), 0.8)
        check(positive.transform("log").truncate(-0.5, 1.2), 0.8)
        check(positive.transform("reciprocal").transform("square").truncate(0.01, 3.0), 0.8)
        there = positive.transform("reciprocal")
        same_modes(there)


def test_modes_of_truncated_mixtures_are_those_inside_and_the_ends_from_which_the_density_falls() -> None:
    for law in mixtures():
        inside = law.modes()
        assert sorted(law.truncate(-50.0, 50.0).modes()) == sorted(inside)
        cut = law.truncate(-0.4, 0.6)
        expected = sorted(inside[(inside > -0.4) & (inside < 0.6)])
        step = 1e-6
        expected = [*([-0.4] if law.pdf(-0.4 + step) < law.pdf(-0.4) else []), *expected]
        expected = [*expected, *([0.6] if law.pdf(0.6 - step) < law.pdf(0.6) else [])]
        assert sorted(cut.modes()) == expected
        assert (np.diff(law.pdf(cut.modes())) <= 0).all()
        assert cut.mode() == cut.modes()[0]


def test_half_normal_chi_square_and_lognormal() -> None:
    normal = GaussianMixtures([1.0], [0.0], [1.0])
    half = normal.truncate(0.0)
    assert half.mode() == 0.0
    np.testing.assert_allclose(half.hdr(0.9), [[0.0, stats.halfnorm.ppf(0.9)]], rtol=1e-12)
    far = normal.truncate(30.0)
    assert far.mode() == 30.0
    np.testing.assert_allclose(far.hdr(0.5), [[30.0, far.ppf(0.5)]], rtol=1e-12)
    square = half.transform("square")  # chi-square of one degree: infinite at 0
    assert square.mode() == 0.0
    np.testing.assert_allclose(square.hdr(0.9), [[0.0, stats.chi2(1).ppf(0.9)]], rtol=1e-9)
    for spread in (0.5, 5.0):
        prices = GaussianMixtures([1.0], [0.3], [spread]).transform("exp")
        np.testing.assert_allclose(prices.mode(), np.exp(0.3 - spread**2), rtol=1e-6)
        # Equal densities N(x; 0.3, s^2) exp(-x) at the ends: they lie even about 0.3 - s^2.
        centre = 0.3 - spread**2

        def covered(half: float, centre: float = centre, spread: float = spread) -> float:
            return float(stats.norm(0.3, spread).cdf(centre + half) - stats.norm(0.3, spread).cdf(centre - half))

        half_width = optimize.brentq(lambda h, covered=covered: covered(h) - 0.8, 0.0, 100.0, xtol=1e-14)
        np.testing.assert_allclose(np.log(prices.hdr(0.8)[0]), [centre - half_width, centre + half_width], rtol=1e-9)


def test_a_logit_normal_of_two_modes() -> None:
    shares = GaussianMixtures([1.0], [0.2], [3.0]).transform("logistic")
    modes = shares.modes()
    assert len(modes) == 2
    assert len(shares.hdr(0.5)) == 2
    for mode in modes:  # the derivative of the log density vanishes
        x = np.log(mode / (1 - mode))
        np.testing.assert_allclose(-(x - 0.2) / 9.0 + 2 * mode - 1, 0.0, atol=1e-6)


def test_shapes_and_messages() -> None:
    laws = mixtures(6).truncate(0.0)
    assert laws.mode().shape == (6,)
    assert len(laws.hdr(0.5)) == len(laws.modes()) == 6
    assert laws[2].hdr(0.5).shape[1] == 2
    assert np.ndim(laws[2].mode()) == 0
    np.testing.assert_array_equal(laws.hdr(0.5)[3], laws[3].hdr(0.5))
    square = laws[:, None][[0, 1]]
    assert square.mode().shape == (2, 1)
    assert len(square.hdr(0.3)) == 2
    with pytest.raises(ValueError, match=r"mass = 1\.5"):
        laws.hdr(1.5)
    cube = mixtures().transform(lambda x: x**3, np.cbrt)
    for ask in (cube.mode, cube.modes, cube.hdr):
        with pytest.raises(ValueError, match=f"{ask.__name__}: the map .* has no derivative"):
            ask()


def test_an_array_of_none_has_none_of_everything() -> None:
    for none in (mixtures()[:0].truncate(0.0), mixtures()[:0].transform("exp"), mixtures()[:0]):
        assert none.hdr(0.5) == none.modes() == []
        for numbers in (none.mode(), none.mean(), none.var(), none.crps(np.empty(0)), none.expected_shortfall(0.1)):
            assert numbers.shape == (0,)


def test_regions_of_many_distributions_at_once_are_those_of_each() -> None:
    laws = mixtures(20).transform("exp").truncate(0.2, 9.0)
    for one, together in zip(laws, laws.hdr(0.7), strict=True):
        np.testing.assert_allclose(one.hdr(0.7), together, rtol=1e-12)
