"""One island: a population on its way, with what it stands on, as a piece of work for threads or other processes.

`islands.py` has a group of them, which share their `Ground`: the rows, the settings of each kind, the rules of what may enter a
front. An island elsewhere gets a ground of its rows alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from multigene._engine import Dataset, Individual, Population, Workers
from multigene.evolution.loop import Generation, evolve
from multigene.evolution.pareto import Known, ParetoFront
from multigene.search.bans import Bans
from multigene.search.problem import Problem, Rows
from multigene.search.short import short_settings
from multigene.search.task import Task
from multigene.settings.settings import Settings


@dataclass(frozen=True)
class Ground:
    """What islands stand on: some rows of a task's problem, or all."""

    task: Task
    rows: Rows | None
    exploring: bool = False
    """Will islands go on with other rows, where more is asked of models?"""

    @cached_property
    def data(self) -> Dataset:
        """The rows with standardised features."""
        return self.task.problem.dataset(self.rows)

    @cached_property
    def user_data(self) -> Dataset:
        """The rows with the user's features: the same where standardising changes nothing, for there may be very many."""
        if not self.task.problem.scaling.changes:
            return self.data
        return self.task.problem.user_dataset(self.rows)

    @cached_property
    def of_its_own(self) -> Problem:
        """A problem of these rows alone, for islands in other processes."""
        problem = self.task.problem
        return problem.taken(np.arange(len(problem.y)) if self.rows is None else self.rows)

    def dataset(self, short: bool) -> Dataset:
        """What an island of a kind sees."""
        return self.user_data if short else self.data

    def settings(self, short: bool) -> Settings:
        """Of an island of a kind."""
        return short_settings(self.task.settings, self.task.problem) if short else self.task.settings

    def front(self, short: bool) -> ParetoFront:
        """An empty front."""
        return ParetoFront(
            self.task.guard(in_user_units=short, exploring=self.exploring),
            largest=self.task.options.max_size,
            in_user_units=short,
            mending=self.task.mending(self.rows, in_user_units=short),
        )

    def island(
        self,
        short: bool,
        workers: Workers,
        immigrants: list[Individual],
        rng: np.random.Generator | None = None,
        last: Generation | None = None,
    ) -> Island:
        """An island with a first population, drawn by `rng`, or with that of the generation `last`."""
        front = self.front(short) if last is None else last.front
        rng = np.random.default_rng() if rng is None else rng
        return Island(self, workers, front, immigrants, short, rng, self.task.round_length, last)


@dataclass(eq=False)
class Island:
    """One population on its way; its generations until the next migration are a piece of work."""

    ground: Ground
    workers: Workers
    front: ParetoFront
    immigrants: list[Individual]
    short: bool
    """Is it for short formulas, in the user's units?"""
    rng: np.random.Generator
    length: int
    """Generations until the next migration."""
    last: Generation | None = None

    def __post_init__(self) -> None:
        self.settings = self.ground.settings(self.short)
        self.generations = self._going_on()

    def _going_on(self) -> Iterator[Generation]:
        """Generations after the last one."""
        data = self.ground.dataset(self.short)
        return evolve(data, self.settings, self.rng, self.workers, self.last, self.immigrants, self.front)

    def work(self) -> None:
        """Evolve until the next migration."""
        for _ in range(self.length):
            self.last = next(self.generations)

    def request(self) -> IslandRequest:
        """The same for another process."""
        task = self.ground.task
        return IslandRequest(
            self.ground.of_its_own,
            task.settings,
            task.bans,
            self.length,
            self.short,
            self.rng,
            None if self.last is None else IslandState.of(self.last),
            self.front.known(),
            list(self.immigrants),
            self.ground.exploring,
        )

    def take(self, reply: IslandReply) -> None:
        """Go on from where another process has come to."""
        self.front.take(reply.front)
        self.immigrants.clear()
        self.last = reply.state.generation(self.ground, self.settings, self.workers, self.front)
        self.generations = self._going_on()

    @property
    def best(self) -> Individual | None:
        """The fittest model of the last generation."""
        assert self.last is not None
        i = int(np.argmax(self.last.fitness))
        return self.last.population.model(i) if np.isfinite(self.last.fitness[i]) else None


@dataclass(frozen=True)
class IslandState:
    """A generation as values that pickle, but for its front."""

    number: int
    fitness: Any
    complexity: Any
    evaluations: int
    population: bytes
    random_state: dict[str, Any]

    @staticmethod
    def of(last: Generation) -> IslandState:
        """The values of a generation."""
        population = last.population.dump()
        return IslandState(
            last.number, last.fitness, last.complexity, last.evaluations, population, last.random_state
        )

    def generation(
        self, ground: Ground, settings: Settings, workers: Workers, front: ParetoFront
    ) -> Generation:
        """The generation of the values."""
        population = Population.restore(
            self.population, settings.genes, ground.task.problem.X.shape[1], workers
        )
        return Generation(
            self.number,
            front,
            self.fitness,
            self.complexity,
            self.evaluations,
            population,
            self.random_state,
        )


@dataclass(frozen=True)
class IslandReply:
    """Where an island has come to."""

    state: IslandState
    front: Known


@dataclass(frozen=True)
class IslandRequest:
    """The generations of an island until the next migration, for another process."""

    problem: Problem
    settings: Settings
    bans: Bans
    length: int
    short: bool
    rng: np.random.Generator
    state: IslandState | None
    front: Known
    immigrants: list[Individual]
    exploring: bool

    def reply(self, workers: Workers) -> IslandReply:
        """Evolve until the next migration."""
        ground = Ground(Task(self.problem, self.settings, workers, None, self.bans), None, self.exploring)
        front = ground.front(self.short)
        front.take(self.front)
        settings = ground.settings(self.short)
        last = None if self.state is None else self.state.generation(ground, settings, workers, front)
        island = Island(
            ground, workers, front, list(self.immigrants), self.short, self.rng, self.length, last
        )
        island.work()
        assert island.last is not None
        return IslandReply(IslandState.of(island.last), front.known())
