"""The cores of all instruction-set levels give equal results within rounding."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from condens import _core, _cpu, _levels

# Fits and predicts with everything given (no choice that rounding could tip), then with a search.
PROGRAM = """
import sys
import numpy as np
import condens
from condens import LSCDE

rng = np.random.default_rng(3)
X = rng.normal(size=(150, 2))
y = np.where(rng.random(150) < 0.5, -1.0, 1.0) + X[:, 0] + 0.3 * rng.normal(size=150)
given = LSCDE(bandwidth=0.6, bandwidth_y=0.3, regularization=0.05, n_centers=40).fit(X, y)
searched = LSCDE(bandwidth=[0.3, 0.6], bandwidth_y=[0.2, 0.4], regularization=[0.01, 0.1]).fit(X, y)
laws = given.predict_distribution(X)
np.savez(
    sys.argv[1], level=condens._core.level, kernel_weights=given.kernel_weights_, mean=laws.mean(),
    log_density=laws.logpdf(y),
    ppf=laws[:, None].ppf([0.001, 0.5, 0.9]), crps=laws.crps(y), draws=laws.rvs(3, random_state=1),
    scores=searched.cv_results_["mean_test_score"], searched=searched.log_density(X, y),
)
"""


def run(level, folder):
    path = folder / f"{level}.npz"
    environment = {**os.environ, "CONDENS_LEVEL": level}
    subprocess.run([sys.executable, "-c", PROGRAM, str(path)], check=True, env=environment, cwd=folder)
    return np.load(path)


def test_levels_agree(tmp_path):
    levels = _levels.available_levels()
    if len(levels) < 2:
        pytest.skip(f"this installation or processor has one level only: {levels}")
    results = {level: run(level, tmp_path) for level in levels}
    best = results[levels[-1]]
    for level, result in results.items():
        assert result["level"] == level
        for name in best.files:
            if name != "level":
                # Sums in another order and fused multiplications move the last bits; the solution of the
                # ridge system multiplies that by its condition number, at most 1e4 here.
                np.testing.assert_allclose(result[name], best[name], rtol=1e-9, atol=1e-12, err_msg=f"{level}: {name}")


def test_the_best_level_is_loaded():
    if "CONDENS_LEVEL" not in os.environ:
        assert _core.level == _levels.available_levels()[-1]


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64",
    reason="asks Linux for the abilities of an x86-64 processor",
)
def test_the_level_of_the_processor_is_what_linux_knows_of_it():
    flags = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags"))
    abilities = set(flags.split(":")[1].split())
    level = 0
    for number, needed in {
        2: {"sse4_2", "popcnt"},
        3: {"avx", "avx2", "fma", "bmi1", "bmi2"},
        4: {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    }.items():
        if not needed <= abilities:
            break
        level = number
    assert _cpu.level == level
