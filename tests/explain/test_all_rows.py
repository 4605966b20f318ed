"""Coefficients and scores over chunks are those of all rows at once."""

from __future__ import annotations

import numpy as np
import pytest

from multigene._engine import Individual
from multigene.evolution.pareto import Member
from multigene.explain.all_rows import refitted


def chunks(X: np.ndarray, y: np.ndarray, size: int) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(X[start : start + size], y[start : start + size]) for start in range(0, len(y), size)]


def test_least_squares_over_chunks() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(1, 3, (5000, 2))
    y = 1e4 + 3.0 * X[:, 0] - 2.0 * X[:, 1] + 0.1 * rng.normal(size=5000)
    member = Member(Individual(["x0", "x1"], 0.0, [1.0, 1.0]), 0.1, 3)
    [found], ranges, rows, variance = refitted([member], (X[:100], y[:100]), chunks(X, y, 700))
    np.testing.assert_allclose(found.individual.coefficients, [3.0, -2.0], atol=0.02)
    residual = y - found.individual.predict(X)
    assert found.fitness == pytest.approx(1.0 - residual.var() / y.var(), abs=1e-6)
    assert rows == 5000
    assert variance == pytest.approx(y.var())
    assert ranges.low.tolist() == [*X.min(axis=0), y.min()]


def test_laws_keep_their_numbers_and_unfit_models_stay_as_they_are() -> None:
    X = np.linspace(0.5, 2.0, 1000)[:, None]
    y = 0.5 * X[:, 0]
    law = Member(Individual(["x0"], 0.0, [0.5]), 1.0, 2)
    pole = Member(Individual(["div(1, sub(x0, 2))"], 0.0, [1.0]), 0.3, 2)
    [same, unfit], *_ = refitted([law, pole], (X[:100], y[:100]), chunks(X, y, 100))
    assert same.individual.coefficients == [0.5]
    assert same.fitness == pytest.approx(1.0)
    assert unfit is pole


def test_a_line_with_a_coefficient_shows_their_products_with_few_digits() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 2))
    y = 0.51 * X[:, 0] + 2.03 * X[:, 1] + 0.7 + 0.3 * rng.normal(size=5000)
    member = Member(Individual(["[0: 0.2 + 0.50417*x0 + 1.99871*x1]", "x0*x1"], 0.0, [1.0, 0.01]), 0.9, 9)
    [found], *_ = refitted([member], (X[:100], y[:100]), chunks(X, y, 700))
    [(kind, constant, weights)] = found.individual.tokens(0)
    assert (kind, constant, found.individual.coefficients[0]) == ("lcf", 0.0, 1.0)
    assert all(len(f"{weight:.12g}".strip("-0.").replace(".", "")) <= 6 for _, weight in weights)
    residual = y - found.individual.predict(X)
    assert found.fitness == pytest.approx(1.0 - residual.var() / y.var(), abs=1e-6)
