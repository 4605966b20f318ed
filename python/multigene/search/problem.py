"""A regression problem as the searches see it: standardised columns, rows to search and rows to judge, points to be guarded.

Searches work on standardised features; every model that leaves this module speaks in the user's units.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual
from multigene.laws.variables.units import Dimensions

Floats = npt.NDArray[np.float64]

#: With fewer rows than this none are kept apart for judging: the search is rehearsed (`cross_validation.py`), and all rows judge.
FEW_ROWS = 400
#: With fewer rows than this how they lie is a matter of chance.
A_HANDFUL = 60
#: Searches see at most so many rows; the rest judges and polishes.
MOST_SEARCH_ROWS = 6000
MOST_JUDGE_ROWS = 20000
GUARD_POINTS = 512
#: Where features hang together no row is near most of the box: predictions there may leave the target's range this much more.
BOX_ROOM = 2.0
MOST_ROWS_TO_COMPARE = 20000


@dataclass(frozen=True)
class Problem:
    """Rows in the user's units, and how they are shared out."""

    X: Floats
    y: Floats
    weights: Floats | None
    search_rows: npt.NDArray[np.intp]
    judge_rows: npt.NDArray[np.intp]
    means: Floats
    scales: Floats
    guard_points: Floats
    between_points: Floats
    dimensions: Dimensions | None = None
    """Of features and target, where the user gave units."""

    @staticmethod
    def of(
        X: Floats,
        y: Floats,
        weights: Floats | None,
        *,
        holdout: float = 0.25,
        standardise: bool = True,
        only_laws: bool = False,
    ) -> Problem:
        """Share out the rows and draw the guard's points: the same for every seed of a run.

        Seekers alone are not rehearsed: some rows are kept apart for them even if there are few.
        """
        weights = unequal(weights)
        # Sums over columns must not depend on how the table lies in memory.
        n, X = len(y), np.ascontiguousarray(X)
        rng = np.random.default_rng(n if n >= A_HANDFUL else 0)  # a handful: as if repeated by their weights
        splits = n >= (A_HANDFUL if only_laws else FEW_ROWS)
        order = rng.permutation(n) if splits else np.arange(n)
        held = min(round(holdout * n), MOST_JUDGE_ROWS) if splits else 0
        judge, search = np.sort(order[:held]), np.sort(order[held : held + MOST_SEARCH_ROWS])
        means, scales = (
            _means_and_scales(X, weights) if standardise else (np.zeros(X.shape[1]), np.ones(X.shape[1]))
        )
        guard, between = _guard_points(X, rng), _between_points(X, rng)
        return Problem(X, y, weights, search, judge, means, scales, guard, between)

    def standardised(self, X: Floats) -> Floats:
        """Features as the searches see them."""
        Z = np.subtract(X, self.means)
        Z /= self.scales  # in place: there may be very many rows
        return Z

    def dataset(self, rows: npt.NDArray[np.intp] | None = None) -> Dataset:
        """Standardised features and the target of some rows, or of all."""
        if rows is None:
            different = self.different(np.arange(len(self.y)))
            return Dataset(self.standardised(self.X), self.y, self.weights, None, different)
        weights = None if self.weights is None else self.weights[rows]
        return Dataset(self.standardised(self.X[rows]), self.y[rows], weights, None, self.different(rows))

    def different(self, rows: npt.NDArray[np.intp]) -> int:
        """Number of different rows among these that count at all; equal rows are no new evidence."""
        if self.weights is not None:
            rows = rows[self.weights[rows] > 0.0]
        return len(np.unique(self.X[rows], axis=0)) if len(rows) < MOST_ROWS_TO_COMPARE else len(rows)

    def plain_dataset(self) -> Dataset:
        """All rows as they are: what the paper's configurations work on."""
        return Dataset(self.X, self.y, self.weights)

    @property
    def evolution_rows(self) -> npt.NDArray[np.intp]:
        """Rows for searching and judging together: all of them unless there are very many."""
        rows = np.concatenate([self.search_rows, self.judge_rows])
        return np.sort(rows[: 2 * MOST_SEARCH_ROWS])

    def in_user_units(self, individual: Individual) -> Individual:
        """A model of standardised features as one of the user's."""
        return individual.in_original_units(self.means.tolist(), self.scales.tolist())

    def bounds(self, room: float = 1.0) -> tuple[float, float]:
        """Range that predictions must keep: the target's, and `room` times as much on both sides."""
        low, high = float(self.y.min()), float(self.y.max())
        width = room * (min(high, 1e306) - max(low, -1e306))
        return low - width, high + width

    @cached_property
    def _standardised_guard(self) -> tuple[Floats, Floats]:
        return self.standardised(self.guard_points), self.standardised(self.between_points)

    @cached_property
    def _box(self) -> tuple[list[float], list[float]]:
        Z = self.standardised(np.array(self._box_in_user_units))
        return Z[0].tolist(), Z[1].tolist()

    @cached_property
    def _box_in_user_units(self) -> tuple[list[float], list[float]]:
        return self.X.min(axis=0).tolist(), self.X.max(axis=0).tolist()

    @property
    def largest(self) -> float:
        """The largest number of features and target, without its sign."""
        low, high = self._box_in_user_units
        return max(abs(v) for v in (*low, *high, float(self.y.min()), float(self.y.max())))

    def behaves(self, individual: Individual) -> bool:
        """Guard: no pole or overflow anywhere in the box of the rows, by interval arithmetic; within bounds on points between and
        slightly beyond the rows, and within wide ones elsewhere in the box."""
        if not np.isfinite(individual.range(*self._box)).all():
            return False
        guard, between = self._standardised_guard
        return self._within_bounds(individual.predict(between)) and self._within_bounds(
            individual.predict(guard), BOX_ROOM
        )

    def behaves_in_user_units(self, individual: Individual) -> bool:
        """The same for a model of the features as they are."""
        if not np.isfinite(individual.range(*self._box_in_user_units)).all():
            return False
        return self._within_bounds(individual.predict(self.guard_points))

    def behaves_between_rows(self, individual: Individual) -> bool:
        """A milder guard for models of the features as they are, without the box's corners: where features hang together, no
        row is near most of the box, and models that are free there predict real rows better."""
        if not np.isfinite(individual.range(*self._box_in_user_units)).all():
            return False
        return self._within_bounds(individual.predict(self.between_points))

    def _within_bounds(self, values: Floats, room: float = 1.0) -> bool:
        low, high = self.bounds(room)
        return bool(np.all(np.isfinite(values)) and np.all(values >= low) and np.all(values <= high))


def unequal(weights: Floats | None) -> Floats | None:
    """The weights, or None where all are equal: those say nothing, and without any there is more that can be done."""
    if weights is None or (weights.min() > 0.0 and weights.min() == weights.max()):
        return None
    return weights


def _means_and_scales(X: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    size = np.abs(X).max(axis=0)
    size = np.where(
        size > 0.0, size, 1.0
    )  # squares of values near the end of the range would overflow or vanish
    scaled = X / size
    means = np.average(scaled, axis=0, weights=weights)
    scaled -= means
    np.square(scaled, out=scaled)
    scales = np.sqrt(np.average(scaled, axis=0, weights=weights))
    with np.errstate(over="ignore", divide="ignore"):
        usable = (scales > 1e-14 * np.abs(means)) & np.isfinite(1.0 / (scales * size))
    return np.where(usable, means * size, 0.0), np.where(usable, scales * size, 1.0)


def _guard_points(X: Floats, rng: np.random.Generator) -> Floats:
    """Half uniform in the slightly widened box of the rows, half blends of two rows."""
    low, high = X.min(axis=0), X.max(axis=0)
    if not np.all(np.isfinite(high - low)):
        return np.asarray(X[:GUARD_POINTS].copy())
    margin = 0.02 * (high - low)
    box = rng.uniform(0.0, 1.0, (GUARD_POINTS, X.shape[1])) * (high - low + 2 * margin) + (low - margin)
    if len(X) < A_HANDFUL:
        return np.asarray(box)
    first, second = X[rng.integers(len(X), size=GUARD_POINTS)], X[rng.integers(len(X), size=GUARD_POINTS)]
    t = rng.uniform(0.0, 1.0, (GUARD_POINTS, 1))
    return np.asarray(np.vstack([box, first + t * (second - first)]))


def _between_points(X: Floats, rng: np.random.Generator) -> Floats:
    """Blends of two rows, a little beyond them too, but within the box."""
    low, high = X.min(axis=0), X.max(axis=0)
    if not np.all(np.isfinite(high - low)):
        return np.asarray(X[:GUARD_POINTS].copy())
    first, second = (X[rng.integers(len(X), size=2 * GUARD_POINTS)] for _ in range(2))
    t = rng.uniform(-0.2, 1.2, (2 * GUARD_POINTS, 1))
    return np.asarray(np.clip(first + t * (second - first), low, high))
