"""Conditioning, moving, joining, cutting and mapping distributions, against plain formulas and draws."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from condens import GaussianMixtures


def mixtures(n=4):
    random = np.random.default_rng(1)
    weights = random.dirichlet(np.ones(3), size=n)
    return GaussianMixtures(weights, random.normal(size=(n, 3)), random.uniform(0.3, 1.0, size=(n, 3)))


def joint():
    covariances = [[[1.0, 0.6], [0.6, 2.0]], [[0.5, -0.2], [-0.2, 0.3]]]
    return GaussianMixtures([0.3, 0.7], [[0.0, 1.0], [2.0, -1.0]], covariances=covariances)


def test_conditioning_divides_the_joint_density_by_the_marginal():
    law = joint()
    y = np.linspace(-3, 3, 7)
    given = law.condition({0: 0.4})
    expected = law.pdf(np.stack([np.full(7, 0.4), y], axis=-1)) / law.marginal(0).pdf(0.4)
    np.testing.assert_allclose(given.pdf(y), expected, rtol=1e-12)
    rows = law[None].condition({-1: [0.3]})
    assert rows.shape == (1,)
    np.testing.assert_allclose(rows[0].mean(), law.condition({1: 0.3}).mean(), rtol=1e-14)
    with pytest.raises(IndexError, match="target 2 of 2"):
        law.condition({2: 0.0})
    with pytest.raises(ValueError, match="not all"):
        law.condition({0: 0.0, 1: 0.0})
    with pytest.raises(ValueError, match="at least one"):
        law.condition({})


def test_arithmetic_moves_distributions():
    laws = mixtures()
    by = np.array([1.0, -2.0, 0.5, 3.0])
    y = np.linspace(-1, 1, 4)
    for moved, shift, scale in [
        (laws + by, by, 1.0),
        (laws - 2, -2.0, 1.0),
        (by + laws, by, 1.0),
        (2 - laws, 2.0, -1.0),
        (laws * by, 0.0, by),
        (3 * laws, 0.0, 3.0),
        (laws / 4, 0.0, 0.25),
        (-laws, 0.0, -1.0),
    ]:
        np.testing.assert_allclose(moved.pdf(shift + scale * y), laws.pdf(y) / np.abs(scale), rtol=1e-12)
    both = joint() * [2.0, 3.0] + [1.0, -1.0]
    np.testing.assert_allclose(both.mean(), joint().mean() * [2.0, 3.0] + [1.0, -1.0], rtol=1e-14)
    assert (laws + 1).means.strides == laws.means.strides
    with pytest.raises(ValueError, match="not zero"):
        laws * 0
    with pytest.raises(ValueError, match="does not broadcast"):
        laws + np.ones(3)


def test_concatenate_joins_arrays_and_single_ones():
    laws = mixtures()
    together = GaussianMixtures.concatenate([laws, laws[1], GaussianMixtures([1.0], [0.0], [1.0])])
    assert together.shape == (6,)
    np.testing.assert_array_equal(together.mean()[:5], [*laws.mean(), laws[1].mean()])
    with pytest.raises(ValueError, match="targets"):
        GaussianMixtures.concatenate([laws, joint()])
    with pytest.raises(ValueError, match="one or more"):
        GaussianMixtures.concatenate([])


def test_expected_shortfall_is_the_mean_of_the_tail():
    laws = mixtures()
    for q in (0.05, 0.5):
        low, high = laws.expected_shortfall(q), laws.expected_shortfall(q, tail="upper")
        for i, law in enumerate(laws):
            below = quad(lambda t, law=law: t * law.pdf(t), -12, law.ppf(q), epsabs=1e-13)[0] / q
            above = quad(lambda t, law=law: t * law.pdf(t), law.isf(q), 12, epsabs=1e-13)[0] / q
            np.testing.assert_allclose([low[i], high[i]], [below, above], rtol=1e-9)
    np.testing.assert_allclose(laws.expected_shortfall(1.0), laws.mean(), rtol=1e-14)
    with pytest.raises(ValueError, match=r"\(0, 1\]"):
        laws.expected_shortfall(0.0)
    with pytest.raises(ValueError, match="expected 'lower' or 'upper'"):
        laws.expected_shortfall(0.1, tail="left")


def test_probability_of_intervals():
    laws = mixtures()
    np.testing.assert_allclose(laws.probability(-1.0, 0.5), laws.cdf(0.5) - laws.cdf(-1.0), rtol=1e-12)
    normal = GaussianMixtures([1.0], [0.0], [1.0])
    np.testing.assert_allclose(normal.probability(30.0, np.inf), stats.norm.sf(30.0), rtol=1e-12)


def test_truncation_agrees_with_scipy():
    normal = GaussianMixtures([1.0], [1.0], [2.0])
    for a, b in [(0.0, np.inf), (-1.0, 2.5), (9.0, 11.0), (40.0, 50.0)]:
        ours, scipys = normal.truncate(a, b), stats.truncnorm((a - 1) / 2, (b - 1) / 2, 1.0, 2.0)
        y = a + np.array([0.1, 0.5, 1.2])
        np.testing.assert_allclose(ours.pdf(y), scipys.pdf(y), rtol=1e-10)
        np.testing.assert_allclose(ours.cdf(y), scipys.cdf(y), rtol=1e-9)
        q = np.array([0.01, 0.5, 0.99])
        np.testing.assert_allclose(ours.ppf(q), scipys.ppf(q), rtol=1e-9)
        np.testing.assert_allclose(ours.isf(q), scipys.isf(q), rtol=1e-9)
        np.testing.assert_allclose([ours.mean(), ours.var()], scipys.stats("mv"), rtol=1e-6)
    assert normal.truncate(0.0).pdf(-0.1) == 0.0
    assert normal.truncate(0.0).cdf(-0.1) == 0.0
    assert normal.truncate(0.0, 1.0).support() == (0.0, 1.0)
    with pytest.raises(ValueError, match="lower < upper"):
        normal.truncate(1.0, 1.0)
    with pytest.raises(ValueError, match="no probability"):
        normal.truncate(1e6, 2e6)


def test_exp_is_the_lognormal_distribution():
    ours = GaussianMixtures([1.0], [0.3], [0.8]).transform("exp")
    scipys = stats.lognorm(0.8, scale=np.exp(0.3))
    y = np.array([0.2, 1.0, 5.0])
    np.testing.assert_allclose(ours.pdf(y), scipys.pdf(y), rtol=1e-11)
    np.testing.assert_allclose(ours.cdf(y), scipys.cdf(y), rtol=1e-11)
    np.testing.assert_allclose(ours.sf(y), scipys.sf(y), rtol=1e-11)
    np.testing.assert_allclose(ours.interval(0.9), scipys.interval(0.9), rtol=1e-11)
    np.testing.assert_allclose([ours.mean(), ours.var()], scipys.stats("mv"), rtol=1e-7)
    # Closed form of the CRPS of a lognormal distribution: Baran and Lerch (2015).
    z = (np.log(y) - 0.3) / 0.8
    closed = y * (2 * stats.norm.cdf(z) - 1) - 2 * scipys.mean() * (
        stats.norm.cdf(z - 0.8) + stats.norm.cdf(0.8 / np.sqrt(2)) - 1
    )
    np.testing.assert_allclose(ours.crps(y), closed, rtol=1e-7)
    assert ours.support() == (0.0, np.inf)
    assert ours.pdf(-1.0) == 0.0
    np.testing.assert_allclose(ours.expected_shortfall(0.1), quad(scipys.ppf, 0, 0.1)[0] / 0.1, rtol=1e-6)


def test_maps_with_names_agree_with_draws_and_with_each_other():
    laws = mixtures()
    for name in ("exp", "expm1", "logistic"):
        back = {"exp": "log", "expm1": "log1p", "logistic": "logit"}[name]
        there = laws.transform(name)
        same = there.transform(back)
        y = np.linspace(-1.0, 1.0, 4)
        np.testing.assert_allclose(same.pdf(y), laws.pdf(y), rtol=1e-9)
        np.testing.assert_allclose(same.ppf([0.1, 0.3, 0.5, 0.9]), laws.ppf([0.1, 0.3, 0.5, 0.9]), rtol=1e-9)
    positive = (laws * 0.1 + 3).truncate(0.5)
    for name, function in (("square", np.square), ("sqrt", np.sqrt), ("reciprocal", np.reciprocal), ("log", np.log)):
        there = positive.transform(name)
        draws = function((laws * 0.1 + 3).rvs(20000, random_state=1))
        error = draws.std(axis=0) / np.sqrt(len(draws))
        assert (np.abs(there.mean() - draws.mean(axis=0)) < 5 * error).all(), name
        z = there.median()
        np.testing.assert_allclose(there.cdf(z), 0.5, rtol=1e-9)
        np.testing.assert_allclose(there.sf(z), 0.5, rtol=1e-9)
        np.testing.assert_allclose(there.isf(0.3), there.ppf(0.7), rtol=1e-9)
        total = quad(lambda t, one=there[0]: one.pdf(t), float(there[0].ppf(1e-9)), float(there[0].isf(1e-9)))[0]
        np.testing.assert_allclose(total, 1.0, rtol=1e-6)
    with pytest.raises(ValueError, match="truncate them first"):
        laws.transform("log")
    with pytest.raises(ValueError, match="expected one of exp, log"):
        laws.transform("cube")


def test_a_map_of_ones_own():
    laws = mixtures()
    with pytest.raises(TypeError, match="needs its inverse"):
        laws.transform(np.arcsinh)
    cube = laws.transform(lambda x: x**3, np.cbrt)
    np.testing.assert_allclose(cube.cdf(0.125), laws.cdf(0.5), rtol=1e-12)
    with pytest.raises(ValueError, match="no derivative"):
        cube.pdf(1.0)
    full = laws.transform(np.arcsinh, np.sinh, lambda x: 1 / np.sqrt(1 + x * x))
    np.testing.assert_allclose(full.pdf(0.3), laws.pdf(np.sinh(0.3)) * np.cosh(0.3), rtol=1e-12)


def test_they_are_arrays_like_the_others():
    laws = mixtures().transform("exp")
    assert laws.shape == (4,)
    assert len(laws) == 4
    assert [law.median() for law in laws] == list(laws.median())
    assert laws[1:3].shape == (2,)
    grid = np.linspace(0.1, 2, 5)
    assert laws[:, None].pdf(grid).shape == (4, 5)
    assert laws.rvs((3, 2), random_state=1).shape == (3, 2, 4)
    np.testing.assert_array_equal(laws.rvs(3, random_state=1), laws.rvs(3, random_state=1))
    assert laws.crps(np.ones(4)).shape == (4,)
    assert "exp" in repr(laws)


def test_an_integral_that_does_not_converge_says_so():
    ratio = GaussianMixtures([1.0], [1.0], [1.0]).truncate(0.0).transform("reciprocal")
    with pytest.warns(RuntimeWarning, match="uncertain"):
        assert ratio.mean() == np.inf
