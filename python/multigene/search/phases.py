"""The phases of the default search, beyond the paper: what `MultigeneRegressor()` without a codename of the paper runs.

    seek             the law search runs (`seeking.py`); a law ends the search
    log scale        positive targets over decades only: short formulas of the logarithm (`log_scale.py`)
    cross-validate   few rows only: the whole search on four fifths of the rows, five times over; the rows left out decide how
                     large a formula may be (`cross_validation.py`)
    explore          islands evolve on the rows for searching, and the law search goes on beside them
    validate         rows that no island saw decide how large a formula may be (`validation.py`); if they say that a line or a
                     constant does as well, no improvement is expected of searching on
    finish           islands evolve on all rows, and the law search goes on; near the end shorter formulas complete the front

Each phase is a function of the task, which changes only where its user steers (`steering.py`), and of the `SearchState`, which is
all that a search knows. Work is shared out in rounds of generations, by count, so that a run limited by generations is the same
on any machine; a time limit adds shares of time. `searcher.py` makes a result of what the phases leave.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing

import numpy as np

from multigene._engine import Individual
from multigene.search import log_scale
from multigene.search.constants import (
    COMPLETION,
    END_PER_NODE,
    END_TO_START,
    EXPLAINED,
    FEWEST_FOLD_GENERATIONS,
    FINISH,
    LEAST_SEARCH,
    LONGEST_SIMPLIFIED,
    POLISHED,
    SECONDS_PER_VALUE,
)
from multigene.search.cross_validation import CrossValidation
from multigene.search.few_rows import decide_by_leaving_one_out
from multigene.search.progress import Step
from multigene.search.seeking import LawSearch
from multigene.search.state import SearchState
from multigene.search.task import Task
from multigene.search.validation import SizeDecision, decide_by_cross_validation, decide_on_held_out_rows

#: How much of the run is over, from 0 to 1.
Share = Callable[[], float]
#: Steps of a phase, and in the end whether the whole search is over.
Steps = Generator[Step, None, bool]


def search(task: Task, state: SearchState, share: Share) -> Iterator[Step]:
    """The phases in order: seek, log scale, cross-validate, explore, validate, finish.

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
            state.phase = "over"  # a run that is resumed from here has nothing left to do
        else:  # a run that is continued goes on for a round at least before this is decided again
            state.decision = None
            if (yield from explore_round(task, state, share)):
                return
    if state.phase == "finish" and share() < 1.0:
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
                # Islands know nothing better than what seems exact and waits for a survey that time has cut short.
                cut_short = laws.seekers is not None and share() >= laws.first_share
                return bool(ended.value) or (cut_short and laws.look_at_waiting())
            yield state.step(preparing=True)
    return False


def seek_alone(task: Task, state: SearchState, share: Share) -> Iterator[Step]:
    """No islands: the law search in rounds, each of as many evaluations as the individuals that islands would have had.

    Before they count, it has as many as it has beside islands: units or search='laws' must not make a short run find less.
    """
    usual = task.round_length * task.options.islands * task.settings.selection.population_size
    first = 0 if task.settings.seeking is None else task.settings.seeking.first
    while state.laws.has_targets:
        work = max(usual, first - state.laws.evaluations)
        if not state.laws.run(work, lambda: share() >= (1.0 if state.complete else COMPLETION)):
            state.islands.number += _next_round(task, state)
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
        yield _island_round(task, state, share)
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
            last = _completion_of_front(task, state)
            if share() >= last and not state.complete:
                complete(task, state, share())
                if not task.sees_all_rows:
                    yield state.step()
                    return
            yield _island_round(task, state, share, 1.0 if task.sees_all_rows else last)
        if _seek_beside(state, lambda: share() >= state.completion):
            yield state.step()
            if _is_over(state):
                return


def complete(task: Task, state: SearchState, share: float) -> None:
    """Complete the front by shorter formulas; where islands saw part of the rows only, fit it to all of them if there is time."""
    assert state.decision is not None
    islands, most = state.islands, state.decision.searched
    state.laws.simplify(
        task.problem.user_model(c) for c in islands.whole if c.complexity <= LONGEST_SIMPLIFIED
    )
    islands.shorten(most)
    limit = task.settings.stopping.seconds
    left = np.inf if limit is None else (1.0 - share) * limit
    # What is foreseen is plenty; less than half of it is never enough, and the result is then that of a sample.
    if not task.sees_all_rows and 0.5 * _end_of_front(task, state) <= left:
        islands.refit(None, most, 1)
    state.complete = True


def continue_with_larger_limit(task: Task, state: SearchState) -> None:
    """What was decided for a shorter run is decided again: that no improvement was expected, and that the front is complete."""
    state.continued_at = state.islands.number
    if state.complete and state.phase == "finish" and not task.sees_all_rows:
        state.islands.move(task.problem.finish_rows, np.inf, 0)
    state.complete = False
    if state.phase in ("explore", "over") and state.decision is not None and state.decision.final:
        state.decision, state.cross_validation = None, CrossValidation()
        state.phase = "cross-validate" if task.folds else "explore"


# --- how phases share a run -----------------------------------------------------------------------


def _completion(task: Task, share: float) -> float:
    """Share of the run after which the front is completed; with very many rows that takes longer, as does what came before."""
    if task.sees_all_rows:
        return COMPLETION
    last, limit = END_TO_START * share, task.settings.stopping.seconds
    if limit is not None:
        last = max(last, _seconds_at_the_end(task) / limit)
    return min(COMPLETION, max(LEAST_SEARCH, 1.0 - last))


def _completion_of_front(task: Task, state: SearchState) -> float:
    """The same with what the front's last fit to very many rows takes, now that its size is known."""
    limit = task.settings.stopping.seconds
    if task.sees_all_rows or limit is None:
        return state.completion
    return min(state.completion, max(LEAST_SEARCH, 1.0 - _end_of_front(task, state) / limit))


def _end_of_front(task: Task, state: SearchState) -> float:
    """Seconds that the last fit of the front to very many rows takes."""
    nodes = sum(c.complexity for front in (state.islands.front, state.islands.short) for c in front)
    return _seconds_at_the_end(task, nodes)


def _seconds_at_the_end(task: Task, nodes: int = 0) -> float:
    """What copying a table of very many rows and fitting a front of this many nodes to it take."""
    return SECONDS_PER_VALUE * task.problem.X.size + END_PER_NODE * len(task.problem.y) * nodes


def _explored(task: Task, state: SearchState, share: float) -> bool:
    """Is it time to validate? One round at least while there is time: the law search may have taken more of it than it was
    given."""
    number, folds = state.islands.number, state.cross_validation.results
    if number == 0:
        return share >= 1.0
    if folds and state.decision is not None and state.decision.final:
        return share >= 1.0 or number >= max(fold.generations for fold in folds)
    if len(task.problem.held_out_rows) > 0:
        # Islands share what the law search has left them and the end does not need.
        return share >= (1.0 - FINISH * (1.0 - state.begun)) * state.completion / COMPLETION
    return share >= (COMPLETION if task.problem.few_rows else 1.0)


def _is_over(state: SearchState) -> bool:
    """Is there still a law, or an explained target? What a step has told may have been banned at once."""
    return state.laws.law is not None or state.islands.reached(EXPLAINED)


def _island_round(task: Task, state: SearchState, share: Share, until: float = 1.0) -> Step:
    """Islands evolve until they migrate, or until this share of the run. Whoever stops here goes on with the law search."""
    state.islands.round_within(share, until, _next_round(task, state))
    state.laws_next = True
    return state.step()


def _next_round(task: Task, state: SearchState) -> int:
    """Generations until islands migrate, or until the run's limit: that holds as it was said."""
    left = np.inf if task.generations is None else task.generations - state.islands.number
    return int(min(task.round_length, max(left, 1)))


def _seek_beside(state: SearchState, stop: Callable[[], bool]) -> bool:
    """The law search does what it is due beside the islands; True if there is a law."""
    best = state.islands.whole.best
    left = np.inf if best is None else 1.0 - best.fitness
    found = state.laws.run(state.laws.due(left, state.islands.evaluations), stop)
    state.laws_next = False
    return found
