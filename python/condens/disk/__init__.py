"""Estimators of condens whose rows are files that need not fit into memory: Parquet, Arrow, CSV::

    from condens.disk import LSCDE, Table
    table = Table("flights.parquet")                       # or several files, or a folder; nothing is read yet
    model = LSCDE().fit(table[inputs], table["delay"], memory="2 GiB")

Classes and parameters are those of `condens`, and a fitted estimator is an ordinary one: it takes pandas' frames and
numpy's arrays, and `save` writes the ordinary model file. The page docs/cluster.md says what is exact, and what it
costs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

try:
    import pyarrow as _pyarrow  # noqa: F401
except ImportError as error:
    raise ImportError("condens.disk needs pyarrow: pip install 'condens[disk]'") from error

from condens.disk._estimators import make_estimator
from condens.disk._tables import Columns as Columns
from condens.disk._tables import Table as Table
from condens.estimators import _CLASSES

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


_ESTIMATORS = {cls.__name__: make_estimator(cls, __name__) for cls in _CLASSES.values()}
globals().update(_ESTIMATORS)
__all__ = sorted({"Columns", "Table", *_ESTIMATORS})
