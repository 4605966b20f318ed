"""Is what a formula leaves noise? Tests for structure in residuals: along every feature, between neighbours, by a smooth model.

What approximates leaves waves; what is right leaves nothing that features can tell. `small_noise.py` asks before a formula is
called a law that is exact to the data's precision, `claims.py` before one is called consistent with the noise.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from multigene.data.spread import evenly
from multigene.laws.constants import NEIGHBOUR_ROWS, NOISE_TAIL, NOISE_Z, SMOOTH_PART, TERM_Z
from multigene.laws.variables.surrogate import highest_degree, surrogate_of

Floats = npt.NDArray[np.float64]


def like_noise(residuals: Floats, X: Floats, predicted: Floats) -> bool:
    """Do features and predictions say nothing about the residuals, and is no row far from the others?"""
    size = float(np.sqrt(np.mean(residuals**2)))
    if not np.isfinite(size) or size == 0.0 or np.abs(residuals).max() > NOISE_TAIL * size:
        return False
    r = (residuals - residuals.mean()) / size
    used = X[:, np.ptp(X, axis=0) > 0.0]
    orders = [np.argsort(column, kind="stable") for column in (*used.T, predicted)]
    if any(_roughness(r[order], 1) < -NOISE_Z for order in orders) or _between_neighbours(r, used) < -NOISE_Z:
        return False
    return not _told_by_a_term(r, used) and not _smooth(r, used)


def _roughness(r: Floats, lag: int) -> float:
    """Von Neumann's ratio of steps and spread as a normal deviate: far below zero where neighbours are alike."""
    steps = float(np.mean((r[lag:] - r[:-lag]) ** 2)) / (2.0 * float(np.var(r)) or 1.0)
    return (steps - 1.0) * float(np.sqrt(len(r)))


def _between_neighbours(r: Floats, X: Floats) -> float:
    """The same for every row and the one nearest to it, features by their ranks."""
    rows = evenly(len(r), NEIGHBOUR_ROWS)
    ranks = np.argsort(np.argsort(X[rows], axis=0), axis=0).astype(float)
    squares = np.sum(ranks**2, axis=1)
    distances = squares[:, None] + squares - 2.0 * ranks @ ranks.T
    np.fill_diagonal(distances, np.inf)
    alike = r[rows] - r[rows][distances.argmin(axis=1)]
    ratio = float(np.mean(alike**2)) / (2.0 * float(np.var(r[rows])) or 1.0)
    return (ratio - 1.0) * float(np.sqrt(len(rows) / 1.5))  # a row may be the nearest of several


def _told_by_a_term(r: Floats, X: Floats) -> bool:
    """Is there a power or a product of two features that the residuals go with?"""
    if X.shape[1] == 0:
        return False
    Z = (X - X.min(axis=0)) / np.ptp(X, axis=0) * 2.0 - 1.0
    first, second = np.triu_indices(Z.shape[1])
    terms = np.hstack([Z, Z[:, first] * Z[:, second], Z**3])
    terms = terms - terms.mean(axis=0)
    size = np.linalg.norm(terms, axis=0)
    alike = np.abs(terms.T @ (r - r.mean())) / np.where(size > 0.0, size, 1.0) / float(np.std(r) or 1.0)
    return bool(alike.max() > TERM_Z)


def _smooth(r: Floats, X: Floats) -> bool:
    """Does a smooth model of the features predict left-out residuals?"""
    if X.shape[1] == 0 or highest_degree(len(r), X.shape[1]) < 2:
        return False
    smooth = surrogate_of(X, r, np.ones(len(r)), 1)
    return smooth is not None and smooth.left < 1.0 - SMOOTH_PART
