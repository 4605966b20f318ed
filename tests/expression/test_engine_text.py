"""Expressions as the engine's text, and genes with gaps for their numbers: what is written is read back as the same."""

from __future__ import annotations

import numpy as np
import pytest
from random_expressions import random_models

from multigene._engine import Individual
from multigene.expression.build import call, linear, sum_of, weighted
from multigene.expression.engine_text import GAP, combination, engine_text, with_gaps
from multigene.expression.genes import gene_expression
from multigene.expression.rewriting import simplify
from multigene.expression.tree import OPERATORS, Expression, Number, Operation, Power, Variable, evaluate

x, y, z = Variable(0), Variable(1), Variable(2)


def read(text: str) -> Expression:
    return gene_expression(Individual([text], 0.0, [1.0]), 0)


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_is_read_back(name: str) -> None:
    tree = Operation(name, (x, y)[: OPERATORS[name].arity])
    assert read(engine_text(tree)) == tree


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (Power(x, 1.0), "x0"),
        (Power(x, 0.0), "1.0"),
        (Power(x, 3.0), "(x0)**3"),
        (Power(x, -1.0), "inv(x0)"),
        (Power(x, 0.5), "sqrt(x0)"),
        (Power(x, -1.5), "(sqrt(x0))**-3"),
        (Power(x, 0.3), "exp((0.3)*log(x0))"),
        (Number(-2.0), "(-2.0)"),
        (call("add", x, y, z), "(x0 + x1 + x2)"),
    ],
)
def test_plain_text(tree: Expression, text: str) -> None:
    assert engine_text(tree) == text


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (linear(0.5, [(1, 2.0), (2, -3.0)]), "([1: 0.5 + 2.0*x1 + -3.0*x2])"),
        (sum_of([x, weighted(2.0, y)]), "([1: 2.0*x1] + x0)"),
        (sum_of([x, y]), "(x0 + x1)"),
        (Power(call("abs", z), 0.25), "{1.0: x2^0.25}"),
        (Power(call("abs", z), 2.0), "(abs(x2))**2"),
    ],
)
def test_leaves_carry_the_weights(tree: Expression, text: str) -> None:
    assert engine_text(tree, leaves=True) == text


def test_combinations() -> None:
    assert combination([(3, 1.5), (0, -2.0)]) == "[3: 1.5*x3 + -2.0*x0]"
    assert combination([(3, 1.5)], 0.25) == "[3: 0.25 + 1.5*x3]"


@pytest.mark.parametrize("leaves", [False, True])
def test_random_formulas_are_computed_as_they_are_here(leaves: bool) -> None:
    X = np.random.default_rng(0).uniform(0.4, 1.6, (40, 3))
    compared = 0
    for model in random_models(120, 3, seed=2)[:-1]:
        tree = simplify(model)
        try:
            engine = Individual([engine_text(tree, leaves=leaves)], 0.0, [1.0]).predict(X)
        except ValueError:  # an exponent beyond those that the engine knows
            continue
        here = evaluate(tree, X)
        ordinary = np.isfinite(here) & (np.abs(here) < 1e6)
        np.testing.assert_allclose(engine[ordinary], here[ordinary], rtol=1e-6, atol=1e-9)
        compared += bool(ordinary.any())
    assert compared > 60


GENES = [
    "sin([0: 0.2 + 1.3e-17*x0]) * 2.0 - -3.0",
    "{1.5: x0^0.5 x2^-2.0}",
    "weighted(0.5, 1e20, sin(x0))**2",
    "max(x0, 0.25) / (x1 - 1.5)",
    "weighted(0.5, -2.0, x0 + 1.5)",
    "neg(x0**-3)",
    "x1",
]


@pytest.mark.parametrize("gene", GENES)
def test_gaps_filled_with_their_numbers_give_the_gene(gene: str) -> None:
    model = Individual([gene], 0.0, [1.0])
    text, values = with_gaps(model.tokens(0))
    pieces = text.split(GAP)
    assert len(pieces) == len(values) + 1
    filled = pieces[0] + "".join(repr(value) + piece for value, piece in zip(values, pieces[1:], strict=True))
    assert Individual([filled], 0.0, [1.0]).genes == model.genes
