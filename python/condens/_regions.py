"""Modes and highest-density regions of a density on an interval, from its monotone pieces.

h is a log density of z = g(x) seen from x, and P(x in piece) its probability. The ends, maxima and minima of h,

    e_0 <= M_0 < m_0 < M_1 < ... < M_(k-1) <= e_1

cut the interval into pieces where h is monotone, so that {h > u} is one interval (L_j(u), R_j(u)) around every M_j,
each end a root between neighbours. The region of probability c is {h > u} with sum_j P(L_j, R_j) = c (Hyndman 1996).

Everything is done for N distributions at once: arrays are N x k, the last numbers of a row NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Curve = Callable[[Floats], Floats]  # N x q numbers -> N x q

_GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)


class Profile:
    """The pieces of N log densities `h`, with `probability(left, right)` of intervals of x.

    maxima, minima : N x k and N x (k - 1) numbers, NaN where a row has fewer.
    ends : N x 2, the support. inner : N x 2, finite numbers where h is to be evaluated for the ends.
    """

    def __init__(
        self,
        h: Curve,
        probability: Callable[[Floats, Floats], Floats],
        maxima: Floats,
        minima: Floats,
        ends: Floats,
        inner: Floats,
    ) -> None:
        self._h = h
        self._probability = probability
        self._ends = ends
        self.maxima = maxima
        self.heights = np.where(np.isnan(maxima), -np.inf, h(maxima))
        count = (~np.isnan(maxima)).sum(axis=1)
        # What is left and right of every maximum: an end or a minimum.
        self._left = np.column_stack([inner[:, 0], minima])
        self._right = np.column_stack([minima, np.full(len(maxima), np.nan)])
        self._right[np.arange(len(maxima)), count - 1] = inner[:, 1]
        self._first = np.arange(maxima.shape[1]) == 0
        self._last = np.arange(maxima.shape[1]) == (count - 1)[:, None]
        self._left_heights, self._right_heights = h(self._left), h(self._right)

    def above(self, u: Floats) -> tuple[Floats, Floats]:
        """Where h > u, N x k left and right ends; both at the maximum where it is not above u."""
        level = np.broadcast_to(u[:, None], self.maxima.shape)
        inside = self.heights > level
        out = []
        for place, height, outer, end in (
            (self._left, self._left_heights, self._first, self._ends[:, :1]),
            (self._right, self._right_heights, self._last, self._ends[:, 1:]),
        ):
            cuts = inside & (height < level)
            low = np.where(cuts, place, self.maxima)
            root = find_root(lambda x: self._h(x) - level, low, self.maxima)
            reached = np.where(outer, end, place)  # h stays above u up to there
            out.append(np.where(inside, np.where(cuts, root, reached), self.maxima))
        return out[0], out[1]

    def mass(self, u: Floats) -> Floats:
        """The probability of {h > u}."""
        left, right = self.above(u)
        used = self.heights > u[:, None]
        parts = self._probability(np.where(used, left, 0.0), np.where(used, right, 0.0))
        return np.asarray(np.where(used, parts, 0.0).sum(axis=1))

    def level(self, mass: float, core: Floats) -> Floats:
        """u with mass(u) = `mass`; h at the N x q numbers `core` stays above it outside of (1 - mass) at most."""
        within = (self._left >= core[:, :1]) & (self._left <= core[:, -1:])
        lowest = np.minimum(
            np.nanmin(self._h(core), axis=1), np.min(np.where(within, self._left_heights, np.inf), axis=1)
        )
        highest = self.heights.max(axis=1)
        endless = np.isinf(highest)  # a pole: far enough up that nothing is left
        while endless.any():
            highest = np.where(endless, np.where(np.isinf(highest), np.abs(lowest) + 50.0, 2.0 * highest), highest)
            endless &= self.mass(highest) > mass
        return find_root(lambda u: mass - self.mass(u[:, 0])[:, None], lowest[:, None], highest[:, None])[:, 0]


def find_root(f: Curve, low: Floats, high: Floats) -> Floats:
    """Between `low` and `high`, where f changes its sign: bisection, or inverse quadratic interpolation where that is
    safe (Chandrupatla 1997), until neighbouring numbers differ in the last places.
    """
    a, b = np.array(high, dtype=float), np.array(low, dtype=float)
    fa, fb = f(a), f(b)
    c, fc = a.copy(), fa.copy()
    t = np.full(a.shape, 0.5)
    with np.errstate(all="ignore"):
        for _ in range(200):
            x = a + t * (b - a)
            fx = f(x)
            same = np.sign(fx) == np.sign(fa)
            c, fc = np.where(same, a, b), np.where(same, fa, fb)
            b, fb = np.where(same, b, a), np.where(same, fb, fa)
            a, fa = x, fx
            best = np.where(np.abs(fa) < np.abs(fb), a, b)
            width = np.abs(b - a)
            close = 4.0 * np.finfo(float).eps * np.abs(best) + 1e-320
            done = (width <= close) | (fa == 0.0) | (fb == 0.0) | ~np.isfinite(width)
            if done.all():
                break
            xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
            quadratic = (phi**2 < xi) & ((1.0 - phi) ** 2 < 1.0 - xi)
            step = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
            t = np.where(quadratic & np.isfinite(step), step, 0.5)
            least = 0.5 * close / width
            t = np.where(done, 0.0, np.clip(t, least, 1.0 - least))
    return np.where(np.abs(fa) < np.abs(fb), a, b)


def lowest_between(f: Curve, low: Floats, high: Floats) -> Floats:
    """The minimum of f, unimodal between `low` and `high`, by golden sections: to 1e-8 of where f is flat there."""
    if low.size == 0:
        return low
    a, b = low, high
    x, y = b - _GOLDEN * (b - a), a + _GOLDEN * (b - a)
    fx, fy = f(x), f(y)
    for _ in range(60):
        left = fx < fy
        a, b = np.where(left, a, x), np.where(left, y, b)
        x, y, known = np.where(left, 0.0, y), np.where(left, x, 0.0), np.where(left, fx, fy)
        new = np.where(left, b - _GOLDEN * (b - a), a + _GOLDEN * (b - a))
        value = f(new)
        x, y = np.where(left, new, x), np.where(left, y, new)
        fx, fy = np.where(left, value, known), np.where(left, known, value)
    return 0.5 * (a + b)


def highest_between(f: Curve, low: Floats, high: Floats) -> Floats:
    """The maximum, as `lowest_between`."""
    return lowest_between(lambda x: -f(x), low, high)


def extremes(heights: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Places of local maxima and of the minima between them, along the columns of N x q numbers: N x k and N x (k - 1),
    -1 where a row has fewer. A plateau counts once.
    """
    maxima: list[NDArray[np.intp]] = []
    minima: list[list[int]] = []
    for row in heights:
        changes = np.flatnonzero(np.append(True, row[1:] != row[:-1]))
        rising = np.append(np.append(True, np.diff(row[changes]) > 0), False)
        tops = changes[rising[:-1] & ~rising[1:]]
        maxima.append(tops)
        minima.append([tops[j] + int(np.argmin(row[tops[j] : tops[j + 1]])) for j in range(len(tops) - 1)])
    return _padded(maxima), _padded(minima, max(map(len, maxima)) - 1)


def _padded(rows: Sequence[Sequence[int] | NDArray[np.intp]], width: int | None = None) -> NDArray[np.intp]:
    out = np.full((len(rows), max(map(len, rows)) if width is None else width), -1, dtype=np.intp)
    for own, row in zip(out, rows, strict=True):
        own[: len(row)] = row
    return out


def at_places(values: Floats, places: NDArray[np.intp]) -> Floats:
    """values[i, places[i, j]], NaN at places of -1."""
    if places.shape[1] == 0:
        return np.empty(places.shape)
    return np.where(places < 0, np.nan, np.take_along_axis(values, np.maximum(places, 0), axis=1))
