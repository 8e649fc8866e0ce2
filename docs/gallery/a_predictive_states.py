"""
A few states, each with its own distribution
============================================

Larvae, juveniles and adults: what an animal weighs depends on the stage it is in, and its length and colour say which.
:class:`condens.PRESS` finds the stages from the weights alone: states of x that predict the same distribution of y.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from condens import PRESS, plot

random = np.random.default_rng(0)
n = 600
stage = random.choice(3, n, p=[0.3, 0.4, 0.3])
animals = pd.DataFrame(
    {
        "length": np.array([2.0, 4.0, 5.5])[stage] + 0.6 * random.normal(size=n),
        "colour": np.where(random.random(n) < np.array([0.9, 0.3, 0.2])[stage], "pale", "dark"),
    }
)
weight = np.array([1.0, 4.0, 9.0])[stage] + np.array([0.3, 0.8, 1.5])[stage] * random.normal(size=n)

model = PRESS(n_states=3, regularization=1e-3).fit(animals, weight)
print("mean weight in each state:", model.state_means_.ravel().round(2))
print("rows in each state:", model.state_sizes_.round())
print(f"degrees of freedom: {model.degrees_of_freedom_:.2f} of at most {model.n_states_}")

# %%
# The density of y in each state; the distribution at x is their mixture.
plot.states(model)
plt.show()

# %%
# Who is in which state: the weights of the states as the length grows.
plot.state_weights(model, animals, feature="length")
plt.show()

# %%
# Rows at a corner of the triangle are certain of their state; those along an edge could be in either.
plot.simplex(model, animals, weight)
plt.show()
