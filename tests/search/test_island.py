"""Islands and restarts in other processes: the same model as on threads, also when a worker is killed in the middle."""

from __future__ import annotations

import importlib.util
import pickle
import signal

import joblib
import numpy as np
import pytest
from dask_cluster import Cluster

from multigene import MultigeneRegressor
from multigene._engine import Individual, Workers
from multigene.evolution import elsewhere
from multigene.evolution.pareto import Candidate
from multigene.search.constants import MIDDLE_SIZES
from multigene.search.island import Ground
from multigene.search.islands import Islands, fittest_up_to
from multigene.search.problem import Problem
from multigene.search.short import as_emigrant
from multigene.search.task import Task
from multigene.settings.defaults import default_settings


def rows(n=200):
    rng = np.random.default_rng(0)
    X = rng.uniform(0.5, 3.0, size=(n, 3))
    return X, np.sin(X[:, 0]) * X[:, 1] + 0.3 * X[:, 2] ** 2 + 0.1 * rng.normal(size=n)


def fitted(X, y, callback=None, weights=None, **parameters):
    parameters = {"generations": 10, "time_limit": None, "random_state": 0, "n_jobs": 2} | parameters
    parameters["settings"] = {"population_size": 30} | parameters.get("settings", {})
    model = MultigeneRegressor(**parameters)
    return model.fit(X, y, sample_weight=weights, callback=callback)


def content(model):
    """All of a model: the front with every digit."""
    return [
        (m.individual.genes, m.individual.intercept, m.individual.coefficients, m.fitness)
        for m in model.fitted_.front
    ]


@pytest.mark.parametrize("short", [False, True], ids=["standardised", "short"])
@pytest.mark.parametrize("weighted", [False, True], ids=["even", "weighted"])
def test_a_round_elsewhere_is_that_of_the_island(short, weighted):
    """Round after round, each with immigrants; populations, fronts and random numbers are equal to the last bit."""
    X, y = rows()
    weights = np.linspace(0.5, 1.5, len(y)) if weighted else None
    problem = Problem.of(X, y, weights)
    settings = default_settings().changed(population_size=30)

    def island():
        ground = Ground(Task(problem, settings, Workers(1), None), problem.search_rows[:100])
        return ground.island(short, Workers(1), [], rng=np.random.default_rng(1))

    here, there = island(), island()
    for _ in range(3):
        here.work()
        request = pickle.loads(pickle.dumps(there.request()))
        assert len(request.problem.y) == 100  # and no other row is sent
        there.take(pickle.loads(pickle.dumps(elsewhere.carried_out(request, None, None).value)))
        assert there.last.random_state == here.last.random_state
        assert there.last.population.dump() == here.last.population.dump()
        assert [(c.fitness, c.complexity) for c in there.front] == [
            (c.fitness, c.complexity) for c in here.front
        ]
        assert list(there.front.refused) == list(here.front.refused)
        for each in (here, there):
            each.immigrants.append(each.best)


CASES = {
    "default": {},
    "loss": {"loss": "huber"},
    "own loss": {
        "loss": lambda y, p: (y - p) ** 4,
        "generations": 2,
        "search": "accuracy",
        "settings": {"holdout": 0.0, "population_size": 20},
    },
    "shapes": {"shapes": ["increasing in x1"]},
    "functions": {"functions": ["add", "mul", {"hill": "x**2/(1+x**2)"}]},
    "laws": {"search": "laws"},
    "rules": {"settings": {"rules": ["sin only of x0", "never x2"]}},
}


@pytest.mark.parametrize("case", CASES)
def test_processes_come_to_the_model_of_threads(case):
    X, y = rows(80)
    parameters = CASES[case]
    with joblib.parallel_config("loky"):
        there = fitted(X, y, **parameters)
    assert content(there) == content(fitted(X, y, **parameters))


def test_one_job_is_this_process_alone(monkeypatch):
    monkeypatch.setattr(elsewhere, "replies_to", None)
    X, y = rows(60)
    with joblib.parallel_config("loky"):
        fitted(X, y, n_jobs=1, generations=2)


@pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="Dask is not installed")
def test_a_dask_cluster_that_loses_a_worker_comes_to_the_model_of_threads(tmp_path):
    from distributed import Client

    X, y = rows()
    cluster = Cluster(tmp_path)
    try:
        workers = [cluster.worker() for _ in range(4)]
        with Client(cluster.address) as client:
            client.wait_for_workers(4, timeout=300)
            rounds = []

            def lose_one(progress):
                rounds.append(progress)
                if len(rounds) == 2:
                    workers[0].send_signal(signal.SIGKILL)

            with joblib.parallel_config("dask"):
                there = fitted(X, y, lose_one)
            assert len(client.ncores()) == 3
    finally:
        cluster.close()
    assert len(rounds) > 2
    assert content(there) == content(fitted(X, y))


def test_the_best_are_tuned_before_they_migrate():
    """Offspring are tuned one gene at a time; on their way to the next island the best are tuned as a whole."""
    X, y = rows()
    problem = Problem.of(X, y, None)
    islands = Islands(Task(problem, default_settings(), Workers(1), None), None)
    islands.settle(np.random.default_rng(0))
    islands.round(5)
    bests = [island.best for island in islands.large]
    for island, best in zip(islands.large, bests[-1:] + bests[:-1], strict=True):
        arrived = max(model.fitness for model in island.immigrants)
        assert arrived > best.fit(islands.data).fitness
        assert islands.front.best.fitness >= arrived


def test_islands_on_other_rows_begin_with_what_was_tuned_for_them():
    """Before, they took a third of a run to come to where the front was."""
    X, y = rows()
    problem = Problem.of(X, y, None)
    islands = Islands(Task(problem, default_settings(), Workers(1), None), np.arange(150))
    islands.settle(np.random.default_rng(0))
    islands.round(5)
    islands.move(None, np.inf, 3)
    best = sorted(islands.front, key=lambda c: -c.fitness)[:3]
    for island in islands.large:
        assert [model.genes for model in island.immigrants] == [c.individual.genes for c in best]


def test_short_formulas_of_large_islands_reach_the_island_for_short_ones():
    """As they are where they are fitter than its own, and the genes of the best of several sizes."""
    X, y = rows()
    problem = Problem.of(X, y, None)
    islands = Islands(Task(problem, default_settings(), Workers(1), None), None)
    islands.settle(np.random.default_rng(0))
    islands.round(1)
    better = Individual(["sin(x0)*x1", "x2*x2"], 0.0, [1.0, 1.0]).fit(islands.user_data)
    assert better.fitness > max(c.fitness for c in islands.short if c.complexity <= 40)
    islands.offer([as_emigrant(better, problem).fit(islands.data)])
    islands.round(1)
    [short] = [island for island in islands.populations if island.short]
    arrived = [model.fit(islands.user_data).fitness for model in short.immigrants]
    assert max(arrived) >= better.fitness - 1e-9
    genes = sum(len(c.individual.genes) for c in fittest_up_to(islands.front, (np.inf, *MIDDLE_SIZES)))
    assert len(arrived) >= genes


def test_the_fittest_up_to_each_size_come_once():
    model = Individual(["x0"], 0.0, [1.0])
    front = [Candidate(model, fitness, size) for size, fitness in ((5, 0.5), (50, 0.8), (300, 0.9))]
    assert [c.complexity for c in fittest_up_to(front, (np.inf, 240, 120, 1))] == [300, 50]


def test_more_is_asked_of_models_where_no_rows_are_held_out():
    """Terms may cancel while islands explore, and must not on the rows that the result is made of."""
    X, y = rows(400)
    many = Problem.of(X, y, None)
    islands = Islands(Task(many, default_settings(), Workers(1), None), many.search_rows)
    assert islands.ground.exploring
    islands.settle(np.random.default_rng(0))
    islands.round(1)
    islands.move(many.finish_rows, np.inf, 1)
    assert not islands.ground.exploring
    few = Problem.of(X[:100], y[:100], None)
    assert not Islands(Task(few, default_settings(), Workers(1), None), few.search_rows).ground.exploring
