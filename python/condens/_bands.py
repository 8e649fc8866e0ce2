"""Error bars of anything that is asked of distributions, from the bootstrap replicates of a fitted model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condens import _core
from condens._arrays import as_float64, as_rows, as_share, threads_of
from condens.target_distributions import distributions_of

Floats = NDArray[np.float64]
Functional = str | Callable[[Any], Any]


@dataclass(frozen=True)
class SubspaceIntervals:
    """What the replicates of a bootstrap say of the directions of a reduction, R replicates, d inputs.

    Attributes
    ----------
    angles : array of shape (R, n_components)
        Principal angles of each replicate's subspace to the fitted one, in radians, falling.
    distances : array of shape (R,)
        Frobenius norms of the differences of the projections, over sqrt(2).
    angle_bounds, distance_bound : array of shape (n_components,), float
        What a share `confidence` of the replicates does not exceed.
    projection, lower, upper, standard_errors : arrays of shape (d, d)
        W'W of the fit, which no rotation of the directions changes, and the intervals of its entries, each for itself.
    loaded : array of shape (d,)
        The share of the replicates in which an input has a loading: below one only with `sparse`.
    """

    angles: Floats
    distances: Floats
    angle_bounds: Floats
    distance_bound: float
    projection: Floats
    lower: Floats
    upper: Floats
    standard_errors: Floats
    loaded: Floats


def _as_function(functional: Functional) -> Callable[[Any], Any]:
    if callable(functional):
        return functional
    if isinstance(functional, str):
        return lambda distributions: getattr(distributions, functional)()
    raise TypeError(f"functional = {functional!r}, expected a function of distributions, or a name such as 'mean'")


def bands_of(
    model: _core.Model, rows: Floats, functional: Functional, confidence: float, method: str, n_jobs: int | None
) -> Floats:
    """The ends of error bars of a functional of the distributions at the rows, in a last axis."""
    if not model.n_replicates:
        raise ValueError("predict_bands: the estimator has no replicates; fit it with bootstrap=100")
    level = as_share(confidence, "confidence")
    _core.check_bands(model.n_replicates, level, method)
    function = _as_function(functional)

    def values(own: _core.Model) -> Floats:
        laws = own.predict(rows, threads_of(n_jobs))
        return as_float64(function(distributions_of(laws, (len(rows),), n_jobs)), "functional")

    estimates = values(model)
    replicates = np.empty((model.n_replicates, estimates.size))
    for r in range(model.n_replicates):
        found = values(model.replicate(r))
        if found.shape != estimates.shape:
            raise ValueError(
                f"functional: the shape of replicate {r + 1} is {found.shape}, that of the model {estimates.shape}, "
                "expected the same"
            )
        replicates[r] = found.ravel()
    low, high = _core.bands(np.ascontiguousarray(estimates.ravel()), as_rows(replicates), level, method)
    return np.stack([low.reshape(estimates.shape), high.reshape(estimates.shape)], axis=-1)
