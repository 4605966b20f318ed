"""Laws that are rational in the columns and in functions of them."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.expression.tree import evaluate
from multigene.expression.vocabulary import ANYTHING, Vocabulary
from multigene.laws.survey.with_functions import WithFunctions

RNG = np.random.default_rng(3)
LAWS = {
    "difference of exponentials": lambda a, b: (np.exp(-a * b) - np.exp(-b)) / (1.0 - a),
    "column as exponent": lambda a, b, c: b**a + c,
    "sum of powers": lambda a, b, c: a * b**c + (1.0 - a) / b**c,
    "exponential over its argument": lambda a, b, c: 1.0 + (a + b) * c * (1.0 - np.exp(-1.0 / c)) - b * np.exp(-1.0 / c),
    "exponential and a product": lambda a, b, c, d: -a * b - c * (np.exp(b * d) - 1.0) / d,
    "logarithm of a power": lambda a, b: (1.0 / b - 1.0) * np.log(1.0 + a**b),
    "power of one more than a column": lambda a, b: a / (1.0 - (1.0 + a) ** -b),
    "column under an exponent": lambda a, b, c: -a * (b ** (1.0 / c) - 1.0),
    "exponential of a power": lambda a, b: 1.0 - np.exp(-(a**b)),
    "tangent": lambda a, b, c: 1.0 + a * np.tan(b) - a**2 / (2.0 * c * np.cos(b) ** 2),
    "logistic of a difference": lambda a, b, c: a / (1.0 + np.exp((a - b) / c)),
    "sine and cosine": lambda a, b, c: (a + b) / 2.0 + (a - b) / 2.0 * np.cos(c) + np.sin(c),
}  # fmt: skip
ROOTS = {
    "binding": lambda a, b, c: (a + b + c - np.sqrt((a + b + c) ** 2 - 4.0 * a * b)) / 2.0,
    "range": lambda a, b: a * np.cos(b) * (np.sin(b) + np.sqrt(np.sin(b) ** 2 + 2.0 / a)),
}


def rows(law):
    return RNG.uniform(0.3, 1.4, (400, law.__code__.co_argcount))


def left(found, Z, target):
    return float(np.sum((evaluate(found, Z) - target) ** 2) / np.sum((target - target.mean()) ** 2))


@pytest.mark.parametrize("name", LAWS)
def test_laws_are_found(name):
    Z = rows(LAWS[name])
    target = LAWS[name](*Z.T)
    found = WithFunctions(Z, np.ones(Z.shape[1]), ANYTHING.allows).law(target)
    assert found is not None
    assert left(found, Z, target) < 1e-18


def test_functions_stand_instead_of_columns():
    Z = rows(lambda a, b: None)
    target = (np.log(Z[:, 0]) - 7.7) / np.sin(Z[:, 1])
    found = WithFunctions(Z, np.ones(2), ANYTHING.allows).law(target)
    assert left(found, Z, target) < 1e-18


@pytest.mark.parametrize("name", ROOTS)
def test_roots_of_quadratic_equations_are_found_where_they_may_be(name):
    Z = rows(ROOTS[name])
    target = ROOTS[name](*Z.T)
    functions = WithFunctions(Z, np.ones(Z.shape[1]), ANYTHING.allows)
    assert functions.law(target) is None
    assert left(functions.law(target, roots=True), Z, target) < 1e-18


def test_laws_are_told_in_scaled_columns():
    Z, scales = rows(lambda a, b: None), np.array([64.0, 0.125])
    target = np.exp(-Z[:, 0] * Z[:, 1]) + Z[:, 0]
    found = WithFunctions(Z / scales, scales, ANYTHING.allows).law(target)
    assert left(found, Z / scales, target) < 1e-18


def test_nothing_is_found_where_nothing_is():
    Z = rows(lambda a, b, c: None)
    functions = WithFunctions(Z, np.ones(3), ANYTHING.allows)
    assert functions.law(np.sin(np.exp(Z[:, 0] * Z[:, 1]) + 7.0 * Z[:, 2]), roots=True) is None
    assert functions.law(np.random.default_rng(0).standard_normal(400), roots=True) is None


def test_only_functions_that_may_be_used_are():
    Z = rows(lambda a, b: None)
    target = np.exp(-Z[:, 0] * Z[:, 1]) + Z[:, 0]
    assert (
        WithFunctions(Z, np.ones(2), Vocabulary(["add", "mul", "div", "exp"]).allows).law(target) is not None
    )
    assert WithFunctions(Z, np.ones(2), Vocabulary(["add", "mul", "div", "sin"]).allows).law(target) is None


def test_a_function_that_is_a_polynomial_on_the_rows_says_nothing():
    Z = np.column_stack([RNG.uniform(0.0005, 0.01, 400), RNG.uniform(1.0, 3.0, 400)])
    target = np.sqrt(1.0 + Z[:, 1] ** 3 + np.tanh(Z[:, 1]))
    assert WithFunctions(Z, np.ones(2), ANYTHING.allows).law(target) is None


@pytest.mark.parametrize("n", [8, 20, 60, 100])
def test_few_rows_are_no_law(n):
    Z = np.random.default_rng(n).uniform(0.5, 4.0, (n, 3))
    noise = np.random.default_rng(0).standard_normal(n)
    assert WithFunctions(Z, np.ones(3), ANYTHING.allows).law(noise, roots=True) is None
