"""The front: the best model of every complexity over a whole run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual, Population
from multigene.evolution.constants import MOST_MENDED, MOST_REFUSED

#: A model with other coefficients that the guard allows, or None.
Mending = Callable[[Individual], "Candidate | None"]


@dataclass(frozen=True)
class Candidate:
    """One model of a front while a search goes on, in the units it evolves in: standardised features in most of the default
    search."""

    individual: Individual
    fitness: float
    complexity: int
    in_user_units: bool = False
    """Whether it evolves on the user's features as they are although others of the search do not."""


@dataclass(frozen=True)
class Member:
    """One model of the front that a user gets, in the user's units."""

    individual: Individual
    fitness: float
    complexity: int
    validation: float = nan
    """R² on rows held out, if any were."""
    source: str = "search"
    """Where it comes from: "search", or what made it later."""
    parts: tuple[tuple[str, str], ...] = ()
    """What stands in the gaps of a user's form: `f(a)` and its text, which has fewer digits than the model."""
    support: tuple[tuple[int, float], ...] = ()
    """For every column that it uses, the share of other searches (`search/stability.py`) whose formula of like size uses it."""


@dataclass(frozen=True)
class Known:
    """What a front knows, as values that pickle."""

    members: list[Candidate]
    refused: list[tuple[float, int]]


class ParetoFront:
    """Best model per complexity; `best` is the fittest of all. With a guard, only models that pass it may enter."""

    def __init__(
        self,
        guard: Callable[[Individual], bool] | None = None,
        beside: ParetoFront | None = None,
        *,
        largest: int | None = None,
        in_user_units: bool = False,
        mending: Mending | None = None,
    ) -> None:
        """`beside` is another front that sees the same populations: one trajectory, two rules of what may be the result. Models
        larger than `largest` may not enter. `mending` may make models enter that the guard refuses."""
        self._mending = mending
        self._largest, self._in_user_units = largest, in_user_units
        self._members: dict[int, Candidate] = {}
        self._guard = guard
        self._beside = beside
        self._stairs = np.full(1, -np.inf)
        #: Fitness and complexity of models that the guard refused, the last ones.
        self.refused: dict[tuple[float, int], None] = {}
        self.best: Candidate | None = None

    def update(
        self, population: Population, fitness: npt.NDArray[np.float64], complexity: npt.NDArray[np.uint64]
    ) -> bool:
        """Take in what is better than what is known; True if the best model of all changed."""
        if self._beside is not None:
            self._beside.update(population, fitness, complexity)
        improved, tried = False, 0
        quality = settled(fitness)
        stairs = self._stairs[np.minimum(complexity.astype(np.intp), len(self._stairs) - 1)]
        worth = np.flatnonzero(np.isfinite(fitness) & (quality > stairs) & self._small_enough(complexity))
        for i in worth[np.argsort(-quality[worth], kind="stable")]:
            mark = (float(fitness[i]), int(complexity[i]))
            if quality[i] > self._stair(mark[1]) and mark not in self.refused:
                model = population.model(int(i))
                if self._guard is None or self._guard(model):
                    improved |= self.add(model, *mark)
                else:  # elites come again every generation
                    self.refused[mark] = None
                    if self._mending is not None and tried < MOST_MENDED:
                        tried += 1
                        improved |= self._mended(model)
        while len(self.refused) > MOST_REFUSED:
            del self.refused[next(iter(self.refused))]
        return improved

    @property
    def mends(self) -> bool:
        """May models that the guard refuses enter with other coefficients?"""
        return self._mending is not None

    def without_refused(
        self,
        fitness: npt.NDArray[np.float64],
        complexity: npt.NDArray[np.uint64],
        measured: npt.NDArray[np.float64],
    ) -> npt.NDArray[np.float64]:
        """Fitness with minus infinity for models that the guard refused, recognised by complexity and `measured` fitness."""
        marks = zip(measured.tolist(), complexity.tolist(), strict=True)
        return np.where([mark in self.refused for mark in marks], -np.inf, fitness)

    def _mended(self, model: Individual) -> bool:
        """Take in a model that was refused, with other coefficients, where those make it pass and it is better than what is
        known; True if it is the best of all."""
        found = None if self._mending is None else self._mending(model)
        if found is None or not self._small_enough(found.complexity):
            return False
        if not settled(np.array([found.fitness]))[0] > self._stair(found.complexity):
            return False
        return self.put(found) if self._guard is None or self._guard(found.individual) else False

    def _small_enough(self, complexity: Any) -> Any:
        return True if self._largest is None else complexity <= self._largest

    def _stair(self, complexity: int) -> float:
        """Best settled fitness of all models up to a complexity."""
        return float(self._stairs[min(complexity, len(self._stairs) - 1)])

    def add(self, individual: Individual, fitness: float, complexity: int) -> bool:
        """Put in one model and drop those it beats; True if it is the best of all."""
        return self.put(Candidate(individual, fitness, complexity, self._in_user_units))

    def put(self, member: Candidate) -> bool:
        """The same for a model that another front had, in either units."""
        fitness, complexity = member.fitness, member.complexity
        self._members[complexity] = member
        if complexity >= len(self._stairs):
            self._stairs = np.pad(self._stairs, (0, complexity + 1 - len(self._stairs)), mode="edge")
        self._stairs[complexity:] = np.maximum(self._stairs[complexity:], settled(np.array([fitness]))[0])
        for c in [c for c, m in self._members.items() if c > complexity and m.fitness <= fitness]:
            del self._members[c]
        best = self.best
        if best is None or (fitness, -complexity) > (best.fitness, -best.complexity):
            self.best = member
        return best is None or fitness > best.fitness

    def offer(self, individual: Individual, complexity: int) -> None:
        """Put in a model of no population, if it passes the guard and is fitter than all that are no larger."""
        if not np.isfinite(individual.fitness) or not self._small_enough(complexity):
            return
        if all(m.fitness < individual.fitness for m in self if m.complexity <= complexity):
            if self._guard is None or self._guard(individual):
                self.add(individual, individual.fitness, complexity)
            else:
                self._mended(individual)

    def merge(self, other: ParetoFront) -> None:
        """Take in what is better in another front; its guard is taken to be the same."""
        for member in other:
            known = self._members.get(member.complexity) is member
            if not known and settled(np.array([member.fitness]))[0] > self._stair(member.complexity):
                self.put(member)

    def follow(self, other: ParetoFront) -> None:
        """Know what another front knows, and nothing else; what was refused stays refused."""
        self._members, self._stairs, self.best = dict(other._members), other._stairs.copy(), other.best

    def known(self) -> Known:
        """All that it knows, for a front in another process."""
        return Known(list(self), list(self.refused))

    def take(self, known: Known) -> None:
        """Know this and nothing else. Models that are here already stay the same objects."""
        mine = self._members
        self._members, self._stairs, self.best = {}, np.full(1, -np.inf), None
        self.refused = dict.fromkeys(known.refused)
        for member in known.members:
            before = mine.get(member.complexity)
            same = before is not None and before.fitness == member.fitness
            self.put(before if same and before is not None else member)

    def __iter__(self) -> Iterator[Candidate]:
        return iter(sorted(self._members.values(), key=lambda m: m.complexity))

    def __len__(self) -> int:
        return len(self._members)


def settled(fitness: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Fitness without the digits that only rounding decides: unexplained variance in single precision, and no less than 1e-15."""
    return 1.0 - np.clip(1.0 - fitness, 1e-15, 1e30).astype(np.float32).astype(np.float64)


def with_member(members: list[Member], member: Member) -> list[Member]:
    """The members with this one among them, smallest first."""
    if any(m is member for m in members):
        return members
    return sorted([*members, member], key=lambda m: m.complexity)


M = TypeVar("M", Candidate, Member)


def non_dominated(members: Sequence[M]) -> list[M]:
    """Models that no other one beats in both fitness and complexity, smallest first."""
    kept: list[M] = []
    for member in sorted(members, key=lambda m: (m.complexity, -m.fitness)):
        if not kept or member.fitness > kept[-1].fitness:
            kept.append(member)
    return kept


def fittest_up_to(members: Iterable[M], sizes: Iterable[float]) -> list[M]:
    """The fittest model of at most each size, every one once."""
    known, found = list(members), list[M]()
    for most in sizes:
        best = max((m for m in known if m.complexity <= most), key=lambda m: m.fitness, default=None)
        if best is not None and not any(best is other for other in found):
            found.append(best)
    return found
