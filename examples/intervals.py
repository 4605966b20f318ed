"""How certain is a prediction? Intervals, and the numbers of the formula with their standard errors."""

import numpy as np

from multigene import MultigeneRegressor

rng = np.random.default_rng(0)
X = rng.uniform(0, 4, size=(300, 2))
y = 3 * np.sin(X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=300)

model = MultigeneRegressor(time_limit=3, random_state=0).fit(X, y)
print(model)
print(model.parameters_)

X_new = rng.uniform(0, 4, size=(1000, 2))
y_new = 3 * np.sin(X_new[:, 0]) + X_new[:, 1] + 0.3 * rng.normal(size=1000)
_, lower, upper = model.predict(X_new, interval=0.95)
print(f"{np.mean((lower <= y_new) & (y_new <= upper)):.1%} of new rows lie within their 95 % interval")
