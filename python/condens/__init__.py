"""condens: given x, how is y distributed? The whole law, not the mean.

    from condens import LSCDE
    model = LSCDE().fit(X, y)
    laws = model.predict_distribution(X_new)    # GaussianMixtures: pdf, cdf, ppf, hdr, crps, rvs, ...
    model.predict_interval(X_new, 0.9)

Estimators are scikit-learn regressors. `condens.plot` draws with matplotlib, `condens.metrics` has scorers,
`condens.export` speaks to skpro, scoringrules and qp.
"""

from __future__ import annotations

import importlib
from typing import Any

from condens import _levels

_core = _levels.load_core()

from condens.distributions import GaussianMixtures  # noqa: E402  (it needs the core)

__version__: str = _core.version

NumericalError: type[ArithmeticError] = _core.NumericalError
FormatError: type[ValueError] = _core.FormatError
Cancelled: type[RuntimeError] = _core.Cancelled


class FitWarning(UserWarning):
    """Something about a fit that its user should know: a chosen value at the edge of its candidates, ..."""


# Estimators need scikit-learn, pictures matplotlib: both are imported when they are used.
_ESTIMATORS = {info["class_name"] for info in _core.models()} | {"ConditionalDensityRegressor", "load"}
_MODULES = {"estimators", "export", "metrics", "plot"}

__all__ = [
    "Cancelled",
    "FitWarning",
    "FormatError",
    "GaussianMixtures",
    "NumericalError",
    *sorted(_ESTIMATORS | _MODULES),
]


def __getattr__(name: str) -> Any:
    if name in _ESTIMATORS:
        return getattr(importlib.import_module("condens.estimators"), name)
    if name in _MODULES:
        return importlib.import_module(f"condens.{name}")
    raise AttributeError(f"module 'condens' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_ESTIMATORS, *_MODULES])
