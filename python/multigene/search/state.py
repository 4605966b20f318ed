"""All that a search knows: what its phases pass on, what a checkpoint holds, what a result is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from multigene.evolution import checkpoint
from multigene.search.constants import COMPLETION
from multigene.search.cross_validation import CrossValidation
from multigene.search.forms.search import FormSearch
from multigene.search.islands import Islands
from multigene.search.log_scale import LogScale
from multigene.search.progress import Phase, Step
from multigene.search.seeking import LawSearch
from multigene.search.task import Task
from multigene.search.validation import SizeDecision


def law_search(task: Task, rng: np.random.Generator) -> LawSearch:
    """The law search, or that for the gaps of a form."""
    form = task.problem.form
    return LawSearch(task, rng) if form is None else FormSearch(task, form, rng)


@dataclass
class SearchState:
    """Where a search stands."""

    rng: np.random.Generator
    laws: LawSearch
    islands: Islands
    phase: Phase = "seek"
    begun: float = 0.0
    """Share of the run that was over when the islands began."""
    continued_at: int = 0
    """Generations of the islands when the run was continued with a larger limit."""
    completion: float = COMPLETION
    """Share of the run after which the front is completed."""
    cross_validation: CrossValidation = field(default_factory=CrossValidation)
    decision: SizeDecision | None = None
    complete: bool = False
    """Has the front been completed by shorter formulas, and fitted to all rows where there are very many?"""
    log_scale: LogScale | None = None
    """What was found on the logarithm of a positive target over decades, once that was looked for."""
    laws_next: bool = False
    """Have islands done a round, and is it the turn of the law search beside them?"""

    @staticmethod
    def at_the_start(task: Task, rng: np.random.Generator) -> SearchState:
        """Nothing is known but the data."""
        laws = law_search(task, rng)
        return SearchState(rng, laws, Islands(task, task.problem.search_rows))

    def step(self, preparing: bool = False) -> Step:
        """Where it stands, for whoever watches."""
        evaluations = self.islands.evaluations + self.laws.evaluations
        number = max(self.islands.number - 1, 0)
        return Step(
            number, self.islands.whole, evaluations, self.phase, self.laws.candidates, preparing=preparing
        )

    def packed(self) -> dict[str, Any]:
        """As plain values, without loss."""
        return {
            "rng": self.rng.bit_generator.state,
            "laws": self.laws.packed(),
            "islands": self.islands.packed(),
            "phase": self.phase,
            "begun": self.begun,
            "continued_at": self.continued_at,
            "completion": self.completion,
            "cross_validation": self.cross_validation.packed(),
            "decision": None if self.decision is None else self.decision.packed(),
            "complete": self.complete,
            "log_scale": None if self.log_scale is None else self.log_scale.packed(),
            "laws_next": self.laws_next,
        }

    @staticmethod
    def unpacked(task: Task, rng: np.random.Generator, saved: dict[str, Any]) -> SearchState:
        """The state of its plain values."""
        try:
            phase, complete = saved["phase"], bool(saved["complete"])
            rows = task.problem.finish_rows if phase == "finish" else task.problem.search_rows
            laws = law_search(task, rng)
            laws.restore(saved["laws"])
            rng.bit_generator.state = saved["rng"]
            return SearchState(
                rng,
                laws,
                Islands.unpacked(task, None if complete else rows, saved["islands"]),
                phase,
                float(saved["begun"]),
                int(saved["continued_at"]),
                float(saved["completion"]),
                CrossValidation.unpacked(task, saved["cross_validation"]),
                None if saved["decision"] is None else SizeDecision.unpacked(saved["decision"]),
                complete,
                None if saved["log_scale"] is None else LogScale.unpacked(task.problem, saved["log_scale"]),
                bool(saved["laws_next"]),
            )
        except checkpoint.UNUSABLE:
            raise ValueError(checkpoint.DAMAGED) from None
