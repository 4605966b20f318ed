"""Sizes compared once more at the end of a run.

Held-out rows decide halfway how large a formula may be (`validation.py`); then models go on with all rows, and large ones gain
more than small ones. At the end no row is left that they have not seen, but they can be fitted again without some.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from multigene.data.spread import evenly
from multigene.evolution.pareto import Member, fittest_up_to
from multigene.search.constants import GIVEN_UP, LARGER, MOST_ROWS_IN_FOLDS, ONE_STANDARD_ERROR
from multigene.search.folds import folds_of
from multigene.search.problem import Problem
from multigene.search.unseen import HeldOut, errors_of_folds
from multigene.search.validation import smallest


def far_better(problem: Problem, chosen: Member, members: Sequence[Member]) -> Member:
    """A larger model where the chosen one costs far more than it seemed to halfway, by folds without which both are fitted again;
    else the chosen one. What leaves the target's range just beyond the rows does not take its place."""
    larger = fittest_up_to(members, [chosen.complexity * times for times in LARGER])
    larger = [m for m in larger if m.fitness > chosen.fitness]
    larger = [m for m in larger if problem.guard.stays_near(m.individual, in_user_units=True)]
    sample = problem.taken(evenly(len(problem.y), MOST_ROWS_IN_FOLDS))
    folds = folds_of(sample)
    if not larger or not folds:
        return chosen
    asked = [chosen, *larger]
    errors = [errors_of_folds(sample, member.individual, folds) for member in asked]
    held_out = HeldOut(sample, np.concatenate(folds))
    cost = max(map(held_out.r2, errors)) - held_out.r2(errors[0])
    return chosen if cost <= GIVEN_UP else asked[smallest(errors, ONE_STANDARD_ERROR)]
