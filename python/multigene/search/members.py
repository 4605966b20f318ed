"""Models as members of a result: what was fitted, found or fixed by a size, measured and scored in one way (`result.py`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual
from multigene.evolution.pareto import Candidate, Member
from multigene.laws.law import Find
from multigene.search.constants import STAYING_LEAVES, SURELY_FINITE
from multigene.search.folds import ridge_of
from multigene.search.guard import Guard, is_linear
from multigene.search.problem import Problem

Floats = npt.NDArray[np.float64]


def fitted_candidate(problem: Problem, fitted: Individual, *, in_user_units: bool = False) -> Candidate:
    """A model that has just been fitted."""
    size = problem.size(fitted, in_user_units=in_user_units)
    return Candidate(fitted, fitted.fitness, size, in_user_units)


def member_of(problem: Problem, candidate: Candidate) -> Member:
    """A model as a member of the front that users see."""
    return Member(problem.user_model(candidate), candidate.fitness, candidate.complexity)


def constant_model(problem: Problem, data: Dataset) -> Member:
    """The constant model."""
    return member_of(problem, fitted_candidate(problem, Individual(["0.0"], 0.0, [0.0]).fit(data)))


def as_member(find: Find, fitness: float) -> Member:
    """A find of the law search, which explains this much."""
    return Member(find.individual, fitness, find.individual.printed_size(), parts=find.parts)


def measured(problem: Problem, find: Find, rows: Any = slice(None)) -> Member:
    """A find of the law search on all rows, or on some."""
    weights = None if problem.weights is None else problem.weights[rows]
    values = find.individual.predict(problem.X[rows])
    return as_member(find, problem.loss.explained(problem.y[rows], values, weights))


@dataclass(frozen=True)
class Staying:
    """Which models do not go astray beyond the rows."""

    guard: Guard
    line: Floats
    """What a line says of points far beyond them."""

    @staticmethod
    def of(problem: Problem) -> Staying:
        """Beyond all rows; the line is a shrunk one, as for few rows."""
        far = problem.standardised(problem.guard.far_out.points)
        return Staying(problem.guard, ridge_of(problem, problem.finish_rows).predict(far))

    def stays(self, model: Individual, *, in_user_units: bool = True) -> bool:
        """Does it keep near the target's range just beyond the rows, and near that or a line far beyond them?"""
        near, far = self.guard.stays_near, self.guard.stays_far_out
        return near(model, in_user_units=in_user_units) and far(model, self.line, in_user_units=in_user_units)


def one_that_stays(problem: Problem, candidates: Sequence[Candidate], best: int) -> int:
    """Number of the chosen model; or, where that goes astray beyond the rows, of the fittest that is no larger and does not, if
    it explains nearly as much."""
    staying = Staying.of(problem)

    def stays(candidate: Candidate) -> bool:
        return staying.stays(candidate.individual, in_user_units=candidate.in_user_units)

    if stays(candidates[best]):
        return best
    others = [i for i, c in enumerate(candidates) if nearly_as_good(c, candidates[best])]
    return max((i for i in others if stays(candidates[i])), key=lambda i: candidates[i].fitness, default=best)


def nearly_as_good(model: Candidate | Member, chosen: Candidate | Member) -> bool:
    """May a model that stays take the place of a chosen one that does not?"""
    enough = 1.0 - STAYING_LEAVES * (1.0 - chosen.fitness)
    return model.complexity <= chosen.complexity and model.fitness >= enough


def is_finite(problem: Problem, individual: Individual) -> bool:
    """Is the prediction of every training row a number?

    Interval arithmetic says so of nearly every model without a look at the rows. A model that was finite for standardised
    features need not be in the user's units: their numbers may be beyond floating point, or cancel there.
    """
    low, high = individual.range(*problem.guard.box)
    if low > -SURELY_FINITE and high < SURELY_FINITE and problem.loss.link == "identity":
        return True
    with np.errstate(all="ignore"):
        return bool(np.isfinite(problem.loss.prediction(individual.predict(problem.X))).all())


def is_line(individual: Individual) -> bool:
    """Is it a constant or a linear model with all of its columns in one combination?"""
    return individual.genes == ["0.0"] or (len(individual.genes) == 1 and is_linear(individual.genes[0]))


def scored(members: Sequence[Member], scores: Mapping[int, float]) -> list[Member]:
    """Models of the islands with their size's R² on held-out rows.

    Rows are held out during the first part of a run only; then all models go on with all rows. So a size's
    score is that of the best model of at most that size while the rows were held out: what formulas of the
    size were worth on rows not seen.
    """
    sizes = sorted(scores)

    def score(complexity: int) -> float:
        below = [size for size in sizes if size <= complexity]
        return scores[below[-1]] if below else nan

    return [replace(member, validation=score(member.complexity)) for member in members]
