"""What a running study shows: done, running, failed, time left. A live line in a terminal, plain lines in a
log.
"""

from __future__ import annotations

import time
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

SECONDS_BETWEEN_LINES = 30.0


class Display(Protocol):
    """Shows how far a study is."""

    def update(self, counts: dict[str, int], running: int) -> None:
        """Takes the store's counts and the number of runs this process has under way."""

    def close(self) -> None:
        """Ends the display."""


class Quiet:
    """Shows nothing."""

    def update(self, counts: dict[str, int], running: int) -> None:
        """Shows where the study is."""
        return

    def close(self) -> None:
        """Ends the display."""
        return


class TimeLeft:
    """Estimates the time left from the pace since the start of this process."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.finished_at_start: int | None = None

    def estimate(self, counts: dict[str, int]) -> float | None:
        """Seconds left, None before the first run has finished."""
        finished = counts["done"] + counts["failed"]
        if self.finished_at_start is None:
            self.finished_at_start = finished
        done_here = finished - self.finished_at_start
        if not done_here:
            return None
        left = counts["waiting"] + counts["running"]
        return (time.monotonic() - self.started) / done_here * left


def spoken(seconds: float | None) -> str:
    """Seconds as people say them: "45 s", "12 min", "3 h 20 min"."""
    if seconds is None:
        return "not known yet"
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


class Live:
    """One live line with a bar."""

    def __init__(self, console: Console) -> None:
        self.left = TimeLeft()
        self.progress = Progress(
            TextColumn("runs"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[running]} running, {task.fields[failed]} failed"),
            TimeElapsedColumn(),
            TextColumn("left: {task.fields[left]}"),
            console=console,
        )
        self.task = self.progress.add_task("runs", total=None, running=0, failed=0, left=spoken(None))
        self.progress.start()

    def update(self, counts: dict[str, int], running: int) -> None:
        """Shows where the study is."""
        finished = counts["done"] + counts["failed"]
        self.progress.update(
            self.task,
            total=sum(counts.values()),
            completed=finished,
            running=running,
            failed=counts["failed"],
            left=spoken(self.left.estimate(counts)),
        )

    def close(self) -> None:
        """Ends the display."""
        self.progress.stop()


class Lines:
    """A line every half minute, for logs of batch systems."""

    def __init__(self, console: Console) -> None:
        self.console, self.left = console, TimeLeft()
        self.last = -SECONDS_BETWEEN_LINES

    def update(self, counts: dict[str, int], running: int) -> None:
        """Shows where the study is."""
        left = self.left.estimate(counts)
        if time.monotonic() - self.last < SECONDS_BETWEEN_LINES:
            return
        self.last = time.monotonic()
        finished = counts["done"] + counts["failed"]
        self.console.print(
            f"{finished} of {sum(counts.values())} runs finished, {running} running, "
            f"{counts['failed']} failed, time left: {spoken(left)}"
        )

    def close(self) -> None:
        """Ends the display."""
        return


def display_for(console: Console, quiet: bool) -> Display:
    """The display that suits the console."""
    if quiet:
        return Quiet()
    return Live(console) if console.is_terminal else Lines(console)
