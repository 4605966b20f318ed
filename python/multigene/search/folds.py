"""Folds of few rows: which rows are left out together, and the problem without them.

With a few hundred rows a part held out is too small to decide by, so every row is left out once (`cross_validation.py`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from multigene.search.constants import FEWEST_ROWS_TO_CROSS_VALIDATE, FOLDS, RIDGE_FOLDS
from multigene.search.linear import Ridge
from multigene.search.problem import Problem, Rows

Floats = npt.NDArray[np.float64]


def folds_of(problem: Problem, n: int = FOLDS) -> list[Rows]:
    """Rows that are left out together, fold by fold; equal rows are never apart. None where there are too few to decide by."""
    counted = np.arange(len(problem.y)) if problem.weights is None else np.flatnonzero(problem.weights > 0.0)
    distinct, number = np.unique(problem.X[counted], axis=0, return_inverse=True)
    if len(distinct) < FEWEST_ROWS_TO_CROSS_VALIDATE or np.ptp(problem.y[counted]) == 0.0:
        return []
    fold_of = np.random.default_rng(len(distinct)).permutation(len(distinct)) % n
    return [counted[fold_of[number.reshape(-1)] == fold] for fold in range(n)]


def very_few_rows(problem: Problem) -> bool:
    """Too few different rows even for cross-validation?"""
    if not problem.few_rows or np.ptp(problem.y) == 0.0:
        return False
    return problem.different(np.arange(len(problem.y))) < FEWEST_ROWS_TO_CROSS_VALIDATE


def without(problem: Problem, fold: Rows) -> Problem:
    """The problem without a fold: nothing of it has seen those rows, not even means and scales."""
    rest = np.setdiff1d(np.arange(len(problem.y)), fold)
    weights = None if problem.weights is None else problem.weights[rest]
    standardise, loss = problem.scaling.changes, problem.loss
    known = None if problem.keeper is None else problem.keeper.known
    return Problem.of(
        problem.X[rest], problem.y[rest], weights, standardise=standardise, loss=loss, known=known
    )


def unseen_ridge(problem: Problem) -> Floats:
    """What ridge regressions predict for rows that they have not seen."""
    predicted = np.zeros(len(problem.y))
    for fold in folds_of(problem, RIDGE_FOLDS):
        rest = without(problem, fold)
        weights = np.ones(len(rest.y)) if rest.weights is None else rest.weights
        line = Ridge.of_loss(rest.standardised(rest.X), rest.y, weights, problem.loss)
        predicted[fold] = line.predict(rest.standardised(problem.X[fold]))
    return predicted
