"""
Weights: rows that stand for others
===================================

A sample is often not drawn evenly: some rows were more likely to be recorded than others. When those probabilities are
known, the weights 1 / probability recover the distribution of the whole population.
"""

# %%
# To see it work, a biased sample is drawn from the geyser's record: of the waits above 70 minutes only three in ten are
# kept. Given the duration, the sample has too few long waits.
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from condens import LSCDE, plot

folders = [Path.cwd(), *Path.cwd().parents]
data = next(folder / "data" for folder in folders if (folder / "data").is_dir())
geyser = pd.read_csv(data / "geyser.csv")
probability = np.where(geyser["waiting"] > 70, 0.3, 1.0)
kept = np.random.default_rng(0).random(len(geyser)) < probability
sample, weight = geyser[kept], 1 / probability[kept]

X, y = sample[["duration"]], sample["waiting"]
models = {
    "all rows": LSCDE().fit(geyser[["duration"]], geyser["waiting"]),
    "biased sample": LSCDE().fit(X, y),
    "biased sample, weighted": LSCDE().fit(X, y, sample_weight=weight),
}

# %%
# The distribution at four minutes:
four = pd.DataFrame({"duration": [4.0]})
figure, axes = plt.subplots(layout="constrained")
for color, (name, model) in zip(["black", "tab:orange", "tab:blue"], models.items(), strict=True):
    law = model.predict_distribution(four)[0]
    plot.density(law, labels=[name], name="waiting", color=color, ax=axes)
    print(f"{name:24} P(wait <= 65 minutes) = {law.cdf(65.0):.2f}")
plt.show()

# %%
# The unweighted fit takes the short waits for the larger group. The weighted one has the proportions right, as far
# as the remaining rows can tell: with fewer long waits its upper peak is less certain, and weights do not change that.
#
# Weight 2 is the same as a row given twice. With widths, regulariser and centres given, nothing is left to chance, and
# the two fits agree:
fixed = {"bandwidth": 0.3, "bandwidth_y": 0.3, "regularization": 0.1, "centers": geyser[::10].to_numpy()}
twice = np.where(np.arange(len(geyser)) % 3 == 0, 2, 1)
repeated = geyser.loc[geyser.index.repeat(twice)]
weighted_law, repeated_law = (
    LSCDE(**fixed).fit(geyser[["duration"]], geyser["waiting"], sample_weight=twice).predict_distribution(four),
    LSCDE(**fixed).fit(repeated[["duration"]], repeated["waiting"]).predict_distribution(four),
)
print("largest difference of densities", np.abs(weighted_law.pdf(y) - repeated_law.pdf(y)).max())
