"""Arrays of distributions with scipy's names and numpy's shapes, on a core that knows flat arrays only."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condens._arrays import as_float64, as_share, draw_seed, threads_of
from condens._broadcasting import from_laws_first, laws_first, result_shape

if TYPE_CHECKING:
    from typing_extensions import Self  # from Python 3.11 on in typing

Floats = NDArray[np.float64]
_ONE_TARGET = "needs distributions of one target, these have {}; take .marginal(j)"


class DistributionArray:
    """What every array of distributions tells; `_laws` are those of the core."""

    __slots__ = ("_laws", "n_jobs", "shape")

    _laws: Any
    shape: tuple[int, ...]
    n_jobs: int | None

    @classmethod
    def _of(cls, laws: Any, shape: tuple[int, ...], n_jobs: int | None = None) -> Self:
        out = cls.__new__(cls)
        out._laws, out.shape, out.n_jobs = laws, shape, n_jobs
        return out

    # --- an array of distributions ----------------------------------------------------------------------

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
        return int(self._laws.dimension)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of one distribution; distributions of shape () have no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Self]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> Self:
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

    def reshape(self, *shape: int) -> Self:
        """The same distributions in another shape."""
        return self._of(self._laws, np.empty(self.shape).reshape(*shape).shape, self.n_jobs)

    # --- functions of y ---------------------------------------------------------------------------------

    def pdf(self, y: ArrayLike) -> Floats:
        """Density at y."""
        return np.exp(self.logpdf(y))

    def logpdf(self, y: ArrayLike) -> Floats:
        """Log density at y."""
        return self._at_points("log_pdf", self._points(y))

    def _heights(self, y: Floats) -> Floats:
        """What pictures show over a line of y, shape (..., len(y)): the density."""
        log_heights: Floats = self._laws.log_pdf_grid(y.reshape(-1, 1), self._threads)
        return np.exp(log_heights).reshape(*self.shape, -1)

    @property
    def atoms(self) -> Floats:
        """Values with a probability of their own beside a density, ascending."""
        return np.empty(0)

    def cdf(self, y: ArrayLike) -> Floats:
        """P(Y <= y), relatively exact in the lower tail. One target."""
        return self._at_numbers("cdf", y)

    def sf(self, y: ArrayLike) -> Floats:
        """P(Y > y), relatively exact in the upper tail. One target."""
        return self._at_numbers("sf", y)

    def survival(self, t: ArrayLike) -> Floats:
        """P(Y > t), the survival function; the same as `sf`."""
        return self.sf(t)

    def ppf(self, q: ArrayLike) -> Floats:
        """Quantile: y with cdf(y) = q, q in [0, 1]. One target."""
        return self._at_numbers("quantile_each", q, "q")

    def isf(self, q: ArrayLike) -> Floats:
        """Upper quantile: y with sf(y) = q, q in [0, 1]. One target."""
        return self._at_numbers("upper_quantile_each", q, "q")

    def mass_at(self, y: ArrayLike) -> Floats:
        """P(Y = y): zero, but for atoms and values that can be counted of a `target_kind`."""
        return scalar(np.zeros(result_shape(self._points(y), self.shape)))

    def pmf(self, y: ArrayLike) -> Floats:
        """P(Y = y) of a `target_kind` with atoms, or whose values can be counted. ValueError for others: use `pdf`."""
        raise ValueError("pmf: no single value has a probability; use pdf")

    def pit(self, y: ArrayLike) -> Floats:
        """Probability integral transform cdf(y): uniform over observations if the distributions are right."""
        return self.cdf(y)

    def hdr_mass(self, y: ArrayLike) -> Floats:
        """Probability of the smallest highest density region that contains y. Uniform, too. One target."""
        return self._at_numbers("highest_density_mass", y)

    def crps(self, y: ArrayLike) -> Floats:
        """Continuous ranked probability score E|Y - y| - E|Y - Y'| / 2, exact; less is better. One target."""
        return self._at_numbers("crps", y)

    # --- summaries --------------------------------------------------------------------------------------

    def mean(self) -> Floats:
        """Mean, shape (...), or (..., d) for d > 1."""
        return self._summary("mean")

    def var(self) -> Floats:
        """Variance of every target."""
        return self._summary("variance")

    def std(self) -> Floats:
        """Standard deviation of every target."""
        return np.sqrt(self.var())

    def median(self) -> Floats:
        """Median. One target."""
        return self._summary("median", one_target=True)

    def mode(self) -> Floats:
        """The highest local maximum of the density."""
        return self._summary("mode")

    def interval(self, confidence: float = 0.9) -> tuple[Floats, Floats]:
        """Ends of the central interval of a probability in (0, 1). One target."""
        self._need_one_target("interval")
        ends = self._laws.interval(as_share(confidence, "confidence"), self._threads).reshape(*self.shape, 2)
        return scalar(ends[..., 0]), scalar(ends[..., 1])

    def hdr(self, mass: float = 0.9) -> Floats | list[Floats]:
        """Highest density region: the smallest set of a probability in (0, 1). One target.

        Returns an array of shape (k, 2) for one distribution: k intervals from left to right. For an array of
        distributions, a list of one such array per distribution (in C order).
        """
        self._need_one_target("hdr")
        regions: list[Floats] = self._laws.highest_density_region(as_share(mass, "mass"), self._threads)
        return regions if self.shape else regions[0]

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
        return scalar(out[..., 0]) if d == 1 else out

    # --- numpy's broadcasting on the flat core ----------------------------------------------------------

    @property
    def _threads(self) -> int:
        return threads_of(self.n_jobs)

    def _need_one_target(self, name: str) -> None:
        if self.n_targets != 1:
            raise ValueError(f"{type(self).__name__}.{name} {_ONE_TARGET.format(self.n_targets)}")

    def _summary(self, name: str, one_target: bool = False) -> Floats:
        if one_target:
            self._need_one_target(name)
        out: Floats = getattr(self._laws, name)(self._threads)
        keep_targets = out.ndim == 2 and self.n_targets > 1
        return scalar(out.reshape(*self.shape, self.n_targets) if keep_targets else out.reshape(self.shape))

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
        return scalar(from_laws_first(out, shape, self.shape))

    def _at_numbers(self, name: str, y: ArrayLike, argument: str = "y") -> Floats:
        self._need_one_target(name)
        flat, shape = laws_first(as_float64(y, argument)[..., None], self.shape)
        out = getattr(self._laws, name)(flat.reshape(-1), self._threads)
        return scalar(from_laws_first(out, shape, self.shape))


@overload
def scalar(values: Floats) -> Floats: ...
@overload
def scalar(values: Any) -> Any: ...
def scalar(values: Any) -> Any:
    """A number for shape (), as numpy's functions return."""
    return values[()]
