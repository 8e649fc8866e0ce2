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

from typing import TYPE_CHECKING, Any

try:
    import dask as _dask  # noqa: F401
except ImportError as error:
    raise ImportError("condens.dask needs dask: pip install 'condens[dask]'") from error

from condens.dask._comparison import compare as compare
from condens.dask._distributions import LazyDistributions as LazyDistributions
from condens.dask._estimators import make_estimator
from condens.estimators import _CLASSES

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


_ESTIMATORS = {cls.__name__: make_estimator(cls, __name__) for cls in _CLASSES.values()}
globals().update(_ESTIMATORS)
__all__ = sorted({"LazyDistributions", "compare", *_ESTIMATORS})
