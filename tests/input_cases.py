"""A small problem, quick fits and an odd entry, for tests of input."""

from __future__ import annotations

import numpy as np

from multigene import MultigeneRegressor, Settings


def quick(**parameters):
    if not isinstance(parameters.get("settings"), Settings):
        parameters = {"configuration": "UB", **parameters}
    if isinstance(parameters.get("settings", {}), dict):
        parameters["settings"] = {"population_size": 30, **parameters.get("settings", {})}
    return MultigeneRegressor(**{"generations": 6, "n_jobs": 1, "random_state": 0, **parameters})


def problem(n=40, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 0] ** 2 + X[:, -1]


def with_entry(value, row=3, column=1):
    X, y = problem()
    X[row, column] = value
    return X, y
