"""The front: best model per complexity, of anything in any order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multigene._engine import Dataset, Individual, Population, Workers
from multigene.evolution.pareto import ParetoFront
from multigene.settings.settings import Genes

MODEL = Individual(["x0"], 0.0, [1.0])


class Given:
    """A population of one."""

    def model(self, index):
        return MODEL


def offer(front, fitness, complexity):
    """Offer a model to a front as a run does."""
    front.update(Given(), np.array([fitness]), np.array([complexity], dtype=np.uint64))


def offered(pairs):
    """A front to which models of (fitness, complexity) were offered."""
    front = ParetoFront()
    for fitness, complexity in pairs:
        offer(front, fitness, complexity)
    return front


@given(
    st.lists(
        st.tuples(st.sampled_from([-np.inf, np.nan, -5.0, 0.0, 0.2, 0.5, 0.9, 1.0]), st.integers(1, 8)),
        max_size=30,
    )
)
def test_front_is_what_nothing_beats(pairs):
    front = offered(pairs)
    usable = [(f, c) for f, c in pairs if np.isfinite(f)]
    expected = sorted(
        {(c, f) for f, c in usable if not any((g >= f and d < c) or (g > f and d <= c) for g, d in usable)}
    )
    assert [(m.complexity, m.fitness) for m in front] == expected
    assert len(front) == len(expected)
    if usable:
        assert front.best in list(front)
        assert front.best.fitness == max(f for f, _ in usable)
    else:
        assert front.best is None


def test_update_says_whether_the_best_improved():
    front = ParetoFront()
    assert front.add(MODEL, 0.5, 10)
    assert not front.add(MODEL, 0.4, 3)
    assert not front.add(MODEL, 0.5, 7)  # as good and simpler: the best, but no improvement of R²
    assert front.best.complexity == 7
    assert front.add(MODEL, 0.6, 20)
    assert [m.complexity for m in front] == [3, 7, 20]


@pytest.mark.parametrize("seed", range(3))
def test_front_of_a_population(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 2))
    data = Dataset(X, X[:, 0] ** 2 + X[:, 1])
    population = Population.grow(Genes(), 2, rng.integers(2**62, size=80).tolist(), Workers(1))
    fitness, complexity = population.evaluate(data)
    front = ParetoFront()
    assert front.update(population, fitness, complexity)
    assert not front.update(population, fitness, complexity)
    members = list(front)
    assert [m.complexity for m in members] == sorted({m.complexity for m in members})
    assert (np.diff([m.fitness for m in members]) > 0.0).all()
    assert members[-1].fitness == fitness.max() == front.best.fitness
    for member in members:
        assert member.individual.fit(data).fitness == pytest.approx(member.fitness, abs=1e-9)
        assert member.individual.complexity == member.complexity


PAIRS = st.lists(st.tuples(st.sampled_from([-5.0, 0.0, 0.2, 0.5, 0.9, 1.0]), st.integers(1, 8)), max_size=15)


@given(PAIRS, PAIRS, PAIRS)
def test_fronts_that_went_apart_come_together_as_one(before, left, right):
    shared, one, other = offered(before), ParetoFront(), ParetoFront()
    for front, pairs in ((one, left), (other, right)):
        front.follow(shared)
        for fitness, complexity in pairs:
            offer(front, fitness, complexity)
    untouched = [(m.fitness, m.complexity) for m in shared]
    assert untouched == [(m.fitness, m.complexity) for m in offered(before)]
    for front in (one, other):
        shared.merge(front)
    whole = offered([*before, *left, *right])
    assert [(m.fitness, m.complexity) for m in shared] == [(m.fitness, m.complexity) for m in whole]
    assert (shared.best is None) == (whole.best is None)
    assert shared.best is None or shared.best.fitness == whole.best.fitness


def test_what_the_guard_refuses_is_not_remembered_without_end():
    front = ParetoFront(lambda model: False)
    for i in range(25):
        fitness = 0.5 + 1e-6 * np.arange(1000 * i, 1000 * (i + 1))
        front.update(Given(), fitness, np.full(1000, 5, dtype=np.uint64))
    assert len(front) == 0
    assert len(front.refused) <= 10_000


def test_a_refused_model_is_not_asked_for_again():
    asked = []
    front = ParetoFront(lambda model: asked.append(model))
    for _ in range(3):
        offer(front, 0.5, 5)
    assert len(asked) == 1
