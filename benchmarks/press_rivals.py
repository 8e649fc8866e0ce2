"""A search of predictive state smoothing: NumPy with SciPy's L-BFGS-B, and condens.

usage: python benchmarks/press_rivals.py PRESS_SEARCH_BENCHMARK [IMAGES.csv]
GCV with smoothness and a ridge, a linear map of ten states, all rows, the same starts, a memory of ten, all cores on
both sides. First at the shape of MNIST (60,000 x 784 grey levels; simulated, or the rows of the file without header,
target last, that is named), then at that of abalone (3,320 x 7). Searches take different steps, so what counts is when
each has come to the value where the worse of the two ends; the packing of the inputs counts, too.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

STATES, WEIGHT, RIDGE = 10, 1e-3, 1e-4
SMOOTHNESS = 9.0


class Criterion:
    """GCV (Goerg 2017, eqs. 34-36) and its gradient, as one writes them in NumPy."""

    def __init__(self, x, y):
        self.x, self.y = np.column_stack([np.ones(len(x)), x]), y
        self.seen = []
        self.begin = time.perf_counter()

    def __call__(self, parameters):
        """Value and gradient; remembers when."""
        x, y, n = self.x, self.y, len(self.y)
        theta = parameters.reshape(x.shape[1], STATES, order="F")
        w = x @ theta
        w -= w.max(axis=1, keepdims=True)
        np.exp(w, out=w)
        w /= w.sum(axis=1, keepdims=True)
        sizes = w.sum(axis=0)
        means = y @ w / sizes
        residuals = y - w @ means
        squares = np.einsum("ij,ij->j", w, w)
        freedom = (squares / sizes).sum()
        mse = residuals @ residuals / n
        room = 1 - freedom / n
        value = mse / room**2 + WEIGHT * (SMOOTHNESS - freedom) ** 2 + 0.5 * RIDGE * (theta[1:] ** 2).sum()

        by_prediction = -2 / n * residuals / room**2
        by_w = np.outer(by_prediction, means) + (by_prediction @ w / sizes) * (y[:, None] - means)
        by_freedom = 2 * mse / n / room**3 - 2 * WEIGHT * (SMOOTHNESS - freedom)
        by_w += by_freedom * (2 * w / sizes - squares / sizes**2)
        by_scores = w * (by_w - np.einsum("ij,ij->i", by_w, w)[:, None])
        gradient = x.T @ by_scores
        gradient[1:] += RIDGE * theta[1:]
        self.seen.append((time.perf_counter() - self.begin, value))
        return value, gradient.ravel(order="F")


def of_condens(program, x, y, start, steps):
    """Value and length of the gradient at the start, and (seconds, value) of every evaluation."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.bin"
        with path.open("wb") as file:
            np.array([*x.shape, STATES, steps], dtype=np.int64).tofile(file)
            np.array([SMOOTHNESS, WEIGHT, RIDGE]).tofile(file)
            for part in (x, y, start):
                np.ascontiguousarray(part, dtype=float).tofile(file)
        text = subprocess.run([program, path], check=True, capture_output=True, text=True).stdout
    first, *seen = np.array([line.split() for line in text.splitlines()], dtype=float)
    return first, np.array(seen)


def of_scipy(x, y, start, steps):
    """The same in NumPy and SciPy."""
    criterion = Criterion(x, y)
    minimize(
        criterion,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": steps, "maxfun": 10**6, "maxcor": 10, "ftol": 0, "gtol": 0},
    )
    value, gradient = Criterion(x, y)(start)
    return (value, np.linalg.norm(gradient)), np.array(criterion.seen)


def reached(seen, value):
    """Seconds until the value."""
    return seen[np.argmax(seen[:, 1] <= value), 0]


def images(n, d):
    """Grey levels around ten prototypes, of which two thirds of the pixels are as good as any other."""
    rng = np.random.default_rng(1)
    prototypes = np.where(rng.random((10, d)) < 1 / 3, rng.random((10, d)), 0.3)
    y = rng.integers(10, size=n)
    noisy = prototypes[y] * rng.uniform(0.3, 1, size=(n, 1)) + 0.4 * rng.normal(size=(n, d))
    return np.round(255 * np.clip(noisy, 0, 1)) / 255, y.astype(float)


def shells(n):
    """Age-like: grows with the first inputs, levels off, spreads."""
    rng = np.random.default_rng(2)
    size = rng.normal(size=n)
    x = size[:, None] + 0.3 * rng.normal(size=(n, 7))
    y = 10 + 3 * np.tanh(size) + 4 * (x[:, 6] - x[:, 5]) + np.exp(0.4 * size) * rng.normal(size=n)
    return x, (y - y.mean()) / y.std()


def compare(program, x, y, steps, starts):
    """Both sides from the same starts."""
    rng = np.random.default_rng(3)
    print(f"{x.shape[0]} rows, {x.shape[1]} inputs, {STATES} states, {steps} steps")
    ratios = []
    for k in range(starts):
        start = 0.05 * rng.normal(size=STATES * (x.shape[1] + 1))
        own_first, own = of_condens(program, x, y, start, steps)
        first, theirs = of_scipy(x, y, start, steps)
        if k == 0:
            print(
                f"at the first start: value {first[0]:.12f} and {own_first[0]:.12f}, "
                f"length of the gradient {first[1]:.12f} and {own_first[1]:.12f}"
            )
        value = max(own[:, 1].min(), theirs[:, 1].min())
        seconds, own_seconds = reached(theirs, value), reached(own, value)
        ratios.append(seconds / own_seconds)
        print(
            f"to {value:.6f}: NumPy and SciPy {seconds:8.3f} s, condens {own_seconds:8.3f} s, "
            f"{ratios[-1]:.1f} x faster; by evaluation {theirs[-1, 0] / len(theirs) / (own[-1, 0] / len(own)):.1f} x; "
            f"values at the end {theirs[:, 1].min():.6f} and {own[:, 1].min():.6f}"
        )
    if starts > 1:
        print(f"geometric mean: {np.exp(np.mean(np.log(ratios))):.1f} x faster")


def main():
    """Both shapes."""
    program = sys.argv[1]
    if len(sys.argv) > 2:
        data = np.loadtxt(sys.argv[2], delimiter=",")
        x, y = data[:, :-1], data[:, -1]
    else:
        x, y = images(60000, 784)
    compare(program, x, y, 100, 3)
    compare(program, *shells(3320), 200, 5)


if __name__ == "__main__":
    main()
