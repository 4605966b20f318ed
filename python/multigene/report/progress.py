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

    from multigene.report.notebook import LiveFront
    from multigene.search.progress import Step
    from multigene.settings.settings import Stopping

#: What a run is at before its generations, by phase.
PREPARING = {
    "seek": "looking for a law",
    "cross-validate": "cross-validating, part {} of {}",
    "explore": "evolving on the logarithm",
}
#: What it is at when it evolves.
EVOLVING = "evolving"


class ProgressLine:
    """A context that shows how far a run is; without `visible` it does nothing."""

    def __init__(self, stopping: Stopping, visible: bool, measure: str = "R²") -> None:
        """`measure` is what the share explained by the loss is called."""
        self._stopping, self._measure = stopping, measure
        self._visible = visible
        self._began = time.monotonic()
        self._progress: Progress | None = None
        self._front: LiveFront | None = None

    def __enter__(self) -> ProgressLine:
        if self._visible and in_notebook():
            from multigene.report.notebook import LiveFront

            self._front = LiveFront(self._measure)
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

    def show(self, step: Step, seconds: float) -> None:
        """Say where the run is: its generations, or what comes before them and how far that is; and what it has found."""
        if self._front is None and self._progress is None:
            return
        number, shares = f"generation {step.number + 1}", [0.0]
        at = PREPARING[step.phase].format(*(step.part or ())) if step.preparing else EVOLVING
        if self._stopping.generations and not step.preparing:
            shares.append((step.number + 1) / self._stopping.generations)
        if self._stopping.seconds:
            shares.append(seconds / self._stopping.seconds)
        if self._front is not None:
            self._front.show(at if step.preparing else number, seconds, step)
        said = [] if step.preparing else [number]
        if step.models:
            best = step.models[-1]
            said += [f"best {self._measure} {best.fitness:.6f}", counted(best.complexity, "node")]
        with suppress(OSError):  # the terminal may have been closed; the search has not
            if self._progress is not None:
                share = min(1.0, max(shares))
                self._progress.update(self._task, description=at, completed=share, said="   ".join(said))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._front is not None:
            self._front.draw()
        if self._progress is not None:
            with suppress(OSError):
                self._progress.stop()
