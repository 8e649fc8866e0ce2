"""
Two peaks: the geyser
=====================

How long does one wait for an eruption of Old Faithful, given how long that eruption will last? Regression answers with
one number. For short eruptions that is a fair summary; for eruptions of four minutes the waits fall into two groups,
and a number between them describes neither.
"""

# %%
# A bandwidth in x, one in y and a regulariser are chosen by cross-validation.
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from condens import LSCDE, plot

folders = [Path.cwd(), *Path.cwd().parents]
data = next(folder / "data" for folder in folders if (folder / "data").is_dir())
geyser = pd.read_csv(data / "geyser.csv")
X, y = geyser[["duration"]], geyser["waiting"]
model = LSCDE().fit(X, y)

plot.density_map(model, X, y)
plt.show()

# %%
# Every column of the picture is a density. Below three minutes there is one branch, above it a second one splits off.
# The columns of eruptions of exactly 2 and exactly 4 minutes are no property of the geyser: at night durations were
# recorded as short, medium or long.
#
# The distribution at four minutes has two modes, and its mean lies between them, where the density is a fraction of
# theirs:
law = model.predict_distribution(pd.DataFrame({"duration": [4.0]}))[0]
print("mean  ", law.mean().round(1), "minutes, density there", law.pdf(law.mean()).round(4))
print("modes ", law.modes().round(1), "minutes, density there", law.pdf(law.modes()).round(4))

# %%
# A central interval has to span the gap. The highest density region, the smallest set with the same probability,
# leaves it out:
print("central interval", np.round(law.interval(0.8), 1))
print("highest density ", law.hdr(0.8).round(1).tolist())

plot.hdr_bands(model, X, y)
plt.show()

# %%
# The same as densities at four durations:
plot.slices(model, pd.DataFrame({"duration": [2.0, 3.0, 4.0, 5.0]}))
plt.show()
