"""
Densities without inputs
========================

A plain density is a distribution without inputs: the same object, files and pictures. Fitted without a target,
:class:`condens.Parzen`, :class:`condens.GSKD`, :class:`condens.RSDE`, :class:`condens.SKD` and :class:`condens.GMM`
estimate the density of the columns of X, with the methods of scikit-learn's density estimators.
"""

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from condens import GMM, RSDE, Parzen, plot

folders = [Path.cwd(), *Path.cwd().parents]
data = next(folder / "data" for folder in folders if (folder / "data").is_dir())
geyser = pd.read_csv(data / "geyser.csv")

window = Parzen().fit(geyser)  # a kernel at every row
reduced = RSDE().fit(geyser)  # a few of them
mixture = GMM().fit(geyser)  # any covariances
for model in (window, reduced, mixture):
    print(f"{type(model).__name__}: {model.n_kernels_} kernels, mean log density {model.score(geyser):.3f}")

# %%
# The smallest regions that hold half and nine tenths of the probability, and the centres of the kernels.
plot.joint(reduced, geyser, means=True)
plt.show()

# %%
# Every column by itself and every pair of columns.
plot.pairs(mixture, geyser)
plt.show()

# %%
# With a target, the density is conditioned on the inputs, exactly.
conditional = GMM().fit(geyser[["duration"]], geyser["waiting"])
plot.density_map(conditional, geyser[["duration"]], geyser["waiting"])
plt.show()
