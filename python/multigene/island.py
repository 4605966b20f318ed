"""An island of the default search (`search.py`): one population on its way, with what migrates to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from multigene._engine import Individual
from multigene.evolution import Generation
from multigene.settings import Settings


@dataclass
class Island:
    """One population on its way."""

    settings: Settings
    generations: Iterator[Generation]
    immigrants: list[Individual] = field(default_factory=list)
    last: Generation | None = None

    def advance(self, number: int) -> None:
        """Evolve for some generations."""
        for _ in range(number):
            self.last = next(self.generations)
