"""The criteria of the papers: equal to the formulas written out, and their gradients to differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp
from scipy.stats import norm

from condens import objectives


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(3)
    return random.normal(size=(30, 2)), random.normal(size=(30, 1))


def plain_nw_loo(W, X, Y, bandwidth_y):
    total = 0.0
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        log_weight = -0.5 * (((X[i] - X[others]) @ W.T) ** 2).sum(1)
        log_kernel = norm.logpdf(Y[i], Y[others], bandwidth_y).sum(1)
        total += logsumexp(log_weight + log_kernel) - logsumexp(log_weight)
    return total / len(X)


def differences(function, at, step=1e-6):
    out = np.empty_like(at)
    for k in np.ndindex(at.shape):
        move = np.zeros_like(at)
        move[k] = step
        out[k] = (function(at + move) - function(at - move)) / (2 * step)
    return out


def test_nw_loo_is_the_formula(rows):
    X, Y = rows
    W = np.array([[1.5, 0.2], [-0.3, 2.0], [0.1, 0.4]])
    assert_allclose(objectives.nw_loo(W, X, Y, 0.4)[0], plain_nw_loo(W, X, Y, 0.4), rtol=1e-12)
    widths = np.array([0.5, 2.0])
    assert_allclose(objectives.nw_loo(widths, X, Y[:, 0], 0.4)[0], plain_nw_loo(np.diag(1 / widths), X, Y, 0.4))


@pytest.mark.parametrize("at", [np.array([0.5, 2.0]), np.array([[1.5, 0.2], [-0.3, 2.0]]), np.array([[0.7, -0.2]])])
def test_nw_loo_gradient_is_that_of_differences(rows, at):
    value, gradient = objectives.nw_loo(at, *rows, 0.4)
    assert gradient.shape == at.shape
    expected = differences(lambda w: objectives.nw_loo(w, *rows, 0.4)[0], at)
    assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)
    assert np.isfinite(value)


def test_nw_loo_has_the_same_bits_for_any_number_of_threads(rows):
    one, many = (objectives.nw_loo([0.5, 2.0], *rows, 0.4, n_jobs=k) for k in (1, 7))
    assert one[0] == many[0]
    assert (one[1] == many[1]).all()


def plain_sacde(alpha, X, Y, centers, s, regularization):
    d = len(alpha)
    U, V = centers[:, :d], centers[:, d:]
    phi = np.exp(-0.5 * ((X[:, :, None] - U.T[None]) / s) ** 2)  # n x d x b
    psi = np.exp(-0.5 * ((Y[:, None, :] - V[None]) ** 2).sum(2) / s**2)
    overlap = (np.sqrt(np.pi) * s) ** V.shape[1] * np.exp(-((V[:, None] - V[None]) ** 2).sum(2) / (4 * s**2))
    h = (phi * psi[:, None, :]).mean(0)
    H = np.einsum("ndb,nec,bc->dbec", phi, phi, overlap) / len(X)
    smooth = 0.5 * np.einsum("db,dbec,ec->", alpha, H, alpha) - (h * alpha).sum()
    gradient = np.einsum("dbec,ec->db", H, alpha) - h
    norms = np.linalg.norm(alpha, axis=1)
    return smooth + regularization * norms.sum(), gradient + regularization * alpha / norms[:, None]


def test_sacde_is_the_formula(rows):
    X, Y = rows
    random = np.random.default_rng(5)
    centers = np.hstack([X, Y])[:7]
    alpha = random.uniform(0.1, 1.0, (2, 7))
    found = objectives.sacde(alpha, X, Y, centers, 0.6, 0.05)
    value, gradient = plain_sacde(alpha, X, Y, centers, 0.6, 0.05)
    assert_allclose(found.value, value, rtol=1e-11)
    assert_allclose(found.gradient, gradient, rtol=1e-9, atol=1e-11)
    assert found.gap > 0
    assert found.kkt_residual > 0


def test_sacde_gap_bounds_the_distance_to_the_minimum(rows):
    X, Y = rows
    centers = np.hstack([X, Y])[:7]
    # Projected gradient steps with the norm's shrinkage (eqs. 17 to 19), until nothing moves.
    alpha = np.ones((2, 7))
    for _ in range(20000):
        smooth = plain_sacde(np.maximum(alpha, 1e-300), X, Y, centers, 0.6, 0.0)[1]
        step = np.maximum(alpha - 0.05 * smooth, 0)
        norms = np.linalg.norm(step, axis=1, keepdims=True)
        alpha = step * np.maximum(0, 1 - 0.05 * 0.02 / np.maximum(norms, 1e-300))
    best = objectives.sacde(alpha, X, Y, centers, 0.6, 0.02)
    assert best.gap < 1e-8
    assert best.kkt_residual < 1e-6
    worse = objectives.sacde(1.3 * alpha, X, Y, centers, 0.6, 0.02)
    assert worse.gap >= worse.value - best.value - 1e-12


def plain_press(theta, X, Y, criterion, smoothness=None, lasso=0, bandwidth_y=None):
    """Goerg (2017), eqs. 15 to 38, with the n x n smoothing matrix."""
    n = len(X)
    scores = X @ theta
    W = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
    S = W @ np.diag(1 / W.sum(0)) @ W.T
    nu = np.trace(S)
    u = Y - S @ Y
    if criterion == "mse":
        value = (u**2).sum() / n
    elif criterion == "loocv":
        value = ((u / (1 - np.diag(S))[:, None]) ** 2).sum() / n
    elif criterion == "gcv":
        value = (u**2).sum() / n / (1 - nu / n) ** 2
    else:
        value = 0.0
        for i in range(n):
            others = np.arange(n) != i
            share = W[others] / W[others].sum(0)
            if criterion == "loo":
                value += ((Y[i] - W[i] @ (share.T @ Y[others])) ** 2).sum() / n
            else:
                kernels = norm.pdf(Y[i, 0], Y[others, 0], bandwidth_y)
                value -= np.log(W[i] @ (share.T @ kernels)) / n
    if smoothness is not None:
        value += smoothness[1] * (smoothness[0] - nu) ** 2
    penalised = np.ptp(X, axis=0) > 0
    return value + lasso * np.abs(theta[penalised]).sum()


@pytest.mark.parametrize("criterion", ["mse", "loocv", "gcv", "loo", "likelihood"])
def test_press_is_the_formula_and_its_gradient_that_of_differences(rows, criterion):
    X, Y = rows
    theta = np.random.default_rng(7).normal(size=(3, 4))
    with_ones = np.hstack([np.ones((30, 1)), X])
    options = {"smoothness": (2.5, 0.3), "lasso": 0.1}
    if criterion == "likelihood":
        options["bandwidth_y"] = 0.4
    expected = plain_press(theta, with_ones, Y, criterion, **options)
    for x in (X, with_ones):  # the intercept's row of theta, or a constant column of X
        value, gradient = objectives.press(theta, x, Y, criterion, **options)
        assert_allclose(value, expected, rtol=1e-11)
        slopes = differences(lambda t, x=x: objectives.press(t, x, Y, criterion, **options)[0], theta)
        assert gradient.shape == theta.shape
        assert_allclose(gradient, slopes, rtol=1e-5, atol=1e-7)


def test_press_weights_are_copies(rows):
    X, Y = rows
    theta = np.random.default_rng(7).normal(size=(3, 4))
    times = np.arange(30) % 3 + 1
    a = objectives.press(theta, X, Y, "loocv", sample_weight=times)
    b = objectives.press(theta, np.repeat(X, times, axis=0), np.repeat(Y, times, axis=0), "loocv")
    assert_allclose(a[0], b[0], rtol=1e-12)
    assert_allclose(a[1], b[1], atol=1e-12)


def test_what_does_not_fit_is_named(rows):
    X, Y = rows
    theta = np.zeros((3, 2))
    for call, text in [
        (lambda: objectives.nw_loo([0.5, -1.0], X, Y, 0.4), "the width -1"),
        (lambda: objectives.nw_loo([0.5], X, Y, 0.4), "1 widths, expected 2"),
        (lambda: objectives.nw_loo([0.5, 1.0], X, Y[:5], 0.4), "rows"),
        (lambda: objectives.nw_loo([0.5, 1.0], X, Y, 0.0), "bandwidth_y = 0"),
        (lambda: objectives.nw_loo([0.5, 1.0], X * np.nan, Y, 0.4), "NaN"),
        (lambda: objectives.nw_loo([0.5, 1.0], X[None], Y, 0.4), "X has 3 dimensions"),
        (lambda: objectives.sacde(-np.ones((2, 7)), X, Y, np.ones((7, 3)), 0.6, 0.1), "alpha"),
        (
            lambda: objectives.sacde(np.ones((2, 7)), X, Y, np.ones((6, 3)), 0.6, 0.1),
            r"alpha has shape \(2, 7\), expected \(2, 6\)",
        ),
        (lambda: objectives.sacde(np.ones((2, 7)), X, Y, np.ones((7, 4)), 0.6, 0.1), "centers"),
        (lambda: objectives.press(np.zeros((5, 2)), X, Y, "mse"), r"theta has shape \(5, 2\), expected 2 rows"),
        (lambda: objectives.press(theta, X, Y, "nosuch"), "criterion = 'nosuch'"),
        (lambda: objectives.press(theta, X, Y, "likelihood"), "bandwidth_y is None"),
        (lambda: objectives.press(theta, X, Y, "mse", bandwidth_y=1.0), "bandwidth_y is 1.0"),
        (lambda: objectives.press(theta, X, Y, "mse", lasso=-1), "lasso = -1"),
        (lambda: objectives.press(theta, X, Y[:5], "mse"), "rows"),
        (lambda: objectives.press(theta, X * np.nan, Y, "mse"), "NaN|nan"),
        (lambda: objectives.press(theta, X, Y, "mse", sample_weight=np.zeros(30)), "weight"),
    ]:
        with pytest.raises(ValueError, match=text):
            call()


def plain_ofr_loo(centers, scales, X, target, regularization):
    """J_n by refitting the weights of the orthogonal columns without every row."""
    phi = np.stack([norm.pdf(X, c, s).prod(1) for c, s in zip(centers, scales, strict=True)], axis=1)
    path = []
    for n in range(1, len(centers) + 1):
        q, r = np.linalg.qr(phi[:, :n])
        W = q * np.diag(r)
        errors = []
        for k in range(len(X)):
            others = np.delete(W, k, 0)
            normal = others.T @ others + regularization * np.eye(n)
            errors.append(target[k] - W[k] @ np.linalg.solve(normal, others.T @ np.delete(target, k)))
        path.append(np.mean(np.square(errors)))
    return path


@pytest.mark.parametrize("regularization", [0.0, 1e-3])
def test_ofr_loo_is_refitting_without_every_row(rows, regularization):
    X, _ = rows
    random = np.random.default_rng(5)
    centers, scales = random.normal(size=(4, 2)), random.uniform(0.5, 2, size=(4, 2))
    target = norm.pdf(X, X[:, None], 0.5).prod(-1).mean(1)
    found = objectives.ofr_loo(centers, scales, X, target, regularization)
    assert_allclose(found, plain_ofr_loo(centers, scales, X, target, regularization), rtol=1e-8)
    one = objectives.ofr_loo(centers, scales[:, 0], X, target, regularization)
    assert_allclose(one, plain_ofr_loo(centers, scales[:, [0, 0]], X, target, regularization), rtol=1e-8)
    same = objectives.ofr_loo(centers[:, 0], 0.7, X[:, 0], target, regularization)
    assert_allclose(
        same, plain_ofr_loo(centers[:, :1], np.full((4, 1), 0.7), X[:, :1], target, regularization), rtol=1e-8
    )


def test_ofr_loo_of_degenerate_kernels(rows):
    X, _ = rows
    target = np.ones(len(X))
    path = objectives.ofr_loo([[0, 0], [0, 0], X[3]], [1, 1, 1e-3], X, target)
    assert path[1] == path[0], "a copy changes nothing"
    assert path[2] == np.inf, "no row is left to judge the last one by"
    assert np.isfinite(objectives.ofr_loo([X[3]], 1e-3, X, target, 1.0)).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0.0]], 1.0, [[0.0, 1.0]], [1.0]), "centers have 1 coordinates, expected 2"),
        (([[0.0]], [1.0, 2.0], [[0.0]], [1.0]), r"scales has shape \(2,\)"),
        (([[0.0]], 0.0, [[0.0]], [1.0]), "scales hold 0"),
        (([[0.0]], 1.0, [[0.0]], [[1.0]]), "target has 2 dimensions"),
        (([[0.0]], 1.0, [[0.0]], [1.0, 2.0]), "target has 2 numbers, expected 1"),
        (([[0.0]], 1.0, [[np.nan]], [1.0]), "NaN or infinity"),
        (([[0.0]], 1.0, [[0.0]], [1.0], -1.0), "regularization = -1"),
    ],
)
def test_ofr_loo_names_what_does_not_fit(arguments, message):
    with pytest.raises(ValueError, match=message):
        objectives.ofr_loo(*arguments)
