"""
Two outputs jointly: heating and cooling
========================================

Buildings that need much heating also need much cooling, since both follow from size and glass. Whoever plans one plant
for both needs the joint distribution: two marginal distributions cannot say how likely it is that both loads are high.
"""

# %%
# Only the compactness of the building is given, as early in a design; height, orientation and windows are still open.
# It has only twelve values, so the width in x and the regulariser are set; the width in y is chosen by
# cross-validation.
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from condens import LSCDE, plot

folders = [Path.cwd(), *Path.cwd().parents]
data = next(folder / "data" for folder in folders if (folder / "data").is_dir())
energy = pd.read_csv(data / "energy.csv")
inputs, targets = ["compactness"], ["heating", "cooling"]
train, test = train_test_split(energy, test_size=1 / 3, random_state=0)

widths = {"bandwidth": 0.05, "regularization": 0.1}
joint = LSCDE(**widths).fit(train[inputs], train[targets])

# %%
# A distribution of two targets is drawn as contours: regions of highest density that hold a quarter, half and 90 % of
# the draws.
compactness = 0.76
law = joint.predict_distribution(pd.DataFrame({"compactness": [compactness]}))[0]
heating, cooling = np.meshgrid(np.linspace(20, 50, 120), np.linspace(25, 50, 120))
density = law.pdf(np.stack([heating, cooling], axis=-1))
draws = law.rvs(20_000, random_state=0)
levels = np.quantile(law.pdf(draws), [0.1, 0.5, 0.75])  # of the regions of 90 %, 50 % and 25 %

figure, axes = plt.subplots(layout="constrained")
axes.contourf(heating, cooling, density, [*levels, density.max()], cmap="Blues")
rows = energy[energy["compactness"] == compactness]
axes.scatter(rows["heating"], rows["cooling"], s=12, color="black")
axes.set(xlabel="heating", ylabel="cooling")
plt.show()

# %%
# The points are all buildings of this compactness, held-out ones included. They lie in tighter groups than the
# contours: one width in y serves both loads and all buildings, and cannot follow groups of four. What the
# distribution does have is the tilt: at this compactness a building with high heating load has a high cooling load.
covariance = law.cov()
print("correlation", (covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])).round(2))

# %%
# What that is worth: the probability that both loads are in their upper fifth, from draws of the joint
# distribution, and as if they were independent.
high = draws > np.array([law.marginal(j).ppf(0.8) for j in range(2)])
print("both high, jointly   ", high.all(axis=1).mean().round(3))
print("both high, separately", high.mean(axis=0).prod().round(3))

# %%
# Marginals are distributions of one target, with quantiles and intervals of their own.
plot.slices(joint, pd.DataFrame({"compactness": [0.64, 0.76, 0.9]}), target=0)
plt.show()

# %%
# Does the joint model also predict better? Log densities of held-out buildings answer that; both sides see the same
# rows, so that their differences have a standard error.
separate = [LSCDE(**widths).fit(train[inputs], train[target]) for target in targets]
gain = joint.log_density(test[inputs], test[targets]) - sum(
    model.log_density(test[inputs], test[target]) for model, target in zip(separate, targets, strict=True)
)
print(f"gain of the joint model: {gain.mean():.2f} +- {gain.std(ddof=1) / np.sqrt(len(gain)):.2f} nats per building")

# %%
# The energy score, the CRPS of several targets, is hardly sensitive to dependence, and needs many rows to show a
# difference:
laws = joint.predict_distribution(test[inputs])
print(f"energy score {laws.energy_score(test[targets]).mean():.2f} kWh per square metre")
