"""Errors of models on rows that they were not fitted to: the held-out rows or, where rows are few, those of every fold in turn.

`validation.py` decides by them how large a formula may be, `few_rows.py` and `log_scale.py` which of several is to be had.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual
from multigene.data.scores import explained
from multigene.evolution.pareto import Candidate, Member
from multigene.search.constants import FEWEST_ROWS_TO_VALIDATE, NEIGHBOURS, REFITTING_STEPS
from multigene.search.folds import folds_of
from multigene.search.problem import Problem, Rows, best_constant
from multigene.settings.settings import Refinement

Floats = npt.NDArray[np.float64]

#: Squared errors on unseen rows by identity of a model.
KnownErrors = Mapping[int, Floats]
NONE_KNOWN: KnownErrors = MappingProxyType({})

#: How a formula in the user's units is fitted again to other rows.
REFITTING = Refinement(iterations=REFITTING_STEPS, prune=0.0)


class HeldOut:
    """Squared errors of models on rows they were not fitted to."""

    def __init__(self, problem: Problem, rows: Rows) -> None:
        self.y = problem.y[rows]
        self.weights = np.ones(len(rows)) if problem.weights is None else problem.weights[rows]
        self.X = problem.X[rows]
        self.Z = problem.standardised(self.X)
        self.loss = problem.loss
        #: Of the best constant of the rows for searching.
        self.constant = self.squares(np.full(len(rows), best_constant(problem, problem.search_rows)))
        #: Are there enough rows to decide by?
        self.enough = (
            problem.different(rows) >= FEWEST_ROWS_TO_VALIDATE
            and bool(self.weights.any())
            and bool(self.constant.sum() > 0.0)
        )

    def squares(self, predicted: Floats) -> Floats:
        """Weighted squared errors, row by row, or what another loss has in their place; infinite where there is no value."""
        return self.loss.costs(self.y, predicted, self.weights)

    def of(self, candidate: Candidate) -> Floats:
        """The same of a model of a front."""
        return self.squares(candidate.individual.predict(self.X if candidate.in_user_units else self.Z))

    def errors(self, individual: Individual) -> Floats:
        """The same of a model of standardised features."""
        return self.squares(individual.predict(self.Z))

    def r2(self, errors: Floats) -> float:
        """R² on these rows, or the share of another loss that is explained."""
        best = np.full(len(self.y), self.loss.constant(self.y, self.weights))
        return explained(float(errors.sum()), float(self.squares(best).sum()))


def unseen_rows(problem: Problem) -> Rows:
    """Held-out rows; with few rows those of all folds; none where there are too few to decide anything."""
    if len(problem.held_out_rows):
        return problem.held_out_rows
    folds = folds_of(problem)
    return np.concatenate(folds) if folds else np.arange(0)


def unseen_r2(problem: Problem, member: Member, known: KnownErrors = NONE_KNOWN) -> float:
    """R² of a formula of the law search on rows that it was not fitted to, NaN where there are none."""
    rows = unseen_rows(problem)
    return HeldOut(problem, rows).r2(unseen_errors(problem, member, known)) if len(rows) else nan


def unseen_errors(problem: Problem, member: Member, known: KnownErrors = NONE_KNOWN) -> Floats:
    """Squared errors of a formula of the law search on the held-out rows; with few rows on each fold of them, fitted again to
    the rest. Those that are `known` need not be computed."""
    individual = member.individual
    if id(individual) in known:
        return known[id(individual)]
    if len(problem.held_out_rows):
        held_out, X = HeldOut(problem, problem.held_out_rows), problem.X[problem.held_out_rows]
        return held_out.squares(individual.predict(X))
    folds = folds_of(problem)
    if not folds:  # too few to decide anything
        return HeldOut(problem, np.arange(len(problem.y))).squares(individual.predict(problem.X))
    return errors_of_folds(problem, individual, folds)


def errors_of_folds(problem: Problem, individual: Individual, folds: Sequence[Rows]) -> Floats:
    """Squared errors of a formula in the user's units on each fold, fitted again to the other rows."""
    held_out, predictions = HeldOut(problem, np.concatenate(folds)), []
    for fold in folds:
        again = refitted_without(fold, problem, individual, problem.y, problem.loss.engine)
        predictions.append(again.predict(np.ascontiguousarray(problem.X[fold])))
    return held_out.squares(np.concatenate(predictions))


def refitted_without(
    fold: Rows, problem: Problem, individual: Individual, y: Floats, loss: str | None = None
) -> Individual:
    """A formula in the user's units fitted again, from where it is, to the target `y` of all rows but those of a fold."""
    rest = np.setdiff1d(np.arange(len(y)), fold)
    weights = None if problem.weights is None else problem.weights[rest]
    return individual.refine(
        Dataset(np.ascontiguousarray(problem.X[rest]), y[rest], weights, loss=loss), REFITTING
    )


def r2_near(scores: Mapping[int, float], size: int) -> float:
    """The median R² of models of nearly this size, where there are any, else that of the next smaller one: of many that hardly
    differ, the best has luck."""
    near = [r2 for nodes, r2 in scores.items() if size / NEIGHBOURS <= nodes <= size * NEIGHBOURS]
    if near:
        return float(np.median(near))
    return scores[max(smaller)] if (smaller := [nodes for nodes in scores if nodes < size]) else nan
