"""Derivatives of a formula by its numbers, against finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from random_expressions import random_expression

from multigene.expression.constants import CHUNK
from multigene.expression.jacobian import jacobian, node_values, owners
from multigene.expression.numbers import parameters, with_number
from multigene.expression.operators import OPERATORS
from multigene.expression.tree import Number, Operation, Power, Variable, evaluate, postorder

x, z = Variable(0), Variable(1)


def finite_differences(expression, X, relative=1e-6):
    columns = []
    for place, value in enumerate(parameters(expression)):
        h = relative * max(1.0, abs(value))
        above, below = (
            with_number(expression, place, value + step, whole_exponents=False) for step in (h, -h)
        )
        columns.append((evaluate(above, X) - evaluate(below, X)) / (2 * h))
    return np.stack(columns, axis=1) if columns else np.zeros((len(X), 0))


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_derivatives_of_every_operator(name):
    X = np.random.default_rng(0).uniform(0.3, 1.5, (50, 2))
    inside = Operation("add", (Operation("mul", (Number(0.7), x)), Number(0.2)))
    other = Operation("add", (Operation("mul", (Number(0.45), z)), Number(0.35)))
    arguments = (inside, other)[: OPERATORS[name].arity]
    expression = Operation("mul", (Number(1.3), Operation(name, arguments)))
    np.testing.assert_allclose(
        jacobian(expression, X), finite_differences(expression, X), rtol=1e-6, atol=1e-8
    )


def test_derivatives_of_random_formulas():
    rng, checked = np.random.default_rng(1), 0
    for _ in range(300):
        expression = random_expression(rng, 2)
        X = rng.uniform(0.5, 1.5, (20, 2))
        with np.errstate(all="ignore"):
            exact, rough = jacobian(expression, X), finite_differences(expression, X)
            same = np.abs(rough - finite_differences(expression, X, 4e-6)) < 1e-5 * (1 + np.abs(rough))
            # Beside 1e22 the differences of other numbers are lost.
            moderate = np.max(np.abs(node_values(postorder(expression), X)), axis=0) < 1e4
        tame = np.isfinite(exact) & np.isfinite(rough) & (np.abs(rough) < 1e4) & same & moderate[:, None]
        np.testing.assert_allclose(exact[tame], rough[tame], rtol=1e-3, atol=1e-3)
        checked += int(tame.sum())
    assert checked > 5_000


def test_real_exponents_are_parameters_and_whole_ones_are_not():
    expression = Operation("add", (Power(Operation("abs", (x,)), 1.5), Power(z, 2.0)))
    assert parameters(expression) == [1.5]
    assert owners(expression) == [expression.children[0]]
    X = np.random.default_rng(0).uniform(0.5, 2.0, (30, 2))
    np.testing.assert_allclose(jacobian(expression, X)[:, 0], X[:, 0] ** 1.5 * np.log(X[:, 0]), rtol=1e-12)


def test_rows_are_taken_in_pieces() -> None:
    X = np.random.default_rng(0).uniform(0.5, 1.5, (CHUNK + 3, 1))
    expression = Operation("mul", (Number(1.5), Operation("sin", (Operation("mul", (Number(0.7), x)),))))
    whole = jacobian(expression, X)
    np.testing.assert_array_equal(whole[-3:], jacobian(expression, X[-3:]))
    np.testing.assert_allclose(whole[:, 0], np.sin(0.7 * X[:, 0]), rtol=1e-14)


def test_products_of_several_factors() -> None:
    X = np.random.default_rng(0).uniform(0.5, 1.5, (20, 2))
    expression = Operation("mul", (Number(2.0), x, z, Number(3.0)))
    np.testing.assert_allclose(jacobian(expression, X), np.outer(X[:, 0] * X[:, 1], [3.0, 2.0]), rtol=1e-14)
