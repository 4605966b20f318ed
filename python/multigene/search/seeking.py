"""The law search within the default search: whether it runs, on which rows, for how long, and what counts as a law.

`laws/seekers.py` does the seeking; all that the rest of the search knows of it is here. The law search and the islands share a
run by counted work; a time limit adds shares of time that neither may exceed. The law search runs first. A law ends the run;
without one the islands take over, and the law search gets more or less beside them according to how near a law seems: much on
clean data, nothing on data that clearly follow no short law.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from multigene._engine import Individual
from multigene.evolution.pareto import Candidate
from multigene.expression.genes import model_expression
from multigene.expression.numbers import fitted_count
from multigene.laws import law as laws
from multigene.laws.finds import Finds
from multigene.laws.law import EXACT, Find
from multigene.laws.progress import Pieces, to_the_end
from multigene.laws.ranges import Ranges, without_underflow
from multigene.laws.seekers import Seekers
from multigene.search.constants import (
    FAIR_CHANCE,
    FEWEST_ROWS_FOR_A_LAW,
    FIRST_PIECE,
    FIRST_SHARE,
    LAW_SHARES,
    LONG_MODELS,
    SAVED_UP,
    SHORT_LAWS_UP_TO,
    SIMPLIFIED_AT_THE_END,
    SURVEY_SHARE,
    TUNED_LEAVES,
)
from multigene.search.problem import Problem, Rows
from multigene.search.task import Task
from multigene.search.unseen import REFITTING
from multigene.settings.defaults import default_settings


class LawSearch:
    """The law search of a task; without `seekers` there is none, and it finds nothing."""

    def __init__(self, task: Task, rng: np.random.Generator) -> None:
        """Raises ValueError where laws alone are asked for and none can be looked for."""
        self.problem = task.problem
        #: Very large or small numbers are scaled for the law search.
        guard = task.problem.guard  # the ends of every column say how large its numbers are
        self.ranges = Ranges.of(np.array(guard.box), np.array(guard.target))
        #: A guess of the user's that is the law.
        self.given = self._exact_guess(task)
        self.seekers = None if self.given is not None else seekers_of(task, rng, self.ranges)
        if self.seekers is not None and not self.ranges.change:
            for guess in task.guesses:
                self.seekers.finds.note(model_expression(guess.model), any_sign=False)
        #: Finds by identity, and what they are in the user's units.
        self._in_user_units: dict[int, tuple[Find, Find | None]] = {}
        self._as_candidates: dict[int, Candidate] = {}
        #: Evaluations before the islands began.
        self.before = 0
        #: In very few rows: work up to which pieces that are under way go, and whether they have come to their pause.
        self.until: int | None = None
        self.paused = False
        #: What exact finds leave unexplained that are no law of few rows.
        self.looked_at: set[float] = set()

    @property
    def alone(self) -> bool:
        """Does the law search run alone, without islands?"""
        return self.seekers is not None and self.seekers.alone

    @property
    def law(self) -> Find | None:
        """The law, once there is one."""
        if self.given is not None:
            return self.given
        law = None if self.seekers is None else self.seekers.law
        return None if law is None else self._said(law)

    @property
    def finds(self) -> list[Find]:
        """The best find of every size."""
        found = [] if self.seekers is None else self.seekers.finds.by_size.values()
        return [said for find in found if (said := self._said(find)) is not None]

    @property
    def candidates(self) -> list[Candidate]:
        """The finds as models of a front, each the same object as long as its find is there."""
        known, self._as_candidates = self._as_candidates, {}
        for find in self.finds:
            candidate = known.get(id(find.individual)) or Candidate(
                find.individual, 1.0 - find.unexplained, find.individual.printed_size(), in_user_units=True
            )
            self._as_candidates[id(find.individual)] = candidate
        return list(self._as_candidates.values())

    @property
    def prices(self) -> dict[int, float]:
        """What the finds cost, by identity of their models: the lowest is the most convincing."""
        if self.seekers is None:
            return {}
        prices = self.seekers.finds.prices()
        said = [(find, self._said(find)) for find in self.seekers.finds.by_size.values()]
        return {id(s.individual): prices[id(f.individual)] for f, s in said if s is not None}

    @property
    def has_targets(self) -> bool:
        """Is there anything to seek a law of?"""
        return self.seekers is not None and bool(self.seekers.targets)

    @property
    def evaluations(self) -> int:
        """Evaluations so far."""
        return 0 if self.seekers is None else self.seekers.evaluations

    @property
    def first_share(self) -> float:
        """Share of the run at which the islands take over; with noisy data only the fast linear-algebra pass comes first."""
        assert self.seekers is not None
        return SURVEY_SHARE if self.seekers.surveying else 0.0 if self.seekers.noisy else FIRST_SHARE

    def run(self, evaluations: int, stop: Callable[[], bool]) -> bool:
        """Seek for as many evaluations; True if there is a law that holds on the held-out rows."""
        return to_the_end(self.pieces(evaluations, stop))

    def pieces(self, evaluations: int, stop: Callable[[], bool]) -> Pieces[bool]:
        """The same, with a look at what was found from time to time."""
        if self.seekers is None or (evaluations <= 0 and not self.seekers.under_way and self.until is None):
            return False
        if self.problem.few_rows and len(self.seekers.y) < SHORT_LAWS_UP_TO:
            yield from self._pieces_in_few(self.seekers, evaluations, stop)
        else:
            yield from self.seekers.pieces(evaluations, stop)
        law = self.law
        if law is None or not self._holds(law):
            self.seekers.finds.law = None
        return self.seekers.law is not None

    def islands_begin(self) -> None:
        """What comes now is counted against the work of the islands."""
        self.before = self.evaluations

    def due(self, approximators_left: float, done: int) -> int:
        """Evaluations that it is due beside islands that leave this much unexplained and have done this many evaluations."""
        if self.seekers is None:
            return 0
        had = self.seekers.evaluations - self.before
        return due(self.seekers.finds.best, approximators_left, done, had, self.seekers.had_a_chance)

    def adopt(self, individual: Individual) -> None:
        """A model in the user's units that explains the target may be a law when it is cleaned up."""
        if self.seekers is not None and not self.ranges.change:
            self.seekers.finds.adopt(individual)
            self.run(1, lambda: True)  # held-out rows have the last word

    def look_at_waiting(self) -> bool:
        """What seems exact and is long is looked at before the survey is through; True if it is a law."""
        if self.seekers is None or not self.seekers.progress.waiting:
            return False
        self.seekers.progress.look_at_waiting()
        return self.run(1, lambda: True)  # held-out rows have the last word

    def keep_law_of(self, other: LawSearch) -> None:
        """Take over the law of another law search on the same rows."""
        if self.seekers is not None and other.seekers is not None:
            self.seekers.finds.law = other.seekers.law

    def simplify(self, models: Iterable[Individual] = ()) -> None:
        """The most convincing finds are simplified within the noise, and those of other models in the user's units."""
        if self.seekers is not None:
            self.seekers.simplify(SIMPLIFIED_AT_THE_END)
            if not self.ranges.change:
                self.seekers.finds.simplify_others(models, 1)

    def packed(self) -> dict[str, Any] | None:
        """As plain values, without loss."""
        if self.seekers is None:
            return None
        looked_at = sorted(left.hex() for left in self.looked_at)
        few = {"until": self.until, "paused": self.paused, "looked_at": looked_at}
        return {"before": self.before, "few": few, "seekers": self.seekers.state()}

    def restore(self, saved: dict[str, Any] | None) -> None:
        """Go on from what `packed` gave."""
        if self.seekers is not None and saved is not None:
            self.before = int(saved["before"])
            few = saved["few"]
            self.until, self.paused = few["until"], bool(few["paused"])
            self.looked_at = {float.fromhex(left) for left in few["looked_at"]}
            self.seekers.restore(saved["seekers"])

    def _exact_guess(self, task: Task) -> Find | None:
        """A guess that is the law of these rows, cleaned up; None where there is none or no law is looked for."""
        problem, rows = self.problem, self.problem.search_rows
        unwanted = task.settings.seeking is None or task.options.looks_for == "accuracy" or self.ranges.change
        if not problem.guesses or unwanted or _obstacle(problem, rows) is not None:
            return None
        weights = None if problem.weights is None else problem.weights[rows]
        finds = Finds(problem.X[rows], problem.y[rows], problem.dimensions, weights, rules=problem.rules)
        for guess in task.guesses:
            finds.take(model_expression(guess.model), any_sign=False)
        law = finds.law
        allowed = law is not None and task.bans.allow(law.individual) and self._holds(law)
        return law if allowed else None

    def _said(self, find: Find) -> Find | None:
        """A find in the user's units; the same object whenever it is asked for."""
        if id(find) not in self._in_user_units:
            rows, weights = self.problem.search_rows, self.problem.weights
            of_rows = None if weights is None else weights[rows]
            tuned = self._tuned(find)
            there = self.ranges.in_user_units(tuned, self.problem.X[rows], self.problem.y[rows], of_rows)
            self._in_user_units[id(find)] = find, there
        return self._in_user_units[id(find)][1]

    def _tuned(self, find: Find) -> Find:
        """A find as all of few rows have it. It may come from another scale, where the same numbers are not the best; where rows
        are left out it is fitted again to the others, and what is handed over must be what was scored."""
        if self.seekers is None or len(self.problem.held_out_rows) or find is self.seekers.finds.law:
            return find
        tuned = self.seekers.finds.fitted(find.expression, REFITTING)
        better = tuned is not None and tuned.unexplained < TUNED_LEAVES * find.unexplained
        return tuned if tuned is not None and better else find

    def _holds(self, law: Find) -> bool:
        """Does a law hold on the held-out rows as well?"""
        keeper, rows = self.problem.keeper, self.problem.held_out_rows
        if keeper is not None and not keeper.accepts(law.individual):
            return False
        if self.problem.weights is not None:
            rows = rows[self.problem.weights[rows] > 0.0]
        if len(rows) == 0:
            return True
        return laws.holds(law, self.problem.X[rows], self.problem.y[rows])

    def _pieces_in_few(self, seekers: Seekers, evaluations: int, stop: Callable[[], bool]) -> Pieces[None]:
        """In very few rows with a pause: a short find may be a law by `law_of_few`."""
        if self.until is None:
            self.until, self.paused = seekers.evaluations + evaluations, False
        until = self.until
        for piece in (until,) if self.paused else (FIRST_PIECE, until):
            goes_on = seekers.law is None and seekers.evaluations < until and not stop()
            if seekers.under_way or goes_on:
                yield from seekers.pieces(min(piece, until - seekers.evaluations), stop)
            if seekers.law is None:
                seekers.finds.law = law_of_few(seekers, self.looked_at)
            self.paused = True
        self.until = None


def seekers_of(task: Task, rng: np.random.Generator, ranges: Ranges) -> Seekers | None:
    """Seekers that see the rows for searching, the others verify what they find; None if there is to be no law search.

    Raises ValueError where laws alone are asked for and none can be looked for.
    """
    problem, settings, options = task.problem, task.settings, task.options
    if settings.seeking is None or options.looks_for == "accuracy" or options.islands == 0:
        return None
    rows = problem.search_rows
    if problem.weights is not None:
        rows = rows[problem.weights[rows] > 0.0]
    rows = rows[without_underflow(problem.y[rows])]
    if problem.few_rows:  # a row given twice is no further evidence for a law
        pairs = np.column_stack([problem.X[rows], problem.y[rows]])
        rows = rows[np.sort(np.unique(pairs, axis=0, return_index=True)[1])]
    reason = _obstacle(problem, rows)
    if reason is not None:
        if options.looks_for == "laws":
            raise ValueError(reason)
        return None
    own = np.random.default_rng(rng.integers(2**63))
    X, y = ranges.scaled(np.ascontiguousarray(problem.X[rows]), problem.y[rows])
    functions = settings.genes.functions
    chosen = None if functions == default_settings().genes.functions else functions
    # Approximators add features of different units, which is not reported.
    alone = options.looks_for == "laws" or problem.dimensions is not None
    weights = None if problem.weights is None else problem.weights[rows]
    return Seekers(
        X,
        y,
        np.arange(len(y)),
        own,
        task.workers,
        settings.seeking,
        chosen,
        problem.dimensions,
        alone,
        weights,
        problem.rules,
    )


def _obstacle(problem: Problem, rows: Rows) -> str | None:
    """Why no law can be looked for in these rows, with the remedy; None if one can."""
    laws_alone = "units" if problem.dimensions is not None else "search='laws'"
    remedy = "leave units out" if problem.dimensions is not None else "take search='both'"
    if not problem.loss.squared:
        return f"{laws_alone} goes with loss='squared' alone, not with {problem.loss.name!r}; leave loss out, or {remedy}."
    if len(rows) < FEWEST_ROWS_FOR_A_LAW:
        return (
            f"{len(rows)} different rows are too few for {laws_alone}: anything could be called a law; "
            f"give at least {FEWEST_ROWS_FOR_A_LAW} different rows, or {remedy}."
        )
    return None


def law_of_few(seekers: Seekers, looked_at: set[float]) -> Find | None:
    """The shortest exact find whose numbers are simple but for as many as the rows can vouch for, if there is one.

    Seekers count every number of a formula as fitted and so call nothing a law in very few rows. `looked_at` holds what finds
    leave unexplained that were looked at before.
    """
    X, y = seekers.rows_given, seekers.y
    exact = [
        f for f in seekers.finds.by_size.values() if f.unexplained < EXACT and f.unexplained not in looked_at
    ]
    for find in sorted(exact, key=lambda f: f.individual.complexity):
        looked_at.add(find.unexplained)
        if (
            find.individual.complexity > laws.STAIRS[0][0]
        ):  # longer ones are exact by their number of constants
            continue
        law = laws.as_law(find, X, y, seekers.finds.data)
        if law is None or not seekers.finds.admits(law.expression, exact=True):
            continue
        fitted = fitted_count(law.expression)
        if len(y) >= 3 * fitted + 10:
            return law
    return None


def due(left: float, approximators_left: float, done: int, had: int, fair: bool) -> int:
    """Evaluations that the law search is due, which has `had` some since the islands began, and these have `done` theirs.

    `left` is what the best find leaves unexplained; islands that leave little say that there is little noise. `fair` says that
    the law search has had a fair chance.
    """
    # A find that leaves more than the islands do says nothing about a law: these say how clean the data are.
    near = min(left if left < approximators_left else math.inf, LONG_MODELS * approximators_left)
    share = next((share for most, share in LAW_SHARES if near < most), 0.0)
    if not fair:
        return max(0, int(max(share, FAIR_CHANCE) * done) - had)
    evaluations = int(share * done) - had
    return evaluations if evaluations >= SAVED_UP else 0
