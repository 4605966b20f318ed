"""Linear models for the first population: the product is never worse than them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual
from multigene.problem import Problem

Floats = npt.NDArray[np.float64]


def linear_models(problem: Problem, data: Dataset) -> list[Individual]:
    """The ridge-safe linear model of standardised features, and models of the best few features, each one linear combination."""
    rows = problem.search_rows
    weights = np.ones(len(rows)) if problem.weights is None else problem.weights[rows] / problem.weights[rows].mean()
    Z, y = _centred(problem.standardised(problem.X[rows]), weights), _centred(problem.y[rows] / _size(problem.y[rows]), weights)
    n, d = max(len(rows), round(float(weights.sum()))), Z.shape[1]
    order = forward_selection(Z, y, min(d, 10, max(1, n - 2)))
    subsets = [order[:k] for k in (1, 2, 3, 5, 8) if k <= len(order)]
    if d not in {len(s) for s in subsets}:
        subsets.append(list(range(d)))
    models = []
    for subset in subsets:
        weights = _ridge(Z[:, subset], y)
        terms = " + ".join(f"{w!r}*x{j}" for j, w in zip(subset, weights.tolist(), strict=True) if np.isfinite(w))
        if terms:
            models.append(Individual([f"[{subset[0]}: 0.0 + {terms}]"], 0.0, [1.0]).fit(data))
    return models


def forward_selection(Z: Floats, y: Floats, most: int) -> list[int]:
    """Features in the order in which they explain most of what is left (orthogonal matching pursuit); columns centred."""
    Q = Z
    norms = np.linalg.norm(Q, axis=0)
    residual = y
    chosen: list[int] = []
    floor = 1e-9 * max(float(norms.max(initial=0.0)), 1e-300)
    for _ in range(most):
        lengths = np.linalg.norm(Q, axis=0)
        usable = lengths > floor
        usable[chosen] = False
        if not usable.any():
            break
        scores = np.where(usable, np.abs(Q.T @ residual) / np.where(usable, lengths, 1.0), -1.0)
        j = int(np.argmax(scores))
        chosen.append(j)
        q = Q[:, j] / lengths[j]
        residual = residual - q * (q @ residual)
        Q = Q - np.outer(q, q @ Q)
    return chosen or [0]


def _ridge(Z: Floats, y: Floats) -> Floats:
    """Least squares of centred columns with a trace of ridge, so that dependent columns share their weight."""
    gram = Z.T @ Z
    gram[np.diag_indices_from(gram)] += 1e-6 * max(float(np.trace(gram)) / len(gram), 1e-300)
    return np.asarray(np.linalg.solve(gram, Z.T @ y), dtype=np.float64)


def _centred(values: Floats, weights: Floats) -> Floats:
    """Without the weighted mean, times the root of the weights."""
    centred = values - np.average(values, axis=0, weights=weights)
    return np.asarray(centred * (np.sqrt(weights) if values.ndim == 1 else np.sqrt(weights)[:, None]))


def _size(y: Floats) -> float:
    return float(np.abs(y).max()) or 1.0
