"""What linear combinations of features are good for: a function of a rotated space, with and without them.

`baseline` is multi-gene genetic programming on plain columns; `UB` has linear combinations tuned by gradient.
"""

import numpy as np

from multigene import MultigeneRegressor

rng = np.random.default_rng(0)
X = rng.uniform(-2, 2, size=(400, 3))
X_test = rng.uniform(-2, 2, size=(400, 3))
direction = np.array([0.6, -0.8, 0.5])


def law(X):
    """A wave along one direction of the space."""
    return np.sin(2 * X @ direction)


for codename in ("baseline", "UB"):
    model = MultigeneRegressor(codename, generations=60, random_state=0).fit(X, law(X))
    r2 = model.score(X_test, law(X_test))
    print(f"{codename:9} test R² {r2:.4f}, {model.lcf_share_:.0%} of leaves are LCFs")
print(model.transformations_.round(3))
