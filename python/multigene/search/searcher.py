"""The default search as a run (`run.py`) handles it: `phases.py` over one state, and the result of what they leave."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from multigene._engine import Individual, Workers
from multigene.evolution.pareto import Candidate, Member
from multigene.search import phases, steering
from multigene.search.bans import Bans
from multigene.search.constants import EXPLAINED
from multigene.search.few_rows import line_of_logarithms, uncontradicted
from multigene.search.found import Found
from multigene.search.guesses import listed
from multigene.search.log_scale import LogScale
from multigene.search.phases import Share
from multigene.search.problem import Problem
from multigene.search.progress import Step
from multigene.search.result import Result, provisional, result_of
from multigene.search.short import has_own_functions
from multigene.search.state import SearchState
from multigene.search.task import Task
from multigene.search.validation import ANY_SIZE, SizeDecision
from multigene.settings.settings import Settings


class Searcher:
    """A search: its steps, what it has found, and its state for a checkpoint."""

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
        self.task = task = Task(problem, settings, workers, generations, Bans(_constant(problem)))
        self.original, self.pinned = settings, list[Individual]()
        if saved is None:
            self.state = SearchState.at_the_start(task, rng)
        else:
            steering.restore(self, saved.get("steered", {}))
            self.state = SearchState.unpacked(task, rng, saved.get("search", {}))

    def continue_with_larger_limit(self) -> None:
        """Go on although the search may have ended by itself."""
        phases.continue_with_larger_limit(self.task, self.state)

    def steps(self, share: Share) -> Iterator[Step]:
        """One step after the other until the search ends by itself."""
        return phases.search(self.task, self.state, share)

    def reached(self, r2: float) -> bool:
        """Is there a model this fit? A law is more than that, and ends the search by itself."""
        return self.state.laws.law is None and self.state.islands.reached(r2)

    def why_ended(self) -> str:
        """Why the search ended by itself: "limit" where it saw that there is time for the last fit to very many rows alone."""
        if self.state.laws.law is not None:
            return "law"
        if self.reached(EXPLAINED):
            return "target"
        return "limit" if self.state.complete else "no improvement expected"

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
            phases.validate(self.task, state)
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


def _constant(problem: Problem) -> set[int]:
    """Columns with one value in all rows, if others have several: nobody knows what they do, exp(c) where c is 7 is a number in
    disguise. With units or a form they may be what a formula needs, such as g."""
    if problem.dimensions is not None or problem.form is not None or problem.guesses:
        return set()
    same = np.flatnonzero(np.ptp(problem.X, axis=0) == 0.0)
    return set(same.tolist()) if len(same) < problem.X.shape[1] else set()


def _adopt_explained(task: Task, state: SearchState) -> None:
    """The shortest model that explains the target may be a law when it is cleaned up."""
    if state.laws.law is None and state.islands.reached(EXPLAINED):
        shortest = next(c for c in state.islands.whole if c.fitness >= EXPLAINED)
        state.laws.adopt(task.problem.user_model(shortest))


def _less_than_folds_had(task: Task, state: SearchState) -> bool:
    """Few noisy rows: do all models that may be chosen fit their own rows worse than the searches without a fold predicted rows
    that they had not seen? Then those have found what the search on all rows has missed."""
    decision = state.decision
    if decision is None or not task.folds:
        return False
    promised = decision.promised(task.problem)
    return not any(c.complexity <= decision.searched and c.fitness >= promised for c in state.islands.whole)


def _front(task: Task, state: SearchState, of_folds: bool) -> list[Candidate]:
    """What the islands have found; and what searches without a fold have, fitted to all rows, where that is all there is or they
    have found more."""
    front = state.islands.whole
    if of_folds or _less_than_folds_had(task, state):
        whole, front = front, state.islands.ground.front(short=True)
        front.follow(whole)
        for each in state.cross_validation.candidates(task.problem):
            front.offer(each.individual, each.complexity)
    return list(front)


def _line_of_logarithms(task: Task) -> Individual | None:
    """Of very few rows, where the user has said nothing of functions, units or a form, and the rules allow it."""
    told = has_own_functions(task.settings) or task.problem.dimensions is not None or task.problem.form
    if not task.very_few_rows or told:
        return None
    line = line_of_logarithms(task.problem)
    allowed = task.guard(in_user_units=True)
    return line if line is not None and (allowed is None or allowed(line)) else None


def _found(task: Task, state: SearchState) -> Found:
    """What the phases leave to `result.py`."""
    scale = state.log_scale or LogScale((), (), ())
    folds = state.cross_validation
    of_folds = state.phase == "cross-validate" or (bool(task.folds) and state.islands.number == 0)
    validated = not task.very_few_rows and len(folds.results) == len(task.folds)
    return Found(
        problem=task.problem,
        guarded=task.options.guard,
        refinement=task.refinement,
        front=_front(task, state, of_folds),
        data=state.islands.data,
        user_data=state.islands.user_data,
        on_all_rows=state.complete or (state.phase == "finish" and task.sees_all_rows),
        linear=state.islands.linear,
        line_of_logarithms=_line_of_logarithms(task),
        decision=state.decision or SizeDecision(ANY_SIZE),
        law=state.laws.law,
        finds=[
            find
            for find in (*state.laws.finds, *scale.finds)
            if task.bans.allow(find.individual)
            and (state.laws.alone or task.building.allow_find(find.individual, find.expression))
        ],
        unseen={id(f.individual): e for f, e in zip(scale.finds, scale.unseen, strict=True)},
        prices=state.laws.prices,
        laws_alone=state.laws.alone,
        max_size=task.options.max_size,
        very_few_rows=task.very_few_rows,
        validated=validated,
        of_folds=of_folds,
        uncontradicted=uncontradicted(task.problem, folds.results) if validated else np.inf,
        searches=[list(zip(fold.complexities, fold.columns, strict=False)) for fold in folds.results],
    )
