"""Which find is a law: cleaned up (`cleaning.py`), then tested (`exact.py`) and graded.

A law explains the target to numerical precision. `finds.py` hands over what the phases of the law search have found, as
expressions in the user's variables (`undo.py`). What the rest of the package needs of finds and laws is here.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset
from multigene.expression.tree import Expression, Operation, Variable, evaluate, fold, rebuild
from multigene.laws import exact
from multigene.laws.cleaning import (
    cleaned,
    is_law,
    reduced,
    smaller_expressions,
    to_rounding,
    without_dead_parts,
)
from multigene.laws.constants import CANCELLATION, EXACT, MOST_LOST, MOST_WEAK, STAIRS
from multigene.laws.find import Find, as_individual, individual_of, measure, polished, shortest
from multigene.laws.residuals import like_noise

__all__ = [
    "EXACT",
    "STAIRS",
    "Find",
    "as_individual",
    "as_law",
    "cleaned",
    "has_cancelling_sum",
    "holds",
    "individual_of",
    "is_law",
    "measure",
    "polished",
    "reduced",
    "shortest",
    "smaller_expressions",
]

Floats = npt.NDArray[np.float64]


def as_law(find: Find, X: Floats, y: Floats, data: Dataset) -> Find | None:
    """The find shortened, its numbers cleaned up, and graded; None if it is no law."""
    floor = exact.digits_share(X, y)
    find = to_rounding(without_dead_parts(find, X, y, data), X, y)
    find = to_rounding(cleaned(reduced(find, X, y, data), X, y), X, y)
    if not is_law(find, floor) or exact.level(find.expression, X, y) is None:
        return None
    for _ in range(MOST_LOST):
        weak = exact.undetermined(find.expression, X, y)
        if not weak:
            break
        without = _without_a_number(find, weak, X, y)
        if without is None:
            return None
        find = without
    grade = exact.grade(find.expression, X, y)
    return None if grade is None or has_cancelling_sum(find.expression, X) else replace(find, grade=grade)


def holds(law: Find, X: Floats, y: Floats) -> bool:
    """Does a law hold on rows that it was not found on, small values included?"""
    exactly = law.grade == exact.EXACTLY
    return exact.holds(law.expression, X, y, exactly) or (not exactly and _holds_in_small_noise(law, X, y))


def _holds_in_small_noise(law: Find, X: Floats, y: Floats) -> bool:
    """Is all that is left of other rows a little noise?"""
    there, predicted = measure(law.expression, X, y), evaluate(law.expression, X)
    return there is not None and there.unexplained < EXACT and like_noise(y - predicted, X, predicted)


def _without_a_number(find: Find, weak: list[int], X: Floats, y: Floats) -> Find | None:
    """As exact a law with one of these numbers less, if there is one; that with the fewest fitted numbers."""
    found = []
    for place in weak[:MOST_WEAK]:
        for expression in exact.without_number(find.expression, place, X, y):
            without = None if exact.level(expression, X, y) is None else measure(expression, X, y)
            if without is not None:
                found.append(to_rounding(cleaned(without, X, y), X, y))
    return min(
        found, key=lambda f: (len(exact.fitted_places(f.expression)), f.individual.complexity), default=None
    )


def has_cancelling_sum(expression: Expression, X: Floats) -> bool:
    """Is there a sum of large terms that all but cancel? Such formulas approximate a derivative or a limit."""

    def value(node: Expression, parts: tuple[tuple[Floats, bool], ...]) -> tuple[Floats, bool]:
        alone = rebuild(node, tuple(Variable(k) for k in range(len(parts)))) if parts else node
        columns = np.column_stack([np.broadcast_to(v, len(X)) for v, _ in parts]) if parts else X
        values = evaluate(alone, columns)
        found = any(bad for _, bad in parts)
        if isinstance(node, Operation) and node.name in ("add", "sub"):
            with np.errstate(all="ignore"):
                found |= bool(np.max(np.abs(columns)) > CANCELLATION * np.max(np.abs(values)))
        return values, found

    return fold(expression, value)[1]
