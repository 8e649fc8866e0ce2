"""Who won a comparison, by how much, and on how many splits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from condens.plot._style import BLUE, POINTS, REFERENCE, axes_of, legend_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from condens.comparison import Comparison

_NAMES = {
    "nll": "NLL",
    "nll_standardized": "NLL of y in standard deviations",
    "squared_loss": "squared loss",
    "crps": "CRPS",
    "coverage_0.9": "coverage of 90 % intervals",
    "seconds": "seconds per fit",
}
_TARGETS = {"coverage_0.9": 0.9}  # what is right, where neither more nor less is


def comparison(
    result: Comparison, score: str = "nll", *, relative: bool = True, ax: Axes | None = None, **kwargs: Any
) -> Axes:
    """A score of every model, from the best at the top: its mean with a standard error, and each split as a dot.

    Models in bold are the best by NLL and those that a paired t-test over the splits at 5 % finds no worse.
    Times that differ by orders have a logarithmic axis. A model far behind all others is left at the edge, with
    its number.

    Parameters
    ----------
    result : Comparison
        Of `condens.compare`.
    score : str, default "nll"
        One of `result.scores`.
    relative : bool, default True
        Draw NLL, squared loss and CRPS as differences to the best model, split by split: what splits share cancels.
    ax : matplotlib Axes, optional
        Where to draw; None is a new figure.
    **kwargs
        Keywords of `Axes.errorbar`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        For a score that there is not, or of which no model has any.
    """
    if score not in result.scores:
        raise ValueError(f"score = {score!r}, expected one of {', '.join(map(repr, result.scores))}")
    values = result.scores[score]
    relative = bool(relative) and score in ("nll", "squared_loss", "crps", "nll_standardized") and len(values) > 1
    if relative:
        values = values - values[0]
    if not np.isfinite(values).any():
        raise ValueError(f"no model has a finite {score}")
    count = np.isfinite(values).sum(axis=1)
    known = count > 0
    mean = np.full(len(values), np.nan)
    error = np.full(len(values), np.nan)
    for k in np.flatnonzero(known):
        own = values[k][np.isfinite(values[k])]
        mean[k] = own.mean()
        error[k] = own.std(ddof=1) / np.sqrt(len(own)) if len(own) > 1 else 0.0

    ax = axes_of(ax)
    places = np.arange(len(values))
    log = score == "seconds" and mean[known].min() > 0 and mean[known].max() > 20 * mean[known].min()
    shown = known & (log | (mean <= _last_shown(mean[known])))
    if values.shape[1] > 1:
        dots: dict[str, Any] = {"s": 14, "color": POINTS, "alpha": 0.25, "linewidths": 0, "zorder": 2}
        rows = np.broadcast_to(places[:, None], values.shape)
        inside = shown[:, None] & np.isfinite(values)
        ax.scatter(values[inside], rows[inside], label="one split", **dots)
    for best, color, label in ((True, BLUE, "best, or no worse by a paired t-test"), (False, REFERENCE, "worse")):
        which = shown & (result.table["best"] == best)
        if which.any():
            style: dict[str, Any] = {
                "fmt": "o",
                "color": color,
                "markersize": 5.5,
                "elinewidth": 1.6,
                "capsize": 0,
                "zorder": 3,
            }
            ax.errorbar(mean[which], places[which], xerr=error[which], **{**style, "label": label, **kwargs})
    for k in np.flatnonzero(~shown):
        text = f"{mean[k]:.4g} ▶" if known[k] else "failed"
        ax.annotate(text, (1.0, places[k]), xycoords=("axes fraction", "data"), ha="right", va="center", fontsize=9)
    if relative or score in _TARGETS:
        ax.axvline(0.0 if relative else _TARGETS[score], color=REFERENCE, linewidth=1.0, linestyle="--", zorder=1)
    if log:
        ax.set_xscale("log")
    ax.set_yticks(places, result.models)
    for name, best in zip(ax.get_yticklabels(), result.table["best"], strict=True):
        name.set_fontweight("bold" if best else "normal")
    ax.set_ylim(len(values) - 0.5, -0.5)
    ax.set_xlabel(_NAMES.get(score, score) + (f" minus that of {result.best}" if relative else ""))
    legend_above(ax)
    return ax


def _last_shown(means: Any) -> float:
    """The largest mean that the axis reaches: not one ten times as far from the best as the next."""
    rest = np.sort(means)
    while len(rest) > 2 and rest[-2] > rest[0] and rest[-1] - rest[0] > 10 * (rest[-2] - rest[0]):
        rest = rest[:-1]
    return float(rest[-1])
