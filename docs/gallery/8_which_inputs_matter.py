"""
Which inputs matter
===================

Five hundred patients, two thousand markers, of which five move the law of the outcome: two its mean, one its spread,
two the share of a second branch. :class:`condens.SACDE` selects inputs and estimates the law in one convex problem,
solved to a certified accuracy, along a path of falling penalties.
"""

# %%
import time

import matplotlib.pyplot as plt
import numpy as np

from condens import SACDE, plot

random = np.random.default_rng(0)
X = random.binomial(2, 0.3, size=(500, 2000)).astype(float)  # copies of the rarer allele: 0, 1 or 2
branch = random.random(500) < 0.15 + 0.25 * X[:, 40]
y = X[:, 3] - X[:, 17] + 3.0 * branch + (0.5 + 0.4 * X[:, 900]) * random.normal(size=500)

begin = time.perf_counter()
model = SACDE(n_jobs=-1).fit(X, y)
print(f"fitted in {time.perf_counter() - begin:.0f} s")
print("selected columns:", model.get_support(indices=True))
print("certificate:", model.report_["details"]["certificate"])

# %%
# Markers enter as the penalty falls. Those that matter enter first and grow; the dashed line is the penalty that
# cross-validation chose.
plot.path(model)
plt.show()

# %%
# How strongly, next to each other.
plot.importances(model, top=8)
plt.show()
