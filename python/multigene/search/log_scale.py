"""Positive targets over decades: formulas are searched for on the logarithm of the target as well.

Squared errors of such a target are those of its few largest values, and what is fitted to them tells little about the others. So
before the islands explore, one island for short formulas (`short.py`) evolves on the logarithm for a small share of the run. The
most convincing of its formulas, simplified within the noise and with as simple exponents as the rows allow, go back to the user's
units as exp(formula), and stand beside the finds of the law search: held-out rows choose between the scales, in the user's terms
(`result.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.evolution import checkpoint
from multigene.evolution.pareto import Member
from multigene.expression.build import sum_of
from multigene.expression.constants import ROUNDING
from multigene.expression.genes import model_expression
from multigene.expression.readable import size
from multigene.expression.rewriting.choosing import natural
from multigene.expression.rewriting.positive import powers_joined
from multigene.expression.tree import Expression, Number, Operation
from multigene.laws import law as laws
from multigene.laws import noise
from multigene.laws.constants import DROP_TUNING
from multigene.laws.law import Find
from multigene.search.comparing import clearly_better
from multigene.search.constants import (
    DECADES,
    FEWEST_ROWS_TO_CROSS_VALIDATE,
    FOLD_GENERATIONS,
    LARGEST_OF_LOGARITHM,
    LOG_SHARE,
    LOGARITHM_FINDS,
    MORE_ROWS,
    SAME_FORM,
    SHORT_GENES,
)
from multigene.search.folds import folds_of
from multigene.search.islands import Islands
from multigene.search.problem import Problem, Rows
from multigene.search.progress import Step
from multigene.search.short import has_own_functions
from multigene.search.task import Task
from multigene.search.unseen import HeldOut, KnownErrors, refitted_without, unseen_rows
from multigene.words import default_names

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LogScale:
    """Formulas that were searched for on the logarithm of the target."""

    models: Sequence[Individual]
    """Of the logarithm, in the user's features, fitted to the rows for searching."""
    finds: Sequence[Find]
    """The same of the target."""
    unseen: Sequence[Floats]
    """Of each its squared errors on rows that it was not fitted to, in the user's units."""

    @staticmethod
    def of(problem: Problem, models: Sequence[Individual]) -> LogScale:
        """Formulas of the logarithm as formulas of the target; those that have no finite value there are left out."""
        everything = np.arange(len(problem.y))
        found = [(_written(problem, _of_target(problem, m, everything)), _unseen(problem, m)) for m in models]
        known = [(find, errors) for find, errors in found if find is not None and _behaves(problem, find)]
        return LogScale(models, [find for find, _ in known], [errors for _, errors in known])

    def packed(self) -> list[Any]:
        """As plain values, without loss."""
        return [checkpoint.packed_model(model) for model in self.models]

    @staticmethod
    def unpacked(problem: Problem, saved: list[Any]) -> LogScale:
        """The formulas of their plain values."""
        return LogScale.of(problem, [checkpoint.model(values) for values in saved])


def applies(task: Task) -> bool:
    """Is it worth looking for, and may formulas have powers and exponentials of everything?"""
    free = not has_own_functions(task.settings) and task.problem.dimensions is None
    return free and over_decades(task.problem)


def over_decades(problem: Problem) -> bool:
    """Is the target positive and spread over decades, with enough rows to tell?"""
    counted = problem.y if problem.weights is None else problem.y[problem.weights > 0.0]
    if not problem.loss.squared or len(counted) < FEWEST_ROWS_TO_CROSS_VALIDATE or problem.y.min() <= 0.0:
        return False
    low, high = np.quantile(np.log10(counted), (0.05, 0.95))
    return bool(high - low >= DECADES)


def search(
    task: Task, rng: np.random.Generator, share: Callable[[], float]
) -> Generator[Step, None, LogScale]:
    """One island on the logarithm of the target, for a share of the run; its most convincing formulas."""
    part = _on_logarithm(task)
    islands = Islands(part, part.problem.search_rows)
    islands.settle(np.random.default_rng(rng.integers(2**63)))
    islands.populations[0].immigrants.extend(_power_laws(part.problem))
    most = (
        math.inf if task.generations is None else max(task.round_length, FOLD_GENERATIONS * task.generations)
    )
    until = share() + LOG_SHARE
    while islands.number < most and share() < until:
        islands.round()
        yield Step(islands.number - 1, islands.whole, islands.evaluations, "explore", preparing=True)
    islands.shorten()
    # Simplifying takes no longer than the search; in a run without a time limit shares do not change meanwhile.
    return LogScale.of(
        task.problem, _most_convincing(part.problem, islands, lambda: share() >= until + LOG_SHARE)
    )


def nearer_to_most_rows(
    chosen: Member, finds: Sequence[Member], errors: Floats, unseen: KnownErrors
) -> Member:
    """A formula of the target's logarithm that is nearer to clearly more unseen rows, unless it is clearly worse in the mean:
    over decades means of squares are those of few rows. `errors` are those of the model that set the size, `unseen` those of
    formulas of the logarithm."""
    better = [
        find
        for find in finds
        if len(own := unseen.get(id(find.individual), np.zeros(0))) == len(errors)
        and not clearly_better(errors, own, 1.0)
        and np.mean(own < errors) - 0.5 > MORE_ROWS * 0.5 / np.sqrt(len(errors))
    ]
    return min(better, key=lambda f: float(unseen[id(f.individual)].sum()), default=chosen)


def _on_logarithm(task: Task) -> Task:
    """The search for short formulas of the logarithm, on the rows for searching; it only approximates."""
    problem, rows = task.problem, task.problem.search_rows
    weights = None if problem.weights is None else problem.weights[rows]
    logarithm = Problem.of(problem.X[rows], np.log(problem.y[rows]), weights, holdout=0.0)
    largest = min(LARGEST_OF_LOGARITHM, task.options.max_size or LARGEST_OF_LOGARITHM)
    settings = task.settings.changed(looks_for="accuracy", holdout=0.0, islands=1, max_size=largest)
    return replace(task, problem=logarithm, settings=settings)


def _power_laws(problem: Problem) -> list[Individual]:
    """What to begin with: products of powers and exponentials, of the columns that go best with the logarithm of the target."""
    forms = [
        (f"log(x{j})" if positive else f"x{j}") for j, positive in enumerate(np.all(problem.X > 0.0, axis=0))
    ]
    plain = default_names(problem.X.shape[1])
    data, first = problem.user_dataset(), list[Individual]()
    for genes in (forms, plain):
        single = [Individual([gene], 0.0, [1.0]).fit(data) for gene in genes]
        order = sorted(range(len(genes)), key=lambda j: -single[j].fitness)
        most = min(SHORT_GENES, len(genes)) + 1
        first += [Individual([genes[j] for j in order[:n]], 0.0, [1.0] * n) for n in range(1, most)]
    return first


def _most_convincing(problem: Problem, islands: Islands, over: Callable[[], bool]) -> list[Individual]:
    """The formulas that are worth their nodes, each simplified within the noise; as far as that got when time is `over`."""
    X, y, weights, data = problem.X, problem.y, problem.weights, problem.user_dataset()

    def fit(expression: Expression) -> Find | None:
        return laws.polished(expression, X, y, data, DROP_TUNING, weights)

    measured = [laws.measure(model_expression(c.individual), X, y, weights) for c in islands.short]
    finds = sorted((f for f in measured if f is not None), key=lambda find: noise.price(find, len(y)))
    best = finds[:LOGARITHM_FINDS]
    simple = [noise.simplified(find, X, y, fit, lambda _: True, weights, over) for find in best]
    return list({f"{find.unexplained:.6g}": find.individual for find in simple}.values())


def _of_target(problem: Problem, model: Individual, rows: Rows) -> Find | None:
    """A formula of the logarithm as one of the target: exp(formula), with the mean that the target has on some rows."""
    X, y = np.ascontiguousarray(problem.X[rows]), problem.y[rows]
    weights = None if problem.weights is None else problem.weights[rows]
    with np.errstate(all="ignore"):
        mean = np.average(np.exp(model.predict(X)), weights=weights)
        level = float(np.log(np.average(y, weights=weights)) - np.log(mean))
    if not math.isfinite(level):
        return None
    plain = Operation("exp", (sum_of([model_expression(model), Number(level)]),))
    return laws.measure(plain, X, y, weights)


def _written(problem: Problem, find: Find | None) -> Find | None:
    """The same as people write it: powers and factors instead of logarithms in an exponent."""
    if find is None or size(find.expression) > LARGEST_OF_LOGARITHM:
        return find
    joined = powers_joined(natural(find.expression), np.flatnonzero(np.all(problem.X > 0.0, axis=0)))
    written = laws.measure(joined, problem.X, problem.y, problem.weights)
    same = written and abs(written.unexplained - find.unexplained) <= SAME_FORM * find.unexplained + ROUNDING
    return written if same else find


def _behaves(problem: Problem, find: Find) -> bool:
    """Does a formula keep the range that the target has on the logarithm, also between rows?"""
    low, high = np.log(problem.y.min()), np.log(problem.y.max())
    with np.errstate(all="ignore"):
        values = np.log(find.individual.predict(problem.guard.between_points))
    width = high - low
    return bool(np.all(values >= low - width) and np.all(values <= high + width))


def _unseen(problem: Problem, model: Individual) -> Floats:
    """Squared errors on the held-out rows; with few rows on each fold of them, fitted again to the rest."""
    held_out, everything = problem.held_out_rows, np.arange(len(problem.y))
    predictions = list[Floats]()
    for part in [held_out] if len(held_out) else folds_of(problem):
        if len(held_out):
            find = _of_target(problem, model, problem.search_rows)
        else:
            again = refitted_without(part, problem, model, np.log(problem.y))
            find = _of_target(problem, again, np.setdiff1d(everything, part))
        nothing = np.full(len(part), np.nan)
        predictions.append(nothing if find is None else find.individual.predict(problem.X[part]))
    rows = unseen_rows(problem)
    return HeldOut(problem, rows).squares(np.concatenate(predictions)) if predictions else np.zeros(0)
