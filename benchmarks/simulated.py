"""Mixed data with two branches, for benchmarks: ten inputs, of which four matter.

Two inputs are categories of eight levels; y lies about one of two branches, with a spread that changes.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import special, stats


def branches(rows, seed):
    """Inputs as numbers, targets, and the truth: the lower branch and the spread about both."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 10))
    X[:, 2:4] = random.integers(8, size=(rows, 2))
    mean = np.sin(2 * X[:, 0]) + (X[:, 1] > 0.5) + 0.4 * ((5 * X[:, 2]) % 8)
    scale = 0.2 * np.exp(0.4 * X[:, 4])
    y = mean + 1.5 * (random.random(rows) < 0.3) + scale * random.normal(size=rows)
    return X, y, Branches(mean, scale)


class Branches:
    """Distributions of y: 0.7 N(mean, scale^2) + 0.3 N(mean + 1.5, scale^2)."""

    def __init__(self, mean, scale):
        self.mean, self.scale = mean, scale

    def logpdf(self, y):
        """Log density."""
        both = np.stack([stats.norm.logpdf(y, self.mean + by, self.scale) for by in (0, 1.5)])
        return special.logsumexp(both, axis=0, b=[[0.7], [0.3]])


def frame(X):
    """The inputs with their categories by name."""
    table = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    return table.astype({"x2": int, "x3": int}).astype({"x2": "category", "x3": "category"})
