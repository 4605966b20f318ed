"""From the engine's genes to expressions: every kind of token, whole models, linear combinations."""

from __future__ import annotations

import numpy as np
import pytest

from multigene._engine import Individual
from multigene.expression.genes import gene_expression, model_expression, transformations
from multigene.expression.tree import Number, evaluate
from multigene.formula import Formula

X = np.random.default_rng(0).uniform(0.5, 2.0, (30, 3))


@pytest.mark.parametrize(
    ("gene", "text"),
    [
        ("x1", "b"),
        ("2.5", "2.5"),
        ("[0: 0.5 + 2.0*x0 + -1.0*x2]", "2*a - c + 0.5"),
        ("[0: 1.0*x0 + 0.0*x1]", "a"),
        ("{2.0: x0^1.0 x2^0.5}", "2*abs(a)*abs(c)**0.5"),
        ("x0**3", "a**3"),
        ("weighted(0.5, -2.0, sin(x0))", "0.5 - 2*sin(a)"),
        ("aq(x0, x1) - neg(x2)", "a/sqrt(1 + b**2) + c"),
        ("max(x0, 0.25) / (x1 - 1.5)", "max(a, 0.25)/(b - 1.5)"),
    ],
)
def test_genes(gene: str, text: str) -> None:
    model = Individual([gene], 0.0, [1.0])
    tree = gene_expression(model, 0)
    assert Formula(tree, "abc").text() == text
    np.testing.assert_allclose(evaluate(tree, X), model.predict(X), rtol=1e-13)


def test_models_leave_out_what_has_no_coefficient() -> None:
    model = Individual(["sin(x0)", "x1", "cos(x2)"], 0.5, [2.0, 0.0, -1.0])
    assert Formula(model_expression(model), "abc").text() == "2*sin(a) - cos(c) + 0.5"
    np.testing.assert_allclose(evaluate(model_expression(model), X), model.predict(X), rtol=1e-14)
    assert model_expression(Individual(["x0"], 0.0, [0.0])) == Number(0.0)


def test_transformations() -> None:
    model = Individual(
        ["sin([0: 0.5 + 2.0*x0])", "x1", "[1: 1.0*x1] * [2: 3.0*x2 + 4.0]"], 0.0, [1.0, 1.0, 2.0]
    )
    assert transformations(model) == [(0, 0.5, {0: 2.0}), (2, 0.0, {1: 1.0}), (2, 4.0, {2: 3.0})]
    assert transformations(Individual(["[0: 1.0*x0]"], 0.0, [0.0])) == []
