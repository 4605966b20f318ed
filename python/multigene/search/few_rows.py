"""A handful of rows, or rehearsals that were cut short: what may be believed without rows to judge by.

`search.Searcher` asks for a law in so few rows that seekers, who count every number of a formula as fitted, call nothing one;
and for a verdict where there are too few rows to rehearse. `result.py` asks which formula convinces all the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from multigene.evolution.pareto import Member
from multigene.expression.numbers import numbers, simple_numbers
from multigene.laws import law as laws
from multigene.laws.law import EXACT, Find
from multigene.laws.seekers import Seekers
from multigene.search.cross_validation import FEWEST_ROWS, few_rows
from multigene.search.judge import RIDGE, Verdict, clearly_better
from multigene.search.linear import Ridge
from multigene.search.problem import Problem

Floats = npt.NDArray[np.float64]

#: Longer finds are not looked at: in so few rows they are exact by their number of constants.
MOST_NODES = laws.STAIRS[0][0]
#: With more rows the seekers' own count of a formula's numbers is no obstacle to a short law.
MOST_ROWS = 40
#: Evaluations after which seekers pause, for what they found so far may do.
PIECE = 2000
#: What a node of a formula costs, and being found at all, in natural units of information: a search sees thousands of formulas.
NODE, LUCK = 2.3, 5.0
#: Ridge regression must be better than the mean by so many standard errors.
BETTER_THAN_MEAN = 1.0
#: Formulas with fitted numbers for more than this share of the rows pass through them by their number.
MOST_FITTED = 0.5


def seek_in_few(seekers: Seekers, evaluations: int, stop: Callable[[], bool], seen: set[float]) -> None:
    """Let seekers work; in a handful of rows with a pause, for a find may be a law by `law_of_few`."""
    if len(seekers.y) >= MOST_ROWS:
        seekers.seek(evaluations, stop)
        return
    until = seekers.evaluations + evaluations
    for piece in (PIECE, evaluations):
        if seekers.law is None and seekers.evaluations < until and not stop():
            seekers.seek(min(piece, until - seekers.evaluations), stop)
        if seekers.law is None:
            seekers.finds.law = law_of_few(seekers, seen)


def law_of_few(seekers: Seekers, seen: set[float]) -> Find | None:
    """The shortest exact find whose numbers are simple but for as many as the rows can vouch for, if there is one.

    `seen` holds what finds leave that were looked at before.
    """
    X, y = seekers.rows_given, seekers.y
    exact = [f for f in seekers.finds.by_size.values() if f.unexplained < EXACT and f.unexplained not in seen]
    for find in sorted(exact, key=lambda f: f.individual.complexity):
        seen.add(find.unexplained)
        if find.individual.complexity > MOST_NODES:
            continue
        law = laws.as_law(find, X, y, seekers.finds.data)
        if law is None or not seekers.finds.admits(law.expression):
            continue
        fitted = sum(value not in simple_numbers(value) for value in numbers(law.expression))
        if len(y) >= 3 * fitted + 10:
            return law
    return None


# --- what to believe without rows to judge by ------------------------------------------------------


def is_handful(problem: Problem) -> bool:
    """Too few different rows even for a rehearsal?"""
    if not few_rows(problem) or np.ptp(problem.y) == 0.0:
        return False
    return problem.different(np.arange(len(problem.y))) < FEWEST_ROWS


def judge_handful(problem: Problem) -> Verdict:
    """Ridge regression against the mean, each row left out once; a formula must convince against the better one."""
    Z, y, weights = _different_rows(problem)
    if len(y) < 3:
        return Verdict(1, constant=True)
    unit, line, mean = float(np.abs(y).max()) or 1.0, np.zeros(len(y)), np.zeros(len(y))
    for row in range(len(y)):
        rest = np.arange(len(y)) != row
        line[row] = Ridge.fitted(Z[rest], y[rest], weights[rest]).predict(Z[row : row + 1])[0]
        mean[row] = unit * float(np.average(y[rest] / unit, weights=weights[rest]))
    errors, around = (weights * ((y - predicted) / unit) ** 2 for predicted in (line, mean))
    if clearly_better(errors, around, BETTER_THAN_MEAN):
        return Verdict(1, linear=RIDGE)
    return Verdict(1, constant=True)


def handful_ridge(problem: Problem) -> Ridge:
    """Ridge regression of the different rows: leaving out one of two equal rows would tell nothing."""
    return Ridge.fitted(*_different_rows(problem))


def _different_rows(problem: Problem) -> tuple[Floats, Floats, Floats]:
    """Standardised rows that count, each once: the mean of their targets, the sum of their weights."""
    weights = np.ones(len(problem.y)) if problem.weights is None else problem.weights
    counted = weights > 0.0
    rows, number = np.unique(problem.X[counted], axis=0, return_inverse=True)
    number, weights, y = number.reshape(-1), weights[counted], problem.y[counted]
    total = np.asarray(np.bincount(number, weights), dtype=np.float64)
    unit = float(np.abs(y).max()) or 1.0
    return problem.standardised(rows), unit * np.bincount(number, weights * (y / unit)) / total, total


def most_convincing(members: Sequence[tuple[Member, int]], rival: Member, n: int) -> Member:
    """The model that saves most, in natural units of information on `n` rows, against the rival; or the rival itself.

    With each model comes how many of its numbers were fitted: they take rows away. A row tells as much as the logarithm of
    how much less is left unexplained, and every node of the formula must be paid for, as a search that tries enough
    formulas finds some that agree with any rows.
    """

    def left(member: Member, fitted: float) -> float:
        return max(1.0 - member.fitness, 1e-28) / (1.0 - fitted / n) ** 2

    to_beat = left(rival, min(rival.individual.n_parameters, MOST_FITTED * n))

    def saved(member: Member, fitted: int) -> float:
        return 0.5 * (n - fitted) * math.log(to_beat / left(member, fitted)) - NODE * member.complexity

    worth = [(saved(m, k), m) for m, k in members if k <= MOST_FITTED * n and math.isfinite(m.fitness)]
    most, best = max(worth, key=lambda pair: pair[0], default=(0.0, rival))
    return best if most > LUCK else rival
