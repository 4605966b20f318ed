"""Linear models for the first population: the product is never worse than them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual
from multigene.problem import Problem

Floats = npt.NDArray[np.float64]


def linear_models(problem: Problem, data: Dataset) -> list[Individual]:
    """The ridge-safe linear model of standardised features, and models of the best few features, each one linear combination."""
    Z, y = problem.standardised(problem.X[problem.search_rows]), problem.y[problem.search_rows]
    n, d = Z.shape
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
    """Features in the order in which they explain most of what is left (orthogonal matching pursuit)."""
    Q = Z - Z.mean(axis=0)
    norms = np.linalg.norm(Q, axis=0)
    residual = y - y.mean()
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
    """Least squares with a trace of ridge, so that dependent columns share their weight."""
    A = Z - Z.mean(axis=0)
    scale = float(np.abs(y).max()) or 1.0
    b = (y - y.mean()) / scale
    gram = A.T @ A
    gram[np.diag_indices_from(gram)] += 1e-6 * max(float(np.trace(gram)) / len(gram), 1e-300)
    return np.asarray(np.linalg.solve(gram, A.T @ b), dtype=np.float64)
