"""Signals that end `fit`: they may interrupt the search, but never the handing over of its result.

Python raises KeyboardInterrupt wherever the program happens to be, in the middle of an import or of a clean-up. Once `Interrupts`
is entered, that happens within `breakable()` only, and at most once in it; anywhere else the signal is noted (`asked`) and takes
effect at the next breakable piece of work. A program that handles a signal itself keeps its handler, and an ignored signal stays
ignored (`nohup`). `estimator.py` enters it for Ctrl-C; the command line does so before, for SIGTERM and SIGHUP as well.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from multigene.files import remove_unfinished

#: Signals that end a program unless it handles them, as far as the system has them.
ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Interrupts:
    """A context in which signals take effect only where they do no harm."""

    def __init__(
        self, signals: tuple[signal.Signals, ...] = (signal.SIGINT,), *, second_ends: bool = False
    ) -> None:
        """With `second_ends` a second signal ends the process at once, as if it were not handled."""
        self.signals, self.second_ends = signals, second_ends
        #: Has a signal come that has not taken effect yet?
        self.asked = False
        #: The first signal that came.
        self.first: signal.Signals | None = None
        self._breaks = False
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():  # nobody else may handle signals
            for number in self.signals:
                handler = signal.getsignal(number)
                if handler in (signal.SIG_DFL, signal.default_int_handler):
                    self._before[number] = handler
                    signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    @contextmanager
    def breakable(self) -> Iterator[None]:
        """Work that a signal ends by KeyboardInterrupt, at once if it was asked for before."""
        try:
            self._breaks = True
            if self.asked:
                self._break()
            yield
        except Exception:
            if (
                self.asked and not self._breaks
            ):  # compiled code may make an error of its own of it: NumPy where it compares rows
                raise KeyboardInterrupt from None
            raise
        finally:
            self._breaks = False

    def met(self) -> None:
        """The wish has been met."""
        self.asked = False

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.first is None:
            self.first = signal.Signals(number)
        elif self.second_ends and number != getattr(
            signal, "SIGHUP", None
        ):  # a closed terminal sends several
            remove_unfinished()
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        self.asked = True
        if self._breaks:
            self._break()

    def _break(self) -> None:
        self._breaks = False  # what cleans up after the first is not broken off by a second
        raise KeyboardInterrupt


@contextmanager
def during_fit() -> Iterator[Interrupts]:
    """Those that are entered already, or else for Ctrl-C alone."""
    # Any signal tells: a shell's script starts what it puts into the background with SIGINT ignored.
    owners = [getattr(signal.getsignal(number), "__self__", None) for number in ENDING]
    entered = next((each for each in owners if isinstance(each, Interrupts)), None)
    if entered is not None and threading.current_thread() is threading.main_thread():
        yield entered
        return
    with Interrupts() as interrupts:
        yield interrupts
