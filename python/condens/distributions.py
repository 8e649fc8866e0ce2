"""Gaussian mixtures as arrays of distributions: what every model of condens predicts.

    p(y) = sum_l w_l N(y; v_l, S_l),   w_l >= 0,  sum_l w_l = 1

with S_l = diag(s_l^2), or any covariance matrix.

The names are scipy's, the shapes numpy's. Everything is exact (a closed form, or the root of one);
the exception, `entropy`, states its error.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condens import _core
from condens._arrays import as_float64, as_share, draw_seed
from condens._broadcasting import from_laws_first, laws_first, result_shape, same_for_all_laws

if TYPE_CHECKING:
    from condens.transformed import TransformedDistributions

Floats = NDArray[np.float64]
_ONE_TARGET = "needs distributions of one target, these have {}; take .marginal(j)"


class GaussianMixtures:
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

    __slots__ = ("_laws", "n_jobs", "shape")

    _laws: _core.Laws
    shape: tuple[int, ...]
    n_jobs: int | None

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

    @classmethod
    def _of(cls, laws: _core.Laws, shape: tuple[int, ...], n_jobs: int | None = None) -> GaussianMixtures:
        out = cls.__new__(cls)
        out._laws, out.shape, out.n_jobs = laws, shape, n_jobs
        return out

    def __reduce__(self) -> tuple[Any, ...]:
        laws = self._laws
        return _restore, (laws.log_weights, laws.means, laws.scales, laws.shared, self.shape, laws.correlations)

    # --- an array of distributions ------------------------------------------------------------------

    @property
    def ndim(self) -> int:
        """Number of axes of the array of distributions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of distributions."""
        return len(self._laws)

    @property
    def n_targets(self) -> int:
        """Dimension d of y."""
        return self._laws.dimension

    @property
    def n_components(self) -> int:
        """Number m of components of every distribution; some may have weight zero."""
        return self._laws.n_components

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of one distribution; distributions of shape () have no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[GaussianMixtures]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> GaussianMixtures:
        if self.ndim == 1 and isinstance(key, (int, np.integer)) and not isinstance(key, bool):
            n, i = self.shape[0], operator.index(key)
            if not -n <= i < n:
                raise IndexError(f"distribution {i} of {n}")
            return self._of(self._laws.slice(i % n, 1), (), self.n_jobs)
        if self.ndim == 1 and isinstance(key, slice):
            begin, stop, step = key.indices(self.shape[0])
            if step == 1:
                count = max(0, stop - begin)
                return self._of(self._laws.slice(begin, count), (count,), self.n_jobs)
        places = np.arange(self.size).reshape(self.shape)[key]
        if places.size == self.size and np.array_equal(places.ravel(), np.arange(self.size)):
            return self._of(self._laws, places.shape, self.n_jobs)  # new axes only: the same distributions
        return self._of(self._laws.select(places.ravel().tolist()), places.shape, self.n_jobs)

    def reshape(self, *shape: int) -> GaussianMixtures:
        """The same distributions in another shape."""
        return self._of(self._laws, np.empty(self.shape).reshape(*shape).shape, self.n_jobs)

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

    def pdf(self, y: ArrayLike) -> Floats:
        """Density at y."""
        return np.exp(self.logpdf(y))

    def logpdf(self, y: ArrayLike) -> Floats:
        """Log density at y, finite as long as the squared distance to the components is."""
        values = self._points(y)
        if self.size > 1 and same_for_all_laws(values, self.shape):
            grid = np.ascontiguousarray(values).reshape(-1, self.n_targets)
            out = self._laws.log_pdf_grid(grid, self._threads)
            return _scalar(from_laws_first(out, result_shape(values, self.shape), self.shape))
        return self._at_points("log_pdf", values)

    def cdf(self, y: ArrayLike) -> Floats:
        """P(Y <= y), relatively exact in the lower tail. One target."""
        return self._at_numbers("cdf", y)

    def logcdf(self, y: ArrayLike) -> Floats:
        """log P(Y <= y). One target."""
        return self._at_numbers("log_cdf", y)

    def sf(self, y: ArrayLike) -> Floats:
        """P(Y > y), relatively exact in the upper tail. One target."""
        return self._at_numbers("sf", y)

    def logsf(self, y: ArrayLike) -> Floats:
        """log P(Y > y). One target."""
        return self._at_numbers("log_sf", y)

    def ppf(self, q: ArrayLike) -> Floats:
        """Quantile: y with cdf(y) = q, q in [0, 1]. One target."""
        return self._at_numbers("quantile_each", q, "q")

    def isf(self, q: ArrayLike) -> Floats:
        """Upper quantile: y with sf(y) = q, q in [0, 1]. One target."""
        return self._at_numbers("upper_quantile_each", q, "q")

    def probability(self, lower: ArrayLike, upper: ArrayLike) -> Floats:
        """P(lower < Y <= upper), relatively exact in either tail. One target."""
        self._need_one_target("probability")
        low, high = np.broadcast_arrays(as_float64(lower, "lower"), as_float64(upper, "upper"))
        flat_low, shape = laws_first(low[..., None], self.shape)
        flat_high, _ = laws_first(high[..., None], self.shape)
        out = self._laws.probability(flat_low.reshape(-1), flat_high.reshape(-1), self._threads)
        return _scalar(from_laws_first(out, shape, self.shape))

    def expected_shortfall(self, q: ArrayLike, tail: str = "lower") -> Floats:
        """Mean of the share q in (0, 1] of lowest values, E[Y | Y <= ppf(q)]; of the highest with tail="upper".

        Exact. Acerbi and Tasche (2002). One target.
        """
        if tail not in ("lower", "upper"):
            raise ValueError(f"expected_shortfall: tail = {tail!r}, expected 'lower' or 'upper'")
        return self._at_numbers(f"{tail}_tail_mean", q, "q")

    def pit(self, y: ArrayLike) -> Floats:
        """Probability integral transform cdf(y): uniform over observations if the distributions are right."""
        return self.cdf(y)

    def hdr_mass(self, y: ArrayLike) -> Floats:
        """Probability of the smallest highest density region that contains y. Uniform, too. One target."""
        return self._at_numbers("highest_density_mass", y)

    def crps(self, y: ArrayLike) -> Floats:
        """Continuous ranked probability score E|Y - y| - E|Y - Y'| / 2, exact; less is better. One target."""
        return self._at_numbers("crps", y)

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

    def mean(self) -> Floats:
        """Mean, shape (...), or (..., d) for d > 1."""
        return self._summary("mean")

    def var(self) -> Floats:
        """Variance of every target."""
        return self._summary("variance")

    def std(self) -> Floats:
        """Standard deviation of every target."""
        return np.sqrt(self.var())

    def cov(self) -> Floats:
        """Covariance matrix, shape (..., d, d)."""
        return self._laws.covariance(self._threads).reshape(*self.shape, self.n_targets, self.n_targets)

    def median(self) -> Floats:
        """Median. One target."""
        return self._summary("median", one_target=True)

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
        return _scalar(self._laws.raw_moment(operator.index(order), self._threads).reshape(self.shape))

    def entropy(self) -> Floats:
        """-E log p(Y), to 1e-10 absolute. One target."""
        return self._summary("entropy", one_target=True)

    def l2_norm(self) -> Floats:
        """Integral of p^2."""
        return self._summary("squared_l2_norm")

    def energy(self) -> Floats:
        """E|Y - Y'| of two independent draws."""
        return self._summary("energy")

    def mode(self) -> Floats:
        """The highest local maximum of the density."""
        return self._summary("mode")

    def modes(self) -> Floats | list[Floats]:
        """All local maxima by falling density: an array of k, or (k, d), numbers, or a list of one per distribution."""
        found = [modes[:, 0] if self.n_targets == 1 else modes for modes in self._laws.modes(self._threads)]
        return found if self.shape else found[0]

    def interval(self, confidence: float = 0.9) -> tuple[Floats, Floats]:
        """Ends of the central interval of a probability in (0, 1). One target."""
        self._need_one_target("interval")
        ends = self._laws.interval(as_share(confidence, "confidence"), self._threads).reshape(*self.shape, 2)
        return _scalar(ends[..., 0]), _scalar(ends[..., 1])

    def hdr(self, mass: float = 0.9) -> Floats | list[Floats]:
        """Highest density region: the smallest set of a probability in (0, 1). One target.

        Returns an array of shape (k, 2) for one distribution: k intervals from left to right. For an array of
        distributions, a list of one such array per distribution (in C order).
        """
        self._need_one_target("hdr")
        regions = self._laws.highest_density_region(as_share(mass, "mass"), self._threads)
        return regions if self.shape else regions[0]

    def support(self) -> tuple[Floats, Floats]:
        """The ends of the real line: every distribution has a density everywhere."""
        infinite = np.full(self.shape if self.n_targets == 1 else (*self.shape, self.n_targets), np.inf)
        return _scalar(-infinite), _scalar(infinite)

    def rvs(self, size: int | tuple[int, ...] | None = None, random_state: Any = None) -> Floats:
        """Independent draws from every distribution.

        Parameters
        ----------
        size : int or tuple of int, optional
            Draws from every distribution; None is one. The result has shape `(*size, *self.shape)`, and a last axis
            of d for several targets.
        random_state : None, int, numpy.random.Generator or RandomState
            An int gives the same draws again, for any number of threads.
        """
        try:
            sizes = () if size is None else tuple(map(operator.index, np.atleast_1d(np.asarray(size, dtype=object))))
        except TypeError:
            raise TypeError(f"rvs: size = {size!r}, expected an int or a tuple of int") from None
        if any(s < 0 for s in sizes):
            raise ValueError(f"rvs: size = {size}, expected numbers >= 0")
        count, d = math.prod(sizes), self.n_targets
        if count * max(1, self.size) * d > np.iinfo(np.intp).max // 8:
            raise ValueError(f"rvs: size = {size}, expected fewer draws than memory has addresses")
        draws = self._laws.sample(count, draw_seed(random_state), self._threads).reshape(self.size, count, d)
        out = np.ascontiguousarray(draws.swapaxes(0, 1)).reshape(*sizes, *self.shape, d)
        return _scalar(out[..., 0]) if d == 1 else out

    # --- numpy's broadcasting on the flat core ----------------------------------------------------

    @property
    def _threads(self) -> int:
        from condens._arrays import threads_of

        return threads_of(self.n_jobs)

    def _need_one_target(self, name: str) -> None:
        if self.n_targets != 1:
            raise ValueError(f"GaussianMixtures.{name} {_ONE_TARGET.format(self.n_targets)}")

    def _summary(self, name: str, one_target: bool = False) -> Floats:
        if one_target:
            self._need_one_target(name)
        out: Floats = getattr(self._laws, name)(self._threads)
        keep_targets = out.ndim == 2 and self.n_targets > 1
        return _scalar(out.reshape(*self.shape, self.n_targets) if keep_targets else out.reshape(self.shape))

    def _points(self, y: ArrayLike) -> Floats:
        """y with an axis of targets at its end."""
        values = as_float64(y, "y")
        if self.n_targets == 1:
            return values[..., None]
        if values.ndim == 0 or values.shape[-1] != self.n_targets:
            raise ValueError(f"y has shape {values.shape}, expected {self.n_targets} targets along its last axis")
        return values

    def _at_points(self, name: str, values: Floats) -> Floats:
        flat, shape = laws_first(values, self.shape)
        out = getattr(self._laws, name)(flat.reshape(-1, self.n_targets), self._threads)
        return _scalar(from_laws_first(out, shape, self.shape))

    def _at_numbers(self, name: str, y: ArrayLike, argument: str = "y") -> Floats:
        self._need_one_target(name)
        flat, shape = laws_first(as_float64(y, argument)[..., None], self.shape)
        out = getattr(self._laws, name)(flat.reshape(-1), self._threads)
        return _scalar(from_laws_first(out, shape, self.shape))


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


@overload
def _scalar(values: Floats) -> Floats: ...
@overload
def _scalar(values: Any) -> Any: ...
def _scalar(values: Any) -> Any:
    """A number for shape (), as numpy's functions return."""
    return values[()]
