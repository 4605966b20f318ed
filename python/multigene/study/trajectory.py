"""One run of a configuration of the paper, looked at on its way: results at any effort from a single trajectory.

The paper's loop (`evolution/loop.py`) runs once; after chosen numbers of generations, and of processor seconds, the best model
so far is tested. That is the paper's result rule: best training fitness over the run. Beside it stands the best model that also
behaves between the rows (`search/guard.py`), found by the same populations: breeding sees
neither. `execution.py` calls `follow`; the checkpoints are kept in the store, and `views.py` makes tables of them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multigene._engine import Individual, Workers
from multigene.data.scores import r2
from multigene.evolution.loop import Generation, evolve
from multigene.evolution.pareto import ParetoFront
from multigene.search.problem import Problem
from multigene.settings.settings import Settings
from multigene.study.problems import Split

Array = NDArray[np.float64]
RULES = ("best", "guarded")


@dataclass(frozen=True)
class Checkpoint:
    """A model on the way: after how much effort, by which rule, and what it is worth."""

    at: str
    """The effort as a label: "200 generations", "5 processor seconds"."""
    rule: str
    """ "best" for the paper's rule, "guarded" for the best model that behaves between the rows."""
    generations: int
    seconds: float
    train_r2: float
    test_r2: float
    size: int
    lcf_share: float
    depth: int


@dataclass(frozen=True)
class Followed:
    """A finished trajectory: its checkpoints, the final model by the paper's rule, and how it went."""

    checkpoints: tuple[Checkpoint, ...]
    model: Individual
    generations: int
    seconds: float
    history: tuple[tuple[float, int, float], ...]


@dataclass(frozen=True)
class Marks:
    """Where a trajectory is looked at."""

    generations: tuple[int, ...] = ()
    seconds: tuple[float, ...] = ()

    @property
    def labels(self) -> list[str]:
        """All marks as labels, generations first."""
        return [label(g) for g in self.generations] + [label(s, "processor second") for s in self.seconds]


def label(amount: float, unit: str = "generation") -> str:
    """An effort in words: "1 generation", "200 generations", "5 processor seconds"."""
    return f"{amount:g} {unit}{'' if amount == 1 else 's'}"


def follow(split: Split, settings: Settings, seed: int, generations: int, marks: Marks) -> Followed:
    """Run a configuration for this many generations and test its best models at every mark.

    A run that has reached the target R² of its settings ends there, as it does in `fit`; later marks have its final models.
    """
    problem = Problem.of(split.X_train, split.y_train, None, holdout=0.0, standardise=False)
    watch, tested = _Watch(), _Tested(split)
    guarded = ParetoFront(problem.guard.behaves_between_rows)
    front = ParetoFront(beside=guarded)
    history: list[tuple[float, int, float]] = []
    found: dict[str, list[Checkpoint]] = {}
    steps = evolve(problem.plain_dataset(), settings, np.random.default_rng(seed), Workers(1), front=front)
    for step in steps:
        done, seconds = step.number + 1, watch.seconds()
        over = done >= generations or _reached(front, settings)
        due = [
            m for m, at in _marks(marks).items() if m not in found and (over or _passed(at, done, seconds))
        ]
        with watch.stopped():
            for mark in due:
                found[mark] = [
                    tested.checkpoint(mark, rule, kept.best, done, seconds)
                    for rule, kept in zip(RULES, (front, guarded), strict=True)
                    if kept.best is not None
                ]
            history.append(_point(step, seconds))
        if over:
            break
    assert front.best is not None, "no individual of the run had a finite fitness"
    checkpoints = tuple(c for mark in _marks(marks) for c in found.get(mark, ()))
    return Followed(checkpoints, front.best.individual, done, seconds, tuple(history))


def _marks(marks: Marks) -> dict[str, tuple[int | None, float | None]]:
    """Every mark by its label: generations or seconds."""
    by_generations: dict[str, tuple[int | None, float | None]] = {
        label(g): (g, None) for g in marks.generations
    }
    return by_generations | {label(s, "processor second"): (None, s) for s in marks.seconds}


def _passed(at: tuple[int | None, float | None], generations: int, seconds: float) -> bool:
    return generations >= at[0] if at[0] is not None else seconds >= (at[1] or 0.0)


def _reached(front: ParetoFront, settings: Settings) -> bool:
    target = settings.stopping.target_r2
    return target is not None and front.best is not None and front.best.fitness >= target


def _point(step: Generation, seconds: float) -> tuple[float, int, float]:
    return seconds, step.evaluations, step.front.best.fitness if step.front.best else float("-inf")


class _Watch:
    """Processor seconds of the run alone: while models are tested it stands still."""

    def __init__(self) -> None:
        self._started, self._lost, self._since = time.process_time(), 0.0, 0.0

    def seconds(self) -> float:
        return time.process_time() - self._started - self._lost

    def stopped(self) -> _Watch:
        return self

    def __enter__(self) -> None:
        self._since = time.process_time()

    def __exit__(self, *_: object) -> None:
        self._lost += time.process_time() - self._since


class _Tested:
    """Models with their scores, each computed once."""

    def __init__(self, split: Split) -> None:
        self.split = split
        self.known: dict[int, tuple[Individual, Mapping[str, Any]]] = {}

    def checkpoint(self, at: str, rule: str, member: Any, generations: int, seconds: float) -> Checkpoint:
        """The member's model at a mark."""
        return Checkpoint(at, rule, generations, seconds, **self._scores(member.individual))

    def _scores(self, model: Individual) -> Mapping[str, Any]:
        if id(model) not in self.known:
            split = self.split
            scores = {
                "train_r2": r2(split.y_train, model.predict(split.X_train)),
                "test_r2": r2(split.y_test, model.predict(split.X_test)),
                "size": model.n_nodes,
                "lcf_share": model.lcf_share,
                "depth": model.depth,
            }
            self.known[id(model)] = (
                model,
                scores,
            )  # the model too: its identity must not be given to another
        return self.known[id(model)][1]
