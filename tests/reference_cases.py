"""Random models beside the twin, for its tests: data, populations, what rounding decides and what agrees."""

from __future__ import annotations

from copy import deepcopy

import numpy as np

from multigene import _reference as twin
from multigene._engine import Dataset, Individual, Population, operators
from multigene.settings.settings import Genes

ALL_FUNCTIONS = [name for name, _, _ in operators()] + [f"pow{n}" for n in (2, 3, 4, 5, 6, 7, -1, -2)]


#: Functions whose derivative jumps somewhere: finite differences across the jump say nothing.
JUMPS = {"abs", "sign", "min", "max"}


def made_data(seed: int, n: int = 60, d: int = 3, weighted: bool = False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.sin(X[:, 0] + 0.5 * X[:, 1]) + X[:, 2] ** 2 + 0.1 * rng.normal(size=n)
    weights = rng.uniform(0.0, 3.0, size=n) if weighted else None
    return twin.Rows.of(X, y, weights), Dataset(X, y, weights)


def grown(workers, number=60, d=3, seed=0, **genes):
    rng = np.random.default_rng(seed)
    settings = Genes(**{"max_genes": 4, "max_depth": 5, **genes})
    return Population.grow(settings, d, [int(s) for s in rng.integers(0, 2**62, number)], workers), settings


def read_again(model: Individual) -> Individual:
    """The model from its own text: then inner weights stand in the order of the text."""
    return Individual(model.genes, model.intercept, model.coefficients)


def close(a, b, tolerance=1e-9):
    """Equal up to rounding, relative to the largest entry."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return np.allclose(a, b, rtol=tolerance, atol=tolerance * (1e-300 + np.max(np.abs(b), initial=0.0)))


def nudged(rows: twin.Rows) -> twin.Rows:
    """The same rows with every feature moved by a few roundings."""
    noise = np.random.default_rng(0).choice([-1e-13, 1e-13], size=rows.X.shape)
    return twin.Rows(rows.X * (1.0 + noise), rows.y, rows.weights)


def gene_values(model: twin.Model, rows: twin.Rows):
    with np.errstate(all="ignore"):
        return np.array([twin.value(gene, rows.X) for gene in model.genes]).T


def gradient_of(model: twin.Model, rows: twin.Rows):
    """All derivatives in order; the model's own state is left alone."""
    copy = twin.Model(deepcopy(model.genes), rows)
    for row in copy.weight_rows():
        row.gradient[:] = 0.0
    copy.add_gradient()
    gradients = [row.gradient for row in copy.weight_rows()]
    return np.concatenate(gradients) if gradients else np.empty(0)


def well_conditioned(values, rows) -> bool:
    """Genes that are neither nearly dependent nor of scales that rounding alone decides about."""
    with np.errstate(all="ignore"):
        columns = np.array([rows.centred(gene)[0] for gene in values.T])
        lengths = np.linalg.norm(columns, axis=1)
        means = np.abs(values.mean(axis=0))
    if not np.isfinite(lengths).all() or (lengths <= 1e-2 * means).any():
        return False
    return bool(np.linalg.svd(columns.T / lengths, compute_uv=False)[-1] > 1e-3)


def doubtful(model: twin.Model) -> bool:
    """Would rounding decide about the sign of a derivative, or about the least squares?"""
    other = nudged(model.rows)
    if model.fit is None or model.fit.unexplained < 1e-9:
        return True
    if not well_conditioned(gene_values(model, model.rows), model.rows):
        return True
    gradient, moved = gradient_of(model, model.rows), gradient_of(model, other)
    if not (np.isfinite(gradient).all() and np.isfinite(moved).all()):
        return True
    constant = np.concatenate([np.full(len(row.weights), not row.tuned) for row in model.weight_rows()])
    largest = np.abs(gradient[~constant]).max(initial=0.0)
    unsure = np.abs(gradient) <= 100.0 * np.abs(gradient - moved) + 1e-10 * largest
    zero = np.maximum(np.abs(gradient), np.abs(moved)) < 1e-14 * largest
    return largest < 1e-12 or bool((unsure & ~zero & ~constant).any())


def same_weights(model: Individual, reference: twin.Model) -> bool:
    """Are all inner weights of the engine's model those of the twin? Step sizes are products of the same few numbers."""
    found = twin.Model.read(model, reference.rows)
    pairs = zip(twin._nodes(found.genes), twin._nodes(reference.genes), strict=True)
    return all(
        a.row is None or np.allclose(a.row.weights, b.row.weights, rtol=1e-12, atol=1e-12) for a, b in pairs
    )
