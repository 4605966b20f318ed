"""A list of functions is a promise: on any data no formula of the front has anything else."""

from __future__ import annotations

import re

import numpy as np
import pytest

from multigene import MultigeneRegressor
from multigene.expression.genes import model_expression
from multigene.expression.vocabulary import Vocabulary


def rows(noise, n=150):
    rng = np.random.default_rng(3)
    X = rng.uniform(0.5, 3.0, (n, 3))
    y = 1.2 * X[:, 0] ** 3 * X[:, 1] / X[:, 2] + np.sqrt(X[:, 1])
    return X, y + noise * y.std() * rng.standard_normal(n)


@pytest.mark.parametrize("noise", [0.0, 0.1])
@pytest.mark.parametrize(
    "functions", [["sin", "cos", "add"], ["add"], ["add", "mul"], ["tanh", "sub"], ["inv"], ["exp", "pow2"]]
)
def test_nothing_but_the_functions_given(functions, noise):
    X, y = rows(noise)
    model = MultigeneRegressor(generations=10, functions=functions, random_state=0, n_jobs=1).fit(X, y)
    known = Vocabulary(functions)
    for row, text in enumerate(model.equations_["formula"]):
        assert set(re.findall(r"[a-z]+(?=\()", text)) <= set(functions), text
        assert known.admits(model_expression(model.fitted_.at(row).individual)), text


def test_products_of_features_where_they_are_asked_for():
    X, y = rows(0.0)
    options = {"generations": 10, "random_state": 0, "n_jobs": 1, "functions": ["add", "sin", "sqrt"]}
    exact = MultigeneRegressor(**options, settings={"structure": "products"}).fit(X, y)
    assert exact.stopped_by_ == "law"
    assert MultigeneRegressor(**options).fit(X, y).stopped_by_ != "law"
    with pytest.raises(ValueError, match="structure"):
        MultigeneRegressor(settings={"structure": "anything"}).fit(X, y)
