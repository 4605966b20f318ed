"""Derivatives of a formula by its numbers, row by row: reverse mode over the tree of `tree.py`.

One column for every one of the formula's `parameters` (`numbers.py`), in their order. Weights of exactly 1 and whole exponents
are not printed or not fitted, hence no parameters. `explain/intervals.py` is built on this.
"""

from __future__ import annotations

from functools import reduce

import numpy as np
import numpy.typing as npt

from multigene.expression.constants import CHUNK
from multigene.expression.numbers import number_of, parameters
from multigene.expression.operators import OPERATORS
from multigene.expression.tree import Expression, Number, Operation, Power, Variable, applied, postorder

Floats = npt.NDArray[np.float64]


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
    program, values = Program(expression), np.array(parameters(expression))
    result = np.zeros((len(X), len(values)))
    for start in range(0, len(X), CHUNK):
        result[start : start + CHUNK] = program.jacobian(values, X[start : start + CHUNK])
    return result


class Program:
    """An expression whose parameters may have other values: computed without building it anew."""

    def __init__(self, expression: Expression) -> None:
        self.nodes = postorder(expression)
        self.children = places_of_children(self.nodes)
        self.columns, self.count = _columns(self.nodes)
        self.varied: list[bool] = []
        for column, children in zip(self.columns, self.children, strict=True):
            self.varied.append(column >= 0 or any(self.varied[child] for child in children))

    def value(self, parameters: Floats, X: Floats) -> Floats:
        """The value on every row."""
        return np.broadcast_to(self._values(parameters, X)[-1], len(X))

    def jacobian(self, parameters: Floats, X: Floats) -> Floats:
        """Derivatives by every parameter: rows × parameters."""
        values, out = self._values(parameters, X), np.zeros((len(X), self.count))
        adjoints: list[Floats | float] = [0.0] * len(self.nodes)
        adjoints[-1] = 1.0
        with np.errstate(all="ignore"):
            for place in reversed(range(len(self.nodes))):
                if self.varied[place]:
                    self._back(place, parameters, values, adjoints, out)
        return out

    def _values(self, parameters: Floats, X: Floats) -> list[Floats]:
        """The value of every node on every row; numbers as they are."""
        found: list[Floats] = []
        with np.errstate(all="ignore"):
            for node, children, column in zip(self.nodes, self.children, self.columns, strict=True):
                if isinstance(node, Number):
                    found.append(np.asarray(parameters[column]))
                elif isinstance(node, Variable):
                    found.append(X[:, node.index])
                elif isinstance(node, Power) and column >= 0:
                    found.append(np.power(found[children[0]], parameters[column]))
                else:
                    found.append(applied(node, [found[child] for child in children]))
        return found

    def _back(
        self,
        place: int,
        parameters: Floats,
        values: list[Floats],
        adjoints: list[Floats | float],
        out: Floats,
    ) -> None:
        """From the derivative by a node to those by its parameter and by its children."""
        node, column, adjoint = self.nodes[place], self.columns[place], adjoints[place]
        arguments = [values[child] for child in self.children[place]]
        slopes: tuple[Floats | float, ...] = ()
        if isinstance(node, Number):
            out[:, column] = adjoint
        elif isinstance(node, Power) and column >= 0:
            base, exponent = arguments[0], parameters[column]
            log = np.log(np.where(base == 0.0, 1.0, base))
            out[:, column] = adjoint * np.where(base == 0.0, 0.0, values[place] * log)
            slopes = (exponent * np.power(base, exponent - 1.0),)
        if any(self.varied[child] for child in self.children[place]):
            slopes = slopes or partials(node, arguments, values[place])
            for child, slope in zip(self.children[place], slopes, strict=True):
                if self.varied[child]:
                    adjoints[child] = adjoint * slope


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
