"""Independent pieces of work side by side, their results one after the other in a fixed order: on threads, or in the processes of
a back end of joblib that the user has chosen (`elsewhere.py`).

One small population does not fill two processors: between the engine's verbs the interpreter runs, and each verb is over too soon
to be shared. Several pieces fill them, since the verbs let go of the interpreter lock. Used for restarts of law seekers
(`laws/restarts.py`) and for islands (`search/islands.py`).

What is done depends neither on the number of threads or processes nor on the clock: a piece is decided on when its place becomes
free, that is when the result of the one this many places before it has been taken. One thread does the same pieces, each when it
is asked for; processes do those that are decided on at the same time, before any of their results is taken.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np

from multigene._engine import Workers
from multigene.evolution import elsewhere
from multigene.evolution.constants import WATCH


class Piece(Protocol):
    """A piece of work."""

    workers: Workers
    """What its native calls run on, and nobody else's: they are given up with it."""

    def work(self) -> Any:
        """Do it, on any thread."""

    def request(self) -> elsewhere.Request:
        """The same work for another process."""

    def take(self, reply: Any) -> Any:
        """The result of the work that another process has done."""


P = TypeVar("P", bound=Piece)


def in_order(
    begin: Callable[[], P | None],
    ahead: int,
    threads: int,
    *,
    portable: bool = True,
    lasted: dict[int, float] | None = None,
) -> Generator[tuple[P, Any], None, None]:
    """Pieces with their results, in the order in which `begin` gave them.

    `begin` is asked for another piece whenever fewer than `ahead` are under way, and says None if there is none for now. If the
    iterator is closed (`contextlib.closing`) or something is raised, pieces under way are given up; no thread is left behind.
    `threads` are how many pieces may be under way at once, 1 for this thread alone; pieces that are not `portable` stay in this
    process. `lasted` are the seconds of pieces in other processes, by place, which later pieces are begun by.
    """
    if threads > 1 and portable and elsewhere.chosen():
        yield from _elsewhere(begin, ahead, threads, {} if lasted is None else lasted)
        return
    if threads == 1 or ahead == 1:
        yield from _alone(begin, ahead)
        return
    under_way: deque[tuple[P, Future[Any]]] = deque()
    with ThreadPoolExecutor(min(threads, ahead)) as pool:
        try:
            while True:
                while len(under_way) < ahead and (piece := begin()) is not None:
                    under_way.append((piece, pool.submit(piece.workers.call, partial(_quietly, piece))))
                if not under_way:
                    return
                piece, future = under_way[0]
                while not future.done():
                    wait([future], WATCH)
                    for other, _ in under_way:
                        other.workers.watch()
                under_way.popleft()
                yield piece, future.result()
        finally:
            for piece, future in under_way:
                future.cancel()
                piece.workers.give_up()


def _quietly(piece: Piece) -> Any:
    """A piece's work without NumPy's warnings, which every thread has to be told anew."""
    with np.errstate(all="ignore"):
        return piece.work()


def _alone(begin: Callable[[], P | None], ahead: int) -> Generator[tuple[P, Any], None, None]:
    under_way: deque[P] = deque()
    while _begun(begin, ahead, under_way):
        piece = under_way.popleft()
        yield piece, piece.work()


def _begun(begin: Callable[[], P | None], ahead: int, under_way: deque[P]) -> bool:
    """Begin as many pieces as may be under way; False if there are none."""
    while len(under_way) < ahead and (piece := begin()) is not None:
        under_way.append(piece)
    return bool(under_way)


def _elsewhere(
    begin: Callable[[], P | None], ahead: int, processes: int, lasted: dict[int, float]
) -> Generator[tuple[P, Any], None, None]:
    under_way: deque[P] = deque()
    while _begun(begin, ahead, under_way):
        pieces = list(under_way)
        seconds = pieces[0].workers.watch()
        replies = elsewhere.replies_to([piece.request() for piece in pieces], processes, seconds, lasted)
        for piece, reply in zip(pieces, replies, strict=True):
            under_way.popleft()
            yield piece, piece.take(reply)
            _begun(begin, ahead, under_way)


def own(workers: Workers, pieces: int) -> Workers:
    """Workers for one of this many pieces side by side; one thread has nothing to divide."""
    return workers if workers.n_jobs == 1 else workers.part(max(1, workers.n_jobs // pieces))
