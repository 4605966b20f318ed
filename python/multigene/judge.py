"""How large a formula may be: decided on rows that the search did not use.

Every model of the front is compared with the best one row by row. The smallest model that is not clearly worse sets the size;
what is not clearly better than a linear model gives way to it, and what is not clearly better than a constant is none. With too
few rows to keep some apart, models are fitted again to nine tenths of the rows and judged on the rest, with stricter rules.

Few rows cannot choose among many models without being fooled by the luckiest: there, the search's own rows name the one
candidate by the Bayesian information criterion, and it must beat a ridge regression on most of the judging rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual
from multigene.linear import Ridge, out_of_fold
from multigene.pareto import Member
from multigene.problem import Problem
from multigene.settings import Refinement

Floats = npt.NDArray[np.float64]

#: A larger model must be better than a smaller one by so many standard errors of their difference.
CLEARLY_BETTER = 0.25
#: Where short formulas are wanted: a shorter one is given up when another is better by so many.
CLEARLY_WORSE = 1.5
#: A model must be better than the best linear model by so many, and better than the constant.
BETTER_THAN_LINEAR = 1.5
BETTER_THAN_CONSTANT = 2.0
#: Ridge regression must be better than the mean by so many.
BETTER_THAN_MEAN = 1.0
#: With fewer rows than this the search's rows name one candidate.
FEW_ROWS = 400
#: Few rows that a model predicts this well (R²) are no matter of luck: they are judged like many.
CLEAR_SIGNAL = 0.95
#: Few rows: a candidate must have so many for each of its parameters.
ROWS_PER_PARAMETER = 8
#: Number of the ridge regression among the linear models.
RIDGE = -1
#: Models whose structure was found on the judging rows themselves must be so much better.
STRICTER = 1.5
#: Room above the judged size for the search on all rows.
ROOM = 1.25
FOLDS = 10


@dataclass(frozen=True)
class Verdict:
    """What the judging rows say."""

    most_nodes: int
    constant: bool = False
    linear: int | None = None
    """Number of the linear model that is to be preferred, if one is; RIDGE for the ridge regression."""
    exactly: bool = False
    """Few rows: the model of `most_nodes` nodes itself is chosen, no other."""
    validation_r2: dict[int, float] = field(default_factory=dict)
    errors: Floats | None = None
    """Squared errors, row by row, of the model that set the size."""

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
    everything = max((m.complexity for m in members), default=1)
    jury = Jury(problem)
    if not members or not jury.can_judge:
        return Verdict(everything)
    errors = [jury.errors(m.individual) for m in members]
    scores = {m.complexity: jury.r2(e) for m, e in zip(members, errors, strict=True)}
    if few_rows(problem) and max(scores.values()) < CLEAR_SIGNAL:
        return _judge_few(problem, members, errors, scores, jury)
    best = int(np.argmin([e.sum() for e in errors]))
    if not clearly_better(errors[best], jury.constant, BETTER_THAN_CONSTANT * jury.strictness):
        return Verdict(1, constant=True, validation_r2=scores, errors=jury.constant)
    lines = [jury.errors(model) for model in linear]
    if lines:
        line = int(np.argmin([e.sum() for e in lines]))
        if not clearly_better(errors[best], lines[line], BETTER_THAN_LINEAR * jury.strictness):
            most = linear[line].complexity
            return Verdict(most, linear=line, validation_r2=scores, errors=lines[line])
    for member, error in zip(members, errors, strict=True):
        if member.complexity >= members[best].complexity or not clearly_better(
            errors[best], error, CLEARLY_BETTER
        ):
            return Verdict(int(np.ceil(ROOM * member.complexity)), validation_r2=scores, errors=error)
    return Verdict(everything, validation_r2=scores, errors=errors[best])


def few_rows(problem: Problem) -> bool:
    """Too few rows to choose among many models?"""
    return len(problem.y) < FEW_ROWS


def _judge_few(
    problem: Problem, members: list[Member], errors: list[Floats], scores: dict[int, float], jury: Jury
) -> Verdict:
    """One candidate, named by the rows of the search, against ridge regression, and that against the mean."""
    n = problem.different(problem.search_rows)
    candidates = [i for i, m in enumerate(members) if m.individual.n_parameters <= n / ROWS_PER_PARAMETER]
    best = min(candidates or [0], key=lambda i: information(members[i], n))
    weights = np.ones(len(problem.y)) if problem.weights is None else problem.weights
    line, constant = ridge_and_mean(problem, weights)
    has_line = clearly_better(line, constant, BETTER_THAN_MEAN)
    rival = jury.ridge() if has_line else jury.constant
    needed = BETTER_THAN_LINEAR if has_line else BETTER_THAN_CONSTANT
    if convincing(errors[best], rival, needed * jury.strictness**2):
        most = members[best].complexity
        return Verdict(most, exactly=True, validation_r2=scores, errors=errors[best])
    if has_line:
        return Verdict(1, linear=RIDGE, validation_r2=scores, errors=rival)
    return Verdict(1, constant=True, validation_r2=scores, errors=jury.constant)


def ridge_and_mean(problem: Problem, weights: Floats) -> tuple[Floats, Floats]:
    """Squared errors of ridge regression and of the mean on rows they were not fitted to, all rows taking their turn."""
    Z, y = problem.standardised(problem.X), problem.y / (np.abs(problem.y).max() or 1.0)
    predicted, level = out_of_fold(Z, y, weights, FOLDS), np.average(y, weights=weights)
    return weights * (y - predicted) ** 2, weights * (y - level) ** 2


def information(member: Member, n: int) -> float:
    """Bayesian information criterion on the rows of the search."""
    return n * float(np.log(max(1.0 - member.fitness, 1e-15))) + member.individual.n_parameters * float(
        np.log(n)
    )


class Jury:
    """Squared errors of models on rows they were not fitted to."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.folded = len(problem.judge_rows) == 0
        self.rows = problem.search_rows if self.folded else problem.judge_rows
        self.strictness = STRICTER if self.folded else 1.0
        self.y = problem.y[self.rows]
        self.weights = np.ones(len(self.y)) if problem.weights is None else problem.weights[self.rows]
        self.Z = problem.standardised(problem.X[self.rows])
        fitted = problem.search_rows
        weights = None if problem.weights is None else problem.weights[fitted]
        centre = np.average(problem.y[fitted], weights=weights)
        self.constant = self.weights * self._scaled(self.y - centre) ** 2
        self.can_judge = (
            problem.different(self.rows) >= (2 * FOLDS if self.folded else FOLDS)
            and bool(self.weights.any())
            and bool(self.constant.sum() > 0.0)
        )

    def _scaled(self, residual: Floats) -> Floats:
        return np.asarray(residual / (np.abs(self.y).max() or 1.0))

    def errors(self, individual: Individual) -> Floats:
        """Weighted squared errors, row by row; infinite where there is no value."""
        predicted = self._folded(individual) if self.folded else individual.predict(self.Z)
        with np.errstate(over="ignore", invalid="ignore"):
            errors = self.weights * self._scaled(self.y - predicted) ** 2
        return np.where(np.isfinite(errors), errors, np.inf)

    def _folded(self, individual: Individual) -> Floats:
        predicted = np.empty(len(self.y))
        folds = np.arange(len(self.y)) % FOLDS
        for fold in range(FOLDS):
            out = folds == fold
            data = Dataset(np.ascontiguousarray(self.Z[~out]), self.y[~out], self.weights[~out])
            predicted[out] = individual.refine(data, Refinement(iterations=3, prune=0.0)).predict(
                np.ascontiguousarray(self.Z[out])
            )
        return predicted

    def ridge(self) -> Floats:
        """The same of ridge regression."""
        if self.folded:
            predicted = out_of_fold(self.Z, self.y, self.weights, FOLDS)
        else:
            rows = self.problem.search_rows
            weights = np.ones(len(rows)) if self.problem.weights is None else self.problem.weights[rows]
            line = Ridge.fitted(
                self.problem.standardised(self.problem.X[rows]), self.problem.y[rows], weights
            )
            predicted = line.predict(self.Z)
        return np.asarray(self.weights * self._scaled(self.y - predicted) ** 2)

    def r2(self, errors: Floats) -> float:
        """R² on the judging rows."""
        centred = self._scaled(self.y - np.average(self.y, weights=self.weights))
        return 1.0 - float(errors.sum()) / (float(np.sum(self.weights * centred**2)) or 1.0)


def prefer_short(
    problem: Problem, errors: Floats, chosen: Member, finds: list[Member], convincing: Member | None = None
) -> Member:
    """A seeker's short formula instead of the approximators' when the judging rows see no clear difference: the most
    `convincing` one, or the shortest that is about as good as the best."""
    rows = problem.judge_rows
    if len(rows) == 0:
        return chosen
    X, y = problem.X[rows], problem.y[rows]
    scale = np.abs(y).max() or 1.0
    shorter = sorted((f for f in finds if f.complexity < chosen.complexity), key=lambda f: f.complexity)
    squares = {id(f): ((y - f.individual.predict(X)) / scale) ** 2 for f in shorter}
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


def best_of(problem: Problem, members: list[Member]) -> Member:
    """Of models in the user's units, smallest first: the first that no other is clearly better than."""
    rows = problem.judge_rows if len(problem.judge_rows) else np.arange(len(problem.y))
    squares = [(problem.y[rows] - m.individual.predict(problem.X[rows])) ** 2 for m in members]
    squares = [np.where(np.isfinite(s), s, np.inf) for s in squares]
    best = min(squares, key=lambda s: float(s.sum()))
    for member, square in zip(members, squares, strict=True):
        if square is best or not clearly_better(best, square, CLEARLY_WORSE):
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
