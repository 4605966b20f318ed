"""Processor time as runs count it: that of this process, and of workers in other processes that did part of its work."""

from __future__ import annotations

import time
from threading import Lock


class _Spent:
    """Processor seconds of workers so far."""

    def __init__(self) -> None:
        self.seconds, self.lock = 0.0, Lock()


_SPENT = _Spent()


def processor_seconds() -> float:
    """Processor time of this process and of what workers have done for it."""
    return time.process_time() + _SPENT.seconds


def spent_elsewhere(seconds: float) -> None:
    """Workers have used this much processor time."""
    with _SPENT.lock:
        _SPENT.seconds += seconds
