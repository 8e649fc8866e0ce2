"""Threads, processes, Ctrl-C and callbacks: they change when a fit ends, never what it gives."""

from __future__ import annotations

import multiprocessing
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from conftest import QUICK, SEARCH, make_data
from numpy.testing import assert_array_equal

import condens
from condens import LSCDE

N = 300
X, Y = make_data(N, d=1)
# Enough work that callbacks come and Ctrl-C finds something to stop: some seconds on one core.
LONG: dict[str, Any] = {
    "bandwidth": np.geomspace(0.01, 10, 40).tolist(),
    "bandwidth_y": np.geomspace(0.01, 10, 40).tolist(),
    "regularization": np.geomspace(1e-4, 10, 20).tolist(),
    "n_centers": 300,
}


def fit_bytes(seed: int, n_jobs: int | None = 1) -> bytes:
    """The model of data of their own, as bytes; a search whose choice may lie at an edge."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", condens.FitWarning)
        return LSCDE(**SEARCH, random_state=seed, n_jobs=n_jobs).fit(*make_data(150, d=1, seed=seed))._model.to_bytes()


def fit_and_predict(seed: int) -> tuple[bytes, bytes]:
    return fit_bytes(seed, 2), LSCDE(**QUICK, n_jobs=2).fit(*make_data(seed=seed)).predict(make_data()[0]).tobytes()


# --- numbers of threads ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [2, 7, -1, -2, None])
def test_any_number_of_threads_gives_the_same_bits(n_jobs: int | None) -> None:
    one, several = (LSCDE(**SEARCH, n_jobs=jobs).fit(X, Y) for jobs in (1, n_jobs))
    assert one._model.to_bytes() == several._model.to_bytes()
    x, y = X[:40], Y[:40]
    assert_array_equal(one.predict(x), several.predict(x))
    assert_array_equal(one.predict_quantiles(x), several.predict_quantiles(x))
    assert_array_equal(one.log_density(X, Y), several.log_density(X, Y))
    a, b = one.predict_distribution(x), several.predict_distribution(x)
    assert (a.n_jobs, b.n_jobs) == (1, n_jobs)
    for name in ("logpdf", "cdf", "crps", "hdr_mass", "squared_loss"):
        assert_array_equal(getattr(a, name)(y), getattr(b, name)(y))
    for name in ("mean", "var", "mode", "entropy", "energy", "median"):
        assert_array_equal(getattr(a, name)(), getattr(b, name)())
    assert_array_equal(a.rvs(5, random_state=1), b.rvs(5, random_state=1))


def test_all_cores_unless_joblib_says_otherwise() -> None:
    for number in (1, 2):
        with joblib.parallel_config(n_jobs=number):
            assert condens._arrays.threads_of(None) == number
    assert condens._arrays.threads_of(None) == joblib.cpu_count()
    for backend in ("loky", "threading"):
        inside = joblib.Parallel(n_jobs=2, backend=backend)(
            joblib.delayed(condens._arrays.threads_of)(None) for _ in range(2)
        )
        assert inside == [1, 1]  # beside each other
    assert condens._arrays.threads_of(3) == 3
    assert condens._arrays.threads_of(-1) == joblib.cpu_count()
    assert condens._arrays.threads_of(-1000) == 1


def test_a_limit_set_later_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in (1, 2, 1):
        monkeypatch.setenv("LOKY_MAX_CPU_COUNT", str(limit))
        assert condens._arrays.threads_of(None) == condens._arrays.threads_of(-1) == joblib.cpu_count()
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0}, raising=False)
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "7")
    assert condens._arrays.threads_of(None) == joblib.cpu_count()


def test_fits_at_once_equal_fits_alone() -> None:
    seeds = list(range(8))
    alone = [fit_and_predict(seed) for seed in seeds]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(fit_and_predict, seeds)) == alone


def test_one_model_predicts_in_many_threads_at_once(fitted: Any, data: Any) -> None:
    expected = fitted.predict_distribution(data[0]).logpdf(data[1]).tobytes()
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda _: fitted.predict_distribution(data[0]).logpdf(data[1]).tobytes(), range(20))
        assert set(found) == {expected}


# --- processes -----------------------------------------------------------------------------------------------


def test_joblib_processes_give_the_same_bits() -> None:
    alone = [fit_and_predict(seed) for seed in (0, 1)]
    found = joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(fit_and_predict)(seed) for seed in (0, 1))
    assert found == alone


# A parent with threads of its own forks: Python 3.12 warns of that, since other libraries may hang then.
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
def test_forked_children_fit_and_predict() -> None:
    alone = [fit_and_predict(seed) for seed in (0, 1)]  # the parent has used its threads by now
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(fit_and_predict, (0, 1)).get(timeout=60) == alone


# --- the interpreter lock -----------------------------------------------------------------------------------


def test_python_goes_on_during_a_fit() -> None:
    count = 0
    stop = threading.Event()

    def tick() -> None:
        nonlocal count
        while not stop.is_set():
            count += 1
            time.sleep(0.001)

    seen: list[int] = []

    def watch(task: str, fraction: float) -> None:
        seen.append(count)
        if len(seen) > 1 and seen[-1] > seen[0] + 5:
            raise StopIteration

    ticking = threading.Thread(target=tick)
    ticking.start()
    try:
        # The other thread has counted on between two calls, in which this one held the lock.
        with pytest.raises(StopIteration):
            LSCDE(**LONG, callback=watch).fit(X, Y)
    finally:
        stop.set()
        ticking.join()


# --- callbacks and Ctrl-C ---------------------------------------------------------------------------------------


def test_callbacks_see_fractions() -> None:
    calls: list[tuple[str, float]] = []
    long = {**LONG, "bandwidth": LONG["bandwidth"][::8], "regularization": LONG["regularization"][::5]}
    LSCDE(**long, callback=lambda *call: calls.append(call)).fit(X, Y)
    assert calls
    assert all(isinstance(task, str) and task for task, _ in calls)
    assert all(0 <= fraction <= 1 for _, fraction in calls)
    for task in {task for task, _ in calls}:
        fractions = [fraction for name, fraction in calls if name == task]
        assert fractions == sorted(fractions)


def test_callback_cancels_by_false_only() -> None:
    before = threading.active_count()
    begin = time.monotonic()
    with pytest.raises(condens.Cancelled, match="cancel"):
        LSCDE(**LONG, callback=lambda *_: False).fit(X, Y)
    assert time.monotonic() - begin < 10  # the whole would take longer, but this is no measurement
    assert threading.active_count() == before
    assert issubclass(condens.Cancelled, RuntimeError)
    for answer in (None, True, 0, "", []):
        LSCDE(**SEARCH, callback=lambda *_, answer=answer: answer).fit(X, Y)


def test_cancelled_fit_leaves_the_estimator_as_it_was() -> None:
    model = LSCDE(**QUICK).fit(X, Y)
    before = model._model.to_bytes()
    model.set_params(**LONG, callback=lambda *_: False)
    with pytest.raises(condens.Cancelled):
        model.fit(X, Y)
    assert model._model.to_bytes() == before


def test_exceptions_in_callbacks_come_out() -> None:
    class OwnError(Exception):
        pass

    def fail(task: str, fraction: float) -> None:
        raise OwnError(task)

    with pytest.raises(OwnError) as caught:
        LSCDE(**LONG, callback=fail).fit(X, Y)
    assert caught.traceback[-1].name == "fail"
    with pytest.raises(TypeError, match="positional argument"):
        LSCDE(**LONG, callback=lambda: None).fit(X, Y)


def test_callback_may_use_condens_itself() -> None:
    inner: list[float] = []

    def nested(task: str, fraction: float) -> bool:
        inner.append(LSCDE(**QUICK).fit(X, Y).predict(X[:1])[0])
        return len(inner) < 2

    with pytest.raises(condens.Cancelled):
        LSCDE(**LONG, callback=nested).fit(X, Y)
    assert inner == [LSCDE(**QUICK).fit(X, Y).predict(X[:1])[0]] * 2


def test_progress_bar(capfd: pytest.CaptureFixture[str]) -> None:
    LSCDE(**SEARCH, verbose=True).fit(X, Y)
    captured = capfd.readouterr()
    assert re.search("fitting: 100 ?%", captured.err)  # tqdm's bar, or the line where it is not installed
    assert captured.err.count("\n") == 3  # a bar for the search, the fit, and what the inputs are worth
    assert captured.out == ""
    with pytest.raises(condens.Cancelled):
        LSCDE(**LONG, verbose=True, callback=lambda *_: False).fit(X, Y)
    assert not re.search("100 ?%", capfd.readouterr().err)


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_stops_a_fit(n_jobs: int, tmp_path: Path) -> None:
    # A shell lets what it starts in the background ignore SIGINT, and children inherit that.
    code = f"""
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_threads import LONG, X, Y
from condens import LSCDE
import numpy as np
x, y = np.tile(X, (60, 1)), np.tile(Y, 60)
try:
    LSCDE(**LONG, n_jobs={n_jobs}, callback=lambda *_: print("running", flush=True)).fit(x, y)
except KeyboardInterrupt:
    print("stopped", flush=True)
    raise
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            assert process.stdout.readline() == "running\n", process.stderr.read()
            process.send_signal(signal.SIGINT)
            begin = time.monotonic()
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert out.endswith("stopped\n")
    assert "KeyboardInterrupt" in err
    assert process.returncode == -signal.SIGINT
    assert time.monotonic() - begin < 10  # it asks a few times a second; the whole fit takes minutes
