"""What a check of the campaign says: how often it was tried, how often it failed, and the worst case."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Outcome:
    """Counts, and the worst case in a few words: of what failed, or else the largest figure."""

    tried: int = 0
    failed: int = 0
    refused: int = 0
    worst: str = ""
    largest: float = float("-inf")
    failures: list[str] = field(default_factory=list)

    def fail(self, case: str) -> None:
        """One more that failed."""
        self.failed += 1
        self.failures.append(case[:400])
        self.worst = self.failures[0][:200]

    def measure(self, value: float, unit: str, most: float, case: str = "") -> None:
        """A figure that is to be at most this much; the largest is told."""
        if value > most:
            self.fail(f"{value:.3g} {unit} {case}")
        elif value > self.largest and not self.failed:
            self.largest, self.worst = value, f"{value:.3g} {unit} {case}".strip()

    @contextmanager
    def trial(self, case: str, *allowed: type[Exception]) -> Iterator[None]:
        """One trial: a warning or an exception that is not `allowed` is a failure."""
        self.tried += 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                yield
        except allowed:
            self.refused += 1
        except Exception as error:
            self.fail(f"{case}: {type(error).__name__}: {error}")


Check = Callable[[np.random.Generator, int], Outcome]
