"""What a search hands over: the chosen model and the front, in the user's units, fitted to all rows.

It is made of `Found`, a plain value that says all that the search knows, at any moment. `provisional` is a valid
result that takes no time; `result_of` is the real one: a law is chosen as it is; otherwise the decision about the size says what
kind of model is chosen and how large it may be, models are fitted to all rows, and the chosen one is tuned once more.
`finite_part` is asked last: what has no value for some training row is never handed over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual, Workers
from multigene.evolution.pareto import Candidate, Member, non_dominated, with_member
from multigene.expression.genes import prediction_expression
from multigene.expression.printed_size import printed_size
from multigene.laws.law import Find
from multigene.search.constants import CONTRADICTED, MOST_FITTED, SECONDS_PER_VALUE
from multigene.search.few_rows import (
    evident,
    for_its_price,
    most_convincing,
    ridge_of_different_rows,
    within_noise,
)
from multigene.search.folds import ridge_of, share_explained
from multigene.search.log_scale import nearer_to_most_rows
from multigene.search.members import (
    allowed_best,
    as_member,
    constant_model,
    fitted_candidate,
    is_finite,
    is_line,
    measured,
    member_of,
    one_that_stays,
    scored,
)
from multigene.search.problem import Problem, Rows
from multigene.search.shorter import fitted, polished
from multigene.search.stability import Sizes, supported
from multigene.search.unseen import REFITTING, unseen_errors, unseen_r2
from multigene.search.validation import RIDGE, SizeDecision, best_of, better_on_nearly_every_row, prefer_short
from multigene.settings.settings import Refinement

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Result:
    """The chosen model, and the front with the chosen model in it, smallest first."""

    chosen: Member
    front: list[Member]


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
    searches: Sequence[Sizes] = ()
    """What the searches without a fold have come to."""


def result_of(found: Found, workers: Workers, seconds: float | None) -> Result:
    """The chosen model and the front; the chosen model may be tuned for this many seconds, None for as long as it takes."""
    if found.law is not None:
        law = measured(found.problem, found.law)
        chosen, front = law, with_member(non_dominated([law, *_finds(found)]), law)
    elif found.laws_alone:
        form, units = found.problem.form is not None, found.problem.dimensions is not None
        # What agrees with units may have the poles that they ask for; there is little else to choose from.
        finds = _measured_finds(found) if units else _finds(found)
        # The mean has not the form that a user asked for, nor has a line, which contradicts units as well.
        mean = [] if form and finds else [mean_of(found.problem).chosen]
        lines = [] if form or units or finds else _on_last_rows(found, None, workers)[2]
        front = non_dominated([*mean, *(member_of(found.problem, line) for line in lines), *finds])
        chosen = best_of(found.problem, front, _cheapest(found, front))
    else:
        chosen, front = _approximation(found, workers, seconds)
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
        chosen = _cheapest(found, finds) or mean
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


# --- approximations -------------------------------------------------------------------------------


def _approximation(found: Found, workers: Workers, seconds: float | None) -> tuple[Member, list[Member]]:
    """The best model of the allowed size, or a linear model, or the mean; or a find that is as good and shorter."""
    problem, decision = found.problem, found.decision
    last = _last_rows(found, seconds)
    data, user_data, candidates = _on_last_rows(found, last, workers)
    fittest = best = None if decision.simple else allowed_best(found.front, decision)
    if best is not None:
        fittest = _of_few_rows(found, candidates, best)
        best = one_that_stays(problem, candidates, fittest) if found.guarded else fittest
    mean = constant_model(problem, data)
    front, chosen = [mean], mean
    fitted_numbers: list[tuple[Member, int]] = []  # means and scales of features are not fitted
    for number, candidate in enumerate(candidates):
        if number == best:
            rows = user_data if candidate.in_user_units else data
            candidate = _tuned_once_more(found, candidate, rows, workers, seconds)
        if np.isfinite(candidate.fitness):
            front.append(member_of(problem, candidate))
            fitted_numbers.append((front[-1], candidate.individual.n_parameters))
            chosen = front[-1] if number == best else chosen
    if decision.linear is not None:
        chosen = _linear_model(found, decision.linear, data, last)
    finds = _finds(found)
    if finds and decision.errors is not None and not decision.simple:
        errors = _errors_beside_finds(found, chosen, decision.errors)
        chosen = prefer_short(problem, errors, chosen, finds, _cheapest(found, finds), found.unseen)
    elif best is None and not decision.simple:  # there was no time for islands
        lines = [member_of(problem, fitted_candidate(problem, model.fit(data))) for model in found.linear]
        chosen = best_of(problem, non_dominated([mean, *lines, *finds]), known=found.unseen)
    if decision.errors is not None:
        chosen = nearer_to_most_rows(chosen, finds, decision.errors, found.unseen)
    superior = _cheapest(found, _measured_finds(found)) if found.validated else None
    if superior is not None and better_on_nearly_every_row(problem, superior, chosen, found.unseen):
        chosen = for_its_price(problem, superior, chosen)  # as the data have poles, so may it
    if not found.validated:
        convincing = [(find, find.individual.n_parameters) for find in finds]
        convincing += fitted_numbers if found.very_few_rows or found.of_folds else []
        chosen = most_convincing(convincing, chosen, problem.different(np.arange(len(problem.y))))
    elif problem.few_rows and (decision.linear == RIDGE or decision.exactly) and decision.errors is not None:
        evidence = _uncontradicted(found, fitted_numbers)
        evidence += [(find, find.individual.n_parameters) for find in finds]
        chosen = evident(
            problem, evidence, chosen, decision.errors, found.unseen, linear=decision.linear == RIDGE
        )
    sure = best != fittest or any(chosen is each for each in (superior, *finds))
    shown = [m for m in (*front, *finds) if m is chosen or m.complexity <= found.uncontradicted]
    return _undominated(found, chosen, shown, keep=sure)


def _of_few_rows(found: Found, candidates: Sequence[Candidate], best: int) -> int:
    """Number of the model that few rows speak for, of those that their cross-validation allows; with many rows the `best`."""
    problem, decision = found.problem, found.decision
    if decision.errors is None or len(problem.held_out_rows) or not found.validated:
        return best
    most = (decision.supported or 0) if decision.exactly else 0
    numbers = [i for i, c in enumerate(candidates) if c.complexity <= max(most, decision.most_nodes)]
    members = {i: member_of(problem, candidates[i]) for i in numbers if np.isfinite(candidates[i].fitness)}
    # Fitted again without a fold, a structure that was found with it looks better than it is: searches without it speak, too.
    best_smaller = -np.inf
    for number, sized in zip(
        list(members), scored(list(members.values()), decision.validation_r2), strict=True
    ):
        if sized.validation < best_smaller - CONTRADICTED:
            del members[number]
        best_smaller = max(best_smaller, sized.validation) if np.isfinite(sized.validation) else best_smaller
    chosen = within_noise(problem, list(members.values())) if members else None
    return next((i for i, member in members.items() if member is chosen), best)


def _errors_beside_finds(found: Found, chosen: Member, errors: Floats) -> Floats:
    """What the chosen model is to be compared with finds by. Of few rows a find is fitted again without each fold, its structure
    known from all rows; `errors` are those of searches that did not know it, so the chosen model is asked in the same way."""
    if len(found.problem.held_out_rows) or not any(chosen.individual.coefficients):
        return errors
    again = unseen_errors(found.problem, chosen)
    return again if len(again) == len(errors) else errors


def _uncontradicted(found: Found, members: Sequence[tuple[Member, int]]) -> list[tuple[Member, int]]:
    """Models of sizes that did no worse on unseen rows than what was decided on: where formulas of a size exploded without a
    fold, agreement with all rows is no evidence."""
    decided = found.decision.r2(found.problem)
    sized = scored([member for member, _ in members], found.decision.validation_r2)
    return [pair for pair, each in zip(members, sized, strict=True) if not each.validation < decided]


def _undominated(
    found: Found, chosen: Member, members: list[Member], keep: bool
) -> tuple[Member, list[Member]]:
    """No member of the front is better than the chosen one and no larger.

    What unseen rows, or its own evidence, decided on stays (`keep`), and such members are not shown: those rows spoke against
    them. Otherwise the fittest of them is chosen.
    """
    better = [m for m in members if m.complexity <= chosen.complexity and m.fitness > chosen.fitness]
    if better and not (keep or found.decision.simple or not found.validated):
        chosen, better = max(better, key=lambda m: m.fitness), []
    shown = [m for m in members if not any(m is other for other in better)]
    return chosen, with_member(non_dominated(shown), chosen)


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


def _last_rows(found: Found, seconds: float | None) -> Rows | None:
    """Rows that the models of the result are fitted to, None for all: a sample where a time limit is over, or nearly so, and
    there are very many."""
    late = seconds is not None and seconds < SECONDS_PER_VALUE * found.problem.X.size
    return found.problem.finish_rows if late and not found.on_all_rows else None


def _on_last_rows(
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


def _tuned_once_more(
    found: Found, candidate: Candidate, data: Dataset, workers: Workers, seconds: float | None
) -> Candidate:
    """Where that helps and the guard allows."""
    workers.set_deadline(seconds)
    units, guard = candidate.in_user_units, found.problem.guard
    refinement = replace(found.refinement, decay=0.0) if units else found.refinement
    [refined] = polished([candidate.individual], data, refinement, workers)
    keeper = found.problem.keeper
    if keeper is not None and not keeper.keeps(refined, in_user_units=units):
        return candidate
    better = np.isfinite(refined.fitness) and not refined.fitness < candidate.fitness
    behaves = guard.behaves_as_it_is if units else guard.behaves
    if not better or (found.guarded and not behaves(refined)):
        return candidate
    return fitted_candidate(found.problem, refined, in_user_units=units)


def _linear_model(found: Found, number: int, data: Dataset, rows: Rows | None) -> Member:
    """A linear model, fitted to these rows, None for all."""
    problem = found.problem
    if number != RIDGE:
        return member_of(problem, fitted_candidate(problem, found.linear[number].refine(data, REFITTING)))
    ridge = ridge_of_different_rows(problem) if found.very_few_rows else ridge_of(problem, rows)
    shrunk = problem.scaling.in_user_units(ridge.individual())
    return Member(shrunk, share_explained(problem, ridge, rows), shrunk.printed_size())


# --- finds of the law search ----------------------------------------------------------------------


def _cheapest(found: Found, members: Sequence[Member]) -> Member | None:
    """The find that costs least."""
    return min(members, key=lambda m: found.prices.get(id(m.individual), np.inf), default=None)


def _finds(found: Found) -> list[Member]:
    """What the law search found on the way, as far as it behaves."""
    guard, told = found.problem.guard, found.unseen  # formulas of the logarithm have been asked on that scale

    def behaves(model: Individual) -> bool:
        return not found.guarded or id(model) in told or guard.behaves_in_user_units(model)

    return [m for m in _measured_finds(found) if behaves(m.individual)]


def _measured_finds(found: Found) -> list[Member]:
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


# --- scores ---------------------------------------------------------------------------------------


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
