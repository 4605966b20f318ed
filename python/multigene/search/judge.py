"""How large a formula may be: decided on rows that the search did not use.

Every model of the front is compared with the best one row by row. The smallest model that is not clearly worse sets the size;
what is not clearly better than a linear model gives way to it, and what is not clearly better than a constant is none.

Few rows cannot choose among many models without being fooled by the luckiest: there the search has been rehearsed
(`cross_validation.py`), and what it comes to must beat a ridge regression on rows that neither has seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual
from multigene.evolution.pareto import Member
from multigene.search.cross_validation import Rehearsal, parts, unseen_ridge
from multigene.search.problem import Problem
from multigene.settings.settings import Refinement

Floats = npt.NDArray[np.float64]

#: A larger model must be better than a smaller one by so many standard errors of their difference.
CLEARLY_BETTER = 0.25
#: Where short formulas are wanted: a shorter one is given up when another is better by so many.
CLEARLY_WORSE = 1.5
#: A model must be better than the best linear model by so many, and better than the constant.
BETTER_THAN_LINEAR = 1.5
BETTER_THAN_CONSTANT = 2.0
#: Ridge regression must be better than the mean by so many.
BETTER_THAN_MEAN = 0.25
#: Few noisy rows: a formula must do with this much less error than a line, or it is not worth its risk.
WORTH_IT = 0.15
#: Few rows that a model predicts this well (R²) are no matter of luck: they are judged like many.
CLEAR_SIGNAL = 0.95
#: Size that no model has.
EVERYTHING = 2**31
#: Number of the ridge regression among the linear models.
RIDGE = -1
#: Room above the judged size for the search on all rows.
ROOM = 1.25
#: Fewer different rows cannot judge.
FEWEST_TO_JUDGE = 10


@dataclass(frozen=True)
class Verdict:
    """What the judging rows say."""

    most_nodes: int
    constant: bool = False
    linear: int | None = None
    """Number of the linear model that is to be preferred, if one is; RIDGE for the ridge regression."""
    exactly: bool = False
    """Few noisy rows: the search goes on for no longer than it was rehearsed, and its fittest model of that size is chosen."""
    validation_r2: dict[int, float] = field(default_factory=dict)
    errors: Floats | None = None
    """Squared errors, row by row, of the model that set the size."""

    @property
    def decided(self) -> bool:
        """Is nothing left to be searched for?"""
        return self.constant or self.linear is not None or self.exactly

    def packed(self) -> list[Any]:
        """As plain values, without loss."""
        errors = None if self.errors is None else [e.hex() for e in self.errors.tolist()]
        scores = list(self.validation_r2.items())
        return [self.most_nodes, self.constant, self.linear, self.exactly, scores, errors]

    @staticmethod
    def unpacked(values: list[Any]) -> Verdict:
        """The verdict of its plain values."""
        most_nodes, constant, linear, exactly, scores, errors = values
        rows = None if errors is None else np.array([float.fromhex(e) for e in errors])
        known = {int(c): float(r) for c, r in scores}
        return Verdict(int(most_nodes), bool(constant), linear, bool(exactly), known, rows)


def judge(problem: Problem, members: list[Member], linear: list[Individual]) -> Verdict:
    """Judge the models of a front, smallest first."""
    jury = Jury(problem, problem.judge_rows)
    if not members or not jury.can_judge:
        return Verdict(EVERYTHING)
    errors = [jury.errors(m.individual) for m in members]
    scores = {m.complexity: jury.r2(e) for m, e in zip(members, errors, strict=True)}
    best = int(np.argmin([e.sum() for e in errors]))
    if not clearly_better(errors[best], jury.constant, BETTER_THAN_CONSTANT):
        return Verdict(1, constant=True, validation_r2=scores, errors=jury.constant)
    lines = [jury.errors(model) for model in linear]
    if lines:
        line = int(np.argmin([e.sum() for e in lines]))
        if not clearly_better(errors[best], lines[line], BETTER_THAN_LINEAR):
            most = linear[line].complexity
            return Verdict(most, linear=line, validation_r2=scores, errors=lines[line])
    small = smallest(errors)
    most = int(np.ceil(ROOM * members[small].complexity))
    return Verdict(most, validation_r2=scores, errors=errors[small])


def smallest(errors: Sequence[Floats], clearly: float = CLEARLY_BETTER) -> int:
    """Number of the smallest model that the best is not clearly better than; models come smallest first."""
    best = int(np.argmin([e.sum() for e in errors]))
    return next(
        i for i in range(best + 1) if i == best or not clearly_better(errors[best], errors[i], clearly)
    )


def judge_few(problem: Problem, rehearsals: Sequence[Rehearsal]) -> Verdict:
    """Few rows: the rehearsed search against ridge regression, and that against the mean; and the size that was best."""
    if not rehearsals:
        return _judge_line(problem)
    rows = np.concatenate([r.part for r in rehearsals])
    jury = Jury(problem, rows)
    sizes = sorted({c for r in rehearsals for c in r.complexities})
    curve = [jury.squares(np.concatenate([r.up_to(c) for r in rehearsals])) for c in sizes]
    scores = {c: jury.r2(e) for c, e in zip(sizes, curve, strict=True)}
    line = jury.squares(unseen_ridge(problem)[rows])
    mean = jury.squares(np.concatenate([np.full(len(r.part), r.mean) for r in rehearsals]))
    clear = max(scores.values()) >= CLEAR_SIGNAL
    small = smallest(curve, CLEARLY_BETTER if clear else CLEARLY_WORSE)
    has_line = clearly_better(line, mean, BETTER_THAN_MEAN)
    rival, needed = (line, BETTER_THAN_LINEAR) if has_line else (mean, BETTER_THAN_CONSTANT)
    if clear and clearly_better(curve[small], rival, needed):
        return Verdict(int(np.ceil(ROOM * sizes[small])), validation_r2=scores, errors=curve[small])
    worth_it = bool(curve[small].sum() < (1.0 - WORTH_IT) * rival.sum())
    if worth_it and convincing(curve[small], rival, needed):
        return Verdict(sizes[small], exactly=True, validation_r2=scores, errors=curve[small])
    if has_line:
        return Verdict(1, linear=RIDGE, validation_r2=scores, errors=line)
    return Verdict(1, constant=True, validation_r2=scores, errors=mean)


def _judge_line(problem: Problem) -> Verdict:
    """A run that ended before its first rehearsal: ridge regression against the mean."""
    rows = np.concatenate(parts(problem))
    jury = Jury(problem, rows)
    line = jury.squares(unseen_ridge(problem)[rows])
    if clearly_better(line, jury.constant, BETTER_THAN_MEAN):
        return Verdict(1, linear=RIDGE, errors=line)
    return Verdict(1, constant=True, errors=jury.constant)


class Jury:
    """Squared errors of models on rows they were not fitted to."""

    def __init__(self, problem: Problem, rows: npt.NDArray[np.intp]) -> None:
        self.rows, self.y = rows, problem.y[rows]
        self.weights = np.ones(len(rows)) if problem.weights is None else problem.weights[rows]
        self.Z = problem.standardised(problem.X[rows])
        fitted = problem.search_rows
        weights = None if problem.weights is None else problem.weights[fitted]
        unit = np.abs(problem.y).max() or 1.0
        self.constant = self.squares(
            np.full(len(rows), unit * np.average(problem.y[fitted] / unit, weights=weights))
        )
        self.can_judge = (
            problem.different(rows) >= FEWEST_TO_JUDGE
            and bool(self.weights.any())
            and bool(self.constant.sum() > 0.0)
        )

    def _scaled(self, residual: Floats) -> Floats:
        return np.asarray(residual / (np.abs(self.y).max(initial=0.0) or 1.0))

    def squares(self, predicted: Floats) -> Floats:
        """Weighted squared errors, row by row; infinite where there is no value."""
        with np.errstate(over="ignore", invalid="ignore"):
            errors = self.weights * self._scaled(self.y - predicted) ** 2
        return np.where(np.isfinite(errors), errors, np.inf)

    def errors(self, individual: Individual) -> Floats:
        """The same of a model of standardised features."""
        return self.squares(individual.predict(self.Z))

    def r2(self, errors: Floats) -> float:
        """R² on the judging rows."""
        centred = self._scaled(self.y - np.average(self.y, weights=self.weights))
        return 1.0 - float(errors.sum()) / (float(np.sum(self.weights * centred**2)) or 1.0)


def prefer_short(
    problem: Problem, errors: Floats, chosen: Member, finds: list[Member], convincing: Member | None = None
) -> Member:
    """A seeker's short formula instead of the approximators' when the judging rows see no clear difference: the most
    `convincing` one, or the shortest that is about as good as the best."""
    shorter = sorted((f for f in finds if f.complexity < chosen.complexity), key=lambda f: f.complexity)
    squares = {id(f): unseen_errors(problem, f.individual) for f in shorter}
    if any(len(s) != len(errors) for s in squares.values()):  # a rehearsal was cut short
        return chosen
    best = min(shorter, key=lambda f: float(squares[id(f)].sum()), default=None)
    if best is None or clearly_better(errors, squares[id(best)], CLEARLY_BETTER):
        return chosen
    if (
        convincing is not None
        and convincing in shorter
        and not clearly_better(squares[id(best)], squares[id(convincing)], CLEARLY_WORSE)
        and not clearly_better(errors, squares[id(convincing)], CLEARLY_BETTER)
    ):
        return convincing
    for find in shorter:
        if find is best or not clearly_better(squares[id(best)], squares[id(find)], CLEARLY_BETTER):
            return find
    return chosen


def unseen_errors(problem: Problem, individual: Individual) -> Floats:
    """Squared errors of a seeker's formula on the judging rows; with few rows on each part of them, fitted again to the rest."""
    if len(problem.judge_rows):
        jury, X = Jury(problem, problem.judge_rows), problem.X[problem.judge_rows]
        return jury.squares(individual.predict(X))
    left_out = parts(problem)
    if not left_out:  # too few to judge anything
        return Jury(problem, np.arange(len(problem.y))).squares(individual.predict(problem.X))
    jury, predictions = Jury(problem, np.concatenate(left_out)), []
    for part in left_out:
        rest = np.setdiff1d(np.arange(len(problem.y)), part)
        weights = None if problem.weights is None else problem.weights[rest]
        data = Dataset(np.ascontiguousarray(problem.X[rest]), problem.y[rest], weights)
        again = individual.refine(data, Refinement(iterations=3, prune=0.0))
        predictions.append(again.predict(np.ascontiguousarray(problem.X[part])))
    return jury.squares(np.concatenate(predictions))


def best_of(problem: Problem, members: list[Member], convincing: Member | None = None) -> Member:
    """Of models in the user's units, smallest first: the first that no other is clearly better than; the most `convincing` one
    comes before them."""
    squares = {id(m): unseen_errors(problem, m.individual) for m in members}
    best = min(squares.values(), key=lambda s: float(s.sum()))
    first = [convincing] if convincing is not None else []
    for member in (*first, *members):
        if squares[id(member)] is best or not clearly_better(best, squares[id(member)], CLEARLY_WORSE):
            return member
    return members[-1]


def convincing(first: Floats, second: Floats, errors: float) -> bool:
    """Clearly better, and on more rows than chance would have it: a mean of few squares may hang on one row."""
    wins = float(np.mean(first < second)) - 0.5
    return clearly_better(first, second, errors) and wins > 0.5 / np.sqrt(len(first))


def clearly_better(first: Floats, second: Floats, errors: float) -> bool:
    """Is the mean of the first smaller than that of the second by so many standard errors of the difference?"""
    if not np.all(np.isfinite(first)):
        return False
    if not np.all(np.isfinite(second)):
        return True
    difference = second - first
    spread = float(difference.std(ddof=1)) / np.sqrt(len(difference)) if len(difference) > 1 else 0.0
    return float(difference.mean()) > errors * spread
