"""Probes: polynomial and rational laws by linear algebra."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.expression.readable import size
from multigene.expression.rewriting import natural
from multigene.expression.tree import evaluate
from multigene.laws.survey.probes import rational, total_exponents


def rows(n=200, d=5, low=1.0, high=2.0, seed=0):
    return np.random.default_rng(seed).uniform(low, high, (n, d))


@pytest.mark.parametrize(
    ("truth", "nodes"),
    [
        (lambda a, b, c: a * b / (a + c), 12),
        (lambda a, b, c: a**2 + 3.0 * b * c - 1.5, 16),
        (lambda a, b, c: (a + b) / (1.0 + a * b / c**2), 25),
        (lambda a, b, c: a**6 + a**3 + a, 13),
    ],
)
def test_rational_laws_are_found_at_once(truth, nodes):
    X = rows(d=3, high=4.0)
    law = rational(X, truth(*X.T), True)
    assert law is not None
    new = rows(d=3, high=4.0, seed=1)
    np.testing.assert_allclose(evaluate(law, new), truth(*new.T), rtol=1e-7)
    assert size(natural(law)) <= nodes


@pytest.mark.parametrize(
    "truth",
    [lambda a, b, c: np.sin(3.0 * a) * b, lambda a, b, c: np.exp(a * b) + c, lambda a, b, c: np.sqrt(a + b)],
)
def test_what_is_not_rational_is_not_called_so(truth):
    X = rows(d=3, high=4.0)
    assert rational(X, truth(*X.T), True) is None
    noisy = X[:, 0] * X[:, 1] + 1e-6 * np.random.default_rng(0).normal(size=len(X))
    assert rational(X, noisy, True) is None


def test_without_division_only_polynomials():
    X = rows(d=2)
    assert rational(X, X[:, 0] / X[:, 1], False) is None
    assert rational(X, X[:, 0] * X[:, 1], False) is not None


def test_the_lowest_degrees_are_taken():
    X = rows(d=1, low=-1.0, high=1.0)
    x = X[:, 0]
    law = rational(X, (1.0 - x**2) / (1.0 + x), True)  # 1 - x
    assert size(natural(law)) == 3
    np.testing.assert_allclose(evaluate(law, X), 1.0 - x, rtol=1e-10, atol=1e-12)


def test_exponents_by_total_degree():
    assert total_exponents(2, 2) == ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
    assert total_exponents(0, 3) == ((),)


def test_targets_without_values_have_no_law():
    X = rows(d=2)
    assert rational(X, np.full(200, np.inf), True) is None
    assert rational(X, np.zeros(200), True) is None
