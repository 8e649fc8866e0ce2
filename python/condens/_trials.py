"""Pipelines and searches in a comparison: fitted and scored by Python, on the splits of the core."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from condens import Cancelled, _core
from condens._arrays import as_targets
from condens._progress import Callback
from condens.composition import DistributionRegressor
from condens.distributions import GaussianMixtures

Floats = NDArray[np.float64]
Trials = list[dict[str, Any]]

_LEVEL = 0.9  # of the interval whose coverage is measured


def trials_outside(
    models: Sequence[tuple[str, Any]],
    X: Any,
    y: Any,
    weights: Floats | None,
    options: dict[str, Any],
    watch: Callback | None,
) -> list[tuple[str, Trials]]:
    """What every model measures on every split, or why it has failed; raises where all of them fail everywhere."""
    splits = _core.comparison_splits(len(y), options) if models else []
    out: list[tuple[str, Trials]] = []
    first_error: Exception | None = None
    total, done, failed = len(models) * len(splits), 0, 0
    for label, model in models:
        trials: Trials = []
        for train, test in splits:
            try:
                trials.append(_trial(model, X, y, weights, np.asarray(train), np.asarray(test)))
            except (ValueError, ArithmeticError) as error:
                trials.append({"failure": str(error)})
                first_error, failed = first_error or error, failed + 1
            done += 1
            if watch is not None and watch("compare", done / total) is False:
                raise Cancelled("cancelled by the caller")
        out.append((label, trials))
    if first_error is not None and failed == total:
        raise first_error
    return out


def _trial(
    model: Any, X: Any, y: Any, weights: Floats | None, train: NDArray[np.intp], test: NDArray[np.intp]
) -> dict[str, float]:
    own, held_out = (None, None) if weights is None else (weights[train], weights[test])
    wrapped = clone(model) if isinstance(model, DistributionRegressor) else DistributionRegressor(model)
    begin = time.perf_counter()
    fitted = wrapped.fit(_safe_indexing(X, train), _safe_indexing(y, train), sample_weight=own)
    seconds = time.perf_counter() - begin
    laws = fitted.predict_distribution(_safe_indexing(X, test))
    targets = as_targets(y).reshape(len(y), -1)
    scores = _scores(laws, targets[test], held_out)
    log_scale = float(np.log(_deviations(targets[train], own)).sum())
    return {**scores, "nll_standardized": scores["nll"] - log_scale, "seconds": seconds}


def _scores(laws: GaussianMixtures, y: Floats, weights: Floats | None) -> dict[str, float]:
    def mean(values: Floats) -> float:
        return float(np.average(values, weights=weights))

    d = laws.n_targets
    points = y[:, 0] if d == 1 else y
    each = [laws.marginal(j) for j in range(d)]
    inside = [np.abs(law.cdf(y[:, j]) - 0.5) <= _LEVEL / 2 for j, law in enumerate(each)]
    return {
        "nll": -mean(laws.logpdf(points)),
        "squared_loss": mean(laws.squared_loss(points)),
        "crps": float(np.mean([mean(law.crps(y[:, j])) for j, law in enumerate(each)])),
        f"coverage_{_LEVEL:g}": float(np.mean([mean(hit.astype(np.float64)) for hit in inside])),
    }


def _deviations(y: Floats, weights: Floats | None) -> Floats:
    """Standard deviations of the targets, as the core standardises by: n - 1 without weights."""
    w = np.ones(len(y)) if weights is None else weights
    total = w.sum()
    variance = (w[:, None] * (y - np.average(y, axis=0, weights=w)) ** 2).sum(axis=0)
    return np.asarray(np.sqrt(variance / (total * (1 - 1 / max(total, np.count_nonzero(w))))))
