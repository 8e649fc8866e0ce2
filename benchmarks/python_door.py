"""What Python adds: the laws at 10^6 rows with 100 components from Python and from C++ alone, and the import.

usage: python benchmarks/python_door.py PYTHON_DOOR_BENCHMARK
The argument is the C++ program of that name; both sides run the same model file, one after the other.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import condens
from condens import LSCDE

ROWS, COMPONENTS = 1_000_000, 100


def best_seconds(work, repeats=5):
    """The shortest of some runs: the one least disturbed by other processes."""
    best = np.inf
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


def model_with_components():
    """An LSCDE of 100 components in five inputs: nonnegative coefficients, none clipped."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 5))
    y = np.sin(X[:, 0]) + rng.choice([-1, 1], 2000) + 0.2 * rng.normal(size=2000)
    model = LSCDE(preset="paper", n_centers=COMPONENTS, bandwidth=1.0, regularization=10.0).fit(X, y)
    assert model.predict_distribution(X[:1]).n_components == COMPONENTS
    return model


def predictions(program):
    """Seconds of both sides for each number of threads."""
    model = model_with_components()
    X = np.random.default_rng(2).normal(size=(ROWS, 5))
    print(f"predict_distribution, {ROWS:,} rows, {COMPONENTS} components, 5 inputs (core {condens._core.level}):")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.cbor"
        model.save(path)
        alone = subprocess.run([program, path, str(ROWS)], check=True, capture_output=True, text=True).stdout
    for line in alone.splitlines():
        threads, seconds, _ = line.split()
        model.set_params(n_jobs=int(threads))
        ours = best_seconds(lambda: model.predict_distribution(X))
        print(
            f"  {threads} thread(s): Python {ours:.3f} s, C++ alone {float(seconds):.3f} s, "
            f"added {100 * (ours / float(seconds) - 1):+.1f} %"
        )


def imports():
    """Seconds from the start of the interpreter, beside those of an empty one and of numpy alone."""
    print("seconds of a new interpreter, best of 10:")
    for name, code in {"nothing": "", "numpy": "import numpy", "condens": "import condens"}.items():
        seconds = best_seconds(lambda code=code: subprocess.run([sys.executable, "-c", code], check=True), 10)
        print(f"  import {name:8s} {seconds:.3f} s")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    predictions(sys.argv[1])
    imports()
