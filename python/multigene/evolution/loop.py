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

from multigene._engine import Dataset, Individual, Population, Workers
from multigene.evolution import selection
from multigene.evolution.pareto import ParetoFront
from multigene.settings.settings import Settings, Tuning

Floats = npt.NDArray[np.float64]


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
    """State of the random generator after this generation; what is drawn from it later does not change it."""


def evolve(
    data: Dataset,
    settings: Settings,
    rng: np.random.Generator,
    workers: Workers,
    start: Generation | None = None,
    immigrants: list[Individual] | None = None,
    front: ParetoFront | None = None,
) -> Iterator[Generation]:
    """Evolve models of `data`, one generation per iteration, without end.

    grow a population of random individuals
    repeat: tune inner weights by gradient; fit outer coefficients and measure fitness; remember the best;
            keep the elites, select parents by tournament, breed the rest of the next generation

    `start` continues a run after the generation given. Models that the caller puts into `immigrants` join the next generation.
    `front` is where the best models are kept; several populations may share one.
    """
    size = settings.selection.population_size
    immigrants = [] if immigrants is None else immigrants
    fitness: Floats | None = None
    if start is None:
        front, number, evaluations = ParetoFront() if front is None else front, 0, 0
        population = Population.grow(settings.genes, data.n_features, seeds(rng, size), workers)
    else:
        front, number, evaluations = start.front, start.number + 1, start.evaluations
        rng.bit_generator.state = start.random_state
        fitness = start.fitness
        population = breed(start.population, fitness, start.complexity, settings, rng)
    while True:
        # Beyond the paper: migrants of other islands take the places of the first offspring.
        population.plant(immigrants, len(population) - offspring(settings) if number else 0)
        immigrants.clear()
        evaluations += tune(population, data, settings, rng, fitness, number)  # inner weights (section 3.2)
        fitness, complexity = population.evaluate(data, settings.selection)  # outer coefficients
        peaks = population.peaks()  # the best R² that each had while it was tuned
        front.update(population, peaks, complexity)
        if heeds_refusals(settings, front):
            fitness = front.without_refused(fitness, complexity, peaks)
        state = dict(rng.bit_generator.state)
        yield Generation(number, front, fitness, complexity, evaluations, population, state)
        population = breed(population, fitness, complexity, settings, rng)
        number += 1


def heeds_refusals(settings: Settings, front: ParetoFront) -> bool:
    """Beyond the paper: are models that the front refuses left without offspring? Otherwise their offspring take over: on ASN
    97 of 100 models that were better than the front were refused, and the front stood still for most of a run.

    Large models keep their offspring where other coefficients can make them keep a user's shapes; models that break a rule never
    do.
    """
    return settings.search is not None and bool(settings.selection.niche or settings.rules or not front.mends)


def offspring(settings: Settings) -> int:
    """How many individuals of a generation are bred, the elites not among them."""
    selected = settings.selection
    return selected.population_size - (0 if selected.niche else selected.elites)


def breed(
    population: Population,
    fitness: npt.NDArray[np.float64],
    complexity: npt.NDArray[np.uint64],
    settings: Settings,
    rng: np.random.Generator,
) -> Population:
    """The next generation: elites, and offspring of parents selected by tournament (section 2)."""
    if settings.selection.niche:  # beyond the paper
        survivors, parents = selection.size_niches(fitness, complexity, settings.selection, rng)
        return population.breed(parents, survivors, settings.variation, seeds(rng, len(parents)))
    elites = selection.best(fitness, settings.selection)
    parents = selection.tournament(fitness, settings.selection, rng)
    return population.breed(parents, elites, settings.variation, seeds(rng, len(parents)))


def tune(
    population: Population,
    data: Dataset,
    settings: Settings,
    rng: np.random.Generator,
    fitness: Floats | None,
    number: int = 0,
) -> int:
    """Tune inner weights as the settings say, in generation `number`; returns the number of evaluations."""
    tuning, size = settings.tuning, len(population)
    if settings.refinement is not None:
        return refine(population, data, settings, rng, fitness)
    if tuning is not None and number % tuning.tune_every:
        return size  # the paper tunes in every generation
    if settings.genes.lcf == "global":
        tune_shared(population, data, settings, rng)
    elif tuning is not None:
        population.tune(data, tuning)
    return size


def tune_shared(population: Population, data: Dataset, settings: Settings, rng: np.random.Generator) -> None:
    """Globally synchronised mode: steps of the one set of LCFs that all individuals share (section 3.3.3)."""
    variation, tuning = settings.variation, settings.tuning or Tuning()
    # Configuration GC: as many weights mutations as offspring undergo in the other modes, each moving all shared LCFs.
    mutations = rng.binomial(offspring(settings), variation.mutation * variation.weights_mutation)
    if mutations:
        population.perturb_shared(variation.weights_sigma, seeds(rng, mutations))
    population.evaluate(data, settings.selection)
    for _ in range(tuning.global_steps):
        population.tune_shared(data, tuning)


def refine(
    population: Population,
    data: Dataset,
    settings: Settings,
    rng: np.random.Generator,
    fitness: Floats | None,
) -> int:
    """Beyond the paper: Levenberg-Marquardt on what breeding changed; it ends early for offspring below the last median."""
    size = len(population)
    if settings.selection.distinct:
        population.diversify(settings.variation, seeds(rng, size))
    assert settings.refinement is not None
    known = np.array([]) if fitness is None else fitness[np.isfinite(fitness)]
    race = float(np.median(known)) if settings.refinement.race and len(known) else None
    return population.refine(data, settings.refinement, settings.selection, race, seeds(rng, size))


def seeds(rng: np.random.Generator, number: int) -> list[int]:
    """One seed per slot: what an individual becomes does not depend on threads."""
    drawn: list[int] = rng.integers(0, 2**63, size=number, dtype=np.int64).tolist()
    return drawn
