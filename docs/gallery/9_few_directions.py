"""
The few directions that matter
==============================

Ten inputs, and the distribution of y depends on one linear combination of three of them, along which y has two
branches. :class:`condens.LSCE` finds the direction and the density given it together, and chooses the number of
directions on held-out rows.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from condens import LSCE, plot

random = np.random.default_rng(1)
X = random.normal(size=(400, 10))
direction = np.array([1.0, 1.0, -1.0, 0, 0, 0, 0, 0, 0, 0]) / np.sqrt(3)
z = X @ direction
y = np.where(random.random(400) < 0.5, z, -z) + 0.2 * random.normal(size=400)

model = LSCE(n_components=[1, 2], n_jobs=-1).fit(X, y)
print("directions:", model.n_components_)
print("loadings:", model.components_.round(2))

# %%
# The angle between the direction that was found and the planted one, in degrees.
found = model.components_[0] / X.std(axis=0)
cosine = abs(found @ direction) / np.linalg.norm(found)
print(f"angle: {np.degrees(np.arccos(min(cosine, 1.0))):.1f} degrees")

# %%
# The sufficient-summary plot: all that the inputs say about y is in one coordinate.
plot.sufficient_summary(model, X, y)
plt.show()
