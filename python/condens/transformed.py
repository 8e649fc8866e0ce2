"""Truncated and monotonically transformed distributions: Z = g(X) given a < X <= b, X a Gaussian mixture.

    P(Z <= z)  = P(a < X <= g^-1(z)) / P(a < X <= b)                (g rising)
    p(z)       = p_X(x) / (P(a < X <= b) |g'(x)|),  x = g^-1(z)
    E f(Z)     = integral f(g(x)) p_X(x) dx / P(a < X <= b) over (a, b]

Distribution functions, quantiles and densities are exact. Expectations are integrals over the quantile level by a
Gauss-Kronrod rule that halves its pieces until they agree; where `TOLERANCE` is not met, a warning says by how much.

Modes and highest-density regions come from the monotone pieces of log p(g(x)) in x (`condens/_regions.py`). Of a
truncated mixture the maxima are those of the mixture inside, exactly, and an end from which the density falls. After a
map they are searched among the quantiles of levels Phi(t), t = `GRID`, and the maxima of the mixture, then refined by
golden sections (to 1e-8 of the distance of two such points): a maximum may be missed only if it rises and falls between
neighbours.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit, ndtr

from condens._arrays import as_float64, as_share, draw_seed
from condens._regions import Profile, at_places, extremes, highest_between, lowest_between
from condens.distributions import GaussianMixtures

Floats = NDArray[np.float64]
Function = Callable[[Floats], Floats]

TOLERANCE = 1e-8  #: relative to the mean size of what is integrated
_DEPTH = 14  # halvings of a piece

#: Normal scores at which the maxima of a mapped density are searched: 1.7 % of the probability between two at most.
GRID = np.concatenate([np.arange(-37.5, -6.0, 0.75), np.linspace(-6.0, 6.0, 289), np.arange(6.75, 38.0, 0.75)])


@dataclass(frozen=True)
class MonotoneMap:
    """A rising or falling function of one variable, with its inverse and derivative."""

    name: str
    forward: Function
    inverse: Function
    derivative: Function | None
    domain: tuple[float, float] = (-np.inf, np.inf)
    rising: bool = True


_MAPS = {
    m.name: m
    for m in (
        MonotoneMap("exp", np.exp, np.log, np.exp),
        MonotoneMap("log", np.log, np.exp, np.reciprocal, (0.0, np.inf)),
        MonotoneMap("expm1", np.expm1, np.log1p, np.exp),
        MonotoneMap("log1p", np.log1p, np.expm1, lambda x: 1.0 / (1.0 + x), (-1.0, np.inf)),
        MonotoneMap("logistic", expit, logit, lambda x: expit(x) * expit(-x)),
        MonotoneMap("logit", logit, expit, lambda x: 1.0 / (x * (1.0 - x)), (0.0, 1.0)),
        MonotoneMap("square", np.square, np.sqrt, lambda x: 2.0 * x, (0.0, np.inf)),
        MonotoneMap("sqrt", np.sqrt, np.square, lambda x: 0.5 / np.sqrt(x), (0.0, np.inf)),
        MonotoneMap("reciprocal", np.reciprocal, np.reciprocal, lambda x: -1.0 / x**2, (0.0, np.inf), rising=False),
    )
}


def _map_of(forward: str | Function, inverse: Function | None, derivative: Function | None) -> MonotoneMap:
    if isinstance(forward, str):
        if forward not in _MAPS:
            raise ValueError(f"transform: forward = {forward!r}, expected one of {', '.join(_MAPS)}, or a function")
        return _MAPS[forward]
    if inverse is None:
        raise TypeError("transform: a function needs its inverse: transform(forward, inverse, derivative)")
    return MonotoneMap(getattr(forward, "__name__", "map"), forward, inverse, derivative)


class TransformedDistributions:
    """An array of distributions of g(X) given a < X <= b, each X a Gaussian mixture of one target.

    Made by `truncate` and `transform` of `GaussianMixtures`; both may be applied to the result again.
    Arrays and broadcasting are as in `GaussianMixtures`.

    Examples
    --------
    >>> from condens import GaussianMixtures
    >>> positive = GaussianMixtures([1.0], [0.0], [1.0]).truncate(0.0)
    >>> round(positive.mean(), 6)
    0.797885
    >>> round(GaussianMixtures([1.0], [0.0], [0.5]).transform("exp").median(), 6)
    1.0
    """

    __array_ufunc__ = None
    __slots__ = ("_lower", "_maps", "_upper", "base")

    def __init__(self, base: GaussianMixtures) -> None:
        base._need_one_target("transform")
        self.base = base
        self._maps: tuple[MonotoneMap, ...] = ()
        self._lower = np.full(base.shape, -np.inf)
        self._upper = np.full(base.shape, np.inf)

    def _with(
        self, base: GaussianMixtures, maps: tuple[MonotoneMap, ...], lower: Floats, upper: Floats
    ) -> TransformedDistributions:
        out = object.__new__(TransformedDistributions)
        out.base, out._maps, out._lower, out._upper = base, maps, np.asarray(lower), np.asarray(upper)
        return out

    # --- truncation and maps --------------------------------------------------------------------

    def truncate(self, lower: ArrayLike = -np.inf, upper: ArrayLike = np.inf) -> TransformedDistributions:
        """The distributions given lower < Z <= upper. ValueError where that has probability zero in floating point."""
        low, high = (np.broadcast_to(as_bound(v, n), self.shape) for v, n in ((lower, "lower"), (upper, "upper")))
        if not (low < high).all():
            raise ValueError("truncate: lower is not below upper everywhere; expected lower < upper")
        a, b = self._backward_clipped(low), self._backward_clipped(high)
        if not self._rising:
            a, b = b, a
        out = self._with(self.base, self._maps, np.maximum(self._lower, a), np.minimum(self._upper, b))
        if not (out._mass() > 0).all():
            raise ValueError("truncate: there is no probability between lower and upper; expected an interval that has")
        return out

    def transform(
        self, forward: str | Function, inverse: Function | None = None, derivative: Function | None = None
    ) -> TransformedDistributions:
        """The distributions of forward(Z); see `GaussianMixtures.transform`."""
        new = _map_of(forward, inverse, derivative)
        low, high = self.support()
        if (np.asarray(low) < new.domain[0]).any() or (np.asarray(high) > new.domain[1]).any():
            raise ValueError(
                f"transform: {new.name} is a monotone function on ({new.domain[0]:g}, {new.domain[1]:g}), the "
                f"distributions reach from {np.min(low):g} to {np.max(high):g}; truncate them first"
            )
        return self._with(self.base, (*self._maps, new), self._lower, self._upper)

    # --- an array ---------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of distributions."""
        return self.base.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.base.ndim

    @property
    def size(self) -> int:
        """Number of distributions."""
        return self.base.size

    def __len__(self) -> int:
        return len(self.base)

    def __getitem__(self, key: Any) -> TransformedDistributions:
        return self._with(self.base[key], self._maps, self._lower[key], self._upper[key])

    def __iter__(self) -> Iterator[TransformedDistributions]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        names = " then ".join(m.name for m in self._maps) or "truncated"
        return f"<TransformedDistributions of shape {self.shape}: {names}>"

    # --- the map ------------------------------------------------------------------------------------

    @property
    def _rising(self) -> bool:
        return sum(not m.rising for m in self._maps) % 2 == 0

    def _forward(self, x: Floats) -> Floats:
        with np.errstate(all="ignore"):
            for m in self._maps:
                x = np.asarray(m.forward(x))
        return x

    def _backward_clipped(self, z: Floats) -> Floats:
        """x with g(x) = z; beyond what g reaches, the end that is nearer."""
        with np.errstate(all="ignore"):
            for k in reversed(range(len(self._maps))):
                m = self._maps[k]
                before = self._with(self.base, self._maps[:k], self._lower, self._upper)
                low, high = before.support()
                ends = np.asarray(m.forward(np.asarray(low))), np.asarray(m.forward(np.asarray(high)))
                least, most = ends if m.rising else ends[::-1]
                inside = np.asarray(m.inverse(np.asarray(z)))
                at_least, at_most = (low, high) if m.rising else (high, low)
                z = np.where(z <= least, at_least, np.where(z >= most, at_most, inside))
        return z

    def _log_slope(self, x: Floats, owner: str) -> Floats:
        """log |g'(x)|"""
        out = np.zeros(np.shape(x))
        with np.errstate(all="ignore"):
            for m in self._maps:
                if m.derivative is None:
                    raise ValueError(f"{owner}: the map {m.name} has no derivative; give transform() one")
                out = out + np.log(np.abs(m.derivative(x)))
                x = np.asarray(m.forward(x))
        return out

    def _mass(self) -> Floats:
        return np.asarray(self.base.probability(self._lower, self._upper))

    # --- functions of z -----------------------------------------------------------------------------

    def logpdf(self, y: ArrayLike) -> Floats:
        """Log density at y; -inf outside of the support."""
        z = as_float64(y, "y")
        x = np.clip(self._backward_clipped(z), self._lower, self._upper)
        with np.errstate(invalid="ignore"):  # outside of the support
            out = self.base.logpdf(x) - np.log(self._mass()) - self._log_slope(x, "logpdf")
        low, high = self.support()
        return np.where((z > low) & (z <= high), out, -np.inf)[()]

    def pdf(self, y: ArrayLike) -> Floats:
        """Density at y."""
        return np.exp(self.logpdf(y))

    def cdf(self, y: ArrayLike) -> Floats:
        """P(Z <= y)."""
        x = np.clip(self._backward_clipped(as_bound(y, "y")), self._lower, self._upper)
        part = self.base.probability(self._lower, x) if self._rising else self.base.probability(x, self._upper)
        return np.clip(part / self._mass(), 0.0, 1.0)[()]

    def sf(self, y: ArrayLike) -> Floats:
        """P(Z > y)."""
        x = np.clip(self._backward_clipped(as_bound(y, "y")), self._lower, self._upper)
        part = self.base.probability(x, self._upper) if self._rising else self.base.probability(self._lower, x)
        return np.clip(part / self._mass(), 0.0, 1.0)[()]

    def ppf(self, q: ArrayLike) -> Floats:
        """Quantile: y with cdf(y) = q."""
        level = as_level(q)
        return self._forward(self._base_quantile(level if self._rising else 1.0 - level))[()]

    def isf(self, q: ArrayLike) -> Floats:
        """Upper quantile: y with sf(y) = q."""
        level = as_level(q)
        return self._forward(self._base_quantile(1.0 - level if self._rising else level))[()]

    def _base_quantile(self, level: Floats, rest: Floats | None = None) -> Floats:
        """x with P(X <= x | a < X <= b) = level, by the tail of X that is the smaller one there."""
        rest = 1.0 - level if rest is None else rest
        mass = self._mass()
        below = self.base.cdf(self._lower) + level * mass
        above = self.base.sf(self._upper) + rest * mass
        from_below = below <= above
        x = np.where(
            from_below,
            self.base.ppf(np.clip(np.where(from_below, below, 0.5), 0.0, 1.0)),
            self.base.isf(np.clip(np.where(from_below, 0.5, above), 0.0, 1.0)),
        )
        return np.clip(x, self._lower, self._upper)

    def pit(self, y: ArrayLike) -> Floats:
        """Probability integral transform cdf(y)."""
        return self.cdf(y)

    def crps(self, y: ArrayLike) -> Floats:
        """Continuous ranked probability score E|Z - y| - E|Z - Z'| / 2."""
        z = np.asarray(as_float64(y, "y"))
        shape = np.broadcast_shapes(z.shape, self.shape)
        z = np.broadcast_to(z, shape)
        spread = 2.0 * self._expectation(lambda g, t: g * (2.0 * ndtr(t) - 1.0) * (1.0 if self._rising else -1.0))
        level = np.clip(np.asarray(self.cdf(z)), 1e-300, 1.0)
        low = self._expectation(lambda g, t: np.minimum(g, z[..., None, None]), z, level)
        # |Z - y| = Z + y - 2 min(Z, y)
        return (self._expectation(lambda g, t: g) + z - 2.0 * low - 0.5 * spread)[()]

    # --- summaries --------------------------------------------------------------------------------------

    def support(self) -> tuple[Floats, Floats]:
        """Ends of the support."""
        ends = self._forward(self._lower), self._forward(self._upper)
        low, high = ends if self._rising else ends[::-1]
        return low[()], high[()]

    def median(self) -> Floats:
        """Median."""
        return self.ppf(0.5)

    def interval(self, confidence: float = 0.9) -> tuple[Floats, Floats]:
        """Ends of the central interval of a probability in (0, 1)."""
        rest = 0.5 * (1.0 - as_share(confidence, "confidence"))
        return self.ppf(rest), self.isf(rest)

    def mode(self) -> Floats:
        """The highest local maximum of the density: an end of the support where the density falls from it."""
        if self.size == 0:
            return np.empty(self.shape)
        profile = self._profile("mode")
        best = np.argmax(profile.heights, axis=1)[:, None]
        return self._forward(at_places(profile.maxima, best)[:, 0].reshape(self.shape))[()]

    def modes(self) -> Floats | list[Floats]:
        """All local maxima by falling density: an array of k numbers, or a list of one per distribution."""
        if self.size == 0:
            return []
        profile = self._profile("modes")
        found = []
        for places, heights in zip(profile.maxima, profile.heights, strict=True):
            order = np.argsort(-heights, kind="stable")[: int(np.isfinite(places).sum())]
            found.append(self._forward(places[order]))
        return found if self.shape else found[0]

    def hdr(self, mass: float = 0.9) -> Floats | list[Floats]:
        """Highest density region: the smallest set of a probability in (0, 1), as `GaussianMixtures.hdr` gives it.

        Exact for a truncated mixture; after a map as exact as the maxima are (the head of this module says how).
        """
        share = as_share(mass, "mass")
        if self.size == 0:
            return []
        profile = self._profile("hdr")
        tail = np.full((len(profile.maxima),), 0.25 * (1.0 - share))
        flat = self._flat()
        core = np.column_stack([flat._base_quantile(tail), flat._base_quantile(1.0 - tail, tail)])
        left, right = profile.above(profile.level(share, core))
        regions = []
        for low, high in zip(left, right, strict=True):
            used = low < high
            a, b = low[used], high[used]
            apart = a[1:] != b[:-1]  # else the density stays above the level between the two
            ends = self._forward(np.stack([a[np.append(True, apart)], b[np.append(apart, True)]]))
            regions.append(ends.T if self._rising else ends.T[::-1, ::-1])
        return regions if self.shape else regions[0]

    def _flat(self) -> TransformedDistributions:
        return self._with(self.base.reshape(self.size), self._maps, self._lower.reshape(-1), self._upper.reshape(-1))

    def _profile(self, owner: str) -> Profile:
        """The monotone pieces of the log density of every distribution, in x."""
        flat = self._flat()
        column = flat.base[:, None]
        log_mass = np.log(flat._mass())[:, None]
        anywhere = flat._base_quantile(np.full(flat.size, 0.5))[:, None]

        def h(x: Floats) -> Floats:
            known = np.where(np.isnan(x), anywhere, x)
            with np.errstate(invalid="ignore"):  # where the map leaves the range of numbers
                height = column.logpdf(known) - log_mass - flat._log_slope(known, owner)
            return np.where(np.isnan(x), np.nan, height)

        ends = np.column_stack([flat._lower, flat._upper])
        find = flat._mapped_extremes if self._maps else flat._truncated_extremes
        maxima, minima, inner = find(h, ends)
        mass = np.exp(log_mass)
        return Profile(h, lambda a, b: column.probability(a, b) / mass, maxima, minima, ends, inner)

    def _modes_inside(self) -> Floats:
        """Maxima of X in [a, b], N x k, NaN where there are fewer."""
        found = self.base.modes()
        out = np.full((self.size, max(map(len, found))), np.nan)
        for own, modes in zip(out, found, strict=True):
            own[: len(modes)] = np.sort(modes)
        return np.where((out >= self._lower[:, None]) & (out <= self._upper[:, None]), out, np.nan)

    def _truncated_extremes(self, h: Function, ends: Floats) -> tuple[Floats, Floats, Floats]:
        """Maxima, minima between them, and finite ends: without a map."""
        inner = self._finite_ends(ends)
        slope = self._slope_of_base(inner)
        falls = np.column_stack([slope[:, 0] <= 0, slope[:, 1] >= 0]) & np.isfinite(ends)
        candidates = np.column_stack([self._modes_inside(), np.where(falls, ends, np.nan)])
        higher = np.where(h(inner)[:, 0] >= h(inner)[:, 1], inner[:, 0], inner[:, 1])  # a maximum lost to rounding
        nothing = np.isnan(candidates).all(axis=1)
        candidates[nothing, 0] = higher[nothing]
        rows = [np.unique(row[~np.isnan(row)]) for row in candidates]
        maxima = np.full((self.size, max(map(len, rows))), np.nan)
        for own, row in zip(maxima, rows, strict=True):
            own[: len(row)] = row
        inner = np.column_stack([np.fmin(inner[:, 0], maxima[:, 0]), np.fmax(inner[:, 1], np.nanmax(maxima, axis=1))])
        return maxima, lowest_between(h, maxima[:, :-1], maxima[:, 1:]), inner

    def _mapped_extremes(self, h: Function, ends: Floats) -> tuple[Floats, Floats, Floats]:
        """The same by search, where a map changes the density."""
        grid = np.transpose(self._base_quantile(ndtr(GRID)[:, None], ndtr(-GRID)[:, None]))
        grid = np.column_stack([np.where(np.isfinite(ends), ends, np.nan), grid, self._modes_inside()])
        heights = h(grid)
        # An infinite height is a pole at an end of the support; elsewhere the map has left the range of numbers.
        at_end = (grid == ends[:, :1]) | (grid == ends[:, 1:])
        usable = np.isfinite(heights) | ((heights == np.inf) & at_end)
        some = np.take_along_axis(grid, np.argmax(usable, axis=1)[:, None], axis=1)
        grid = np.sort(np.where(usable, grid, some), axis=1)
        heights = h(grid)
        tops, bottoms = extremes(heights)
        maxima, minima = (at_places(grid, places) for places in (tops, bottoms))
        last = grid.shape[1] - 1

        def around(places: NDArray[np.intp]) -> tuple[Floats, Floats]:
            known = places >= 0
            return (
                at_places(grid, np.where(known, np.maximum(places - 1, 0), -1)),
                at_places(grid, np.where(known, np.minimum(places + 1, last), -1)),
            )

        refined = highest_between(h, *around(tops))
        better = (h(refined) > h(maxima)) & (tops > 0) & (tops < last)
        maxima = np.where(better, refined, maxima)
        minima = lowest_between(h, *around(bottoms))
        return maxima, minima, grid[:, [0, -1]]

    def _finite_ends(self, ends: Floats) -> Floats:
        """The support, its infinite ends replaced by numbers beyond which no component has probability."""
        reach = 40.0 * self.base.scales
        far = np.column_stack([(self.base.means - reach).min(axis=1), (self.base.means + reach).max(axis=1)])
        return np.where(np.isfinite(ends), ends, far)

    def _slope_of_base(self, x: Floats) -> Floats:
        """A number with the sign of p_X'(x), N x q."""
        w, v, s = (part[:, None, :] for part in (self.base.weights, self.base.means, self.base.scales))
        z = (x[:, :, None] - v) / s
        with np.errstate(divide="ignore"):
            log_terms = np.log(w) - np.log(s) - 0.5 * z * z
        terms = np.exp(log_terms - log_terms.max(axis=2, keepdims=True))
        return np.asarray(-(terms * z / s).sum(axis=2))

    def mean(self) -> Floats:
        """Mean; infinity, with a warning, where the integral does not converge."""
        return self._expectation(lambda g, t: g)[()]

    def var(self) -> Floats:
        """Variance."""
        centre = np.asarray(self.mean())[..., None, None]
        return self._expectation(lambda g, t: (g - centre) ** 2)[()]

    def std(self) -> Floats:
        """Standard deviation."""
        return np.sqrt(self.var())

    def moment(self, order: int) -> Floats:
        """E Z^order, not centred, order >= 0."""
        return self._expectation(lambda g, t: g**order)[()]

    def expected_shortfall(self, q: float, tail: str = "lower") -> Floats:
        """Mean of the share q in (0, 1] of lowest values; of the highest with tail="upper"."""
        if tail not in ("lower", "upper"):
            raise ValueError(f"expected_shortfall: tail = {tail!r}, expected 'lower' or 'upper'")
        share = float(q)
        if not 0.0 < share <= 1.0:
            raise ValueError(f"expected_shortfall: q = {q}, expected a number in (0, 1]")
        if share == 1.0:
            return self.mean()
        if tail == "lower":
            return self.truncate(upper=self.ppf(share)).mean()
        return self.truncate(lower=self.isf(share)).mean()

    def rvs(self, size: int | tuple[int, ...] | None = None, random_state: Any = None) -> Floats:
        """Independent draws, of shape `(*size, *shape)`; an int as random_state gives the same ones again."""
        sizes = () if size is None else tuple(np.atleast_1d(size).tolist())
        random = np.random.default_rng(draw_seed(random_state))
        uniform = random.uniform(size=(*sizes, *self.shape))
        return self._forward(self._base_quantile(uniform))[()]

    def _expectation(
        self, f: Callable[[Floats, Floats], Floats], kink: Floats | None = None, kink_level: Floats | None = None
    ) -> Floats:
        """E f(Z, t), Z the value of X at level Phi(t): integral of f(g(x(t)), t) phi(t) dt.

        Pieces of t are halved where two rules disagree. `kink`: values of Z where f has one, of these levels.
        """
        shape = self.shape if kink is None else kink.shape
        if 0 in shape:
            return np.empty(shape)
        edges = np.linspace(-38.0, 38.0, 39)
        lower = np.broadcast_to(edges[:-1], (*shape, edges.size - 1)).copy()
        upper = np.broadcast_to(edges[1:], (*shape, edges.size - 1)).copy()
        if kink_level is not None:  # the kink is an edge
            from scipy.special import ndtri

            at = ndtri(kink_level if self._rising else 1.0 - kink_level)[..., None]
            at = np.clip(at, edges[0], edges[-1])
            lower = np.sort(np.concatenate([lower, at], axis=-1), axis=-1)
            upper = np.concatenate([lower[..., 1:], np.full((*shape, 1), edges[-1])], axis=-1)
        total = np.zeros(shape)
        size = np.zeros(shape)
        doubt = np.zeros(shape)
        endless = np.zeros(shape, dtype=bool)
        for depth in range(_DEPTH + 1):
            value, error, magnitude = self._pieces(f, lower, upper)
            if depth == 0:
                size = magnitude.sum(-1)
                # What lies beyond levels that a number can hold: where that counts, there is no end to it.
                doubt = np.where((lower < -34) | (upper > 34), magnitude, 0.0).sum(-1)
                endless = ~(doubt <= TOLERANCE * size)
            scale = np.where(np.isfinite(size) & (size > 0), size, 1.0)[..., None]
            bad = (error > 0.01 * TOLERANCE * scale) & np.isfinite(error)
            if depth == _DEPTH:
                bad = np.zeros_like(bad)
            total = total + np.where(bad, 0.0, value).sum(-1)
            doubt = doubt + np.where(bad, 0.0, error).sum(-1)
            most = int(bad.sum(-1).max(initial=0))
            if most == 0:
                break
            order = np.argsort(~bad, axis=-1, kind="stable")[..., :most]
            used = np.take_along_axis(bad, order, -1)
            low, high = (np.take_along_axis(ends, order, -1) for ends in (lower, upper))
            high = np.where(used, high, low)  # pieces of no length where others have more to halve
            middle = 0.5 * (low + high)
            lower, upper = np.concatenate([low, middle], -1), np.concatenate([middle, high], -1)
        relative = doubt / np.where(size > 0, size, 1.0)
        if not (relative <= TOLERANCE).all():
            worst = float(np.max(np.where(np.isfinite(relative), relative, np.inf)))
            warnings.warn(f"an expectation is uncertain by {worst:.1g} of its size", RuntimeWarning, stacklevel=3)
        return np.where(endless, np.copysign(np.inf, total), total)

    def _pieces(
        self, f: Callable[[Floats, Floats], Floats], lower: Floats, upper: Floats
    ) -> tuple[Floats, Floats, Floats]:
        half = 0.5 * (upper - lower)[..., None]
        t = 0.5 * (lower + upper)[..., None] + half * _NODES
        flat = np.moveaxis(t.reshape(*t.shape[:-2], -1), -1, 0)  # points first, as broadcasting wants them
        x = self._base_quantile(ndtr(flat), ndtr(-flat))
        g = np.moveaxis(self._forward(x), 0, -1).reshape(t.shape)
        with np.errstate(all="ignore"):
            density = np.exp(-0.5 * t * t - 0.9189385332046727)
            # Beyond, levels are no numbers, or the quantiles infinite.
            terms = np.where((half > 0) & (density > 1e-280), f(g, t) * density * half, 0.0)
            fine, coarse = (terms * _KRONROD).sum(-1), (terms * _GAUSS).sum(-1)
            return fine, np.abs(fine - coarse), (np.abs(terms) * _KRONROD).sum(-1)


def as_bound(values: ArrayLike, name: str) -> Floats:
    """Numbers, infinite ones among them."""
    out = np.asarray(values, dtype=np.float64)
    if np.isnan(out).any():
        raise ValueError(f"{name} has NaN, expected numbers")
    return out


def as_level(q: ArrayLike) -> Floats:
    """Probabilities in [0, 1]."""
    out = np.asarray(q, dtype=np.float64)
    if not ((out >= 0) & (out <= 1)).all():
        raise ValueError("q has numbers outside of [0, 1], expected probabilities")
    return out


# Gauss-Kronrod, 7 and 15 points (Kronrod 1965).
_POSITIVE = [
    (0.991455371120812639206854697526329, 0.022935322010529224963732008058970, 0.0),
    (0.949107912342758524526189684047851, 0.063092092629978553290700663189204, 0.129484966168869693270611432679082),
    (0.864864423359769072789712788640926, 0.104790010322250183839876322541518, 0.0),
    (0.741531185599394439863864773280788, 0.140653259715525918745189590510238, 0.279705391489276667901467771423780),
    (0.586087235467691130294144691693013, 0.169004726639267902826583426598550, 0.0),
    (0.405845151377397166906606412076961, 0.190350578064785409913256402421014, 0.381830050505118944950369775488975),
    (0.207784955007898467600689403773245, 0.204432940075298892414161999234649, 0.0),
]
_ROWS = np.array(
    [(-x, k, g) for x, k, g in _POSITIVE]
    + [(0.0, 0.209482141084727828012999174891714, 0.417959183673469387755102040816327)]
    + [(x, k, g) for x, k, g in reversed(_POSITIVE)]
)
_NODES, _KRONROD, _GAUSS = _ROWS.T
