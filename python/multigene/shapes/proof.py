"""Proof of a shape by interval arithmetic: the box is cut into smaller and smaller ones until each of them keeps the shape
for certain.

Bounds ask for the range of values, monotony for that of the slope, convexity for that of the bend. Symmetry and known values
are proven where the formula with the columns exchanged, mirrored or filled in is the same formula. "Proven" is up to
`TOLERANCE` of the target's range: numbers are doubles, and a slope that touches zero may miss it by their rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np
import numpy.typing as npt

from multigene.expression.build import call
from multigene.expression.rewriting import simplify
from multigene.expression.tree import (
    Expression,
    Number,
    Operation,
    Variable,
    evaluate,
    fold,
    rebuild,
    substitute,
    variables,
)
from multigene.shapes.constants import (
    CHECKED_POINTS,
    CORNERED,
    MOST_BOXES,
    MOST_WAITING,
    POINT_BOXES,
    TOLERANCE,
)
from multigene.shapes.jets import Interval, jet
from multigene.shapes.points import Conditions
from multigene.shapes.stated import Shape, Stated

Floats = npt.NDArray[np.float64]
Status = Literal["proven", "checked", "violated"]


@dataclass(frozen=True)
class Verdict:
    """What is known of one shape of one formula."""

    shape: str
    status: Status
    points: int = 0
    """Conditions that were checked, where that is all that is known."""

    def __str__(self) -> str:
        if self.status == "checked":
            return f"{self.shape}: checked on {self.points} points"
        return f"{self.shape}: {self.status}"


def verdicts(
    expression: Expression,
    stated: Stated,
    low: Floats,
    high: Floats,
    unit: float,
    points: int = CHECKED_POINTS,
    most: int = MOST_BOXES,
) -> list[Verdict]:
    """One for every shape, in their order; `unit` is the range of the target."""
    found: list[Verdict] = []
    for shape in stated.shapes:
        status, seen = decided(expression, shape, low, high, unit, most), 0
        if status is None:
            one = Stated((shape,), {})
            conditions = Conditions.of(one, low, high, unit, np.random.default_rng(1), points)
            seen = len(conditions.lower)
            status = None if conditions.kept(evaluate(expression, conditions.points)) else False
        word: Status = "checked" if status is None else "proven" if status else "violated"
        found.append(Verdict(shape.text, word, seen))
    return found


def decided(
    expression: Expression, shape: Shape, low: Floats, high: Floats, unit: float, most: int = MOST_BOXES
) -> bool | None:
    """Is the shape certain in all of the box? None where neither that nor the contrary is known after `most` boxes."""
    if shape.kind in ("symmetric", "even", "odd", "value"):
        return True if _same(expression, shape, unit) else None
    used = variables(expression)
    if shape.columns and shape.columns[0] not in used:
        return True
    return _by_boxes(expression, shape, np.array([low]), np.array([high]), unit, used, most)


def _by_boxes(
    expression: Expression,
    shape: Shape,
    low: Floats,
    high: Floats,
    unit: float,
    used: tuple[int, ...],
    most: int,
) -> bool | None:
    """Cut boxes until each keeps the shape, one breaks it, or there are too many."""
    widths = np.where(high[0] > low[0], high[0] - low[0], 1.0)
    points = _spread(low[0], high[0], used)
    if _decided(expression, shape, points, points, unit, widths)[1].any():
        return False
    seen = 0
    while len(low):
        seen += len(low)
        if seen > most or len(low) > MOST_WAITING:
            return None
        keeps, breaks = _decided(expression, shape, low, high, unit, widths)
        if breaks.any():
            return False
        low, high = low[~keeps], high[~keeps]
        if len(low) == 0:
            return True
        middle = 0.5 * (low + high)
        if not used or _decided(expression, shape, middle, middle, unit, widths)[1].any():
            return False if used else None
        low, high = _cut(low, high, widths, used)
    return True


def _spread(low: Floats, high: Floats, used: tuple[int, ...]) -> Floats:
    """Points as boxes without width: corners, where most is wrong, faces and the inside."""
    rng = np.random.default_rng(2)
    share = np.clip(rng.uniform(-0.5, 1.5, (POINT_BOXES, len(low))), 0.0, 1.0)
    corners = np.array(list(product((0.0, 1.0), repeat=min(len(used), CORNERED))))
    share[: len(corners), list(used[:CORNERED])] = corners
    return np.asarray(low + share * (high - low))


def _decided(
    expression: Expression, shape: Shape, low: Floats, high: Floats, unit: float, widths: Floats
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Which boxes keep the shape for certain, and which break it."""
    if shape.kind == "bounds":
        found = jet(expression, low, high).value
        room = TOLERANCE * unit
        keeps = (found.low >= shape.low - room) & (found.high <= shape.high + room)
        return keeps, (found.high < shape.low - room) | (found.low > shape.high + room)
    [column] = shape.columns
    derivatives = jet(expression, low, high, column)
    found = derivatives.slope if shape.kind in ("increasing", "decreasing") else derivatives.bend
    if shape.kind in ("decreasing", "concave"):
        found = Interval(-found.high, -found.low)
    width = widths[column] if shape.kind in ("increasing", "decreasing") else widths[column] ** 2
    # Slopes on both sides of a pole tell nothing about it.
    bounded = np.isfinite(derivatives.value.low) & np.isfinite(derivatives.value.high)
    return bounded & (found.low * width >= -TOLERANCE * unit), found.high * width < -TOLERANCE * unit


def _cut(low: Floats, high: Floats, widths: Floats, used: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Every box in two halves, across the column in which it is widest."""
    columns = np.array(used)
    across = columns[np.argmax((high[:, columns] - low[:, columns]) / widths[columns], axis=1)]
    rows = np.arange(len(low))
    middle = 0.5 * (low[rows, across] + high[rows, across])
    left, right = high.copy(), low.copy()
    left[rows, across], right[rows, across] = middle, middle
    return np.vstack([low, right]), np.vstack([left, high])


def _same(expression: Expression, shape: Shape, unit: float) -> bool:
    """Is the formula with columns exchanged, mirrored or filled in the same, or the number that is known?"""
    if shape.kind == "value":
        filled = simplify(substitute(expression, {column: Number(value) for column, value in shape.at}))
        if variables(filled):
            return False
        [found] = evaluate(filled, np.zeros((1, 1)))
        return bool(abs(found - shape.value) <= TOLERANCE * unit)
    if shape.kind == "symmetric":
        exchanges = [
            {first: Variable(second), second: Variable(first)}
            for first, second in zip(shape.columns, shape.columns[1:], strict=False)
        ]
        if not set(shape.columns) & set(variables(expression)):
            return True
        own = _canonical(expression)
        return all(_canonical(substitute(expression, each)) == own for each in exchanges)
    [column] = shape.columns
    if column not in variables(expression):
        return shape.kind == "even"
    mirrored = substitute(expression, {column: call("neg", Variable(column))})
    if shape.kind == "odd":
        mirrored = call("neg", mirrored)
    return _canonical(mirrored) == _canonical(expression)


def _canonical(expression: Expression) -> Expression:
    """Simplified, sums and products in one order: equal ones are the same function, different ones may be."""

    def ordered(node: Expression, children: tuple[Expression, ...]) -> Expression:
        if isinstance(node, Operation) and node.name in ("add", "mul", "min", "max"):
            return rebuild(node, tuple(sorted(children, key=repr)))
        return rebuild(node, children)

    return fold(simplify(expression), ordered)
