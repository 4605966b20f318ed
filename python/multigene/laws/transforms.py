"""Target transforms of the law search: one row each. A law y = T⁻¹(sum of genes) is found as a sum of genes of T(y).

ln|y| turns products of unknown powers into sums; y² and 1/y do the same for roots of sums and reciprocals of sums.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from multigene.expression.build import ONE, ZERO, call
from multigene.expression.tree import Expression, Number, Operation, Power, Variable
from multigene.laws.constants import LARGEST_ARGUMENT

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Transform:
    """A row of the table."""

    name: str
    share: float
    """Share of the law search's work; 0 is for the survey alone."""
    forward: Callable[[Floats], Floats]
    """T."""
    usable: Callable[[Floats], bool]
    """Can T be undone on these values?"""
    inverse: Callable[[Expression, float], Expression]
    """T⁻¹ as an expression, given the sign of the target."""
    needs: tuple[str, ...] = ()
    """Operators of T⁻¹: a user who chose the functions must have chosen these."""


def one_sign(y: Floats) -> bool:
    """All values on one side of zero."""
    return bool(np.all(y > 0.0) or np.all(y < 0.0))


def _away_from_zero(y: Floats) -> bool:
    return bool(np.min(np.abs(y)) > 1e-4 * np.max(np.abs(y)))


def _signed(expression: Expression, sign: float) -> Expression:
    return expression if sign > 0 else Operation("neg", (expression,))


def _root(e: Expression, sign: float) -> Expression:
    return _signed(Operation("sqrt", (e,)), sign)


TRANSFORMS: tuple[Transform, ...] = (
    Transform("y", 1.5, lambda y: y, lambda y: True, lambda e, s: e),
    Transform(
        "ln|y|",
        1.5,
        lambda y: np.log(np.abs(y)),
        lambda y: bool(np.all(y != 0.0)),
        lambda e, s: _signed(Operation("exp", (e,)), s),
        ("exp", "log"),
    ),
    Transform("1/y", 1.0, lambda y: 1.0 / y, _away_from_zero, lambda e, s: Operation("inv", (e,)), ("div",)),
    Transform("y²", 0.8, lambda y: y * y, one_sign, _root, ("sqrt",)),
    Transform(
        "1/y²",
        0.7,
        lambda y: 1.0 / (y * y),
        lambda y: one_sign(y) and _away_from_zero(y),
        lambda e, s: _root(Operation("inv", (e,)), s),
        ("div", "sqrt"),
    ),
    Transform(
        "sin y",
        0.3,
        np.sin,
        lambda y: bool(np.all(np.abs(y) <= np.pi / 2)),
        # There is no arc sine among the operators: atan(s / sqrt(1 - s²)).
        lambda e, s: Operation(
            "atan",
            (Operation("div", (e, Operation("sqrt", (Operation("sub", (Number(1.0), Power(e, 2))),)))),),
        ),
        ("atan", "div", "sqrt"),
    ),
    Transform(
        "exp y",
        0.3,
        np.exp,
        lambda y: bool(np.all(np.abs(y) < 50.0)),
        lambda e, s: Operation("log", (e,)),
        ("log",),
    ),
)


def with_columns(y: Floats, columns: dict[int, Floats]) -> list[Transform]:
    """Transforms of a target by columns, for the survey alone: y to the power of a column, and the logarithm of how far y is on
    its way from 1 to 0, or between two of 1 and the columns, where it is between them on every row."""
    found = [_power(j, x) for j, x in columns.items()] if np.all(y > 0.0) else []
    bounds: list[tuple[Floats | float, Expression]] = [(1.0, ONE), (0.0, ZERO)]
    bounds += [(x, Variable(j)) for j, x in columns.items()]
    for (low, said_low), (high, said_high) in itertools.permutations(bounds, 2):
        with np.errstate(all="ignore"):
            way = (y - low) / (high - low)
        # From 0 on, the way to x is y/x; below a column y is often by chance.
        told = said_low != ZERO and (said_high != ZERO or said_low == ONE)
        if told and np.all((way > 0.0) & (way < 1.0)):
            found.append(_between(low, said_low, high, said_high))
    return found


def _power(j: int, x: Floats) -> Transform:
    return Transform(
        f"y**[{j}]",
        0.0,
        lambda y: np.exp(x * np.log(y)),
        lambda y: bool(np.max(np.abs(x * np.log(y))) < LARGEST_ARGUMENT),
        lambda e, s: call("exp", call("div", call("log", e), Variable(j))),
        ("exp", "log", "div"),
    )


def _between(
    low: Floats | float, said_low: Expression, high: Floats | float, said_high: Expression
) -> Transform:
    across = call("sub", said_high, said_low)
    return Transform(
        f"ln of {said_low} to {said_high}",
        0.0,
        lambda y: np.log((y - low) / (high - low)),
        lambda y: True,
        lambda e, s: call("add", said_low, call("mul", across, call("exp", e))),
        ("exp", "log", "add", "sub", "mul"),
    )


def logarithmic(transform: Transform) -> bool:
    """Is it the transform in which powers of features are fixed columns?"""
    return transform.name == "ln|y|"


_NAMED = {transform.name: transform for transform in TRANSFORMS}
#: Transforms whose target may be a sum or a product of parts (`parts/splits.py`): those of sums of genes but for the rare ones,
#: with the logarithm where no sign is lost, the reciprocal of everything but zero, and the root, which undoes a square.
SPLIT_TRANSFORMS: tuple[Transform, ...] = (
    _NAMED["y"],
    replace(_NAMED["ln|y|"], usable=one_sign),
    replace(_NAMED["1/y"], usable=lambda y: bool(np.all(y != 0.0))),
    _NAMED["y²"],
    Transform("√|y|", 1.0, lambda y: np.sqrt(np.abs(y)), one_sign, lambda e, s: _signed(Power(e, 2.0), s)),
    _NAMED["exp y"],
)
