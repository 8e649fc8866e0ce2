"""
A spread that changes: the motorcycle
=====================================

The head of a dummy in a simulated crash is accelerated, hard, and swings back. Both the mean and the spread change
within milliseconds, so that an interval of one width is too wide in one place and too narrow in another.
"""

# %%
# The default candidates are meant for most data. Here the smallest width in x wins, and `fit` says so in a warning; a
# list that reaches further down settles it.
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import KFold

from condens import LSCDE, plot

folders = [Path.cwd(), *Path.cwd().parents]
data = next(folder / "data" for folder in folders if (folder / "data").is_dir())
crash = pd.read_csv(data / "mcycle.csv")
X, y = crash[["times"]], crash["accel"]
model = LSCDE(bandwidth=np.geomspace(0.02, 1, 8)).fit(X, y)
print(f"widths, in standard deviations: {model.bandwidth_:.3f} in x, {model.bandwidth_y_:.3f} in y")

plot.interval_fan(model, X, y)
plt.show()

# %%
# The fan opens where the records scatter and narrows again at the end. Before the impact shows, up to some 14
# milliseconds, it is far too wide. The reason is in the model: the width of its kernels in y is one number for
# all x, a compromise between the quiet beginning and the swing, and no predicted distribution can be narrower.
still = crash["times"] < 14
std = model.predict_distribution(X).std()
print(f"before 14 ms: spread of the data {y[still].std():.1f} g, of the predictions {std[still].mean():.1f} g")
print(f"kernel width: {model.bandwidth_y_ * y.std():.1f} g")

# %%
# So read this fan from 14 milliseconds on. Coverage shows such a fault only where one looks for it: over all rows the
# 90 % intervals hold what they should, in the quiet beginning they hold everything. Each row is judged by a model
# fitted without it.
chosen = LSCDE(bandwidth=model.bandwidth_, bandwidth_y=model.bandwidth_y_, regularization=model.regularization_)
inside = pd.Series(False, index=y.index)
for train, test in KFold(10, shuffle=True, random_state=0).split(X):
    lower, upper = chosen.fit(X.iloc[train], y.iloc[train]).predict_interval(X.iloc[test], 0.9).T
    inside.iloc[test] = (lower <= y.iloc[test]) & (y.iloc[test] <= upper)
for name, rows in {"all rows": still | ~still, "before 14 ms": still, "later": ~still}.items():
    print(f"{name:12} coverage of 90 % intervals {inside[rows].mean():.2f} ({rows.sum()} rows)")
