"""A run: iterates over a search, keeps history and checkpoint, knows when to stop, and has the result.

A codename of the paper is one population (`single.py`); the default is a `Searcher`. Both are sequences of steps with a front;
what looks at the clock, the callback and the checkpoint file is here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from multigene._engine import Workers
from multigene.evolution import checkpoint as checkpoints
from multigene.files import write_atomically
from multigene.search.constants import CHECKPOINT_SECONDS, LAST_MOMENT
from multigene.search.problem import Problem
from multigene.search.progress import Step
from multigene.search.result import Result
from multigene.search.searcher import Searcher
from multigene.search.single import SinglePopulation
from multigene.settings.settings import Clock, Settings


class Display(Protocol):
    """Whoever shows how far a run is."""

    def show(self, number: int, seconds: float, fitness: float, complexity: int) -> None:
        """Generations and seconds so far, and the best model."""

    def cross_validate(self, seconds: float) -> None:
        """The search is being cross-validated."""


Callback = Callable[[Any], Any]

#: What tells the seconds of a run.
CLOCKS: dict[Clock, Callable[[], float]] = {"wall": time.perf_counter, "processor": time.process_time}


class Run:
    """One run from the first population to the result."""

    def __init__(
        self,
        settings: Settings,
        problem: Problem,
        workers: Workers,
        started: float,
        callback: Callback | None = None,
        checkpoint: str | Path | None = None,
        fingerprint: str = "",
    ) -> None:
        self.settings, self.problem, self.workers, self.started = settings, problem, workers, started
        self.callback, self.fingerprint = callback, fingerprint
        self.checkpoint = None if checkpoint is None else Path(checkpoint)
        if self.checkpoint is not None and (self.checkpoint.is_dir() or not self.checkpoint.parent.is_dir()):
            raise ValueError(
                f"checkpoint={str(checkpoint)!r} is not a file in an existing directory; give a path that can be written."
            )
        self.begun = False
        self.history: list[dict[str, Any]] = []
        self.stopped_by = ""
        self.earlier = 0.0
        self.now = CLOCKS[settings.stopping.clock]
        self.saved = time.perf_counter()
        self.limit = settings.stopping.generations or 0

    def start(self, rng: np.random.Generator, state: bytes | None) -> None:
        """Prepare the search, continuing from a state or a checkpoint file where there is one."""
        if self.checkpoint is not None and self.checkpoint.exists():
            state = self.checkpoint.read_bytes()
        saved = None if state is None else checkpoints.load(state, self.fingerprint)
        if saved is not None:
            self.history = saved["history"]
            self.earlier = self.history[-1]["seconds"] if self.history else 0.0
            if self.checkpoint is None and self.limit:  # a warm start goes on for as long again
                self.limit += self.generations()
            self.begun = True
        kind = SinglePopulation if self.settings.search is None else Searcher
        self.search = kind(self.problem, self.settings, rng, self.workers, saved)
        self.steps: Iterator[Step] = self.search.steps(self.share)

    def execute(self, display: Display) -> None:
        """Run until a stopping rule holds; Ctrl-C is one of them."""
        try:
            if self._finished():
                return
            for step in self.steps:
                self.begun = True
                if step.phase == "cross-validate":  # counts as time and not as generations of the run
                    display.cross_validate(self.seconds())
                else:
                    self._record(step, display)
                if self.callback is not None and self.callback(step):
                    self.stopped_by = "callback"
                if self._finished():
                    break
                self._save(every=CHECKPOINT_SECONDS)
            else:
                self.stopped_by = self._why_it_ended()
        except KeyboardInterrupt:
            self.stopped_by = "interrupt"
        self._save(every=0.0)

    def _why_it_ended(self) -> str:
        """A search ends by itself when it has found a law or explained the target, or when no improvement is expected."""
        why, limit = self.search.why_ended(), self.settings.stopping.seconds
        return "time" if why != "law" and limit is not None and self.seconds() >= limit else why

    def result(self) -> Result:
        """The chosen model and the front."""
        return self.search.result(LAST_MOMENT)

    def generations(self) -> int:
        """Generations done so far, per island."""
        return self.history[-1]["generation"] + 1 if self.history else 0

    def seconds(self) -> float:
        """Seconds since the start of `fit`, by the clock of the settings."""
        return self.now() - self.started

    def share(self) -> float:
        """Share of the run that is over: of its generations or of its seconds, whichever is more."""
        shares = [0.0]
        if self.limit:
            shares.append(self.generations() / self.limit)
        if self.settings.stopping.seconds is not None:
            shares.append(self.seconds() / self.settings.stopping.seconds)
        return max(shares)

    def _record(self, step: Step, display: Display) -> None:
        best = step.front.best
        fitness = best.fitness if best else float("-inf")
        complexity = best.complexity if best else 0
        seconds = self.earlier + self.seconds()
        self.history.append(
            {
                "generation": step.number,
                "seconds": seconds,
                "evaluations": step.evaluations,
                "fitness": fitness,
                "complexity": complexity,
            }
        )
        display.show(step.number + 1, seconds, fitness, complexity)

    def _finished(self) -> bool:
        stopping, history = self.settings.stopping, self.history
        if not self.stopped_by and history:
            since = stopping.stagnation
            if stopping.target_r2 is not None and self._reached(stopping.target_r2):
                self.stopped_by = "target"
            elif self.limit and self.generations() >= self.limit:
                self.stopped_by = "generations"
            elif stopping.seconds is not None and self.seconds() >= stopping.seconds:
                self.stopped_by = "time"
            elif since is not None and self._stagnates(since):
                self.stopped_by = "stagnation"
        return bool(self.stopped_by)

    def _reached(self, r2: float) -> bool:
        """Is the fittest model fit enough, and with very few rows one that means something?"""
        return bool(self.history[-1]["fitness"] >= r2) and self.search.reached(r2)

    def _stagnates(self, since: int) -> bool:
        latest = self.history[-1]
        before = [h for h in self.history if h["generation"] <= latest["generation"] - since]
        return bool(before) and before[-1]["fitness"] >= latest["fitness"]

    def state(self) -> bytes | None:
        """The state after the last step, or None before the first."""
        if not self.begun:
            return None
        return checkpoints.dump(self.search.packed(), self.fingerprint, self.history)

    def _save(self, every: float) -> None:
        if self.checkpoint is not None and time.perf_counter() - self.saved >= every:
            state = self.state()
            if state is not None:
                write_atomically(self.checkpoint, state)
            self.saved = time.perf_counter()
