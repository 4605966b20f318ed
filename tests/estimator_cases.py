"""A small problem and quick fits, for tests of the estimator."""

from __future__ import annotations

import numpy as np

from multigene import MultigeneRegressor
from multigene.settings.settings import Settings


def problem(n=80, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, size=(n, d))
    return X, np.sin(X[:, 0] + X[:, 1]) + 0.5 * X[:, -1] ** 2


def quick(**parameters):
    if not isinstance(parameters.get("settings"), Settings):
        parameters = {"configuration": "UB", **parameters}
    return MultigeneRegressor(**{"generations": 5, "n_jobs": 1, "random_state": 0, **parameters})


def same(a: MultigeneRegressor, b: MultigeneRegressor) -> bool:
    """Bit-identical fronts."""
    fronts = [
        [
            (m.individual.genes, m.individual.intercept, m.individual.coefficients, m.fitness)
            for m in e.fitted_.front
        ]
        for e in (a, b)
    ]
    return fronts[0] == fronts[1]
