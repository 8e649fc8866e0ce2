"""Estimator and Model of pyspark.ml for each model that the core registers."""

from __future__ import annotations

import difflib
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np
from pyspark.ml import Estimator, Model
from pyspark.ml.functions import vector_to_array
from pyspark.ml.linalg import VectorUDT
from pyspark.ml.param import Param, Params
from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReadable, MLReader, MLWritable, MLWriter
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from condens import _cluster, _core
from condens._arrays import as_share
from condens._blocks import Layout
from condens._parameters import COMMON, defaults, docstring
from condens.estimators import _CLASSES, estimator_of
from condens.spark._engine import SparkEngine, run_job

# Beside the parameters of the estimator: columns, as Spark's own estimators call them, and what `transform` adds.
_OF_COLUMNS: dict[str, tuple[Any, str]] = {
    "inputCols": (
        None,
        "Columns of the inputs: numbers, dates, texts, which become indicators. None: featuresCol.",
    ),
    "featuresCol": ("features", "Column of the inputs as vectors, where there are no inputCols."),
    "labelCol": ("label", "Column of the target. None, of estimators of a density: the density of the inputs."),
    "targetCols": (None, "Columns of several targets, instead of labelCol."),
    "predictionCol": ("prediction", "Column of the mean, of several targets an array; None: not added."),
    "quantilesCol": (None, "Column of an array of quantiles, of several targets of such arrays; None: not added."),
    "quantiles": ([0.05, 0.5, 0.95], "Levels of quantilesCol."),
    "intervalCol": (None, "Column of the central interval, a struct of lower and upper; None: not added."),
    "confidence": (0.9, "Probability of intervalCol."),
    "logDensityCol": (None, "Column of log p(y | x) of the target, which the data then have; None: not added."),
    "distributionCol": (
        None,
        "Column of the distribution, a Gaussian mixture: a struct of weights, means and covariances; None: not added.",
    ),
}
_OF_FIT: dict[str, tuple[Any, str]] = {
    "weightCol": (None, "Column of weights >= 0; None: all one."),
    "gatherRows": (_cluster.GATHER_ROWS, "Tables of at most so many rows are fitted as on one machine."),
    "sampleRows": (None, "Fit to a random sample of so many rows on the driver; None: to all, by sums over rows."),
}


def _plain(value: Any) -> Any:
    """Values that JSON can hold, where there is one."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    return list(value) if isinstance(value, tuple) else value


def _param(name: str, text: str) -> Param[Any]:
    return Param(Params._dummy(), name, text, typeConverter=_plain)


class _Columns(Params):  # type: ignore[misc]
    """Getters and setters are made for every Param."""

    def _named(self, keywords: dict[str, Any]) -> None:
        known = [param.name for param in self.params]
        for name in keywords:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise TypeError(f"{type(self).__name__}() has no param {name!r}{hint}; it has {', '.join(known)}")
        self._set(**keywords)

    def _value(self, name: str) -> Any:
        return self.getOrDefault(name)

    def _inputs(self, frame: DataFrame) -> tuple[list[Any], list[str]]:
        """The columns of the inputs and their names, none of a column of vectors."""
        names = self._value("inputCols")
        if names is None:
            features = self._value("featuresCol")
            kind = _field(frame, features, "featuresCol").dataType
            if isinstance(kind, VectorUDT):
                return [vector_to_array(_quoted(features)).alias("x0")], []
            if not isinstance(kind, T.ArrayType):
                raise TypeError(
                    f"featuresCol = {features!r} is of {kind.simpleString()}, expected vectors; see inputCols"
                )
            return [_quoted(features).alias("x0")], []
        return [self._column(frame, name, "inputCols", f"x{i}") for i, name in enumerate(names)], list(names)

    def _targets(self) -> list[str]:
        several, one = self._value("targetCols"), self._value("labelCol")
        return list(several) if several is not None else [] if one is None else [one]

    def _selected(self, frame: DataFrame, weight: str | None) -> tuple[list[Any], list[str], list[str]]:
        """Columns of inputs, targets and weights, and the names of the first two."""
        inputs, names = self._inputs(frame)
        targets = self._targets()
        both = sorted(set(names) & set(targets))
        if both:
            raise ValueError(f"columns {both} are inputs and targets, expected names that differ")
        columns = [*inputs, *(self._column(frame, name, "labelCol", f"y{i}") for i, name in enumerate(targets))]
        if weight is not None:
            columns.append(self._column(frame, weight, "weightCol", "w0"))
        return columns, names, targets

    @staticmethod
    def _column(frame: DataFrame, name: str, role: str, alias: str) -> Any:
        kind = _field(frame, name, role).dataType
        known = (T.NumericType, T.BooleanType, *((T.StringType, *_DATES) if role == "inputCols" else ()))
        if not isinstance(kind, known):
            more = ", texts or dates" if role == "inputCols" else ""
            advice = "; make numbers of dates first, such as the days since some date"
            raise TypeError(
                f"{role}: column {name!r} is of {kind.simpleString()}, expected numbers{more}"
                f"{advice if isinstance(kind, _DATES) else ''}"
            )
        return _quoted(name).alias(alias)


_DATES = (T.DateType, T.TimestampType, T.TimestampNTZType)


def _quoted(name: str) -> Any:
    return F.col("`" + name.replace("`", "``") + "`")


def _field(frame: DataFrame, name: str, role: str) -> T.StructField:
    for field in frame.schema.fields:
        if field.name == name:
            return field
    raise ValueError(f"{role}: the data have no column {name!r}; they have {', '.join(frame.columns)}")


class _Writer(MLWriter):  # type: ignore[misc]
    """Metadata as of any stage and, of a model, a table that holds the bytes of the model file."""

    def __init__(self, instance: Any) -> None:
        super().__init__()
        self._instance = instance

    def saveImpl(self, path: str) -> None:
        own = {p.name: value for p, value in self._instance._paramMap.items() if p.name != "callback"}
        DefaultParamsWriter.saveMetadata(self._instance, path, self.sparkSession, paramMap=own)
        if isinstance(self._instance, CondensModel):
            data = bytes(self._instance.estimator._model.to_bytes())
            table = self.sparkSession.createDataFrame([(data,)], "model binary")
            table.coalesce(1).write.parquet(path + "/data")


class _Reader(MLReader[Any]):  # type: ignore[misc]
    def __init__(self, cls: type[Any]) -> None:
        super().__init__()
        self._cls = cls

    def load(self, path: str) -> Any:
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        instance = self._cls()
        if isinstance(instance, CondensModel):
            data = self.sparkSession.read.parquet(path + "/data").first()
            assert data is not None
            instance._estimator = estimator_of(_core.parse_model(bytes(data["model"]), path))
        instance._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(instance, metadata)
        return instance


class _Kept(MLWritable, MLReadable[Any]):  # type: ignore[misc]
    def write(self) -> MLWriter:
        return _Writer(self)

    @classmethod
    def read(cls) -> MLReader[Any]:
        return _Reader(cls)


class CondensEstimator(Estimator[Any], _Columns, _Kept):  # type: ignore[misc]
    """Base class of the estimators of condens.spark."""

    _plain_class: type[Any]
    _model_class: type[Any]

    def __init__(self, **keywords: Any) -> None:
        super().__init__()
        known = {name: value for name, (value, _) in (_OF_COLUMNS | _OF_FIT).items()}
        self._setDefault(**(defaults(self._plain_class._info) | known))
        self._named(keywords)

    def _fit(self, dataset: DataFrame) -> Any:
        options = {name: self._value(name) for name in defaults(self._plain_class._info)}
        estimator = self._plain_class(**options)
        sample = self._value("sampleRows")
        if sample is None:
            _cluster.check_settings(estimator, "sampleRows")
        engine, layout, names = self._engine(dataset)
        try:
            if sample is None:
                _cluster.fit(
                    estimator,
                    engine,
                    layout,
                    names=names,
                    y_ndim=1 if len(layout.targets) == 1 and not layout.is_density else 2,
                    gather_rows=self._value("gatherRows"),
                )
            else:
                _fit_to_sample(estimator, engine, sample, layout)
        finally:
            engine.close()
        model = self._model_class()
        model._estimator = estimator
        return self._copyValues(model)

    def _engine(self, frame: DataFrame) -> tuple[SparkEngine, Layout, list[str]]:
        columns, names, targets = self._selected(frame, self._value("weightCol"))
        wanted = {"x": names, "y": targets, "w": ["sample_weight"]}
        kinds = {name: _field(frame, name, "inputCols").dataType for name in names}
        texts = frozenset(name for name, kind in kinds.items() if isinstance(kind, T.StringType))
        dates = frozenset(name for name, kind in kinds.items() if isinstance(kind, _DATES))
        chosen = frame.select(*columns)
        width = len(names) or _width(chosen)
        known = tuple(names) or tuple(f"x{i + 1}" for i in range(width))
        if targets:
            return SparkEngine(chosen, wanted), Layout(known, tuple(targets), texts, dates), names
        if "is_density" not in self._plain_class._info["capabilities"]:
            raise ValueError(f"{type(self).__name__}: labelCol is None, expected the column of the target")
        return SparkEngine(chosen, wanted), Layout((), known), names


def _width(frame: DataFrame) -> int:
    """Length of the vectors in the first row."""
    first = run_job(frame.sparkSession, frame.select("x0").first)
    if first is None or first["x0"] is None:
        raise ValueError("featuresCol: the data have no rows, or their first one has no vector; expected at least 2")
    return len(first["x0"])


def _fit_to_sample(estimator: Any, engine: SparkEngine, sample: Any, layout: Layout) -> None:
    import pandas as pd

    rows = _cluster.sample_rows(estimator, engine, sample)

    def joined(name: str) -> Any:
        parts = [getattr(part, name) for part in rows]
        if parts[0] is None:
            return None
        return pd.concat(parts, ignore_index=True) if hasattr(parts[0], "iloc") else np.concatenate(parts)

    x, y, weights = joined("x"), joined("y"), joined("weights")
    weights = None if weights is None else weights.iloc[:, 0]
    if y is None:
        estimator.fit(x, sample_weight=weights)
    else:
        estimator.fit(x, y.iloc[:, 0] if len(layout.targets) == 1 else y, weights)


class CondensModel(Model, _Columns, _Kept):  # type: ignore[misc]
    """Base class of the fitted models of condens.spark.

    Attributes
    ----------
    estimator : estimator of condens
        The fitted estimator itself: `model.estimator.save("model.cbor")`, `model.estimator.predict_distribution(X)`.
    """

    _estimator: Any

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(**{name: value for name, (value, _) in _OF_COLUMNS.items()})

    @property
    def estimator(self) -> Any:
        """The fitted estimator of condens."""
        return self._estimator

    def copy(self, extra: Any = None) -> Any:
        """A copy with the same fitted estimator."""
        out = super().copy(extra)
        out._estimator = self._estimator
        return out

    def evaluate(
        self,
        dataset: DataFrame,
        weightCol: str | None = None,
        *,
        levels: Sequence[float] = (0.5, 0.8, 0.9, 0.95),
        highest_density: bool = True,
    ) -> dict[str, Any]:
        """All scores of the rows of a data frame, with standard errors, as of `condens.metrics.score_table`; computed
        on the executors, and merged.
        """
        columns, names, targets = self._selected(dataset, weightCol)
        if not targets:
            raise ValueError(f"{type(self).__name__}: labelCol is None, expected the column of the target")
        options = {"levels": [float(level) for level in levels], "highest_density": highest_density}
        wanted = {"x": names, "y": targets, "w": ["sample_weight"]}
        with closing(SparkEngine(dataset.select(*columns), wanted)) as engine:
            return _cluster.score_table(self._estimator, engine, options)

    def _transform(self, dataset: DataFrame) -> DataFrame:
        columns, names = self._inputs(dataset)
        added = _added(self)
        if not added:
            return dataset
        with_target = self._value("logDensityCol") is not None and self._estimator._model.n_inputs > 0
        if with_target:
            targets = [self._column(dataset, name, "labelCol", f"y{i}") for i, name in enumerate(self._targets())]
            columns = [*columns, *targets]
        whole = "condens"
        while whole in dataset.columns:
            whole += "_"
        schema = T.StructType([T.StructField(name, kind) for name, (kind, _) in added.items()])
        udf = F.pandas_udf(_prediction(pickle.dumps(self._estimator), names, added, with_target), schema)
        kept = [_quoted(name) for name in dataset.columns if name not in added]
        out = dataset.withColumn(whole, udf(F.struct(*columns)))
        return out.select(*kept, *(F.col(f"`{whole}`.`{name}`").alias(name) for name in added))


Answer = Callable[[Any, Any, Any], list[Any]]  # of the estimator, its inputs and targets, one value for each row


def _added(model: CondensModel) -> dict[str, tuple[T.DataType, Answer]]:
    """The columns that `transform` adds, their types, and what they hold."""
    fitted = model.estimator._model
    one, number, numbers = fitted.n_targets == 1, T.DoubleType(), T.ArrayType(T.DoubleType())
    levels = [as_share(level, "quantiles", closed=True) for level in model._value("quantiles")]
    confidence = as_share(model._value("confidence"), "confidence")
    ends = T.StructType([T.StructField("lower", number), T.StructField("upper", number)])
    tables = T.ArrayType(numbers)
    mixture = T.StructType(
        [
            T.StructField("weights", numbers),
            T.StructField("means", numbers if one else tables),
            T.StructField("covariances", numbers if one else T.ArrayType(tables)),
        ]
    )
    known: dict[str, tuple[T.DataType, Answer]] = {
        "predictionCol": (number if one else numbers, lambda e, x, y: np.reshape(
            e.predict(x), (len(x), *(() if one else (-1,)))).tolist()),
        "quantilesCol": (numbers if one else tables, lambda e, x, y: e.predict_quantiles(x, levels).tolist()),
        "intervalCol": (ends if one else T.ArrayType(ends), lambda e, x, y: [
            _ends(row) for row in e.predict_interval(x, confidence).tolist()]),
        "logDensityCol": (number, lambda e, x, y: (e.score_samples(x) if y is None else e.log_density(x, y)).tolist()),
        "distributionCol": (mixture, lambda e, x, y: _mixtures(e.predict_distribution(x), one)),
    }  # fmt: skip
    out = {model._value(role): what for role, what in known.items() if model._value(role) is not None}
    if not fitted.n_inputs:
        return {name: what for name, what in out.items() if name == model._value("logDensityCol")}
    if model._value("distributionCol") is not None and fitted.target_kind != "real":
        raise ValueError(f"distributionCol: the target is {fitted.target_kind}, expected real; use quantilesCol")
    return out


def _ends(row: Any) -> Any:
    if isinstance(row[0], list):
        return [_ends(ends) for ends in row]
    return {"lower": row[0], "upper": row[1]}


def _mixtures(laws: Any, one: bool) -> list[Any]:
    """Weights, means and covariances of every distribution."""
    weights = np.asarray(laws.weights)
    (n, m), d = weights.shape, laws.n_targets
    shapes = {"means": (m,) if one else (m, d), "covariances": (m,) if one else (m, d, d)}
    each = {name: np.asarray(getattr(laws, name)) for name in shapes}
    return [
        {
            "weights": weights[i].tolist(),
            **{name: each[name][i].reshape(shape).tolist() for name, shape in shapes.items()},
        }
        for i in range(n)
    ]


def _prediction(estimator: bytes, names: list[str], added: dict[str, tuple[Any, Answer]], with_target: bool) -> Any:
    """The function for `pandas_udf`: batches of frames of columns in, of what is added out."""
    import pandas as pd

    answers = {name: answer for name, (_, answer) in added.items()}

    def run(batches):  # type: ignore[no-untyped-def]
        own = pickle.loads(estimator)
        for batch in batches:
            x = batch[[name for name in batch.columns if name.startswith("x")]]
            x = x.set_axis(names, axis=1) if names else np.array(x["x0"].tolist(), dtype=np.float64)
            y = batch[[name for name in batch.columns if name.startswith("y")]].to_numpy() if with_target else None
            if len(x):
                yield pd.DataFrame({name: pd.Series(answer(own, x, y)) for name, answer in answers.items()})
            else:
                yield pd.DataFrame({name: pd.Series(dtype=object) for name in answers})

    # What pyspark reads, and text it cannot.
    run.__annotations__ = {"batches": Iterator[pd.DataFrame], "return": Iterator[pd.DataFrame]}
    return run


def _accessors(names: list[str]) -> dict[str, Any]:
    """getInputCols, setInputCols, ..., as Spark's own have."""
    out: dict[str, Any] = {}
    for name in names:
        upper = name[0].upper() + name[1:]

        def get(self: Any, _name: str = name) -> Any:
            return self.getOrDefault(_name)

        def set(self: Any, value: Any, _name: str = name) -> Any:
            return self._set(**{_name: value})

        get.__doc__, set.__doc__ = f"The value of {name}.", f"Sets {name}."
        out["get" + upper], out["set" + upper] = get, set
    return out


def _make_estimator(plain: type[Any]) -> tuple[type[Any], type[Any]]:
    """Estimator and Model of a class of condens."""
    info = plain._info
    texts = {option["name"]: option["text"] for option in info["options"]}
    texts |= {name: text for name, (_, _, text) in COMMON.items()} | {"preset": "Where None takes its values from."}
    columns = {name: _param(name, text) for name, (_, text) in _OF_COLUMNS.items()}
    own = {name: _param(name, text) for name, (_, text) in _OF_FIT.items()}
    own |= {name: _param(name, texts[name]) for name in defaults(info)}
    name = plain.__name__
    model = type(
        name + "Model",
        (CondensModel,),
        {
            **columns,
            **_accessors(list(columns)),
            "__module__": __package__,
            "__doc__": f"What {name} of condens.spark fits.",
        },
    )
    text = docstring(info).replace("\n", "\n\nA pyspark.ml Estimator: see docs/cluster.md.\n", 1)
    body = {**columns, **own, **_accessors([*columns, *own]), "_plain_class": plain, "_model_class": model}
    return type(name, (CondensEstimator,), {**body, "__module__": __package__, "__doc__": text}), model


CLASSES = {cls.__name__: cls for plain in _CLASSES.values() for cls in _make_estimator(plain)}
