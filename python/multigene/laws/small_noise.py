"""Laws in data whose noise is far below what anybody measures, such as single precision carried through a simulation.

Such a find is neither exact nor noisy in the sense of `noise.py`: it leaves a millionth of the target's spread. It is a law,
exact to the data's precision, if it is short, what it leaves looks like noise, and every fitted number stands out from that.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset
from multigene.expression.jacobian import jacobian
from multigene.expression.numbers import parameters
from multigene.expression.readable import size
from multigene.expression.tree import Expression, evaluate
from multigene.laws import exact
from multigene.laws.cleaning import without_dead_parts
from multigene.laws.constants import DIGITS_NODES, DROP_TUNING, EXACT, STANDS_OUT
from multigene.laws.find import Find, polished
from multigene.laws.noise import simplified
from multigene.laws.residuals import like_noise

Floats = npt.NDArray[np.float64]


def law_in_small_noise(find: Find, X: Floats, y: Floats, data: Dataset) -> Find | None:
    """The find simplified within its noise, graded as exact to the data's precision; None if it is no law of that kind."""
    if not find.unexplained < EXACT or not _plain_noise(find.expression, X, y):
        return None
    find = without_dead_parts(find, X, y, data)
    find = simplified(find, X, y, lambda e: polished(e, X, y, data, DROP_TUNING), lambda _: True)
    if size(find.expression) > DIGITS_NODES or not find.unexplained < EXACT:
        return None
    if not _plain_noise(find.expression, X, y) or not exact.sampled(find.expression, X):
        return None
    return replace(find, grade=exact.TO_PRECISION) if _stands_out(find.expression, X, y) else None


def _plain_noise(expression: Expression, X: Floats, y: Floats) -> bool:
    predicted = evaluate(expression, X)
    return bool(np.isfinite(predicted).all()) and like_noise(y - predicted, X, predicted)


def _stands_out(expression: Expression, X: Floats, y: Floats) -> bool:
    """Would dropping any fitted number, the others tuned again, leave many times as much?"""
    places = exact.fitted_places(expression)
    if not places:
        return True
    effects = jacobian(expression, X)[:, places] * np.array(parameters(expression))[places]
    left = float(np.linalg.norm(y - evaluate(expression, X)))
    if not np.isfinite(effects).all():
        return False
    return all(exact.beyond(effects, k) >= STANDS_OUT * left for k in range(len(places)))
