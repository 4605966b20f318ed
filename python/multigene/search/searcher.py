"""The product's own search, beyond the paper: several populations as islands, one front, one guard.

An island is the paper's loop (`evolution.evolve`) with settings of its own. Work is shared between islands in rounds of
generations, by count and never by the clock, so that a run limited by generations is the same on any machine. A codename of the
paper is simply one island without anything added; `search` is what `MultigeneRegressor()` without a codename runs:

    seek      small islands on transformed targets look for an exact law (`laws/seekers.py`); a law ends the run
    rehearse  few rows only: the search on parts of the rows, to be judged by the others (`cross_validation.py`)
    explore   islands evolve on part of the rows; the best of each migrate in a ring
    judge     rows that no island saw decide how large a formula may be
    finish    islands evolve on all rows; the best formula of that size, tuned once more, is the result
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from multigene._engine import Individual, Workers
from multigene.evolution import checkpoint
from multigene.evolution.parallel import in_order, own
from multigene.evolution.pareto import Member, ParetoFront
from multigene.laws import law as laws
from multigene.search.cross_validation import Rehearsal, few_rows, parts, rehearse, understudy
from multigene.search.few_rows import MOST_FITTED, is_handful, judge_handful, seek_in_few
from multigene.search.island import Island
from multigene.search.judge import Verdict, judge, judge_few
from multigene.search.linear import linear_models
from multigene.search.problem import Problem
from multigene.search.result import EXPLAINED, outcome
from multigene.search.seeking import seekers_of
from multigene.search.sharing import FIRST_SHARE, SURVEY_SHARE, due
from multigene.search.shorter import fitted, polished, shorter_relatives
from multigene.settings.settings import Refinement, Settings

#: Models of the front that are tuned once more when the islands move to all rows.
POLISHED = 8
#: Models of the front that get shorter relatives.
SHORTENED = 2
#: With a handful of rows what can be left out is a matter of rounding.
FEWEST_ROWS_TO_SHORTEN = 30
#: Share of the run after which the front is completed by shorter relatives, and fitted to all rows where there are very many.
COMPLETION = 0.9
#: Very many rows: what comes at the end takes about so many times as long as what came before the search.
END_TO_START = 2.0
#: The most convincing finds of the seekers, so many, are shortened in the end.
BRIEF_AT_THE_END = 2
#: With more rows islands take turns, each with all threads.
MOST_ROWS_SIDE_BY_SIDE = 20_000


@dataclass(frozen=True)
class Report:
    """Where a search stands after a round; `number` counts generations of an island."""

    number: int
    front: ParetoFront
    evaluations: int
    phase: str


class Searcher:
    """Runs a search on a problem; `result()` may be asked for at any time."""

    def __init__(
        self,
        problem: Problem,
        settings: Settings,
        rng: np.random.Generator,
        workers: Workers,
        saved: dict[str, Any] | None = None,
    ) -> None:
        assert settings.search is not None
        self.problem, self.settings, self.options = problem, settings, settings.search
        self.rng, self.workers = rng, workers
        self.guard: Callable[[Individual], bool] | None = problem.behaves if self.options.guard else None
        self.verdict: Verdict | None = None
        self.parts = parts(problem) if self.options.holdout and few_rows(problem) else []
        self.handful = self.options.holdout > 0.0 and is_handful(problem)
        self.rehearsals: list[Rehearsal] = []
        self.understudy: Searcher | None = None
        self.phase, self.number, self.complete, self.completion = "explore", 0, False, COMPLETION
        #: Evaluations of the seekers before the approximators began, and the share of the run that was over then.
        self.sought, self.begun = 0, 0.0
        self.length = min(self.options.migration, settings.stopping.generations or self.options.migration)
        self.front = ParetoFront(self.guard)
        self.seekers = seekers_of(problem, settings, rng, workers)
        #: What exact finds leave that are no law of few rows.
        self.looked_at: set[float] = set()
        self.linear: list[Individual] = []
        if saved is None:
            self.data = problem.dataset(problem.search_rows)
            self._first_front()
            # Rehearsals come before the first populations.
            self.islands: list[Island] = [] if self.parts else self._settle()
        else:
            self._restore(saved)

    # --- phases -----------------------------------------------------------------------------------

    def run(self, share: Callable[[], float]) -> Iterator[Report]:
        """Seek, explore, judge, finish; `share` tells how much of the run is over. Ends by itself if nothing is left."""
        if self.only_laws:
            yield from self._only_seek(share)
            return
        if len(self.problem.evolution_rows) < len(self.problem.y):
            self.completion = min(COMPLETION, 1.0 - END_TO_START * share())
        if self.number == 0:
            first = self.settings.seeking.first if self.settings.seeking is not None else 0
            if self._seek(first, lambda: share() >= self._first_share()):
                yield self._report()
                return
            self.sought, self.begun = 0 if self.seekers is None else self.seekers.evaluations, share()
        if self.parts and not self.islands:
            yield from rehearse(self, share)
            self.verdict = judge_few(self.problem, self.rehearsals)
            self.islands = self._settle()
        while self.phase == "explore" and not self._explored(share()):
            yield self.round()
            if self.explained() or self._seek(self._next_evaluations(), lambda: self._explored(share())):
                yield self._report()
                return
        if share() >= 1.0:
            return
        if self.phase == "explore":
            if self.judge().decided:
                return
            self.move_to_all_rows()
        while True:
            if share() >= self.completion and not self.complete:
                self.finish()
                if not self.works_on_all_rows:
                    yield self._report()
                    return
            yield self.round()
            if self._seek(self._next_evaluations(), lambda: share() >= self.completion):
                yield self._report()
                return

    def _explored(self, share: float) -> bool:
        """Is it time to judge? One round at least while there is time: seekers may have taken more of it than they were given."""
        if self.number == 0:
            return share >= 1.0
        if self.rehearsals and self.verdict is not None and self.verdict.decided:
            return share >= 1.0 or self.number >= max(r.generations for r in self.rehearsals)
        if len(self.problem.judge_rows) > 0:  # islands share what seekers have left them
            return share >= 1.0 - self.options.finish * (1.0 - self.begun)
        return share >= (COMPLETION if few_rows(self.problem) else 1.0)

    @property
    def only_laws(self) -> bool:
        """Do seekers work alone?"""
        return self.seekers is not None and self.seekers.alone

    def _only_seek(self, share: Callable[[], float]) -> Iterator[Report]:
        """Seekers in rounds, each of as many evaluations as the individuals that approximators would have had."""
        assert self.seekers is not None
        work = self.length * self.options.islands * self.settings.selection.population_size
        while self.seekers.targets and not self._seek(
            work, lambda: share() >= (1.0 if self.complete else COMPLETION)
        ):
            self.number += self.length
            if share() >= COMPLETION and not self.complete:
                self.seekers.make_brief(BRIEF_AT_THE_END)
                self.complete = True
            yield self._report()
        yield self._report()

    @property
    def found_law(self) -> bool:
        """Did the seekers find a law?"""
        return self.seekers is not None and self.seekers.law is not None

    # --- seekers: what the second kind of search gets ----------------------------------------------

    def _seek(self, evaluations: int, stop: Callable[[], bool]) -> bool:
        """Let the seekers work; True if they found a law that holds on the rows kept apart."""
        if self.seekers is None or evaluations <= 0:
            return False
        if few_rows(self.problem):
            seek_in_few(self.seekers, evaluations, stop, self.looked_at)
        else:
            self.seekers.seek(evaluations, stop)
        law = self.seekers.law
        if law is None:
            return False
        rows = self.problem.judge_rows
        if len(rows) == 0 or laws.holds(law, self.problem.X[rows], self.problem.y[rows]):
            return True
        self.seekers.finds.law = None
        return False

    def _first_share(self) -> float:
        """Share of the run at which seekers give way; of rough data the survey is all that comes first."""
        assert self.seekers is not None
        return SURVEY_SHARE if self.seekers.surveying else 0.0 if self.seekers.rough else FIRST_SHARE

    def _next_evaluations(self) -> int:
        """Evaluations that seekers are due."""
        if self.seekers is None:
            return 0
        left = np.inf if self.front.best is None else 1.0 - self.front.best.fitness
        done = sum(island.last.evaluations for island in self.islands if island.last)
        had = self.seekers.evaluations - self.sought
        return due(self.seekers.finds.best, left, done, had, self.seekers.had_a_chance)

    def _report(self) -> Report:
        evaluations = sum(island.last.evaluations for island in self.islands if island.last)
        evaluations += self.seekers.evaluations if self.seekers is not None else 0
        return Report(max(self.number - 1, 0), self.front, evaluations, self.phase)

    def judge(self) -> Verdict:
        """Let rows that no island saw decide how large a formula may be; few rows have decided before."""
        self._shorten(list(self.front))
        if self.verdict is None and self.handful:
            self.verdict = judge_handful(self.problem)
        if self.verdict is None:
            self.verdict = (
                judge_few(self.problem, self.rehearsals)
                if self.parts
                else judge(self.problem, list(self.front), self.linear)
            )
        return self.verdict

    def move_to_all_rows(self) -> None:
        """The islands go on with all rows; what the front holds is fitted to them."""
        assert self.verdict is not None
        self.phase, self.data = "finish", self.problem.dataset(self.problem.evolution_rows)
        earlier = [m for m in self.front if m.complexity <= self.verdict.most_nodes]
        worth = sorted(earlier, key=lambda m: -m.fitness)[:POLISHED]
        self.front = ParetoFront(self.guard)
        for individual in fitted([m.individual for m in earlier], self.data, self.workers):
            self._enter(individual)
        for individual in polished([m.individual for m in worth], self.data, self.refinement, self.workers):
            self._enter(individual)
        self.islands = [self._moved(island) for island in self.islands]

    @property
    def refinement(self) -> Refinement:
        """How models are tuned once more."""
        return self.settings.refinement or Refinement()

    @property
    def works_on_all_rows(self) -> bool:
        """Do the islands see every row by now?"""
        return self.phase == "finish" and len(self.problem.evolution_rows) == len(self.problem.y)

    def finish(self) -> None:
        """Complete the front by shorter relatives; where islands saw part of the rows only, fit it to all of them."""
        assert self.verdict is not None
        most = self.verdict.most_nodes
        if self.seekers is not None:
            self.seekers.make_brief(BRIEF_AT_THE_END)
        self._shorten([m for m in self.front if m.complexity <= most])
        self.complete = True
        if self.works_on_all_rows:
            return
        self.data = self.problem.dataset()
        models = [m.individual for m in self.front]
        best = max(range(len(models)), key=lambda i: (models[i].complexity <= most, models[i].fitness))
        models = fitted(models, self.data, self.workers)
        models += polished([models[best]], self.data, self.refinement, self.workers)
        self.front = ParetoFront(self.guard)
        for individual in models:
            self._enter(individual)

    def _shorten(self, members: list[Member]) -> None:
        """Shorter relatives of the fittest members enter the front, where the guard allows."""
        if self.data.count < FEWEST_ROWS_TO_SHORTEN:
            return
        fittest = sorted(members, key=lambda m: -m.fitness)[:SHORTENED]
        models = [m.individual for m in fittest]
        for model in shorter_relatives(models, self.data, self.refinement, self.options.trim, self.workers):
            self._enter(model)

    def result(self) -> tuple[Member, list[Member]]:
        """The chosen model and the front, in the user's units, fitted to all rows."""
        if not self.found_law:
            self._clean_up()
        return outcome(self)

    # --- stop and resume --------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """All that is needed to go on."""
        islands = [
            (checkpoint.packed(island.last), [checkpoint.packed_model(m) for m in island.immigrants])
            for island in self.islands
            if island.last is not None
        ]
        if len(islands) < len(self.islands):  # interrupted in the first round: they begin anew
            islands = []
        verdict = None if self.verdict is None else self.verdict.packed()
        front = checkpoint.packed_front(self.front)
        seekers = None if self.seekers is None else self.seekers.state()
        search = {
            "phase": self.phase,
            "complete": self.complete,
            "number": self.number,
            "sought": self.sought,
            "begun": self.begun,
            "rng": self.rng.bit_generator.state,
            "verdict": verdict,
            "front": front,
            "islands": islands,
        }
        rehearsals = [r.packed() for r in self.rehearsals]
        understudy = None if self.understudy is None else self.understudy.state()
        return {"search": search | {"seekers": seekers, "rehearsals": rehearsals, "understudy": understudy}}

    def _restore(self, saved: dict[str, Any]) -> None:
        try:
            state = saved["search"]
            self.phase, self.number = state["phase"], int(state["number"])
            self.complete = bool(state["complete"])
            self.sought, self.begun = int(state["sought"]), float(state["begun"])
            self.verdict = None if state["verdict"] is None else Verdict.unpacked(state["verdict"])
            self.rng.bit_generator.state = state["rng"]
            self.rehearsals = [Rehearsal.unpacked(r) for r in state["rehearsals"]]
            if state["understudy"] is not None:
                self.understudy = understudy(self, self.parts[len(self.rehearsals)], state["understudy"])
            rows = self.problem.search_rows if self.phase != "finish" else self.problem.evolution_rows
            self.data = self.problem.dataset(None if self.complete else rows)
            self.linear = linear_models(self.problem, self.data) if self.options.linear else []
            checkpoint.fill_front(self.front, state["front"])
            if self.seekers is not None and state["seekers"] is not None:
                self.seekers.restore(state["seekers"])
            self.islands = [self._continued(i, *island) for i, island in enumerate(state["islands"])]
            if not self.islands and not self.parts:
                self.islands = self._settle()
        except (KeyError, TypeError, ValueError):
            raise ValueError(checkpoint.DAMAGED) from None

    def _continued(self, i: int, packed: dict[str, Any], immigrants: list[Any]) -> Island:
        settings, workers, front = self._island_settings(i), self._workers(), ParetoFront(self.guard)
        last = checkpoint.generation(packed, settings, self.data.n_features, workers, front)
        models = [checkpoint.model(*m) for m in immigrants]
        return Island.settled(self.data, settings, workers, front, self.length, models, last=last)

    # --- islands ----------------------------------------------------------------------------------

    def _first_front(self) -> None:
        """Linear models are known even if there is no time for a single generation."""
        self.linear = linear_models(self.problem, self.data) if self.options.linear else []
        for model in self.linear:
            self._enter(model)

    def _settle(self) -> list[Island]:
        """Islands with first populations; the first one starts with the linear models."""
        islands = []
        for i in range(self.options.islands):
            rng = np.random.default_rng(self.rng.integers(2**63))
            settings, front = self._island_settings(i), ParetoFront(self.guard)
            models = list(self.linear) if i == 0 else []
            islands.append(
                Island.settled(self.data, settings, self._workers(), front, self.length, models, rng)
            )
        return islands

    @property
    def side_by_side(self) -> bool:
        """Do islands evolve at the same time? With many rows each of them has work for all threads."""
        return len(self.problem.y) <= MOST_ROWS_SIDE_BY_SIDE

    def _workers(self) -> Workers:
        """For one island."""
        return own(self.workers, self.options.islands) if self.side_by_side else self.workers

    def _island_settings(self, i: int) -> Settings:
        """Every fourth island holds a few small genes only."""
        if not self.options.compact or i % 4 != 3:
            return self.settings
        genes = replace(self.settings.genes, max_genes=min(4, self.settings.genes.max_genes), max_nodes=15)
        return replace(
            self.settings, genes=genes, selection=replace(self.settings.selection, criterion="bic")
        )

    def round(self) -> Report:
        """Every island evolves for as many generations as lie between migrations; then the best move on in a ring."""
        for island in self.islands:
            island.front.follow(self.front)
        waiting, threads = iter(self.islands), self.workers.n_jobs if self.side_by_side else 1
        try:
            with closing(in_order(lambda: next(waiting, None), len(self.islands), threads)) as done:
                for _ in done:
                    pass
        finally:  # what was found before Ctrl-C counts as well
            for island in self.islands:
                self.front.merge(island.front)
        bests = [self._best(island) for island in self.islands]
        for island, model in zip(self.islands, bests[-1:] + bests[:-1], strict=True):
            if model is not None and len(self.islands) > 1:
                island.immigrants.append(model)
        self.number += self.length
        return self._report()

    def _best(self, island: Island) -> Individual | None:
        assert island.last is not None
        i = int(np.argmax(island.last.fitness))
        return island.last.population.model(i) if np.isfinite(island.last.fitness[i]) else None

    def _moved(self, island: Island) -> Island:
        """The island's population on other rows."""
        assert island.last is not None
        island.last.population.forget()
        fitness, complexity = island.last.population.evaluate(self.data, island.settings.selection.by)
        last = replace(island.last, fitness=fitness, complexity=complexity)
        self.front.update(last.population, last.population.peaks(), complexity)
        front = ParetoFront(self.guard)
        return Island.settled(self.data, island.settings, island.workers, front, self.length, [], last=last)

    # --- models -----------------------------------------------------------------------------------

    def explained(self) -> bool:
        """Is the target explained to numerical precision?"""
        return self.reached(EXPLAINED)

    def reached(self, r2: float) -> bool:
        """Is there a model this fit? Not one that passes through a handful of rows by its number of constants."""
        if self.front.best is None or self.front.best.fitness < r2:
            return False
        most = MOST_FITTED * self.data.count if self.handful else np.inf
        return any(m.fitness >= r2 and m.individual.n_parameters <= most for m in self.front)

    @property
    def unjudged(self) -> bool:
        """Has the search not been rehearsed on all parts of few rows? Then what it found must convince by itself."""
        return self.handful or len(self.rehearsals) < len(self.parts)

    def _clean_up(self) -> None:
        """A model of the approximators that explains the target may be a law when it is cleaned up."""
        if self.seekers is not None and self.explained() and self.front.best is not None:
            self.seekers.finds.adopt(self.problem.in_user_units(self.front.best.individual))
            self._seek(1, lambda: True)  # judging rows have the last word

    def _enter(self, individual: Individual) -> None:
        if np.isfinite(individual.fitness) and (self.guard is None or self.guard(individual)):
            known = [m for m in self.front if m.complexity <= individual.complexity]
            if all(m.fitness < individual.fitness for m in known):
                self.front.add(individual, individual.fitness, individual.complexity)
