"""Shapes that are known of a target, with the box in which they hold: what a fitted model and its file keep of them."""

from __future__ import annotations

import warnings
from collections.abc import Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene.expression.tree import Expression
from multigene.shapes.constants import CHECKED_POINTS
from multigene.shapes.proof import Verdict, verdicts
from multigene.shapes.stated import Stated, read

Floats = npt.NDArray[np.float64]

#: Kinds that hold for a predictor if and only if they hold for the prediction, with any link.
WITH_ANY_LINK = ("increasing", "decreasing", "symmetric", "even")


@dataclass(frozen=True, eq=False)
class Known:
    """Statements, and where they hold."""

    stated: Stated
    low: Floats
    high: Floats
    unit: float
    """Range of the target: what is missing of a shape is measured by it."""

    @staticmethod
    def of(texts: Any, names: list[str], target: str, X: Floats, y: Floats, loss: Any) -> Known | None:
        """Of the rows; None where nothing is stated. A `ValueError` says what is wrong with a statement."""
        if texts is None or (isinstance(texts, Sized) and len(texts) == 0 and not isinstance(texts, str)):
            return None
        stated = read(texts, names, target)
        for shape in stated.shapes:
            if loss.link != "identity" and shape.kind not in WITH_ANY_LINK:
                raise ValueError(
                    f"shapes: {shape.text!r} is about the prediction itself, and loss={loss.name!r} finds formulas of its "
                    f"{'logarithm' if loss.link == 'log' else 'log-odds'}; state monotony or symmetry, or take another loss."
                )
        if not stated.shapes:
            raise ValueError(
                f"shapes={list(stated.ranges) and texts!r} has ranges of columns and no shape; state one, such as "
                f"'increasing in {names[0]}'."
            )
        _warn_of_rows_outside(stated, y)
        low, high = stated.box(X.min(axis=0), X.max(axis=0))
        return Known(stated, low, high, float(np.ptp(y)) or 1.0)

    @property
    def texts(self) -> list[str]:
        """The statements as they were made."""
        return [shape.text for shape in self.stated.shapes]

    def verdicts(self, expression: Expression, points: int = CHECKED_POINTS) -> list[Verdict]:
        """What is known of a formula, one verdict for every shape."""
        return verdicts(expression, self.stated, self.low, self.high, self.unit, points)


def _warn_of_rows_outside(stated: Stated, y: Floats) -> None:
    """Bounds that most rows break are hardly meant."""
    for shape in stated.shapes:
        if shape.kind == "bounds":
            outside = int(np.sum((y < shape.low) | (y > shape.high)))
            if outside > 0.5 * len(y):
                warnings.warn(
                    f"shapes: {shape.text!r} does not hold for the target of {outside} of {len(y)} rows; check the bound.",
                    UserWarning,
                    stacklevel=6,
                )
