"""Pieces of work in other processes: the same results, whoever carries them out, and also when workers are lost."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import joblib
import pytest

from multigene._engine import Workers
from multigene.evolution import elsewhere
from multigene.evolution.elsewhere import chosen, replies_to
from multigene.evolution.parallel import in_order
from multigene.settings.clock import processor_seconds


@dataclass(frozen=True)
class Square:
    """A request for a square; the worker that gets the one with a mark is lost on its way as long as there is the mark."""

    number: int
    mark: Path | None = None
    mine: int = 0
    """The process that must not be lost: 0 for none."""

    def reply(self, workers):
        if self.mark is not None and self.mark.exists() and os.getpid() != self.mine:
            if self.mine == 0:
                self.mark.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return self.number**2, os.getpid()


@dataclass(frozen=True)
class Failing:
    """A request whose work raises."""

    def reply(self, workers):
        raise ZeroDivisionError("of the work itself")


@dataclass(frozen=True)
class Waiting:
    """A request that works until it is told to stop."""

    def reply(self, workers):
        begun = time.monotonic()
        while workers.watch() != 0.0:
            time.sleep(0.01)
        return time.monotonic() - begun


@dataclass(frozen=True)
class Busy:
    """A request that takes processor time."""

    def reply(self, workers):
        until = time.thread_time() + 0.1
        while time.thread_time() < until:
            pass


@dataclass
class Piece:
    """A piece of work for threads and for processes."""

    number: int
    workers: Workers

    def work(self):
        return self.number**2

    def request(self):
        return Square(self.number)

    def take(self, reply):
        return reply[0]


@pytest.fixture
def loky():
    with joblib.parallel_config("loky"):
        yield


def test_only_a_back_end_of_processes_is_elsewhere():
    assert not chosen()
    with joblib.parallel_config(n_jobs=2):
        assert not chosen()
    with joblib.parallel_config("threading", n_jobs=2):
        assert not chosen()
    with joblib.parallel_config("loky", n_jobs=2):
        assert chosen()


def test_replies_come_in_order_from_other_processes(loky):
    replies = replies_to([Square(i) for i in range(5)], 2, None)
    assert [square for square, _ in replies] == [0, 1, 4, 9, 16]
    assert os.getpid() not in {process for _, process in replies}


@pytest.mark.usefixtures("loky")
def test_decisions_are_those_of_threads():
    taken, begun, workers = [], [], Workers(2)

    def begin():
        if len(begun) == 9:
            return None
        begun.append(len(taken))
        return Piece(len(begun) - 1, workers)

    for piece, result in in_order(begin, 3, 2):
        assert result == piece.number**2
        taken.append(result)
    assert begun == [0, 0, 0, 1, 2, 3, 4, 5, 6]
    assert len(taken) == 9


def test_what_a_lost_worker_was_at_is_requested_again(loky, tmp_path):
    mark = tmp_path / "mark"
    mark.touch()
    replies = replies_to([Square(1), Square(2, mark), Square(3)], 2, None)
    assert [square for square, _ in replies] == [1, 4, 9]
    assert not mark.exists()


def test_what_is_lost_again_and_again_is_done_here(loky, tmp_path):
    mark = tmp_path / "mark"
    mark.touch()
    requests = [Square(1), Square(2, mark, mine=os.getpid())]
    with pytest.warns(UserWarning, match=r"could not be carried out by joblib's back end \(TerminatedWorker"):
        replies = replies_to(requests, 2, None)
    assert [square for square, _ in replies] == [1, 4]


def test_what_the_work_raises_is_raised(loky):
    with pytest.raises(ZeroDivisionError, match="of the work itself"):
        replies_to([Square(1), Failing()], 2, None)


def test_workers_know_how_long_they_have(loky):
    replies_to([Square(1), Square(2)], 2, None)  # processes that are there already
    waited = replies_to([Waiting(), Waiting()], 2, 0.3)  # without end where they did not
    assert len(waited) == 2


def test_the_processor_time_of_workers_counts(loky):
    before = processor_seconds() - time.process_time()
    replies_to([Busy(), Busy()], 2, None)
    assert processor_seconds() - time.process_time() - before >= 0.2


def test_a_request_may_be_carried_out_here():
    reply = elsewhere.carried_out(Square(3), None, None)
    assert reply.value == (9, os.getpid())
    assert reply.error is None


def test_the_longest_is_begun_first_and_replies_keep_their_order(monkeypatch):
    begun = []

    def noted(requests, n_jobs, seconds):
        begun.append([request.number for request in requests])
        return [elsewhere.Reply(r.number**2, None, float(r.number)) for r in requests]

    monkeypatch.setattr(elsewhere, "_replies", noted)
    requests, lasted = [Square(2), Square(7), Square(5)], {}
    for _ in range(2):
        assert replies_to(requests, 2, None, lasted) == [4, 49, 25]
    assert begun == [[2, 7, 5], [7, 5, 2]]
    assert lasted == {0: 2.0, 1: 7.0, 2: 5.0}
