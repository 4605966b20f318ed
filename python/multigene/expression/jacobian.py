"""Derivatives of a formula by its numbers, row by row: reverse mode over the tree of `tree.py`.

One column for every one of the formula's `parameters` (`numbers.py`), in their order. Weights of exactly 1 and whole exponents
are not printed or not fitted, hence no parameters. `explain/intervals.py` is built on this.
"""

from __future__ import annotations

from functools import reduce

import numpy as np
import numpy.typing as npt

from multigene.expression.numbers import number_of
from multigene.expression.operators import OPERATORS
from multigene.expression.tree import Expression, Number, Operation, Power, Variable, applied, postorder

Floats = npt.NDArray[np.float64]

#: Rows differentiated at a time, so that the values of all nodes stay small.
CHUNK = 8192


def owners(expression: Expression) -> list[Expression]:
    """For each parameter the node that it acts in: the power of an exponent, the parent of a constant."""
    nodes = postorder(expression)
    columns, count = _columns(nodes)
    found: list[Expression] = [expression] * count
    for place, (node, children) in enumerate(zip(nodes, places_of_children(nodes), strict=True)):
        if isinstance(node, Power) and columns[place] >= 0:
            found[columns[place]] = node
        for child in children:
            if isinstance(nodes[child], Number):
                found[columns[child]] = node
    return found


def jacobian(expression: Expression, X: Floats) -> Floats:
    """Derivatives of the value by each parameter: rows × parameters. Not finite where a derivative does not exist."""
    nodes = postorder(expression)
    children = places_of_children(nodes)
    columns, count = _columns(nodes)
    result = np.zeros((len(X), count))
    for start in range(0, len(X), CHUNK):
        with np.errstate(all="ignore"):
            _sweep(nodes, children, columns, X[start : start + CHUNK], result[start : start + CHUNK])
    return result


def _columns(nodes: list[Expression]) -> tuple[list[int], int]:
    """Column of every node's own parameter, −1 for none."""
    columns, count = [], 0
    for node in nodes:
        own = number_of(node, whole_exponents=False) is not None
        columns.append(count if own else -1)
        count += own
    return columns, count


def places_of_children(nodes: list[Expression]) -> list[list[int]]:
    """Places of every node's children."""
    stack: list[int] = []
    found = []
    for place, node in enumerate(nodes):
        arity = len(node.children)
        found.append(stack[len(stack) - arity :])
        del stack[len(stack) - arity :]
        stack.append(place)
    return found


def _sweep(
    nodes: list[Expression], children: list[list[int]], columns: list[int], X: Floats, out: Floats
) -> None:
    values: list[Floats] = []
    varied: list[bool] = []
    for place, node in enumerate(nodes):
        arguments = [values[child] for child in children[place]]
        values.append(_value(node, arguments, X))
        varied.append(columns[place] >= 0 or any(varied[child] for child in children[place]))
    adjoints: list[Floats | float] = [0.0] * len(nodes)
    adjoints[-1] = 1.0
    for place in reversed(range(len(nodes))):
        node, adjoint = nodes[place], adjoints[place]
        arguments = [values[child] for child in children[place]]
        if columns[place] >= 0:
            own: Floats | float = 1.0
            if isinstance(node, Power):
                own = np.where(
                    arguments[0] == 0.0,
                    0.0,
                    values[place] * np.log(np.where(arguments[0] == 0.0, 1.0, arguments[0])),
                )
            out[:, columns[place]] = adjoint * own
        if any(varied[child] for child in children[place]):
            for child, partial in zip(children[place], partials(node, arguments, values[place]), strict=True):
                if varied[child]:
                    adjoints[child] = adjoint * partial


def node_values(nodes: list[Expression], X: Floats) -> list[Floats]:
    """Values of all nodes of a postorder on every row."""
    values: list[Floats] = []
    with np.errstate(all="ignore"):
        for node, children in zip(nodes, places_of_children(nodes), strict=True):
            values.append(_value(node, [values[child] for child in children], X))
    return values


def _value(node: Expression, arguments: list[Floats], X: Floats) -> Floats:
    if isinstance(node, Number):
        return np.full(len(X), node.value)
    if isinstance(node, Variable):
        return X[:, node.index]
    return applied(node, arguments)


def partials(node: Expression, arguments: list[Floats], value: Floats) -> tuple[Floats | float, ...]:
    """Derivatives of a node's value by each of its arguments."""
    if isinstance(node, Power):
        return (node.exponent * np.power(arguments[0], node.exponent - 1.0),)
    assert isinstance(node, Operation)
    if node.name == "add":
        return (1.0,) * len(arguments)
    if node.name == "mul":
        return tuple(reduce(np.multiply, arguments[:i] + arguments[i + 1 :]) for i in range(len(arguments)))
    slopes = OPERATORS[node.name].slope(*arguments, value)
    return slopes if isinstance(slopes, tuple) else (slopes,)
