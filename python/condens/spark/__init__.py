"""Estimators of condens for Spark, as Estimator and Model of pyspark.ml::

    from condens.spark import LSCDE
    model = LSCDE(inputCols=["age", "dose"], labelCol="outcome").fit(df)
    model.setIntervalCol("interval").transform(df)
    model.estimator.save("outcome.cbor")    # the ordinary model file

Params are the parameters of the namesakes in `condens`, and what Spark's own have: the names of columns. The page
docs/cluster.md says what is exact, and what it costs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

try:
    import pyspark as _pyspark  # noqa: F401
except ImportError as error:
    raise ImportError("condens.spark needs pyspark: pip install 'condens[spark]'") from error

from condens.estimators import _CLASSES
from condens.spark._estimators import make_estimator

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


_PAIRS = [make_estimator(cls, __name__) for cls in _CLASSES.values()]
_ESTIMATORS = {cls.__name__: cls for pair in _PAIRS for cls in pair}
globals().update(_ESTIMATORS)
__all__ = sorted(_ESTIMATORS)
