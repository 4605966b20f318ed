"""Outer coefficients that keep the shapes on points: least squares under linear conditions.

A model that breaks a shape often does so by its coefficients alone. Given its genes, the best coefficients that keep every
condition are those of a small quadratic program (Lawson & Hanson, "Solving Least Squares Problems", chapter 23): a problem of
least distance, solved by non-negative least squares.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy

from multigene.shapes.constants import ADDED, BROKEN, DEPENDENT, MARGINS, NEARLY, ROUNDS, TOLERANCE
from multigene.shapes.points import Conditions

Floats = npt.NDArray[np.float64]


def constrained(
    columns: Floats, y: Floats, weights: Floats | None, at_points: Floats, conditions: Conditions
) -> Floats | None:
    """Intercept and coefficients of least squares that keep the conditions; None where none do.

    `columns` are the genes on the rows, `at_points` on the points of the conditions.
    """
    A = np.hstack([np.ones((len(y), 1)), columns])
    P = np.hstack([np.ones((len(at_points), 1)), at_points])
    if not (np.isfinite(A).all() and np.isfinite(P).all()):
        return None
    G = np.asarray(conditions.matrix @ P)
    h = conditions.lower
    # Equations: coefficients that meet them all are one solution and what leaves it alone.
    start, free = _meeting(G[conditions.equal], h[conditions.equal])
    if start is None or free.shape[1] == 0:
        return start
    root = np.ones(len(y)) if weights is None else np.sqrt(weights / weights.mean())
    rest, target = root[:, None] * (A @ free), root * (y - A @ start)
    U, sizes, Vt = np.linalg.svd(rest, full_matrices=False)
    kept = sizes > DEPENDENT * (sizes[0] if len(sizes) else 0.0)
    if not kept.any():
        return start
    back = Vt[kept].T / sizes[kept]  # from coordinates in which distance is what is lost
    best = U[:, kept].T @ target
    inequality = ~conditions.equal
    G_free, h_free = G[inequality] @ free @ back, h[inequality] - G[inequality] @ start
    for margin in MARGINS:
        moved = _least_distance(G_free, h_free + margin, best)
        if moved is not None:
            return np.asarray(start + free @ (back @ moved))
    return None


def _meeting(G: Floats, h: Floats) -> tuple[Floats | None, Floats]:
    """A solution of equations and a basis of what they leave free; None where they contradict each other."""
    n = G.shape[1]
    if len(G) == 0:
        return np.zeros(n), np.eye(n)
    U, sizes, Vt = np.linalg.svd(G, full_matrices=len(G) < n)
    rank = int(np.sum(sizes > DEPENDENT * max(float(sizes[0]), 1e-300)))
    solution = Vt[:rank].T @ ((U[:, :rank].T @ h) / sizes[:rank])
    if np.abs(G @ solution - h).max() > BROKEN * TOLERANCE:
        return None, Vt[rank:].T
    return solution, Vt[rank:].T


def _least_distance(G: Floats, h: Floats, best: Floats) -> Floats | None:
    """The point nearest to `best` with G·z ≥ h; conditions are added as they are found to be broken."""
    z = best
    active = np.zeros(len(h), dtype=bool)
    for _ in range(ROUNDS):
        lacking = h - G @ z
        worst = np.argsort(-lacking)[:ADDED]
        worst = worst[lacking[worst] > BROKEN * TOLERANCE]
        if len(worst) == 0:
            return z
        if active[worst].all():
            return z if lacking.max() <= NEARLY * TOLERANCE else None
        active[worst] = True
        step = _to_half_spaces(G[active], h[active] - G[active] @ best)
        if step is None:
            return None
        z = best + step
    return None


def _to_half_spaces(G: Floats, h: Floats) -> Floats | None:
    """The shortest step x with G·x ≥ h."""
    size = np.abs(G).max(axis=1, initial=0.0)
    if np.any((size == 0.0) & (h > 0.0)):
        return None
    G, h = G[size > 0.0] / size[size > 0.0, None], h[size > 0.0] / size[size > 0.0]
    if len(h) == 0:
        return np.zeros(G.shape[1])
    E, f = np.vstack([G.T, h]), np.r_[np.zeros(G.shape[1]), 1.0]
    try:
        u, _ = scipy.optimize.nnls(E, f, maxiter=50 * len(h))
    except RuntimeError:
        return None
    residual = E @ u - f
    if abs(residual[-1]) < 1e-12:
        return None
    return np.asarray(-residual[:-1] / residual[-1])
