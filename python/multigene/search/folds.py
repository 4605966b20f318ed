"""Folds of few rows: which rows are left out together, and the problem without them.

With a few hundred rows a part held out is too small to decide by, so every row is left out once (`cross_validation.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.data.scores import scale_of
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


def ridge_of(problem: Problem, rows: Rows | None = None) -> Ridge:
    """Ridge regression of these rows, None for all."""
    return Ridge.of_loss(*_taken(problem, rows), problem.loss)


def share_explained(problem: Problem, line: Ridge, rows: Rows | None = None) -> float:
    """Share of the loss on these rows, None for all, that a line explains."""
    return line.explained(*_taken(problem, rows), problem.loss)


def _taken(problem: Problem, rows: Rows | None) -> tuple[Floats, Floats, Floats]:
    """Standardised features, target and weights of these rows, None for all."""
    chosen: Any = slice(None) if rows is None else rows
    y = problem.y[chosen]
    weights = np.ones(len(y)) if problem.weights is None else problem.weights[chosen]
    return problem.standardised(problem.X[chosen]), y, weights


def unseen_ridge(problem: Problem) -> Floats:
    """What ridge regressions predict for rows that they have not seen."""
    predicted = np.zeros(len(problem.y))
    for fold in folds_of(problem, RIDGE_FOLDS):
        rest = without(problem, fold)
        predicted[fold] = ridge_of(rest).predict(rest.standardised(problem.X[fold]))
    return predicted


def best_line(problem: Problem, linear: Sequence[Individual]) -> int:
    """Number of the linear model whose columns predict best the rows that it has not seen, fold by fold of all rows.

    Held-out rows alone are too few to tell whether a column with a small effect belongs to the line.
    """
    rows = problem.finish_rows
    y, weights = problem.y[rows], None if problem.weights is None else problem.weights[rows]
    root = np.ones((len(y), 1)) if weights is None else np.sqrt(weights / weights.max())[:, None]
    A = root * np.column_stack([np.ones(len(y)), problem.standardised(problem.X[rows])])
    b = root[:, 0] * (y / scale_of(y))
    fold_of = np.random.default_rng(len(y)).permutation(len(y)) % RIDGE_FOLDS
    parts = [A[fold_of == fold] for fold in range(RIDGE_FOLDS)]
    with np.errstate(all="ignore"):  # squares of extreme columns; a line that uses one is not the best
        grams, sides = [P.T @ P for P in parts], [P.T @ b[fold_of == f] for f, P in enumerate(parts)]
    errors = np.zeros(len(linear))
    for fold, part in enumerate(parts):
        with np.errstate(invalid="ignore"):
            gram, side = sum(grams) - grams[fold], sum(sides) - sides[fold]
        for number, model in enumerate(linear):
            columns = [0, *(1 + column for column, _ in model.tokens(0)[0][2])]
            if not (np.isfinite(gram[np.ix_(columns, columns)]).all() and np.isfinite(side[columns]).all()):
                errors[number] = np.inf
                continue
            solution = np.linalg.lstsq(gram[np.ix_(columns, columns)], side[columns], rcond=None)[0]
            errors[number] += np.sum((b[fold_of == fold] - part[:, columns] @ solution) ** 2)
    return int(np.argmin(errors))
