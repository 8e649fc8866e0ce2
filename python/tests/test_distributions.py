"""GaussianMixtures against the same formulas computed plainly with scipy: values, tails, scores, regions, errors."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.special import log_ndtr, logsumexp, xlogy

from condens import GaussianMixtures

WEIGHTS = np.array([[0.3, 0.5, 0.2], [0.05, 0.0, 0.95], [1 / 3, 1 / 3, 1 / 3]])
MEANS = np.array([[-2.0, 0.5, 3.0], [10.0, 0.0, -1.0], [0.0, 0.0, 0.1]])
SCALES = np.array([[0.5, 1.0, 0.2], [1.0, 1.0, 3.0], [1.0, 0.01, 2.0]])
LAWS = GaussianMixtures(WEIGHTS, MEANS, SCALES)
POINTS = np.linspace(-8, 14, 45)
ROWS = range(len(LAWS))


def normals(i: int) -> Any:
    return stats.norm(MEANS[i], SCALES[i])


def mixed(i: int, name: str, y: np.ndarray) -> np.ndarray:
    """Sum of w_l f_l(y) for a function of scipy's normal law."""
    return getattr(normals(i), name)(np.asarray(y)[..., None]) @ WEIGHTS[i]


def integral(i: int, function: Any, lower: float = -np.inf, upper: float = np.inf) -> float:
    """Gauss-Legendre between cuts that follow every component and its tails, to some 1e-13."""
    cuts = np.ravel(MEANS[i] + SCALES[i] * np.array([-40, -14, -7, -3, -1, 0, 1, 3, 7, 14, 40])[:, None])
    cuts = np.unique(np.clip([*cuts, lower, upper], max(lower, cuts.min()), min(upper, cuts.max())))
    nodes, weights = np.polynomial.legendre.leggauss(60)
    half = np.diff(cuts)[:, None] / 2
    return float((half * weights * function(cuts[:-1, None] + half * (nodes + 1))).sum())


@pytest.mark.parametrize("i", ROWS)
def test_functions_of_y(i: int) -> None:
    law = LAWS[i]
    for name in ("pdf", "cdf", "sf"):
        assert_allclose(getattr(law, name)(POINTS), mixed(i, name, POINTS), rtol=2e-13, err_msg=name)
    assert_allclose(law.logpdf(POINTS), np.log(mixed(i, "pdf", POINTS)), rtol=1e-12, atol=1e-13)
    assert_array_equal(law.pit(POINTS), law.cdf(POINTS))


@pytest.mark.parametrize("i", ROWS)
def test_logarithms_far_in_the_tails(i: int) -> None:
    positive = WEIGHTS[i] > 0
    w, v, s = WEIGHTS[i][positive], MEANS[i][positive], SCALES[i][positive]
    for far in (50.0, 1e3, 1e6):
        y = np.array([-far, far])
        z = (y[:, None] - v) / s
        law = LAWS[i]
        assert_allclose(law.logpdf(y), logsumexp(stats.norm.logpdf(z) - np.log(s), axis=1, b=w), rtol=1e-13)
        # scipy's log_ndtr has some 1e-14 of relative error far out.
        assert_allclose(law.logcdf(-far), logsumexp(log_ndtr(z[0]), b=w), rtol=1e-12)
        assert_allclose(law.logsf(far), logsumexp(log_ndtr(-z[1]), b=w), rtol=1e-12)
    assert law.logpdf(1e150) == pytest.approx(-0.5 * 1e300 / s.max() ** 2, rel=1e-12)


@pytest.mark.parametrize("i", ROWS)
def test_quantiles(i: int) -> None:
    law = LAWS[i]
    levels = np.concatenate([10.0 ** np.arange(-300, 0, 20), np.linspace(0.01, 0.99, 23), [1e-12, 0.5]])
    assert_allclose(law.cdf(law.ppf(levels)), levels, rtol=1e-9)
    assert_allclose(law.sf(law.isf(levels)), levels, rtol=1e-9)
    assert_array_equal(law.ppf([0, 1]), [-np.inf, np.inf])
    assert_array_equal(law.isf([0, 1]), [np.inf, -np.inf])
    assert law.median() == law.ppf(0.5)
    lower, upper = law.interval(0.8)
    assert_allclose([law.cdf(lower), law.sf(upper)], 0.1, rtol=1e-12)
    assert law.support() == (-np.inf, np.inf)


@pytest.mark.parametrize("i", ROWS)
def test_moments(i: int) -> None:
    law, w, v, s = LAWS[i], WEIGHTS[i], MEANS[i], SCALES[i]
    mean = w @ v
    variance = w @ (s**2 + (v - mean) ** 2)
    assert_allclose(law.mean(), mean, rtol=1e-14)
    assert_allclose(law.var(), variance, rtol=1e-13)
    assert_allclose(law.std(), np.sqrt(variance), rtol=1e-13)
    assert_allclose(law.cov(), [[variance]], rtol=1e-13)
    central = [w @ [stats.norm(m - mean, c).moment(k) for m, c in zip(v, s, strict=True)] for k in (3, 4)]
    assert_allclose(
        law.stats("mvsk"), [mean, variance, central[0] / variance**1.5, central[1] / variance**2 - 3], rtol=1e-10
    )
    assert law.stats("s") == law.stats("mvsk")[2]
    for order in range(7):
        expected = w @ [stats.norm(m, c).moment(order) if order else 1.0 for m, c in zip(v, s, strict=True)]
        assert_allclose(law.moment(order), expected, rtol=1e-12)


@pytest.mark.parametrize("i", ROWS)
def test_integrals(i: int) -> None:
    law = LAWS[i]

    def density(y: Any) -> Any:
        return mixed(i, "pdf", y)

    def below(y: Any) -> Any:
        return mixed(i, "cdf", y)

    def above(y: Any) -> Any:
        return mixed(i, "sf", y)

    assert_allclose(law.l2_norm(), integral(i, lambda y: density(y) ** 2), rtol=1e-12)
    entropy = -integral(i, lambda y: xlogy(density(y), density(y)))
    assert_allclose(law.entropy(), entropy, rtol=0, atol=1e-10)  # what it states
    # E|Y - Y'| = 2 integral F (1 - F), and the CRPS as its definition, the integral of (F - 1{t <= y})^2.
    assert_allclose(law.energy(), 2 * integral(i, lambda y: below(y) * above(y)), rtol=1e-12)
    for t in (-3.0, 0.4, 6.0):
        crps = integral(i, lambda y: below(y) ** 2, upper=t) + integral(i, lambda y: above(y) ** 2, lower=t)
        assert_allclose(law.crps(t), crps, rtol=1e-11)
        assert_allclose(law.energy_score(t), law.crps(t), rtol=1e-14)
        assert_allclose(law.squared_loss(t), 0.5 * law.l2_norm() - density(t), rtol=1e-12)
        distance = integral(i, lambda y, t=t: (t - y) * density(y), upper=t)
        distance += integral(i, lambda y, t=t: (y - t) * density(y), lower=t)
        assert_allclose(law.mean_distance(t), distance, rtol=1e-12)


@pytest.mark.parametrize("i", ROWS)
@pytest.mark.parametrize("mass", [0.05, 0.5, 0.9, 0.999])
def test_highest_density_regions(i: int, mass: float) -> None:
    law = LAWS[i]
    region = law.hdr(mass)
    assert region.ndim == 2
    assert region.shape[1] == 2
    assert (np.diff(region.ravel()) > 0).all()
    assert_allclose((law.cdf(region[:, 1]) - law.cdf(region[:, 0])).sum(), mass, rtol=0, atol=1e-9)
    ends = law.pdf(region)
    level = ends.mean()
    # An end is exact to an ulp of y, where the narrow component changes the density by 1e-12 relatively.
    assert_allclose(ends, level, rtol=1e-8)
    grid = np.linspace(-8, 14, 2001)
    inside = ((grid[:, None] >= region[:, 0]) & (grid[:, None] <= region[:, 1])).any(1)
    assert_array_equal(inside, law.pdf(grid) >= level)
    assert_allclose(law.hdr_mass(region), mass, rtol=0, atol=1e-7)


@pytest.mark.parametrize("i", ROWS)
def test_modes(i: int) -> None:
    law = LAWS[i]
    grid = np.linspace(-12, 14, 260001)
    density = law.pdf(grid)
    peaks = grid[1:-1][(density[1:-1] > density[:-2]) & (density[1:-1] > density[2:])]
    modes = law.modes()
    assert_allclose(np.sort(modes), peaks, rtol=0, atol=1e-4)  # the step of the grid
    assert (np.diff(law.pdf(modes)) <= 0).all()
    assert law.mode() == modes[0]
    assert law.hdr_mass(law.mode()) < 1e-6


def test_lists_for_arrays_of_laws() -> None:
    for name in ("hdr", "modes"):
        several = getattr(LAWS, name)()
        assert len(several) == 3
        for one, law in zip(several, LAWS, strict=True):
            assert_array_equal(one, getattr(law, name)())


# --- several targets ---------------------------------------------------------------------------------


def two_targets() -> GaussianMixtures:
    random = np.random.default_rng(0)
    weights = random.dirichlet(np.ones(3), 4)
    return GaussianMixtures(
        weights, random.normal(size=(4, 3, 2)), random.uniform(0.3, 2, (4, 3, 2)), multivariate=True
    )


def test_two_targets() -> None:
    laws = two_targets()
    assert (laws.shape, laws.n_targets, laws.n_components) == ((4,), 2, 3)
    w, v, s = laws.weights, laws.means, laws.scales
    assert v.shape == s.shape == (4, 3, 2)
    y = np.random.default_rng(1).normal(size=(4, 2))
    density = (w * stats.norm.pdf(y[:, None], v, s).prod(-1)).sum(-1)
    assert_allclose(laws.pdf(y), density, rtol=1e-13)
    assert_allclose(laws.logpdf(y), np.log(density), rtol=1e-12)
    mean = np.einsum("nm,nmd->nd", w, v)
    away = v - mean[:, None]
    cov = np.einsum("nm,nmi,nmj->nij", w, away, away) + np.einsum("nm,nmi,ij->nij", w, s**2, np.eye(2))
    assert_allclose(laws.mean(), mean, rtol=1e-12)
    assert_allclose(laws.cov(), cov, rtol=1e-12, atol=1e-14)
    assert_allclose(laws.var(), np.einsum("nii->ni", cov), rtol=1e-12)
    for j in (0, 1, -1):
        assert_allclose(laws.marginal(j).cdf(0.3), (w * stats.norm.cdf(0.3, v[..., j], s[..., j])).sum(-1), rtol=1e-13)
    overlap = stats.norm.pdf(v[:, :, None], v[:, None], np.sqrt(s[:, :, None] ** 2 + s[:, None] ** 2)).prod(-1)
    norm = np.einsum("nl,nk,nlk->n", w, w, overlap)
    assert_allclose(laws.l2_norm(), norm, rtol=1e-12)
    assert_allclose(laws.squared_loss(y), norm / 2 - density, rtol=1e-12)
    grid = laws[:, None].logpdf(y)
    assert grid.shape == (4, 4)
    assert_allclose(np.diag(grid), laws.logpdf(y), rtol=1e-13)
    assert laws.mode().shape == (4, 2)
    for law, modes in zip(laws, laws.modes(), strict=True):
        assert modes.shape[1] == 2
        step = 1e-4 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
        assert (law.pdf(modes[0] + step) < law.pdf(modes[0])).all()
    assert [end.shape for end in laws.support()] == [(4, 2), (4, 2)]


def test_energy_of_two_targets_by_simulation() -> None:
    law, n = two_targets()[0], 40_000
    a, b = law.rvs((2, n), random_state=0)
    y = np.array([0.5, -1.0])
    for found, samples in (
        (law.energy(), np.linalg.norm(a - b, axis=1)),
        (law.mean_distance(y), np.linalg.norm(a - y, axis=1)),
    ):
        assert abs(found - samples.mean()) < 5 * samples.std() / np.sqrt(n)  # fails once in a million seeds
    assert_allclose(law.energy_score(y), law.mean_distance(y) - law.energy() / 2, rtol=1e-12)


@pytest.mark.parametrize(
    "name", ["cdf", "sf", "logcdf", "logsf", "ppf", "isf", "crps", "hdr_mass", "pit", "median", "entropy", "stats"]
)
def test_functions_for_one_target(name: str) -> None:
    argument = [0.5] if name not in ("median", "entropy", "stats") else []
    with pytest.raises(ValueError, match=r"needs distributions of one target, these have 2; take .marginal\(j\)"):
        getattr(two_targets(), name)(*argument)


def correlated(seed: int = 3, shape: tuple[int, ...] = (4,), m: int = 3, d: int = 3) -> tuple[Any, Any, Any]:
    """Weights, means and covariances of laws of correlated targets."""
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(m), shape)
    a = rng.normal(size=(*shape, m, d, d))
    return weights, 2 * rng.normal(size=(*shape, m, d)), a @ a.swapaxes(-1, -2) + 0.1 * np.eye(d)


def test_covariances_against_scipy() -> None:
    weights, means, covariances = correlated()
    laws = GaussianMixtures(weights, means, covariances=covariances)
    assert (laws.shape, laws.n_components, laws.n_targets) == ((4,), 3, 3)
    assert_allclose(laws.covariances, covariances, rtol=1e-13, atol=1e-13)
    assert_allclose(laws.scales, np.sqrt(np.diagonal(covariances, axis1=-2, axis2=-1)), rtol=1e-14)
    y = np.random.default_rng(4).normal(size=(7, 3))
    for i in range(4):
        parts = [stats.multivariate_normal(means[i, j], covariances[i, j]) for j in range(3)]
        assert_allclose(laws[i].pdf(y), sum(w * p.pdf(y) for w, p in zip(weights[i], parts, strict=True)), rtol=1e-11)
        mean = weights[i] @ means[i]
        assert_allclose(laws[i].mean(), mean, rtol=1e-12, atol=1e-14)
        deviations = means[i] - mean
        spread = covariances[i] + deviations[:, :, None] * deviations[:, None, :]
        assert_allclose(laws[i].cov(), np.tensordot(weights[i], spread, 1), rtol=1e-12, atol=1e-13)
        overlap = sum(
            weights[i, j]
            * weights[i, k]
            * stats.multivariate_normal(means[i, j], covariances[i, j] + covariances[i, k]).pdf(means[i, k])
            for j in range(3)
            for k in range(3)
        )
        assert_allclose(laws[i].l2_norm(), overlap, rtol=1e-11)
        one = GaussianMixtures(weights[i], means[i, :, 1], np.sqrt(covariances[i, :, 1, 1]))
        assert_allclose(laws[i].marginal(1).cdf(y[:, 1]), one.cdf(y[:, 1]), rtol=1e-13)


def test_covariances_of_draws_and_scores() -> None:
    weights, means, covariances = correlated(shape=())
    law = GaussianMixtures(weights, means, covariances=covariances)
    draws = law.rvs(100_000, random_state=1)
    assert_allclose(np.cov(draws.T), law.cov(), atol=0.25)
    distance = np.linalg.norm(draws - 0.5, axis=-1)
    assert law.mean_distance(np.full(3, 0.5)) == pytest.approx(distance.mean(), abs=5 * distance.std() / 100_000**0.5)


def test_covariances_are_kept_by_copies_and_selections() -> None:
    laws = GaussianMixtures(*correlated()[:2], covariances=correlated()[2])
    y = np.random.default_rng(4).normal(size=(4, 3))
    for other in (pickle.loads(pickle.dumps(laws)), laws[[0, 1, 2, 3]], laws.reshape(2, 2).reshape(4)):
        assert_array_equal(other.logpdf(y), laws.logpdf(y))
        assert_array_equal(other.covariances, laws.covariances)
    diagonal = GaussianMixtures([0.5, 0.5], [[0, 1], [2, 3]], [[1, 2], [3, 4]], multivariate=True)
    assert_array_equal(diagonal.covariances, [np.diag([1, 4]), np.diag([9, 16])])
    assert LAWS.covariances.shape == (3, 3, 1, 1)


def test_covariances_that_are_refused() -> None:
    unit = np.eye(2)
    with pytest.raises(TypeError, match="expected either scales or covariances"):
        GaussianMixtures([1.0], [[0.0, 0.0]])
    with pytest.raises(TypeError, match="expected either scales or covariances"):
        GaussianMixtures([1.0], [[0.0, 0.0]], [[1.0, 1.0]], covariances=[unit])
    with pytest.raises(ValueError, match="weights, means and covariances of shapes"):
        GaussianMixtures([0.5, 0.5], [[0.0, 0.0]], covariances=np.stack([unit] * 3))
    with pytest.raises(ValueError, match="expected a symmetric matrix"):
        GaussianMixtures([1.0], [[0.0, 0.0]], covariances=[[[1.0, 0.5], [0.2, 1.0]]])
    with pytest.raises(ValueError, match="not positive definite"):
        GaussianMixtures([1.0], [[0.0, 0.0]], covariances=[np.ones((2, 2))])
    with pytest.raises(ValueError, match="weights must be >= 0"):
        GaussianMixtures([0.9], [[0.0, 0.0]], covariances=[unit])
