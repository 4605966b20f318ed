"""What a search hands over: the chosen model and the front, in the user's units, fitted to all rows.

The last step of `search.Searcher`, at whatever moment it is asked for its result. A law is chosen as it is; otherwise the
verdict of the judging rows says what kind of model is chosen and how large it may be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from multigene._engine import Dataset, Individual
from multigene.evolution.pareto import Member, non_dominated, with_member
from multigene.laws import law as laws
from multigene.laws.law import Find
from multigene.search.few_rows import handful_ridge, most_convincing
from multigene.search.judge import RIDGE, Verdict, best_of, prefer_short
from multigene.search.linear import Ridge
from multigene.search.problem import Problem
from multigene.search.shorter import fitted, polished
from multigene.settings.settings import Refinement

if TYPE_CHECKING:
    from multigene.search.searcher import Searcher

#: Training R² at which the target counts as explained to numerical precision.
EXPLAINED = 1.0 - 1e-13
#: Models that leave this much more unexplained than another are as good.
ALIKE = 1.01
#: Seconds that the result may be tuned after the end of a run.
LAST_MOMENT = 0.1


def outcome(search: Searcher) -> tuple[Member, list[Member]]:
    """The chosen model and the front."""
    if search.seekers is not None and search.seekers.law is not None:
        law = measured(search.problem, search.seekers.law)
        return law, with_member(non_dominated([law, *finds_of(search)]), law)
    if search.only_laws:
        return best_find(search)
    verdict = search.verdict or search.judge()
    decided = verdict.constant or verdict.linear is not None
    data, models = on_all_rows(search)
    best = None if decided else allowed_best(search, verdict)
    constant = in_user_units(search.problem, Individual(["0.0"], 0.0, [0.0]).fit(data))
    front, chosen = [constant], constant
    fitted_numbers: list[tuple[Member, int]] = []  # means and scales of features are not fitted
    for number, model in enumerate(models):
        model = last_tuned(search, model, data) if number == best else model
        if np.isfinite(model.fitness):
            front.append(in_user_units(search.problem, model))
            fitted_numbers.append((front[-1], model.n_parameters))
            chosen = front[-1] if number == best else chosen
    if verdict.linear is not None:
        chosen = line(search, verdict.linear, data)
    finds = finds_of(search)
    if finds and verdict.errors is not None and not decided:
        convincing = cheapest_find(search, finds)
        chosen = prefer_short(search.problem, verdict.errors, chosen, finds, convincing)
    elif best is None and not decided:  # approximators had no time
        lines = [in_user_units(search.problem, model.fit(data)) for model in search.linear]
        chosen = best_of(search.problem, non_dominated([front[0], *lines, *finds]))
    if search.unjudged:
        rows = search.problem.different(np.arange(len(search.problem.y)))
        found = [(find, find.individual.n_parameters) for find in finds]
        chosen = most_convincing(found + (fitted_numbers if search.handful else []), chosen, rows)
    return chosen, with_member(non_dominated([*front, *finds]), chosen)


def on_all_rows(search: Searcher) -> tuple[Dataset, list[Individual]]:
    """All rows, and the models of the front fitted to them, however late it is."""
    models = [member.individual for member in search.front]
    if search.complete or search.works_on_all_rows:
        return search.data, models
    data = search.problem.dataset()
    search.workers.set_deadline(None)
    return data, fitted(models, data, search.workers)


def allowed_best(search: Searcher, verdict: Verdict) -> int | None:
    """Number of the smallest model of the front that leaves hardly more unexplained than the fittest of the allowed size."""
    members = list(search.front)
    allowed = [i for i, m in enumerate(members) if m.complexity <= verdict.most_nodes]
    allowed = allowed[-1:] if verdict.exactly else allowed
    least = min((1.0 - members[i].fitness for i in allowed), default=0.0)
    enough = max(ALIKE * least, 1.0 - EXPLAINED)
    return next((i for i in allowed if 1.0 - members[i].fitness <= enough), None)


def last_tuned(search: Searcher, model: Individual, data: Dataset) -> Individual:
    """Tuned once more for a moment, where that helps and the guard allows."""
    search.workers.set_deadline(LAST_MOMENT)
    [refined] = polished([model], data, search.refinement, search.workers)
    better = np.isfinite(refined.fitness) and not refined.fitness < model.fitness
    return refined if better and (search.guard is None or search.guard(refined)) else model


def line(search: Searcher, number: int, data: Dataset) -> Member:
    """A linear model, fitted to all rows."""
    problem = search.problem
    if number != RIDGE:
        model = search.linear[number].refine(data, Refinement(iterations=3, prune=0.0))
        return in_user_units(problem, model)
    Z, weights = problem.standardised(problem.X), problem.weights
    weights = np.ones(len(problem.y)) if weights is None else weights
    ridge = handful_ridge(problem) if search.handful else Ridge.fitted(Z, problem.y, weights)
    shrunk = problem.in_user_units(ridge.individual())
    return Member(shrunk, ridge.r2(Z, problem.y, weights), shrunk.complexity)


# --- finds of the seekers -------------------------------------------------------------------------


def best_find(search: Searcher) -> tuple[Member, list[Member]]:
    """The most convincing find, or the shortest, that is not clearly worse than the best on rows that no seeker saw; the mean
    where there is none."""
    mean = in_user_units(search.problem, Individual(["0.0"], 0.0, [0.0]).fit(search.problem.dataset()))
    finds = non_dominated([mean, *finds_of(search)])
    return best_of(search.problem, finds, cheapest_find(search, finds)), finds


def cheapest_find(search: Searcher, finds: list[Member]) -> Member | None:
    """The find that costs least (`brief.price`)."""
    prices = search.seekers.finds.prices() if search.seekers is not None else {}
    return min(finds, key=lambda m: prices.get(id(m.individual), np.inf), default=None)


def finds_of(search: Searcher) -> list[Member]:
    """What seekers found on the way, as far as it behaves."""
    if search.seekers is None:
        return []
    problem = search.problem
    rows = problem.evolution_rows  # all of them unless there are very many
    members = [measured(problem, find, rows) for find in search.seekers.finds.by_size.values()]
    behaves = problem.behaves_in_user_units if search.guard is not None else lambda _: True
    return [m for m in members if np.isfinite(m.fitness) and behaves(m.individual)]


def measured(problem: Problem, find: Find, rows: Any = slice(None)) -> Member:
    """A find on all rows, or on some."""
    whole = laws.measure(find.expression, problem.X[rows], problem.y[rows])
    fitness = 1.0 - whole.unexplained if whole is not None else -np.inf
    return Member(find.individual, fitness, find.individual.complexity)


def in_user_units(problem: Problem, individual: Individual) -> Member:
    """A model of standardised features as a member of the front that users see."""
    return Member(problem.in_user_units(individual), individual.fitness, individual.complexity)


def judged(members: Sequence[Member], scores: Mapping[int, float]) -> list[Member]:
    """Members with their R² on held-out rows.

    Rows are held out during the first part of a run only; then all models go on with all rows. So a size's
    score is that of the best model of at most that size while the rows were held out: what formulas of the
    size were worth on rows not seen.
    """
    sizes = sorted(scores)

    def score(complexity: int) -> float:
        below = [size for size in sizes if size <= complexity]
        return scores[below[-1]] if below else nan

    return [replace(member, validation=score(member.complexity)) for member in members]
