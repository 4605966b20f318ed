"""A linear model of the training rows: what is on the screen before the search has formulas, and what they have to beat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene.data.scores import r2
from multigene.studio.asked_rows import AskedRows

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LinearModel:
    """Weights of a constant and of all columns, by least squares."""

    weights: Floats
    text: str
    r2: float
    """On the training rows."""

    @staticmethod
    def of(asked: AskedRows) -> LinearModel:
        """The linear model of the training rows."""
        X, y = asked.arrays(asked.train)
        weights, *_ = np.linalg.lstsq(_design(X), y, rcond=None)
        signed = [(w, name) for w, name in zip(weights[1:], asked.names, strict=True) if w != 0.0]
        terms = [f" {'-' if w < 0.0 else '+'} {abs(w):.4g}*{name}" for w, name in signed]
        return LinearModel(weights, f"{weights[0]:.4g}" + "".join(terms), r2(y, _design(X) @ weights))

    def predict(self, X: Floats) -> Floats:
        """Predictions for rows."""
        return np.asarray(_design(X) @ self.weights)


def _design(X: Floats) -> Floats:
    return np.column_stack([np.ones(len(X)), X])
