"""A run: iterates over a search, keeps history and checkpoint, knows when to stop, and has the result.

A codename of the paper is one population (`evolution.evolve`); the default is a `search.Searcher`. Both are sequences of steps
with a front; what looks at the clock, the callback and the checkpoint file is here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from multigene._engine import Individual, Workers
from multigene.evolution import checkpoint as checkpoints
from multigene.evolution.loop import Generation, evolve
from multigene.evolution.pareto import Member, ParetoFront
from multigene.files import write_atomically
from multigene.search.problem import A_HANDFUL, Problem
from multigene.search.result import judged
from multigene.search.searcher import Report, Searcher
from multigene.settings.settings import Clock, Settings

Step = Generation | Report


class Progress(Protocol):
    """Whoever shows how far a run is."""

    def show(self, number: int, seconds: float, fitness: float, complexity: int) -> None:
        """Generations and seconds so far, and the best model."""

    def rehearse(self, seconds: float) -> None:
        """The search is being cross-validated."""


Callback = Callable[[Any], Any]

#: What tells the seconds of a run.
CLOCKS: dict[Clock, Callable[[], float]] = {"wall": time.perf_counter, "processor": time.process_time}

#: Seconds between writes of the checkpoint file.
CHECKPOINT_SECONDS = 5.0


@dataclass(frozen=True)
class Result:
    """What a run found."""

    chosen: Member
    front: list[Member]


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
        self.step: Step | None = None
        self.searcher: Searcher | None = None
        self.history: list[dict[str, Any]] = []
        self.stopped_by = ""
        self.earlier = 0.0
        self.now = CLOCKS[settings.stopping.clock]
        self.saved = time.perf_counter()
        self.limit = settings.stopping.generations or 0

    def start(self, rng: np.random.Generator, state: bytes | None) -> None:
        """Prepare the steps, continuing from a state or a checkpoint file where there is one."""
        if self.checkpoint is not None and self.checkpoint.exists():
            state = self.checkpoint.read_bytes()
        saved = None if state is None else checkpoints.load(state, self.fingerprint)
        if saved is not None:
            self.history = saved["history"]
            self.earlier = self.history[-1]["seconds"] if self.history else 0.0
            if self.checkpoint is None and self.limit:  # a warm start goes on for as long again
                self.limit += self.generations()
        if self.settings.search is not None:
            self.searcher = Searcher(self.problem, self.settings, rng, self.workers, saved)
            self.steps: Iterator[Step] = self.searcher.run(self.share)
        else:
            self.data = self.problem.plain_dataset()
            previous = None
            # With a handful of rows whether a model behaves between them is a matter of rounding.
            guarded = self.settings.selection.guarded and len(self.problem.y) >= A_HANDFUL
            front = ParetoFront(self.problem.behaves_between_rows if guarded else None)
            if saved is not None:
                packed = saved.get("generation", {})
                previous = checkpoints.generation(
                    packed, self.settings, self.data.n_features, self.workers, front
                )
                self.step = previous
            self.steps = evolve(self.data, self.settings, rng, self.workers, previous, front=front)

    def execute(self, line: Progress) -> None:
        """Run until a stopping rule holds; Ctrl-C is one of them."""
        try:
            if self._finished():
                return
            for step in self.steps:
                self.step = step
                if self._rehearses(step):
                    line.rehearse(self.seconds())
                else:
                    self._record(step, line)
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
        """A search ends by itself when it has found a law, has explained all there is, or sees nothing to explain."""
        if self.searcher is not None and self.searcher.found_law:
            return "law"
        limit = self.settings.stopping.seconds
        if limit is not None and self.seconds() >= limit:
            return "time"
        return "target" if self.searcher is not None and self.searcher.explained() else "nothing to find"

    def result(self) -> Result:
        """The chosen model and the front."""
        if self.searcher is not None:
            chosen, front = self.searcher.result()
            front = front if any(member is chosen for member in front) else [*front, chosen]
            verdict = self.searcher.verdict
            scored = judged(front, (verdict and verdict.validation_r2) or {})
            return Result(scored[next(i for i, member in enumerate(front) if member is chosen)], scored)
        front = [] if self.step is None else list(self.step.front)
        front = front or [self._constant_model()]
        return Result(max(front, key=lambda member: member.fitness), front)

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

    def _rehearses(self, step: Step) -> bool:
        """Is the step part of a rehearsal? Those count as time and not as generations of the run."""
        return isinstance(step, Report) and step.phase == "rehearse"

    def _record(self, step: Step, line: Progress) -> None:
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
        line.show(step.number + 1, seconds, fitness, complexity)

    def _finished(self) -> bool:
        stopping, history = self.settings.stopping, self.history
        if not self.stopped_by and history:
            best = history[-1]["fitness"]
            since = stopping.stagnation
            if stopping.target_r2 is not None and self._reached(best, stopping.target_r2):
                self.stopped_by = "target"
            elif self.limit and self.generations() >= self.limit:
                self.stopped_by = "generations"
            elif stopping.seconds is not None and self.seconds() >= stopping.seconds:
                self.stopped_by = "time"
            elif since is not None and self._stagnates(since):
                self.stopped_by = "stagnation"
        return bool(self.stopped_by)

    def _reached(self, best: float, r2: float) -> bool:
        """Is the fittest model fit enough, and with a handful of rows one that means something?"""
        if self.searcher is not None and self.searcher.handful:
            return self.searcher.reached(r2)
        return best >= r2

    def _stagnates(self, since: int) -> bool:
        latest = self.history[-1]
        before = [h for h in self.history if h["generation"] <= latest["generation"] - since]
        return bool(before) and before[-1]["fitness"] >= latest["fitness"]

    def state(self) -> bytes | None:
        """The state after the last step, or None before the first."""
        if self.step is None:
            return None
        if isinstance(self.step, Generation):
            return checkpoints.dump(
                {"generation": checkpoints.packed(self.step)}, self.fingerprint, self.history
            )
        assert self.searcher is not None
        return checkpoints.dump(self.searcher.state(), self.fingerprint, self.history)

    def _save(self, every: float) -> None:
        if (
            self.checkpoint is not None
            and self.step is not None
            and time.perf_counter() - self.saved >= every
        ):
            state = self.state()
            if state is not None:
                write_atomically(self.checkpoint, state)
            self.saved = time.perf_counter()

    def _constant_model(self) -> Member:
        """The mean: what is left when no individual was evaluated before the run had to end."""
        constant = Individual(["0.0"], 0.0, [0.0]).fit(self.problem.plain_dataset())
        return Member(constant, constant.fitness, constant.complexity)
