"""A configuration of the paper as a run handles it: one population (`evolution/loop.py`), with nothing added.

The guard has a say only where the setting `guarded` asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from multigene._engine import Workers
from multigene.evolution import checkpoint
from multigene.evolution.loop import Generation, evolve
from multigene.evolution.pareto import Member, ParetoFront
from multigene.search.constants import REPRESENTATIVE_ROWS
from multigene.search.problem import Problem, Rows
from multigene.search.progress import Step
from multigene.search.result import Result, mean_of
from multigene.settings.settings import Settings


class SinglePopulation:
    """The paper's loop on the rows as they are; the result is the fittest model that was ever seen."""

    def __init__(
        self,
        problem: Problem,
        settings: Settings,
        rng: np.random.Generator,
        workers: Workers,
        saved: dict[str, Any] | None = None,
        rows: Rows | None = None,
    ) -> None:
        """`saved` is what `packed` gave; `rows` are those that models are fitted to, None for all."""
        self.problem, self.settings, self.rng, self.workers = problem, settings, rng, workers
        self.data = problem.plain_dataset(rows)
        # With very few rows whether a model behaves between them is a matter of rounding.
        different = problem.different(np.arange(len(problem.y)))
        guarded = settings.selection.guarded and different >= REPRESENTATIVE_ROWS
        self.front = ParetoFront(problem.guard.behaves_between_rows if guarded else None)
        self.last: Generation | None = None
        if saved is not None:
            packed, features = saved.get("generation", {}), self.data.n_features
            self.last = checkpoint.generation(packed, settings, features, workers, self.front)

    def continue_with_larger_limit(self) -> None:
        """It never ends by itself, so there is nothing to decide again."""

    def steps(self, share: Callable[[], float]) -> Iterator[Step]:
        """One generation after the other, without end."""
        generations = evolve(self.data, self.settings, self.rng, self.workers, self.last, front=self.front)
        for generation in generations:
            self.last = generation
            yield Step(generation.number, generation.front, generation.evaluations, "evolve")

    def reached(self, r2: float) -> bool:
        """Is there a model this fit?"""
        return self.front.best is not None and self.front.best.fitness >= r2

    def why_ended(self) -> str:
        """It never ends by itself."""
        raise AssertionError("a population evolves without end")

    def packed(self) -> dict[str, Any]:
        """All that is needed to go on."""
        assert self.last is not None
        return {"generation": checkpoint.packed(self.last)}

    def provisional(self) -> Result:
        """The result takes no time."""
        return self.result(None)

    def result(self, seconds: float | None) -> Result:
        """The fittest model and the front; the mean where no individual was evaluated before the run had to end."""
        front = [Member(c.individual, c.fitness, c.complexity) for c in self.front]
        if not front:
            return mean_of(self.problem)
        return Result(max(front, key=lambda member: member.fitness), front)
