"""Few rows: the search is rehearsed on parts of them, so that every row judges models that have not seen it.

With a few hundred rows a part kept apart is too small to judge by, and scores of models whose structure was found on the judging
rows look better than they are. So before the search proper, the same search runs for a short while on four fifths of the rows,
five times over; the models it comes to predict the fifth left out. What the *search* is worth on rows it has not seen decides
whether it is worth its while at all, or a ridge regression is, or the mean (`judge.judge_few`), and how large a formula may be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from multigene.evolution.pareto import Member
from multigene.search.linear import Ridge
from multigene.search.problem import FEW_ROWS, Problem

if TYPE_CHECKING:
    from multigene.search.searcher import Report, Searcher

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]

#: Parts of the rows, each left out in one rehearsal.
PARTS = 5
#: Share of a run's time that one rehearsal takes, and of its generations (those come on top of the run's own).
SHARE, GENERATIONS, FEWEST_GENERATIONS = 0.08, 1 / 8, 10
#: With fewer different rows than this nothing can be judged.
FEWEST_ROWS = 20
#: Parts for ridge regressions, which cost nothing.
RIDGE_PARTS = 10


def few_rows(problem: Problem) -> bool:
    """Too few rows to keep some of them apart?"""
    return len(problem.y) < FEW_ROWS and len(problem.judge_rows) == 0


def parts(problem: Problem, n: int = PARTS) -> list[Rows]:
    """Rows that are left out together, part by part; equal rows are never apart. None where nothing can be judged."""
    counted = np.arange(len(problem.y)) if problem.weights is None else np.flatnonzero(problem.weights > 0.0)
    distinct, number = np.unique(problem.X[counted], axis=0, return_inverse=True)
    if len(distinct) < FEWEST_ROWS or np.ptp(problem.y[counted]) == 0.0:
        return []
    part_of = np.random.default_rng(len(distinct)).permutation(len(distinct)) % n
    return [counted[part_of[number.reshape(-1)] == part] for part in range(n)]


def without(problem: Problem, part: Rows) -> Problem:
    """The problem of a rehearsal: nothing of it has seen the rows of the part, not even means and scales."""
    rest = np.setdiff1d(np.arange(len(problem.y)), part)
    weights = None if problem.weights is None else problem.weights[rest]
    scaled = bool(np.any(problem.scales != 1.0) or np.any(problem.means != 0.0))
    return Problem.of(problem.X[rest], problem.y[rest], weights, standardise=scaled)


def rehearse(search: Searcher, share: Callable[[], float]) -> Iterator[Report]:
    """The search on all but one part of the rows, part by part; models of its front predict the part left out.

    `search.understudy` is the rehearsal under way, `search.rehearsals` are those done.
    """
    limit = search.settings.stopping.generations
    most = np.inf if limit is None else max(FEWEST_GENERATIONS, GENERATIONS * limit)
    for part in search.parts[len(search.rehearsals) :]:
        until = share() + SHARE
        study = search.understudy = search.understudy or understudy(search, part)
        while study.number < most and share() < until and not study.explained():
            yield replace(study.round(), phase="rehearse")
        front = list(study.front)
        if share() >= 1.0 or not front:
            return
        search.rehearsals.append(Rehearsal.of(search.problem, part, study.problem, front, study.number))
        search.understudy = None


def understudy(search: Searcher, part: Rows, saved: dict[str, Any] | None = None) -> Searcher:
    """The search without a part of the rows; it only approximates."""
    settings = search.settings.changed(looks_for="accuracy", holdout=0.0)
    rng = np.random.default_rng(0 if saved else search.rng.integers(2**63))
    return type(search)(without(search.problem, part), settings, rng, search.workers, saved)


def unseen_ridge(problem: Problem) -> Floats:
    """What ridge regressions predict for rows that they have not seen."""
    predicted = np.zeros(len(problem.y))
    for part in parts(problem, RIDGE_PARTS):
        rest = without(problem, part)
        weights = np.ones(len(rest.y)) if rest.weights is None else rest.weights
        line = Ridge.fitted(rest.standardised(rest.X), rest.y, weights)
        predicted[part] = line.predict(rest.standardised(problem.X[part]))
    return predicted


@dataclass(frozen=True)
class Rehearsal:
    """What models of one rehearsal predict for the rows left out, smallest model first."""

    part: Rows
    complexities: list[int]
    predictions: Floats
    """One row per model."""
    mean: float
    generations: int

    @staticmethod
    def of(problem: Problem, part: Rows, rehearsed: Problem, members: Sequence[Member], n: int) -> Rehearsal:
        """The models of a front after `n` generations, and the mean of the rows that were not left out."""
        Z = rehearsed.standardised(problem.X[part])
        predictions = np.array([m.individual.predict(Z) for m in members]).reshape(len(members), len(part))
        unit = np.abs(rehearsed.y).max() or 1.0
        mean = unit * float(np.average(rehearsed.y / unit, weights=rehearsed.weights))
        return Rehearsal(part, [m.complexity for m in members], predictions, mean, n)

    def up_to(self, complexity: int) -> Floats:
        """Predictions of the fittest model of at most this size: fronts grow fitter with size."""
        allowed = [i for i, c in enumerate(self.complexities) if c <= complexity]
        return np.asarray(self.predictions[allowed[-1]]) if allowed else np.full(len(self.part), self.mean)

    def packed(self) -> list[Any]:
        """As plain values, without loss."""
        predictions = [[v.hex() for v in row] for row in self.predictions.tolist()]
        return [self.part.tolist(), self.complexities, predictions, self.mean.hex(), self.generations]

    @staticmethod
    def unpacked(values: list[Any]) -> Rehearsal:
        """The rehearsal of its plain values."""
        part, complexities, predictions, mean, generations = values
        rows = np.array(part, dtype=np.intp)
        numbers = np.array([[float.fromhex(v) for v in row] for row in predictions])
        shaped = numbers.reshape(len(complexities), len(rows))
        return Rehearsal(rows, [int(c) for c in complexities], shaped, float.fromhex(mean), int(generations))
