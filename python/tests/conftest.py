"""What the tests of the Python door share: small data, quick estimators, the command, the repository."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import condens

REPOSITORY = Path(__file__).resolve().parents[2]

# Tests with other packages are left out where these are not installed, and fail where CONDENS_INTEGRATIONS says that
# they are. No package asks a network.
os.environ |= {"DO_NOT_TRACK": "true", "MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_ALLOW_FILE_STORE": "true"}
_INTEGRATIONS = {"econml_doubleml": "econml", "mlflow": "mlflow", "page": "sktime", "rail": "rail", "sktime": "sktime"}
collect_ignore = [
    f"integrations/test_{name}.py"
    for name, package in _INTEGRATIONS.items()
    if importlib.util.find_spec(package) is None and not os.environ.get("CONDENS_INTEGRATIONS")
]

# One candidate for every number: nothing is cross-validated, a fit takes milliseconds.
QUICK: dict[str, Any] = {"bandwidth": 0.5, "bandwidth_y": 0.3, "regularization": 0.1, "n_centers": 40}
# A small search, so that folds, refinement and threads have something to do.
SEARCH: dict[str, Any] = {
    "metric": "none",
    "bandwidth": [0.05, 0.3, 1.5],
    "bandwidth_y": [0.02, 0.1, 0.4, 1.0],
    "regularization": [1e-6, 1e-2, 10.0],
}

Data = tuple[np.ndarray, np.ndarray]


def make_data(n: int = 80, d: int = 2, d_y: int = 0, seed: int = 0) -> Data:
    """X of shape (n, d), y of shape (n,) or (n, d_y): two branches whose spread depends on x."""
    random = np.random.default_rng(seed)
    x = random.uniform(-2, 2, (n, d))
    branch = random.choice([-1.0, 1.0], n)
    columns = [
        branch * (1 + x[:, 0]) + (0.1 + 0.1 * np.abs(x[:, -1])) * random.standard_normal(n) for _ in range(max(1, d_y))
    ]
    return x, np.stack(columns, axis=1) if d_y else columns[0]


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """Four workers of dask that are processes."""
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 4, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="session")
def data() -> Data:
    return make_data()


@pytest.fixture(scope="session")
def fitted(data: Data) -> Any:
    """An LSCDE with one target, fitted without a search."""
    return condens.LSCDE(**QUICK).fit(*data)


@pytest.fixture(scope="session")
def fitted_2d() -> Any:
    """An LSCDE with two targets."""
    return condens.LSCDE(**QUICK).fit(*make_data(d_y=2))


@pytest.fixture(scope="session")
def command() -> Callable[..., str]:
    """Runs the command `condens` and returns its standard output."""
    path = os.environ.get("CONDENS_COMMAND") or str(REPOSITORY / "build" / "release" / "cli" / "condens")
    if not Path(path).exists():
        pytest.skip("no condens command: build it, or name it in CONDENS_COMMAND")

    def run(*arguments: Any, program: str = path) -> str:
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def run_python(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs code in a fresh interpreter that treats warnings as errors."""

    def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, **environment},
            timeout=60,
        )

    return run


def assert_same_model(a: Any, b: Any) -> None:
    """Two fitted estimators are the same, to the bit."""
    assert a._model.to_bytes() == b._model.to_bytes()


def _refuse_skips(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Where CONDENS_NO_SKIPS is set, everything that tests need is there: a skip is a failure."""
    if not report.skipped or hasattr(report, "wasxfail") or not os.environ.get("CONDENS_NO_SKIPS"):
        return
    # scikit-learn's check of arrays on other devices, and wheels for one level of processors.
    if not any(reason in str(report.longrepr) for reason in ("SCIPY_ARRAY_API", "one level only")):
        report.outcome = "failed"
        report.longrepr = f"skipped although CONDENS_NO_SKIPS is set: {report.longrepr}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _refuse_skips(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _refuse_skips(report)
    return report


def assert_same_scores(found: Any, plain: Any) -> None:
    """Of two tables of scores: the tests of calibration up to the cells of PIT values."""
    if isinstance(plain, dict):
        assert found.keys() == plain.keys()
        for name in plain:
            if name == "p_value":
                assert abs(found[name] - plain[name]) < 0.01
            elif name == "statistic":
                assert abs(found[name] - plain[name]) < 1e-3
            else:
                assert_same_scores(found[name], plain[name])
    elif isinstance(plain, list):
        assert len(found) == len(plain)
        for one, other in zip(found, plain, strict=True):
            assert_same_scores(one, other)
    else:
        np.testing.assert_allclose(found, plain, rtol=1e-9, atol=1e-12)


def with_cities(rows: int) -> Any:
    """A table with a column of thirty levels, of which most are rare, on which y depends."""
    import pandas as pd

    x, y = make_data(rows, seed=1)
    city = np.minimum(np.random.default_rng(4).geometric(0.12, rows) - 1, 29)
    city[:30] = np.arange(30)  # each at least once
    name = [f"city {i}" for i in city]
    return pd.DataFrame({"speed": x[:, 0], "load": x[:, 1], "city": name, "y": y + np.sin(city) * (1 + y)})
