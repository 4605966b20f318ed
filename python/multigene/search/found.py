"""All that a search knows when it ends, as a plain value, and what follows from it without a choice: models fitted to the last
rows, and the finds of the law search as members of a front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual, Workers
from multigene.evolution.pareto import Candidate, Member
from multigene.expression.genes import model_expression
from multigene.laws.claims import leaves_noise
from multigene.laws.find import measure
from multigene.laws.law import Find
from multigene.laws.noise import price
from multigene.search.constants import MOST_FITTED, SECONDS_PER_VALUE
from multigene.search.members import fitted_candidate, measured
from multigene.search.problem import Problem, Rows
from multigene.search.shorter import fitted
from multigene.search.stability import Sizes
from multigene.search.validation import SizeDecision
from multigene.settings.settings import Refinement

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Found:
    """All that a search knows when it ends."""

    problem: Problem
    guarded: bool
    refinement: Refinement
    front: Sequence[Candidate]
    data: Dataset
    """Rows that the front's models were fitted to."""
    user_data: Dataset
    """The same with the user's features as they are."""
    on_all_rows: bool
    """Are these all rows?"""
    linear: Sequence[Individual]
    """Linear models of standardised features."""
    decision: SizeDecision
    law: Find | None
    finds: Sequence[Find]
    """What the law search found on the way, and what was found on the logarithm of the target, in the user's units."""
    unseen: Mapping[int, Floats]
    """Squared errors of the latter on rows that they were not fitted to, by identity of their models."""
    prices: Mapping[int, float]
    """What the finds cost, by identity of their models."""
    laws_alone: bool
    max_size: int | None
    """Nodes of the largest formula that users want."""
    very_few_rows: bool
    validated: bool
    """Have rows that the search did not see been asked? If not, what it found must convince by itself."""
    of_folds: bool
    """Is the front that of searches on parts of the rows, which were cut short?"""
    uncontradicted: float = np.inf
    """Nodes of the largest formulas that cross-validation does not clearly find worse than smaller ones."""
    line_of_logarithms: Individual | None = None
    """Very few rows: a shrunk line of the user's features, with logarithms of those that span decades."""
    searches: Sequence[Sizes] = ()
    """What the searches without a fold have come to."""


def last_rows(found: Found, seconds: float | None) -> Rows | None:
    """Rows that the models of the result are fitted to, None for all: a sample where a time limit is over, or nearly so, and
    there are very many."""
    late = seconds is not None and seconds < SECONDS_PER_VALUE * found.problem.X.size
    return found.problem.finish_rows if late and not found.on_all_rows else None


def on_last_rows(
    found: Found, rows: Rows | None, workers: Workers
) -> tuple[Dataset, Dataset, Sequence[Candidate]]:
    """These rows, standardised and as they are, and the models of the front fitted to them, however late it is."""
    if found.on_all_rows:
        return found.data, found.user_data, found.front
    problem = found.problem
    data, user_data = problem.dataset(rows), problem.user_dataset(rows)
    workers.set_deadline(None)
    again = list(found.front)
    for units, given in ((False, data), (True, user_data)):
        places = [i for i, c in enumerate(found.front) if c.in_user_units is units]
        models = fitted([found.front[i].individual for i in places], given, workers)
        for i, model in zip(places, models, strict=True):
            again[i] = fitted_candidate(problem, model, in_user_units=units)
    return data, user_data, again


# --- finds of the law search ----------------------------------------------------------------------


def cheapest(found: Found, members: Sequence[Member]) -> Member | None:
    """The find that costs least."""
    return min(members, key=lambda m: found.prices.get(id(m.individual), np.inf), default=None)


def finds_that_behave(found: Found) -> list[Member]:
    """What the law search found on the way, as far as it behaves."""
    guard, told = found.problem.guard, found.unseen  # formulas of the logarithm have been asked on that scale

    def behaves(model: Individual) -> bool:
        return not found.guarded or id(model) in told or guard.behaves_in_user_units(model)

    return [m for m in measured_finds(found) if behaves(m.individual)]


def measured_finds(found: Found) -> list[Member]:
    """What the law search found on the way.

    Few rows are left out and fitted again from numbers that have seen them: what has a number for every other row agrees with
    rows left out, too.
    """
    problem = found.problem
    rows = problem.finish_rows  # all of them unless there are very many
    most = MOST_FITTED * problem.different(rows) if problem.few_rows else np.inf
    finds = [find for find in found.finds if find.individual.n_parameters <= most]
    members = [measured(problem, find, rows) for find in finds]
    return [m for m in members if np.isfinite(m.fitness)]


def more_convincing(problem: Problem, find: Member, other: Member) -> Member:
    """A find instead of another model where it costs less (`laws/noise.py`) and leaves nothing but noise."""
    rows = problem.finish_rows
    X, y = problem.X[rows], problem.y[rows]
    weights = None if problem.weights is None else problem.weights[rows]
    said = [model_expression(member.individual) for member in (find, other)]
    mine, its = (measure(expression, X, y, weights) for expression in said)
    if mine is None or (its is not None and price(its, len(y)) <= price(mine, len(y))):
        return other
    return find if leaves_noise(said[0], X, y, weights) else other


# --- scores ---------------------------------------------------------------------------------------
