"""Exponents of their own per group: `x**p[site]`.

An exponent is a part of its power, not a number that a column can stand for. So the power of a base that is positive on all rows
is written as `exp(log(base)*exponent)`, whose number can be a group's own; printed, it is a power again.
"""

from __future__ import annotations

import numpy as np

from multigene.expression.build import call
from multigene.expression.numbers import number_of, parameters
from multigene.expression.tree import (
    Expression,
    Number,
    Operation,
    Power,
    Variable,
    evaluate,
    fold,
    postorder,
    rebuild,
)
from multigene.groups.constants import LARGEST_EXPONENT
from multigene.groups.own import Fit, Floats, GroupForm


def with_own_exponent(form: GroupForm, X: Floats) -> list[GroupForm]:
    """The form with one more number per group, for every power in it and every column, which is a power of 1."""
    nodes = postorder(form.expression)
    found = []
    for place, node in enumerate(nodes):
        base, exponent = _power(node)
        if base is None or _is_within(node, nodes[place + 1 : place + 2]):
            continue
        with np.errstate(all="ignore"):
            if np.all(evaluate(base, X) > 0.0):
                found.append(_opened(form, nodes, place, base, exponent))
    return found


def _power(node: Expression) -> tuple[Expression | None, float]:
    """Base and exponent of a node, of powers of powers the innermost base; None where it is no power."""
    if isinstance(node, Variable):
        return node, 1.0
    if isinstance(node, Power):
        inner, own = node.base, node.exponent
    elif isinstance(node, Operation) and node.name == "sqrt":
        inner, own = node.arguments[0], 0.5
    else:
        return None, 0.0
    base, exponent = _power(inner)
    return (inner, own) if base is None else (base, own * exponent)


def _is_within(node: Expression, after: list[Expression]) -> bool:
    """Is a node the base of a power, or the argument of a logarithm: is its exponent that of the power, or a factor?"""
    outer = after[0] if after and after[0].children == (node,) else None
    return outer is not None and (
        _power(outer)[0] is not None or (isinstance(outer, Operation) and outer.name == "log")
    )


def _opened(
    form: GroupForm, nodes: list[Expression], place: int, base: Expression, exponent: float
) -> GroupForm:
    """The form with the exponent of one node as a number of each group."""
    gone = len(parameters(nodes[place])) - len(parameters(base))  # exponents that were common to all groups
    number = sum(number_of(node, whole_exponents=False) is not None for node in nodes[: place + 1]) - gone
    count = -1

    def change(node: Expression, children: tuple[Expression, ...]) -> Expression:
        nonlocal count
        count += 1
        if count != place:
            return rebuild(node, children)
        return call("exp", call("mul", call("log", base), Number(exponent)))

    places = tuple(k if k < number else k + 1 - gone for k in form.places)
    return GroupForm(fold(form.expression, change), (*places, number))


def has_steep_power(fit: Fit) -> bool:
    """Whether some group has an exponent that is larger than those of powers that people write."""
    exponents = [k for k, place in enumerate(fit.form.places) if place in _exponents(fit.form.expression)]
    return bool(np.any(np.abs(fit.numbers[:, exponents]) > LARGEST_EXPONENT))


def _exponents(expression: Expression) -> list[int]:
    """Which parameters stand as exponents in exp(log(base)*exponent)."""
    nodes = postorder(expression)
    counted = np.cumsum([number_of(node, whole_exponents=False) is not None for node in nodes]) - 1
    found = []
    for i in range(1, len(nodes) - 2):
        log, node, product, power = nodes[i - 1 : i + 3]
        names = [each.name for each in (log, product, power) if isinstance(each, Operation)]
        if names == ["log", "mul", "exp"] and product.children == (log, node) and isinstance(node, Number):
            found.append(int(counted[i]))
    return found
