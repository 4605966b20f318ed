"""The runner: works off the runs of a study on local processes or a cluster; it can be stopped at any moment.

It claims a run in the store, has it performed elsewhere, records the outcome, and goes on until nothing
waits. Only this process writes to the store. Killing it loses nothing but the runs under way; starting it
again goes on where it was.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import wait
from types import FrameType
from typing import Protocol

from multigene.study.design import Run, Study
from multigene.study.execution import Outcome
from multigene.study.limits import Limit
from multigene.study.owners import new_owner
from multigene.study.progress import Display, Quiet
from multigene.study.store import ATTEMPTS, LEASE_SECONDS, Store
from multigene.study.workers import Worker

POLL_SECONDS = 1.0


class Executor(Protocol):
    """Where runs are performed: local processes or a cluster."""

    def capacity(self) -> int:
        """How many runs it can have under way now."""

    def begin(self, run: Run) -> None:
        """Starts a run."""

    def running(self) -> int:
        """How many runs are under way."""

    def finished(self, seconds: float) -> list[tuple[Run, Outcome | None]]:
        """Waits at most so long; the runs that ended since, with None for those whose worker was lost."""

    def close(self) -> None:
        """Ends all that is under way."""


class LocalProcesses:
    """Runs on this machine, one process each, `jobs` at a time."""

    def __init__(self, study: Study, jobs: int | None = None) -> None:
        limits: dict[str, Limit] = {limit.label: limit for limit in study.design.limits}
        self.members = (dict(study.problems), dict(study.methods), limits)
        self.jobs = jobs or os.cpu_count() or 1
        self.workers: list[Worker] = []

    def capacity(self) -> int:
        """Number of runs that can be under way at a time."""
        return self.jobs

    def begin(self, run: Run) -> None:
        """Hands a run to a free process."""
        idle = next((worker for worker in self.workers if worker.run is None), None)
        if idle is None:
            idle = Worker(self.members)
            self.workers.append(idle)
        try:
            idle.begin(run)
        except OSError:  # died while idle; a new one takes its place
            self._drop(idle)
            fresh = Worker(self.members)
            self.workers.append(fresh)
            fresh.begin(run)

    def running(self) -> int:
        """Number of runs under way."""
        return sum(worker.run is not None for worker in self.workers)

    def finished(self, seconds: float) -> list[tuple[Run, Outcome | None]]:
        """Runs that ended within this many seconds; None for one that was lost with its process."""
        busy = {worker.connection: worker for worker in self.workers if worker.run is not None}
        ended: list[tuple[Run, Outcome | None]] = []
        for ready in wait(list(busy), timeout=seconds):
            worker = busy[ready]  # type: ignore[index]
            run = worker.run
            assert run is not None
            try:
                ended.append((run, worker.outcome()))
                worker.run = None
            except (EOFError, OSError):
                ended.append((run, None))
                self._drop(worker)
        return ended

    def _drop(self, worker: Worker) -> None:
        self.workers.remove(worker)
        worker.end()

    def close(self) -> None:
        """Ends all processes."""
        for worker in self.workers:
            worker.end()
        self.workers = []


class Heart(threading.Thread):
    """Tells the store in the background that this process is alive, with a connection of its own."""

    def __init__(self, store: Store, owner: str, lease: float) -> None:
        super().__init__(daemon=True)
        self.path, self.owner, self.lease = store.path, owner, lease
        self.stopped = threading.Event()

    def run(self) -> None:
        with Store.open(self.path) as store:
            while not self.stopped.wait(self.lease / 4):
                store.beat(self.owner)

    def stop(self) -> None:
        """Ends the beating."""
        self.stopped.set()
        self.join()


def run_study(
    study: Study,
    store: Store,
    executor: Executor | None = None,
    display: Display | None = None,
    lease: float = LEASE_SECONDS,
) -> dict[str, int]:
    """Performs the runs of the study that are not finished yet; returns how many are in which state.

    KeyboardInterrupt (Ctrl-C, or SIGTERM from a batch system) ends the workers, gives back the claims and
    goes on to the caller.
    """
    store.enrol(study)
    owner = new_owner()
    executor = executor or LocalProcesses(study)
    display = display or Quiet()
    heart = Heart(store, owner, lease)
    heart.start()
    with _one_interrupt():
        try:
            _work_off(store, owner, executor, display, lease)
            return store.counts()
        finally:
            executor.close()
            heart.stop()
            store.give_back(owner)
            display.close()


def _work_off(store: Store, owner: str, executor: Executor, display: Display, lease: float) -> None:
    nothing_waits = False
    unrecorded: list[tuple[Run, Outcome | None]] = []
    while True:
        # New work first, records after: no worker waits for the disk.
        while not nothing_waits and executor.running() < executor.capacity():
            run = store.claim(owner, lease)
            if run is None:
                nothing_waits = True
            else:
                executor.begin(run)
        for run, outcome in unrecorded:
            if outcome is not None:
                store.record(owner, run, outcome)
            elif store.attempts(run) >= ATTEMPTS:
                store.record(owner, run, _lost())
            else:
                store.give_back(owner, run)
                nothing_waits = False
        unrecorded = []
        display.update(store.counts(), executor.running())
        if nothing_waits and not executor.running():
            return
        unrecorded = executor.finished(POLL_SECONDS)


def _lost() -> Outcome:
    return Outcome(
        error=f"the worker was lost {ATTEMPTS} times in the middle of this run; "
        "it may need more memory than there is"
    )


@contextmanager
def _one_interrupt() -> Iterator[None]:
    """While it lasts, the first SIGINT or SIGTERM raises KeyboardInterrupt and later ones are ignored.

    Batch systems end a study as cleanly as Ctrl-C does; and as they like to signal a whole group of processes
    twice, the second signal must not break into the cleaning up.
    """
    interrupted = False

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        nonlocal interrupted
        if not interrupted:
            interrupted = True
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's alone
        return
    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
