"""From rows to a formula: the shortest way."""

import numpy as np

from multigene import MultigeneRegressor

rng = np.random.default_rng(0)
X = rng.uniform(-3, 3, size=(300, 2))
y = 1.5 * np.sin(X[:, 0] + 2 * X[:, 1]) + X[:, 0] ** 2

model = MultigeneRegressor(time_limit=3, random_state=0).fit(X, y)
print(model)
print(model.equations_[["complexity", "r2", "formula"]])
