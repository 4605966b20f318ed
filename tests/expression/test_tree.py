"""The expression tree: identity, walks, evaluation, counting, simplification."""

from __future__ import annotations

import copy
import math
import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_expressions import random_models, random_rows, reference

from multigene.expression.numbers import map_numbers, round_numbers
from multigene.expression.readable import readable, size
from multigene.expression.rewriting import fold_constants, simplify
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


def test_size_counts_what_is_printed() -> None:
    sizes = {
        "3*x + 1": (op("add", op("mul", Number(3.0), x), one), 5),
        "x**2": (Power(x, 2), 3),
        "x - y": (op("add", x, op("neg", y)), 3),
        "-x": (op("neg", x), 2),
        "1/x": (op("inv", x), 3),
        "1/(1 + exp(x))": (op("logistic", x), 6),
        "exp(-x**2)": (op("gauss", x), 5),
        "log(1 + exp(x))": (op("softplus", x), 5),
        "sin(x + y)/(x + y)": (op("sinc", op("add", x, y)), 8),
        "x/sqrt(1 + y**2)": (op("aq", x, y), 8),
        "(sqrt(x**2 + 1) - 1)/2 + x": (op("bent", x), 12),
        "2*x/(1 + exp(y))": (op("mul", two, x, op("logistic", y)), 8),
        "1/(x*y)": (op("mul", op("inv", x), op("inv", y)), 5),
        "2*sin(x)*z/(x*y)": (op("mul", two, op("sinc", x), op("div", z, y)), 10),
        "x + y + z": (op("add", x, y, z), 5),
        "0.5 + 2*x - 3*y": (op("add", Number(0.5), op("mul", two, x), op("mul", Number(-3.0), y)), 9),
    }
    for text, (expression, count) in sizes.items():
        assert Formula(expression, ["x", "y", "z"]).text() == text
        # Tokens of the text, brackets aside and `-3` as one number, are the nodes.
        assert size(expression) == count, text
        assert size(readable(expression)) == count


def test_size_is_the_number_of_tokens_of_the_text() -> None:
    """Numbers with their sign, names, functions and operators; brackets and commas are not nodes."""
    token = re.compile(r"(?:^-|(?<=\()-|(?<=, )-)?\d[\d.]*(?:e-?\d+)?|[a-z]\w*|\*\*|[-+*/]")
    for model in random_models(150, 3, seed=11):
        short = simplify(model)
        text = Formula(short, ["x", "y", "z"]).text()
        assert size(short) == len(token.findall(text)), (text, token.findall(text))


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


RULES = {
    "x*1": (op("mul", x, one), x),
    "x+0": (op("add", x, Number(0.0)), x),
    "x*0": (op("mul", op("sin", x), Number(0.0)), Number(0.0)),
    "-(-x)": (op("neg", op("neg", x)), x),
    "-(-3)": (op("neg", Number(-3.0)), Number(3.0)),
    "2+3": (op("add", two, Number(3.0)), Number(5.0)),
    "exp(0)": (op("exp", Number(0.0)), one),
    "2*(3*x)": (op("mul", two, op("mul", Number(3.0), x)), op("mul", Number(6.0), x)),
    "x+x": (op("add", x, x), op("mul", two, x)),
    "2x+3x": (op("add", op("mul", two, x), op("mul", x, Number(3.0))), op("mul", Number(5.0), x)),
    "x-x": (op("sub", op("sin", x), op("sin", x)), Number(0.0)),
    "equal products": (op("sub", op("mul", x, y), op("mul", y, x)), Number(0.0)),
    "equal sums": (op("div", op("add", x, y), op("add", y, x)), one),
    "(x**2)**3": (Power(Power(x, 2), 3), Power(x, 6)),
    "(x**-1)**-1": (Power(Power(x, -1), -1), x),
    "x*x": (op("mul", x, x), Power(x, 2)),
    "x**2/x": (op("div", Power(x, 2), x), x),
    "|x|**2": (Power(op("abs", x), 2), Power(x, 2)),
    "|x|**.5*|x|**.5": (op("mul", Power(op("abs", x), 0.5), Power(op("abs", x), 0.5)), op("abs", x)),
    "sqrt(x**2)": (op("sqrt", Power(x, 2)), op("abs", x)),
    "sqrt(x)*sqrt(x) is not x": (
        op("mul", Power(x, 0.5), Power(x, 0.5)),
        op("mul", Power(x, 0.5), Power(x, 0.5)),
    ),
    "cos(-x)": (op("cos", op("neg", x)), op("cos", x)),
    "3*sin(-2x)": (
        op("mul", Number(3.0), op("sin", op("mul", Number(-2.0), x))),
        op("mul", Number(-3.0), op("sin", op("mul", two, x))),
    ),
    "x/4": (op("div", x, Number(4.0)), op("mul", Number(0.25), x)),
    "inv(inv(x))": (op("inv", op("inv", x)), x),
    "min(x, x)": (op("min", x, x), x),
    "aq(x, -y)": (op("aq", x, op("neg", y)), op("aq", x, y)),
    "2*(x+1)-2": (op("sub", op("mul", two, op("add", x, one)), two), op("mul", two, x)),
    "3-x": (op("add", op("neg", x), Number(3.0)), op("add", Number(3.0), op("neg", x))),
    "overflow stays": (op("mul", Number(1e200), op("mul", Number(1e200), x)), None),
    "1/0 stays": (op("div", one, Number(0.0)), op("div", one, Number(0.0))),
}


@pytest.mark.parametrize("rule", RULES)
def test_simplification_rules(rule: str) -> None:
    before, after = RULES[rule]
    assert simplify(before) == (before if after is None else after)


def test_overflow_while_folding_is_avoided() -> None:
    tree = op("mul", Number(1e200), op("mul", Number(1e200), x))
    np.testing.assert_array_equal(evaluate(simplify(tree), [[1e-250]]), evaluate(tree, [[1e-250]]))


def test_fold_constants_changes_nothing_else() -> None:
    assert fold_constants(op("add", op("sin", Number(0.0)), op("mul", x, one))) == op(
        "add", Number(0.0), op("mul", x, one)
    )


#: A few factors short of overflow.
ALMOST_TOO_LARGE = 1e305


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_simplified_is_equal_never_larger_and_final(seed: int) -> None:
    X = random_rows(60, 5, seed=seed)
    for model in random_models(8, 5, seed=seed)[:6]:
        expected = reference(model, X)
        short = simplify(model)
        assert size(short) <= size(model)
        # Factors in another order may overflow on the way to a product that is almost too large.
        sound = np.abs(expected.value) < ALMOST_TOO_LARGE
        rows = [row for row in expected.disagreement(evaluate(short, X)) if sound[row]]
        assert not rows, (model, short, X[rows[0]])
        assert simplify(short) == short
