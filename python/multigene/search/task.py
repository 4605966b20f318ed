"""What a search is to do, and with what: problem, settings and threads, and what follows. It changes only by steering."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

from multigene._engine import Individual, Workers
from multigene.evolution.pareto import Candidate, Mending
from multigene.search.bans import Bans
from multigene.search.building import Building
from multigene.search.constants import MANY_ROWS
from multigene.search.folds import folds_of, very_few_rows
from multigene.search.guesses import Guess, tuned
from multigene.search.problem import Problem, Rows
from multigene.settings.settings import Refinement, Search, Settings


@dataclass
class Task:
    """One search: the problem, the settings, the threads."""

    problem: Problem
    settings: Settings
    workers: Workers
    generations: int | None
    """Generations after which the run ends, those before it was continued included; None for no such limit."""
    bans: Bans = field(default_factory=Bans)
    """What no model may use any more."""

    @property
    def options(self) -> Search:
        """How the search arranges its islands."""
        assert self.settings.search is not None
        return self.settings.search

    def guard(
        self, *, in_user_units: bool = False, exploring: bool = False
    ) -> Callable[[Individual], bool] | None:
        """What models of standardised features must pass, or models of the user's; the former less while islands explore."""
        keeper, building = self.problem.keeper, self.building
        if not in_user_units:
            building = replace(building, rules=building.rules.seen_by(self.problem.standardised))

        def allowed(individual: Individual) -> bool:
            return (
                self.bans.allow(individual)
                and building.allow(individual)
                and (keeper is None or keeper.keeps(individual, in_user_units=in_user_units))
            )

        if not self.options.guard:
            return allowed
        guard = self.problem.guard
        large = guard.behaves_exploring if exploring else guard.behaves
        behaves = guard.behaves_as_it_is if in_user_units else large
        return lambda individual: behaves(individual) and allowed(individual)  # the cheaper one refuses most

    def mending(self, rows: Rows | None, *, in_user_units: bool = False) -> Mending | None:
        """What makes a model keep the shapes that its user knows, by other coefficients; None where no shapes are known."""
        keeper, problem = self.problem.keeper, self.problem
        if keeper is None:
            return None

        def mended(individual: Individual) -> Candidate | None:
            found = keeper.mended(individual, rows, in_user_units=in_user_units)
            if found is None:
                return None
            model, fitness = found
            return Candidate(model, fitness, problem.size(model, in_user_units=in_user_units), in_user_units)

        return mended

    @cached_property
    def building(self) -> Building:
        """Rules that formulas keep."""
        return Building.of(self.settings, self.problem.rules)

    @property
    def refinement(self) -> Refinement:
        """How models are tuned once more."""
        return self.settings.refinement or Refinement()

    @property
    def round_length(self) -> int:
        """Generations between migrations."""
        migration = self.options.migration
        return min(migration, self.settings.stopping.generations or migration)

    @property
    def side_by_side(self) -> bool:
        """Do islands evolve at the same time? With many rows each of them has work for all threads."""
        return len(self.problem.y) <= MANY_ROWS

    @property
    def sees_all_rows(self) -> bool:
        """Do islands see every row in the end? Not where there are very many."""
        return len(self.problem.finish_rows) == len(self.problem.y)

    @cached_property
    def guesses(self) -> list[Guess]:
        """Formulas that the user has already, tuned on the rows for searching, in the user's units."""
        return tuned(self.problem, self.workers)

    @cached_property
    def folds(self) -> list[Rows]:
        """Rows that are left out together in the cross-validation of the whole search; none where rows are held out."""
        return folds_of(self.problem) if self.options.holdout and self.problem.few_rows else []

    @cached_property
    def very_few_rows(self) -> bool:
        """Are there too few rows to validate anything?"""
        return self.options.holdout > 0.0 and very_few_rows(self.problem)
