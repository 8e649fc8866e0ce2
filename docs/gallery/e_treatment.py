"""
A treatment in doses: propensity scores, weights and balance
============================================================

Who gets more of a treatment is not who gets less: older patients may get higher doses, and fare worse for their age.
The density of the dose given the covariates, the generalized propensity score (Hirano and Imbens 2004), tells how
usual a dose was for a patient. Weights by it make the covariates balanced over doses (Robins, Hernan and Brumback
2000), and the weighted rows show what the dose does.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from condens import GMM
from condens.causal import stabilized_weights

random = np.random.default_rng(1)
n = 1500
age = random.normal(60, 10, n)
severity = random.gamma(2, 1, n)
z_age, z_severity = (age - 60) / 10, (severity - 2) / np.sqrt(2)
dose = 3 + 0.3 * z_age + 0.25 * z_severity + np.where(random.random(n) < 0.3, 1.5, 0.0) + 0.6 * random.normal(size=n)
outcome = 10 + 1.0 * dose - 2.5 * z_age - 1.5 * z_severity + random.normal(size=n)  # one unit of dose adds one
X = np.column_stack([age, severity])

# %%
# Taken as they are, the rows say that the treatment does harm:
plain = np.polyfit(dose, outcome, 1)[0]
print(f"slope of the outcome over the dose: {plain:.2f}; the truth is 1")

# %%
# The score is a density of the dose with two peaks and a mean that moves: no normal distribution, which is what most
# programs for this purpose assume. Stabilized weights are p(dose) / p(dose | covariates), both by models that have not
# seen the patient.
found = stabilized_weights(GMM(), X, dose)
weight = found.weights
print(f"weights from {weight.min():.2f} to {weight.max():.2f}; worth {found.effective_rows:.0f} rows of {n}")

# %%
# The balance table: correlations of the covariates with the dose, before and after. Below 0.1 is the usual bound.
for name, (before, after) in zip(("age", "severity"), found.balance(X, dose), strict=True):
    print(f"{name:10s} {before:6.2f} before, {after:6.2f} after")
    assert abs(after) < 0.1 < abs(before)

# %%
# What the dose does:
slope = np.polyfit(dose, outcome, 1, w=np.sqrt(weight))[0]
print(f"weighted slope: {slope:.2f}; the truth is 1")
assert abs(slope - 1) < 0.3 < abs(plain - 1)

grid = np.linspace(*np.quantile(dose, [0.05, 0.95]), 50)
kernels = np.exp(-0.5 * ((grid[:, None] - dose) / 0.3) ** 2)
for weights, label in ((np.ones(n), "rows as they are"), (weight, "weighted")):
    plt.plot(grid, kernels @ (weights * outcome) / (kernels @ weights), label=label)
plt.plot(grid, 10 + grid, "k--", label="truth")
plt.xlabel("dose")
plt.ylabel("mean outcome")
plt.legend()
plt.show()
