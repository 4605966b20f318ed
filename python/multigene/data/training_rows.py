"""Training rows that a fitted model keeps for intervals, pruning and importance.

`fit` keeps a compact copy, thinned when there are very many rows. Model files never hold it; a loaded model
is given rows anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset
from multigene.data.constants import FEWEST_ROWS, MOST_ROWS, MOST_VALUES
from multigene.data.losses import SQUARED, Loss

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TrainingRows:
    """Features, target and weights of the rows kept, and of how many rows they are a sample."""

    X: Floats
    y: Floats
    weights: Floats | None
    total: int
    loss: Loss = SQUARED
    """What models of these rows minimise."""

    @staticmethod
    def of(X: Floats, y: Floats, weights: Floats | None = None, loss: Loss = SQUARED) -> TrainingRows:
        """A copy of the rows, thinned at random (the same for every call) when there are too many."""
        if weights is not None:
            seen = weights > 0.0
            X, y, weights = X[seen], y[seen], weights[seen]
        most = min(MOST_ROWS, max(FEWEST_ROWS, MOST_VALUES // max(1, X.shape[1])))
        return TrainingRows(X, y, weights, len(y), loss).thinned(most, copy=True)

    def thinned(self, most: int, copy: bool = False) -> TrainingRows:
        """At most `most` of the rows."""
        n = len(self.y)
        if n > most:
            chosen = np.sort(np.random.default_rng(n).permutation(n)[:most])
            weights = None if self.weights is None else self.weights[chosen]
            return TrainingRows(self.X[chosen], self.y[chosen], weights, self.total, self.loss)
        if not copy:
            return self
        weights = None if self.weights is None else self.weights.copy()
        return TrainingRows(np.array(self.X), np.array(self.y), weights, self.total, self.loss)

    @cached_property
    def dataset(self) -> Dataset:
        """The rows as the engine sees them."""
        return Dataset(self.X, self.y, self.weights, loss=self.loss.engine)

    @cached_property
    def shares(self) -> Floats:
        """Weight of every row, 1 on average."""
        if self.weights is None:
            return np.ones(len(self.y))
        largest = self.weights / self.weights.max()
        return np.asarray(largest / largest.mean(), dtype=np.float64)

    @cached_property
    def variance(self) -> float:
        """Weighted variance of the target."""
        with np.errstate(all="ignore"):  # a target of 1e300 has no finite variance
            centre = np.average(self.y, weights=self.shares)
            return float(np.average((self.y - centre) ** 2, weights=self.shares))

    def explained(self, predictor: Floats) -> float:
        """Share of the loss that a model's values explain, weighted: R² for squared error."""
        return self.loss.explained(self.y, predictor, self.shares)

    def __getstate__(self) -> dict[str, object]:
        return {"X": self.X, "y": self.y, "weights": self.weights, "total": self.total, "loss": self.loss}
