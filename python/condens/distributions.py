"""Gaussian mixtures as arrays of distributions: what every model of condens predicts.

    p(y) = sum_l w_l N(y; v_l, S_l),   w_l >= 0,  sum_l w_l = 1

with S_l = diag(s_l^2), or any covariance matrix.

The names are scipy's, the shapes numpy's. Everything is exact (a closed form, or the root of one);
the exception, `entropy`, states its error.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condens import _core
from condens._arrays import as_float64
from condens._broadcasting import from_laws_first, laws_first, result_shape, same_for_all_laws
from condens._distribution_array import DistributionArray, scalar

if TYPE_CHECKING:
    from condens.transformed import TransformedDistributions

Floats = NDArray[np.float64]


class GaussianMixtures(DistributionArray):
    """An array of Gaussian mixtures, each a distribution of y in d dimensions.

    `dist.shape` is `()` for one distribution and `(n,)` for the n rows of a prediction. Distributions are indexed,
    sliced, iterated and reshaped like numpy arrays. Methods that take y broadcast it against that shape: one y per
    row (`dist.pdf(y)` with y of shape (n,)), one y for all rows (a number), or a grid for every row
    (`dist[:, None].pdf(grid)`, of shape (n, q)). For d > 1 the last axis of y has the d targets.

    Parameters
    ----------
    weights : array of shape (..., m)
        Weights of the m components, >= 0, with sum 1 along the last axis.
    means, scales : arrays that broadcast to (..., m), or (..., m, d) for several targets
        Means and standard deviations (> 0) of the components.
    multivariate : bool, default False
        Whether the last axis of `means` and `scales` runs over targets.
    covariances : array that broadcasts to (..., m, d, d)
        In place of `scales`: covariance matrices of the components; `means` have an axis of targets then.

    Examples
    --------
    >>> from condens import GaussianMixtures
    >>> dist = GaussianMixtures([0.3, 0.7], [-1.0, 2.0], [0.5, 0.8])
    >>> round(dist.cdf(0.0), 6)
    0.297521
    """

    __slots__ = ()

    _laws: _core.Laws

    def __init__(
        self,
        weights: ArrayLike,
        means: ArrayLike,
        scales: ArrayLike | None = None,
        *,
        multivariate: bool = False,
        covariances: ArrayLike | None = None,
    ) -> None:
        if (scales is None) == (covariances is None):
            raise TypeError("GaussianMixtures: expected either scales or covariances")
        w, v = as_float64(weights, "weights"), as_float64(means, "means")
        if covariances is not None:
            self._set_correlated(w, v, as_float64(covariances, "covariances"))
            return
        scales = cast("ArrayLike", scales)  # one of both is given
        s = as_float64(scales, "scales")
        if not multivariate:
            v, s = v[..., None], s[..., None]
        _check_weights(w)
        try:
            *shape, m, d = np.broadcast_shapes((*w.shape, 1), v.shape, s.shape)
        except ValueError:
            m = -1
        if m != w.shape[-1]:
            axes = "(..., components, targets)" if multivariate else "(..., components)"
            raise ValueError(
                f"GaussianMixtures: weights, means and scales of shapes {w.shape}, {np.shape(means)} and "
                f"{np.shape(scales)} do not go together; expected (..., components), and {axes} for means and scales"
            )
        self.shape = tuple(shape)
        self.n_jobs = None
        log_weights = _log_rows(w, (*self.shape, m))
        self._laws = _core.Laws(log_weights, _rows(v, (*self.shape, m, d)), _rows(s, (*self.shape, m, d)), shared=False)

    def _set_correlated(self, w: Floats, v: Floats, c: Floats) -> None:
        _check_weights(w)
        m = -1
        try:
            if v.ndim and c.ndim >= 2 and c.shape[-2:] == (v.shape[-1],) * 2:
                *shape, m, d = np.broadcast_shapes((*w.shape, 1), v.shape, c.shape[:-1])
        except ValueError:
            pass
        if m != w.shape[-1]:
            raise ValueError(
                f"GaussianMixtures: weights, means and covariances of shapes {w.shape}, {v.shape} and {c.shape} do not "
                "go together; expected (..., components), (..., components, targets) and "
                "(..., components, targets, targets)"
            )
        self.shape = tuple(shape)
        self.n_jobs = None
        covariances = np.broadcast_to(c, (*self.shape, m, d, d)).reshape(*self.shape, m, d * d)
        self._laws = _core.Laws.of_covariances(
            _log_rows(w, (*self.shape, m)), _rows(v, (*self.shape, m, d)), _rows(covariances, covariances.shape)
        )

    def __reduce__(self) -> tuple[Any, ...]:
        laws = self._laws
        return _restore, (laws.log_weights, laws.means, laws.scales, laws.shared, self.shape, laws.correlations)

    # --- an array of distributions ------------------------------------------------------------------

    @property
    def n_components(self) -> int:
        """Number m of components of every distribution; some may have weight zero."""
        return self._laws.n_components

    def marginal(self, target: int | Sequence[int]) -> GaussianMixtures:
        """The distributions of one target, counting from 0, or of several different ones together."""
        targets = [target] if isinstance(target, (int, np.integer)) else list(target)
        for j in targets:
            if not -self.n_targets <= j < self.n_targets:
                raise IndexError(f"target {j} of {self.n_targets}")
        return self._of(self._laws.marginal([j % self.n_targets for j in targets]), self.shape, self.n_jobs)

    # --- algebra -----------------------------------------------------------------------------

    @staticmethod
    def concatenate(parts: Sequence[GaussianMixtures]) -> GaussianMixtures:
        """Distributions in a row, of arrays of one axis or of single ones; all have the same number of targets."""
        parts = list(parts)
        if not parts or any(part.ndim > 1 for part in parts):
            raise ValueError("concatenate: expected one or more distributions, of shapes () or (n,)")
        if len({part.n_targets for part in parts}) > 1:
            raise ValueError(f"concatenate: {[part.n_targets for part in parts]} targets, expected the same number")
        laws = _core.Laws.concatenate([part._laws for part in parts])
        return GaussianMixtures._of(laws, (len(laws),), parts[0].n_jobs)

    def condition(self, given: Mapping[int, ArrayLike]) -> GaussianMixtures:
        """The distributions of the other targets, in their order, given values of some.

        Parameters
        ----------
        given : dict
            Targets, counting from 0, and for each a number, or an array that broadcasts to the shape of the
            distributions: `joint.condition({1: 0.3})`.

        Returns
        -------
        GaussianMixtures
            Exact: components keep their covariances, weights follow the density of what is given.
        """
        targets = list(given)
        for j in targets:
            if not -self.n_targets <= j < self.n_targets:
                raise IndexError(f"target {j} of {self.n_targets}")
        values = [np.broadcast_to(as_float64(given[j], f"target {j}"), self.shape).ravel() for j in targets]
        rows = np.ascontiguousarray(np.stack(values, axis=-1)) if values else np.empty((self.size, 0))
        return self._of(self._laws.conditional([j % self.n_targets for j in targets], rows), self.shape, self.n_jobs)

    def shift(self, by: ArrayLike) -> GaussianMixtures:
        """The distributions of Y + by; `by` as in functions of y: a number, or one for every distribution."""
        return self._moved(by, 1.0, "by")

    def scale(self, by: ArrayLike) -> GaussianMixtures:
        """The distributions of by * Y, `by` not zero: a change of unit."""
        return self._moved(0.0, by, "by")

    def _moved(self, shift: ArrayLike, scale: ArrayLike, name: str) -> GaussianMixtures:
        moves = [
            self._points(
                np.asarray(value)
                if self.n_targets == 1
                else np.broadcast_to(np.asarray(value, dtype=np.float64), (*np.shape(value)[:-1], self.n_targets))
            )
            for value in (shift, scale)
        ]
        try:
            b, a = (np.broadcast_to(move, (*self.shape, self.n_targets)).reshape(-1, self.n_targets) for move in moves)
        except ValueError:
            shape = moves[0].shape[:-1] or moves[1].shape[:-1]
            raise ValueError(f"{name} has shape {shape}, which does not broadcast to {self.shape}") from None
        laws = self._laws
        if len(b) and (b == b[0]).all() and (a == a[0]).all():  # components stay shared
            return self._of(laws.affine_all(b[0].copy(), a[0].copy()), self.shape, self.n_jobs)
        return self._of(laws.affine(np.ascontiguousarray(b), np.ascontiguousarray(a)), self.shape, self.n_jobs)

    # numpy's arrays leave these operators to the distributions.
    __array_ufunc__ = None

    def __add__(self, other: ArrayLike) -> GaussianMixtures:
        return self.shift(other)

    def __sub__(self, other: ArrayLike) -> GaussianMixtures:
        return self.shift(-np.asarray(other, dtype=np.float64))

    def __mul__(self, other: ArrayLike) -> GaussianMixtures:
        return self.scale(other)

    def __truediv__(self, other: ArrayLike) -> GaussianMixtures:
        return self.scale(1.0 / np.asarray(other, dtype=np.float64))

    def __neg__(self) -> GaussianMixtures:
        return self.scale(-1.0)

    def __rsub__(self, other: ArrayLike) -> GaussianMixtures:
        return self._moved(other, -1.0, "the number before the minus sign")

    __radd__ = __add__
    __rmul__ = __mul__

    def truncate(self, lower: ArrayLike = -np.inf, upper: ArrayLike = np.inf) -> TransformedDistributions:
        """The distributions of Y given lower < Y <= upper; numbers, or one for every distribution. One target."""
        from condens.transformed import TransformedDistributions

        return TransformedDistributions(self).truncate(lower, upper)

    def transform(
        self,
        forward: str | Callable[[Floats], Floats],
        inverse: Callable[[Floats], Floats] | None = None,
        derivative: Callable[[Floats], Floats] | None = None,
    ) -> TransformedDistributions:
        """The distributions of forward(Y), forward rising or falling all the way. One target.

        Parameters
        ----------
        forward : "exp", "log", "expm1", "log1p", "logistic", "logit", "square", "sqrt", "reciprocal", or callable
            A map with a name, or a function of arrays.
        inverse, derivative : callable
            Of a callable map, its inverse and the derivative of forward; densities need the derivative.
        """
        from condens.transformed import TransformedDistributions

        return TransformedDistributions(self).transform(forward, inverse, derivative)

    def __repr__(self) -> str:
        what = "a distribution" if not self.shape else f"distributions of shape {self.shape}"
        return f"<GaussianMixtures: {what}, {self.n_targets} target(s), {self.n_components} components>"

    # --- components ----------------------------------------------------------------------------

    @property
    def weights(self) -> Floats:
        """Weights of the components, shape (..., m)."""
        return self._laws.weights.reshape(*self.shape, self.n_components)

    @property
    def means(self) -> Floats:
        """Means of the components, shape (..., m), or (..., m, d) for d > 1; read-only."""
        return self._components(self._laws.means)

    @property
    def scales(self) -> Floats:
        """Standard deviations of the components, shape (..., m), or (..., m, d) for d > 1; read-only."""
        return self._components(self._laws.scales)

    @property
    def covariances(self) -> Floats:
        """Covariance matrices of the components, shape (..., m, d, d); read-only."""
        return self._of_components(self._laws.covariances, (self.n_targets, self.n_targets))

    def _components(self, values: Floats) -> Floats:
        out = self._of_components(values, (self.n_targets,))
        return out[..., 0] if self.n_targets == 1 else out

    def _of_components(self, values: Floats, axes: tuple[int, ...]) -> Floats:
        leading = () if self._laws.shared else self.shape
        shaped = values.reshape(*leading, self.n_components, *axes)
        return np.broadcast_to(shaped, (*self.shape, self.n_components, *axes))

    # --- functions of y ----------------------------------------------------------------------------

    def logpdf(self, y: ArrayLike) -> Floats:
        """Log density at y, finite as long as the squared distance to the components is."""
        values = self._points(y)
        if self.size > 1 and same_for_all_laws(values, self.shape):
            grid = np.ascontiguousarray(values).reshape(-1, self.n_targets)
            out = self._laws.log_pdf_grid(grid, self._threads)
            return scalar(from_laws_first(out, result_shape(values, self.shape), self.shape))
        return self._at_points("log_pdf", values)

    def logcdf(self, y: ArrayLike) -> Floats:
        """log P(Y <= y). One target."""
        return self._at_numbers("log_cdf", y)

    def logsf(self, y: ArrayLike) -> Floats:
        """log P(Y > y). One target."""
        return self._at_numbers("log_sf", y)

    def probability(self, lower: ArrayLike, upper: ArrayLike) -> Floats:
        """P(lower < Y <= upper), relatively exact in either tail. One target."""
        self._need_one_target("probability")
        low, high = np.broadcast_arrays(as_float64(lower, "lower"), as_float64(upper, "upper"))
        flat_low, shape = laws_first(low[..., None], self.shape)
        flat_high, _ = laws_first(high[..., None], self.shape)
        out = self._laws.probability(flat_low.reshape(-1), flat_high.reshape(-1), self._threads)
        return scalar(from_laws_first(out, shape, self.shape))

    def expected_shortfall(self, q: ArrayLike, tail: str = "lower") -> Floats:
        """Mean of the share q in (0, 1] of lowest values, E[Y | Y <= ppf(q)]; of the highest with tail="upper".

        Exact. Acerbi and Tasche (2002). One target.
        """
        if tail not in ("lower", "upper"):
            raise ValueError(f"expected_shortfall: tail = {tail!r}, expected 'lower' or 'upper'")
        return self._at_numbers(f"{tail}_tail_mean", q, "q")

    def energy_score(self, y: ArrayLike) -> Floats:
        """E|Y - y| - E|Y - Y'| / 2 in the Euclidean norm: the CRPS for several targets."""
        return self._at_points("energy_score", self._points(y))

    def squared_loss(self, y: ArrayLike) -> Floats:
        """(1/2) integral p^2 - p(y), exact: half of the CDE loss of Izbicki and Lee (2016)."""
        return self._at_points("squared_loss", self._points(y))

    def mean_distance(self, y: ArrayLike) -> Floats:
        """E|Y - y| in the Euclidean norm."""
        return self._at_points("mean_distance", self._points(y))

    # --- summaries ---------------------------------------------------------------------------------

    def cov(self) -> Floats:
        """Covariance matrix, shape (..., d, d)."""
        return self._laws.covariance(self._threads).reshape(*self.shape, self.n_targets, self.n_targets)

    def stats(self, moments: str = "mv") -> Floats | tuple[Floats, ...]:
        """Mean (m), variance (v), skewness (s) and kurtosis in excess of 3 (k), as asked for. One target."""
        self._need_one_target("stats")
        names = {"m": "mean", "v": "variance", "s": "skewness", "k": "kurtosis"}
        unknown = set(moments) - set(names)
        if unknown or not moments:
            raise ValueError(f"stats: moments = {moments!r}, expected some of the letters m, v, s, k")
        out = tuple(self._summary(names[letter]) for letter in moments)
        return out if len(out) > 1 else out[0]

    def moment(self, order: int) -> Floats:
        """E Y^order, not centred, order >= 0. One target."""
        self._need_one_target("moment")
        return scalar(self._laws.raw_moment(operator.index(order), self._threads).reshape(self.shape))

    def entropy(self) -> Floats:
        """-E log p(Y), to 1e-10 absolute. One target."""
        return self._summary("entropy", one_target=True)

    def l2_norm(self) -> Floats:
        """Integral of p^2."""
        return self._summary("squared_l2_norm")

    def energy(self) -> Floats:
        """E|Y - Y'| of two independent draws."""
        return self._summary("energy")

    def modes(self) -> Floats | list[Floats]:
        """All local maxima by falling density: an array of k, or (k, d), numbers, or a list of one per distribution."""
        found = [modes[:, 0] if self.n_targets == 1 else modes for modes in self._laws.modes(self._threads)]
        return found if self.shape else found[0]

    def support(self) -> tuple[Floats, Floats]:
        """The ends of the real line: every distribution has a density everywhere."""
        infinite = np.full(self.shape if self.n_targets == 1 else (*self.shape, self.n_targets), np.inf)
        return scalar(-infinite), scalar(infinite)


def _restore(
    log_weights: Floats,
    means: Floats,
    scales: Floats,
    shared: bool,
    shape: tuple[int, ...],
    correlations: Floats | None = None,
) -> Any:
    return GaussianMixtures._of(_core.Laws.restored(log_weights, means, scales, shared, correlations), shape)


def _check_weights(w: Floats) -> None:
    if w.ndim == 0:
        raise ValueError("GaussianMixtures: weights need an axis of components")
    if not (np.isfinite(w).all() and (w >= 0).all() and np.allclose(w.sum(-1), 1, rtol=0, atol=1e-9)):
        raise ValueError("GaussianMixtures: weights must be >= 0 with sum 1 along their last axis")


def _log_rows(w: Floats, shape: tuple[int, ...]) -> Floats:
    with np.errstate(divide="ignore"):
        return _rows(np.log(w), shape)


def _rows(values: Floats, shape: tuple[int, ...]) -> Floats:
    """Broadcast to `shape`, as C-ordered rows of the last axis."""
    return np.ascontiguousarray(np.broadcast_to(values, shape)).reshape(-1, shape[-1])
