"""How long a run of a study may take, and where it is looked at on its way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from multigene.settings.settings import CLOCKS, Clock
from multigene.study import authors
from multigene.study.errors import StudyError
from multigene.study.trajectory import Marks

#: What a limit by the clock of the authors' program limits.
AUTHORS_SECONDS = "authors' seconds"


@dataclass(frozen=True)
class Limit:
    """How long a run may take: generations (equal effort), seconds (equal time), or both, whichever ends
    first.

    `clock` says whose seconds count and are recorded: "wall" for a watch's, "processor" for those the run
    really computed, which other programs on the machine do not shorten.
    """

    generations: int | None = None
    seconds: float | None = None
    clock: Clock = "wall"
    authors_seconds: float | None = None
    """Seconds of the authors' own program instead: every configuration gets the generations that these bought it
    (`authors.py`)."""
    machine: float = 1.0
    """How many times as fast the authors' machine is taken to be as the one on which their program was measured."""
    checkpoints: tuple[int, ...] = ()
    """Generations after which configurations of the paper are looked at on their way (`trajectory.py`)."""
    checkpoint_seconds: tuple[float, ...] = ()
    """The same in processor seconds of the run."""

    def __post_init__(self) -> None:
        for name in ("checkpoints", "checkpoint_seconds"):
            object.__setattr__(self, name, _marks(name, getattr(self, name)))
        if self.authors_seconds is not None:
            self._check_authors()
            return
        if self.generations is None and self.seconds is None:
            raise StudyError("a limit needs generations, seconds or both")
        if self.generations is not None and (
            not isinstance(self.generations, int)
            or isinstance(self.generations, bool)
            or self.generations < 1
        ):
            raise StudyError(
                f"a limit of {self.generations!r} generations makes no sense; give a whole number from 1"
            )
        if self.seconds is not None and (
            type(self.seconds) not in (int, float) or not 0 < self.seconds < float("inf")
        ):
            raise StudyError(f"a limit of {self.seconds!r} seconds makes no sense; give a positive number")
        if self.clock not in CLOCKS:
            raise StudyError(f"there is no clock {self.clock!r}; take 'wall' or 'processor'")

    def _check_authors(self) -> None:
        if self.generations is not None or self.seconds is not None:
            raise StudyError("authors_seconds is a limit of its own; leave generations and seconds out")
        for name in ("authors_seconds", "machine"):
            value = getattr(self, name)
            if type(value) not in (int, float) or not 0 < value < float("inf"):
                raise StudyError(f"{name} = {value!r} makes no sense; give a positive number")

    def on(self, problem: str, method: str) -> Limit:
        """The limit of a method on a problem: the authors' seconds become generations."""
        if self.authors_seconds is None:
            return self
        bought = authors.generations(problem, method, self.authors_seconds, self.machine)
        return replace(self, generations=bought, authors_seconds=None)

    @property
    def marks(self) -> Marks:
        """Where configurations of the paper are looked at on their way."""
        return Marks(self.checkpoints, self.checkpoint_seconds)

    @property
    def amounts(self) -> dict[str, float]:
        """What is limited, and to how much: "generations", "seconds", "processor seconds" or "authors' seconds"."""
        if self.authors_seconds is not None:
            return {AUTHORS_SECONDS: self.authors_seconds}
        named = {"generations": self.generations, self.unit: self.seconds}
        return {name: amount for name, amount in named.items() if amount is not None}

    @property
    def unit(self) -> str:
        """What the run's seconds are called: "seconds" or "processor seconds"."""
        return "seconds" if self.clock == "wall" else "processor seconds"

    @property
    def label(self) -> str:
        """How the limit is called in stores and tables: "1000 generations", "420 s", "2 processor seconds"."""
        if self.authors_seconds is not None:
            return f"{self.authors_seconds:g} s of the authors' program"
        parts = []
        if self.generations is not None:
            parts.append(f"{self.generations} generation{'s' if self.generations != 1 else ''}")
        if self.seconds is not None:
            parts.append(
                f"{self.seconds:g} s"
                if self.clock == "wall"
                else f"{self.seconds:g} processor second{'s' if self.seconds != 1 else ''}"
            )
        return " or ".join(parts)


def _marks(name: str, values: Any) -> tuple[Any, ...]:
    """Marks in rising order; refuses what is none."""
    if isinstance(values, list | tuple) and all(
        type(v) in (int, float) and 0 < v < float("inf") and (name != "checkpoints" or type(v) is int)
        for v in values
    ):
        return tuple(sorted(set(values)))
    raise StudyError(f"{name} is {values!r}; give a list of positive numbers")


NO_LIMIT = "no limit"
"""The label of runs of methods that end by themselves, such as a linear regression."""
