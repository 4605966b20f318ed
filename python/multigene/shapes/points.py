"""Shapes on points: each is a set of linear conditions on a formula's values at points of the box.

`increasing in x` is f(p + h) − f(p) ≥ 0 for many p and h, `convex in x` a second difference, `0 <= y` a value, and so on. So
one sparse matrix tells whether a formula keeps its shapes on the points, and, since values are linear in the outer
coefficients, which coefficients would keep them (`repair.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from multigene.shapes.constants import AT_AN_END, BEND_STEP, LARGE_STEPS, SLOPE_STEP, TOLERANCE
from multigene.shapes.stated import Shape, Stated

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Conditions:
    """Conditions `matrix @ f(points) >= lower` (or `==`), in units of the target's range."""

    points: Floats
    matrix: Any
    """Sparse: conditions × points."""
    lower: Floats
    equal: npt.NDArray[np.bool_]

    @staticmethod
    def of(
        stated: Stated, low: Floats, high: Floats, unit: float, rng: np.random.Generator, count: int
    ) -> Conditions:
        """Points drawn by `rng` in the box, `count` conditions for every shape."""
        points: list[Floats] = []
        entries: list[tuple[Any, Any, Any]] = []
        bounds: list[Floats] = []
        exactly: list[npt.NDArray[np.bool_]] = []
        rows = columns = 0
        for shape in stated.shapes:
            for places, weights, least, exact in _conditions(shape, low, high, rng, count):
                n = len(places[0])
                for place, weight in zip(places, weights, strict=True):
                    points.append(place)
                    entries.append((np.arange(n) + rows, np.arange(n) + columns, np.full(n, weight)))
                    columns += n
                rows += n
                bounds.append(np.full(n, least))
                exactly.append(np.full(n, exact))
        row, column, value = (np.concatenate(each) for each in zip(*entries, strict=True))
        lower = np.concatenate(bounds)
        matrix: Any = scipy.sparse.csr_array((value, (row, column)), shape=(rows, columns))
        return Conditions(np.vstack(points), matrix / unit, lower / unit, np.concatenate(exactly))

    def missing(self, values: Floats) -> Floats:
        """How much every condition lacks, in units of the target's range; 0 where it is kept."""
        with np.errstate(all="ignore"):
            found = self.matrix @ values - self.lower
        lacks = np.where(self.equal, np.abs(found), np.maximum(-found, 0.0))
        return np.where(np.isfinite(lacks), lacks, np.inf)

    def kept(self, values: Floats) -> bool:
        """Are all kept?"""
        return bool(np.all(self.missing(values) <= TOLERANCE))


#: Points, the weight of each (a number, or one for every condition), the lower bound, and whether it is meant exactly.
Condition = tuple[list[Floats], list[Any], float, bool]


def _conditions(
    shape: Shape, low: Floats, high: Floats, rng: np.random.Generator, count: int
) -> Iterator[Condition]:
    """Those of a shape; slopes and bends are in units of a column's range."""
    width = high - low

    def drawn(n: int = count) -> Floats:
        inside = low + rng.uniform(0.0, 1.0, (n, len(low))) * width
        edge = rng.uniform(0.0, 1.0, inside.shape)
        return np.where(edge < AT_AN_END, low, np.where(edge > 1.0 - AT_AN_END, high, inside))

    p = drawn()
    if shape.kind == "bounds":
        if np.isfinite(shape.low):
            yield [p], [1.0], shape.low, False
        if np.isfinite(shape.high):
            yield [p], [-1.0], -shape.high, False
    elif shape.kind == "value":
        n = 1 if len(shape.at) == len(low) else count
        q = drawn(n)
        for column, value in shape.at:
            q[:, column] = value
        yield [q], [1.0], shape.value, True
    elif shape.kind == "symmetric":
        for first, second in zip(shape.columns, shape.columns[1:], strict=False):
            q = p.copy()
            q[:, [first, second]] = p[:, [second, first]]
            yield [p, q], [1.0, -1.0], 0.0, True
    elif shape.kind in ("even", "odd"):
        q = p.copy()
        q[:, shape.columns[0]] *= -1.0
        yield [p, q], [1.0, -1.0 if shape.kind == "even" else 1.0], 0.0, True
    else:
        yield from _along(shape, p, low, width, rng)


def _along(
    shape: Shape, p: Floats, low: Floats, width: Floats, rng: np.random.Generator
) -> Iterator[Condition]:
    """Slopes and bends along a column: at small steps, which see every wiggle, and at large ones."""
    [column] = shape.columns
    sign = 1.0 if shape.kind in ("increasing", "convex") else -1.0
    if width[column] <= 0.0:
        return
    start = np.clip(rng.uniform(-0.05, 1.05, len(p)), 0.0, 1.0)
    if shape.kind in ("increasing", "decreasing"):
        small = np.where(
            np.arange(len(p)) % LARGE_STEPS == LARGE_STEPS - 1,
            rng.uniform(SLOPE_STEP, 1.0, len(p)),
            SLOPE_STEP,
        )
        first, last = p.copy(), p.copy()
        first[:, column] = low[column] + start * (1.0 - small) * width[column]
        last[:, column] = low[column] + (start * (1.0 - small) + small) * width[column]
        yield [last, first], [sign / small, -sign / small], 0.0, False
        return
    small = np.where(
        np.arange(len(p)) % LARGE_STEPS == LARGE_STEPS - 1, rng.uniform(BEND_STEP, 0.5, len(p)), BEND_STEP
    )
    places = []
    for steps in (0.0, 1.0, 2.0):
        q = p.copy()
        q[:, column] = low[column] + (start * (1.0 - 2.0 * small) + steps * small) * width[column]
        places.append(q)
    weight = sign / small**2
    yield places, [weight, -2.0 * weight, weight], 0.0, False
