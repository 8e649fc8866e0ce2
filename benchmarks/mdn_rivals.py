"""Ten trainings of a mixture density network on the Boston data: NumPy with SciPy's L-BFGS-B, and condens.

usage: python benchmarks/mdn_rivals.py MDN_BENCHMARK BOSTON.csv
One tanh layer of 20 units and a linear part, three Gaussians, weight decay 0.01, all rows, the same ten starts, 300
steps with a memory of ten. The arguments are the C++ program of that name and a CSV file of numbers with the target in
its last column (reproduce/common/fetch_data.sh writes Boston.csv). One side runs after the other, each three times; the
best time counts. Losses and gradients are compared at the first start; ends differ, as the line searches do.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

HIDDEN, COMPONENTS, STARTS, STEPS, DECAY, FLOOR = 20, 3, 10, 300, 0.01, 0.03
OUTPUTS = 3 * COMPONENTS


class Network:
    """The loss of estimators/mixture_density_network/network.hpp and its gradient, as one writes them in NumPy."""

    def __init__(self, x, y):
        self.x, self.y = x, y[:, None]
        inputs = x.shape[1]
        self.shapes = [
            (inputs, HIDDEN),
            (HIDDEN,),
            (HIDDEN, OUTPUTS),
            (OUTPUTS,),
            (inputs, COMPONENTS),
        ]
        self.sizes = [int(np.prod(shape)) for shape in self.shapes]

    def start(self, rng):
        """Normal weights, means over the range of y."""
        scales = [self.x.shape[1] ** -0.5, 0.0, 0.1 * HIDDEN**-0.5, 0.0, 0.0]
        parts = [scale * rng.normal(size=shape) for scale, shape in zip(scales, self.shapes, strict=True)]
        levels = (np.arange(COMPONENTS) + 0.5) / COMPONENTS
        parts[3] = np.r_[np.zeros(COMPONENTS), np.quantile(self.y, levels), np.full(COMPONENTS, -0.9)]
        return np.concatenate([part.ravel(order="F") for part in parts])

    def split(self, parameters):
        """The arrays of a vector of parameters, column by column as in condens."""
        ends = np.cumsum(self.sizes)[:-1]
        pieces = np.split(parameters, ends)
        return [piece.reshape(shape, order="F") for piece, shape in zip(pieces, self.shapes, strict=True)]

    def __call__(self, parameters):
        """Loss and its gradient."""
        n = len(self.x)
        w1, b1, v, c, skip = self.split(parameters)
        a = np.tanh(self.x @ w1 + b1)
        o = a @ v + c
        logits = o[:, :COMPONENTS]
        means = o[:, COMPONENTS : 2 * COMPONENTS] + self.x @ skip
        spread = np.exp(o[:, 2 * COMPONENTS :])
        scales = FLOOR + spread
        top = logits.max(axis=1, keepdims=True)
        log_pi = logits - top - np.log(np.exp(logits - top).sum(axis=1, keepdims=True))
        z = (self.y - means) / scales
        joint = log_pi - 0.5 * z**2 - np.log(scales)
        top = joint.max(axis=1, keepdims=True)
        log_p = top + np.log(np.exp(joint - top).sum(axis=1, keepdims=True))
        share = np.exp(joint - log_p)
        value = 0.5 * np.log(2 * np.pi) - log_p.mean()
        value += 0.5 * DECAY * sum((part**2).sum() for part in (w1, v, skip))

        by_means = -share * z / scales / n
        by_o = np.hstack([(np.exp(log_pi) - share) / n, by_means, share * (1 - z**2) * spread / scales / n])
        by_a = (by_o @ v.T) * (1 - a**2)
        parts = [
            self.x.T @ by_a + DECAY * w1,
            by_a.sum(axis=0),
            a.T @ by_o + DECAY * v,
            by_o.sum(axis=0),
            self.x.T @ by_means + DECAY * skip,
        ]
        return value, np.concatenate([part.ravel(order="F") for part in parts])


def of_condens(program, x, y, starts):
    """What the program prints, as numbers by line."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.txt"
        with path.open("w") as file:
            print(*x.shape, HIDDEN, COMPONENTS, len(starts), STEPS, DECAY, FLOOR, file=file)
            for part in (x, y, *starts):
                np.savetxt(file, part, "%.17g")
        text = subprocess.run([program, path], check=True, capture_output=True, text=True).stdout
    return [[float(word) for word in line.split()] for line in text.splitlines()]


def of_scipy(network, starts):
    """The best seconds of three runs, and the ends of the last one."""
    best = np.inf
    for _ in range(3):
        begin = time.perf_counter()
        ends = [
            minimize(
                network,
                start,
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": STEPS, "maxfun": 10**6, "maxcor": 10, "ftol": 0, "gtol": 0},
            )
            for start in starts
        ]
        best = min(best, time.perf_counter() - begin)
    return best, ends


def main():
    """Both sides, and what they agree on."""
    program, table = sys.argv[1:]
    data = np.loadtxt(table, delimiter=",", skiprows=1)
    data = (data - data.mean(axis=0)) / data.std(axis=0, ddof=1)
    x, y = data[:, :-1], data[:, -1]
    network = Network(x, y)
    rng = np.random.default_rng(1)
    starts = [network.start(rng) for _ in range(STARTS)]

    first, one, all_cores, *ends = of_condens(program, x, y, starts)
    seconds, theirs = of_scipy(network, starts)
    value, gradient = network(starts[0])
    print(f"{len(x)} rows, {x.shape[1]} inputs, {len(starts[0])} parameters; {STARTS} starts, {STEPS} steps each")
    print(
        f"at the first start: loss {value:.12f} and {first[0]:.12f}, "
        f"length of the gradient {np.linalg.norm(gradient):.12f} and {first[1]:.12f}"
    )
    evaluations = sum(end.nfev for end in theirs)
    own_evaluations = sum(int(end[1]) for end in ends)
    losses = np.sort([end.fun for end in theirs])
    own_losses = np.sort([end[0] for end in ends])
    print(
        f"NumPy and SciPy    {seconds:7.3f} s, {evaluations} evaluations, "
        f"loss at the end: best {losses[0]:.4f}, median {np.median(losses):.4f}"
    )
    for threads, own in (one, all_cores):
        print(
            f"condens, {threads:.0f} thread(s) {own:6.3f} s, {own_evaluations} evaluations, "
            f"loss at the end: best {own_losses[0]:.4f}, median {np.median(own_losses):.4f}; "
            f"{seconds / own:.1f} x faster, by evaluation {seconds / evaluations / (own / own_evaluations):.1f} x"
        )


if __name__ == "__main__":
    main()
