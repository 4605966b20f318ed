"""Rules that always hold: an expression shortened without changing its value, by folding, flattening, merging of like terms.

Works on the tree of `expression/tree.py`; used before a formula is shown, counted or exported. Each rule keeps the
value wherever the original had one, up to rounding. A rule may give a value at single points where the
original had none (`x/x` at 0), never the other way round. What would overflow or underflow while folding is
left as it stands.

Sums and products come out in the form of `canonical.py`.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from multigene.expression.build import call, join_term, power_of
from multigene.expression.constants import LATELY, MOST_PASSES
from multigene.expression.operators import OPERATORS
from multigene.expression.readable import size
from multigene.expression.rewriting.canonical import (
    UnsafeError,
    canonical_order,
    canonical_product,
    canonical_sum,
)
from multigene.expression.rewriting.parts import is_a, split_term, terms_of
from multigene.expression.tree import Expression, Number, Operation, Power, evaluate, fold, rebuild


@lru_cache(LATELY)
def simplify(expression: Expression) -> Expression:
    """An expression of the same value, at most as large; equal trees come out for many equal formulas."""
    current = expression
    for _ in range(MOST_PASSES):
        simpler = fold(current, _simplify_node)
        if simpler == current:
            break
        current = simpler
    return current if size(current) <= size(expression) else expression


def simplified(expression: Expression) -> Expression:
    """`simplify`, or the expression itself where a constant would leave what floating point holds."""
    try:
        return simplify(expression)
    except (OverflowError, ValueError):
        return expression


def fold_constants(expression: Expression) -> Expression:
    """Replace sub-expressions of constants alone by their value, where it is finite; nothing else."""
    return fold(expression, lambda node, children: _folded(rebuild(node, children)))


def _folded(node: Expression) -> Expression:
    if node.children and all(isinstance(child, Number) for child in node.children):
        value = float(evaluate(node, np.empty((1, 0)))[0])
        return Number(value) if math.isfinite(value) else node
    return node


def _simplify_node(node: Expression, children: tuple[Expression, ...]) -> Expression:
    node = rebuild(node, children)
    if not children:
        return node
    if all(isinstance(child, Number) for child in children):
        return _folded(node)
    try:
        if isinstance(node, Power):
            return canonical_product([(node, 1.0)])
        assert isinstance(node, Operation)
        if node.name == "add":
            return canonical_sum([(1.0, term) for term in children])
        if node.name == "sub":
            return canonical_sum([(1.0, children[0]), (-1.0, children[1])])
        if node.name in ("mul", "div", "inv", "neg"):
            return canonical_product([(node, 1.0)])
        return _function(node.name, children)
    except UnsafeError:
        return node


# --- functions ------------------------------------------------------------------------------------


def _function(name: str, arguments: tuple[Expression, ...]) -> Expression:
    if name in ("min", "max"):
        first, second = sorted(arguments, key=canonical_order)
        return first if first == second else Operation(name, (first, second))
    if name == "aq":
        return _analytic_quotient(*arguments)
    argument = arguments[0]
    symmetry = OPERATORS[name].symmetry
    if symmetry and _is_negative(argument):
        flipped = _function(name, (_opposite(argument),))
        return flipped if symmetry == "even" else _opposite(flipped)
    if name == "abs":
        return _absolute(argument)
    if (
        name == "sqrt"
        and isinstance(argument, Power)
        and argument.exponent % 2 == 0
        and argument.exponent > 0
    ):
        half = argument.exponent / 2
        return power_of(argument.base if half % 2 == 0 else Operation("abs", (argument.base,)), half)
    if name == "exp":
        return _exponential(argument)
    if name == "logistic" and is_a(argument, "softplus"):
        return canonical_product(
            [(canonical_sum([(1.0, Number(2.0)), (1.0, call("exp", *argument.children))]), -1.0)]
        )
    if name == "sign":
        if isinstance(argument, Operation) and argument.name == "sign":
            return argument
        _, rest = split_term(argument)
        return Operation(name, (rest or argument,))
    return Operation(name, (argument,))


def _exponential(argument: Expression) -> Expression:
    """exp(c*log(x)) is x**c; a whole c would give values where the logarithm has none. exp(log(1 + exp(x))) is 1 + exp(x)."""
    if is_a(argument, "softplus"):
        return canonical_sum([(1.0, Number(1.0)), (1.0, call("exp", *argument.children))])
    coefficient, rest = split_term(argument)
    if isinstance(rest, Operation) and rest.name == "log" and not coefficient.is_integer():
        return Power(rest.arguments[0], coefficient)
    return Operation("exp", (argument,))


def _absolute(argument: Expression) -> Expression:
    even = isinstance(argument, Power) and argument.exponent % 2 == 0
    if even or (isinstance(argument, Operation) and OPERATORS[argument.name].not_negative):
        return argument
    coefficient, rest = split_term(argument)
    if coefficient != 1.0 and rest is not None:
        return join_term(abs(coefficient), _absolute(rest))
    return Operation("abs", (argument,))


def _analytic_quotient(above: Expression, below: Expression) -> Expression:
    if isinstance(below, Number):
        return canonical_product([(Number(1.0 / math.hypot(1.0, below.value)), 1.0), (above, 1.0)])
    if _is_negative(below):
        below = _opposite(below)
    coefficient, rest = split_term(above)
    return join_term(coefficient, Operation("aq", (rest or Number(1.0), below)))


def _is_negative(expression: Expression) -> bool:
    return all(split_term(term)[0] < 0.0 for term in terms_of(expression))


def _opposite(expression: Expression) -> Expression:
    return canonical_sum([(-1.0, expression)])
