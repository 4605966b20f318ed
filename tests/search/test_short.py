"""The island for short formulas."""

from dataclasses import replace

import numpy as np
import pytest

from multigene import MultigeneRegressor
from multigene._engine import Individual, Workers
from multigene.evolution.selection import size_niches
from multigene.search.islands import Islands
from multigene.search.problem import Problem
from multigene.search.short import as_emigrant, as_immigrants, short_settings
from multigene.search.task import Task
from multigene.settings.defaults import default_settings
from multigene.settings.functions import function_entries
from multigene.settings.settings import Selection


@pytest.fixture
def problem() -> Problem:
    rng = np.random.default_rng(1)
    X = rng.uniform(1.0, 3.0, (500, 3)) * [1.0, 100.0, 0.01]
    y = 5.0 + 3.0 * np.tanh(X[:, 1] * X[:, 2]) / X[:, 0] + 0.1 * rng.normal(size=500)
    return Problem.of(X, y, None)


def test_survivors_lead_the_sizes_up_to_their_own() -> None:
    rng = np.random.default_rng(0)
    fitness, size = rng.uniform(size=300), rng.integers(3, 130, 300).astype(np.uint64)
    settings = Selection(population_size=400, niche=4, largest=110)
    survivors, parents = size_niches(fitness, size, settings, np.random.default_rng(0))
    fitter = [np.sum((size <= size[i]) & (fitness > fitness[i])) for i in range(300)]
    expected = {i for i in range(300) if fitter[i] < 4 and size[i] <= 110}
    assert set(survivors) == expected
    assert parents.shape == (400, 2)
    assert set(parents.ravel().tolist()) <= expected
    assert [fitness[i] for i in survivors] == sorted((fitness[i] for i in survivors), reverse=True)


def test_a_user_s_functions_are_kept(problem: Problem) -> None:
    own = default_settings().changed(functions=["add", "mul"])
    assert short_settings(own, problem).genes.functions == function_entries(["add", "mul"])
    names = [name for name, _, _ in short_settings(default_settings(), problem).genes.functions]
    assert "div" in names


def test_a_saturating_function_of_a_large_product_is_found() -> None:
    """tanh of values in the thousands is the same everywhere: without a factor to begin with, tuning finds no way."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0.1, 2.0, (300, 3)) * [2e4, 0.3, 5.0]
    y = np.tanh(3e-4 * X[:, 0] * X[:, 1] * X[:, 2]) + 0.01 * rng.normal(size=300)
    found = []
    for seed in range(3):
        islands = Islands(Task(Problem.of(X, y, None), default_settings(), Workers(1), None), None)
        island = islands.ground.island(True, Workers(1), [], rng=np.random.default_rng(seed))
        island.length = 15
        island.work()
        found.append(max(c.fitness for c in island.front if c.complexity <= 10))
    assert min(found) > 0.98, found


def test_models_travel_between_units(problem: Problem) -> None:
    model = Individual(["x0 * [1: 0.5 + 2.0*x1]", "tanh(x2)"], 0.5, [2.0, 3.0])
    there = as_emigrant(model, problem)
    expected = model.predict(problem.X)
    assert np.allclose(there.predict(problem.standardised(problem.X)), expected)
    genes = as_immigrants(there, problem)
    assert np.allclose(0.5 + 2.0 * genes[0].predict(problem.X) + 3.0 * genes[1].predict(problem.X), expected)


def test_the_island_has_a_front_of_its_own_and_its_share_of_the_work(problem: Problem) -> None:
    task = Task(problem, default_settings(), Workers(1), None)
    islands = Islands(task, problem.search_rows)
    islands.settle(np.random.default_rng(0))
    assert [island.short for island in islands.populations] == [False, False, False, True]
    islands.round()
    assert len(islands.short) > 3
    assert all(c.in_user_units for c in islands.short)
    for candidate in islands.short:
        assert candidate.complexity == candidate.individual.printed_size() <= 110
        assert problem.predicted(candidate, problem.X).shape == problem.y.shape
    without = replace(default_settings(), search=replace(task.options, short=False))
    assert not any(Islands(replace(task, settings=without), problem.search_rows)._kinds)


def test_islands_begin_with_what_is_known_already(problem: Problem) -> None:
    islands = Islands(Task(problem, default_settings(), Workers(1), None), problem.search_rows)
    large = [Individual([gene], 0.0, [1.0]) for gene in ("x0 * x1", "exp(x2)", "x0 * x2", "x1 + x2")]
    short = [Individual(["x1 * x2"], 0.0, [1.0]), Individual(["log(x0 - 100.0)"], 0.0, [1.0])]
    islands.settle(np.random.default_rng(0), large, short)
    of_islands = [island.immigrants for island in islands.populations]
    assert len(of_islands[0]) == len(islands.linear) + 2
    assert [len(each) for each in of_islands[1:]] == [1, 1, 1]  # what has no value is left out
    best = max(model.fit(problem.user_dataset(problem.search_rows)).fitness for model in large)
    assert islands.front.best is not None
    assert islands.front.best.fitness >= best - 1e-9
    assert len(islands.short) > 0


def test_short_formulas_reach_the_user(problem: Problem) -> None:
    model = MultigeneRegressor(generations=20, random_state=0, search="accuracy").fit(problem.X, problem.y)
    short = model.equations_.query("complexity <= 20")
    assert short["r2"].max() > 0.9


@pytest.mark.parametrize("limit", [1, 8, 15])
def test_no_formula_is_larger_than_the_user_allows(problem: Problem, limit: int) -> None:
    model = MultigeneRegressor(generations=10, random_state=0, max_size=limit).fit(problem.X, problem.y)
    assert max(listed.formula.size for listed in model.fitted_.front.listed) <= limit
    assert model.formula_.size <= limit
    if limit == 15:
        assert model.r2_ > 0.8


def test_a_limit_belongs_to_the_default_search(problem: Problem) -> None:
    with pytest.raises(ValueError, match="max_size=10 belongs to the default search"):
        MultigeneRegressor("UB", max_size=10).fit(problem.X, problem.y)
    with pytest.raises(ValueError, match="max_size"):
        MultigeneRegressor(max_size=0).fit(problem.X, problem.y)
