"""Pictures of conditional densities with matplotlib: axes in, axes out::

    import condens.plot
    ax = condens.plot.density_map(model, X, y)
    condens.plot.calibration(model, X_test, y_test, ax=ax2)

Every function draws into `ax`, or into a new figure where that is None, and returns the axes. None of them
shows a figure or changes matplotlib's settings. Legends stand above the axes: figures of your own should have
`layout="constrained"`. matplotlib is imported when a function is called.
"""

from condens.plot.calibration import calibration, coverage, pit_histogram
from condens.plot.comparison import comparison
from condens.plot.curves import density, slices
from condens.plot.densities import density_map, hdr_bands, interval_fan
from condens.plot.joint import joint, pairs
from condens.plot.reduction import dimensions, sufficient_summary
from condens.plot.relevance import contribution, importances, path
from condens.plot.states import simplex, smoothing_matrix, state_weights, states
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
    "tuning",
]
