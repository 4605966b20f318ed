"""Threads of a run, as Python sees them."""

from __future__ import annotations

from pathlib import Path

import pytest

from multigene._engine import Workers

TASKS = Path("/proc/self/task")


@pytest.mark.skipif(not TASKS.exists(), reason="there is no /proc that lists the threads of a process")
def test_threads_have_ended_when_their_workers_are_gone():
    """Else what they hold adds up over many fits. The libraries' own threads begin and end as well, so most trials count."""
    ended = 0
    for _ in range(20):
        workers = Workers(8)
        workers.call(lambda: None)
        before = len(list(TASKS.iterdir()))
        del workers
        ended += len(list(TASKS.iterdir())) + 8 <= before
    assert ended >= 15
