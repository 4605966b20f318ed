"""Pieces of work on threads: results in a fixed order, the same decisions at any number of threads, nothing left behind."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from multigene import MultigeneRegressor
from multigene._engine import Dataset, Population, Workers
from multigene.evolution.parallel import in_order, own
from multigene.settings.defaults import default_settings


@dataclass
class Sleep:
    """A piece that sleeps and says its number."""

    number: int
    workers: Workers
    seconds: float = 0.0

    def work(self):
        time.sleep(self.seconds)
        return self.number


@dataclass
class Endless:
    """A piece that evaluates until it is given up."""

    workers: Workers
    ended: list
    begun: threading.Event = field(default_factory=threading.Event)

    def work(self):
        self.begun.set()
        data = Dataset(np.random.default_rng(0).normal(size=(2000, 2)), np.arange(2000.0))
        try:
            while True:
                genes = default_settings().genes
                Population.grow(genes, 2, list(range(50)), self.workers).evaluate(data)
        except RuntimeError as error:
            self.ended.append(str(error))
            raise


def counted(number, threads, seconds=lambda i: 0.0):
    """`begin` for a number of pieces, and the numbers of results that had been taken when each was begun."""
    workers, taken, begun = Workers(threads), [], []

    def begin():
        if len(begun) == number:
            return None
        begun.append(len(taken))
        return Sleep(len(begun) - 1, own(workers, 3), seconds(len(begun)))

    return begin, taken, begun


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_order_and_decisions_do_not_depend_on_threads(threads):
    begin, taken, begun = counted(9, threads, lambda i: 0.02 * (i % 3 == 1))
    for piece, result in in_order(begin, 3, threads):
        assert piece.number == result
        taken.append(result)
    assert taken == list(range(9))
    assert begun == [0, 0, 0, 1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_piece_may_be_refused_for_now(threads):
    """What is under way may do less than expected: another one is begun then."""
    workers, taken, begun = Workers(threads), [], []

    def begin():
        if len(begun) > len(taken):  # one at a time
            return None
        begun.append(0)
        return Sleep(len(begun), workers) if len(begun) <= 4 else None

    for _, result in in_order(begin, 3, threads):
        taken.append(result)
    assert taken == [1, 2, 3, 4]


def test_they_run_at_the_same_time():
    """Each piece waits for all the others, so that none ends unless all are under way."""
    all_there = threading.Barrier(4, timeout=300.0)

    class Meeting(Sleep):
        def work(self):
            all_there.wait()
            return self.number

    workers = Workers(4)
    pieces = iter([Meeting(number, workers.part(1)) for number in range(4)])
    assert [result for _, result in in_order(lambda: next(pieces, None), 4, 4)] == [0, 1, 2, 3]


def test_pieces_that_nobody_waits_for_are_given_up():
    before, ended, workers = threading.active_count(), [], Workers(2)
    endless = [Endless(workers.part(1), ended) for _ in range(2)]
    pieces = iter([Sleep(0, workers.part(1)), *endless])
    with closing(in_order(lambda: next(pieces, None), 3, 2)) as done:
        next(done)
        assert endless[0].begun.wait(300.0)
    assert ended == ["The workers of this call were given up."] * len(ended)
    assert len(ended) >= 1
    assert threading.active_count() == before


def test_an_error_in_a_piece_is_raised_and_the_others_are_given_up():
    class Broken(Sleep):
        def work(self):
            raise MemoryError("no room")

    before, ended, workers = threading.active_count(), [], Workers(2)
    pieces = iter([Broken(0, workers.part(1)), Endless(workers.part(1), ended)])
    with pytest.raises(MemoryError, match="no room"):
        list(in_order(lambda: next(pieces, None), 2, 2))
    assert threading.active_count() == before


def test_the_deadline_reaches_pieces():
    workers = Workers(2)

    class Long(Sleep):
        def work(self):
            genes, data = (
                default_settings().genes,
                Dataset(np.ones((1, 2)) * np.arange(9e5)[:, None], np.arange(9e5)),
            )
            population = Population.grow(genes, 2, list(range(4000)), self.workers)
            start = time.perf_counter()
            workers.set_deadline(0.2)
            population.evaluate(data)
            return time.perf_counter() - start

    pieces = iter([Long(0, workers.part(1))])
    ((_, seconds),) = in_order(lambda: next(pieces, None), 2, 2)
    assert 0.2 <= seconds < 20.0  # without the deadline a minute or more


def test_blas_has_one_thread_there_too():
    class Asked(Sleep):
        def work(self):
            np.ones((50, 50)) @ np.ones((50, 50))
            return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    workers = Workers(2)
    pieces = iter([Asked(i, workers.part(1)) for i in range(2)])
    with threadpool_limits(1, user_api="blas"):
        for _, numbers in in_order(lambda: next(pieces, None), 2, 2):
            assert set(numbers) == {1}


@pytest.mark.parametrize("search", ["laws", "accuracy"])
def test_ctrl_c_ends_a_run_at_once_and_leaves_no_thread(search):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.tanh(X[:, 0]) * np.abs(X[:, 1]) + 0.1 * rng.normal(size=300)
    before, timers, pressed = threading.active_count(), [], []

    def press():
        pressed.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    def soon(progress):
        """When there is something to keep: Ctrl-C in the midst of what comes next."""
        if not timers and progress.front and progress.front[-1].r2 > 0.5:
            timers.append(threading.Timer(0.3, press))
            timers[0].start()

    parameters = {"time_limit": 600, "n_jobs": 2, "random_state": 0, "search": search}
    model = MultigeneRegressor(**parameters).fit(X, y, callback=soon)
    ended = time.perf_counter()
    timers[0].join()
    assert model.stopped_by_ == "interrupt"
    assert ended - pressed[0] < 60.0  # a run that did not end by it would take ten minutes
    assert threading.active_count() == before
    assert model.r2_ > 0.5
