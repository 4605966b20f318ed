"""What a search hands over: the chosen model and the front, in the user's units, fitted to all rows.

It is made of `Found`, a plain value that says all that the search knows, at any moment. `provisional` is a valid
result that takes no time; `result_of` is the real one: a law is chosen as it is; otherwise the decision about the size says what
kind of model is chosen and how large it may be, models are fitted to all rows, and the chosen one is tuned once more.
`finite_part` is asked last: what has no value for some training row is never handed over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import nan

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual, Workers
from multigene.evolution.pareto import Member, non_dominated, with_member
from multigene.expression.genes import prediction_expression
from multigene.expression.printed_size import printed_size
from multigene.search.approximation import approximation
from multigene.search.few_rows import most_convincing
from multigene.search.found import Found, cheapest, finds_that_behave, measured_finds, on_last_rows
from multigene.search.members import (
    as_member,
    constant_model,
    fitted_candidate,
    is_finite,
    is_line,
    measured,
    member_of,
    scored,
)
from multigene.search.problem import Problem
from multigene.search.stability import supported
from multigene.search.unseen import unseen_r2
from multigene.search.validation import best_of

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Result:
    """The chosen model, and the front with the chosen model in it, smallest first."""

    chosen: Member
    front: list[Member]


def result_of(found: Found, workers: Workers, seconds: float | None) -> Result:
    """The chosen model and the front; the chosen model may be tuned for this many seconds, None for as long as it takes."""
    if found.law is not None:
        law = measured(found.problem, found.law)
        chosen, front = law, with_member(non_dominated([law, *finds_that_behave(found)]), law)
    elif found.laws_alone:
        form, units = found.problem.form is not None, found.problem.dimensions is not None
        # What agrees with units may have the poles that they ask for; there is little else to choose from.
        finds = measured_finds(found) if units else finds_that_behave(found)
        # The mean has not the form that a user asked for, nor has a line, which contradicts units as well.
        mean = [] if form and finds else [mean_of(found.problem).chosen]
        lines = [] if form or units or finds else on_last_rows(found, None, workers)[2]
        front = non_dominated([*mean, *(member_of(found.problem, line) for line in lines), *finds])
        chosen = best_of(found.problem, front, cheapest(found, front))
    else:
        chosen, front = approximation(found, workers, seconds)
    chosen, front = _within_limit(found, chosen, front)
    return _scored(found, chosen, front, lambda problem, m: unseen_r2(problem, m, found.unseen))


def provisional(found: Found) -> Result:
    """The best model so far as it is, nothing fitted, tuned or measured again: what is left if the real result is cut short."""
    mean = constant_model(found.problem, found.data)
    finds = [as_member(f, 1.0 - f.unexplained) for f in found.finds]
    allowed = [c for c in found.front if c.complexity <= found.decision.most_nodes]
    approximations = [member_of(found.problem, c) for c in allowed]
    front = non_dominated([mean, *approximations, *finds])
    if found.law is not None:
        chosen = as_member(found.law, 1.0 - found.law.unexplained)
    elif found.laws_alone and finds:
        chosen = cheapest(found, finds) or mean
    elif not found.validated:
        rows = found.problem.different(np.arange(len(found.problem.y)))
        chosen = most_convincing([(m, m.individual.n_parameters) for m in front], mean, rows)
    elif (
        found.decision.linear is not None and found.linear
    ):  # RIDGE is the number of the last, which has all features
        chosen = member_of(
            found.problem, fitted_candidate(found.problem, found.linear[found.decision.linear])
        )
    else:
        chosen = max([mean, *approximations], key=lambda m: m.fitness)
    chosen, front = _within_limit(found, chosen, with_member(front, chosen))
    return _scored(found, chosen, with_member(front, chosen), lambda problem, member: nan)


def mean_of(problem: Problem) -> Result:
    """The mean: what is left when the run had to end before anything was found."""
    data = Dataset(problem.X[:, :1].copy(), problem.y, problem.weights, loss=problem.loss.engine)
    mean = Individual(["0.0"], 0.0, [0.0]).fit(data)
    member = Member(mean, mean.fitness, mean.printed_size())
    return Result(member, [member])


# --- finite on every training row -----------------------------------------------------------------


def finite_part(problem: Problem, result: Result) -> Result:
    """The result without models that have no value for some training row; if the chosen one is such, the fittest other is
    chosen, or the mean."""
    front = [m for m in result.front if is_finite(problem, m.individual)]
    if len(front) == len(result.front):
        return result
    if any(m is result.chosen for m in front):
        return Result(result.chosen, front)
    evolved = [m for m in front if m.source != "pinned"]
    if not evolved:
        mean = mean_of(problem)
        return Result(mean.chosen, [*mean.front, *front])
    return Result(max(evolved, key=lambda m: m.fitness), front)


# --- within what users allow, and scored ----------------------------------------------------------


def _within_limit(found: Found, chosen: Member, front: list[Member]) -> tuple[Member, list[Member]]:
    """No formula prints more nodes than the user allows; if the chosen one does, what unseen rows find best of the rest is."""
    if found.max_size is None:
        return chosen, front
    mean = mean_of(found.problem).chosen
    small = [
        m
        for m in front
        if printed_size(prediction_expression(m.individual, found.problem.loss.link)) <= found.max_size
    ]
    small = small or [mean]
    if not any(m is chosen for m in small):
        chosen = best_of(found.problem, small, known=found.unseen)
    return chosen, small


def _scored(
    found: Found, chosen: Member, front: list[Member], own: Callable[[Problem, Member], float]
) -> Result:
    """The result with scores on rows not seen; `own` scores a find of the law search, which is not one of the sizes'."""
    members = scored(front, found.decision.validation_r2)
    members = [replace(m, support=supported(m, found.searches)) for m in members]
    finds = {id(find.individual) for find in found.finds}
    members = [
        replace(m, validation=own(found.problem, m)) if id(m.individual) in finds else m for m in members
    ]
    place = next(i for i, member in enumerate(front) if member is chosen)
    decided = found.decision.simple and id(chosen.individual) not in finds and is_line(chosen.individual)
    if decided:  # the line or the mean that was decided on
        members[place] = replace(members[place], validation=found.decision.r2(found.problem))
    return Result(members[place], members)
