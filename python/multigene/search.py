"""The product's own search, beyond the paper: several populations as islands, one front, one guard.

An island is the paper's loop (`evolution.evolve`) with settings of its own. Work is shared between islands in rounds of
generations, by count and never by the clock, so that a run limited by generations is the same on any machine. A codename of the
paper is simply one island without anything added; `search` is what `MultigeneRegressor()` without a codename runs:

    explore   islands evolve on part of the rows; the best of each migrate in a ring
    judge     rows that no island saw decide how large a formula may be
    finish    islands evolve on all rows; the best formula of that size, tuned once more, is the result
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from multigene._engine import Dataset, Individual, Workers
from multigene.evolution import Generation, evolve
from multigene.judge import Verdict, judge
from multigene.linear import linear_models
from multigene.pareto import Member, ParetoFront
from multigene.problem import Problem
from multigene.settings import Genes, Refinement, Search, Selection, Settings, Stopping, Variation, function_entries

#: Functions of the approximators: the paper's, without poles (LAB: division brings spikes and no accuracy).
APPROXIMATOR_FUNCTIONS = (
    "add", "sub", "mul", "sin", "cos", "exp", "logistic", "tanh", "sinc", "softplus", "gauss", "pow2", "pow3",
)  # fmt: skip


def default_settings() -> Settings:
    """Settings of the default search: those of one approximating island, and how islands are arranged."""
    return Settings(
        genes=Genes(
            functions=function_entries({name: 2.0 if name in ("add", "sub", "mul") else 1.0 for name in APPROXIMATOR_FUNCTIONS}),
            max_genes=10,
            max_depth=7,
            max_nodes=30,
            initial_depth=4,
            mutation_depth=4,
            variable_frequency=4.5,
            lcf_frequency=4.5,
            constant_frequency=1.0,
            constant_range=(-3.0, 3.0),
            lcf="unsynchronised",
            lcf_birth="sparse",
        ),
        selection=Selection(population_size=50, tournament_size=5, elites=8, criterion="gcv"),
        variation=Variation(
            constant_mutation=0.05,
            weights_mutation=0.15,
            weights_sigma=0.5,
            more_mutations=(("sparsity", 0.15), ("add_gene", 0.07), ("delete_gene", 0.05)),
        ),
        refinement=Refinement(),
        stopping=Stopping(generations=400),
        search=Search(),
    )


@dataclass
class Island:
    """One population on its way."""

    settings: Settings
    generations: Iterator[Generation]
    immigrants: list[Individual] = field(default_factory=list)
    last: Generation | None = None

    def advance(self, number: int) -> Generation:
        """Evolve for some generations."""
        for _ in range(number):
            self.last = next(self.generations)
        assert self.last is not None
        return self.last


@dataclass(frozen=True)
class Report:
    """Where a search stands after a round."""

    number: int
    front: ParetoFront
    evaluations: int
    phase: str


class Searcher:
    """Runs a search on a problem; `result()` may be asked for at any time."""

    def __init__(self, problem: Problem, settings: Settings, rng: np.random.Generator, workers: Workers) -> None:
        assert settings.search is not None
        self.problem, self.settings, self.options = problem, settings, settings.search
        self.rng, self.workers = rng, workers
        self.guard: Callable[[Individual], bool] | None = problem.behaves if self.options.guard else None
        self.verdict: Verdict | None = None
        self.data = problem.dataset(problem.search_rows)
        self.front = ParetoFront(self.guard)
        self.islands = self._settle(self.data)

    # --- phases -----------------------------------------------------------------------------------

    def explore(self, rounds: Callable[[int], bool]) -> Iterator[Report]:
        """Evolve on the rows for searching while `rounds(n)` says to go on."""
        number = 0
        while rounds(number):
            yield self._round(number, "explore")
            number += 1

    def judge(self) -> Verdict:
        """Let rows that no island saw decide how large a formula may be."""
        self.verdict = judge(self.problem, list(self.front), self.data)
        return self.verdict

    def finish(self, rounds: Callable[[int], bool]) -> Iterator[Report]:
        """Evolve on all rows, from where the islands are."""
        assert self.verdict is not None
        self.data = self.problem.dataset(self._all_rows())
        earlier = [self._polished(m.individual) for m in self.front if m.complexity <= self.verdict.most_nodes]
        self.front = ParetoFront(self.guard)
        for model in earlier:
            self._enter(model)
        self.islands = [self._moved(island) for island in self.islands]
        number = 0
        while rounds(number):
            yield self._round(number, "finish")
            number += 1

    def result(self) -> tuple[Member, list[Member]]:
        """The chosen model and the front, in the user's units, tuned on all rows."""
        if self.verdict is None:
            self.judge()
        verdict = self.verdict
        assert verdict is not None
        data = self.problem.dataset()
        allowed = [m for m in self.front if m.complexity <= verdict.most_nodes]
        members = []
        for member in self.front:
            fitted = self._polished(member.individual, data)
            members.append(self._in_user_units(fitted))
        constant = self._in_user_units(Individual(["0.0"], 0.0, [0.0]).fit(data))
        if not allowed or verdict.constant:
            return constant, [constant, *members]
        best = max(allowed, key=lambda m: m.fitness)
        chosen = members[list(self.front).index(best)]
        return chosen, [constant, *members]

    # --- islands ----------------------------------------------------------------------------------

    def _settle(self, data: Dataset) -> list[Island]:
        """Islands with first populations; the first one starts with the linear models."""
        islands = []
        for i in range(self.options.islands):
            rng = np.random.default_rng(self.rng.integers(2**63))
            settings = self._island_settings(i)
            immigrants: list[Individual] = []
            if self.options.linear and i == 0:
                rows = self.problem.search_rows
                Z = self.problem.standardised(self.problem.X[rows])
                immigrants.extend(linear_models(Z, self.problem.y[rows], data))
            generations = evolve(data, settings, rng, self.workers, immigrants=immigrants, front=self.front)
            islands.append(Island(settings, generations, immigrants))
        return islands

    def _island_settings(self, i: int) -> Settings:
        """Islands differ in how large individuals may be: from a few small genes to all that is allowed."""
        if not self.options.compact or i % 4 != 3:
            return self.settings
        genes = replace(self.settings.genes, max_genes=min(4, self.settings.genes.max_genes), max_nodes=15)
        return replace(self.settings, genes=genes, selection=replace(self.settings.selection, criterion="bic"))

    def _round(self, number: int, phase: str) -> Report:
        """Every island evolves for as many generations as lie between migrations; then the best move on in a ring."""
        for island in self.islands:
            island.advance(self.options.migration)
        bests = [self._best(island) for island in self.islands]
        for island, model in zip(self.islands, bests[-1:] + bests[:-1], strict=True):
            if model is not None and len(self.islands) > 1:
                island.immigrants.append(model)
        evaluations = sum(island.last.evaluations for island in self.islands if island.last)
        return Report(number, self.front, evaluations, phase)

    def _best(self, island: Island) -> Individual | None:
        assert island.last is not None
        i = int(np.argmax(island.last.fitness))
        return island.last.population.model(i) if np.isfinite(island.last.fitness[i]) else None

    def _moved(self, island: Island) -> Island:
        """The island's population on other rows."""
        assert island.last is not None
        island.last.population.forget()
        fitness, complexity = island.last.population.evaluate(self.data, island.settings.selection.by)
        start = replace(island.last, front=self.front, fitness=fitness, complexity=complexity)
        self.front.update(start.population, start.population.peaks(), complexity)
        immigrants: list[Individual] = []
        generations = evolve(self.data, island.settings, start.rng, self.workers, start=start, immigrants=immigrants)
        return Island(island.settings, generations, immigrants, start)

    # --- models -----------------------------------------------------------------------------------

    def _all_rows(self) -> np.ndarray:
        """Rows for searching and judging together: all of them unless there are very many."""
        return np.sort(np.concatenate([self.problem.search_rows, self.problem.judge_rows]))[: 2 * len(self.problem.search_rows)]

    def _polished(self, individual: Individual, data: Dataset | None = None) -> Individual:
        """Tuned once more, all genes together."""
        data = self.data if data is None else data
        refinement = replace(self.settings.refinement or Refinement(), iterations=10, gain=1e-6)
        refined = individual.refine(data, refinement)
        plain = individual.fit(data)
        ok = np.isfinite(refined.fitness) and (self.guard is None or self.guard(refined))
        return refined if ok and refined.fitness >= plain.fitness else plain

    def _enter(self, individual: Individual) -> None:
        if np.isfinite(individual.fitness) and (self.guard is None or self.guard(individual)):
            known = [m for m in self.front if m.complexity <= individual.complexity]
            if all(m.fitness < individual.fitness for m in known):
                self.front.add(individual, individual.fitness, individual.complexity)

    def _in_user_units(self, individual: Individual) -> Member:
        return Member(self.problem.in_user_units(individual), individual.fitness, individual.complexity)
