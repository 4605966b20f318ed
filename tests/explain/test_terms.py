"""A formula as a sum of terms: taken apart, fitted, joined, and as a model of the engine."""

from __future__ import annotations

import numpy as np
import pytest

from multigene._engine import Individual
from multigene.data.training_rows import TrainingRows
from multigene.explain.terms import Fitted, Scorer, as_individual, joined, split, terms_of
from multigene.expression.genes import model_expression
from multigene.expression.reading import read
from multigene.expression.tree import Number, Operation, Variable, evaluate
from multigene.formula import Formula

x, y = Variable(0), Variable(1)


def data(function, n=300, d=3):
    X = np.random.default_rng(0).uniform(-2.0, 2.0, (n, d))
    return TrainingRows.of(X, function(X))


def test_a_sum_is_split_and_joined():
    tree = read("2*x + 3 - sin(y) + 0.5*x", "xy")
    # Only one level of a sum is taken apart, as simplified ones have no more.
    constant, pairs = split(
        Operation("add", (Number(3.0), read("2*x", "xy"), read("0.5*x", "xy"), read("sin(y)", "xy")))
    )
    assert (constant, pairs) == (3.0, [(2.5, x), (1.0, read("sin(y)", "xy"))])
    assert terms_of(tree) == (x, read("sin(y)", "xy"))
    assert Formula(joined(0.5, [2.0, 0.0], (x, y)), "xy").text() == "2*x + 0.5"
    assert joined(0.0, [], ()) == Number(0.0)
    assert Fitted((x,), 1.0, (2.0,), 0.9).expression == read("2*x + 1", "xy")


def test_terms_and_engine_agree():
    rng = np.random.default_rng(1)
    individual = Individual(
        [
            "[0: 0.3 + 1.5*x0 + 2.5*x1]",
            "sin(x0 + 1.5*x1)/(2.0 + x2**2)",
            "{1.5: x0^0.5 x2^2.0}",
            "softplus(x1) - x2",
            "aq(x0, x1)",
        ],
        0.7,
        [1.0, -2.0, 3.0, 0.5, 1.5],
    )
    X = rng.uniform(0.5, 2.0, (50, 3))
    expression = model_expression(individual)
    constant, pairs = split(expression)
    for grouped in (False, True):
        model = as_individual(constant, [c for c, _ in pairs], tuple(t for _, t in pairs), grouped)
        np.testing.assert_allclose(model.predict(X), individual.predict(X), rtol=1e-12)
        np.testing.assert_allclose(evaluate(model_expression(model), X), individual.predict(X), rtol=1e-12)


def test_scorer_is_least_squares():
    rows = data(lambda X: 1.0 + 2.0 * X[:, 0] - X[:, 1])
    fitted = Scorer(rows).fit([Variable(0), Variable(1), Number(3.0)])
    assert fitted.terms == (Variable(0), Variable(1))
    assert (fitted.constant, *fitted.coefficients) == pytest.approx((1.0, 2.0, -1.0))
    assert fitted.r2 == pytest.approx(1.0)
    assert Scorer(rows).fit([Operation("log", (Variable(0),))]) is None


def test_terms_that_are_of_no_use():
    rows = data(lambda X: X[:, 0])
    assert Scorer(rows).fit([Number(2.0)]) == Fitted((), pytest.approx(rows.y.mean()), (), 0.0)
    twice = Scorer(rows).fit([x, x, Operation("mul", (Number(2.0), x))])
    assert twice.r2 == pytest.approx(1.0)
    np.testing.assert_allclose(evaluate(twice.expression, rows.X), rows.y, atol=1e-9)


def test_weights_enter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 1))
    target = np.where(np.arange(60) < 30, X[:, 0], -X[:, 0])
    weights = np.where(np.arange(60) < 30, 1.0, 1e-9)
    fitted = Scorer(TrainingRows.of(X, target, weights)).fit([x])
    assert fitted.coefficients[0] == pytest.approx(1.0, abs=1e-6)
