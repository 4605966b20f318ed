"""A regression problem as the searches see it: standardised columns, rows to search and rows to judge, points to be guarded.

Searches work on standardised features; every model that leaves this module speaks in the user's units.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual

Floats = npt.NDArray[np.float64]

#: With fewer rows than this none can be spared for judging.
FEWEST_ROWS_TO_SPLIT = 60
#: Searches see at most so many rows; the rest judges and polishes.
MOST_SEARCH_ROWS = 6000
MOST_JUDGE_ROWS = 20000
GUARD_POINTS = 512


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

    @staticmethod
    def of(X: Floats, y: Floats, weights: Floats | None, rng: np.random.Generator, *, holdout: float) -> Problem:
        """Share out the rows and draw the guard's points."""
        n = len(y)
        order = rng.permutation(n) if n >= FEWEST_ROWS_TO_SPLIT else np.arange(n)
        held = min(int(round(holdout * n)), MOST_JUDGE_ROWS) if n >= FEWEST_ROWS_TO_SPLIT else 0
        judge, search = np.sort(order[:held]), np.sort(order[held : held + MOST_SEARCH_ROWS])
        means, scales = X.mean(axis=0), X.std(axis=0)
        scales = np.where((scales > 0.0) & np.isfinite(scales) & np.isfinite(1.0 / np.maximum(scales, 1e-305)), scales, 1.0)
        means = np.where(np.isfinite(means), means, 0.0)
        return Problem(X, y, weights, search, judge, means, scales, _guard_points(X, rng))

    def standardised(self, X: Floats) -> Floats:
        """Features as the searches see them."""
        return np.asarray((X - self.means) / self.scales, dtype=np.float64)

    def dataset(self, rows: npt.NDArray[np.intp] | None = None) -> Dataset:
        """Standardised features and the target of some rows, or of all."""
        rows = np.arange(len(self.y)) if rows is None else rows
        weights = None if self.weights is None else self.weights[rows]
        return Dataset(self.standardised(self.X[rows]), self.y[rows], weights)

    def in_user_units(self, individual: Individual) -> Individual:
        """A model of standardised features as one of the user's."""
        return individual.in_original_units(self.means.tolist(), self.scales.tolist())

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """Range that predictions between and slightly beyond the rows must keep: the target's, widened by itself on both sides."""
        low, high = float(self.y.min()), float(self.y.max())
        return low - (high - low), high + (high - low)

    @cached_property
    def _standardised_guard(self) -> Floats:
        return self.standardised(self.guard_points)

    @cached_property
    def _box(self) -> tuple[list[float], list[float]]:
        Z = self.standardised(np.stack([self.X.min(axis=0), self.X.max(axis=0)]))
        return Z[0].tolist(), Z[1].tolist()

    def behaves(self, individual: Individual) -> bool:
        """Guard: finite and within bounds on points between and slightly beyond the rows; no pole in the box of the rows."""
        values = individual.predict(self._standardised_guard)
        low, high = self.bounds
        if not (np.all(np.isfinite(values)) and np.all(values >= low) and np.all(values <= high)):
            return False
        return not _has_poles(individual) or bool(np.isfinite(individual.range(*self._box)).all())


def _has_poles(individual: Individual) -> bool:
    return any(mark in gene for gene in individual.genes for mark in ("/", "inv(", "log(", "sqrt(", "**-", "{"))


def _guard_points(X: Floats, rng: np.random.Generator) -> Floats:
    """Half uniform in the slightly widened box of the rows, half blends of two rows."""
    low, high = X.min(axis=0), X.max(axis=0)
    margin = 0.02 * (high - low)
    box = rng.uniform(0.0, 1.0, (GUARD_POINTS, X.shape[1])) * (high - low + 2 * margin) + (low - margin)
    first, second = X[rng.integers(len(X), size=GUARD_POINTS)], X[rng.integers(len(X), size=GUARD_POINTS)]
    t = rng.uniform(0.0, 1.0, (GUARD_POINTS, 1))
    return np.vstack([box, first + t * (second - first)])
