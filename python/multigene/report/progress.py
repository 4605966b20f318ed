"""Progress of a run as one live line in a terminal (Rich), or as a live front in a notebook."""

from __future__ import annotations

import time
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING

from multigene.report.notebook import in_notebook
from multigene.words import counted

if TYPE_CHECKING:
    from rich.progress import Progress

    from multigene.report.notebook import LiveCurve
    from multigene.search.progress import Step
    from multigene.settings.settings import Stopping

#: What a run is at before its generations, by phase.
PREPARING = {"seek": "looking for a law", "cross-validate": "cross-validating, part {} of {}"}
#: What it is at when it evolves.
EVOLVING = "evolving"


class ProgressLine:
    """A context that shows how far a run is; without `visible` it does nothing."""

    def __init__(self, stopping: Stopping, visible: bool) -> None:
        self._stopping = stopping
        self._visible = visible
        self._began = time.monotonic()
        self._progress: Progress | None = None
        self._curve: LiveCurve | None = None

    def __enter__(self) -> ProgressLine:
        if self._visible and in_notebook():
            from multigene.report.notebook import LiveCurve

            self._curve = LiveCurve()
        elif self._visible:
            self._progress = self._line()
            self._progress.start()
            self._task = self._progress.add_task("preparing", total=1.0, said="")
        return self

    def _line(self) -> Progress:
        """What the run is at, a bar, what it has found, the time; bar and time go on while a round takes long."""
        from rich.console import Console
        from rich.progress import Progress, ProgressColumn, Task, TextColumn
        from rich.progress_bar import ProgressBar
        from rich.text import Text

        line = self

        class Bar(ProgressColumn):
            """The share of the run that is over."""

            def render(self, task: Task) -> ProgressBar:
                return ProgressBar(total=1.0, completed=max(task.completed, line._share_of_time()), width=24)

        class Clock(ProgressColumn):
            """Seconds, and how many there will be where that is known."""

            def render(self, task: Task) -> Text:
                return Text(line._clock(), style="progress.elapsed")

        return Progress(
            TextColumn("{task.description}"),
            Bar(),
            TextColumn("{task.fields[said]}"),
            Clock(),
            console=Console(stderr=True),
            transient=False,
            refresh_per_second=8,
        )

    def _share_of_time(self) -> float:
        limit = self._stopping.seconds
        timed = limit is not None and self._stopping.clock == "wall"
        return min(1.0, (time.monotonic() - self._began) / limit) if timed and limit else 0.0

    def _clock(self) -> str:
        seconds, limit = time.monotonic() - self._began, self._stopping.seconds
        whole = f" of {limit:.0f}" if limit is not None and self._stopping.clock == "wall" else ""
        return f"{seconds:.0f}{whole} s"

    def show(self, number: int, seconds: float, fitness: float, complexity: int) -> None:
        """Say where the run is."""
        at = f"generation {number}"
        if self._curve is not None:
            self._curve.show(at, seconds, fitness, complexity)
        shares = [0.0]
        if self._stopping.generations:
            shares.append(number / self._stopping.generations)
        if self._stopping.seconds:
            shares.append(seconds / self._stopping.seconds)
        self._say(EVOLVING, min(1.0, max(shares)), f"{at}   {_found(fitness, complexity)}")

    def prepare(self, step: Step, seconds: float) -> None:
        """Say what comes before the generations of the run, how far it is, and what it has found."""
        at = PREPARING[step.phase].format(*(step.part or ()))
        best = step.models[-1] if step.models else None
        if self._curve is not None and best is not None:
            self._curve.show(at, seconds, best.fitness, best.complexity)
        share = seconds / self._stopping.seconds if self._stopping.seconds else 0.0
        self._say(at, min(1.0, share), "" if best is None else _found(best.fitness, best.complexity))

    def _say(self, at: str, share: float, said: str) -> None:
        with suppress(OSError):  # the terminal may have been closed; the search has not
            if self._progress is not None:
                self._progress.update(self._task, description=at, completed=share, said=said)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._curve is not None:
            self._curve.draw()
        if self._progress is not None:
            with suppress(OSError):
                self._progress.stop()


def _found(fitness: float, complexity: int) -> str:
    return f"best R² {fitness:.6f}   {counted(complexity, 'node')}"
