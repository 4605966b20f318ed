"""How far the law search has got: its targets, its finds, its work so far. The phases hand it on (`seekers.py`)."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from multigene.evolution.checkpoint import model, packed_model, random_state
from multigene.expression.readable import size
from multigene.expression.tree import Expression, from_postfix, to_postfix
from multigene.laws.constants import SIMPLIFYING_WORK
from multigene.laws.finds import Finds
from multigene.laws.law import Find
from multigene.laws.targets import Target

#: What a phase does piece by piece, so that whoever watches can look in between; in the end, what came of it.
T = TypeVar("T")
Pieces = Generator[None, None, T]


def to_the_end(pieces: Pieces[T]) -> T:
    """Do all pieces; what came of them."""
    while True:
        try:
            next(pieces)
        except StopIteration as ended:
            return ended.value  # type: ignore[no-any-return]


class Begun(NamedTuple):
    """A restart that is under way: all that it takes to begin it again."""

    target: int
    """Its number."""
    restarts: int
    """Restarts that the target had before."""
    rng: Mapping[str, Any]
    """The state of the random generator before."""


@dataclass
class Progress:
    """What the phases of the law search have done and found."""

    targets: list[Target]
    finds: Finds
    evaluations: int = 0
    """Work so far, in evaluations of an individual."""
    surveyed: int = 0
    """Targets of the survey's stages that are done."""
    split: int = 0
    """Splits into parts that are done."""
    waiting: list[tuple[Expression, int]] = field(default_factory=list)
    """What seems exact but is long, with the number of its target: later stages of the survey may know a shorter law."""
    until: int | None = None
    """Work up to which pieces that are under way go; whoever goes on after a stop goes on with them."""
    law_in_combined: bool | None = None
    """Was the law found in combined variables?"""
    settled: bool = False
    """Has the survey been finished, and what it found been simplified?"""
    begun: list[Begun] = field(default_factory=list)
    """Restarts under way, the first first."""

    @property
    def law(self) -> Find | None:
        """The law, once there is one."""
        return self.finds.law

    def look_at(self, expression: Expression | None, target: Target) -> None:
        """Measure on all rows what was found for a target."""
        if expression is not None:
            target.best = min(target.best, self.finds.take(expression, target.sign is None))

    def look_later(self, expression: Expression | None, target: Target) -> None:
        """Keep an expression waiting, without a look at whether it is a law; it counts as a find at once."""
        if expression is not None:
            self.waiting.append((expression, self.targets.index(target)))
            self.finds.note(expression, target.sign is None)

    def look_at_waiting(self) -> None:
        """The shortest first, as long as none is a law and no law is shorter."""
        for expression, number in sorted(self.waiting, key=lambda pair: size(pair[0])):
            if self.law is None:
                self.look_at(expression, self.targets[number])
        self.waiting.clear()

    def simplify(self, most: int) -> None:
        """Simplify the most convincing finds within the noise."""
        self.evaluations += SIMPLIFYING_WORK * self.finds.simplify(most)

    def state(self) -> dict[str, Any]:
        """All that is needed to go on, as plain values."""
        return {
            "evaluations": self.evaluations,
            "surveyed": self.surveyed,
            "split": self.split,
            "until": self.until,
            "law_in_combined": self.law_in_combined,
            "settled": self.settled,
            "begun": list(self.begun),
            "seeds": [[packed_model(m) for m in t.seeds] for t in self.targets],
            "targets": [
                (t.restarts, t.work, float(t.best).hex(), list(t.front.items())) for t in self.targets
            ],
            "waiting": [(to_postfix(expression), number) for expression, number in self.waiting],
            "finds": self.finds.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from `state`."""
        self.evaluations, self.surveyed = int(state["evaluations"]), int(state["surveyed"])
        self.split, self.settled = int(state["split"]), bool(state["settled"])
        self.until, self.law_in_combined = state["until"], state["law_in_combined"]
        self.begun = [Begun(int(t), int(number), random_state(rng)) for t, number, rng in state["begun"]]
        for target, seeds in zip(self.targets, state["seeds"], strict=True):
            target.seeds = [model(m) for m in seeds]
        for target, (restarts, work, best, front) in zip(self.targets, state["targets"], strict=True):
            target.restarts, target.work, target.best = int(restarts), int(work), float.fromhex(best)
            target.front = {int(size): float(left) for size, left in front}
        self.waiting = [(from_postfix(postfix), int(number)) for postfix, number in state["waiting"]]
        self.finds.restore(state["finds"])
