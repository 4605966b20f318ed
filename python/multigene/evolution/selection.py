"""Selection: who survives and who has offspring. Fitness in, index arrays out."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
import numpy.typing as npt

from multigene.settings.settings import Selection

Indices = npt.NDArray[np.uint64]


def comparable(fitness: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Minus the unexplained variance in single precision: individuals that differ by rounding alone are equals.

    Without this the last bit of a sum, and so the order of the rows, would decide who has offspring.
    """
    with np.errstate(over="ignore"):  # beyond single precision all are equally bad
        return -(1.0 - fitness).astype(np.float32)


def best(fitness: npt.NDArray[np.float64], settings: Selection) -> list[int]:
    """The elites: the best `E` individuals, the earlier one first among equals."""
    return [int(i) for i in np.argsort(-comparable(fitness), kind="stable")[: settings.elites]]


def size_niches(
    fitness: npt.NDArray[np.float64],
    complexity: npt.NDArray[np.uint64],
    settings: Selection,
    rng: np.random.Generator,
) -> tuple[list[int], Indices]:
    """Beyond the paper. Survivors, the fittest first: models for which fewer than `niche` others are both fitter and no larger.
    And pairs of parents, drawn evenly among the survivors, so that every size has offspring.

    Models of the same size and fitness count once. At most three quarters of the population survive; those that lead their size
    come first.
    """
    quality, size = comparable(fitness), complexity.astype(np.intp)
    allowed = np.isfinite(fitness)
    if settings.largest is not None:
        allowed &= size <= settings.largest
    usable = np.flatnonzero(allowed)
    order = usable[np.lexsort((-quality[usable], size[usable]))]
    leaders: list[float] = []  # the fittest of at most the size looked at, fittest first
    found: list[tuple[int, int]] = []
    last = (-1, -np.inf)
    for i, s, q in zip(order.tolist(), size[order].tolist(), quality[order].tolist(), strict=True):
        place = bisect_left(leaders, -q)
        if place < settings.niche and (s, q) != last:
            leaders.insert(place, -q)
            del leaders[settings.niche :]
            found.append((place, i))
        last = (s, q)
    most = 3 * settings.population_size // 4
    kept = [i for _, i in sorted(found)[:most]] or [0]
    survivors = sorted(kept, key=lambda i: (-quality[i], i))
    drawn = rng.integers(len(survivors), size=(settings.population_size, 2))
    return survivors, np.array(survivors, dtype=np.uint64)[drawn]


def tournament(fitness: npt.NDArray[np.float64], settings: Selection, rng: np.random.Generator) -> Indices:
    """Two parents for every place the elites leave free, each the best of `|T|` drawn with replacement.

    Ties go to the earlier drawn: `argmax` returns the first of equal values.
    """
    offspring = len(fitness) - settings.elites
    drawn = rng.integers(len(fitness), size=(offspring, 2, settings.tournament_size))
    winners = np.argmax(comparable(fitness)[drawn], axis=2, keepdims=True)
    return np.take_along_axis(drawn, winners, axis=2)[:, :, 0].astype(np.uint64)
