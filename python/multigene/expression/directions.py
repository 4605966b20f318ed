"""Named directions: a long formula with each of its linear combinations called u1, u2, … and listed once.

`named` takes a formula's expression and gives one that is as much the model as the first, only that linear combinations of
columns are columns of their own behind the given ones. The page writes the short formula and a table of directions, terminals
`y = … where u1 = …`; exports compute directions first, as local variables (`is_direction`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene.expression.build import linear, sum_of
from multigene.expression.constants import FEW_COLUMNS, OUTSIDE, OUTSIDE_LONG, SHORT_FORMULA
from multigene.expression.rewriting.parts import split_term
from multigene.expression.tree import Expression, Number, Operation, Variable, fold, postorder, rebuild

Floats = npt.NDArray[np.float64]


Weights = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Direction:
    """A linear combination of columns: an additive number and a weight for each column."""

    bias: float
    weights: Weights

    @property
    def expression(self) -> Expression:
        """As an expression of the columns."""
        return linear(self.bias, self.weights)

    def values(self, X: Floats) -> Floats:
        """Its value on every row."""
        columns = [j for j, _ in self.weights]
        return np.asarray(self.bias + X[:, columns] @ np.array([w for _, w in self.weights]))


@dataclass(frozen=True)
class Named:
    """An expression of columns and directions; direction k stands behind the columns, as column `columns + k`."""

    expression: Expression
    directions: tuple[Direction, ...]
    columns: int

    @property
    def names(self) -> list[str]:
        """What the directions are called."""
        return [f"u{k + 1}" for k in range(len(self.directions))]

    def rows(self, X: Floats) -> Floats:
        """Rows with the values of directions behind the columns."""
        return np.column_stack([X, *(direction.values(X) for direction in self.directions)])


def named(expression: Expression, columns: int, size: int) -> Named:
    """The expression of a formula of `size` nodes with its directions named; a short formula with short combinations stays
    as it is.
    """
    long = size > SHORT_FORMULA
    inside = 1 if long else FEW_COLUMNS
    found: dict[Weights, set[float]] = {}

    for node in postorder(expression):
        bias, weights, others = _parts(node, columns)
        outside = OUTSIDE_LONG if long and others else OUTSIDE
        if len(weights) > (outside if node is expression else inside):
            found.setdefault(weights, set()).add(bias)
    # The additive number belongs to the direction where all its uses have the same one.
    directions = tuple(
        Direction(next(iter(biases)) if len(biases) == 1 else 0.0, weights)
        for weights, biases in found.items()
    )
    places = {direction.weights: place for place, direction in enumerate(directions)}

    def replace(node: Expression, children: tuple[Expression, ...]) -> Expression:
        node = rebuild(node, children)
        bias, weights, others = _parts(node, columns)
        place = places.get(weights)
        if place is None:
            return node
        left = bias - directions[place].bias
        number = [Number(left)] if left != 0.0 else []
        return sum_of([Variable(columns + place), *others, *number])

    return Named(fold(expression, replace), directions, columns)


def is_direction(node: Expression) -> bool:
    """Is this a linear combination of several columns, and nothing else?"""
    if not _is_sum(node):
        return False
    columns = 1 + max((each.index for each in postorder(node) if isinstance(each, Variable)), default=-1)
    _, weights, others = _parts(node, columns)
    return len(weights) > 1 and not others


def _is_sum(node: Expression) -> bool:
    return isinstance(node, Operation) and node.name in ("add", "sub")


def _parts(node: Expression, columns: int) -> tuple[float, Weights, list[Expression]]:
    """A sum as its number, its columns with their weights, and its other terms; nothing of what is no sum."""
    if not _is_sum(node):
        return 0.0, (), []
    assert isinstance(node, Operation)
    terms = list(node.arguments)
    if node.name == "sub":
        terms[1] = Operation("neg", (terms[1],))
    bias, weights, others = 0.0, dict[int, float](), list[Expression]()
    for term in terms:
        coefficient, rest = split_term(term)
        if rest is None:
            bias += coefficient
        elif isinstance(rest, Variable) and rest.index < columns:
            weights[rest.index] = weights.get(rest.index, 0.0) + coefficient
        else:
            others.append(term)
    return bias, tuple(sorted((j, w) for j, w in weights.items() if w != 0.0)), others
