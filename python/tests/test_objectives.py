"""The criteria of the papers: equal to the formulas written out, and their gradients to differences."""

import contextlib
import inspect
import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp
from scipy.stats import multivariate_normal, norm

import condens
from condens import metrics, objectives, optim


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


def plain_projected(W, X, Y, centers, s, t, regularization, ratio):
    """G, h and a of Tangkaratt et al. (2015), eqs. 5 to 9, or of the ratio, by loops over centres."""
    d = X.shape[1]
    U, V = centers[:, :d] @ W.T, centers[:, d:]
    Z = X @ W.T
    phi = np.exp(-0.5 * ((Z[:, None] - U[None]) ** 2).sum(2) / s**2)
    psi = np.exp(-0.5 * ((Y[:, None] - V[None]) ** 2).sum(2) / t**2)
    b = len(centers)
    G = np.empty((b, b))
    for k in range(b):
        for m in range(b):
            if ratio:  # over all pairs of rows
                overlap = np.mean(psi[:, k] * psi[:, m])
            else:
                overlap = (np.sqrt(np.pi) * t) ** V.shape[1] * np.exp(-((V[k] - V[m]) ** 2).sum() / (4 * t**2))
            G[k, m] = overlap * np.mean(phi[:, k] * phi[:, m])
    h = (phi * psi).mean(0)
    return G, h, np.linalg.solve(G + regularization * np.eye(b), h)


@pytest.mark.parametrize("criterion", ["plug_in", "envelope"])
@pytest.mark.parametrize("name", ["sce", "lsmi"])
def test_criteria_of_subspaces_are_the_formulas_and_their_gradients_those_of_differences(rows, name, criterion):
    X, Y = rows
    Y = np.hstack([Y, Y**2])
    random = np.random.default_rng(5)
    X = np.hstack([X, random.normal(size=(len(X), 1))])
    W = random.normal(size=(2, 3))  # not orthonormal
    centers = np.hstack([X, Y])[:6]
    function = getattr(objectives, name)
    options = {"bandwidth_y": 0.9, "criterion": criterion}
    value, gradient = function(W, X, Y, centers, 0.7, 0.05, **options)
    G, h, a = plain_projected(W, X, Y, centers, 0.7, 0.9, 0.05, ratio=name == "lsmi")
    f = 0.5 * a @ G @ a - h @ a if criterion == "plug_in" else -0.5 * h @ a
    assert_allclose(value, f if name == "sce" else -0.5 - f, rtol=1e-10)
    slopes = differences(lambda w: function(w, X, Y, centers, 0.7, 0.05, **options)[0], W)
    assert gradient.shape == W.shape
    assert_allclose(gradient, slopes, rtol=1e-5, atol=1e-8)
    again = function(W, X, Y, centers, 0.7, 0.05, **options, n_jobs=2)
    assert again[0] == value
    assert (again[1] == gradient).all()


def test_criteria_of_subspaces_have_one_width_unless_told_otherwise(rows):
    X, Y = rows
    centers = np.hstack([X, Y])[:5]
    for function, default in ((objectives.sce, "plug_in"), (objectives.lsmi, "envelope")):
        same = function([[1.0, 0.5]], X, Y, centers, 0.7, 0.1, bandwidth_y=0.7, criterion=default)
        assert function([1.0, 0.5], X, Y[:, 0], centers, 0.7, 0.1)[0] == same[0]


@pytest.mark.filterwarnings("ignore::condens.FitWarning")
def test_sce_is_what_lsce_reports(rows):
    X, Y = rows
    centers = np.hstack([X, Y])
    options = {"bandwidth": 0.8, "bandwidth_y": 0.5, "regularization": 0.1, "standardize": False, "n_components": 1}
    model = condens.LSCE(**options, centers=centers, random_starts=1).fit(X, Y)
    found, gradient = objectives.sce(model.components_, X, Y, centers, 0.8, 0.1, bandwidth_y=0.5)
    assert_allclose(found, model.sce_, rtol=1e-9)
    tangent = gradient - gradient @ model.components_.T @ model.components_
    assert np.abs(tangent).max() < 1e-4 * abs(found)


def test_gaussian_process_is_the_density_and_its_gradient_that_of_differences(rows):
    X, Y = rows
    y = Y[:, 0]
    weights = 1.0 + np.arange(len(y)) % 3
    at = np.array([0.6, 1.3, 0.8, 0.2])

    def value(p):
        return objectives.gaussian_process(p[:2], p[2], p[3], X, y, sample_weight=weights)[0]

    # A row of weight 2 is two rows.
    times = weights.astype(int)
    x2, y2 = np.repeat(X, times, axis=0), np.repeat(y, times)
    squares = (((x2[:, None] - x2[None]) / at[:2]) ** 2).sum(2)
    covariance = at[2] * np.exp(-0.5 * squares) + at[3] * np.eye(len(y2))
    assert_allclose(value(at), multivariate_normal.logpdf(y2, np.zeros(len(y2)), covariance), rtol=1e-8)
    gradient = objectives.gaussian_process(at[:2], at[2], at[3], X, y, sample_weight=weights)[1]
    flat = np.concatenate([gradient.length_scales, [gradient.signal_variance, gradient.noise_variance]])
    assert_allclose(flat, differences(value, at), rtol=1e-5, atol=1e-6)
    one = objectives.gaussian_process(0.6, 0.8, 0.2, X, y)[0]
    assert one == objectives.gaussian_process([0.6, 0.6], 0.8, 0.2, X, y)[0]


def test_gaussian_process_is_what_the_model_reports(rows):
    X, Y = rows
    model = condens.GaussianProcess().fit(X, Y)
    z, t = (X - model.x_mean_) / model.x_scale_, ((Y - model.y_mean_) / model.y_scale_)[:, 0]
    found = objectives.gaussian_process(
        model.length_scales_[0], model.signal_variance_[0], model.noise_variance_[0], z, t
    )
    assert_allclose(found[0], model.log_marginal_likelihood_[0], rtol=1e-9)


def test_log_mass_is_the_mass_of_the_ratio(rows):
    X, Y = rows
    model = condens.RatioKDE(preset="paper", standardize=False, defensive_weight=0).fit(X, Y[:, 0])
    points = np.array([[0.1, -0.2], [5.0, 5.0]])
    widths = np.concatenate([model.bandwidths_, model.bandwidths_y_])
    rows_of_both = np.column_stack([X, Y])
    for at, mass in zip(points, model.log_mass(points), strict=True):
        joint = [norm.logpdf(at, row[:2], widths[:2]).sum() for row in rows_of_both]
        alone = [norm.logpdf(at, row, model.bandwidths_denominator_).sum() for row in X]
        assert_allclose(mass, logsumexp(joint) - logsumexp(alone), rtol=1e-9, atol=1e-9)
    assert not hasattr(condens.LSCDE, "log_mass")


def test_subspace_distance_is_that_of_projections():
    random = np.random.default_rng(2)
    A, B = random.normal(size=(2, 5)), random.normal(size=(3, 5))
    project = [M.T @ np.linalg.solve(M @ M.T, M) for M in (A, B)]
    found = metrics.subspace_distance(A, B)
    assert_allclose(found, np.linalg.norm(project[0] - project[1]), rtol=1e-10)
    assert metrics.subspace_distance(A, random.normal(size=(2, 2)) @ A) < 1e-12
    assert metrics.subspace_distance([1.0, 0.0], [0.0, 3.0]) == pytest.approx(np.sqrt(2))
    with pytest.raises(ValueError, match="2 rows that span fewer"):
        metrics.subspace_distance([[1.0, 0.0], [2.0, 0.0]], [[1.0, 0.0]])
    with pytest.raises(ValueError, match="rows of 2 numbers, B of 3"):
        metrics.subspace_distance([[1.0, 0.0]], [[1.0, 0.0, 0.0]])


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
    W = [[1.0, 0.0]]
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
        (lambda: objectives.sce([[1.0]], X, Y, np.ones((7, 3)), 0.6, 0.1), r"W has shape \(1, 1\), expected 2 columns"),
        (lambda: objectives.sce(W, X, Y, np.ones((7, 4)), 0.6, 0.1), "sce: centers have 4 numbers each, expected 3"),
        (lambda: objectives.lsmi(W, X, Y[:5], np.ones((7, 3)), 0.6, 0.1), "lsmi: X has 30 rows, Y 5"),
        (lambda: objectives.sce(W, X, Y, np.ones((7, 3)), 0.0, 0.1), "bandwidth = 0"),
        (lambda: objectives.sce(W, X, Y, np.ones((7, 3)), 0.6, 0.1, bandwidth_y=-1.0), "bandwidth_y = -1"),
        (lambda: objectives.lsmi(W, X, Y, np.ones((7, 3)), 0.6, 0.0), "regularization = 0"),
        (lambda: objectives.sce(W, X, Y * np.nan, np.ones((7, 3)), 0.6, 0.1), "NaN or infinity in Y"),
        (lambda: objectives.sce(W, X, Y, np.ones((7, 3)), 0.6, 0.1, criterion="best"), "criterion = 'best'"),
        (lambda: objectives.gaussian_process([1.0], 1.0, 0.1, X, Y[:, 0]), "1 length scales, expected 2"),
        (lambda: objectives.gaussian_process(1.0, 0.0, 0.1, X, Y[:, 0]), "must be > 0"),
        (lambda: objectives.gaussian_process(1.0, 1.0, 0.1, X, Y), "y has 2 dimensions, expected 1"),
        (lambda: objectives.press(np.zeros((5, 2)), X, Y, "mse"), r"theta has shape \(5, 2\), expected 2 rows"),
        (lambda: objectives.press(np.zeros((2, 0)), X, Y, "mse"), "expected a column for each state"),
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


@pytest.mark.parametrize(
    ("n_arrays", "criterion"),
    [
        (4, lambda W, X, Y, c: objectives.sce(W, X, Y, c, 1.0, 0.1)),
        (4, lambda W, X, Y, c: objectives.lsmi(W, X, Y, c, 1.0, 0.1)),
        (4, lambda a, X, Y, c: objectives.sacde(a, X, Y, c, 1.0, 0.1)),
        (3, lambda W, X, Y: objectives.nw_loo(W, X, Y, 1.0)),
        (4, lambda c, s, X, t: objectives.ofr_loo(c, s, X, t)),
        (3, lambda t, X, y: objectives.press(t, X, y, "loo")),
        (3, lambda h, X, y: objectives.gaussian_process(h, 1.0, 0.1, X, y)),
        (2, lambda B, v: optim.simplex_qp(B, v)),
        (2, lambda B, v: optim.mnqp(B, v)),
    ],
)
def test_arrays_without_rows_or_columns_are_answered_or_refused(n_arrays, criterion):
    shapes = [(0,), (2,), (0, 0), (0, 2), (2, 0), (2, 2)]
    for own in itertools.product(shapes, repeat=n_arrays):
        with contextlib.suppress(ValueError, condens.NumericalError):  # anything else, or a crash, fails
            criterion(*(np.ones(shape) for shape in own))


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


@pytest.mark.parametrize("name", ["gaussian_process", "lsmi", "nw_loo", "press", "sacde", "sce", "ofr_loo"])
def test_data_without_rows_are_named(name: str) -> None:
    criterion = getattr(objectives, name)
    none = np.empty((0, 2))
    arguments = {"regularization": 0.1, "bandwidth": 0.5, "bandwidth_y": 0.5}
    parameters = inspect.signature(criterion).parameters.values()
    needed = [p for p in parameters if p.default is inspect.Parameter.empty]
    with pytest.raises(ValueError, match="has no rows, expected one row for each observation"):
        criterion(**{p.name: arguments.get(p.name, none) for p in needed})
