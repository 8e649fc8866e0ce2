"""Pictures of conditional densities with matplotlib: axes in, axes out::

    import condens.plot
    ax = condens.plot.density_map(model, X, y)
    condens.plot.calibration(model, X_test, y_test, ax=ax2)

They look like the pictures of the command. Points lie below curves and get fainter and smaller from 300 rows on; of
more than 1500 rows, 1500 are drawn, evenly spaced. Where one input varies and the others are held fixed, the caption
gives their values, rows are paler the farther their other inputs are from these, and an input of at most five values is
drawn as levels. An axis of y covers the data and the distributions, but not values below zero where no y is negative,
and not a few far values; the caption says what is left out. Legend and caption together take at most a tenth of the
height; what has no room is counted. Calibration of more than 4000 rows is drawn as the difference from the expectation.

Every function draws into `ax`, or into a new figure where that is None, and returns the axes. None of them
shows a figure or changes matplotlib's settings. Legends are above the axes, tall ones beside them: figures of your
own should have `layout="constrained"`. matplotlib is imported when a function is called.
"""

from condens.plot.calibration import calibration, coverage, pit_histogram
from condens.plot.comparison import comparison
from condens.plot.curves import density, slices
from condens.plot.densities import density_map, hdr_bands, interval_fan
from condens.plot.joint import joint, pairs
from condens.plot.reduction import dimensions, sufficient_summary
from condens.plot.relevance import contribution, importances, path
from condens.plot.states import simplex, smoothing_matrix, state_weights, states, transitions
from condens.plot.tuning import tuning

__all__ = [
    "calibration",
    "comparison",
    "contribution",
    "coverage",
    "density",
    "density_map",
    "dimensions",
    "hdr_bands",
    "importances",
    "interval_fan",
    "joint",
    "pairs",
    "path",
    "pit_histogram",
    "simplex",
    "slices",
    "smoothing_matrix",
    "state_weights",
    "states",
    "sufficient_summary",
    "transitions",
    "tuning",
]
