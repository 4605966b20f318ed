"""The guard: refuses models that explode between the rows that they were fitted to.

A model passes if interval arithmetic finds no pole and no overflow in the box of the rows, if its predictions stay near the
target's range on points drawn in that box and between rows, and if no angle turns faster than rows can tell. Which points, and
how near, depends on who asks: islands evolve on standardised features (`behaves`), finds of the law search and results are in the
user's units (`behaves_in_user_units`), and the paper's configurations get a milder guard (`behaves_between_rows`). Points are
drawn once for a problem (`problem.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.expression.angles import TURNING, can_be_told
from multigene.expression.genes import gene_expression
from multigene.search.constants import (
    BEYOND_BOX,
    BEYOND_ROOM,
    BEYOND_ROWS,
    BOX_MARGIN,
    BOX_ROOM,
    CANCELLING,
    CANCELLING_EXPLORING,
    FAR_FROM_LINE,
    FIRST_LOOK,
    GUARD_POINTS,
    LARGEST_COEFFICIENT,
    REPRESENTATIVE_ROWS,
    WIDEST,
)
from multigene.search.far import FarOut
from multigene.search.scaling import Scaling

Floats = npt.NDArray[np.float64]
Box = tuple[list[float], list[float]]


#: A gene that is a variable or a linear combination.
LINEAR = re.compile(r"x\d+|\[[^\]]*\]")


@dataclass(frozen=True)
class Guard:
    """Points in the user's units, and the range that predictions on them must keep."""

    box: Box
    """Least and largest value of every feature."""
    target: tuple[float, float]
    """Least and largest value of the target."""
    box_points: Floats
    """In the slightly widened box of the rows, and between rows."""
    between_points: Floats
    """Between rows and slightly beyond them."""
    far_out: FarOut
    """Far beyond the rows."""
    scaling: Scaling
    rows: int
    """How many rows there are to tell one angle from another by."""

    @staticmethod
    def of(X: Floats, y: Floats, scaling: Scaling, rng: np.random.Generator) -> Guard:
        """The guard of some rows, its points drawn by `rng`."""
        low, high = X.min(axis=0), X.max(axis=0)
        with np.errstate(over="ignore"):
            has_width = bool(np.all(np.isfinite(high - low)))
        if has_width:
            in_box, between = _box_points(X, low, high, rng), _between_points(X, low, high, rng)
        else:  # rows that span all of floating point are their own points
            in_box = between = X[:GUARD_POINTS].copy()
        target = float(y.min()), float(y.max())
        box = low.tolist(), high.tolist()
        return Guard(box, target, in_box, between, FarOut.of(X), scaling, len(X))

    def behaves(self, individual: Individual) -> bool:
        """Of a model of standardised features: within bounds between and slightly beyond the rows, and within wide ones elsewhere
        in the box."""
        points = self._standardised_points
        return self._behaves(individual, self._standardised_box, *points)

    def behaves_exploring(self, individual: Individual) -> bool:
        """The same, but for terms that cancel: of a model that a better one may descend from."""
        points = self._standardised_points
        return self._behaves(individual, self._standardised_box, *points, CANCELLING_EXPLORING)

    def behaves_as_it_is(self, individual: Individual) -> bool:
        """The same of a model of the features as they are."""
        return self._behaves(individual, self.box, self.box_points, self.between_points, self.far_out.points)

    def _behaves(
        self,
        individual: Individual,
        box: Box,
        in_box: Floats,
        between: Floats,
        far: Floats,
        cancelling: float = CANCELLING,
    ) -> bool:
        return (
            max(map(abs, individual.coefficients), default=0.0) <= LARGEST_COEFFICIENT
            and self._within_bounds(individual.predict(in_box[:FIRST_LOOK]), BOX_ROOM)
            and self._explodes_nowhere(individual, box)
            and self._within_bounds(individual.predict(between))
            and self._within_bounds(individual.predict(in_box), BOX_ROOM)
            and self._stands_without_cancelling(individual, between, cancelling)
            and self._can_be_told(individual, between)
            and (
                all(map(is_linear, individual.genes))
                or self._within_bounds(individual.predict(far), self.far_out.room)
            )
        )

    def _can_be_told(self, individual: Individual, points: Floats) -> bool:
        """Does no angle turn faster than the rows can tell, as in sin(exp(4*x))?"""
        return all(
            can_be_told(gene_expression(individual, gene), points, self.rows)
            for gene, coefficient in enumerate(individual.coefficients)
            if coefficient != 0.0 and any(token[0] in TURNING for token in individual.tokens(gene))
        )

    def _explodes_nowhere(self, individual: Individual, box: Box) -> bool:
        """No pole, no overflow and nothing like them between the points, by interval arithmetic: evolution would find it."""
        low, high = individual.range(*box)
        with np.errstate(over="ignore", invalid="ignore"):
            return bool(np.float64(high) - low <= WIDEST * (np.float64(self.target[1]) - self.target[0]))

    def _stands_without_cancelling(self, individual: Individual, points: Floats, most: float) -> bool:
        """Is no term many times as large as the target? Such terms cancel, and no digits are left of what remains.

        A term's range counts, and the size of its values too unless it is linear: a column may be far from zero.
        """
        low, high = self.target
        values = np.abs(individual.coefficients) * individual.gene_values(points)
        width, size = high - low, max(high - low, abs(low), abs(high))
        ranges, sizes = np.ptp(values, axis=0), np.abs(values).max(axis=0)
        if not np.all(ranges <= most * width):
            return False
        large = np.flatnonzero(sizes > most * size)
        return len(large) == 0 or all(is_linear(individual.genes[gene]) for gene in large)

    def behaves_in_user_units(self, individual: Individual) -> bool:
        """Of a model of the features as they are: within bounds in all of the box."""
        return _has_finite_range(individual, self.box) and self._within_bounds(
            individual.predict(self.box_points)
        )

    def behaves_between_rows(self, individual: Individual) -> bool:
        """A milder guard for models of the features as they are, without the box's corners: where features hang together, no
        row is near most of the box, and models that are free there predict real rows better."""
        return _has_finite_range(individual, self.box) and self._within_bounds(
            individual.predict(self.between_points)
        )

    def stays_near(self, individual: Individual, *, in_user_units: bool) -> bool:
        """Do predictions stay within some ranges of the target where one column leaves its box by a part of its width?"""
        points = self._beyond_points if in_user_units else self.scaling.standardised(self._beyond_points)
        return self._within_bounds(individual.predict(points), BEYOND_ROOM)

    def stays_far_out(self, individual: Individual, line: Floats, *, in_user_units: bool) -> bool:
        """Do predictions go hardly farther from the target's range than a line does where columns leave their box by far?"""
        values = individual.predict(self.far_out.points if in_user_units else self._standardised_points[2])
        low, high = self.target
        room = FAR_FROM_LINE * (min(high, 1e306) - max(low, -1e306))
        return bool(
            np.all(values >= np.minimum(low, line) - room) and np.all(values <= np.maximum(high, line) + room)
        )

    @cached_property
    def _beyond_points(self) -> Floats:
        """Points between rows; one column of each, in turn, is moved beyond its box, below or above."""
        low, high = np.array(self.box)
        with np.errstate(over="ignore", invalid="ignore"):
            bottom, top = _widened(low, high, BEYOND_BOX)
        points, number = self.between_points.copy(), np.arange(len(self.between_points))
        column, above = number % points.shape[1], (number // points.shape[1]) % 2 == 1
        points[number, column] = np.where(above, top[column], bottom[column])
        return points[np.isfinite(points).all(axis=1)]

    @cached_property
    def _standardised_points(self) -> tuple[Floats, Floats, Floats]:
        points = self.box_points, self.between_points, self.far_out.points
        in_box, between, far = map(self.scaling.standardised, points)
        return in_box, between, far

    @cached_property
    def _standardised_box(self) -> Box:
        Z = self.scaling.standardised(np.array(self.box))
        return Z[0].tolist(), Z[1].tolist()

    def _within_bounds(self, values: Floats, room: float | Floats = 1.0) -> bool:
        """Do predictions keep the target's range, and `room` times as much on both sides?"""
        low, high = self.target
        width = room * (min(high, 1e306) - max(low, -1e306))
        return bool(
            np.all(np.isfinite(values)) and np.all(values >= low - width) and np.all(values <= high + width)
        )


def is_linear(gene: str) -> bool:
    """Is a gene a variable or a linear combination?"""
    return LINEAR.fullmatch(gene) is not None


def _has_finite_range(individual: Individual, box: Box) -> bool:
    """No pole and no overflow anywhere in the box, by interval arithmetic."""
    return bool(np.isfinite(individual.range(*box)).all())


def _box_points(X: Floats, low: Floats, high: Floats, rng: np.random.Generator) -> Floats:
    """Half uniform in the slightly widened box of the rows, half blends of two rows."""
    bottom, top = _widened(low, high, BOX_MARGIN)
    box = rng.uniform(0.0, 1.0, (GUARD_POINTS, X.shape[1])) * (top - bottom) + bottom
    if len(X) < REPRESENTATIVE_ROWS:
        return np.asarray(box)
    first, second = X[rng.integers(len(X), size=GUARD_POINTS)], X[rng.integers(len(X), size=GUARD_POINTS)]
    t = rng.uniform(0.0, 1.0, (GUARD_POINTS, 1))
    return np.asarray(np.vstack([box, first + t * (second - first)]))


def _widened(low: Floats, high: Floats, share: float) -> tuple[Floats, Floats]:
    """The box wider by a share of its width on every side. It does not cross zero where no row does: logarithms and roots of
    positive columns are as good as others."""
    margin = share * (high - low)
    bottom = np.where(low > 0.0, np.maximum(low - margin, (1.0 - share) * low), low - margin)
    top = np.where(high < 0.0, np.minimum(high + margin, (1.0 - share) * high), high + margin)
    return bottom, top


def _between_points(X: Floats, low: Floats, high: Floats, rng: np.random.Generator) -> Floats:
    """Blends of two rows, a little beyond them too, but within the box."""
    first, second = (X[rng.integers(len(X), size=2 * GUARD_POINTS)] for _ in range(2))
    t = rng.uniform(-BEYOND_ROWS, 1.0 + BEYOND_ROWS, (2 * GUARD_POINTS, 1))
    return np.asarray(np.clip(first + t * (second - first), low, high))
