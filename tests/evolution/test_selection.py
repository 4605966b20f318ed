"""Tournament and elites: index arrays in, index arrays out."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.evolution import selection
from multigene.settings.settings import Selection


def test_elites_are_the_best_in_stable_order():
    fitness = np.array([0.1, 0.9, 0.5, 0.9, -np.inf, 0.5])
    assert selection.best(fitness, Selection(elites=4)) == [1, 3, 2, 5]
    assert selection.best(fitness, Selection(elites=0)) == []


def test_rounding_does_not_decide():
    fitness = np.array([0.5, 0.5 + 1e-12, 0.5 - 1e-12, 0.6])
    assert selection.best(fitness, Selection(elites=4)) == [3, 0, 1, 2]


def test_near_perfect_models_are_still_told_apart():
    """Single precision is that of what is unexplained, not of R²."""
    fitness = 1.0 - np.array([1e-9, 1e-10, 2e-10])
    assert selection.best(fitness, Selection(elites=3)) == [1, 2, 0]


@pytest.mark.parametrize("worst", [-np.inf, -1e300, -1e39])
def test_terrible_fitness_is_just_worst(worst):
    fitness = np.array([worst, 0.3, 0.2])
    assert selection.best(fitness, Selection(elites=3)) == [1, 2, 0]
    parents = selection.tournament(fitness, Selection(elites=0, tournament_size=30), np.random.default_rng(0))
    assert (parents == 1).all()


def test_tournament_shape_and_range():
    rng = np.random.default_rng(0)
    parents = selection.tournament(
        rng.random(20), Selection(population_size=20, elites=4, tournament_size=3), rng
    )
    assert parents.shape == (16, 2)
    assert parents.dtype == np.uint64
    assert parents.max() < 20


def test_tournament_probabilities():
    """With replacement: rank r of n wins a tournament of T with probability ((n-r)ᵀ - (n-r-1)ᵀ) / nᵀ."""
    n, size, rounds = 10, 3, 4000
    fitness = np.linspace(0.0, 0.9, n)
    settings = Selection(elites=0, tournament_size=size)
    rng = np.random.default_rng(1)
    won = np.concatenate([selection.tournament(fitness, settings, rng).ravel() for _ in range(rounds // n)])
    expected = np.diff((np.arange(n + 1) / n) ** size)
    found = np.bincount(won.astype(int), minlength=n) / len(won)
    assert np.abs(found - expected).max() < 4.0 * np.sqrt(0.25 / len(won))


def test_ties_go_to_the_earlier_drawn():
    """Among equals it is the draw that decides, so that all are chosen equally often, not the one with the lowest number."""
    rng = np.random.default_rng(2)
    won = selection.tournament(np.full(8, 0.5), Selection(elites=0, tournament_size=4), rng)
    again = np.random.default_rng(2).integers(8, size=(8, 2, 4))[:, :, 0]
    assert np.array_equal(won, again)


def test_same_generator_same_parents():
    fitness = np.random.default_rng(3).random(50)
    draws = [selection.tournament(fitness, Selection(), np.random.default_rng(4)) for _ in range(2)]
    assert np.array_equal(*draws)
