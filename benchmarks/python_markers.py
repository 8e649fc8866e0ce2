"""Five hundred patients, two thousand markers, one call: how long it takes, and what it finds.

usage: python benchmarks/python_markers.py CONDENS_COMMAND
Two markers move the mean of the outcome, one weighs a second branch, one moves the spread, all of them common (allele
frequency 0.4; the others 0.1 to 0.5); the first call is Python's,
the second the command's, on the same rows as a CSV file. Both with the recommended preset.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from condens import SACDE

MEAN, BRANCH, SPREAD = (100, 900), 1500, 700


def patients(rows=500, markers=2000):
    """Copies of the rarer allele, 0, 1 or 2, and the outcome."""
    random = np.random.default_rng(0)
    frequency = random.uniform(0.1, 0.5, markers)
    frequency[[*MEAN, BRANCH, SPREAD]] = 0.4
    X = random.binomial(2, frequency, size=(rows, markers)).astype(float)
    branch = random.random(rows) < 0.1 + 0.3 * X[:, BRANCH]
    noise = (0.4 + 0.3 * X[:, SPREAD]) * random.normal(size=rows)
    return X, X[:, MEAN[0]] - X[:, MEAN[1]] + 3.0 * branch + noise


def ahead(X, y, marker):
    """How many markers stand ahead of this one, each alone: chi-square of its copies by the tenths of the outcome."""
    tenth = np.searchsorted(np.quantile(y, np.arange(1, 10) / 10), y)
    counts = np.array([[(X[tenth == k] == copies).sum(axis=0) for copies in range(3)] for k in range(10)], dtype=float)
    expected = counts.sum(axis=0) * counts.sum(axis=1, keepdims=True) / len(y)
    chi_square = (np.where(expected > 0, (counts - expected) ** 2 / np.maximum(expected, 1e-300), 0)).sum(axis=(0, 1))
    return int((chi_square > chi_square[marker]).sum())


def main():
    """The two calls."""
    X, y = patients()
    standing = ", ".join(f"m{marker}: {ahead(X, y, marker)}" for marker in (*MEAN, BRANCH, SPREAD))
    print(f"other markers ahead of each planted one, by a chi-square of each alone: {standing}")
    begin = time.perf_counter()
    model = SACDE(n_jobs=-1).fit(X, y)
    print(f"Python: SACDE(n_jobs=-1).fit(X, y) on {X.shape[0]} x {X.shape[1]}: {time.perf_counter() - begin:.0f} s")
    print(f"  planted: mean {MEAN}, branch {BRANCH}, spread {SPREAD}; selected: {model.get_support(indices=True)}")
    certificate = model.report_["details"]["certificate"]
    print(f"  relative gap {certificate['relative_gap']:.1e}, KKT residual {certificate['kkt_residual']:.1e}")
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "patients.csv"
        names = ",".join([f"m{k}" for k in range(X.shape[1])] + ["outcome"])
        np.savetxt(table, np.column_stack([X, y]), delimiter=",", header=names, comments="", fmt="%.17g")
        begin = time.perf_counter()
        call = ["fit", str(table), "--target", "outcome", "--model", "sacde", "-o", str(Path(folder) / "model.cbor")]
        done = subprocess.run([sys.argv[1], *call], check=True, capture_output=True, text=True)
        print(f"command: condens fit patients.csv --target outcome --model sacde: {time.perf_counter() - begin:.0f} s")
        print("  " + next(line for line in done.stderr.splitlines() if "selected" in line))


if __name__ == "__main__":
    main()
