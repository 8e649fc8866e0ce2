"""Pictures of calibration: the probability integral transform and coverage on test data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length

from condens._arrays import as_float64
from condens.plot._inputs import predicted, target_of
from condens.plot._style import ACCENT, BLUE, EXPECTED, REFERENCE, axes_of, legend_above, percent, share_in

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
_SHARES = np.linspace(0.0, 1.0, 201)  # where bands around the diagonal are computed
DIFFERENCE_ROWS = 4000  # above, what is expected is taken off: the band of chance would be too thin to be seen


def pit_histogram(
    estimator: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    bins: int | None = None,
    band: float = 0.95,
    target: int | str = 0,
    ax: Axes | None = None,
    **kwargs: Any,
) -> Axes:
    """Histogram of the PIT F(y_i | x_i), which is flat when the distributions are right.

    A valley means that the distributions are too narrow, a hump that they are too broad, a slope that they are shifted.
    The band holds each single bar of a uniform sample of this size with probability `band`, or a little more
    (binomial quantiles); of many bars a few may be outside. Above 4000 rows the bars show the difference from uniform
    ones, so that the band can be seen.

    Parameters
    ----------
    estimator : estimator or array of shape (n,)
        A fitted estimator of condens, a pipeline or search that ends in one, or PIT values in [0, 1].
    X, y : arrays or frames, optional
        Test data, for an estimator.
    bins : int, optional
        Number of bars; None is 20 for n >= 400, else 10.
    band : float in (0, 1), default 0.95
        Probability of the band.
    target : int or str, default 0
        The target, by place or name; of several, the PIT of its marginal distribution.
    ax : matplotlib Axes, optional
        Where to draw; None is a new figure.
    **kwargs
        Keywords of `Axes.bar`.

    Returns
    -------
    matplotlib Axes
    """
    level = share_in(band, "band")
    pit, name = _pit(estimator, X, y, target)
    n = len(pit)
    bars = (20 if n >= 400 else 10) if bins is None else int(bins)
    if bars < 1:
        raise ValueError(f"bins = {bins}, expected at least 1")
    counts, edges = np.histogram(pit, bins=bars, range=(0.0, 1.0))
    unit = bars / n  # heights are relative to those expected
    low, high = (unit * float(end) for end in _binomial_ends(n, np.float64(1 / bars), level))

    base = 1.0 if n > DIFFERENCE_ROWS else 0.0
    ax = axes_of(ax)
    style = {"color": "#A9CCE3", "edgecolor": "white", "linewidth": 0.8, "label": f"{n:,} rows"}
    ax.bar(edges[:-1], unit * counts - base, width=1 / bars, align="edge", **{**style, **kwargs})
    label = f"{percent(level)} band, bar by bar"
    ax.fill_between([0.0, 1.0], low - base, high - base, color=ACCENT, alpha=0.16, linewidth=0, label=label)
    ax.plot([0.0, 1.0], [1.0 - base] * 2, color=ACCENT, linewidth=1.2, linestyle="--", label="uniform")
    ax.set_xlim(0, 1)
    if base:
        _around_zero(ax)
    else:
        ax.set_ylim(bottom=0)
    ax.set_xlabel(f"PIT of {name}")
    ax.set_ylabel("relative frequency, less 1" if base else "relative frequency")
    legend_above(ax)
    return ax


def calibration(
    estimator: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    band: float | None = 0.95,
    difference: bool | None = None,
    target: int | str = 0,
    ax: Axes | None = None,
    **kwargs: Any,
) -> Axes:
    """Observed against nominal probability: the share of PIT values <= p over p.

    The curve runs along the diagonal when the distributions are right. The band holds its value at each single p with
    probability `band`, or a little more, when they are (binomial quantiles).

    Parameters
    ----------
    estimator, X, y, target, ax
        As in `pit_histogram`.
    band : float in (0, 1) or None, default 0.95
        Probability of the band; None draws none, for a second curve in the same axes.
    difference : bool, optional
        Whether what is expected is taken off, so that the band runs along zero; None does so above 4000 rows, where
        the band along the diagonal would be too thin to be seen.
    **kwargs
        Keywords of `Axes.step`.

    Returns
    -------
    matplotlib Axes
    """
    level = None if band is None else share_in(band, "band")
    pit, name = _pit(estimator, X, y, target)
    less = len(pit) > DIFFERENCE_ROWS if difference is None else difference
    ax = axes_of(ax, square=not less)
    if level is not None:
        low, high = (end / len(pit) for end in _binomial_ends(len(pit), _SHARES, level))
        label = f"{percent(level)} band, point by point"
        _draw_band(ax, low, high, less, label)
    _draw_shares(ax, pit, less, **{"color": BLUE, "label": f"{len(pit):,} rows", **kwargs})
    _finish(
        ax,
        less,
        "nominal probability",
        f"observed share of {name} below the quantile",
        f"observed less nominal share of {name}",
    )
    return ax


def coverage(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    hdr: bool = True,
    difference: bool | None = None,
    target: int | str = 0,
    ax: Axes | None = None,
    **kwargs: Any,
) -> Axes:
    """Observed coverage of central intervals and of highest density regions over their nominal mass.

    Both are exact at every mass: y lies in the central interval of mass `|2 F(y | x) - 1|`, and in the smallest
    highest density region of mass `laws.hdr_mass(y)`. The band is two binomial standard errors about the
    diagonal. Regions cost about a millisecond a row.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator of condens, or a pipeline or search that ends in one.
    X, y : arrays or frames
        Test data.
    hdr : bool, default True
        Whether highest density regions are drawn, too.
    difference : bool, optional
        Whether what is expected is taken off, so that the band runs along zero; None does so above 4000 rows, where
        the band along the diagonal would be too thin to be seen.
    target, ax
        As in `pit_histogram`.
    **kwargs
        Keywords of `Axes.step`, for both curves.

    Returns
    -------
    matplotlib Axes
    """
    check_consistent_length(X, y)
    found = predicted(estimator, X, target, y)
    values = target_of(X, y, found)
    less = len(values) > DIFFERENCE_ROWS if difference is None else difference
    ax = axes_of(ax, square=not less)
    error = 2 * np.sqrt(_SHARES * (1 - _SHARES) / len(values))
    low, high = np.clip(_SHARES - error, 0, 1), np.clip(_SHARES + error, 0, 1)
    _draw_band(ax, low, high, less, "± 2 standard errors")
    central = np.abs(2 * found.laws.pit(values) - 1)
    _draw_shares(ax, central, less, **{"color": BLUE, "label": "central intervals", **kwargs})
    if hdr:
        smallest = found.laws.hdr_mass(values)
        _draw_shares(ax, smallest, less, **{"color": ACCENT, "label": "highest density regions", **kwargs})
    coverage_of = f"coverage of {found.name}"
    _finish(ax, less, "nominal mass", f"observed {coverage_of}", f"observed less nominal {coverage_of}")
    return ax


def _pit(estimator: Any, X: Any, y: Any, target: int | str) -> tuple[Floats, str]:
    """PIT values, given or computed, and the name of their target."""
    if hasattr(estimator, "predict"):
        if X is None or y is None:
            raise ValueError(f"X and y are needed with {type(estimator).__name__}, expected test data")
        check_consistent_length(X, y)
        found = predicted(estimator, X, target, y)
        return found.laws.pit(target_of(X, y, found)), found.name
    if X is not None or y is not None:
        raise ValueError("PIT values were given; X and y belong to an estimator, leave them out")
    pit = as_float64(estimator, "PIT values")
    if pit.ndim != 1 or not len(pit) or not ((pit >= 0) & (pit <= 1)).all():
        raise ValueError("PIT values must be numbers in [0, 1], an array of shape (n,) with n >= 1")
    return pit, "y"


def _binomial_ends(n: int, share: Any, level: float) -> tuple[Floats, Floats]:
    """Ends of the central interval of a binomial count."""
    from scipy.stats import binom  # of scikit-learn's own needs

    return binom.ppf((1 - level) / 2, n, share), binom.ppf((1 + level) / 2, n, share)


def _draw_band(ax: Axes, low: Floats, high: Floats, less: bool, label: str) -> None:
    expected = _SHARES if less else 0.0
    ax.fill_between(_SHARES, low - expected, high - expected, color=EXPECTED, linewidth=0, label=label)


def _draw_shares(ax: Axes, values: Floats, less: bool, **style: Any) -> None:
    """The share of values <= p over p, a step at every value; less p, both ends of the slope between two of them."""
    heights = np.arange(len(values) + 1) / len(values)
    x = np.concatenate([[0.0], np.sort(values), [1.0]])
    if less:
        x = np.repeat(x, 2)[1:-1]
        ax.plot(x, np.repeat(heights, 2) - x, **{"linewidth": 1.6, **style})
        return
    ax.step(x, np.concatenate([heights, [1.0]]), **{"where": "post", "linewidth": 1.6, **style})


def _around_zero(ax: Axes) -> None:
    """As much above zero as below."""
    ax.set_ylim(auto=True)
    ax.autoscale_view(scalex=False)
    reach = max(map(abs, ax.get_ylim()))
    ax.set_ylim(-reach, reach)


def _finish(ax: Axes, less: bool, xlabel: str, ylabel: str, less_label: str) -> None:
    ax.plot([0, 1], [0, 0 if less else 1], color=REFERENCE, linewidth=1.0, linestyle="--")
    ax.set_xlim(0, 1)
    if less:
        _around_zero(ax)
    else:
        ax.set_ylim(0, 1)
        ax.set_aspect("equal")
    ax.set_xlabel(xlabel)
    ax.set_ylabel(less_label if less else ylabel)
    legend_above(ax)
