"""Distributions in the form that other libraries of probabilistic prediction read::

    to_skpro(laws), SkproRegressor(estimator)     skpro: distributions, metrics, tuning
    to_scoringrules(laws)                         scoringrules: CRPS and logarithmic score of normal mixtures
    to_qp(laws), from_qp(ensemble)                qp: ensembles of photometric redshifts
    to_xarray(laws), from_xarray(dataset)         xarray: labelled arrays of the components

and whole models in the form that other programs run::

    to_page(estimator, path)                      a page for any browser: move inputs and see the distribution
    to_onnx(estimator)                            ONNX, of mixture density networks and boosted trees

Each library is imported when the first of its names is used; one that is not installed gives an ImportError
that says what to install.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from condens.export._onnx import to_onnx
    from condens.export._page import to_page
    from condens.export._qp import from_qp, to_qp
    from condens.export._scoringrules import to_scoringrules
    from condens.export._skpro import SkproDistribution, SkproRegressor, to_skpro
    from condens.export._xarray import from_xarray, to_xarray

_MODULES = {
    "SkproDistribution": "_skpro",
    "SkproRegressor": "_skpro",
    "from_qp": "_qp",
    "from_xarray": "_xarray",
    "to_onnx": "_onnx",
    "to_page": "_page",
    "to_qp": "_qp",
    "to_scoringrules": "_scoringrules",
    "to_skpro": "_skpro",
    "to_xarray": "_xarray",
}
# What the modules cannot do without: a package, and the name to install it by.
_NEEDS = {
    "_onnx": ("onnx", "onnx"),
    "_qp": ("qp", "qp-prob"),
    "_skpro": ("skpro", "skpro"),
    "_xarray": ("xarray", "xarray"),
}


def _installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except (ModuleNotFoundError, ValueError):  # whatever stands in the way of an import
        return False


if TYPE_CHECKING:
    __all__ = [
        "SkproDistribution",
        "SkproRegressor",
        "from_qp",
        "from_xarray",
        "to_onnx",
        "to_page",
        "to_qp",
        "to_scoringrules",
        "to_skpro",
        "to_xarray",
    ]
else:  # a star imports what this installation can use
    __all__ = sorted(name for name, module in _MODULES.items() if module not in _NEEDS or _installed(_NEEDS[module][0]))


if not TYPE_CHECKING:  # or every misspelt name would be an Any

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module 'condens.export' has no attribute {name!r}")
        module = _MODULES[name]
        if module in _NEEDS:
            package, installed_as = _NEEDS[module]
            try:
                importlib.import_module(package)
            except ModuleNotFoundError as error:
                if error.name != package:
                    raise  # the package is there, but not all that it needs itself: the message says what
                text = f"condens.export.{name} needs the package {package}: pip install {installed_as}"
                raise ImportError(text, name=package) from error
        return getattr(importlib.import_module(f"condens.export.{module}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
