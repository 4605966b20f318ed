"""One restart of the law search: the paper's loop for some generations, every new best tuned in full, hill climbing at the end.

`restarts.py` decides what a restart works on and for how long; here is what it does beyond `evolution.evolve`. Work is counted in
evaluations and never by the clock, so a restart does the same on any machine and with any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from multigene._engine import Dataset, Individual, Population, Workers
from multigene.evolution.loop import Generation, evolve, seeds
from multigene.evolution.pareto import Candidate, ParetoFront
from multigene.laws.constants import (
    CLEARLY_LESS,
    CLIMB_BATCH,
    CLIMB_SHARE,
    CREEPING,
    FOUND,
    FULL_STEPS,
    MORE_STEPS,
    NEAR_EXACT,
    PATIENCE,
    PROMISING,
    SHORT,
    USUAL,
)
from multigene.laws.rows import Columns
from multigene.laws.targets import Target
from multigene.settings.settings import Refinement, Seeking, Settings

#: Best models and evaluations.
Restarted = tuple[list[Candidate], int]


@dataclass(eq=False)
class Restart:
    """A restart that is decided on, a piece of work (`evolution/parallel.py`): where and when it runs makes no difference."""

    target: Target
    columns: Columns
    settings: Settings
    options: Seeking
    rng: np.random.Generator
    workers: Workers
    generations: int
    first: list[Individual]
    stop: Callable[[], bool]

    @property
    def expected(self) -> int:
        """Evaluations that it may take."""
        return USUAL * self.generations * self.settings.selection.population_size

    def work(self) -> Restarted:
        """Its best models and its evaluations; none if it is to stop before it begins."""
        return self.request().carried_out(self.workers, self.stop)

    def request(self) -> RestartRequest:
        """The same for another process."""
        return RestartRequest(
            self.columns, self.settings, self.options, self.rng, self.generations, self.first
        )

    def take(self, reply: Restarted) -> Restarted:
        """What another process has found is what would have been found here."""
        return reply


@dataclass(frozen=True)
class RestartRequest:
    """A restart as values that pickle."""

    columns: Columns
    settings: Settings
    options: Seeking
    rng: np.random.Generator
    generations: int
    first: list[Individual]

    def reply(self, workers: Workers) -> Restarted:
        """The restart in another process, which ends at the deadline of the run."""
        return self.carried_out(workers, lambda: workers.watch() == 0.0)

    def carried_out(self, workers: Workers, stop: Callable[[], bool]) -> Restarted:
        """The best models and the evaluations; none if it is to stop before it begins."""
        if stop():
            return [], 0
        data = Dataset(*self.columns)
        front, work = restart(
            data, self.settings, self.options, self.rng, workers, self.generations, self.first, stop
        )
        return list(front), work


def restart(
    data: Dataset,
    settings: Settings,
    options: Seeking,
    rng: np.random.Generator,
    workers: Workers,
    generations: int,
    first: list[Individual],
    stop: Callable[[], bool],
) -> tuple[ParetoFront, int]:
    """The best models of a restart, and the evaluations it took. Models of `first` are in the first population."""
    joining = list(first)
    last: Generation | None = None
    best, extra, creeping = -np.inf, 0, 0
    for generation in evolve(data, settings, rng, workers, immigrants=joining):
        last = generation
        if options.full_tuning and generation.fitness.max() > best:
            best = float(generation.fitness.max())
            extra += _tune_best(generation, data, settings, workers, joining)
        creeping += _leaves(generation.front) < CREEPING
        ends = generation.number + 1 >= generations or creeping > PATIENCE
        if ends or _leaves(generation.front) < FOUND or stop():
            break
    assert last is not None  # the loop of evolution has no end of its own
    work = last.evaluations + extra
    if options.climb and _leaves(last.front) >= FOUND and not stop():
        work += climb(last, data, settings, rng, int(CLIMB_SHARE * work), stop)
    return last.front, work


def _leaves(front: ParetoFront) -> float:
    """What the best model leaves unexplained."""
    return np.inf if front.best is None else 1.0 - front.best.fitness


def _tune_best(
    generation: Generation, data: Dataset, settings: Settings, workers: Workers, joining: list[Individual]
) -> int:
    """Tune all genes of the fittest together; what becomes of it enters the front and joins the next generation."""
    by, tuning = settings.selection, settings.refinement or Refinement()
    model, work = generation.population.model(int(generation.fitness.argmax())), 0
    for steps in (FULL_STEPS, MORE_STEPS):
        alone = Population.of([model], settings.genes, data.n_features, workers)
        alone.forget()  # what is evaluated is not tuned again
        work += alone.refine(data, replace(tuning, iterations=steps, all_genes=1.0, prune=0.0), by, None, [0])
        _, complexity = alone.evaluate(data, by)
        if not alone.model(0).fitness > model.fitness:
            break
        model = alone.model(0)
        generation.front.update(alone, alone.peaks(), complexity)
        joining[:] = [model]
        if 1.0 - model.fitness > NEAR_EXACT:
            break
    return work


def climb(
    generation: Generation,
    data: Dataset,
    settings: Settings,
    rng: np.random.Generator,
    budget: int,
    stop: Callable[[], bool],
) -> int:
    """Climb from one individual after the other while the budget lasts: the fittest, the most accurate, which may be larger than
    the price of size allows, then the others, fittest first. Returns the evaluations."""
    population, fitness, work = generation.population, generation.fitness, 0
    starts = [int(fitness.argmax()), int(population.peaks().argmax()), *np.argsort(-fitness, kind="stable")]
    for at in dict.fromkeys(int(start) for start in starts if np.isfinite(fitness[start])):
        if work >= budget or stop():
            break
        work += _climb_from(at, generation, data, settings, rng, budget - work, stop)
    return work


def _climb_from(
    at: int,
    generation: Generation,
    data: Dataset,
    settings: Settings,
    rng: np.random.Generator,
    budget: int,
    stop: Callable[[], bool],
) -> int:
    """Go to a fitter neighbour, again and again, up to a summit or the end of the budget.

    Neighbours differ in one place (`Population.neighbours`) and are tuned like offspring.
    """
    by, refinement = settings.selection, settings.refinement or Refinement()
    population = generation.population
    height, work, looked, order = float(generation.fitness[at]), 0, 0, seeds(rng, 1)[0]
    median = float(np.median(generation.fitness))
    race = min(median, height) if np.isfinite(median) else None
    while work < budget and not stop():
        around = population.neighbours(at, order, looked, CLIMB_BATCH)
        if len(around) == 0:
            break
        looked += len(around)
        work += around.refine(data, refinement, by, race, seeds(rng, len(around)))
        fitness, complexity = around.evaluate(data, by)
        generation.front.update(around, around.peaks(), complexity)
        if fitness.max() > height:
            population, at, looked, order = around, int(fitness.argmax()), 0, seeds(rng, 1)[0]
            height = float(fitness[at])
    return work


def worth_a_look(members: list[Candidate], known: dict[int, float]) -> list[Candidate]:
    """Of a restart's front: the smallest model that is promising, and what is clearly better than all models of its size before.

    `known` holds what those left unexplained, and learns what the chosen ones do.
    """
    chosen = [m for m in members if 1.0 - m.fitness < PROMISING][:1]
    best = max(members, key=lambda m: m.fitness, default=None)
    short = [m for m in members if m.complexity <= SHORT]
    for member in [*([best] if best is not None else []), *short[-1:]]:
        before = min((u for size, u in known.items() if size <= member.complexity), default=np.inf)
        if 1.0 - member.fitness < CLEARLY_LESS * before:
            chosen.append(member)
    for member in chosen:
        known[member.complexity] = min(known.get(member.complexity, np.inf), 1.0 - member.fitness)
    return list(dict.fromkeys(chosen))


def luby(i: int) -> int:
    """The Luby sequence 1, 1, 2, 1, 1, 2, 4, …: lengths of restarts without knowing how long a success takes."""
    k = i.bit_length()
    return 1 << (k - 1) if i == (1 << k) - 1 else luby(i - (1 << (k - 1)) + 1)
