"""A formula that the page's script can compute: source of a function of a row and of the formula's numbers.

The JavaScript exporter writes it, with numbers as elements of an array, so that the script can also differentiate by them: that
is what intervals are made of (`explain/intervals.py`), in a page that asks nobody for anything.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from multigene.explain.intervals import Uncertainty, parts
from multigene.export.javascript import JavaScriptWriter
from multigene.export.writer import Piece
from multigene.expression.numbers import parameters
from multigene.expression.tree import Expression, Number
from multigene.formula import Formula
from multigene.groups.certainty import GroupUncertainty
from multigene.report.constants import MOST_GROUPS, MOST_NUMBERS
from multigene.report.numbers import number
from multigene.report.statistics import Intervals


class ParameterWriter(JavaScriptWriter):
    """JavaScript with columns as `x[j]` and the formula's numbers as `p[k]`, in the order of `parameters`."""

    def __init__(self, columns: int) -> None:
        super().__init__([f"x[{j}]" for j in range(columns)])
        self.count = 0

    def _next(self) -> str:
        self.count += 1
        return f"p[{self.count - 1}]"

    def _piece(self, node: Expression, parts: tuple[Piece, ...]) -> Piece:
        return self.atom(self._next()) if isinstance(node, Number) else super()._piece(node, parts)

    def exponent(self, value: float) -> str:
        return super().exponent(value) if value.is_integer() else self._next()


def computed(formula: Formula, intervals: Intervals | None) -> dict[str, Any]:
    """Source of the function, its numbers, and of the intervals: residual variance, Student's t and the factor of the numbers'
    covariance, and of the numbers that groups have. Without `variance` there are no intervals; without `factor` they know the
    noise alone.
    """
    writer = ParameterWriter(len(formula.feature_names))
    body = writer.write(formula.expression)
    steps = "".join(f"const mg_s{k} = {step}; " for k, step in enumerate(writer.steps, start=1))
    numbers = parameters(formula.expression)
    said: dict[str, Any] = {
        "source": f"{writer.helpers()}return (x, p) => {{ {steps}return {body}; }};",
        "numbers": numbers,
    }
    if len(numbers) <= MOST_NUMBERS:
        said["parts"] = parts(formula)
    known = None if intervals is None else intervals.uncertainty
    if known is None:
        return said
    said |= {"variance": number(known.variance, 17), "quantile": number(known.quantile(0.95), 17)}
    if len(numbers) <= MOST_NUMBERS and np.isfinite(known.factor).all():
        of_groups = _groups(known)
        if of_groups is not None:
            said |= {"factor": _short(known.factor)} | of_groups
    return said


def _groups(known: Uncertainty) -> dict[str, Any] | None:
    """What the numbers that groups have for themselves add; None where they are too many for a page."""
    if not isinstance(known, GroupUncertainty):
        return {}
    if len(known.own) > MOST_GROUPS + 1:
        return None
    own, shared = _short(known.own), _short(known.shared)
    return {"groups": {"place": known.place, "columns": list(known.columns), "own": own, "shared": shared}}


def _short(values: npt.NDArray[np.float64]) -> Any:
    """Numbers of an array in few digits, as lists."""
    return [_short(each) for each in values] if values.ndim else number(float(values), 5)
