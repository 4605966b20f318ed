"""Models that mislead: terms that cancel, 4763000 + 4763000*tanh(…) where the target is a hundred, angles that turn faster than
the rows can tell, sin(exp(4*x)), and formulas that have no value on some row as they are printed, log(1 + exp(1494*x)).

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
from multigene.explain.constants import HARDLY_VARIES, PROBED_ROWS
from multigene.explain.terms import split
from multigene.expression.angles import can_be_told
from multigene.expression.genes import model_expression
from multigene.expression.readable import readable
from multigene.expression.tree import evaluate
from multigene.search.constants import CANCELLING
from multigene.search.members import is_line


def misleads(individual: Individual, rows: TrainingRows) -> bool:
    """Do terms cancel, does an angle turn faster than the rows can tell, or has what is printed no value on some row?"""
    return (
        terms_cancel(individual, rows)
        or turns_too_fast(individual, rows)
        or has_no_value_as_printed(individual, rows)
    )


def has_no_value_as_printed(individual: Individual, rows: TrainingRows) -> bool:
    """Has the formula no value on a row where the model has one, since exp(1000) is no number, or sin(u)/u with u = 0?"""
    formula = model_expression(individual)
    printed = readable(formula)
    missing = ~np.isfinite(evaluate(printed, rows.X))
    return bool(missing.any() and np.isfinite(evaluate(formula, rows.X[missing])).any())


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
