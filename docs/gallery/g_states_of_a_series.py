"""
States of a time series
=======================

What comes next depends on what came before only through the *predictive state*: pasts that predict the same future are
one state (Shalizi and Crutchfield 2001; Goerg and Shalizi 2013). :class:`condens.PRESS` on lagged values finds a few
such states, and their sequence is a Markov chain. The series is the wait before each eruption of Old Faithful, in the
order of time; the length of the eruption before is known, too.
"""

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import TimeSeriesSplit, cross_val_score

from condens import PRESS, lag_table, metrics, plot, time_folds, transition_matrix

folders = [Path.cwd(), *Path.cwd().parents]
data = next(folder / "data" for folder in folders if (folder / "data").is_dir())
geyser = pd.read_csv(data / "geyser.csv")
waits = geyser["waiting"].to_numpy()
before = geyser["duration"].shift(1, fill_value=geyser["duration"].median()).to_frame()

# %%
# How far back to look? Every model is fitted to the past and scored, by the mean log density, on what comes after it.
for lags in (1, 2, 3):
    X, y = lag_table(waits, lags, X=before)
    model = PRESS(n_states=[1, 2, 3, 4], regularization=0.01)
    scores = cross_val_score(
        model, X, y, cv=TimeSeriesSplit(4), scoring=metrics.log_likelihood_scorer, error_score="raise"
    )
    print(f"{lags} waits before: {scores.mean():.3f} ± {scores.std(ddof=1) / np.sqrt(len(scores)):.3f}")

# %%
# One wait is enough beside the last eruption. The number of states is chosen on blocks of neighbours that are left out
# whole, as rows next to each other are alike.
X, y = lag_table(waits, 1, X=before)
inputs = pd.DataFrame(X, columns=["last wait", "last duration"])
model = PRESS(n_states=[1, 2, 3, 4], regularization=0.01, cv=time_folds(len(y))).fit(inputs, y)
print("states:", model.n_states_)
print("mean wait in each:", model.state_means_.ravel().round(1))
print("inputs in each:", model.state_inputs_.round(2).tolist())
print("an example of each:", inputs.iloc[model.representative_rows(inputs)[:, 0]].to_numpy().tolist())

# %%
# What a wait is like in each state.
plot.states(model)
plt.show()

# %%
# The states as a chain: after each state, the chances of the next.
weights = model.state_weights(inputs)
plot.transitions(model, inputs)
plt.show()

# %%
# Is it a Markov chain? Then two steps are one step twice, and the shares of the states are those that the chain keeps.
once, twice = transition_matrix(weights), transition_matrix(weights, 2)
print("largest difference of two steps from one step twice:", np.abs(twice - once @ once).max().round(3))
values, vectors = np.linalg.eig(once.T)
kept = np.real(vectors[:, np.argmax(np.real(values))])
print("shares of the rows:", (model.state_sizes_ / len(y)).round(3), "kept by the chain:", (kept / kept.sum()).round(3))
