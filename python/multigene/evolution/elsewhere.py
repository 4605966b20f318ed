"""Pieces of work in other processes, through the back end of joblib that the user has chosen.

    with joblib.parallel_config("dask"):      # or "loky", "ray", …
        MultigeneRegressor(generations=500, random_state=0).fit(X, y)

A piece (`parallel.py`) describes its work as a `Request`: values that pickle, and no code but the package's. A worker carries it
out on one thread and sends back a reply, which the piece takes as if it had done the work itself. Where a request is carried out
makes no difference to the result, so the work of a lost worker is requested again, and in the end done by this process.

Workers are told how many seconds they have. Their processor time counts as this process's (`settings/clock.py`).
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from joblib import Parallel, delayed
from joblib.parallel import get_active_backend
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from multigene._engine import Workers
from multigene.evolution.constants import ATTEMPTS, LATE
from multigene.settings.clock import spent_elsewhere

LOST = (
    "Pieces of this fit could not be carried out by joblib's back end ({error}); this process does them itself. "
    "The model is the same."
)


class Request(Protocol):
    """A piece of work as values that pickle."""

    def reply(self, workers: Workers) -> Any:
        """Carry it out on these threads; what comes back pickles, too."""


@dataclass(frozen=True)
class Reply:
    """What a worker sends back."""

    value: Any
    error: Exception | None
    """What the work raised: not the same as a worker that is lost."""
    seconds: float
    """Processor time."""


def chosen() -> bool:
    """Has the user chosen a back end whose workers are not threads of this process?"""
    backend, _ = get_active_backend(prefer="threads")
    return not getattr(backend, "supports_sharedmem", False)


def replies_to(
    requests: Sequence[Request], n_jobs: int, seconds: float | None, lasted: dict[int, float] | None = None
) -> list[Any]:
    """Replies in the order of the requests, each made within this many seconds; None for no limit.

    `lasted` holds how long the request in each place took last time, and is updated. The longest is begun first: begun last,
    the largest island would keep one worker busy while the others have nothing left to do.
    """
    lasted = {} if lasted is None else lasted
    order = sorted(range(len(requests)), key=lambda place: -lasted.get(place, 0.0))
    replies = _replies([requests[place] for place in order], n_jobs, seconds)
    lasted.update((place, reply.seconds) for place, reply in zip(order, replies, strict=True))
    by_place = dict(zip(order, replies, strict=True))
    for place in range(len(requests)):
        error = by_place[place].error
        if error is not None:
            raise error
    return [by_place[place].value for place in range(len(requests))]


def _replies(requests: Sequence[Request], n_jobs: int, seconds: float | None) -> list[Reply]:
    """Replies in the order in which the requests are begun; what is lost is requested again."""
    until = None if seconds is None else time.time() + seconds
    wait = None if seconds is None else seconds + LATE
    problem: Exception | None = None
    for _ in range(ATTEMPTS):
        try:
            work = [delayed(carried_out)(request, seconds, until) for request in requests]
            replies = Parallel(n_jobs=n_jobs, batch_size=1, pre_dispatch="all", timeout=wait)(work)
            spent_elsewhere(sum(reply.seconds for reply in replies))
            break
        except Exception as error:  # the work's own come as replies: workers, or the way to them, are lost
            problem = error
            if until is not None and time.time() >= until:
                replies = [carried_out(request, seconds, until) for request in requests]
                break
    else:
        warnings.warn(LOST.format(error=f"{type(problem).__name__}: {problem}"), UserWarning, stacklevel=2)
        replies = [carried_out(request, seconds, until) for request in requests]
    return list(replies)


def carried_out(request: Request, seconds: float | None, until: float | None) -> Reply:
    """What a worker does with a request: it has this many seconds, or until that time by its clock, whichever ends first."""
    workers = Workers(1)
    if seconds is not None and until is not None:  # clocks of two machines may differ
        workers.set_deadline(max(0.0, min(seconds, until - time.time())))
    with threadpool_limits(1, user_api="blas"):
        reply: Reply = workers.call(partial(_on_one_thread, request, workers))
    return reply


def _on_one_thread(request: Request, workers: Workers) -> Reply:
    begun = time.thread_time()
    try:
        with np.errstate(all="ignore"):
            value, error = request.reply(workers), None
    except Exception as raised:
        value, error = None, raised
    return Reply(value, error, time.thread_time() - begun)
