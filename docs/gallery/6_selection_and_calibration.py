"""
Is the distribution right? Selection and calibration
====================================================

A predicted distribution is judged by outcomes: of many 80 % intervals about 80 % should hold the outcome, and no width
should make held-out rows much more likely than the one that was chosen.
"""

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import train_test_split

from condens import LSCDE, metrics, plot

folders = [Path.cwd(), *Path.cwd().parents]
data = next(folder / "data" for folder in folders if (folder / "data").is_dir())
geyser = pd.read_csv(data / "geyser.csv")
X, X_test, y, y_test = train_test_split(geyser[["duration"]], geyser["waiting"], test_size=0.5, random_state=0)
model = LSCDE().fit(X, y)

# %%
# Selection
# ---------
# Every combination of widths and regularisers was scored by cross-validation. The surface shows whether the choice is
# well inside the candidates, and how much it matters:
plot.tuning(model)
plt.show()

# %%
# The best is inside. Around it lies a plateau of choices within one standard error, so the exact values should not be
# overinterpreted:
results = pd.DataFrame(model.cv_results_).sort_values("rank_test_score")
best = results.iloc[0]
close = results["mean_test_score"] >= best["mean_test_score"] - best["standard_error_test_score"]
print(f"{close.sum()} of {len(results)} candidates are within one standard error of the best")

# %%
# Calibration
# -----------
# The probability integral transform (PIT), the predicted distribution function at the outcome, is uniform when the
# predictions are right.
plot.pit_histogram(model, X_test, y_test)
plt.show()

# %%
# The bars rise from left to right: the waits of the test half are longer, rather than shorter, than predicted,
# and few are in the lowest tenth. An average over all x cannot say where.
plot.coverage(model, X_test, y_test)
plt.show()

# %%
# Wide intervals hold somewhat more than they should: kernels blur, and the distributions are a little too broad. With
# 150 rows some deviation is chance. The table has standard errors, and the p-value says how rarely correct predictions
# would give PIT values as uneven as these:
scores = metrics.score_table(model, X_test, y_test)
target = scores["targets"][0]
print(pd.DataFrame([{"level": row["level"], **row["central"]} for row in target["coverage"]]).round(3).to_string())
print("Kolmogorov-Smirnov p", round(target["kolmogorov_smirnov"]["p_value"], 3))

# %%
# A worse model, for comparison
# -----------------------------
# With three times the width in y the same pictures show it at once: the histogram has a hump, the curve of coverage
# lies far above the diagonal, and the log likelihood falls.
wide = LSCDE(bandwidth=model.bandwidth_, bandwidth_y=3 * model.bandwidth_y_, regularization=model.regularization_)
wide.fit(X, y)
plot.pit_histogram(wide, X_test, y_test)
plt.show()

# %%
plot.coverage(wide, X_test, y_test)
plt.show()

# %%
for name, fitted in {"chosen": model, "too wide": wide}.items():
    print(f"{name:9} mean log density {metrics.log_likelihood_scorer(fitted, X_test, y_test):.3f}")
