"""Distributions of one target that is not any real number: positive, bounded, counted, graded, or with atoms.

Predicted by estimators with a `target_kind`; the core's head says by which formulas
(include/condens/distributions/target_distributions.hpp).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condens import _core
from condens._arrays import as_float64
from condens._distribution_array import DistributionArray, scalar
from condens.distributions import GaussianMixtures

Floats = NDArray[np.float64]

_OF_MIXTURES = frozenset(name for name in vars(GaussianMixtures) if not name.startswith("_"))


class TargetDistributions(DistributionArray):
    """An array of distributions of one target: y is an atom, or else y(X), X a Gaussian mixture, rounded to the values
    where these can be counted.

    Arrays and broadcasting are as in `GaussianMixtures`. Where a value has a probability, `logpdf` is its logarithm,
    `ppf` is the least y with cdf(y) >= q, and intervals and regions may hold more than was asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from condens import Parzen
    >>> y = np.random.default_rng(0).poisson(3.0, (500, 1))
    >>> counts = Parzen(target_kind="count").fit(y).distribution_
    >>> bool(abs(counts.pmf(np.arange(40)).sum() - 1) < 1e-12)
    True
    """

    __slots__ = ()

    _laws: _core.TargetLaws

    def __reduce__(self) -> tuple[Any, ...]:
        laws = self._laws
        base = GaussianMixtures._of(laws.base, (len(laws),))
        return _restore, (base, laws.support, laws.log_shares, self.shape)

    @property
    def base(self) -> GaussianMixtures:
        """The distributions of X, on the real line that stands for y."""
        return GaussianMixtures._of(self._laws.base, self.shape, self.n_jobs)

    @property
    def atoms(self) -> Floats:
        """Values with a probability of their own beside a density, ascending."""
        return np.asarray(self._laws.support["atoms"], dtype=np.float64)

    @property
    def atom_probabilities(self) -> Floats:
        """Probabilities of the atoms, shape (..., k)."""
        return self._laws.atom_probabilities.reshape(*self.shape, -1)

    @property
    def is_discrete(self) -> bool:
        """Whether all the probability is that of single values."""
        support = self._laws.support
        return bool(support["counts"]) or bool(support["values"])

    def support(self) -> tuple[Floats, Floats]:
        """The least and the greatest value that y can take."""
        own = self._laws.support
        values, ends = own["values"], (own["lower"], own["upper"])
        if own["counts"]:
            ends = (0.0, None)
        if values:
            ends = (values[0], values[-1])
        low = -np.inf if ends[0] is None else ends[0]
        high = np.inf if ends[1] is None else ends[1]
        atoms = self.atoms
        if atoms.size:
            low, high = min(low, atoms[0]), max(high, atoms[-1])
        return scalar(np.full(self.shape, low)), scalar(np.full(self.shape, high))

    def pdf(self, y: ArrayLike) -> Floats:
        """Density at y; at an atom its probability. ValueError for values that can be counted: use `pmf`."""
        if self.is_discrete:
            raise ValueError("pdf: values that can be counted have no density; use pmf")
        return np.exp(self.logpdf(y))

    def pmf(self, y: ArrayLike) -> Floats:
        """P(Y = y). ValueError where no value has a probability: use `pdf`."""
        if not self.is_discrete and not self.atoms.size:
            return super().pmf(y)
        return self.mass_at(y)

    def mass_at(self, y: ArrayLike) -> Floats:
        """P(Y = y): zero but for atoms and values that can be counted."""
        return self._at_numbers("mass_at", y)

    def logsf(self, y: ArrayLike) -> Floats:
        """log P(Y > y)."""
        with np.errstate(divide="ignore"):
            return np.log(self.sf(y))

    def logcdf(self, y: ArrayLike) -> Floats:
        """log P(Y <= y)."""
        with np.errstate(divide="ignore"):
            return np.log(self.cdf(y))

    def cdf_below(self, y: ArrayLike) -> Floats:
        """P(Y < y)."""
        return self._at_numbers("cdf_below", y)

    def pit(self, y: ArrayLike, random_state: Any = 0) -> Floats:
        """cdf(y), or, where y has a probability, an even draw between P(Y < y) and P(Y <= y): uniform over
        observations if the distributions are right (Czado, Gneiting and Held 2009).
        """
        above, below = np.asarray(self.cdf(y)), np.asarray(self.cdf_below(y))
        draws = np.random.default_rng(random_state).uniform(size=above.shape)
        return scalar(np.where(above > below, below + (above - below) * draws, above))

    def probability(self, lower: ArrayLike, upper: ArrayLike) -> Floats:
        """P(lower < Y <= upper)."""
        low, high = np.broadcast_arrays(as_float64(lower, "lower"), as_float64(upper, "upper"))
        return scalar(np.maximum(0.0, np.asarray(self.cdf(high)) - np.asarray(self.cdf(low))))

    def marginal(self, target: int) -> TargetDistributions:
        """The distributions themselves: there is one target, 0."""
        if target not in (0, -1):
            raise IndexError(f"target {target} of 1")
        return self

    def __getattr__(self, name: str) -> Any:
        if name in _OF_MIXTURES:
            raise AttributeError(
                f"'TargetDistributions' object has no attribute {name!r}: it is for Gaussian mixtures of any real "
                f"number; .base.{name} is that of the line that stands for the target"
            )
        raise AttributeError(f"'TargetDistributions' object has no attribute {name!r}")

    def __repr__(self) -> str:
        what = "a distribution" if not self.shape else f"distributions of shape {self.shape}"
        low, high = (np.ravel(end)[0] if np.size(end) else np.nan for end in self.support())
        values = "values that can be counted" if self.is_discrete else "values"
        atoms = f", atoms {', '.join(f'{a:g}' for a in self.atoms)}" if self.atoms.size else ""
        return f"<TargetDistributions: {what}, {values} from {low:g} to {high:g}{atoms}>"


def _restore(base: GaussianMixtures, support: dict[str, Any], log_shares: Floats, shape: tuple[int, ...]) -> Any:
    return TargetDistributions._of(_core.TargetLaws(base._laws, support, log_shares), shape)


def distributions_of(laws: Any, shape: tuple[int, ...], n_jobs: int | None) -> Any:
    """What the core predicts, as Python has it."""
    kind = TargetDistributions if isinstance(laws, _core.TargetLaws) else GaussianMixtures
    return kind._of(laws, shape, n_jobs)
