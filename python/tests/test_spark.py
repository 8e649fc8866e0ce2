"""Fits and predictions whose rows are Spark data frames, in a real Spark of one machine."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import QUICK, assert_same_model, assert_same_scores, make_data, with_cities

import condens
from condens import FitWarning, _cluster, _core

pd = pytest.importorskip("pandas")
pytest.importorskip("pyspark", reason="pyspark is not installed")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java: install openjdk-17-jre-headless", allow_module_level=True)

from pyspark.ml import Pipeline, PipelineModel  # noqa: E402
from pyspark.ml.feature import VectorAssembler  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

import condens.spark  # noqa: E402
from condens.spark import _engine  # noqa: E402

pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::condens.FitWarning", "ignore:PySpark does not yet:FutureWarning"
)

ROWS = 300
INPUTS = ["speed", "load"]


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    options = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "512m",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.log.level": "OFF",
    }
    builder = SparkSession.builder.master("local[4,3]")  # a task may fail twice
    for name, value in options.items():
        builder = builder.config(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def table() -> Any:
    x, y = make_data(ROWS)
    random = np.random.default_rng(5)
    columns = {"speed": x[:, 0], "load": x[:, 1], "y": y, "z": y**2, "kind": random.choice(["u", "v", "w"], ROWS)}
    return pd.DataFrame(columns)


def frame_of(spark: Any, table: Any, partitions: int) -> Any:
    return spark.createDataFrame(table).coalesce(1) if partitions == 1 else _cut(spark, table, partitions)


def _cut(spark: Any, table: Any, partitions: int) -> Any:
    rows = spark.sparkContext.parallelize(table.to_records(index=False).tolist(), partitions)
    return spark.createDataFrame(rows, list(table.columns))


def fit(frame: Any, **params: Any) -> Any:
    return condens.spark.LSCDE(**{"inputCols": INPUTS, "labelCol": "y", **QUICK, **params}).fit(frame)


def test_params_are_the_parameters_of_condens() -> None:
    for info in _core.models():
        estimator = getattr(condens.spark, info["class_name"])()
        plain = getattr(condens, info["class_name"])().get_params()
        assert {name: estimator.getOrDefault(name) for name in plain} == plain
        assert estimator.getPredictionCol() == "prediction"
        assert "sampleRows" in estimator.explainParams()
    with pytest.raises(TypeError, match=r"LSCDE.. has no param 'bandwith'; did you mean 'bandwidth'"):
        condens.spark.LSCDE(bandwith=1.0)


def test_fit_is_the_same_for_any_partitions(spark: Any, table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = condens.LSCDE(**QUICK).fit(table[INPUTS], table["y"])
    frame = frame_of(spark, table, 7)
    small = fit(frame).estimator
    assert np.array_equal(small.log_density(table[INPUTS], table["y"]), plain.log_density(table[INPUTS], table["y"]))
    whole, cut = (fit(frame_of(spark, table, n), gatherRows=10).estimator for n in (1, 7))
    expected = whole.log_density(table[INPUTS], table["y"])
    np.testing.assert_allclose(cut.log_density(table[INPUTS], table["y"]), expected, rtol=0, atol=1e-10)
    # Merged on executors, in the same tree: the same bits.
    monkeypatch.setattr(_cluster, "FAN_IN", 2)  # of seven states four and then two
    monkeypatch.setattr(_engine, "_ON_DRIVER", 2)
    monkeypatch.setattr(_engine, "_PIECE_ROWS", 16)
    on_executors = fit(frame, gatherRows=10).estimator
    monkeypatch.setattr(_engine, "_ON_DRIVER", 1000)
    assert_same_model(on_executors, fit(frame, gatherRows=10).estimator)


def test_categories(spark: Any, table: Any) -> None:
    inputs = [*INPUTS, "kind"]
    plain = condens.LSCDE(**QUICK).fit(table[inputs], table["y"])
    frame = frame_of(spark, table, 3)
    model = fit(frame, inputCols=inputs, logDensityCol="log p")
    assert model.estimator._model.encoder.levels == plain._model.encoder.levels
    found = np.array([row["log p"] for row in model.transform(frame).select("log p").collect()])
    assert np.array_equal(found, plain.log_density(table[inputs], table["y"]))


def test_transform_adds_what_is_asked_for(spark: Any, table: Any) -> None:
    frame = frame_of(spark, table, 3)
    model = fit(frame).setQuantilesCol("q").setQuantiles([0.1, 0.9]).setIntervalCol("i").setConfidence(0.8)
    model.setLogDensityCol("log p").setDistributionCol("d")
    out = model.transform(frame)
    assert out.columns == [*table.columns, "prediction", "q", "i", "log p", "d"]
    rows = out.collect()
    plain, x = condens.LSCDE(**QUICK).fit(table[INPUTS], table["y"]), table[INPUTS]
    assert np.array_equal([row["prediction"] for row in rows], plain.predict(x))
    assert np.array_equal([row["q"] for row in rows], plain.predict_quantiles(x, [0.1, 0.9]))
    assert np.array_equal([[row["i"].lower, row["i"].upper] for row in rows], plain.predict_interval(x, 0.8))
    assert np.array_equal([row["log p"] for row in rows], plain.log_density(x, table["y"]))
    laws = plain.predict_distribution(x)
    for name in ("weights", "means"):
        assert np.array_equal([row["d"][name] for row in rows], getattr(laws, name))
    assert np.array_equal([row["d"]["covariances"] for row in rows], laws.covariances[..., 0, 0])
    assert model.copy().setPredictionCol(None).setQuantilesCol(None).getIntervalCol() == "i"


def test_several_targets(spark: Any, table: Any) -> None:
    frame = frame_of(spark, table, 3)
    model = fit(
        frame, targetCols=["y", "z"], quantilesCol="q", intervalCol="i", logDensityCol="log p", distributionCol="d"
    )
    rows = model.transform(frame).collect()
    plain, x = condens.LSCDE(**QUICK).fit(table[INPUTS], table[["y", "z"]]), table[INPUTS]
    assert np.array_equal([row["prediction"] for row in rows], plain.predict(x))
    assert np.array_equal([row["q"] for row in rows], plain.predict_quantiles(x))
    ends = [[[end.lower, end.upper] for end in row["i"]] for row in rows]
    assert np.array_equal(ends, plain.predict_interval(x))
    assert np.array_equal([row["log p"] for row in rows], plain.log_density(x, table[["y", "z"]]))
    assert np.array_equal([row["d"]["covariances"] for row in rows], plain.predict_distribution(x).covariances)


def test_models_are_written_and_read(spark: Any, table: Any, tmp_path: Path) -> None:
    frame = frame_of(spark, table, 3)
    model = fit(frame, intervalCol="i")
    model.write().overwrite().save(str(tmp_path / "model"))
    loaded = condens.spark.LSCDEModel.load(str(tmp_path / "model"))
    assert_same_model(loaded.estimator, model.estimator)
    assert loaded.getIntervalCol() == "i"
    loaded.estimator.save(tmp_path / "model.cbor")
    assert_same_model(condens.load(tmp_path / "model.cbor"), model.estimator)
    estimator = condens.spark.LSCDE(bandwidth=np.array([0.5, 1.0]), labelCol="y", callback=print)
    estimator.save(str(tmp_path / "estimator"))
    again = condens.spark.LSCDE.load(str(tmp_path / "estimator"))
    assert again.getBandwidth() == [0.5, 1.0]
    assert again.getLabelCol() == "y"
    assert again.getCallback() is None


def test_pipeline_with_vectors(spark: Any, table: Any, tmp_path: Path) -> None:
    frame = frame_of(spark, table, 3)
    stages = [VectorAssembler(inputCols=INPUTS, outputCol="features"), condens.spark.LSCDE(labelCol="y", **QUICK)]
    pipeline = Pipeline(stages=stages).fit(frame)
    pipeline.save(str(tmp_path / "pipeline"))
    rows = PipelineModel.load(str(tmp_path / "pipeline")).transform(frame).collect()
    plain = condens.LSCDE(**QUICK).fit(table[INPUTS].to_numpy(), table["y"])
    assert np.array_equal([row["prediction"] for row in rows], plain.predict(table[INPUTS].to_numpy()))


def test_samples(spark: Any, table: Any) -> None:
    frame = frame_of(spark, table, 3)
    estimator = condens.spark.GaussianProcess(inputCols=INPUTS, labelCol="y", sampleRows=60)
    with pytest.warns(FitWarning, match=f"fitted to a random sample of 60 of {ROWS} rows"):
        model = estimator.fit(frame)
    with pytest.warns(FitWarning, match="random sample"):
        assert_same_model(model.estimator, estimator.fit(frame_of(spark, table, 1)).estimator)
    model = condens.spark.Parzen(inputCols=INPUTS, labelCol=None, sampleRows=ROWS, logDensityCol="log p").fit(frame)
    found = [row["log p"] for row in model.transform(frame).collect()]
    assert np.array_equal(found, condens.Parzen().fit(table[INPUTS]).score_samples(table[INPUTS]))
    weighted = fit(frame.withColumn("w", frame["speed"] ** 2), weightCol="w", sampleRows=ROWS).estimator
    assert_same_model(weighted, condens.LSCDE(**QUICK).fit(table[INPUTS], table["y"], table["speed"] ** 2))


def test_weights_count_as_on_one_machine(spark: Any, table: Any) -> None:
    weights = np.where(np.arange(ROWS) < 120, 0.0, table["load"] ** 2)  # a partition without a row that counts
    frame = frame_of(spark, table.assign(w=weights), 3)
    centers = np.column_stack([table[INPUTS].to_numpy()[-5:], table["y"][-5:]])
    given = {"centers": centers, "bandwidth": 0.5, "bandwidth_y": 0.5, "regularization": 0.01}
    plain = condens.LSCDE(**given).fit(table[INPUTS], table["y"], weights)
    model = fit(frame, weightCol="w", gatherRows=0, **given).estimator
    assert (
        np.abs(model.log_density(table[INPUTS], table["y"]) - plain.log_density(table[INPUTS], table["y"])).max() < 1e-9
    )


def test_scores_are_those_of_one_machine(spark: Any, table: Any) -> None:
    weights = np.where(np.arange(ROWS) < 120, 0.0, table["load"] ** 2)
    frame = frame_of(spark, table.assign(w=weights), 3)
    model = fit(frame, inputCols=INPUTS)
    plain = condens.metrics.score_table(model.estimator, table[INPUTS], table["y"], levels=[0.9], highest_density=False)
    assert_same_scores(model.evaluate(frame, levels=[0.9], highest_density=False), plain)
    plain = condens.metrics.score_table(model.estimator, table[INPUTS], table["y"], weights)
    assert_same_scores(model.evaluate(frame, "w"), plain)
    with pytest.raises(ValueError, match="labelCol is None, expected the column of the target"):
        model.copy().setLabelCol(None).evaluate(frame)


def test_dates_are_read_off_the_calendar(spark: Any, table: Any) -> None:
    days = pd.Timestamp("2024-03-01") + pd.to_timedelta(np.arange(ROWS) % 40, unit="D")
    moments = pd.Timestamp("2024-03-01 06:00") + pd.to_timedelta(np.arange(ROWS) % 11, unit="h")
    frame = table.assign(day=days.date, moment=moments)
    inputs = ["speed", "day", "moment"]
    model = fit(spark.createDataFrame(frame).repartition(1), inputCols=inputs).estimator
    assert_same_model(model, condens.LSCDE(**QUICK).fit(frame[inputs], frame["y"]))
    names = model._model.encoder.encoded_names
    assert [name for name in names if "week" in name] == ["day: sin of week", "day: cos of week"]
    assert [name for name in names if "of day" in name] == ["moment: sin of day", "moment: cos of day"]


def test_statistics_of_many_levels_are_those_of_all_rows(spark: Any) -> None:
    frame = with_cities(ROWS)
    inputs = ["speed", "city"]
    model = fit(frame_of(spark, frame, 3), inputCols=inputs).estimator
    assert "city: mean of y" in model._model.encoder.encoded_names
    assert_same_model(model, condens.LSCDE(**QUICK).fit(frame[inputs], frame["y"]))


def test_what_is_refused(spark: Any, table: Any) -> None:
    frame = frame_of(spark, table.assign(day=pd.Timestamp("2024-01-01").date()), 3)
    with pytest.raises(ValueError, match=r"NadarayaWatson: its fit is no sum over rows.*LSCDE.*sampleRows=ROWS"):
        condens.spark.NadarayaWatson(inputCols=INPUTS, labelCol="y").fit(frame)
    with pytest.raises(ValueError, match=r"sample_weight.*expected a weight >= 0"):
        fit(frame.withColumn("w", -1 - frame["speed"] ** 2), weightCol="w")
    with pytest.raises(ValueError, match="inputCols: the data have no column 'spead'; they have speed, load"):
        fit(frame, inputCols=["spead"])
    with pytest.raises(TypeError, match=r"labelCol: column 'day' is of date, expected numbers; .*days since"):
        fit(frame, labelCol="day")
    with pytest.raises(TypeError, match="labelCol: column 'kind' is of string, expected numbers"):
        fit(frame, labelCol="kind")
    with pytest.raises(TypeError, match="featuresCol = 'kind' is of string, expected vectors"):
        fit(frame, inputCols=None, featuresCol="kind")
    with pytest.raises(ValueError, match="labelCol is None"):
        fit(frame, labelCol=None)
    with pytest.raises(ValueError, match="are inputs and targets"):
        fit(frame, labelCol="speed")


def test_bad_rows_are_named(spark: Any, table: Any) -> None:
    bad = table.copy()
    bad.loc[250, "load"] = np.nan  # partitions of 100 rows
    with pytest.raises(ValueError, match=r"row 51 .* of partition 2 .*column 'load' is nan, expected a finite number"):
        fit(frame_of(spark, bad, 3))


def test_two_versions_are_refused(spark: Any, table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    own = _core.version
    monkeypatch.setattr(_core, "version", "9.9.9")
    with pytest.raises(RuntimeError, match=rf"condens is {own} on .* and 9\.9\.9 on the driver"):
        fit(frame_of(spark, table, 1))


def test_killed_worker_leaves_the_model_as_it_is(
    spark: Any, table: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = frame_of(spark, table, 4)
    expected, marker, accumulated = fit(frame, gatherRows=10), str(tmp_path / "killed"), _engine._accumulated

    def accumulated_or_dies(*arguments: Any) -> Any:
        if not os.path.exists(marker):
            open(marker, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return accumulated(*arguments)

    monkeypatch.setattr(_engine, "_accumulated", accumulated_or_dies)
    assert_same_model(fit(frame, gatherRows=10).estimator, expected.estimator)
    assert os.path.exists(marker)


def test_blocks_are_written_again_where_their_files_are_gone(
    spark: Any, table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = spark.sparkContext.parallelize([0], 1).map(lambda _: os.environ["SPARK_LOCAL_DIRS"]).first()
    seen: list[list[Path]] = []
    sums = _engine.SparkEngine.sums

    def without_files(self: Any, pass_: bytes, first_rows: Any) -> bytes:
        seen.append(list(Path(folders.split(",")[0]).glob("condens-*-x.npy")))
        if len(seen) == 2:
            for path in seen[-1][1:]:
                path.unlink()
        return sums(self, pass_, first_rows)

    frame = frame_of(spark, table.assign(w=np.arange(ROWS) % 3), 3)
    expected = fit(frame, gatherRows=10, weightCol="w").estimator
    monkeypatch.setattr(_engine.SparkEngine, "sums", without_files)
    assert_same_model(fit(frame, gatherRows=10, weightCol="w").estimator, expected)
    assert [len(paths) for paths in seen[:3]] == [3, 3, 3]  # a lost one was written again
    seen.clear()
    monkeypatch.setattr(_engine, "_ON_DRIVER", 2)  # also where states are merged on the way
    assert_same_model(fit(frame, gatherRows=10, weightCol="w").estimator, expected)
    assert not list(Path(folders.split(",")[0]).glob("condens-*"))


def test_spark_connect_is_refused(spark: Any, table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_engine, "is_remote", lambda: True)
    with pytest.raises(RuntimeError, match="the session is one of Spark Connect, which has no RDDs; expected"):
        fit(frame_of(spark, table, 1))


def test_without_pyspark_a_sentence(run_python: Any) -> None:
    done = run_python("import sys; sys.modules['pyspark'] = None; import condens.spark")
    assert "ImportError: condens.spark needs pyspark: pip install 'condens[spark]'" in done.stderr
