"""Fits by a Spark whose executors are processes of their own: one is killed, then Ctrl-C."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import pytest
from conftest import QUICK

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")
pytest.importorskip("pandas")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java: install openjdk-17-jre-headless", allow_module_level=True)

PARTITIONS = 4
EXECUTORS = 2  # of one task at a time


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What `faults` reports, from a process of its own: one process has one Spark."""
    folder = tmp_path_factory.mktemp("spark")
    # Executors have their working folders in that of Spark, here links to what is installed.
    for place in Path(pyspark.__file__).parent.iterdir():
        (folder / place.name).symlink_to(place)
    environment = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_HOME": str(folder),
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]),
    }
    done = subprocess.run(
        [sys.executable, "-c", f"import test_spark_faults; test_spark_faults.faults({str(folder)!r})"],
        capture_output=True,
        text=True,
        env=environment,
        start_new_session=True,  # its Ctrl-C is its own
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def faults(folder: str) -> None:
    """A fit with an executor that is killed, one with Ctrl-C, and one undisturbed."""
    warnings.simplefilter("ignore")
    from pyspark.sql import SparkSession

    import condens.spark
    from condens.spark import _engine

    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "512m",
        "spark.executor.memory": "512m",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": folder,
        "spark.log.level": "OFF",
        # Quick for processes that live for a minute.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.sql.codegen.wholeStage": "false",
        "spark.python.task.killTimeout": "100ms",
    }
    builder = SparkSession.builder.master(f"local-cluster[{EXECUTORS},1,1024]")
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    context = session.sparkContext
    # Made by the executors, the same each time.
    frame = session.range(0, 300, 1, PARTITIONS).selectExpr(
        "sin(id) AS speed", "cos(3 * id) AS load", "sin(id) + 0.3 * sin(id * id) AS y"
    )

    def fit() -> bytes:
        estimator = condens.spark.LSCDE(inputCols=["speed", "load"], labelCol="y", gatherRows=10, **QUICK)
        return bytes(estimator.fit(frame).estimator._model.to_bytes())

    def kept() -> int:
        return int(context._jsc.getPersistentRDDs().size())

    out: dict[str, Any] = {}
    accumulated, sums, killed = _engine._accumulated, _engine.SparkEngine.sums, os.path.join(folder, "killed")
    started, go_on = os.path.join(folder, "started"), os.path.join(folder, "go on")
    os.mkdir(started)

    def after_one_pass(function: Any) -> None:
        """Has tasks of the second pass of the next fit, and of later ones, call `function`."""
        passes: list[bytes] = []

        def counted(self: Any, pass_: bytes, first_rows: Any) -> bytes:
            passes.append(pass_)
            _engine._accumulated = accumulated if len(passes) == 1 else function
            return sums(self, pass_, first_rows)

        _engine.SparkEngine.sums = counted

    def kills_its_executor(*arguments: Any) -> Any:
        def parent(process: int) -> int:
            return int(subprocess.check_output(["ps", "-o", "ppid=", "-p", str(process)]))

        executor = parent(os.getppid())  # of Spark's daemon, which has forked this worker
        try:
            with open(killed, "x") as file:  # once
                file.write(subprocess.check_output(["ps", "-ww", "-o", "args=", "-p", str(executor)], text=True))
            os.kill(executor, signal.SIGKILL)
        except FileExistsError:
            pass
        return accumulated(*arguments)

    def waits(*arguments: Any) -> Any:
        open(os.path.join(started, str(arguments[4])), "w").close()
        while not os.path.exists(go_on):
            time.sleep(0.05)
        return accumulated(*arguments)

    def interrupt() -> None:
        while not os.listdir(started):
            time.sleep(0.01)
        os.killpg(os.getpgrp(), signal.SIGINT)  # to all processes of the terminal

    after_one_pass(kills_its_executor)
    with_a_killed_executor = fit()
    out["killed"] = Path(killed).read_text()
    out["kept after a killed executor"] = kept()

    after_one_pass(waits)
    watch = threading.Thread(target=interrupt)
    watch.start()
    try:
        fit()
        out["ended by"] = "nothing"
    except KeyboardInterrupt:
        out["ended by"] = "KeyboardInterrupt"
    watch.join()
    out["kept after Ctrl-C"] = kept()
    tracker, deadline = context.statusTracker(), time.monotonic() + 60
    while tracker.getActiveJobsIds() and time.monotonic() < deadline:  # the tracker hears of the end a little later
        time.sleep(0.05)
    out["jobs after Ctrl-C"] = list(tracker.getActiveJobsIds())

    _engine.SparkEngine.sums, _engine._accumulated = sums, accumulated
    out["same model"] = not out["jobs after Ctrl-C"] and fit() == with_a_killed_executor
    out["tasks that began"] = len(os.listdir(started))
    open(go_on, "w").close()
    session.stop()
    print(json.dumps(out))


def test_killed_executor_leaves_the_model_as_it_is(seen: Any) -> None:
    assert "CoarseGrainedExecutorBackend" in seen["killed"]
    assert seen["kept after a killed executor"] == 0
    assert seen["same model"]


def test_interrupt_leaves_no_tasks(seen: Any) -> None:
    assert seen["ended by"] == "KeyboardInterrupt"
    assert seen["jobs after Ctrl-C"] == []
    assert seen["kept after Ctrl-C"] == 0
    assert seen["tasks that began"] <= EXECUTORS  # those that ran; none came after them, though a fit did
    assert seen["same model"]  # the fit after it, in the same session
