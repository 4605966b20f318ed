"""How much may be claimed of a formula: whether it is the law behind some rows, by how it is graded and how probable that is.

`FittedModel.claim` asks about the formula in use. A grade follows from the rows alone (`exact.py`, `residuals.py`): in noise one
is given if what is left looks like noise, and is not more than in the planted laws that say how probable a claim is. The
probability is how often formulas of that kind were the law in planted laws (`python -m benchmarks calibration`). It is that of
data that follow a law of the usual functions: nobody can say how many do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene.expression.readable import size
from multigene.expression.tree import Expression, evaluate, variables
from multigene.laws import exact
from multigene.laws.constants import CONFIDENCE, EXACT, HOPELESS, LARGEST_LAW
from multigene.laws.find import measure
from multigene.laws.residuals import like_noise

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Claim:
    """What may be said of a formula."""

    grade: str
    """"exact", "exact to the data's precision" or "consistent with the noise"."""
    probability: float
    """That it is the law, in data that follow one."""


def claim_of(expression: Expression, X: Floats, y: Floats, weights: Floats | None = None) -> Claim | None:
    """What may be claimed of a formula on these rows; None where they contradict it, or are too few for its numbers."""
    fitted = len(exact.fitted_places(expression))
    if not variables(expression) or size(expression) > LARGEST_LAW or len(y) < 3 * fitted + 10:
        return None
    with np.errstate(all="ignore"):
        found = measure(expression, X, y, weights)
        unexplained = np.inf if found is None else found.unexplained
        grade = exact.grade(expression, X, y)
        if grade is None and unexplained <= HOPELESS and leaves_noise(expression, X, y, weights):
            grade = exact.TO_PRECISION if unexplained < EXACT else exact.IN_NOISE
    if grade is None:
        return None
    return Claim(grade, kind_of(grade, unexplained, fitted)[2])


def kind_of(grade: str, unexplained: float, fitted: int) -> tuple[float, int, float]:
    """Formulas that are claimed alike: up to which share of the variance unexplained, up to how many fitted numbers, and how
    probable they are."""
    kinds = CONFIDENCE[grade]
    return next(kind for kind in kinds if (kind[0] >= 1.0 or unexplained <= kind[0]) and fitted <= kind[1])


def leaves_noise(expression: Expression, X: Floats, y: Floats, weights: Floats | None = None) -> bool:
    """Is nothing that features can tell left of the target? `weights` say how much a row counts."""
    predicted = evaluate(expression, X)
    if not np.isfinite(predicted).all():
        return False
    left = (y - predicted) if weights is None else (y - predicted) * np.sqrt(weights / weights.mean())
    return like_noise(left, X, predicted)
