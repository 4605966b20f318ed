"""How a run with a time limit is divided where there are very many rows: what comes at the end is allowed for."""

from __future__ import annotations

import numpy as np
import pytest

from multigene._engine import Individual, Workers
from multigene.expression.genes import gene_expression
from multigene.search import phases
from multigene.search.constants import COMPLETION, LEAST_SEARCH
from multigene.search.problem import Problem
from multigene.search.state import SearchState
from multigene.search.task import Task
from multigene.search.validation import ANY_SIZE, SizeDecision
from multigene.settings.defaults import default_settings


def begun(n, seconds):
    """A task of many rows and its state before the islands begin."""
    X = np.random.default_rng(0).normal(size=(n, 3))
    a, b, c = X.T
    problem = Problem.of(X, a + b + c + 0.1 * (a * b + np.sin(c) + np.cos(a) + b * c + np.tanh(b)), None)
    settings = default_settings().changed(seconds=seconds)
    task = Task(problem, settings, Workers(1), None)
    return task, SearchState.at_the_start(task, np.random.default_rng(0))


def offer(state):
    """A model that is longer than the lines of the front, and better."""
    genes = ["x0", "x1", "x2", "x0*x1", "sin(x2)", "cos(x0)", "x1*x2", "tanh(x1)"]
    state.islands.offer([Individual(genes, 0.0, [1.0] * 8).fit(state.islands.data)])


def test_the_larger_the_front_the_earlier_its_last_fit_begins():
    task, state = begun(60_000, seconds=0.05)
    assert not task.sees_all_rows
    before = phases._completion_of_front(task, state)
    offer(state)
    after = phases._completion_of_front(task, state)
    assert LEAST_SEARCH <= after < before <= COMPLETION


@pytest.mark.parametrize("n", [500, 60_000])
def test_with_time_enough_nothing_is_foreseen(n):
    task, state = begun(n, seconds=1000.0)
    offer(state)
    assert phases._completion_of_front(task, state) == COMPLETION


def test_exploring_leaves_room_for_the_end():
    task, state = begun(60_000, seconds=100.0)
    state.islands.number, state.begun = 5, 0.0
    assert phases._explored(task, state, 0.5)
    assert not phases._explored(task, state, 0.4)
    state.completion = 0.6
    assert phases._explored(task, state, 0.4)


@pytest.mark.parametrize(("share", "fits"), [(0.5, True), (0.999, False)])
def test_the_front_is_fitted_to_very_many_rows_only_if_there_is_time(monkeypatch, share, fits):
    """Half of a short limit had to be left for the search, and what came after it took longer than the other half."""
    task, state = begun(60_000, seconds=1.0)
    offer(state)
    state.decision = SizeDecision(ANY_SIZE)
    state.phase = "finish"
    refitted = []
    monkeypatch.setattr(state.islands, "refit", lambda *given: refitted.append(given))
    phases.complete(task, state, share)
    assert bool(refitted) is fits
    assert state.complete


@pytest.mark.parametrize("seen", [0.2, 1e-9], ids=["time cut the survey short", "work did"])
def test_what_seems_exact_is_looked_at_before_the_islands_begin(seen, monkeypatch):
    """A run of a second ended with a long exact formula that nobody had looked at: no law, no claim."""
    rng = np.random.default_rng(0)
    X = rng.uniform(1.0, 5.0, (300, 2))
    task = Task(Problem.of(X, X[:, 0] * np.sin(X[:, 1]), None), default_settings(), Workers(1), None)
    state = SearchState.at_the_start(task, rng)
    progress = state.laws.seekers.progress
    progress.look_later(gene_expression(Individual(["x0*sin(x1)"], 0.0, [1.0]), 0), progress.targets[0])
    assert state.laws.law is None

    monkeypatch.setattr(type(state.laws), "first_share", 0.1)
    monkeypatch.setattr(state.laws.seekers, "pieces", lambda evaluations, stop: (_ for _ in ()))  # no time
    ended = _end(phases._seek_first(state, state.laws, 1000, lambda: seen))
    assert ended is (seen > 0.1)


def _end(steps):
    """What a generator returns."""
    try:
        while True:
            next(steps)
    except StopIteration as ended:
        return ended.value
