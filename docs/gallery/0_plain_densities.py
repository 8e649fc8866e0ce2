"""
Densities without inputs
========================

A density is a law without inputs: the same object, files and pictures. Fitted without a target,
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
# The smallest regions of half and of nine tenths of the probability, and where the kernels sit.
plot.joint(reduced, geyser, means=True)
plt.show()

# %%
# Every column alone and every two of them together.
plot.pairs(mixture, geyser)
plt.show()

# %%
# With a target the same density is conditioned on the inputs, exactly.
conditional = GMM().fit(geyser[["duration"]], geyser["waiting"])
plot.density_map(conditional, geyser[["duration"]], geyser["waiting"])
plt.show()
