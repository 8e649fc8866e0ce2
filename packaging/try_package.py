"""Fits and predicts with the installed package: what a wheel must do where nothing else is."""

import sys
import warnings

import numpy as np

import condens

rng = np.random.default_rng(0)
x = rng.uniform(0, 6, (300, 1))
y = np.sin(x[:, 0]) + 0.1 * rng.standard_normal(300)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", condens.FitWarning)
    model = condens.LSCDE().fit(x, y)
low, middle, high = model.predict_quantiles([[np.pi / 2]], [0.05, 0.5, 0.95])[0]
assert low < middle < high, (low, middle, high)
assert abs(middle - 1) < 0.2, middle
levels = ", ".join(condens._levels.available_levels())
print(f"condens {condens.__version__} in Python {sys.version.split()[0]}; levels {levels}; median {middle:.3f}")
