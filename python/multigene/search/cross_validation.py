"""Cross-validation of the whole search, for few rows: every row is predicted by models whose search has not seen it.

With a few hundred rows a part held out is too small to decide by, and scores of models whose structure was found on the same
rows look better than they are. So before the search proper, the same search runs for a short while on four fifths of the rows,
five times over; the models it comes to predict the fifth left out. What the *search* is worth on rows it has not seen decides
whether a formula is chosen at all, or a ridge regression, or the mean, and how large a formula may be (`validation.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.evolution import checkpoint
from multigene.evolution.pareto import Candidate, non_dominated
from multigene.search.constants import EXPLAINED, FOLD_GENERATIONS, FOLD_SHARE
from multigene.search.folds import without
from multigene.search.islands import Islands
from multigene.search.problem import Problem, Rows, best_constant
from multigene.search.progress import Step
from multigene.search.stability import columns_of
from multigene.search.task import Task

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class FoldResult:
    """What models of the search without one fold predict for that fold, smallest model first."""

    rows: Rows
    complexities: list[int]
    predictions: Floats
    """One row per model."""
    mean: float
    generations: int
    columns: Sequence[frozenset[int]] = ()
    """Columns that each model uses; none in states that earlier programs saved."""

    @staticmethod
    def of(
        problem: Problem, rows: Rows, rest: Problem, candidates: Sequence[Candidate], generations: int
    ) -> FoldResult:
        """The models of a front after some generations, and the mean of the rows that were not left out."""
        predictions = np.array([rest.predicted(c, problem.X[rows]) for c in candidates])
        mean = best_constant(rest, np.arange(len(rest.y)))
        shaped = predictions.reshape(len(candidates), len(rows))
        columns = [columns_of(c.individual) for c in candidates]
        return FoldResult(rows, [c.complexity for c in candidates], shaped, mean, generations, columns)

    def up_to(self, complexity: int) -> Floats:
        """Predictions of the fittest model of at most this size: fronts grow fitter with size."""
        allowed = [i for i, c in enumerate(self.complexities) if c <= complexity]
        return np.asarray(self.predictions[allowed[-1]]) if allowed else np.full(len(self.rows), self.mean)

    def packed(self) -> list[Any]:
        """As plain values, without loss."""
        predictions = [[v.hex() for v in row] for row in self.predictions.tolist()]
        columns = [sorted(each) for each in self.columns]
        return [
            self.rows.tolist(), self.complexities, predictions, self.mean.hex(), self.generations, columns
        ]  # fmt: skip

    @staticmethod
    def unpacked(values: list[Any]) -> FoldResult:
        """The result of its plain values."""
        rows, complexities, predictions, mean, generations, *more = values
        left_out = np.array(rows, dtype=np.intp)
        numbers = np.array([[float.fromhex(v) for v in row] for row in predictions])
        shaped = numbers.reshape(len(complexities), len(left_out))
        return FoldResult(
            left_out,
            [int(c) for c in complexities],
            shaped,
            float.fromhex(mean),
            int(generations),
            [frozenset(map(int, each)) for each in (more[0] if more else ())],
        )


@dataclass(frozen=True)
class FoldModel:
    """A model of the search without a fold, in the user's units, and whether an island for short formulas has found it."""

    model: Individual
    short: bool


class CrossValidation:
    """The folds that are done, and the islands of the one under way."""

    def __init__(self) -> None:
        self.results: list[FoldResult] = []
        self.under_way: Islands | None = None
        self.models: list[FoldModel] = []
        """Models of the fronts of folds that are done: what is left if the others are not, and what the search proper begins
        with."""

    def run(
        self, task: Task, rng: np.random.Generator, share: Callable[[], float], least: int
    ) -> Iterator[Step]:
        """The search on all rows but one fold, fold by fold; models of its front predict the fold left out.

        Without a time limit each fold takes a share of the run's generations, and at least `least`.
        """
        limit = task.generations
        most = np.inf if limit is None else max(least, FOLD_GENERATIONS * limit)
        for rows in task.folds[len(self.results) :]:
            until = share() + FOLD_SHARE
            islands = self.under_way = self.under_way or _begun(task, rows, rng)
            while islands.number < most and share() < until and not islands.reached(EXPLAINED):
                islands.round_within(share, until)
                part = len(self.results) + 1, len(task.folds)
                now, work = islands.whole, islands.evaluations
                yield Step(islands.number - 1, now, work, "cross-validate", part=part, preparing=True)
            front = list(islands.whole)
            if share() >= 1.0 or not front:
                return
            self.results.append(
                FoldResult.of(task.problem, rows, islands.task.problem, front, islands.number)
            )
            self.models += _models(islands)
            self.under_way = None

    def leaders(self, short: bool) -> list[Individual]:
        """Models that islands of a kind of the search proper begin with: what was found without a fold is not lost."""
        return [each.model for each in self.models if each.short is short]

    def candidates(self, problem: Problem) -> list[Candidate]:
        """What the searches without a fold have come to, fitted to all rows: the best there is where they were cut short."""
        models = [*self.models, *([] if self.under_way is None else _models(self.under_way))]
        data = problem.user_dataset()
        fitted = [each.model.fit(data) for each in models]
        sized = [Candidate(m, m.fitness, problem.size(m, in_user_units=True), True) for m in fitted]
        return non_dominated([c for c in sized if np.isfinite(c.fitness)])

    def packed(self) -> dict[str, Any]:
        """As plain values, without loss."""
        under_way = None if self.under_way is None else self.under_way.packed()
        models = [(checkpoint.packed_model(each.model), each.short) for each in self.models]
        return {"results": [r.packed() for r in self.results], "under_way": under_way, "models": models}

    @staticmethod
    def unpacked(task: Task, saved: dict[str, Any]) -> CrossValidation:
        """The cross-validation of its plain values."""
        validation = CrossValidation()
        validation.results = [FoldResult.unpacked(r) for r in saved["results"]]
        validation.models = [FoldModel(checkpoint.model(m), bool(short)) for m, short in saved["models"]]
        if saved["under_way"] is not None and saved["under_way"]["populations"]:  # else the fold begins anew
            part = _without(task, task.folds[len(validation.results)])
            rows = part.problem.search_rows
            validation.under_way = Islands.unpacked(part, rows, saved["under_way"])
        return validation


def _models(islands: Islands) -> list[FoldModel]:
    """The models of both fronts."""
    fronts, problem = ((islands.front, False), (islands.short, True)), islands.task.problem
    return [FoldModel(problem.user_model(candidate), short) for front, short in fronts for candidate in front]


def _begun(task: Task, rows: Rows, rng: np.random.Generator) -> Islands:
    """Islands of the search without a fold."""
    part = _without(task, rows)
    own = np.random.default_rng(rng.integers(2**63))
    islands = Islands(part, part.problem.search_rows)
    islands.settle(own)
    return islands


def _without(task: Task, rows: Rows) -> Task:
    """The search without some rows; it only approximates."""
    settings = task.settings.changed(looks_for="accuracy", holdout=0.0)
    return replace(task, problem=without(task.problem, rows), settings=settings)
