"""How large a formula may be: decided on rows that the search did not use.

Every model of the front is compared with the best one row by row. The smallest model that is not clearly worse sets the size;
a model that is not clearly better than a constant is none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene.pareto import Member
from multigene.problem import Problem

Floats = npt.NDArray[np.float64]

#: A larger model must be better than a smaller one by so many standard errors of their difference.
CLEARLY_BETTER = 0.5
#: A model must be better than the constant by so many.
BETTER_THAN_CONSTANT = 2.0
#: Room above the judged size for the search on all rows.
ROOM = 1.1


@dataclass(frozen=True)
class Verdict:
    """What the judging rows say."""

    most_nodes: int
    constant: bool
    validation_r2: dict[int, float]
    errors: Floats | None
    """Squared errors, row by row, of the model that set the size."""


def judge(problem: Problem, members: list[Member]) -> Verdict:
    """Judge the models of a front, smallest first."""
    everything = max((m.complexity for m in members), default=1)
    rows = problem.judge_rows
    if len(rows) == 0 or not members:
        return Verdict(everything, False, {}, None)
    Z, y = problem.standardised(problem.X[rows]), problem.y[rows]
    weights = np.ones(len(y)) if problem.weights is None else problem.weights[rows]
    if not weights.any():
        return Verdict(everything, False, {}, None)
    centre = np.average(problem.y[problem.search_rows], weights=None if problem.weights is None else problem.weights[problem.search_rows])
    constant = weights * (y - centre) ** 2
    errors = [weights * (y - m.individual.predict(Z)) ** 2 for m in members]
    errors = [np.where(np.isfinite(e), e, np.inf) for e in errors]
    total = float(np.sum(weights * (y - np.average(y, weights=weights)) ** 2)) or 1.0
    scores = {m.complexity: 1.0 - float(e.sum()) / total for m, e in zip(members, errors, strict=True)}
    best = int(np.argmin([e.sum() for e in errors]))
    if not _clearly_better(errors[best], constant, BETTER_THAN_CONSTANT):
        return Verdict(1, True, scores, constant)
    for member, error in zip(members, errors, strict=True):
        if member.complexity >= members[best].complexity or not _clearly_better(errors[best], error, CLEARLY_BETTER):
            return Verdict(int(np.ceil(ROOM * member.complexity)), False, scores, error)
    return Verdict(everything, False, scores, errors[best])


def prefer_short(problem: Problem, errors: Floats, chosen: Member, finds: list[Member]) -> Member:
    """A seeker's short formula instead of the approximators' when the judging rows see no clear difference."""
    rows = problem.judge_rows
    X, y = problem.X[rows], problem.y[rows]
    shorter = sorted((f for f in finds if f.complexity < chosen.complexity), key=lambda f: f.complexity)
    squares = {id(f): (y - f.individual.predict(X)) ** 2 for f in shorter}
    best = min(shorter, key=lambda f: float(squares[id(f)].sum()), default=None)
    if best is None or _clearly_better(errors, squares[id(best)], CLEARLY_BETTER):
        return chosen
    for find in shorter:
        if find is best or not _clearly_better(squares[id(best)], squares[id(find)], CLEARLY_BETTER):
            return find
    return chosen


def best_of(problem: Problem, members: list[Member]) -> Member:
    """Of models in the user's units, smallest first: the first that no other is clearly better than."""
    rows = problem.judge_rows if len(problem.judge_rows) else np.arange(len(problem.y))
    squares = [(problem.y[rows] - m.individual.predict(problem.X[rows])) ** 2 for m in members]
    squares = [np.where(np.isfinite(s), s, np.inf) for s in squares]
    best = min(squares, key=lambda s: float(s.sum()))
    for member, square in zip(members, squares, strict=True):
        if square is best or not _clearly_better(best, square, CLEARLY_BETTER):
            return member
    return members[-1]


def _clearly_better(first: Floats, second: Floats, errors: float) -> bool:
    """Is the mean of the first smaller than that of the second by so many standard errors of the difference?"""
    difference = second - first
    if not np.all(np.isfinite(difference)):
        return bool(np.isfinite(first).all())
    spread = float(difference.std(ddof=1)) / np.sqrt(len(difference)) if len(difference) > 1 else 0.0
    return float(difference.mean()) > errors * spread
