"""
Categories: birth weight
========================

Text columns need no preparation: a data frame is passed as it is, and the fitted model knows the categories and refuses
others. The question of this data set is a probability, not a mean: how likely is a weight below 2500 grams?
"""

# %%
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import KFold, cross_val_score

from condens import LSCDE, FitWarning, metrics, plot

folders = [Path.cwd(), *Path.cwd().parents]
data = next(folder / "data" for folder in folders if (folder / "data").is_dir())
births = pd.read_csv(data / "birthwt.csv")
X, y = births[["age", "mother_weight", "race", "smoke"]], births["birth_weight"]
model = LSCDE().fit(X, y)

mothers = pd.DataFrame({"age": 25, "mother_weight": 130, "race": "white", "smoke": ["no", "yes"]})
laws = model.predict_distribution(mothers)
plot.density(laws, labels=["does not smoke", "smokes"], name="birth weight, grams")
plt.show()

# %%
# The distribution for smokers is not just shifted. What matters is the lower tail, which cdf gives directly:
for smoke, probability in zip(mothers["smoke"], laws.cdf(2500.0), strict=True):
    print(f"smoke = {smoke:3}  P(weight < 2500 g) = {probability:.2f}")

# %%
# These are associations among 189 births in one hospital, not effects of smoking. How much do these inputs tell us at
# all? The CRPS of held-out births, in grams, against the distribution that ignores every input. In some folds the
# largest regulariser wins, and fit warns of it; where inputs tell little, that is to be expected.
warnings.simplefilter("ignore", FitWarning)
folds = KFold(5, shuffle=True, random_state=0)  # the rows are sorted by weight
given = -cross_val_score(model, X, y, scoring=metrics.crps_scorer, cv=folds)
nothing = np.zeros((len(y), 1))
blind = -cross_val_score(model, nothing, y, scoring=metrics.crps_scorer, cv=folds)
print(f"CRPS with inputs {given.mean():.0f} g, without {blind.mean():.0f} g; by fold: {(blind - given).round()}")

# %%
# A little. Most of what decides a birth weight is not among these columns, and wide distributions are the honest
# answer.
