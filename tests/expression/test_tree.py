"""The expression tree: identity, mistakes, values, walks, depth."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest

from multigene.expression.numbers import map_numbers, round_numbers
from multigene.expression.rewriting import simplify
from multigene.expression.tree import (
    OPERATORS,
    Expression,
    Number,
    Operation,
    Power,
    Variable,
    depth,
    evaluate,
    from_postfix,
    substitute,
    to_postfix,
    variables,
)
from multigene.formula import Formula

x, y, z = Variable(0), Variable(1), Variable(2)
one, two = Number(1.0), Number(2.0)


def op(name: str, *arguments: Expression) -> Operation:
    return Operation(name, arguments)


def chain(length: int) -> Expression:
    """A tree `length` levels deep."""
    tree: Expression = x
    for level in range(length):
        name = ("bent", "sin", "add", "sinc", "neg", "aq")[level % 6]
        tree = op(name, tree, y) if OPERATORS[name].arity == 2 else op(name, tree)
    return tree


def test_nodes_are_values() -> None:
    tree = op("add", op("mul", Number(2), x), Power(y, 2))
    same = op("add", op("mul", Number(2.0), x), Power(y, 2.0))
    assert tree == same
    assert hash(tree) == hash(same)
    assert tree != op("add", op("mul", Number(2), x), Power(y, 3))
    assert tree != "x"
    assert eval(repr(tree)) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert copy.deepcopy(tree) == tree
    with pytest.raises(AttributeError):
        x.index = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Number(math.nan), "must be finite, got nan"),
        (lambda: Power(x, math.inf), "exponent must be finite"),
        (lambda: Variable(-1), "counts columns from 0, got -1"),
        (lambda: op("tan", x), "Unknown operator 'tan'; the operators are add"),
        (lambda: op("sin", x, y), "'sin' takes 1 argument"),
        (lambda: op("add", x), "'add' takes 2 or more argument"),
        (lambda: op("sub", x, y, x), "'sub' takes 2 argument"),
        (lambda: from_postfix([("add", 2)]), "needs 2 argument"),
        (lambda: from_postfix([("number", 1.0), ("number", 1.0)]), "leaves 2 expressions"),
        (lambda: evaluate(z, np.zeros((2, 2))), "column number 3, but X has only 2"),
        (lambda: evaluate(z, np.zeros(3)), "two dimensions"),
        (lambda: round_numbers(x, 0), "between 1 and 17"),
        (lambda: round_numbers(x, "three"), "digits='three' is not a whole number"),
    ],
)
def test_mistakes_are_named(make, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=words):
        make()


def test_values_of_every_operator() -> None:
    special = pytest.importorskip("scipy.special")
    values = np.array([-800.0, -2.5, -0.0, 0.0, 0.3, 2.0, 40.0, 800.0])
    X = values[:, None]
    exact = {
        "neg": -values,
        "sin": [math.sin(v) for v in values],
        "cos": [math.cos(v) for v in values],
        "exp": [math.exp(v) if v < 700 else math.inf for v in values],
        "log": [math.log(v) if v > 0 else -math.inf if v == 0 else math.nan for v in values],
        "sqrt": [math.sqrt(v) if v >= 0 else math.nan for v in values],
        "abs": [abs(v) for v in values],
        "tanh": [math.tanh(v) for v in values],
        "atan": [math.atan(v) for v in values],
        "erf": [math.erf(v) for v in values],
        "sign": [0.0 if v == 0 else math.copysign(1.0, v) for v in values],
        "inv": [1 / v if v else math.copysign(math.inf, v) for v in values],
        "logistic": [1 / (1 + math.exp(v)) if v < 700 else 0.0 for v in values],
        "sinc": [math.sin(v) / v if v else 1.0 for v in values],
        "softplus": [max(v, 0.0) + math.log1p(math.exp(-abs(v))) for v in values],
        "gauss": [math.exp(-v * v) for v in values],
        "bent": [(math.sqrt(v * v + 1) - 1) / 2 + v for v in values],
    }
    for name, expected in exact.items():
        np.testing.assert_allclose(evaluate(op(name, x), X), expected, rtol=1e-14, atol=1e-300, err_msg=name)
    pair = np.array([[3.0, 4.0], [1.0, 0.0], [np.nan, 1.0]])
    for name, expected in {
        "add": [7, 1, np.nan],
        "sub": [-1, 1, np.nan],
        "mul": [12, 0, np.nan],
        "div": [0.75, np.inf, np.nan],
        "aq": [3 / math.sqrt(17), 1, np.nan],
        "min": [3, 0, np.nan],
        "max": [4, 1, np.nan],
    }.items():
        np.testing.assert_allclose(evaluate(op(name, x, y), pair), expected, rtol=1e-15, err_msg=name)
    np.testing.assert_array_equal(evaluate(op("add", x, y, x), pair[:1]), [10.0])
    np.testing.assert_allclose(evaluate(Power(x, -2), pair[:2]), [1 / 9, 1])
    np.testing.assert_allclose(evaluate(Power(op("abs", op("neg", x)), 0.5), pair[:2]), [math.sqrt(3), 1])
    assert np.isnan(evaluate(Power(op("neg", x), 0.5), pair[:1])).all()
    np.testing.assert_array_equal(evaluate(Number(3.0), np.empty((2, 0))), [3.0, 3.0])
    assert special.erf(0.0) == 0.0


def test_depth_variables_substitution_and_numbers() -> None:
    tree = op("add", op("mul", Number(2.345678), z), Power(op("abs", x), 0.123456))
    assert depth(x) == 1
    assert depth(tree) == 4
    assert variables(tree) == (0, 2)
    assert variables(one) == ()
    assert substitute(tree, {2: y}) == op(
        "add", op("mul", Number(2.345678), y), Power(op("abs", x), 0.123456)
    )
    assert round_numbers(tree, 3) == op("add", op("mul", Number(2.35), z), Power(op("abs", x), 0.123))
    doubled = map_numbers(tree, lambda value: 2 * value)
    assert doubled == op("add", op("mul", Number(4.691356), z), Power(op("abs", x), 0.123456))
    assert from_postfix(to_postfix(tree)) == tree


@pytest.mark.parametrize("levels", [200, 600])
def test_deep_trees_are_no_trouble(levels: int) -> None:
    tree, twin = chain(levels), chain(levels)
    assert tree == twin
    assert depth(tree) == levels + 1
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert len(repr(tree)) > levels
    assert np.isfinite(evaluate(tree, np.ones((2, 2)))).all()
    formula = Formula(tree, ["x", "y"])
    assert len(formula.text()) < 100 * levels
    np.testing.assert_allclose(
        evaluate(simplify(tree), np.ones((2, 2))), evaluate(tree, np.ones((2, 2))), rtol=1e-9
    )
    if levels == 200:
        for format in ("latex", "mathml", "python", "c", "rust", "r", "sqlite", "postgresql"):
            assert formula.to(format)
        space: dict[str, object] = {}
        exec(formula.python(), space)
        np.testing.assert_allclose(space["predict"](np.ones((2, 2))), formula(np.ones((2, 2))))  # type: ignore[operator]
