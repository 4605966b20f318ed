"""The loop beyond the paper: what may not enter the front has no offspring, and a generation holds no structure twice."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from multigene._engine import Dataset, Workers
from multigene.evolution.loop import evolve, heeds_refusals
from multigene.evolution.pareto import ParetoFront
from multigene.settings.defaults import default_settings
from multigene.settings.paper import configuration


def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    return Dataset(X, np.sin(X[:, 0]) * X[:, 1] + 0.3 * X[:, 2] + 0.1 * rng.normal(size=200))


def without_x1(individual):
    """Refuses what explains most of the target."""
    return "x1" not in " ".join(individual.genes)


def generations(settings, front, number):
    rng = np.random.default_rng(1)
    return list(islice(evolve(rows(), settings, rng, Workers(1), front=front), number))


@pytest.mark.parametrize("criterion", ["r2", "gcv"])
def test_what_may_not_enter_the_front_has_no_offspring(criterion):
    """Else the population would be made of what is refused, and the front stand still."""
    settings = default_settings().changed(population_size=30, criterion=criterion)
    front = ParetoFront(without_x1)
    last = generations(settings, front, 15)[-1]
    best = int(np.argmax(last.fitness))
    assert front.refused
    assert without_x1(last.population.model(best))
    living = np.isfinite(last.fitness)
    assert last.population.peaks()[living].max() <= front.best.fitness


def test_the_paper_knows_no_refusals():
    assert not heeds_refusals(configuration("UB"), ParetoFront(without_x1))


def test_large_models_that_can_be_mended_live_on():
    """Other coefficients may make their offspring keep a user's shapes; what breaks a rule cannot be helped."""
    mending = ParetoFront(without_x1, mending=lambda individual: None)
    assert not heeds_refusals(default_settings(), mending)
    assert heeds_refusals(default_settings().changed(rules=("exp at most 2",)), mending)


def test_no_structure_stands_twice_in_a_generation():
    """Islands that converged on one structure, whose refused variants they bred, stood still."""
    last = generations(default_settings(), ParetoFront(), 25)[-1]
    genes = [tuple(last.population.model(i).genes) for i in range(len(last.population))]
    assert len({shape(each) for each in genes}) >= 0.9 * len(genes)


def shape(genes):
    """Genes without their numbers."""
    return tuple("".join(c for c in gene if not c.isdigit() and c not in ".-+e ") for gene in genes)
