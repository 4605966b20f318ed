"""Where a run stands: what phases of a search report, and what a user's callback gets to see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from multigene.evolution.pareto import ParetoFront

Phase = Literal["evolve", "seek", "cross-validate", "explore", "finish"]


@dataclass(frozen=True)
class Step:
    """Where a search stands after some generations; `number` counts generations of an island."""

    number: int
    front: ParetoFront
    evaluations: int
    phase: Phase
