"""A restart of the law search: hill climbing, full tuning, the mutations that can be switched off; work counted, not timed."""

from __future__ import annotations

import numpy as np
import pytest

from multigene._engine import Dataset, Individual, Population, Workers
from multigene.evolution.loop import Generation
from multigene.evolution.pareto import ParetoFront
from multigene.laws import restart as restart_module
from multigene.laws.constants import CLIMB_BATCH, CLIMB_SHARE
from multigene.laws.restart import climb, restart
from multigene.laws.seekers import Seekers
from multigene.laws.settings import seeker_settings
from multigene.settings.settings import Seeking

OFF = {"climb": False, "full_tuning": False}


def rows(n=200, d=2, low=1.0, high=5.0, seed=0):
    return np.random.default_rng(seed).uniform(low, high, (n, d))


def begin(data, options, generations, first, threads=1, seed=0):
    settings = seeker_settings((), False)
    rng = np.random.default_rng(seed)
    return restart(data, settings, options, rng, Workers(threads), generations, [first], stop=lambda: False)


def left(front):
    return 1.0 - front.best.fitness


# --- hill climbing --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("law", "near"),
    [
        (lambda a, b: np.tanh(np.cos(a * b)) + b, ["tanh(sin(x0*x1))", "x1"]),  # another function
        (lambda a, b: np.sin(a * b) * b, ["sin(exp(x0)*x1)*x1"]),  # a subtree in place of a node
        (lambda a, b: np.sin(a * np.sqrt(b)), ["sin(x0*(x1*cos(x1)))"]),  # f(x) in place of what depends on x alone
    ],
)  # fmt: skip
def test_climbing_finds_a_law_that_is_one_step_away(law, near):
    X = rows()
    data = Dataset(X, law(*X.T))
    first = Individual(near, 0.0, [1.0] * len(near))
    settings = seeker_settings((), False)
    alone = Population.of([first], settings.genes, 2, Workers(1))
    fitness, complexity = alone.evaluate(data, settings.selection)
    start = Generation(0, ParetoFront(), fitness, complexity, 0, alone, {})
    start.front.update(alone, alone.peaks(), complexity)
    assert left(start.front) > 1e-3
    climb(start, data, settings, np.random.default_rng(0), 10_000, lambda: False)
    assert left(start.front) < 1e-12


def test_a_restart_that_climbs_finds_what_evolution_alone_does_not():
    X = rows()
    data = Dataset(X, np.sin(3.0 * X[:, 0] * X[:, 1]) * np.log(X[:, 1]))
    first = Individual(["sin(3.0*x0*x1)*x1"], 0.0, [1.0])
    for seed in range(5):
        plain, _ = begin(data, Seeking(**OFF), 2, first, seed=seed)
        climbed, _ = begin(data, Seeking(**{**OFF, "climb": True}), 2, first, seed=seed)
        assert left(climbed) < 1e-12 < 1e-3 < left(plain)


def test_climbing_keeps_to_its_share_of_the_work():
    X = rows()
    data = Dataset(X, np.abs(X[:, 0] - 3.0) * np.exp(np.sin(3.0 * X[:, 1])))
    first = Individual(["x0"], 0.0, [1.0])
    _, without = begin(data, Seeking(**OFF), 10, first)
    _, work = begin(data, Seeking(**{**OFF, "climb": True}), 10, first)
    most_per_neighbour = 1 + 6 * 3
    assert without < work <= (1.0 + CLIMB_SHARE) * without + CLIMB_BATCH * most_per_neighbour


# --- full tuning ----------------------------------------------------------------------------------


def test_every_new_best_is_tuned_in_full():
    # Two genes that must be tuned together, and no time to do it one by one.
    X = rows()
    y = np.sin(1.3 * X[:, 0] + 0.4) + np.exp(-0.7 * X[:, 1] + 0.2 * X[:, 0])
    data = Dataset(X, y)
    first = Individual(["sin([0: 0.3 + 1.2*x0])", "exp([1: 0.1 + -0.6*x1 + 0.3*x0])"], 0.0, [1.0, 1.0])
    plain, _ = begin(data, Seeking(**OFF), 1, first)
    tuned, _ = begin(data, Seeking(**{**OFF, "full_tuning": True}), 1, first)
    assert left(tuned) < 1e-12 < 1e-6 < left(plain)


def test_full_tuning_is_counted():
    X = rows()
    data = Dataset(X, np.abs(X[:, 0] - 3.0) * X[:, 1])
    first = Individual(["x0"], 0.0, [1.0])
    _, plain = begin(data, Seeking(**OFF), 1, first)
    _, tuned = begin(data, Seeking(**{**OFF, "full_tuning": True}), 1, first)
    assert tuned > plain


# --- creep ----------------------------------------------------------------------------------------


def test_a_restart_that_only_approximates_ends(monkeypatch):
    # A smooth curve of one feature that no gene can say, but which sums of genes approximate without end.
    X = rows(200, 1, -1.0, 1.0)
    data = Dataset(X, np.cbrt(X[:, 0] + 3.0) * np.arctan(X[:, 0]))
    first = Individual(["sin(x0)"], 0.0, [1.0])
    front, work = begin(data, Seeking(**OFF), 60, first)
    monkeypatch.setattr(restart_module, "PATIENCE", 1000)
    longer, more = begin(data, Seeking(**OFF), 60, first)
    assert left(longer) <= left(front) < 1e-9
    assert work < 0.8 * more


# --- all of them ----------------------------------------------------------------------------------


@pytest.mark.parametrize("switch", [*OFF, None])
def test_runs_repeat_at_any_number_of_threads(switch):
    X = rows(150, 2, -1.0, 1.0)
    y = np.sin(X[:, 0] ** 2) * np.abs(X[:, 1]) - 0.3 * X[:, 1]
    options = Seeking(**{**OFF, switch: True} if switch else {}, survey=False)
    found = []
    for threads in (1, 2, 1):
        search = Seekers(X, y, np.arange(150), np.random.default_rng(0), Workers(threads), options)
        search.seek(15_000)
        found.append((search.evaluations, {c: f.individual.genes for c, f in search.finds.by_size.items()}))
    assert found[0] == found[1] == found[2]


def test_every_switch_changes_the_search():
    X = rows(150, 2, -1.0, 1.0)
    y = np.sin(X[:, 0] ** 2) * np.abs(X[:, 1]) - 0.3 * X[:, 1]
    work = {}
    for switch in [*OFF, None]:
        options = Seeking(**{**OFF, **({switch: True} if switch else {})}, survey=False)
        search = Seekers(X, y, np.arange(150), np.random.default_rng(0), Workers(1), options)
        search.seek(5_000)
        work[switch] = search.evaluations
    assert len(set(work.values())) == len(work)
