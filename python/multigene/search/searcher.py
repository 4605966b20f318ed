"""The default search, beyond the paper: what `MultigeneRegressor()` without a codename of the paper runs.

    seek             the law search runs (`seeking.py`); a law ends the search
    cross-validate   few rows only: the whole search on four fifths of the rows, five times over; the rows left out decide how
                     large a formula may be (`cross_validation.py`)
    log scale        positive targets over decades only: short formulas of the logarithm (`log_scale.py`)
    explore          islands evolve on the rows for searching, and the law search goes on beside them
    validate         rows that no island saw decide how large a formula may be (`validation.py`); if they say that a line or a
                     constant does as well, no improvement is expected of searching on
    finish           islands evolve on all rows, and the law search goes on; near the end shorter formulas complete the front

Each phase is a function of the task, which changes only where its user steers (`steering.py`), and of the `SearchState`, which is
all that a search knows. Work is shared out in rounds of generations, by count, so that a run limited by generations is the same
on any machine; a time limit adds shares of time. What the phases leave is a `Found`, which `result.py` makes a result of.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np

from multigene._engine import Individual, Workers
from multigene.evolution.pareto import Member, non_dominated
from multigene.search import log_scale, steering
from multigene.search.constants import (
    COMPLETION,
    END_PER_VALUE,
    END_TO_START,
    EXPLAINED,
    FEWEST_FOLD_GENERATIONS,
    FINISH,
    LEAST_SEARCH,
    POLISHED,
)
from multigene.search.cross_validation import CrossValidation
from multigene.search.few_rows import decide_by_leaving_one_out
from multigene.search.guesses import listed
from multigene.search.log_scale import LogScale
from multigene.search.problem import Problem
from multigene.search.progress import Step
from multigene.search.result import Found, Result, provisional, result_of
from multigene.search.seeking import LawSearch
from multigene.search.state import SearchState
from multigene.search.task import Task
from multigene.search.validation import (
    ANY_SIZE,
    SizeDecision,
    decide_by_cross_validation,
    decide_on_held_out_rows,
)
from multigene.settings.settings import Settings

#: How much of the run is over, from 0 to 1.
Share = Callable[[], float]
#: Steps of a phase, and in the end whether the whole search is over.
Steps = Generator[Step, None, bool]


def search(task: Task, state: SearchState, share: Share) -> Iterator[Step]:
    """Seek, cross-validate, explore, validate, finish.

    Ends by itself when there is a law, when the target is explained, or when no improvement is expected.
    """
    if state.laws.law is not None:  # a guess of the user's
        yield state.step()
        return
    if state.laws.alone:
        yield from seek_alone(task, state, share)
        return
    if state.phase == "seek" and (yield from seek(task, state, share)):
        return
    if state.log_scale is None and log_scale.applies(task):
        state.log_scale = yield from log_scale.search(task, state.rng, share)
    if state.phase == "cross-validate":
        yield from cross_validate(task, state, share)
    while state.phase == "explore":
        if (yield from explore(task, state, share)) or share() >= 1.0:
            return
        if not validate(task, state).final:
            move_to_all_rows(task, state)
        elif state.islands.number > state.continued_at:
            return
        else:  # a run that is continued goes on for a round at least before this is decided again
            state.decision = None
            if (yield from explore_round(task, state, share)):
                return
    if share() < 1.0:
        yield from finish(task, state, share)


# --- phases ---------------------------------------------------------------------------------------


def seek(task: Task, state: SearchState, share: Share) -> Steps:
    """The law search begins; a law ends the search."""
    state.completion = _completion(task, share())
    first = 0 if task.settings.seeking is None else task.settings.seeking.first
    laws = None
    while laws is not state.laws:  # whoever steers may have begun another law search
        laws = state.laws
        if (yield from _seek_first(state, laws, first - laws.evaluations, share)):
            yield state.step()
            if _is_over(state):
                return True
    state.laws.islands_begin()
    state.begun = share()
    state.phase = "cross-validate" if task.folds else "explore"
    return False


def _seek_first(state: SearchState, laws: LawSearch, evaluations: int, share: Share) -> Steps:
    """The law search before the islands, a step before it and after every piece of it; True if there is a law."""
    if laws.evaluations == 0 and laws.seekers is not None:
        yield state.step(preparing=True)
    with closing(laws.pieces(evaluations, lambda: share() >= laws.first_share)) as pieces:
        while state.laws is laws:
            try:
                next(pieces)
            except StopIteration as ended:
                return bool(ended.value)
            yield state.step(preparing=True)
    return False


def seek_alone(task: Task, state: SearchState, share: Share) -> Iterator[Step]:
    """No islands: the law search in rounds, each of as many evaluations as the individuals that islands would have had."""
    work = task.round_length * task.options.islands * task.settings.selection.population_size
    while state.laws.has_targets:
        if not state.laws.run(work, lambda: share() >= (1.0 if state.complete else COMPLETION)):
            state.islands.number += task.round_length
            if share() >= COMPLETION and not state.complete:
                state.laws.simplify()
                state.complete = True
        yield state.step()
        if state.laws.law is not None:
            return
    yield state.step()


def cross_validate(task: Task, state: SearchState, share: Share) -> Iterator[Step]:
    """Few rows: what the search is worth on rows that it has not seen decides how large a formula may be."""
    # A search that is continued goes on for at least a round, and is to be cross-validated for as long.
    least = max(FEWEST_FOLD_GENERATIONS, state.continued_at + task.round_length if state.continued_at else 0)
    yield from state.cross_validation.run(task, state.rng, share, least)
    if len(state.cross_validation.results) < len(task.folds) and share() >= 1.0:
        return  # cut short: what the folds have found is all there is
    folds, largest = state.cross_validation.results, task.options.max_size
    state.decision = decide_by_cross_validation(task.problem, folds, largest)
    state.phase = "explore"


def explore(task: Task, state: SearchState, share: Share) -> Steps:
    """Islands evolve on the rows for searching; a law or an explained target ends the search."""
    if not state.islands.populations:
        state.islands.settle(state.rng, *_known(state))
    while state.laws_next or not _explored(task, state, share()):
        if (yield from explore_round(task, state, share)):
            return True
    return False


def _known(state: SearchState) -> tuple[list[Individual], list[Individual]]:
    """Large and short models that the search begins with: those of cross-validation, unless it goes on for no longer than that
    has shown to be of use."""
    if state.decision is None or state.decision.final:
        return [], []
    return state.cross_validation.leaders(short=False), state.cross_validation.leaders(short=True)


def explore_round(task: Task, state: SearchState, share: Share) -> Steps:
    """Islands evolve until they migrate; the law search does what it is due beside them."""
    if not state.laws_next:
        yield _island_round(state, share)
    if state.islands.reached(EXPLAINED) or _seek_beside(state, lambda: _explored(task, state, share())):
        yield state.step()
        return _is_over(state)
    return False


def validate(task: Task, state: SearchState) -> SizeDecision:
    """Rows that no island saw decide how large a formula may be; few rows have decided before."""
    islands, largest = state.islands, task.options.max_size
    islands.shorten()
    if state.decision is None:
        if task.very_few_rows:
            state.decision = decide_by_leaving_one_out(task.problem, islands.linear)
        elif task.folds:
            folds = state.cross_validation.results
            state.decision = decide_by_cross_validation(task.problem, folds, largest)
        else:
            front = list(islands.whole)
            state.decision = decide_on_held_out_rows(task.problem, front, islands.linear, largest)
    return state.decision


def move_to_all_rows(task: Task, state: SearchState) -> None:
    """The islands go on with all rows; what the front holds of the allowed size is fitted to them, the best is tuned."""
    assert state.decision is not None
    state.phase = "finish"
    state.islands.move(task.problem.finish_rows, state.decision.searched, POLISHED)


def finish(task: Task, state: SearchState, share: Share) -> Iterator[Step]:
    """Islands evolve on all rows, near the end the front is completed; without end, unless there is a law or very many rows."""
    while True:
        if not state.laws_next:
            if share() >= state.completion and not state.complete:
                complete(task, state)
                if not task.sees_all_rows:
                    yield state.step()
                    return
            yield _island_round(state, share)
        if _seek_beside(state, lambda: share() >= state.completion):
            yield state.step()
            if _is_over(state):
                return


def complete(task: Task, state: SearchState) -> None:
    """Complete the front by shorter formulas; where islands saw part of the rows only, fit it to all of them."""
    assert state.decision is not None
    islands, most = state.islands, state.decision.searched
    state.laws.simplify()
    islands.shorten(most)
    if not task.sees_all_rows:
        islands.refit(None, most, 1)
    state.complete = True


def continue_with_larger_limit(task: Task, state: SearchState) -> None:
    """What was decided for a shorter run is decided again: that no improvement was expected, and that the front is complete."""
    state.continued_at = state.islands.number
    if state.complete and state.phase == "finish" and not task.sees_all_rows:
        state.islands.move(task.problem.finish_rows, np.inf, 0)
    state.complete = False
    if state.phase == "explore" and state.decision is not None and state.decision.final:
        state.decision, state.cross_validation = None, CrossValidation()
        state.phase = "cross-validate" if task.folds else "explore"


# --- how phases share a run -----------------------------------------------------------------------


def _completion(task: Task, share: float) -> float:
    """Share of the run after which the front is completed; with very many rows that takes longer, as does what came before."""
    if task.sees_all_rows:
        return COMPLETION
    last, limit = END_TO_START * share, task.settings.stopping.seconds
    if limit is not None:
        last = max(last, END_PER_VALUE * task.problem.X.size / limit)
    return min(COMPLETION, max(LEAST_SEARCH, 1.0 - last))


def _explored(task: Task, state: SearchState, share: float) -> bool:
    """Is it time to validate? One round at least while there is time: the law search may have taken more of it than it was
    given."""
    number, folds = state.islands.number, state.cross_validation.results
    if number == 0:
        return share >= 1.0
    if folds and state.decision is not None and state.decision.final:
        return share >= 1.0 or number >= max(fold.generations for fold in folds)
    if len(task.problem.held_out_rows) > 0:  # islands share what the law search has left them
        return share >= 1.0 - FINISH * (1.0 - state.begun)
    return share >= (COMPLETION if task.problem.few_rows else 1.0)


def _is_over(state: SearchState) -> bool:
    """Is there still a law, or an explained target? What a step has told may have been banned at once."""
    return state.laws.law is not None or state.islands.reached(EXPLAINED)


def _island_round(state: SearchState, share: Share) -> Step:
    """Islands evolve until they migrate. Whoever stops here goes on with the law search."""
    state.islands.round_within(share)
    state.laws_next = True
    return state.step()


def _seek_beside(state: SearchState, stop: Callable[[], bool]) -> bool:
    """The law search does what it is due beside the islands; True if there is a law."""
    best = state.islands.whole.best
    left = np.inf if best is None else 1.0 - best.fitness
    found = state.laws.run(state.laws.due(left, state.islands.evaluations), stop)
    state.laws_next = False
    return found


# --- the search as a whole ------------------------------------------------------------------------


class Searcher:
    """A search as a run (`run.py`) handles it: steps, what it has found, and its state for a checkpoint."""

    def __init__(
        self,
        problem: Problem,
        settings: Settings,
        rng: np.random.Generator,
        workers: Workers,
        generations: int | None,
        saved: dict[str, Any] | None = None,
    ) -> None:
        """`generations` are those after which the run ends, `saved` is what `packed` gave."""
        self.task = task = Task(problem, settings, workers, generations)
        self.original, self.pinned = settings, list[Individual]()
        if saved is None:
            self.state = SearchState.at_the_start(task, rng)
        else:
            steering.restore(self, saved.get("steered", {}))
            self.state = SearchState.unpacked(task, rng, saved.get("search", {}))

    def continue_with_larger_limit(self) -> None:
        """Go on although the search may have ended by itself."""
        continue_with_larger_limit(self.task, self.state)

    def steps(self, share: Share) -> Iterator[Step]:
        """One step after the other until the search ends by itself."""
        return search(self.task, self.state, share)

    def reached(self, r2: float) -> bool:
        """Is there a model this fit? A law is more than that, and ends the search by itself."""
        return self.state.laws.law is None and self.state.islands.reached(r2)

    def why_ended(self) -> str:
        """Why the search ended by itself."""
        if self.state.laws.law is not None:
            return "law"
        return "target" if self.reached(EXPLAINED) else "no improvement expected"

    def packed(self) -> dict[str, Any]:
        """All that is needed to go on."""
        return {"search": self.state.packed(), "steered": steering.packed(self)}

    def provisional(self) -> Result:
        """The best model so far, at once."""
        return provisional(_found(self.task, self.state))

    def result(self, seconds: float | None) -> Result:
        """The chosen model and the front; `seconds` are for the last tuning, None for as long as it takes.

        A model that explains the target may be a law when it is cleaned up; where the size is not decided yet, it is now. The
        search can go on as if nobody had asked.
        """
        state = replace(self.state, islands=self.state.islands.copied())
        _adopt_explained(self.task, state)
        if state.laws.law is None and not state.laws.alone and state.decision is None:
            validate(self.task, state)
            _adopt_explained(self.task, state)  # there may be a shorter one now
        return self._with_pinned(result_of(_found(self.task, state), self.task.workers, seconds))

    def _with_pinned(self, result: Result) -> Result:
        """The result with the user's guesses and the formulas that were pinned among it, fitted to all rows."""
        if not self.pinned and not self.task.problem.guesses:
            return result
        data = self.task.problem.plain_dataset()
        pinned = [each.fit(data) for each in self.pinned]
        members = [
            Member(m, m.fitness, m.complexity, source="pinned") for m in pinned if np.isfinite(m.fitness)
        ]
        if self.state.laws.law is None:
            members += listed(self.task.problem, self.task.guesses, self.task.workers)
        return replace(result, front=[*result.front, *members])


def _adopt_explained(task: Task, state: SearchState) -> None:
    """The shortest model that explains the target may be a law when it is cleaned up."""
    if state.laws.law is None and state.islands.reached(EXPLAINED):
        shortest = next(c for c in state.islands.whole if c.fitness >= EXPLAINED)
        state.laws.adopt(task.problem.user_model(shortest))


def _found(task: Task, state: SearchState) -> Found:
    """What the phases leave to `result.py`."""
    scale = state.log_scale or LogScale((), (), ())
    folds, front = state.cross_validation, list(state.islands.whole)
    of_folds = state.phase == "cross-validate" or (bool(task.folds) and state.islands.number == 0)
    if of_folds:
        behaves = task.problem.guard.behaves_as_it_is
        tried = folds.candidates(task.problem)
        front = non_dominated(
            [*front, *(c for c in tried if not task.options.guard or behaves(c.individual))]
        )
    return Found(
        problem=task.problem,
        guarded=task.options.guard,
        refinement=task.refinement,
        front=front,
        data=state.islands.data,
        user_data=state.islands.user_data,
        on_all_rows=state.complete or (state.phase == "finish" and task.sees_all_rows),
        linear=state.islands.linear,
        decision=state.decision or SizeDecision(ANY_SIZE),
        law=state.laws.law,
        finds=[
            find
            for find in (*state.laws.finds, *scale.finds)
            if state.laws.alone or task.building.allow_find(find.individual, find.expression)
        ],
        unseen={id(f.individual): e for f, e in zip(scale.finds, scale.unseen, strict=True)},
        prices=state.laws.prices,
        laws_alone=state.laws.alone,
        max_size=task.options.max_size,
        very_few_rows=task.very_few_rows,
        validated=not task.very_few_rows and len(folds.results) == len(task.folds),
        of_folds=of_folds,
    )
