"""Models that mislead: terms that cancel, 4763000 + 4763000*tanh(…) where the target is a hundred, angles that turn faster than
the rows can tell, sin(exp(4*x)), and formulas that have no value, or another one, as they are printed, log(1 + exp(1494*x)).

Such a formula tells nothing about the target, and is wrong as soon as its numbers are rounded. The guard of a search
(`search/guard.py`) refuses most during the run, by what genes are between the rows; `fitting/result.py` asks here, of the printed
terms, before a model is handed over.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.data.training_rows import TrainingRows
from multigene.evolution.pareto import Member
from multigene.explain.constants import AS_PRINTED, CHECKED_ROWS, HARDLY_VARIES, PROBED_ROWS
from multigene.explain.terms import split
from multigene.expression.angles import can_be_told
from multigene.expression.genes import model_expression
from multigene.expression.readable import readable
from multigene.expression.tree import evaluate
from multigene.search.constants import CANCELLING
from multigene.search.members import is_line


def misleads(individual: Individual, rows: TrainingRows) -> bool:
    """Do terms cancel, does an angle turn faster than the rows can tell, or is what is printed another formula?"""
    return (
        terms_cancel(individual, rows)
        or turns_too_fast(individual, rows)
        or differs_as_printed(individual, rows)
    )


def differs_as_printed(individual: Individual, rows: TrainingRows) -> bool:
    """Has the formula, functions without a common name spelt out, other values than the model? exp(1000) is no number, and of
    1 + exp(-37) all digits behind the 16th are lost.
    """
    rows = rows.thinned(CHECKED_ROWS)
    formula = model_expression(individual)
    with np.errstate(all="ignore"):
        values, printed = (evaluate(each, rows.X) for each in (formula, readable(formula)))
        spread = rows.variance if rows.loss.squared else float(np.var(values))
        moved = float(np.average((printed - values) ** 2, weights=rows.shares))
    return not moved <= AS_PRINTED * spread


def turns_too_fast(individual: Individual, rows: TrainingRows) -> bool:
    """Does an angle of the printed formula turn by more than half a turn from row to row on the whole?"""
    return not can_be_told(model_expression(individual), rows.X, len(rows.X))


def terms_cancel(individual: Individual, rows: TrainingRows) -> bool:
    """Has a term of the printed formula a range on the rows that is many times the target's, or is it a number many times the
    target that the intercept takes away again? A linear model never has: its columns may demand large terms that cancel."""
    if not rows.loss.squared or is_line(individual):
        return False
    X = rows.thinned(PROBED_ROWS).X
    with np.errstate(all="ignore"):
        terms = [abs(c) * evaluate(term, X) for c, term in split(model_expression(individual))[1]]
        ranges, sizes = (np.array([f(term) for term in terms]) for f in (np.ptp, _largest))
        flat = (sizes > CANCELLING * _largest(rows.y)) & (ranges < HARDLY_VARIES * sizes)
    return bool(np.any(flat | (ranges > CANCELLING * float(np.ptp(rows.y)))))


def _largest(values: npt.NDArray[np.float64]) -> float:
    return float(np.max(np.abs(values)))


def not_misleading(chosen: Member, front: Sequence[Member], rows: TrainingRows) -> Member:
    """The chosen model, or if it misleads the fittest of no more nodes that does not; itself if there is none."""
    if not misleads(chosen.individual, rows):
        return chosen
    others = [m for m in front if m is not chosen and m.complexity <= chosen.complexity]
    ranked = sorted(others, key=lambda m: -m.fitness)
    return next((m for m in ranked if not misleads(m.individual, rows)), chosen)
