"""
Claims: often zero, never below, and an interval that keeps its promise
=======================================================================

Most policies have no claim, and those that have one cost anything from a dent to a wreck. A density of any real number
expects costs below zero, and smears the zeros. ``target_kind`` says what the target is.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from condens import BoostedDensity, plot

random = np.random.default_rng(0)
age = random.uniform(18, 80, 3000)
claims = random.uniform(size=age.size) < 0.1 + 0.3 * np.exp(-(age - 18) / 12)
cost = np.where(claims, np.exp(5 + 0.03 * age + 0.7 * random.normal(size=age.size)), 0.0)
X = age[:, None]

# %%
# Zeros are an atom, with a probability that follows the age; what is above zero has a density. ``auto`` finds out:
model = BoostedDensity(target_kind="auto").fit(X, cost)
young, old = model.predict_distribution([[20.0], [60.0]])
print(young)
print(f"no claim: {young.mass_at(0):.2f} at 20, {old.mass_at(0):.2f} at 60")
print(f"mean cost: {young.mean():.0f} and {old.mean():.0f}")
print(f"the cost that is exceeded once in a hundred years: {young.ppf(0.99):.0f} and {old.ppf(0.99):.0f}")

# %%
# Bars are the probabilities of the atom, the curves the density beside it:
plot.slices(model, [[20.0], [40.0], [60.0]], y_grid=np.linspace(-100, 5000, 500))
plt.show()

# %%
# An interval that keeps its promise
# ----------------------------------
# With ``conformal`` a quarter of the rows is left out of the fit, and says how wide the interval must be. It holds the
# cost of 90 % of new policies or more, whatever the model, but for the chance of which rows were left out:
safe = BoostedDensity(target_kind="auto", conformal=True).fit(X[:1500], cost[:1500])
low, high = safe.predict_interval(X[1500:], 0.9).T
inside = (cost[1500:] >= low) & (cost[1500:] <= high)
print(f"{inside.mean():.3f} of {inside.size} new policies")
