"""The criteria that the methods optimise, at any point, with gradients: for researchers and for checks.

Numbers are used as they are handed in; nothing is standardised.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condens import _core
from condens._arrays import as_float64, as_rows, threads_of

Floats = NDArray[np.float64]

__all__ = [
    "GaussianProcessGradient",
    "SACDEObjective",
    "gaussian_process",
    "lsmi",
    "nw_loo",
    "ofr_loo",
    "press",
    "sacde",
    "sce",
]


def sce(
    W: ArrayLike,
    X: ArrayLike,
    Y: ArrayLike,
    centers: ArrayLike,
    bandwidth: float,
    regularization: float,
    *,
    bandwidth_y: float | None = None,
    criterion: Literal["plug_in", "envelope"] = "plug_in",
    n_jobs: int | None = None,
) -> tuple[float, Floats]:
    """The squared-loss conditional entropy of y given z = W x, as LSCE estimates it, and its gradient.

    With phi_l(z) = exp(-norm(z - W u_l)^2 / (2 bandwidth^2)), psi_l(y) the same of y and its centres, the integrals
    V_lm of psi_l psi_m, G = V o mean(phi phi'), h = mean(phi o psi) and a = (G + regularization I)^(-1) h, the value is

    - ``"plug_in"``: a'Ga/2 - h'a, the paper's estimate (eqs. 9 and 10);
    - ``"envelope"``: -h'a/2, the least value of a'Ga/2 - h'a + regularization norm(a)^2 / 2.

    It is to be minimised over subspaces. The centres move with W, and the gradient has their part.

    Parameters
    ----------
    W : array of shape (d_z, d)
        Directions, one a row. They need not be orthonormal.
    X : array of shape (n, d)
        Inputs.
    Y : array of shape (n,) or (n, d_y)
        Targets.
    centers : array of shape (b, d + d_y)
        Rows of [x, y]; the kernels sit at W x.
    bandwidth : float > 0
        Gaussian width in z, and in y unless `bandwidth_y` is given.
    regularization : float > 0
        Added to the diagonal of G.
    bandwidth_y : float > 0, optional
        Gaussian width in y.
    criterion : {"plug_in", "envelope"}
        See above.
    n_jobs : int, optional
        Number of threads, which do not change a bit.

    Returns
    -------
    value : float
    gradient : array of shape (d_z, d)
        By the entries of `W`, along no constraint: (I - W'W) on its right gives that of the subspace.

    Raises
    ------
    ValueError
        For shapes that do not fit, numbers that are not finite or not positive.
    condens.NumericalError
        Where G + regularization I has no factor in double precision.

    Notes
    -----
    Costs n b^2 multiplications and additions for G, and as many for the gradient. Tangkaratt, Xie and Sugiyama
    (2015), sections 2.3 and 2.5, and appendix B.
    """
    return _projected(
        _core.sce, W, X, Y, centers, bandwidth, bandwidth_y, regularization, criterion, threads_of(n_jobs)
    )


def lsmi(
    W: ArrayLike,
    X: ArrayLike,
    Y: ArrayLike,
    centers: ArrayLike,
    bandwidth: float,
    regularization: float,
    *,
    bandwidth_y: float | None = None,
    criterion: Literal["plug_in", "envelope"] = "envelope",
    n_jobs: int | None = None,
) -> tuple[float, Floats]:
    """The squared-loss mutual information of y and z = W x, as LSMI estimates it, and its gradient.

    As `sce` with another V: H_lm = mean(phi_l phi_m) mean(psi_l psi_m), over all pairs of rows. The value is

    - ``"envelope"``: h'a/2 - 1/2, that of LSMI;
    - ``"plug_in"``: h'a - a'Ha/2 - 1/2.

    It is to be maximised over subspaces.

    Parameters
    ----------
    W : array of shape (d_z, d)
        Directions, one a row. They need not be orthonormal.
    X : array of shape (n, d)
        Inputs.
    Y : array of shape (n,) or (n, d_y)
        Targets.
    centers : array of shape (b, d + d_y)
        Rows of [x, y]; the kernels sit at W x.
    bandwidth : float > 0
        Gaussian width in z, and in y unless `bandwidth_y` is given.
    regularization : float > 0
        Added to the diagonal of H.
    bandwidth_y : float > 0, optional
        Gaussian width in y.
    criterion : {"plug_in", "envelope"}
        See above.
    n_jobs : int, optional
        Number of threads, which do not change a bit.

    Returns
    -------
    value : float
    gradient : array of shape (d_z, d)
        By the entries of `W`, along no constraint.

    Raises
    ------
    ValueError
        For shapes that do not fit, numbers that are not finite or not positive.
    condens.NumericalError
        Where H + regularization I has no factor in double precision.

    Notes
    -----
    Suzuki and Sugiyama (2013); Tangkaratt, Xie and Sugiyama (2015), section 2.8.
    """
    return _projected(
        _core.lsmi, W, X, Y, centers, bandwidth, bandwidth_y, regularization, criterion, threads_of(n_jobs)
    )


def _projected(
    function: Callable[..., tuple[float, Floats]],
    W: ArrayLike,
    X: ArrayLike,
    Y: ArrayLike,
    centers: ArrayLike,
    bandwidth: float,
    bandwidth_y: float | None,
    regularization: float,
    criterion: str,
    threads: int,
) -> tuple[float, Floats]:
    if criterion not in ("plug_in", "envelope"):
        raise ValueError(f"criterion = {criterion!r}, expected 'plug_in' or 'envelope'")
    w = np.atleast_2d(as_float64(W, "W"))
    x, y, c = (_rows(values, name) for values, name in ((X, "X"), (Y, "Y"), (centers, "centers")))
    if w.ndim != 2 or not len(w) or w.shape[1] != x.shape[1]:
        raise ValueError(f"W has shape {np.shape(W)}, expected {x.shape[1]} columns, one for each column of X")
    widths = float(bandwidth), float(bandwidth if bandwidth_y is None else bandwidth_y)
    return function(as_rows(w), x, y, c, widths, float(regularization), criterion == "envelope", threads)


class GaussianProcessGradient(NamedTuple):
    """Derivatives of `gaussian_process` by its hyper-parameters."""

    length_scales: Floats
    signal_variance: float
    noise_variance: float


def gaussian_process(
    length_scales: ArrayLike,
    signal_variance: float,
    noise_variance: float,
    X: ArrayLike,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> tuple[float, GaussianProcessGradient]:
    """Log marginal likelihood of a Gaussian process with mean zero, and its gradient.

    log N(y; 0, K) with K_ij = signal_variance exp(-sum_k (x_ik - x_jk)^2 / (2 length_scales_k^2)) and
    noise_variance / w_i added to K_ii. It is to be maximised.

    Parameters
    ----------
    length_scales : array of shape (d,), or a number
        > 0; a number is that of all inputs.
    signal_variance, noise_variance : float > 0
        Prior variance of the function, and variance of y around it.
    X : array of shape (n, d)
        Inputs.
    y : array of shape (n,)
        One target; of several the likelihoods add up.
    sample_weight : array of shape (n,), optional
        Weights > 0; 2 equals two copies of a row.
    n_jobs : int, optional
        Number of threads, which do not change a bit.

    Returns
    -------
    value : float
    gradient : GaussianProcessGradient
        By `length_scales` (an array of shape (d,)), `signal_variance` and `noise_variance`.

    Raises
    ------
    ValueError
        For shapes that do not fit, numbers that are not finite or not positive.
    condens.NumericalError
        Where K is not positive definite in double precision, with a jitter of 1e-4 signal_variance either.

    Notes
    -----
    Costs n^3 multiplications and additions. Rasmussen and Williams (2006), eqs. 2.30 and 5.9.
    """
    x, targets = _rows(X, "X"), as_float64(y, "y")
    if targets.ndim != 1:
        raise ValueError(f"y has {targets.ndim} dimensions, expected 1: a likelihood is of one target")
    scales = as_float64(length_scales, "length_scales")
    scales = np.full(x.shape[1], float(scales)) if scales.ndim == 0 else scales.reshape(-1)
    weights = np.ones(len(x)) if sample_weight is None else as_float64(sample_weight, "sample_weight").reshape(-1)
    value, by_length, by_signal, by_noise = _core.gaussian_process(
        as_rows(scales),
        float(signal_variance),
        float(noise_variance),
        x,
        as_rows(targets),
        as_rows(weights),
        threads_of(n_jobs),
    )
    return -value, GaussianProcessGradient(-by_length, -by_signal, -by_noise)


def nw_loo(
    W_or_widths: ArrayLike, X: ArrayLike, Y: ArrayLike, bandwidth_y: float, *, n_jobs: int | None = None
) -> tuple[float, Floats]:
    """Leave-one-out log-likelihood of the Nadaraya-Watson density, and its gradient.

    The mean over rows i of log p(y_i | x_i), where p is the mixture of normals with width `bandwidth_y` at all
    other rows' y, weighted by exp(-norm(W (x_i - x_j))^2 / 2). It is to be maximised.

    Parameters
    ----------
    W_or_widths : array of shape (k, d) or (d,)
        The metric W, or one width > 0 for every input, which is W = diag(1 / widths).
    X : array of shape (n, d)
        Inputs.
    Y : array of shape (n,) or (n, d_y)
        Targets.
    bandwidth_y : float > 0
        Width of the normals in y.
    n_jobs : int, optional
        Number of threads, which do not change a bit.

    Returns
    -------
    value : float
    gradient : array
        By `W_or_widths`, of its shape.

    Raises
    ------
    ValueError
        For shapes that do not fit, numbers that are not finite, and widths that are not positive.

    Notes
    -----
    Costs 2 n^2 exponentials and 4 d n^2 multiplications and additions; memory does not grow with n^2.
    Shiga, Tangkaratt and Sugiyama (2015), eq. 25; Holmes, Gray and Isbell (2007).
    """
    metric = as_float64(W_or_widths, "W_or_widths")
    x, y = _rows(X, "X"), _rows(Y, "Y")
    threads = threads_of(n_jobs)
    if metric.ndim == 1:
        if not (metric > 0).all():
            raise ValueError(f"W_or_widths holds the width {metric.min()}, expected numbers > 0")
        return _core.nw_loo_widths(np.ascontiguousarray(metric), x, y, float(bandwidth_y), threads)
    return _core.nw_loo_matrix(_rows(metric, "W_or_widths"), x, y, float(bandwidth_y), threads)


class SACDEObjective(NamedTuple):
    """What `sacde` returns."""

    value: float  #: J(alpha)
    gradient: Floats  #: of the shape of alpha; where an input's coefficients are all zero, of the quadratic part
    gap: float  #: duality gap: J(alpha) is at most this far above its minimum
    kkt_residual: float  #: largest violation of the optimality conditions, relative to the largest norm of h_d


def sacde(
    alpha: ArrayLike,
    X: ArrayLike,
    Y: ArrayLike,
    centers: ArrayLike,
    bandwidth: float,
    regularization: float,
    *,
    bandwidth_y: float | None = None,
) -> SACDEObjective:
    """The objective of sparse additive conditional density estimation, with its duality gap.

    J(alpha) = alpha'H alpha / 2 - h'alpha + regularization * sum_d norm(alpha_d), for alpha >= 0.

    Parameters
    ----------
    alpha : array of shape (d, b), or (d + 1, b)
        Coefficients >= 0, a row for every input; one more row is that of the constant term, which has no penalty.
    X : array of shape (n, d)
        Inputs.
    Y : array of shape (n,) or (n, d_y)
        Targets.
    centers : array of shape (b, d + d_y)
        Rows of [x, y].
    bandwidth : float > 0
        Gaussian width in every input, and in y unless `bandwidth_y` is given.
    regularization : float > 0
        Penalty on the norm of every input's coefficients.
    bandwidth_y : float > 0, optional
        Gaussian width in y.

    Returns
    -------
    SACDEObjective
        value, gradient, gap, kkt_residual.

    Raises
    ------
    ValueError
        For shapes that do not fit, numbers that are not finite, negative coefficients.

    Notes
    -----
    Shiga, Tangkaratt and Sugiyama (2015), eqs. 9-16.
    """
    a, x, y, c = (_rows(v, n) for v, n in ((alpha, "alpha"), (X, "X"), (Y, "Y"), (centers, "centers")))
    if a.shape not in ((x.shape[1], len(c)), (x.shape[1] + 1, len(c))):
        raise ValueError(
            f"alpha has shape {a.shape}, expected {(x.shape[1], len(c))}: a row for each of the inputs in X and a "
            "column for each of the centers; one more row for the constant term"
        )
    found = _core.sacde_objective(
        a,
        x,
        y,
        c,
        float(bandwidth),
        float(bandwidth if bandwidth_y is None else bandwidth_y),
        float(regularization),
    )
    return SACDEObjective(*found)


def ofr_loo(
    centers: ArrayLike, scales: ArrayLike, X: ArrayLike, target: ArrayLike, regularization: float = 0.0
) -> Floats:
    """Leave-one-out mean square errors J_1, ..., J_n of a target regressed on Gaussian densities, one after another.

    J_n is that of the first n kernels; leaving a row out refits the weights of the orthogonal columns (for
    `regularization` > 0 with the orthogonalisation of all rows held fixed). A kernel that is a combination of earlier
    ones changes nothing; one that alone explains a row makes J infinite.

    Parameters
    ----------
    centers : array of shape (n, d)
        Means of the kernels, in their order.
    scales : array of shape (n, d), (n,), or a number
        Standard deviations > 0: of every coordinate, of every kernel, or one for all.
    X : array of shape (N, d)
        Rows at which the kernels meet the target.
    target : array of shape (N,)
        For instance a Parzen window at X.
    regularization : float >= 0, optional
        Added to the square of every orthogonal column: an absolute number, in units of density squared.

    Returns
    -------
    array of shape (n,)

    Raises
    ------
    ValueError
        For shapes that do not fit, numbers that are not finite, and scales that are not positive.

    Notes
    -----
    Costs 8 n^2 N multiplications and additions. Chen, Hong and Harris (2010), eqs. 26-36 and 62-68.
    """
    c, x = _rows(centers, "centers"), _rows(X, "X")
    t, s = as_float64(target, "target"), as_float64(scales, "scales")
    if t.ndim != 1:
        raise ValueError(f"target has {t.ndim} dimensions, expected 1")
    if s.shape not in (c.shape, c.shape[:1], ()):
        raise ValueError(f"scales has shape {s.shape}, expected {c.shape}, {c.shape[:1]}, or a number")
    s = np.broadcast_to(s[:, None] if s.ndim == 1 else s, c.shape)
    return _core.ofr_loo(c, as_rows(s), x, as_rows(t), float(regularization))


def press(
    theta: ArrayLike,
    X: ArrayLike,
    y: ArrayLike,
    criterion: str,
    smoothness: tuple[float, float] | None = None,
    lasso: float = 0,
    *,
    bandwidth_y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> tuple[float, Floats]:
    """A criterion of predictive state smoothing (PRESS) at a linear map of states, and its gradient.

    The weights of the J states are W = softmax(X theta), their means of y are weighted by the columns of W, and the
    prediction is W times the means. Criteria are means over rows (the paper leaves out 1/n in its eq. 30), summed
    over the targets:

    - ``"mse"``: squared errors in the sample (eq. 30);
    - ``"loocv"``: each divided by (1 - s_ii)^2, the paper's closed form of leaving out (eqs. 31-33);
    - ``"gcv"``: their mean divided by (1 - nu / n)^2 (eqs. 34-35);
    - ``"loo"``: state means without the row itself, exactly, at fixed theta;
    - ``"likelihood"``: minus the log of the density (eq. 25) whose states leave out the row and its copies.

    Parameters
    ----------
    theta : array of shape (p, J) or (p + 1, J)
        Coefficients of the states, for the p columns of X as they are; one more row is that of the intercepts and
        comes first.
    X : array of shape (n, p)
        Inputs.
    y : array of shape (n,) or (n, d_y)
        Targets.
    criterion : {"mse", "loocv", "gcv", "loo", "likelihood"}
        See above.
    smoothness : (float, float), optional
        (nu_smooth, mu): adds mu (nu_smooth - nu)^2 (eq. 36).
    lasso : float >= 0
        Adds lasso times the sum of the absolute coefficients of the inputs (eq. 38): neither of the row of
        intercepts nor of constant columns of X. Where a coefficient is zero, the gradient is that of the rest.
    bandwidth_y : float or array of shape (J,), optional
        Gaussian width of the states' densities; the likelihood needs it.
    sample_weight : array of shape (n,), optional
        Weights > 0; 2 equals two copies of a row.
    n_jobs : int, optional
        Number of threads, which do not change a bit.

    Returns
    -------
    value : float
        Infinite where a row that is alone in its state would be left out.
    gradient : array
        By `theta`, of its shape.

    Raises
    ------
    ValueError
        For shapes that do not fit, numbers that are not finite, an unknown criterion.

    Notes
    -----
    Costs 4 n p J multiplications and additions; the n x n smoothing matrix is never formed. The likelihood adds
    n J exponentials for every different y.

    Goerg (2017), section 4.
    """
    t, x, targets = _rows(theta, "theta"), _rows(X, "X"), _rows(y, "y")
    n, p = x.shape
    if len(t) not in (p, p + 1):
        raise ValueError(
            f"theta has shape {t.shape}, expected {p} rows, one for each column of X, or {p + 1} with the intercepts"
        )
    if t.shape[1] == 0:
        raise ValueError(f"theta has shape {t.shape}, expected a column for each state, at least one")
    if lasso < 0:
        raise ValueError(f"lasso = {lasso}, expected a number >= 0")
    if (bandwidth_y is None) is (criterion == "likelihood"):
        raise ValueError(f"bandwidth_y is {bandwidth_y!r} for the criterion {criterion}; the likelihood alone needs it")
    own_intercepts = len(t) == p + 1
    full = t if own_intercepts else np.vstack([np.zeros((1, t.shape[1])), t])
    widths = np.empty(0) if bandwidth_y is None else as_float64(bandwidth_y, "bandwidth_y").reshape(-1)
    if widths.size == 1:
        widths = np.full(t.shape[1], widths[0])
    weights = np.ones(n) if sample_weight is None else as_float64(sample_weight, "sample_weight").reshape(-1)
    value, gradient = _core.press_objective(
        np.ascontiguousarray(full),
        x,
        targets,
        criterion,
        (0.0, 0.0) if smoothness is None else (float(smoothness[0]), float(smoothness[1])),
        np.ascontiguousarray(widths),
        np.ascontiguousarray(weights),
        threads_of(n_jobs),
    )
    penalised = np.ptp(x, axis=0) > 0 if n else np.ones(p, dtype=bool)
    if own_intercepts:
        penalised = np.concatenate([[False], penalised])
    gradient = np.array(gradient if own_intercepts else gradient[1:])
    gradient[penalised] += lasso * np.sign(t[penalised])
    return value + lasso * float(np.abs(t[penalised]).sum()), gradient


def _rows(values: ArrayLike, name: str) -> Floats:
    array = as_float64(values, name)
    if array.ndim not in (1, 2):
        raise ValueError(f"{name} has {array.ndim} dimensions, expected one row for each observation")
    if len(array) == 0:
        raise ValueError(f"{name} has no rows, expected one row for each observation")
    return as_rows(array.reshape(len(array), -1))
