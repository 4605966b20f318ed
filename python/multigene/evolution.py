"""The generational loop of the paper: multi-gene genetic programming with linear combinations of features.

`evolve()` is a generator. It neither prints nor saves nor looks at a clock: whoever iterates over it does,
and may stop at any generation. Everything per row or per node happens in the engine's verbs `grow`, `tune`,
`evaluate` and `breed`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene import selection
from multigene._engine import Dataset, Population, Workers
from multigene.pareto import ParetoFront
from multigene.settings import Settings, Tuning


@dataclass(frozen=True)
class Generation:
    """What is known after a generation."""

    number: int
    front: ParetoFront
    fitness: npt.NDArray[np.float64]
    complexity: npt.NDArray[np.uint64]
    evaluations: int
    population: Population
    random_state: dict[str, Any]
    """State of the random generator after this generation, whatever has been drawn from it since."""


def evolve(
    data: Dataset,
    settings: Settings,
    rng: np.random.Generator,
    workers: Workers,
    start: Generation | None = None,
) -> Iterator[Generation]:
    """Evolve models of `data`, one generation per iteration, without end.

    grow a population of random individuals
    repeat: tune inner weights by gradient; fit outer coefficients and measure fitness; remember the best;
            keep the elites, select parents by tournament, breed the rest of the next generation

    `start` continues a run after the generation given.
    """
    size = settings.selection.population_size
    if start is None:
        front, number, evaluations = ParetoFront(), 0, 0
        population = Population.grow(settings.genes, data.n_features, seeds(rng, size), workers)
    else:
        front, number, evaluations = start.front, start.number + 1, start.evaluations
        rng.bit_generator.state = start.random_state
        population = breed(start.population, start.fitness, settings, rng)
    while True:
        tune(population, data, settings, rng)  # inner weights (section 3.2)
        fitness, complexity = population.evaluate(data)  # outer coefficients, training R²
        front.update(population, population.peaks(), complexity)
        evaluations += size
        state = dict(rng.bit_generator.state)
        yield Generation(number, front, fitness, complexity, evaluations, population, state)
        population = breed(population, fitness, settings, rng)
        number += 1


def breed(
    population: Population, fitness: npt.NDArray[np.float64], settings: Settings, rng: np.random.Generator
) -> Population:
    """The next generation: elites, and offspring of parents selected by tournament (section 2)."""
    elites = selection.best(fitness, settings.selection)
    parents = selection.tournament(fitness, settings.selection, rng)
    return population.breed(parents, elites, settings.variation, seeds(rng, len(parents)))


def tune(population: Population, data: Dataset, settings: Settings, rng: np.random.Generator) -> None:
    """Gradient tuning of LCF weights in the mode of the configuration (sections 3.2 and 3.3)."""
    tuning, variation = settings.tuning, settings.variation
    if settings.genes.lcf != "global":
        if tuning is not None:
            population.tune(data, tuning)
        return
    # Mutation of the one set of LCFs that all individuals share (configuration GC).
    if variation.weights_mutation > 0.0 and rng.random() < variation.weights_mutation:
        population.perturb_shared(variation.weights_sigma, int(seeds(rng, 1)[0]))
    population.evaluate(data)
    for _ in range((tuning or Tuning()).global_steps):
        population.tune_shared(data, tuning or Tuning())


def seeds(rng: np.random.Generator, number: int) -> list[int]:
    """One seed per slot: what an individual becomes does not depend on threads."""
    return [int(s) for s in rng.integers(0, 2**63, size=number, dtype=np.int64)]
