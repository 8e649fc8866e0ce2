"""Estimators of condens whose rows are dask data frames or arrays::

    from condens.dask import LSCDE
    model = LSCDE().fit(ddf[inputs], ddf[target])
    model.log_density(ddf[inputs], ddf[target])    # lazy, in the order of the rows
    model.predict_distribution(ddf[inputs]).compute()

Classes and parameters are those of `condens`, and a fitted estimator is an ordinary one: it takes pandas' frames and
numpy's arrays, too, and `save` writes the ordinary model file. The page docs/cluster.md says what is exact, and what it
costs.
"""

from __future__ import annotations

from typing import Any

try:
    import dask as _dask  # noqa: F401
except ImportError as error:
    raise ImportError("condens.dask needs dask: pip install 'condens[dask]'") from error

from condens import _core

__all__ = sorted({"LazyDistributions", "compare", *(info["class_name"] for info in _core.models())})


def __getattr__(name: str) -> Any:
    """What users call is made when it is asked for: workers need none of it, and scikit-learn takes seconds to load."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from condens.dask._comparison import compare
    from condens.dask._distributions import LazyDistributions
    from condens.dask._estimators import CLASSES

    globals().update(CLASSES, compare=compare, LazyDistributions=LazyDistributions)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
