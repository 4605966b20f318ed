"""A run: iterates over a search, keeps history and checkpoint, knows when to stop, and has the result.

A codename of the paper is one population (`single.py`); the default is a `Searcher`. Both are sequences of steps with a front;
what looks at the clock, the callback and the checkpoint file is here. Ctrl-C ends a run like any other rule, from its preparation
to the making of its result: there is always a model (`evolution/interrupts.py` says where it may break off work).
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from multigene._engine import Workers
from multigene.evolution import checkpoint as checkpoints
from multigene.evolution.interrupts import Interrupts
from multigene.evolution.pareto import Candidate
from multigene.expression.genes import prediction_expression
from multigene.files import remove_parts, write_atomically
from multigene.formula import Formula
from multigene.search.constants import (
    CHECKPOINT_SECONDS,
    COLUMNS_OF_MODELS,
    LAST_MOMENT,
    LAST_SHARE,
    SECONDS_PER_TABLE_VALUE,
    SECONDS_PER_VALIDATED_VALUE,
)
from multigene.search.problem import Problem, Rows
from multigene.search.progress import FrontRow, Progress, Step
from multigene.search.result import Result, finite_part, mean_of
from multigene.search.searcher import Searcher
from multigene.search.single import SinglePopulation
from multigene.search.steering import steer
from multigene.settings.settings import CLOCKS, Settings
from multigene.words import default_names


class Display(Protocol):
    """Whoever shows how far a run is."""

    def show(self, step: Step, seconds: float) -> None:
        """Where the search stands, and seconds so far."""


Callback = Callable[[Progress], Any]


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
        names: Sequence[str] | None = None,
        target: str = "y",
        interrupts: Interrupts | None = None,
    ) -> None:
        """`names` of the columns and of the `target` are those of formulas that the callback sees."""
        self.interrupts = interrupts or Interrupts()
        self.settings, self.problem, self.workers, self.started = settings, problem, workers, started
        self.callback, self.fingerprint = callback, fingerprint
        self.names = default_names(problem.X.shape[1]) if names is None else list(names)
        self.target = target
        self.checkpoint = None if checkpoint is None else Path(checkpoint)
        if self.checkpoint is not None and (self.checkpoint.is_dir() or not self.checkpoint.parent.is_dir()):
            raise ValueError(
                f"checkpoint={str(checkpoint)!r} is not a file in an existing directory; give a path that can be written."
            )
        self.search: Searcher | SinglePopulation | None = None
        self.begun = False
        self.history: list[dict[str, Any]] = []
        self.stopped_by = ""
        self.earlier = 0.0
        self.now = CLOCKS[settings.stopping.clock]
        self.saved = time.perf_counter()
        self.limit = settings.stopping.generations or 0
        self.rows: dict[int, tuple[Candidate, FrontRow]] = {}
        """Models that the callback has seen last, so that a formula is written once."""

    def start(self, rng: np.random.Generator, state: bytes | None) -> None:
        """Prepare the search, continuing from a state or a checkpoint file where there is one; Ctrl-C leaves the mean."""
        try:
            with self.interrupts.breakable():
                self._prepare(rng, state)
        except KeyboardInterrupt:
            self.stop_at_interrupt()

    def _prepare(self, rng: np.random.Generator, state: bytes | None) -> None:
        warm = state is not None
        if self.checkpoint is not None:
            remove_parts(self.checkpoint)
            if self.checkpoint.exists():
                state, warm = self.checkpoint.read_bytes(), False
        saved = None if state is None else checkpoints.load(state, self.fingerprint)
        try:
            self._continue(rng, saved, warm)
        except checkpoints.UNUSABLE:
            if saved is None:
                raise
            # The digest is right, so somebody has made this state up.
            raise ValueError(checkpoints.DAMAGED) from None

    def _continue(self, rng: np.random.Generator, saved: dict[str, Any] | None, warm: bool) -> None:
        """Make the search, at the beginning or where a saved one stood."""
        if saved is not None:
            self.history = checkpoints.history(saved["history"])
            self.earlier = self.history[-1]["seconds"] if self.history else 0.0
            if warm and self.limit:  # a warm start goes on for as long again
                self.limit += self.generations()
        if self.settings.search is None:
            rows = self._rows_in_time()
            self.search = SinglePopulation(self.problem, self.settings, rng, self.workers, saved, rows)
        else:
            limit = self.limit or None
            self.search = Searcher(self.problem, self.settings, rng, self.workers, limit, saved)
            self._leave_time_to_validate()
        if saved is not None:
            self.begun = True
            if warm or self._has_larger_limit(saved):
                self.search.continue_with_larger_limit()

    def _rows_in_time(self) -> Rows | None:
        """Rows that a population of its own is fitted to, None for all: a sample where the time limit does not leave the time to
        make the engine's table of them."""
        limit = self.settings.stopping.seconds
        needed = SECONDS_PER_TABLE_VALUE * self.problem.X.size
        return None if limit is None or limit - self.seconds() >= needed else self.problem.finish_rows

    def _leave_time_to_validate(self) -> None:
        """Islands that no share of the run has ended are broken off before the limit: their models are yet to be validated."""
        limit, problem = self.settings.stopping.seconds, self.problem
        if limit is not None:
            asked = len(problem.held_out_rows) + len(problem.finish_rows)
            values = asked * (problem.X.shape[1] + COLUMNS_OF_MODELS)
            needed = SECONDS_PER_VALIDATED_VALUE * values + min(LAST_MOMENT, LAST_SHARE * limit)
            self.workers.set_deadline(max(limit - self.seconds() - needed, 0.0))

    def execute(self, display: Display) -> None:
        """Run until a stopping rule holds; Ctrl-C is one of them."""
        try:
            with self.interrupts.breakable():
                self._execute(display)
        except KeyboardInterrupt:
            self.stop_at_interrupt()
        try:
            self._save(every=0.0)
        except KeyboardInterrupt:  # the file stays as it was
            self.stop_at_interrupt()

    def stop_at_interrupt(self) -> None:
        """Ctrl-C has ended what the run was at."""
        self.stopped_by = "interrupt"
        self.interrupts.met()

    def _execute(self, display: Display) -> None:
        self._note_why_to_stop()
        if self.search is None or self.stopped_by:
            return
        for step in self.search.steps(self.share):
            self.begun = True
            if not step.preparing:
                self._record(step)
            display.show(step, self.earlier + self.seconds())
            if self.callback is not None:
                self._call(self.callback, self._progress(step))
            self._note_why_to_stop()
            if self.stopped_by:
                return
            self._save(every=CHECKPOINT_SECONDS)
        self.stopped_by = self._why_it_ended(self.search)

    def _call(self, callback: Callback, progress: Progress) -> None:
        """The callback sees where the run stands, may end it, and may steer the search."""
        if callback(progress):
            self.stopped_by = "callback"
        for action, value in progress.asked:
            if not isinstance(self.search, Searcher):
                raise ValueError("Configurations of the paper cannot be steered; leave configuration out.")
            steer(self.search, action, value, self.names)

    def _why_it_ended(self, search: Searcher | SinglePopulation) -> str:
        """A search ends by itself when it has found a law or explained the target, when no improvement is expected, or shortly
        before a limit, if the rest is what the last fit to very many rows takes."""
        why, limit = search.why_ended(), self.settings.stopping.seconds
        if why == "law":
            return "law"
        if limit is not None and self.seconds() >= limit:
            return "time"
        if why != "limit":
            return why
        done = self.generations() / self.limit if self.limit else 0.0
        return "generations" if limit is None or done > self.seconds() / limit else "time"

    def result(self) -> Result:
        """The chosen model and the front, finite on every training row; on Ctrl-C the best model so far as it is."""
        return finite_part(self.problem, self._result())

    def _result(self) -> Result:
        if self.search is None:
            return mean_of(self.problem)
        so_far: Result | None = None
        try:
            so_far = self.search.provisional()
            with self.interrupts.breakable():
                return self.search.result(self._seconds_for_last_tuning())
        except KeyboardInterrupt:
            self.stop_at_interrupt()
            return so_far or self.search.provisional()

    def _seconds_for_last_tuning(self) -> float | None:
        """As long as it takes, so that the clock has no say in the result; but not after Ctrl-C, and not beyond a time limit.

        Whoever stops a run with a time limit by callback does not want to wait for that limit.
        """
        limit = self.settings.stopping.seconds
        if self.stopped_by == "interrupt" or (self.stopped_by == "callback" and limit is not None):
            return LAST_MOMENT
        return None if limit is None else max(LAST_MOMENT, limit - self.seconds())

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

    def _record(self, step: Step) -> None:
        best = step.front.best
        fitness = best.fitness if best else float("-inf")
        complexity = best.complexity if best else 0
        self.history.append(
            {
                "generation": step.number,
                "seconds": self.earlier + self.seconds(),
                "evaluations": step.evaluations,
                "fitness": fitness,
                "complexity": complexity,
            }
        )

    def _progress(self, step: Step) -> Progress:
        """A step as a callback gets to see it."""

        def formula_of(candidate: Candidate) -> str:
            model = self.problem.user_model(candidate)
            return str(Formula(prediction_expression(model, self.problem.loss.link), self.names, self.target))

        known, self.rows = self.rows, {}

        def row_of(candidate: Candidate) -> FrontRow:
            row = known.get(id(candidate)) or (
                candidate,
                FrontRow(
                    candidate.complexity,
                    candidate.fitness,
                    partial(formula_of, candidate),
                    partial(self.problem.predicted, candidate),
                ),
            )
            self.rows[id(candidate)] = row
            return row[1]

        return Progress(step, self.earlier + self.seconds(), row_of)

    def _note_why_to_stop(self) -> None:
        """Sets `stopped_by` where a stopping rule holds and none did before."""
        if self.interrupts.asked and not self.stopped_by:  # where something has swallowed the exception
            self.stop_at_interrupt()
        if not self.stopped_by and self.history:
            self.stopped_by = self._rule_that_holds()

    def _rule_that_holds(self) -> str:
        """The first of the stopping rules that holds, or nothing."""
        stopping = self.settings.stopping
        if stopping.target_r2 is not None and self._reached(stopping.target_r2):
            return "target"
        if self.limit and self.generations() >= self.limit:
            return "generations"
        if stopping.seconds is not None and self.seconds() >= stopping.seconds:
            return "time"
        if stopping.stagnation is not None and self._stagnates(stopping.stagnation):
            return "stagnation"
        return ""

    def _reached(self, r2: float) -> bool:
        """Is the fittest model fit enough, and with very few rows one that means something?"""
        assert self.search is not None
        return bool(self.history[-1]["fitness"] >= r2) and self.search.reached(r2)

    def _stagnates(self, since: int) -> bool:
        latest = self.history[-1]
        before = [h for h in self.history if h["generation"] <= latest["generation"] - since]
        return bool(before) and before[-1]["fitness"] >= latest["fitness"]

    # --- stop and resume --------------------------------------------------------------------------

    def state(self) -> bytes | None:
        """The state after the last step, or None before the first."""
        if self.search is None or not self.begun:
            return None
        return checkpoints.dump(
            self.search.packed() | {"limits": self._limits()}, self.fingerprint, self.history
        )

    def _limits(self) -> list[float | None]:
        return [self.limit or None, self.settings.stopping.seconds]

    def _has_larger_limit(self, saved: dict[str, Any]) -> bool:
        """May the run take longer than the one whose state was saved?"""
        before, now = (
            [np.inf if limit is None else float(limit) for limit in limits]
            for limits in (saved["limits"], self._limits())
        )
        return any(larger > earlier for larger, earlier in zip(now, before, strict=True))

    def _save(self, every: float) -> None:
        if self.checkpoint is not None and time.perf_counter() - self.saved >= every:
            state = self.state()
            if state is not None:
                self._write(self.checkpoint, state)
            self.saved = time.perf_counter()

    def _write(self, checkpoint: Path, state: bytes) -> None:
        """A disk that has become full costs the checkpoint, not the run: that goes on without one."""
        try:
            write_atomically(checkpoint, state)
        except OSError as error:
            self.checkpoint = None
            warnings.warn(
                f"The checkpoint {checkpoint} cannot be written ({error.strerror or error}); the run goes on without it. "
                "What it held before is still there.",
                UserWarning,
                stacklevel=2,
            )
