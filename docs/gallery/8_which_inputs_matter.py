"""
Which inputs matter
===================

Five hundred patients, three hundred markers, of which four affect the distribution of the outcome: two its mean, one
the share of a second branch, one its spread. :class:`condens.SACDE` selects inputs and estimates the density in one
convex problem, solved to a certified accuracy along a path of falling penalties.
"""

# %%
import time

import matplotlib.pyplot as plt
import numpy as np

from condens import SACDE, plot

random = np.random.default_rng(0)
X = random.binomial(2, 0.3, size=(500, 300)).astype(float)  # copies of the rarer allele: 0, 1 or 2
branch = random.random(500) < 0.15 + 0.25 * X[:, 40]
y = X[:, 3] - X[:, 17] + 3.0 * branch + (0.5 + 0.4 * X[:, 200]) * random.normal(size=500)

begin = time.perf_counter()
model = SACDE(bandwidth=1.0, bandwidth_y=0.3, n_jobs=-1).fit(X, y)  # the penalty is chosen
print(f"fitted in {time.perf_counter() - begin:.0f} s")
print("selected columns:", model.get_support(indices=True))
print("certificate:", model.report_["details"]["certificate"])

# %%
# Columns 3, 17 and 40 were planted. Column 200, which affects the spread alone, is not detected at this sample
# size, and some others come along: the penalty that predicts best is smaller than the one that would leave only
# the truth. The path shows the difference at a glance. The dashed line is the penalty that cross-validation chose.
plot.path(model)
plt.show()

# %%
# How important each input is, and in which share of random half-samples it is selected again: those that were planted
# nearly always are, those selected by chance are not.
again = SACDE(bandwidth=1.0, bandwidth_y=0.3, stability_resamples=20, n_jobs=-1).fit(X, y)
plot.importances(again, top=10)
plt.show()
