"""Islands: several populations on the same rows, and the one front of what they find.

An island is the paper's loop (`evolution/loop.py`) with settings of its own. Islands share nothing while they evolve, so that
they can do it side by side (`evolution/parallel.py`): each has a front of its own; after every round the fronts are brought
together and the best of each island migrates to the next one. The search (`searcher.py`) has one group of islands, and each fold
of its cross-validation (`cross_validation.py`) another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from multigene._engine import Dataset, Individual, Workers
from multigene.evolution import checkpoint
from multigene.evolution.loop import Generation, evolve
from multigene.evolution.parallel import in_order, own
from multigene.evolution.pareto import Candidate, ParetoFront
from multigene.search.constants import (
    COMPACT_EVERY,
    COMPACT_GENES,
    COMPACT_NODES,
    FEWEST_ROWS_TO_SHORTEN,
    MOST_FITTED,
    SHORTENED,
)
from multigene.search.linear import linear_models
from multigene.search.shorter import shorter_relatives
from multigene.search.task import Task
from multigene.settings.settings import Settings


@dataclass(eq=False)
class Island:
    """One population on its way; its generations until the next migration are a piece of work."""

    settings: Settings
    workers: Workers
    front: ParetoFront
    length: int
    generations: Iterator[Generation]
    immigrants: list[Individual]
    last: Generation | None = None

    @staticmethod
    def settled(
        data: Dataset,
        settings: Settings,
        workers: Workers,
        front: ParetoFront,
        length: int,
        immigrants: list[Individual],
        rng: np.random.Generator | None = None,
        last: Generation | None = None,
    ) -> Island:
        """An island with a first population, drawn by `rng`, or with that of the generation `last`."""
        last = None if last is None else replace(last, front=front)
        rng = np.random.default_rng() if rng is None else rng
        generations = evolve(data, settings, rng, workers, last, immigrants, front)
        return Island(settings, workers, front, length, generations, immigrants, last)

    def work(self) -> None:
        """Evolve until the next migration."""
        for _ in range(self.length):
            self.last = next(self.generations)

    @property
    def best(self) -> Individual | None:
        """The fittest model of the last generation."""
        assert self.last is not None
        i = int(np.argmax(self.last.fitness))
        return self.last.population.model(i) if np.isfinite(self.last.fitness[i]) else None


class Islands:
    """A group of islands on some rows; `number` counts generations of each, `linear` are the linear models they begin with."""

    def __init__(self, task: Task, data: Dataset) -> None:
        """Without populations yet. Linear models are known even if there is no time for a single generation."""
        self.task, self.data = task, data
        self.linear = linear_models(task.problem, data) if task.options.linear else []
        self.populations: list[Island] = []
        self.number = 0
        self.front = ParetoFront(task.guard)
        for model in self.linear:
            self.front.offer(model)

    @property
    def evaluations(self) -> int:
        """Evaluations so far."""
        return sum(island.last.evaluations for island in self.populations if island.last)

    def settle(self, rng: np.random.Generator) -> None:
        """Give every island its first population; the first one starts with the linear models."""
        self.populations = []
        for i in range(self.task.options.islands):
            own_rng = np.random.default_rng(rng.integers(2**63))
            models = list(self.linear) if i == 0 else []
            self.populations.append(self._island(self._settings(i), self._workers(), models, rng=own_rng))

    def round(self) -> None:
        """Every island evolves for as many generations as lie between migrations; then the best move on in a ring."""
        for island in self.populations:
            island.front.follow(self.front)
        waiting, threads = iter(self.populations), self.task.workers.n_jobs if self.task.side_by_side else 1
        try:
            with closing(in_order(lambda: next(waiting, None), len(self.populations), threads)) as done:
                for _ in done:
                    pass
        finally:  # what was found before Ctrl-C counts as well
            for island in self.populations:
                self.front.merge(island.front)
        bests = [island.best for island in self.populations]
        for island, model in zip(self.populations, bests[-1:] + bests[:-1], strict=True):
            if model is not None and len(self.populations) > 1:
                island.immigrants.append(model)
        self.number += self.task.round_length

    def replace_front(self, data: Dataset, models: Iterable[Individual]) -> None:
        """A new front, of models that were fitted to other rows."""
        self.data, self.front = data, ParetoFront(self.task.guard)
        for model in models:
            self.front.offer(model)

    def move(self, data: Dataset, models: Iterable[Individual]) -> None:
        """Go on with other rows; the front begins with `models`, which are fitted to them."""
        self.replace_front(data, models)
        self.populations = [self._moved(i, island) for i, island in enumerate(self.populations)]

    def shorten(self, candidates: Iterable[Candidate]) -> None:
        """Shorter relatives of the fittest candidates enter the front, where the guard allows."""
        if self.data.count < FEWEST_ROWS_TO_SHORTEN:
            return
        models = [c.individual for c in sorted(candidates, key=lambda c: -c.fitness)[:SHORTENED]]
        task = self.task
        for model in shorter_relatives(models, self.data, task.refinement, task.options.trim, task.workers):
            self.front.offer(model)

    def reached(self, r2: float) -> bool:
        """Is there a model this fit? Not one that passes through very few rows by its number of constants."""
        if self.front.best is None or self.front.best.fitness < r2:
            return False
        most = MOST_FITTED * self.data.count if self.task.very_few_rows else np.inf
        return any(c.fitness >= r2 and c.individual.n_parameters <= most for c in self.front)

    def copied(self) -> Islands:
        """The same islands with a front of their own, to be completed without a trace."""
        other = copy(self)
        other.front = ParetoFront(self.task.guard)
        other.front.follow(self.front)
        return other

    # --- stop and resume --------------------------------------------------------------------------

    def packed(self) -> dict[str, Any]:
        """As plain values, without loss; islands that were interrupted in their first round begin anew."""
        populations = [
            (checkpoint.packed(island.last), [checkpoint.packed_model(m) for m in island.immigrants])
            for island in self.populations
            if island.last is not None
        ]
        if len(populations) < len(self.populations):
            populations = []
        front = checkpoint.packed_front(self.front)
        return {"number": self.number, "front": front, "populations": populations}

    @staticmethod
    def unpacked(task: Task, data: Dataset, saved: dict[str, Any]) -> Islands:
        """Islands from their plain values."""
        islands = Islands(task, data)
        islands.number = int(saved["number"])
        islands.front = checkpoint.fill_front(ParetoFront(task.guard), saved["front"])
        for i, (packed, immigrants) in enumerate(saved["populations"]):
            settings, workers, front = islands._settings(i), islands._workers(), ParetoFront(task.guard)
            last = checkpoint.generation(packed, settings, data.n_features, workers, front)
            models = [checkpoint.model(*m) for m in immigrants]
            islands.populations.append(islands._island(settings, workers, models, last=last))
        return islands

    # --- one island -------------------------------------------------------------------------------

    def _island(
        self,
        settings: Settings,
        workers: Workers,
        immigrants: list[Individual],
        rng: np.random.Generator | None = None,
        last: Generation | None = None,
    ) -> Island:
        front, length = ParetoFront(self.task.guard) if last is None else last.front, self.task.round_length
        return Island.settled(self.data, settings, workers, front, length, immigrants, rng, last)

    def _moved(self, i: int, island: Island) -> Island:
        """The island's population on other rows, or with other settings."""
        assert island.last is not None
        settings = self._settings(i)
        island.last.population.forget()
        fitness, complexity = island.last.population.evaluate(self.data, settings.selection.by)
        front = ParetoFront(self.task.guard)
        last = replace(island.last, fitness=fitness, complexity=complexity, front=front)
        self.front.update(last.population, last.population.peaks(), complexity)
        return self._island(settings, island.workers, [], last=last)

    def _workers(self) -> Workers:
        """For one island."""
        task = self.task
        return own(task.workers, task.options.islands) if task.side_by_side else task.workers

    def _settings(self, i: int) -> Settings:
        """Some islands hold a few small genes only."""
        settings = self.task.settings
        if not self.task.options.compact or i % COMPACT_EVERY != COMPACT_EVERY - 1:
            return settings
        genes = replace(
            settings.genes, max_genes=min(COMPACT_GENES, settings.genes.max_genes), max_nodes=COMPACT_NODES
        )
        return replace(settings, genes=genes, selection=replace(settings.selection, criterion="bic"))
