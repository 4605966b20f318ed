"""Who survives and who has offspring: fitness in, index arrays out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from multigene.settings.settings import Selection

Indices = npt.NDArray[np.uint64]


def comparable(fitness: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Minus the unexplained variance in single precision: individuals that differ by rounding alone are equals.

    Without this the last bit of a sum, and so the order of the rows, would decide who has offspring.
    """
    with np.errstate(over="ignore"):  # what is worse than the mean by 38 digits is simply worst
        return -(1.0 - fitness).astype(np.float32)


def best(fitness: npt.NDArray[np.float64], settings: Selection) -> list[int]:
    """The elites: the best `E` individuals, the earlier one first among equals."""
    return [int(i) for i in np.argsort(-comparable(fitness), kind="stable")[: settings.elites]]


def tournament(fitness: npt.NDArray[np.float64], settings: Selection, rng: np.random.Generator) -> Indices:
    """Two parents for every place the elites leave free, each the best of `|T|` drawn with replacement.

    Ties go to the earlier drawn: `argmax` returns the first of equal values.
    """
    offspring = len(fitness) - settings.elites
    drawn = rng.integers(len(fitness), size=(offspring, 2, settings.tournament_size))
    winners = np.argmax(comparable(fitness)[drawn], axis=2, keepdims=True)
    return np.take_along_axis(drawn, winners, axis=2)[:, :, 0].astype(np.uint64)
