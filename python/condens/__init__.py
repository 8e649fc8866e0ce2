"""condens: given x, how is y distributed? The whole conditional distribution, not just its mean.

    from condens import AutoCDE
    model = AutoCDE().fit(X, y)
    dist = model.predict_distribution(X_new)    # GaussianMixtures: pdf, cdf, ppf, hdr, crps, rvs, ...
    model.predict_interval(X_new, 0.9)

Estimators are scikit-learn regressors. `condens.compare` finds which of them suits your data, `condens.plot` draws
with matplotlib, `condens.metrics` has scorers, `condens.export` converts to skpro, scoringrules, qp and xarray,
`condens.causal` weights rows by the density of a treatment, `condens.objectives` has the criteria of the papers,
`condens.optim` their quadratic programmes, `condens.datasets` their artificial data. `DistributionRegressor` lets
pipelines, searches and transformed targets predict distributions, `cross_val_predict_distribution` gives those of
held-out rows. In names such as `metrics.laws_of`, a law is a distribution.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from condens import _levels

_levels.load_core()

from condens import _core  # noqa: E402  (it was loaded just now)
from condens.distributions import GaussianMixtures as GaussianMixtures  # noqa: E402

if TYPE_CHECKING:
    from condens import causal as causal
    from condens import comparison as comparison
    from condens import composition as composition
    from condens import datasets as datasets
    from condens import estimators as estimators
    from condens import export as export
    from condens import metrics as metrics
    from condens import objectives as objectives
    from condens import optim as optim
    from condens import plot as plot
    from condens import series as series
    from condens import transformed as transformed
    from condens._registered import *  # noqa: F403  (every estimator, with its keywords)
    from condens.comparison import Comparison as Comparison
    from condens.comparison import compare as compare
    from condens.composition import DistributionRegressor as DistributionRegressor
    from condens.composition import cross_val_predict_distribution as cross_val_predict_distribution
    from condens.estimators import ConditionalDensityRegressor as ConditionalDensityRegressor
    from condens.estimators import load as load
    from condens.series import lag_table as lag_table
    from condens.series import time_folds as time_folds
    from condens.series import transition_matrix as transition_matrix
    from condens.transformed import TransformedDistributions as TransformedDistributions

__version__ = _core.version

NumericalError = _core.NumericalError
FormatError = _core.FormatError
Cancelled = _core.Cancelled


class FitWarning(UserWarning):
    """Something about a fit that its user should know: a chosen value at the edge of its candidates, ..."""


# Estimators need scikit-learn, pictures matplotlib: both are imported when they are used.
_ESTIMATORS = {info["class_name"] for info in _core.models()} | {"ConditionalDensityRegressor", "load"}
_COMPARISON = {"Comparison", "compare"}
_COMPOSITION = {"DistributionRegressor", "cross_val_predict_distribution"}
_TRANSFORMED = {"TransformedDistributions"}
_TARGET = {"TargetDistributions"}
_SERIES = {"lag_table", "time_folds", "transition_matrix"}
_MODULES = {
    "causal",
    "comparison",
    "composition",
    "datasets",
    "estimators",
    "export",
    "inspection",
    "metrics",
    "objectives",
    "optim",
    "plot",
    "series",
    "target_distributions",
    "transformed",
}

# A sum, since type checkers would take a list for the whole truth.
__all__ = sorted(
    {"Cancelled", "FitWarning", "FormatError", "GaussianMixtures", "NumericalError"}
    | (_ESTIMATORS | _COMPARISON | _COMPOSITION | _TRANSFORMED | _TARGET | _SERIES | _MODULES)
)


if not TYPE_CHECKING:  # or every misspelt name would be an Any

    def __getattr__(name: str) -> Any:
        if name in _ESTIMATORS:
            return getattr(importlib.import_module("condens.estimators"), name)
        if name in _COMPARISON:
            return getattr(importlib.import_module("condens.comparison"), name)
        if name in _COMPOSITION:
            return getattr(importlib.import_module("condens.composition"), name)
        if name in _TRANSFORMED:
            return getattr(importlib.import_module("condens.transformed"), name)
        if name in _TARGET:
            return getattr(importlib.import_module("condens.target_distributions"), name)
        if name in _SERIES:
            return getattr(importlib.import_module("condens.series"), name)
        if name in _MODULES:
            return importlib.import_module(f"condens.{name}")
        raise AttributeError(f"module 'condens' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
