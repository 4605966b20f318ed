"""Local worker processes: each gets runs over a pipe, one at a time, and sends back outcomes.

A worker that dies (killed, out of memory, a crash in native code) costs its run, not the study: the parent
sees the closed pipe and starts another. A worker whose parent dies ends at once and writes nothing: only the
parent touches the store.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from multigene.study.design import Run
from multigene.study.execution import Outcome, perform
from multigene.study.limits import Limit
from multigene.study.methods import Method
from multigene.study.problems import Problem

Members = tuple[Mapping[str, Problem], Mapping[str, Method], Mapping[str, Limit]]


def serve(connection: Connection, members: Members) -> None:
    """The life of a worker process: take a run, perform it, send the outcome, until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle; it ends its workers
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    problems, methods, limits = members
    while True:
        try:
            run: Run | None = connection.recv()
        except EOFError:
            return
        if run is None:
            return
        outcome = perform(problems[run.problem], methods[run.method], limits.get(run.limit), run.seed)
        connection.send(outcome)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


class Worker:
    """A worker process as its parent sees it."""

    def __init__(self, members: Members) -> None:
        context = multiprocessing.get_context("spawn")  # fork would copy threads' locks
        self.connection, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(target=serve, args=(theirs, members), daemon=True)
        self.process.start()
        theirs.close()
        self.run: Run | None = None

    def begin(self, run: Run) -> None:
        """Hands the worker its next run."""
        self.run = run
        self.connection.send(run)

    def outcome(self) -> Outcome:
        """The outcome of the run under way; EOFError or OSError when the worker died."""
        outcome: Outcome = self.connection.recv()
        return outcome

    def end(self) -> None:
        """Ends the process, at once if it is in the middle of a run."""
        if self.run is not None:
            self.process.kill()
        else:
            with suppress(OSError):  # it may be gone already
                self.connection.send(None)
        self.process.join(timeout=5)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.connection.close()
