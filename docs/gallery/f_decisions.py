"""
Decisions: how much to order, what to hold in reserve, what to look at twice
============================================================================

A decision needs the distribution, not its mean: what is ordered is a quantile, what is held in reserve a tail, and what
is looked at twice lies where hardly anything was to be expected.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from scipy import stats

from condens import BoostedDensity, NadarayaWatson, lag_table

random = np.random.default_rng(2)
n = 2000
temperature = random.uniform(5, 35, n)
weekend = random.random(n) < 2 / 7
mean = np.exp(2 + 0.06 * temperature + 0.3 * weekend)
sales = random.negative_binomial(3, 3 / (3 + mean)).astype(float)
X = np.column_stack([temperature, weekend])

# %%
# The newsvendor
# --------------
# An ice cream sold earns 2, one left over costs 1. The best order is the quantile at 2 / (2 + 1) of the day's sales
# (Arrow, Harris and Marschak 1951), which is no fixed number above their mean:
price, waste = 2.0, 1.0
model = BoostedDensity(target_kind="count").fit(X[:1500], sales[:1500])
days, sold = X[1500:], sales[1500:]
order = model.predict_quantiles(days, [price / (price + waste)])[:, 0]


def profit(ordered):
    """Mean over the new days."""
    return np.mean(price * np.minimum(ordered, sold) - waste * np.maximum(ordered - sold, 0))


by_mean = profit(np.round(model.predict(days)))
print(f"profit a day: {profit(order):.1f} by the quantile, {by_mean:.1f} by the mean")
assert profit(order) > by_mean

# %%
# Value at risk and expected shortfall
# ------------------------------------
# Of daily returns given the day before, the loss that is exceeded on one day in twenty, and its mean beyond. The helper
# makes the table of lags; models are then fitted to the past, and judged by what came after.
returns = np.zeros(1500)
for t in range(1, returns.size):
    returns[t] = np.sqrt(0.1 + 0.6 * returns[t - 1] ** 2) * random.normal()
past, now = lag_table(returns, lags=1)
risk = NadarayaWatson().fit(past[:1000], now[:1000])
distributions = risk.predict_distribution(past[1000:])
value_at_risk = -distributions.ppf(0.05)
exceeded = now[1000:] < -value_at_risk
print(f"exceeded on {exceeded.mean():.3f} of the days; 0.05 was meant")
assert 0.02 < exceeded.mean() < 0.09
calm, wild = risk.predict_distribution([[0.0], [1.5]])
for name, day in (("calm", calm), ("wild", wild)):
    print(f"after a {name} day: value at risk {-day.ppf(0.05):.2f}, shortfall {-day.expected_shortfall(0.05):.2f}")

# %%
# Anomalies
# ---------
# How unusual is a new row? The probability of a value no more likely than the one that came, 1 - the mass of the
# smallest region that reaches it, is a p-value: uniform where nothing is wrong.
laws = model.predict_distribution(days)
p_value = 1 - laws.hdr_mass(sold)
suspect = model.predict_distribution([[12.0, 0.0]]).hdr_mass(150.0)
print(f"150 sold on a cold working day: p = {1 - suspect.item():.4f}")
assert 1 - suspect.item() < 0.01

# %%
# Drift
# -----
# The place of each new value in its distribution (PIT) is uniform as long as the model holds. Here people begin to like
# ice cream half as much again, and a test of the last 100 days tells it within a few weeks:
later = np.where(np.arange(sold.size) < 250, sold, np.round(1.5 * sold))
pit = laws.pit(later)
days_seen = np.arange(100, later.size, 10)
p_drift = [stats.kstest(pit[end - 100 : end], "uniform").pvalue for end in days_seen]
plt.semilogy(days_seen, p_drift, marker="o")
plt.axvline(250, color="k", linestyle="--", label="taste changes")
plt.axhline(1e-3, color="r", label="alarm")
plt.xlabel("day")
plt.ylabel("p of the last 100 days")
plt.legend()
plt.show()
first = days_seen[np.array(p_drift) < 1e-3].min()
print(f"alarm on day {first}; the taste changed on day 250")
assert 250 < first < 350

# %%
# Simulation
# ----------
# Draws from the distribution of the next value, each given the one before, are paths of the series; of many, whatever
# is asked can be counted, as how often a return below -1 comes within twenty days.
paths = np.zeros((500, 21))
for t in range(20):
    paths[:, t + 1] = risk.predict_distribution(paths[:, t : t + 1]).rvs(random_state=t)
print(f"a return below -1 within twenty days: {np.mean(paths.min(axis=1) < -1):.2f}")
plt.plot(paths[:20].T, color="C0", alpha=0.4)
plt.xlabel("day")
plt.ylabel("return")
plt.show()
