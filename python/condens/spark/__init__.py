"""Estimators of condens for Spark, as Estimator and Model of pyspark.ml::

    from condens.spark import LSCDE
    model = LSCDE(inputCols=["age", "dose"], labelCol="outcome").fit(df)
    model.setIntervalCol("interval").transform(df)
    model.estimator.save("outcome.cbor")    # the ordinary model file

Params are the parameters of the namesakes in `condens`, and what Spark's own have: the names of columns. The page
docs/cluster.md says what is exact, and what it costs.
"""

from __future__ import annotations

from typing import Any

try:
    import pyspark as _pyspark  # noqa: F401
except ImportError as error:
    raise ImportError("condens.spark needs pyspark: pip install 'condens[spark]'") from error

from condens import _core

__all__ = sorted(name for info in _core.models() for name in (info["class_name"], info["class_name"] + "Model"))


def __getattr__(name: str) -> Any:
    """Estimators are made when one is asked for: executors need none, and pyspark.ml takes seconds to load."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from condens.spark._estimators import CLASSES

    globals().update(CLASSES)
    return CLASSES[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
