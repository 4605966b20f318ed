"""An island of the default search (`searcher.py`): one population on its way, with what migrates to it.

Islands share nothing while they evolve, so that they can do it side by side (`evolution/parallel.py`): each has a front of its
own, and the search brings the fronts together after every round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from multigene._engine import Dataset, Individual, Workers
from multigene.evolution.loop import Generation, evolve
from multigene.evolution.pareto import ParetoFront
from multigene.settings.settings import Settings


@dataclass(eq=False)
class Island:
    """One population on its way; its next so many generations are a piece of work."""

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
