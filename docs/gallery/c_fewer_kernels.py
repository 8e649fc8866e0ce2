"""
A hundred thousand kernels in fifty
===================================

A Parzen window keeps every row. :class:`condens.GSKD` and :class:`condens.GMM` give nearly the same density with a
few Gaussians, which take almost no time to evaluate and to sample from. Here are two noisy rings of 100,000 points.
"""

# %%
import time
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from condens import GMM, GSKD, FitWarning, Parzen, plot

warnings.simplefilter("ignore", FitWarning)  # GSKD says that more than fifty kernels would come nearer
random = np.random.default_rng(1)


def rings(n):
    """Four tenths of the points on the inner ring."""
    radius = np.where(random.random(n) < 0.4, 1.0, 2.0) + 0.12 * random.normal(size=n)
    angle = 2 * np.pi * random.random(n)
    return pd.DataFrame({"a": radius * np.cos(angle), "b": radius * np.sin(angle)})


points, others = rings(100_000), rings(2_000)
window = Parzen().fit(points)
by_window = np.exp(window.score_samples(others))

models = {
    "window": window,
    "GSKD, 50 kernels": GSKD(max_kernels=50, selection="stop", target="paper", polish="em", covariance="full"),
    "GMM, 50 components": GMM(n_components=50),
}
titles = {"window": "Parzen window, 100,000 kernels"}
for name, model in list(models.items())[1:]:
    begin = time.perf_counter()
    model.fit(points)
    seconds = time.perf_counter() - begin
    distance = np.abs(np.exp(model.score_samples(others)) - by_window).mean() / by_window.mean()
    titles[name] = f"{name}: {100 * distance:.0f} % off"
    print(f"{name}: fitted in {seconds:.1f} s; mean distance to the window at new points {100 * distance:.1f} %")

# %%
# The densities, with the edges of the smallest regions that hold half (line) and nine tenths (dashes) of the points,
# and the means of the kernels. GSKD places them one by one, then both models fit them by expectation maximisation; with
# any covariance they lie along the rings.
figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), sharex=True, sharey=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    plot.joint(model, others, points=False, means=name != "window", colorbar=False, ax=ax)
    ax.get_legend().remove()
    ax.set_title(titles[name])
    ax.set_aspect("equal")
figure.tight_layout()
plt.show()
