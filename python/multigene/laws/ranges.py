"""Numbers whose squares floating point does not hold: the law search works on them in other units, powers of two.

`search/seeking.py` scales rows before the law search sees them and takes finds back into the user's units. Scaling by powers of
two changes no digit, so a law is as exact as it was.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from multigene.expression.build import weighted
from multigene.expression.rewriting import simplify
from multigene.expression.tree import Expression, Variable, substitute
from multigene.laws.constants import EXTREME, LOST_BELOW, ROUNDING, SPANS_UNDERFLOW
from multigene.laws.find import Find, measure

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Ranges:
    """What columns and target are multiplied by: 1 where their numbers are no trouble."""

    columns: Floats
    target: float

    @staticmethod
    def of(X: Floats, y: Floats) -> Ranges:
        """Factors for the columns and the target of a table."""
        factors = np.array([_factor(column) for column in X.T])
        return Ranges(factors, _factor(y))

    @property
    def change(self) -> bool:
        """Is anything scaled at all?"""
        return self.target != 1.0 or bool(np.any(self.columns != 1.0))

    def scaled(self, X: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Rows as the law search sees them."""
        return (X * self.columns, y * self.target) if self.change else (X, y)

    def in_user_units(self, find: Find, X: Floats, y: Floats, weights: Floats | None = None) -> Find | None:
        """A find for the user's own numbers, factors joined with constants where nothing overflows; None if it has no value."""
        if not self.change:
            return find
        written = weighted(1.0 / self.target, substitute(find.expression, self._meaning()))
        enough = max(4.0 * find.unexplained, ROUNDING)
        for expression in (_joined(written), written):
            there = None if expression is None else measure(expression, X, y, weights)
            if there is not None and there.unexplained <= enough:
                return replace(there, grade=find.grade)
        return None

    def _meaning(self) -> dict[int, Expression]:
        return {j: weighted(float(f), Variable(j)) for j, f in enumerate(self.columns) if f != 1.0}


def without_underflow(y: Floats) -> npt.NDArray[np.bool_]:
    """Rows on which the target has not become too small for floating point: exp(-x) is 0 from x = 746 on, which the logarithm
    does not survive. Zeros beside values of the usual sizes are zeros."""
    size = np.abs(y)
    other = size[size > 0.0]
    if len(other) == 0 or other.min() > SPANS_UNDERFLOW * other.max():
        return np.ones(len(y), dtype=np.bool_)
    return np.asarray(size > LOST_BELOW)


def _factor(values: Floats) -> float:
    """A power of two that brings the largest value near one, if it is one that cannot be squared or multiplied safely."""
    largest = float(np.abs(values).max())
    if not np.isfinite(largest) or largest == 0.0 or 1.0 / EXTREME <= largest <= EXTREME:
        return 1.0
    return 2.0 ** min(-round(float(np.log2(largest))), 1000)  # denormal numbers stay small


def _joined(expression: Expression) -> Expression | None:
    try:
        return simplify(expression)
    except (OverflowError, ValueError):  # a constant beyond what floating point holds
        return None
