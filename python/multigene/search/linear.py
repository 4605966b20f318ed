"""Linear models: members of the first population, and the standard (ridge regression among them) that a formula must beat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual
from multigene.data.losses import Loss
from multigene.data.scores import scale_of
from multigene.search.constants import (
    REFITTING_STEPS,
    REWEIGHTINGS,
    ROWS_PER_COLUMN,
    STRENGTHS,
    SUBSETS,
    UNSHRUNK,
)
from multigene.search.problem import Problem
from multigene.settings.settings import Refinement

Floats = npt.NDArray[np.float64]

#: How the weights of a line, which are those of least squares, are fitted to another loss.
OTHER_LOSS = Refinement(iterations=REFITTING_STEPS, prune=0.0, decay=0.0)


def linear_models(problem: Problem, data: Dataset) -> list[Individual]:
    """The ridge-safe linear model of standardised features, and models of the best few features, each one linear combination."""
    rows = problem.search_rows
    weights = (
        np.ones(len(rows))
        if problem.weights is None
        else problem.weights[rows] / problem.weights[rows].mean()
    )
    Z, y = (
        centred(problem.standardised(problem.X[rows]), weights),
        centred(problem.y[rows] / scale_of(problem.y[rows]), weights),
    )
    n, d = max(len(rows), round(float(weights.sum()))), Z.shape[1]
    order = forward_selection(Z, y, min(d, SUBSETS[-1], max(1, n - 2)))
    subsets = [order[:k] for k in SUBSETS if k <= len(order)]
    if d not in {len(s) for s in subsets}:
        subsets.append(list(range(d)))
    models = []
    for subset in subsets:
        weights = _ridge(Z[:, subset], y)
        terms = " + ".join(
            f"{w!r}*x{j}" for j, w in zip(subset, weights.tolist(), strict=True) if np.isfinite(w)
        )
        if terms:
            line = Individual([f"[{subset[0]}: 0.0 + {terms}]"], 0.0, [1.0])
            models.append(line.fit(data) if problem.loss.squared else line.refine(data, OTHER_LOSS))
    return models


@dataclass(frozen=True)
class Ridge:
    """Ridge regression on standardised features, its strength chosen by leaving rows out one at a time."""

    weights: Floats
    intercept: float

    @staticmethod
    def fitted(Z: Floats, y: Floats, weights: Floats) -> Ridge:
        """The strength with the least error on rows left out, in closed form from one decomposition; with enough rows per column
        the least strength that these rows cannot tell from that."""
        weights = (
            weights / weights.max()
        )  # sums of weights near the ends of floating point over- or underflow
        # Squares of values near the end of the range overflow.
        root, unit = np.sqrt(weights / weights.mean()), scale_of(y)
        centre, level = np.average(Z, axis=0, weights=weights), float(np.average(y / unit, weights=weights))
        A, b = root[:, None] * (Z - centre), root * (y / unit - level)
        A = np.where(np.isfinite(A).all(axis=0), A, 0.0)  # a column that is not finite explains nothing
        U, sizes, Vt = np.linalg.svd(A, full_matrices=False)
        along = U.T @ b

        def errors(strength: float) -> Floats:
            shrunk = sizes**2 / (sizes**2 + strength * len(y))
            left = b - U @ (shrunk * along)
            # The mean takes one further degree of freedom.
            leverage = np.minimum((U**2) @ shrunk + root**2 / len(y), 1.0 - 1e-9)
            return np.asarray((left / (1.0 - leverage)) ** 2)

        best = min(STRENGTHS, key=lambda strength: float(errors(strength).sum()))
        least, strength = errors(best), best
        if len(y) >= ROWS_PER_COLUMN * Z.shape[1]:
            strength = next(
                s for s in STRENGTHS if s == best or not clearly_better(least, errors(s), UNSHRUNK)
            )
        shrunk = sizes**2 / (sizes**2 + strength * len(y))
        solution = Vt.T @ (np.where(sizes > 0.0, shrunk / np.where(sizes > 0.0, sizes, 1.0), 0.0) * along)
        return Ridge(solution * unit, (level - float(centre @ solution)) * unit)

    @staticmethod
    def of_loss(Z: Floats, y: Floats, weights: Floats, loss: Loss) -> Ridge:
        """The same for another loss: ridge regressions of the squared errors that look like it, one after the other."""
        if loss.squared:
            return Ridge.fitted(Z, y, weights)
        best = Ridge(np.zeros(Z.shape[1]), loss.constant(y, weights))

        def cost(line: Ridge) -> float:
            return float(np.average(loss.values(y, line.predict(Z)), weights=weights))

        before = cost(best)
        for _ in range(REWEIGHTINGS):
            w, z = loss.working(y, best.predict(Z))
            step = Ridge.fitted(Z, z, np.maximum(weights * w, 1e-12 * float((weights * w).max())))
            for share in (1.0, 0.5, 0.25, 0.1, 0.01):
                moved = Ridge(
                    best.weights + share * (step.weights - best.weights),
                    best.intercept + share * (step.intercept - best.intercept),
                )
                after = cost(moved)
                if after < before:
                    break
            else:
                return best
            best, gain, before = moved, before - after, after
            if gain < 1e-9 * before:
                return best
        return best

    def predict(self, Z: Floats) -> Floats:
        """Prediction on standardised features."""
        return np.asarray(self.intercept + Z @ self.weights)

    def explained(self, Z: Floats, y: Floats, weights: Floats, loss: Loss) -> float:
        """Share of the loss explained."""
        return loss.explained(y, self.predict(Z), weights)

    def individual(self) -> Individual:
        """As a model with one linear combination."""
        terms = " + ".join(f"{w!r}*x{j}" for j, w in enumerate(self.weights.tolist()))
        return Individual([f"[0: 0.0 + {terms}]"], self.intercept, [1.0])


def clearly_better(first: Floats, second: Floats, errors: float) -> bool:
    """Is the mean of the first smaller than that of the second by this many standard errors of the difference?"""
    if not np.all(np.isfinite(first)):
        return False
    if not np.all(np.isfinite(second)):
        return True
    difference = second - first
    spread = float(difference.std(ddof=1)) / np.sqrt(len(difference)) if len(difference) > 1 else 0.0
    return float(difference.mean()) > errors * spread


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


def centred(values: Floats, weights: Floats) -> Floats:
    """Without the weighted mean, times the root of the weights."""
    centred = values - np.average(values, axis=0, weights=weights)
    return np.asarray(centred * (np.sqrt(weights) if values.ndim == 1 else np.sqrt(weights)[:, None]))
