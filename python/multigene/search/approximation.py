"""Which approximation is chosen where no law was found: rules in order, each with a name that says it.

A rule is given the models and what the rules before it have chosen, and returns its own choice; most return what they were given.
`RULES` is the whole of it: the size that unseen rows decided on comes first, then what the law search found on the way, and
last what few rows are evidence for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Workers
from multigene.evolution.pareto import Candidate, Member, non_dominated, with_member
from multigene.laws.constants import HOPELESS
from multigene.search.comparing import clearly_better
from multigene.search.constants import ALIKE, CONTRADICTED, EXPLAINED, LONGEST_WITH_POLES, ROOM, SURELY_BETTER
from multigene.search.few_rows import (
    evident,
    for_its_price,
    most_convincing,
    ridge_of_different_rows,
    supported_by_folds,
    within_noise,
)
from multigene.search.folds import ridge_of, share_explained
from multigene.search.found import (
    Found,
    cheapest,
    finds_that_behave,
    last_rows,
    measured_finds,
    more_convincing,
    on_last_rows,
)
from multigene.search.larger import far_better
from multigene.search.log_scale import nearer_to_most_rows
from multigene.search.members import (
    Staying,
    constant_model,
    fitted_candidate,
    is_line,
    member_of,
    nearly_as_good,
    one_that_stays,
    scored,
)
from multigene.search.problem import Rows
from multigene.search.shorter import polished
from multigene.search.unseen import REFITTING, r2_near, unseen_errors
from multigene.search.validation import (
    RIDGE,
    SizeDecision,
    best_of,
    better_on_nearly_every_row,
    prefer_short,
)

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Models:
    """What can be chosen from."""

    found: Found
    data: Dataset
    """The last rows, standardised."""
    rows: Rows | None
    """Which these are, None for all."""
    mean: Member
    evolved: Sequence[tuple[Member, int]]
    """The front of the islands, and how many numbers of each were fitted: means and scales of features are not."""
    best: Member | None
    """The fittest of them of the allowed size, tuned once more; None where that has no value."""
    had_islands: bool
    """Was there a model of the allowed size?"""
    passed_over: bool
    """Was a fitter one than the best not taken because it explodes just beyond the rows?"""
    finds: Sequence[Member]
    """What the law search found on the way, as far as it behaves."""
    superior: Member | None
    """The find that costs least, where unseen rows can speak for it; a short one may have poles."""

    @staticmethod
    def of(found: Found, workers: Workers, seconds: float | None) -> Models:
        """Fitted to the last rows."""
        problem, rows = found.problem, last_rows(found, seconds)
        data, user_data, candidates = on_last_rows(found, rows, workers)
        number = None if found.decision.simple else allowed_best(found.front, found.decision)
        fittest = number if number is None else _of_few_rows(found, candidates, number)
        number = fittest
        if fittest is not None and found.guarded:
            number = one_that_stays(problem, candidates, fittest)
        best, evolved = None, list[tuple[Member, int]]()
        for i, candidate in enumerate(candidates):
            if i == number:
                own = user_data if candidate.in_user_units else data
                candidate = _tuned_once_more(found, candidate, own, workers, seconds)
            if np.isfinite(candidate.fitness):
                evolved.append((member_of(problem, candidate), candidate.individual.n_parameters))
                best = evolved[-1][0] if i == number else best
        behaving = finds_that_behave(found)
        short = [find for find in measured_finds(found) if find.complexity <= LONGEST_WITH_POLES]
        superior = cheapest(found, [*behaving, *short]) if found.validated else None
        return Models(
            found, data, rows, constant_model(problem, data), evolved, best, number is not None,
            number != fittest, behaving, superior,
        )  # fmt: skip

    @property
    def fitted_finds(self) -> list[tuple[Member, int]]:
        """The finds, and how many numbers each has."""
        return [(find, find.individual.n_parameters) for find in self.finds]


def approximation(found: Found, workers: Workers, seconds: float | None) -> tuple[Member, list[Member]]:
    """The best model of the allowed size, or a linear model, or the mean; or a find that is as good and shorter; and the
    front."""
    models = Models.of(found, workers, seconds)
    chosen = models.mean
    for rule in RULES:
        chosen = rule(models, chosen)
    sure = any(chosen is each for each in (models.superior, *models.finds))
    sure = sure or (models.passed_over and chosen is models.best)
    members = (models.mean, *(member for member, _ in models.evolved), *models.finds)
    shown = [m for m in members if m is chosen or m.complexity <= found.uncontradicted]
    if found.validated and found.problem.few_rows:
        scores = found.decision.validation_r2
        shown = supported_by_folds(found.problem, shown, chosen, found.unseen, scores)
    return _undominated(found, chosen, shown, keep=sure)


# --- the rules ------------------------------------------------------------------------------------


def the_fittest_of_the_allowed_size(models: Models, chosen: Member) -> Member:
    """The size was decided on unseen rows."""
    return models.best or chosen


def a_larger_one_that_has_become_far_better(models: Models, chosen: Member) -> Member:
    """Sizes are compared halfway through a run, and of the other half large models gain more."""
    problem = models.found.problem
    if problem.few_rows or chosen is not models.best:
        return chosen
    return far_better(problem, chosen, [member for member, _ in models.evolved])


def the_line_that_was_decided_on(models: Models, chosen: Member) -> Member:
    """Where nothing is clearly better than a linear model."""
    number = models.found.decision.linear
    return chosen if number is None else _linear_model(models.found, number, models.data, models.rows)


def a_line_of_logarithms(models: Models, chosen: Member) -> Member:
    """Very few rows: columns that span decades enter a shrunk line as logarithms."""
    found, line = models.found, models.found.line_of_logarithms
    if line is None or found.decision.linear != RIDGE:
        return chosen
    problem = found.problem
    explained = problem.loss.explained(problem.y, line.predict(problem.X), problem.weights)
    return Member(line, explained, line.printed_size())


def a_short_find_that_is_as_good(models: Models, chosen: Member) -> Member:
    """A formula of the law search where unseen rows show no clear difference."""
    found, errors = models.found, models.found.decision.errors
    if not _compared_with_finds(models) or errors is None:
        return chosen
    errors = _errors_beside_finds(found, chosen, errors)
    promised = found.decision.promised(found.problem)
    finds = [find for find in models.finds if find.fitness >= promised]
    return prefer_short(found.problem, errors, chosen, finds, cheapest(found, finds), found.unseen)


def the_best_where_islands_had_no_time(models: Models, chosen: Member) -> Member:
    """The mean, a line or a find, by unseen rows."""
    found, problem = models.found, models.found.problem
    if models.had_islands or found.decision.simple or _compared_with_finds(models):
        return chosen
    lines = [member_of(problem, fitted_candidate(problem, model.fit(models.data))) for model in found.linear]
    return best_of(problem, non_dominated([models.mean, *lines, *models.finds]), known=found.unseen)


def a_find_nearer_to_most_rows(models: Models, chosen: Member) -> Member:
    """Where targets span decades, most rows count for little in a sum of squares."""
    errors = models.found.decision.errors
    if errors is None:
        return chosen
    return nearer_to_most_rows(chosen, list(models.finds), errors, models.found.unseen)


def a_find_far_better_on_nearly_every_row(models: Models, chosen: Member) -> Member:
    """As the data have poles, so may it."""
    found, superior = models.found, models.superior
    if superior is None or not better_on_nearly_every_row(found.problem, superior, chosen, found.unseen):
        return chosen
    return for_its_price(found.problem, superior, chosen)


def a_find_that_leaves_noise_alone(models: Models, chosen: Member) -> Member:
    """The most convincing find, where features say nothing about what it leaves of all rows: of many formulas some do better on
    unseen rows by luck."""
    found, find = models.found, cheapest(models.found, models.finds)
    asked = find is not None and find is not chosen and find.fitness > 1.0 - HOPELESS
    if not asked or find is None or not found.validated or found.problem.few_rows:
        return chosen
    its, own = (unseen_errors(found.problem, each, found.unseen) for each in (chosen, find))
    if len(its) != len(own) or clearly_better(its, own, SURELY_BETTER):
        return chosen
    return more_convincing(found.problem, find, chosen)


def what_convinces_by_itself(models: Models, chosen: Member) -> Member:
    """Where no unseen rows have been asked."""
    found, problem = models.found, models.found.problem
    if found.validated:
        return chosen
    convincing = models.fitted_finds
    convincing += models.evolved if found.very_few_rows or found.of_folds else []
    return most_convincing(convincing, chosen, problem.different(np.arange(len(problem.y))))


def what_few_rows_are_evidence_for(models: Models, chosen: Member) -> Member:
    """Where the cross-validation of few rows came to a line or to no more than a size."""
    found, decision = models.found, models.found.decision
    line = decision.linear == RIDGE
    asked = found.validated and found.problem.few_rows and (line or decision.of_this_size)
    if not asked or decision.errors is None:
        return chosen
    evidence = [*_uncontradicted(found, models.evolved), *models.fitted_finds]
    return evident(found.problem, evidence, chosen, decision.errors, found.unseen, linear=line)


def a_line_that_fits_better(models: Models, chosen: Member) -> Member:
    """Few noisy rows: a formula that fits its own rows no better than a shrunk line is not what cross-validation spoke for."""
    found = models.found
    if chosen.fitness >= found.decision.promised(found.problem):
        return chosen
    line = _linear_model(found, RIDGE, models.data, models.rows)
    return line if line.fitness > chosen.fitness else chosen


def a_smaller_one_of_the_supported_size_that_fits_better(models: Models, chosen: Member) -> Member:
    """Few noisy rows: cross-validation has spoken for formulas of a size. What is larger than one of them and fits its rows no
    better, a line or a find, has nothing that speaks for it."""
    decision = models.found.decision
    if not decision.of_this_size or not models.found.validated:
        return chosen
    most = min(np.ceil(ROOM * decision.searched), chosen.complexity - 1)
    better = [m for m, _ in models.evolved if m.complexity <= most and m.fitness > chosen.fitness]
    return min(better, key=lambda m: m.complexity, default=chosen)


def one_that_stays_beyond_the_rows(models: Models, chosen: Member) -> Member:
    """What few rows or finds spoke for may explode where the next row lies; another that is no larger and nearly as good may not.
    A formula that leaves noise alone is let be."""
    found = models.found
    if not found.guarded or chosen is models.best or is_line(chosen.individual):
        return chosen
    staying = Staying.of(found.problem)
    if staying.stays(chosen.individual):
        return chosen
    # Larger models than unseen rows have spoken for may fit as well by their size alone.
    most = found.decision.most_nodes if found.validated else chosen.complexity
    evolved = [member for member, _ in models.evolved if member.complexity <= most]
    others = [m for m in (*evolved, *models.finds) if nearly_as_good(m, chosen)]
    others = [m for m in others if staying.stays(m.individual)]
    other = max(others, key=lambda m: m.fitness, default=chosen)
    return chosen if other is chosen else more_convincing(found.problem, chosen, other)


Rule = Callable[[Models, Member], Member]

#: In the order in which they are asked; the last that has something to say decides.
RULES: tuple[Rule, ...] = (
    the_fittest_of_the_allowed_size,
    a_larger_one_that_has_become_far_better,
    the_line_that_was_decided_on,
    a_line_of_logarithms,
    a_short_find_that_is_as_good,
    the_best_where_islands_had_no_time,
    a_find_nearer_to_most_rows,
    a_find_far_better_on_nearly_every_row,
    a_find_that_leaves_noise_alone,
    what_convinces_by_itself,
    what_few_rows_are_evidence_for,
    a_line_that_fits_better,
    a_smaller_one_of_the_supported_size_that_fits_better,
    one_that_stays_beyond_the_rows,
)


def _compared_with_finds(models: Models) -> bool:
    """Are there finds, and errors on unseen rows of the model that set the size to compare them with?"""
    decision = models.found.decision
    return bool(models.finds) and decision.errors is not None and not decision.simple


# --- what the rules need --------------------------------------------------------------------------


def allowed_best(front: Sequence[Candidate], decision: SizeDecision) -> int | None:
    """Number of the smallest model of the front that leaves hardly more unexplained than the fittest of the allowed size."""
    allowed = [i for i, c in enumerate(front) if c.complexity <= decision.most_nodes]
    allowed = allowed[-1:] if decision.of_this_size else allowed
    least = min((1.0 - front[i].fitness for i in allowed), default=0.0)
    enough = max(ALIKE * least, 1.0 - EXPLAINED)
    return next((i for i in allowed if 1.0 - front[i].fitness <= enough), None)


def _of_few_rows(found: Found, candidates: Sequence[Candidate], best: int) -> int:
    """Number of the model that few rows speak for, of those that their cross-validation allows; with many rows the `best`."""
    problem, decision = found.problem, found.decision
    if decision.errors is None or len(problem.held_out_rows):
        return best
    most = int(np.ceil(ROOM * (decision.supported or 0))) if decision.of_this_size else 0
    numbers = [i for i, c in enumerate(candidates) if c.complexity <= max(most, decision.most_nodes)]
    members = {i: member_of(problem, candidates[i]) for i in numbers if np.isfinite(candidates[i].fitness)}
    # Fitted again without a fold, a structure that was found with it looks better than it is: searches without it speak, too.
    best_smaller = -np.inf
    for number, member in list(members.items()):
        validation = r2_near(decision.validation_r2, member.complexity)
        if validation < best_smaller - CONTRADICTED:
            del members[number]
        best_smaller = max(best_smaller, validation) if np.isfinite(validation) else best_smaller
    promised = decision.promised(problem)
    members = {i: m for i, m in members.items() if m.fitness >= promised} or members
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
