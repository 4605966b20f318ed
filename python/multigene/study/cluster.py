"""Runs on a Dask cluster: the same study on many machines, by `--scheduler tcp://…` or a Dask `Client`.

The runs are tasks; Dask moves the tasks of a lost worker to another one by itself, and what it gives up on
comes back here as lost and is begun again. Problems travel inside the tasks' graph, so workers need multigene
installed but no files and no network. Start workers with one thread per process (`--nthreads 1`): a run uses
one core. SLURM, PBS: `dask_jobqueue.SLURMCluster(cores=1, …)`; Kubernetes:
`dask_kubernetes.operator.KubeCluster(…)`; pass `DaskCluster(study, Client(cluster))` as executor to
`run_study`, or the scheduler's address on the command line.
"""

from __future__ import annotations

import queue
import re
import time
import uuid
from typing import Any

from multigene.study.design import Run, Study
from multigene.study.errors import StudyError
from multigene.study.execution import Outcome, perform
from multigene.study.limits import Limit
from multigene.study.methods import Method
from multigene.study.problems import Problem

ADDRESS = re.compile(r"(?:([a-z]+)://)?[^\s/]+:\d+/?")
SECONDS_TO_CONNECT = 10.0
SECONDS_WITHOUT_WORKERS = 60.0


def connect(address: str) -> Any:
    """A client of the scheduler at this address; a sentence when none answers."""
    try:
        from distributed import Client
        from distributed.comm.registry import backends
    except ImportError as error:
        raise StudyError("a cluster needs Dask; install it with `pip install 'multigene[study]'`") from error
    form = ADDRESS.fullmatch(address)
    if form is None or form[1] not in (None, *backends):  # a client of such an address takes long to end
        raise StudyError(
            f"no Dask scheduler can have the address {address!r}; "
            "give the one that `dask scheduler` printed, such as tcp://host:8786"
        )
    try:
        return Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise StudyError(
            f"no Dask scheduler answers at {address!r} ({type(error).__name__}); "
            "check the address that `dask scheduler` printed, such as tcp://host:8786"
        ) from error


def _same(problem: Problem) -> Problem:
    return problem


def _perform(problem: Problem, method: Method, limit: Limit | None, seed: int) -> Outcome:
    return perform(problem, method, limit, seed)


class DaskCluster:
    """An executor whose workers are those of a Dask cluster, however many there are at the moment."""

    def __init__(self, study: Study, client: Any) -> None:
        self.study, self.client = study, client
        self.token = uuid.uuid4().hex[:8]
        self.submitted = 0
        self.problems: dict[str, Any] = {}
        self.futures: dict[str, tuple[Run, Any]] = {}
        self.ended: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.last_seen = time.monotonic()

    def capacity(self) -> int:
        """Two runs per thread: the next one is at the worker before the last one ends."""
        threads: int = sum(worker["nthreads"] for worker in self._workers().values())
        return max(1, 2 * threads)

    def _workers(self) -> dict[str, Any]:
        if self.client.status not in ("running", "connecting"):
            raise StudyError(
                "the connection to the Dask scheduler is lost; finished runs are in the store, "
                "resume the study to go on"
            )
        workers: dict[str, Any] = self.client.scheduler_info(n_workers=-1)["workers"]
        if workers:
            self.last_seen = time.monotonic()
        elif time.monotonic() - self.last_seen > SECONDS_WITHOUT_WORKERS:
            raise StudyError(
                f"the Dask cluster has had no worker for {SECONDS_WITHOUT_WORKERS:.0f} s; "
                "start workers with `dask worker` and resume the study"
            )
        return workers

    def begin(self, run: Run) -> None:
        """Sends a run to the cluster."""
        if run.problem not in self.problems:
            self.problems[run.problem] = self.client.submit(
                _same, self.study.problems[run.problem], key=f"problem-{run.problem}-{self.token}"
            )
        key = f"run-{self.token}-{self.submitted}"
        self.submitted += 1
        future = self.client.submit(
            _perform,
            self.problems[run.problem],
            self.study.methods[run.method],
            self.study.limit(run.limit),
            run.seed,
            key=key,
            priority=-self.submitted,
        )
        self.futures[key] = run, future
        future.add_done_callback(lambda _future, key=key: self.ended.put(key))

    def running(self) -> int:
        """Number of runs under way."""
        return len(self.futures)

    def finished(self, seconds: float) -> list[tuple[Run, Outcome | None]]:
        """Runs that ended within this many seconds; None for one that was lost with its worker."""
        self._workers()  # notices a lost scheduler
        keys: list[str] = []
        try:
            keys.append(self.ended.get(timeout=seconds))
            while True:
                keys.append(self.ended.get_nowait())
        except queue.Empty:
            pass
        return [self._outcome(key) for key in keys if key in self.futures]

    def _outcome(self, key: str) -> tuple[Run, Outcome | None]:
        run, future = self.futures.pop(key)
        if future.status == "finished":
            return run, future.result()
        if future.status == "error":
            error = future.exception()
            if type(error).__name__ == "KilledWorker":
                return run, None
            # perform() itself never raises: the task could not even start, as when a module is missing there.
            return run, Outcome(error=f"on the cluster: {type(error).__name__}: {error}")
        return run, None  # cancelled or lost

    def close(self) -> None:
        """Gives up what is under way."""
        futures = [future for _, future in self.futures.values()]
        self.futures = {}
        if self.client.status == "running":
            self.client.cancel([*futures, *self.problems.values()])
        self.problems = {}
