"""
Which model suits your data?
============================

Every model on the same random halves, scored on the other halves: :func:`condens.compare` prints a leaderboard with
standard errors and a paired test against the best. Here y has one peak for small x and two for large x, which a
Gaussian around a curve cannot express.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

import condens

random = np.random.default_rng(1)
X = random.uniform(0, 1, size=(300, 2))
y = np.where(random.random(300) < 0.5, 1.0, -1.0) * X[:, 0] + 0.15 * random.normal(size=300)

board = condens.compare(X, y, ["lscde", "nw", "gp", "mdn"], repeats=5, n_jobs=-1)
print(board)

# %%
# Small dots are single splits, minus the best model on the same split: what is hard for both in a split cancels.
board.plot()
plt.show()

# %%
# The estimator to fit to all rows is the one in the first row.
print(board.to_frame()[["nll", "nll_behind", "nll_p", "best"]])
