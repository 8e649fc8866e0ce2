"""What a fit on a cluster costs beside the plain one, and what to expect of 100 and 1,000 workers.

usage: python benchmarks/cluster.py NOTE [MODEL ...] > benchmarks/CLUSTER.md
       python benchmarks/cluster.py spark NOTE [MODEL ...] >> benchmarks/CLUSTER.md

The first table is measured on this machine: the plain fit with two threads, and the same fit by `condens.dask` on a
`LocalCluster` of two workers of one thread; 10^6 rows of 10 inputs in 20 partitions (CONDENS_ROWS changes their
number). With `spark` it is `condens.spark` on `local[2]`, which reads them from a Parquet file, and nothing else. The
second is a simulation of the graph of tasks. Measured for it are, of every pass of a fit, the size of the pass and of a
state, and the seconds that a block of 50,000 rows takes, that merging two states takes, and that the driver computes in
between. Its assumptions are printed with it.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import dask.array as da
import distributed
import numpy as np
import pandas as pd
from pyspark.sql import SparkSession

import condens
import condens.dask
import condens.spark
from condens import _blocks, _cluster

ROWS = int(float(os.environ.get("CONDENS_ROWS", "1e6")))
INPUTS = 10
NAMES = [f"x{j + 1}" for j in range(INPUTS)]
BLOCK = 50_000
MODELS = {
    "GMM": {"n_components": 5, "covariance": "full"},
    "LSCDE": {
        "bandwidth": 1.5,
        "bandwidth_y": [0.2, 0.4],
        "regularization": 1e-2,
        "n_centers": 100,
        "max_centers": 100,
        "refine": False,
    },
    "BoostedDensity": {"n_rounds": 50},
}
REPEATS = 2

# Of the simulation.
BANDWIDTH = 1.25e9  # bytes a second of each machine, both ways: 10 Gbit/s
LATENCY = 1e-3  # seconds of a message
TASK = 1e-3  # seconds of the scheduler for a task, one after the other: what dask.distributed's documentation says
LARGE_BLOCK = 500_000  # rows
TABLES = (10**8, 10**9)
WORKERS = (1, 100, 1000)


def rows(count):
    """Two branches whose spread depends on the inputs."""
    random = np.random.default_rng(0)
    x = random.normal(size=(count, INPUTS))
    branch = random.choice([-1.0, 1.0], count)
    return x, np.sin(x[:, 0]) + branch * (1 + 0.3 * x[:, 1]) + 0.2 * np.exp(0.3 * x[:, 2]) * random.normal(size=count)


def seconds(repeats, *functions):
    """Of each function the least of some repeats, which take turns, and what came back."""
    best, out = [np.inf] * len(functions), [None] * len(functions)
    for _ in range(repeats):
        for i, function in enumerate(functions):
            begin = time.perf_counter()
            out[i] = function()
            best[i] = min(best[i], time.perf_counter() - begin)
    return best, out


# --- what passes cost -----------------------------------------------------------------------------------


@dataclass
class Pass:
    """One pass of a fit: sizes in bytes, and seconds."""

    sent: int
    state: int
    block: float
    merge: float
    driver: float  # before it, since the pass before


class Recorder:
    """An engine without a cluster that measures."""

    def __init__(self, x, y):
        self._x, self._y = x, y
        self.passes = []
        self._since = time.perf_counter()

    def make_blocks(self, layout):
        """As of an engine."""
        parts = [slice(begin, begin + BLOCK) for begin in range(0, len(self._x), BLOCK)]
        self._blocks = [
            _blocks.block_of(layout, _blocks.Rows(i, self._x[part], self._y[part])) for i, part in enumerate(parts)
        ]
        self._since = time.perf_counter()
        return [len(block) for block in self._blocks]

    def sums(self, pass_, first_rows):
        """As of an engine."""
        begin = time.perf_counter()
        driver = begin - self._since
        states = [_blocks.accumulate(pass_, b, f) for b, f in zip(self._blocks, first_rows, strict=True)]
        block = (time.perf_counter() - begin) / len(states)
        begin = time.perf_counter()
        out = _blocks.merge(states)
        merge = (time.perf_counter() - begin) / max(1, len(states) - 1)
        self.passes.append(Pass(len(pass_), max(map(len, states)), block, merge, driver))
        self._since = time.perf_counter()
        return out


def passes_of(name, options, x, y):
    """The passes of a fit, and the driver's seconds after the last one."""
    engine = Recorder(x, y)
    estimator = getattr(condens, name)(n_jobs=1, **options)
    _cluster.fit(estimator, engine, _blocks.Layout(tuple(NAMES), ("y",)), names=[], y_ndim=1, gather_rows=0)
    return engine.passes, time.perf_counter() - engine._since


# --- the simulation -----------------------------------------------------------------------------------------


def simulated(passes, after, table, workers):
    """Seconds of the fit: blocks are dealt out evenly, every pass waits for the one before."""
    blocks, larger = -(-table // LARGE_BLOCK), LARGE_BLOCK / BLOCK
    workers = min(workers, blocks)
    total = after
    for p in passes:
        spread = np.ceil(np.log2(workers + 1)) * (LATENCY + p.sent / BANDWIDTH)
        tasks, inputs, climb = blocks, blocks, 0.0
        while inputs > 1:
            merged = -(-inputs // _cluster.FAN_IN)
            # States of neighbouring blocks are on their worker already as long as it has whole groups.
            travel = 0 if workers == 1 or inputs >= _cluster.FAN_IN * workers else _cluster.FAN_IN - 1
            each = (_cluster.FAN_IN - 1) * p.merge + travel * p.state / BANDWIDTH
            climb += -(-merged // workers) * each + (LATENCY if travel else 0)
            tasks, inputs = tasks + merged, merged
        total += p.driver + spread + max(-(-blocks // workers) * larger * p.block, tasks * TASK) + climb
    return total


@contextmanager
def spark_frame(x, y) -> Iterator:
    """The rows, from a file."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]")
    options = {"ui.enabled": "false", "driver.memory": "4g", "driver.host": "127.0.0.1"}
    options |= {"python.unix.domain.socket.enabled": "true"}
    options |= {"log.level": "OFF", "ui.showConsoleProgress": "false"}
    for name, value in options.items():
        builder = builder.config(f"spark.{name}", value)
    session = builder.getOrCreate()
    with tempfile.TemporaryDirectory() as folder:  # of several files Spark would change the order of rows
        table = pd.DataFrame(x, columns=NAMES).assign(y=y)
        table.to_parquet(f"{folder}/rows.parquet", row_group_size=BLOCK)
        yield session.read.parquet(folder)
    session.stop()


def by_spark(name, options, frame):
    """The fit, as an estimator of condens."""
    return getattr(condens.spark, name)(inputCols=NAMES, labelCol="y", **options).fit(frame).estimator


def compared(name, x, y, fit):
    """A row of a table: the plain fit, and another one."""
    options, head = MODELS.get(name, {}), slice(0, 1000)
    (plain, own), (one, other) = seconds(
        REPEATS, lambda: getattr(condens, name)(n_jobs=2, **options).fit(x, y), lambda: fit(name, options)
    )
    gap = np.abs(one.log_density(x[head], y[head]) - other.log_density(x[head], y[head])).max()
    print(f"| {name} | {plain:.1f} | {own:.1f} | {own / plain:.2f} | {gap:.1e} |", flush=True)


def spark_table(note, chosen):
    """The section on Spark."""
    x, y = rows(ROWS)
    print(f"\n## By Spark\n\n{note}; {ROWS:,} rows of {INPUTS} inputs.\n")
    print(
        "Plain: two threads. Spark: `local[2]`, from a Parquet file, by Unix domain sockets. Seconds, the best of two"
    )
    print("that take turns.\n")
    print("| model | plain | Spark | ratio | largest difference of log densities |\n|---|---|---|---|---|")
    with spark_frame(x, y) as frame:
        for name in chosen:
            compared(name, x, y, lambda model, options: by_spark(model, options, frame))


def main():
    """Prints the page."""
    warnings.simplefilter("ignore")
    if sys.argv[1] == "spark":
        spark_table(sys.argv[2], sys.argv[3:] or list(MODELS))
        return
    note, chosen = sys.argv[1], sys.argv[2:] or list(MODELS)
    x, y = rows(ROWS)
    print("# On a cluster: overhead, and what to expect of many workers\n")
    print(f"Written by `benchmarks/cluster.py`, {note}; {ROWS:,} rows of {INPUTS} inputs.\n")
    print("## Beside the plain fit on one machine\n")
    print("Plain: two threads. Dask: two workers of one thread. Seconds, the best of two that take turns.\n")
    print("| model | plain | Dask | ratio | largest difference of log densities |\n|---|---|---|---|---|")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster):
        lazy_x, lazy_y = (da.from_array(v, chunks=(BLOCK, *v.shape[1:])).persist() for v in (x, y))
        distributed.wait([lazy_x, lazy_y])
        for name in chosen:
            compared(
                name, x, y, lambda model, options: getattr(condens.dask, model)(n_jobs=2, **options).fit(lazy_x, lazy_y)
            )
    print("\n## What a pass costs\n")
    print(f"Blocks of {BLOCK:,} rows, one thread; of all passes of a fit the sums, and the largest sizes.\n")
    print("| model | passes | seconds a block | seconds a merge | driver's seconds | pass, bytes | state, bytes |")
    print("|---|---|---|---|---|---|---|")
    measured = {}
    for name in chosen:
        passes, after = measured[name] = passes_of(name, MODELS.get(name, {}), x, y)
        block, merge = sum(p.block for p in passes), sum(p.merge for p in passes)
        driver = after + sum(p.driver for p in passes)
        sent, state = max(p.sent for p in passes), max(p.state for p in passes)
        print(f"| {name} | {len(passes)} | {block:.3g} | {merge:.2g} | {driver:.2g} | {sent:,} | {state:,} |")
    print("\n## A simulation of the graph of tasks\n")
    print(
        f"Assumptions: machines joined by {8 * BANDWIDTH / 1e9:g} Gbit/s both ways and {1e3 * LATENCY:g} ms a message; "
        f"a scheduler that takes {1e3 * TASK:.2g} ms for each task, one after the other; blocks of {LARGE_BLOCK:,} "
        "rows, which take as many times longer, in memory already and dealt out evenly; a pass spreads from worker to "
        "worker, to twice as many each time; states are merged eight at a time, and seven of eight travel where a "
        "worker has no whole group; a pass begins when the one before has ended, and there are as many as above; no "
        "worker fails. Efficiency: the seconds of one worker, over the sum of those of all workers.\n"
    )
    print("| model | rows | " + " | ".join(f"{w:,} worker{'s' * (w > 1)}" for w in WORKERS) + " | efficiency |")
    print("|---|---|" + "---|" * (len(WORKERS) + 1))
    for name in chosen:
        for table in TABLES:
            times = [simulated(*measured[name], table, w) for w in WORKERS]
            shares = " / ".join(
                f"{100 * times[0] / (w * t):.0f} %" for w, t in zip(WORKERS[1:], times[1:], strict=True)
            )
            print(f"| {name} | {table:,} | " + " | ".join(f"{t:.3g} s" for t in times) + f" | {shares} |")


if __name__ == "__main__":
    main()
