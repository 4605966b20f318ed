"""Progress of a run as one live line in a terminal (Rich), or as a live curve in a notebook."""

from __future__ import annotations

from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING

from multigene.report.notebook import in_notebook
from multigene.words import counted

if TYPE_CHECKING:
    from rich.progress import Progress

    from multigene.report.notebook import LiveCurve
    from multigene.settings.settings import Stopping


class ProgressLine:
    """A context that shows how far a run is; without `visible` it does nothing."""

    def __init__(self, stopping: Stopping, visible: bool) -> None:
        self._stopping = stopping
        self._visible = visible
        self._progress: Progress | None = None
        self._curve: LiveCurve | None = None

    def __enter__(self) -> ProgressLine:
        if self._visible and in_notebook():
            from multigene.report.notebook import LiveCurve

            self._curve = LiveCurve()
        elif self._visible:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            self._progress = Progress(
                TextColumn("evolving"),
                BarColumn(bar_width=24),
                TextColumn("{task.fields[said]}"),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=False,
                refresh_per_second=8,
            )
            self._progress.start()
            self._task = self._progress.add_task("run", total=1.0, said="")
        return self

    def show(self, number: int, seconds: float, fitness: float, complexity: int) -> None:
        """Say where the run is."""
        if self._curve is not None:
            self._curve.show(number, seconds, fitness, complexity)
        if self._progress is not None:
            shares = [0.0]
            if self._stopping.generations:
                shares.append(number / self._stopping.generations)
            if self._stopping.seconds:
                shares.append(seconds / self._stopping.seconds)
            said = f"generation {number}   best R² {fitness:.6f}   {counted(complexity, 'node')}"
            self._say(min(1.0, max(shares)), said)

    def cross_validate(self, seconds: float) -> None:
        """Say that the whole search is being cross-validated: that counts as time and not as generations."""
        if self._progress is not None:
            share = seconds / self._stopping.seconds if self._stopping.seconds else 0.0
            self._say(min(1.0, share), "cross-validating the search")

    def _say(self, share: float, said: str) -> None:
        with suppress(OSError):  # the terminal may have been closed; the search has not
            if self._progress is not None:
                self._progress.update(self._task, completed=share, said=said)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._curve is not None:
            self._curve.draw()
        if self._progress is not None:
            with suppress(OSError):
                self._progress.stop()
