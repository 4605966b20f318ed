"""Where a run stands: what the phases of a search report, and what a user's callback gets to see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from multigene.evolution.pareto import Candidate, ParetoFront, non_dominated

Phase = Literal["evolve", "seek", "cross-validate", "explore", "finish", "over"]


@dataclass(frozen=True)
class Step:
    """Where a search stands after some generations; `number` counts generations of an island."""

    number: int
    front: ParetoFront
    evaluations: int
    phase: Phase
    finds: Sequence[Candidate] = ()
    """What the law search has found, which the front does not hold."""
    part: tuple[int, int] | None = None
    """Of a phase that has parts: which one is under way, from 1, and how many there are."""
    preparing: bool = False
    """Does it come before the generations of the run, and count as time alone?"""

    @property
    def models(self) -> list[Candidate]:
        """The best of front and finds, smallest first."""
        return non_dominated([*self.front, *self.finds])


@dataclass(frozen=True)
class FrontRow:
    """One model of the front: nodes, R² on the rows it was fitted to, the formula, which is written when it is asked for."""

    complexity: int
    r2: float
    written: Callable[[], str] = field(repr=False, compare=False)
    predictor: Callable[[Any], Any] = field(repr=False, compare=False)
    """What the formula gives for rows of features, before the link of a loss that has one."""

    @cached_property
    def formula(self) -> str:
        """The formula in the user's terms."""
        return self.written()


class Progress:
    """What `fit(callback=...)` hands to the callback.

    It is called after every generation of a configuration of the paper, after every round of generations of the default search,
    and while its law search comes first, after every piece of that. A `Progress` is a picture of one moment and stays as it is
    when the run goes on. Formulas are written when they are asked for.
    """

    number: int
    """Number of the last generation, from 0."""
    phase: Phase
    """Of a configuration of the paper "evolve"; of the default search "seek" (laws), "cross-validate" (few rows: the whole search
    on parts of them), "explore" (some rows are held out) or "finish" (all rows). "seek" and "cross-validate" count as time and
    not as generations."""
    part: tuple[int, int] | None
    """Of cross-validation: the part of the rows that is left out at present, from 1, and how many parts there are."""
    evaluations: int
    """Evaluations of models so far."""
    seconds: float
    """Seconds since the start of `fit`."""
    front: list[FrontRow]
    """The best models so far, smallest first."""

    def __init__(self, step: Step, seconds: float, row_of: Callable[[Candidate], FrontRow]) -> None:
        """`row_of` describes a model of the search as its user reads it."""
        self.number, self.phase, self.evaluations = step.number, step.phase, step.evaluations
        self.seconds = seconds
        self.asked: list[tuple[str, Any]] = []
        self.part = step.part
        self.front = [row_of(candidate) for candidate in step.models]

    @property
    def r2(self) -> float:
        """R² of the best model so far; minus infinity before the first."""
        return self.front[-1].r2 if self.front else float("-inf")

    @property
    def formula(self) -> str:
        """The formula of the best model so far; empty before the first."""
        return self.front[-1].formula if self.front else ""

    def steer(self, action: str, value: Any = None) -> None:
        """Change the course of the default search: "offer" or "pin" a formula, "ban" a column or function, set the "price" of a
        node; see `multigene.search.steering`. It is taken up when the callback returns.
        """
        self.asked.append((action, value))

    def __repr__(self) -> str:
        return (
            f"Progress(number={self.number}, phase={self.phase!r}, evaluations={self.evaluations}, "
            f"seconds={self.seconds:.1f}, r2={self.r2:.6f}, formula={self.formula!r})"
        )
