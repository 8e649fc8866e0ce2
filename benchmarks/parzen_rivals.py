"""The five-fold choice of a Parzen window's width among 40, N = 10,000, d = 2: scikit-learn's GridSearchCV of
KernelDensity and condens, on the same points, folds and widths.

usage: python benchmarks/parzen_rivals.py PARZEN_BENCHMARK
The argument is the C++ program of that name; one side runs after the other.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.neighbors import KernelDensity

POINTS, DIMENSIONS, FOLDS = 10_000, 2, 5
WIDTHS = np.logspace(-2, np.log10(2), 40)


def two_rings():
    """Two noisy rings of radius 1 and 2."""
    rng = np.random.default_rng(1)
    radius = rng.choice([1, 2], POINTS) + 0.1 * rng.normal(size=POINTS)
    angle = 2 * np.pi * rng.random(POINTS)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def of_condens(program, points, folds):
    """Seconds by threads, the mean score of every width, and seconds of the leave-one-out choice."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.txt"
        with path.open("w") as file:
            print(*points.shape, len(WIDTHS), file=file)
            np.savetxt(file, points, "%.17g")
            np.savetxt(file, folds, "%d")
            np.savetxt(file, WIDTHS, "%.17g")
        lines = subprocess.run(
            [program, "five-fold", path], check=True, capture_output=True, text=True
        ).stdout.splitlines()
    seconds = {int(threads): float(time) for threads, time in (line.split() for line in lines[:2])}
    return seconds, np.array(lines[2:-1], dtype=float), float(lines[-1])


def of_scikit_learn(points, folds):
    """Seconds and the mean score of every width."""
    search = GridSearchCV(KernelDensity(), {"bandwidth": WIDTHS}, cv=PredefinedSplit(folds))
    begin = time.perf_counter()
    search.fit(points)
    return time.perf_counter() - begin, search.cv_results_["mean_test_score"]


def exact_score(points, folds, width):
    """The mean score of one width by every pair of points, each sum by its largest term."""
    total = 0.0
    for fold in range(FOLDS):
        train = points[folds != fold]
        for point in points[folds == fold]:
            terms = -0.5 * np.sum((train - point) ** 2, axis=1) / width**2
            top = terms.max()
            total += top + np.log(np.sum(np.exp(terms - top)) / (len(train) * 2 * np.pi * width**2))
    return total / FOLDS


def main(program):
    """The choice by both, and what their scores are worth."""
    points = two_rings()
    folds = np.arange(POINTS) % FOLDS
    ours, our_scores, one_out = of_condens(program, points, folds)
    rival, rival_scores = of_scikit_learn(points, folds)
    print(f"five-fold choice among {len(WIDTHS)} widths, N = {POINTS:,}, d = {DIMENSIONS}:")
    for name, scores in {"scikit-learn": rival_scores, "condens": our_scores}.items():
        best = np.argmax(scores)
        print(f"  {name:12s} chooses {WIDTHS[best]:.6f}, mean log likelihood of a fold {scores[best]:.9f}")
    worst = np.argmax(np.abs(our_scores / rival_scores - 1))
    exact = exact_score(points, folds, WIDTHS[worst])
    print(f"  the scores differ most at width {WIDTHS[worst]:.4f}; by every pair, relative error there:")
    errors = [abs(scores[worst] / exact - 1) for scores in (rival_scores, our_scores)]
    print(f"    scikit-learn {errors[0]:.1e}, condens {errors[1]:.1e}")
    print(f"  scikit-learn, GridSearchCV of KernelDensity: {rival:.1f} s")
    for threads, seconds in ours.items():
        print(f"  condens, {threads} thread(s): {seconds:.3f} s, {rival / seconds:.0f} times faster")
    print(f"  condens, leave-one-out, 1 thread: {one_out:.3f} s (scikit-learn does not offer it)")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
