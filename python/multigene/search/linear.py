"""Linear models: members of the first population, and the standard (ridge regression among them) that a formula must beat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual
from multigene.data.losses import Loss
from multigene.data.scores import scale_of
from multigene.search.constants import (
    PENALTIES,
    REFITTING_STEPS,
    REWEIGHTINGS,
    SINGULAR,
    STRENGTHS,
    SUBSETS,
    WORSE_STRENGTHS,
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
        """The penalty with the least error on rows left out, in closed form from one decomposition. Columns count as if they had
        unit variance."""
        weights = (
            weights / weights.max()
        )  # sums of weights near the ends of floating point over- or underflow
        # Squares of values near the end of the range overflow.
        root, unit = np.sqrt(weights / weights.mean()), scale_of(y)
        centre, level = np.average(Z, axis=0, weights=weights), float(np.average(y / unit, weights=weights))
        A, b = root[:, None] * (Z - centre), root * (y / unit - level)
        A = np.where(np.isfinite(A).all(axis=0), A, 0.0)  # a column that is not finite explains nothing
        spread = np.sqrt(np.mean(A**2, axis=0))  # searches leave a column as it is that is about standardised
        spread[~(np.isfinite(spread) & (spread > 0.0))] = 1.0
        A = A / spread
        U, sizes, Vt = np.linalg.svd(A, full_matrices=False)
        along = U.T @ b

        def errors(penalty: float) -> Floats:
            shrunk = sizes**2 / (sizes**2 + penalty)
            left = b - U @ (shrunk * along)
            # The mean takes one further degree of freedom.
            leverage = np.minimum((U**2) @ shrunk + root**2 / len(y), 1.0 - 1e-9)
            return np.asarray((left / (1.0 - leverage)) ** 2)

        penalty = min(PENALTIES, key=lambda each: float(errors(each).sum()))
        shrunk = sizes**2 / (sizes**2 + penalty)
        solution = Vt.T @ (np.where(sizes > 0.0, shrunk / np.where(sizes > 0.0, sizes, 1.0), 0.0) * along)
        solution = solution / spread
        return Ridge(solution * unit, (level - float(centre @ solution)) * unit)

    @staticmethod
    def of_loss(Z: Floats, y: Floats, weights: Floats, loss: Loss) -> Ridge:
        """The same for another loss: of lines from the most shrunk on, each begun at the one before, that of least loss on rows
        left out one at a time. Strengths are in units of the loss's curvature at the best constant: where curvature falls as a
        fit becomes surer, as that of the logistic loss does, the restraint stays."""
        if loss.squared:
            return Ridge.fitted(Z, y, weights)
        weights = weights / weights.mean()
        Z = np.where(np.isfinite(Z).all(axis=0), Z, 0.0)
        line = best = Ridge(np.zeros(Z.shape[1]), loss.constant(y, weights))
        unit = float(np.sum(weights * loss.working(y, line.predict(Z))[0]))
        least, worse = float(np.average(loss.values(y, line.predict(Z)), weights=weights)), 0
        for strength in sorted(STRENGTHS, reverse=True):
            line, left_out = line._shrunk(Z, y, weights, loss, strength * unit)
            better = left_out < least
            best, least, worse = (line, left_out, 0) if better else (best, least, worse + 1)
            if worse >= WORSE_STRENGTHS:
                break
        return best

    def _shrunk(
        self, Z: Floats, y: Floats, weights: Floats, loss: Loss, penalty: float
    ) -> tuple[Ridge, float]:
        """The line of least loss plus this penalty times its squared weights, from this one on, and its loss on rows left out."""

        def cost(line: Ridge) -> float:
            rows = weights * loss.values(y, line.predict(Z))
            return float(rows.sum() + penalty * line.weights @ line.weights)

        line, before = self, cost(self)
        for _ in range(REWEIGHTINGS):
            step, _ = line._stepped(Z, y, weights, loss, penalty)
            for share in (1.0, 0.5, 0.25, 0.1, 0.01):
                moved = Ridge(
                    line.weights + share * (step.weights - line.weights),
                    line.intercept + share * (step.intercept - line.intercept),
                )
                after = cost(moved)
                if after < before:
                    break
            else:
                break
            line, gain, before = moved, before - after, after
            if gain < 1e-6 * before:
                break
        _, left_out = line._stepped(Z, y, weights, loss, penalty)
        return line, float(np.average(loss.values(y, left_out), weights=weights))

    def _stepped(
        self, Z: Floats, y: Floats, weights: Floats, loss: Loss, penalty: float
    ) -> tuple[Ridge, Floats]:
        """The line of the squared errors that look like a loss at this one, and what it predicts for every row without it."""
        w, z = loss.working(y, self.predict(Z))
        w = np.maximum(weights * w, 1e-12 * float((weights * w).max()))
        centre, level = np.average(Z, axis=0, weights=w), float(np.average(z, weights=w))
        root = np.sqrt(w)
        A, b = root[:, None] * (Z - centre), root * (z - level)
        n, d = A.shape
        if d <= n:
            gram = A.T @ A
            gram[np.diag_indices(d)] += max(penalty, SINGULAR * float(np.trace(gram)))
            spread = np.linalg.solve(gram, A.T)
            solution, own = spread @ b, np.einsum("ij,ji->i", A, spread)
        else:  # the same from the side of the rows
            gram = A @ A.T
            gram[np.diag_indices(n)] += (least := max(penalty, SINGULAR * float(np.trace(gram))))
            inverse = np.linalg.inv(gram)
            solution, own = A.T @ (inverse @ b), 1.0 - least * np.diag(inverse)
        line = Ridge(solution, level - float(centre @ solution))
        leverage = np.clip(own + w / w.sum(), 0.0, 1.0 - 1e-9)
        return line, np.asarray(z - (z - line.predict(Z)) / (1.0 - leverage))

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
