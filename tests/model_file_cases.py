"""A small fitted model whose file the tests write, damage and read."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd

import multigene
from multigene import MultigeneRegressor, model_file

FAST = {"generations": 6, "settings": {"population_size": 20}, "random_state": 0, "n_jobs": 1}
#: Settings by which genes have every kind of node.
EVERYTHING = {
    "functions": "add,sub,mul,div,sin,cos,exp,log,tanh,sqrt,abs,pow2,pow3,pow-1",
    "settings": {"weighted_nodes": 0.3, "product_frequency": 2.0, "constant_frequency": 3.0},
}


def dumps(model: MultigeneRegressor) -> str:
    """A model's file as text."""
    return model_file.dumps(model.fitted_)


def reloaded(model: MultigeneRegressor) -> MultigeneRegressor:
    """A model written and read again."""
    return multigene.load(io.BytesIO(dumps(model).encode()))


def training_rows():
    """Rows with names that need quoting."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=["größe (m)", 'a "quoted" one', "x"])
    return X, pd.Series(np.sin(X.iloc[:, 0]) * X.iloc[:, 1] + X.iloc[:, 2], name="y/z")
