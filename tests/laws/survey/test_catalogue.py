"""The catalogue: short sums of functions of monomials, and only of what is allowed."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.expression.tree import evaluate
from multigene.formula import Formula
from multigene.laws.constants import LARGEST_SET, MOST_SUGGESTED
from multigene.laws.survey.catalogue import Catalogue
from multigene.laws.survey.monomials import Monomials

NAMES = list("abcde")


def rows(n=200, d=5, low=1.0, high=2.0, seed=0):
    return np.random.default_rng(seed).uniform(low, high, (n, d))


def catalogue_of(X, allows, logarithm):
    return Catalogue(Monomials(X, allows), allows, logarithm)


@pytest.mark.parametrize(
    ("truth", "logarithm"),
    [
        (lambda a, b, c: a * b * np.sin(c) + a, False),
        (lambda a, b, c: c**3 / (np.exp(a / b) - 1.0), False),
        (lambda a, b, c: np.log(a * np.exp(-b * c)), True),
        (lambda a, b, c: np.log(a * np.sqrt(1.0 + b / c)), True),
    ],
)
def test_the_catalogue_holds_short_sums(truth, logarithm):
    X = rows(d=3, high=5.0)
    y = truth(*X.T)
    catalogue = catalogue_of(X, lambda *names: True, logarithm)
    genes = next(catalogue.sets([y]))[0]
    columns = [evaluate(gene, X) for gene in genes] + list(catalogue.fixed.T)
    A = np.column_stack(columns)
    A = A / np.linalg.norm(A, axis=0)
    left = y - A @ np.linalg.lstsq(A, y, rcond=None)[0]
    assert float(left @ left) < 1e-18 * float(np.sum((y - y.mean()) ** 2))


def test_the_catalogue_uses_only_what_is_allowed():
    X = rows(d=2)
    catalogue = catalogue_of(X, lambda *names: not {"sin", "cos", "tanh", "div"} & set(names), False)
    words = {str(Formula(g, NAMES)) for s in next(catalogue.sets([np.sin(X[:, 0]) / X[:, 1]])) for g in s}
    assert words
    assert not any(forbidden in word for word in words for forbidden in ("sin", "cos", "tanh", "/", "**(-"))


def test_columns_say_what_they_hold():
    """Of some columns of every kind the expression has the values, up to length and what the fixed columns explain."""
    X = rows(40, 2, 0.2, 0.9)
    for logarithm in (False, True):
        catalogue = catalogue_of(X, lambda *names: True, logarithm)
        columns = catalogue.columns
        for k in np.random.default_rng(0).choice(len(columns.cost), 60, replace=False):
            values = evaluate(catalogue._say(columns.tags[k]), X)
            left = values - catalogue.fixed @ (catalogue.fixed.T @ values)
            np.testing.assert_allclose(left / np.linalg.norm(left), columns.values[k], atol=1e-8)


def test_sets_are_few_and_small():
    X = rows(60, 2)
    y = np.random.default_rng(1).standard_normal(60)
    sets = next(catalogue_of(X, lambda *names: True, False).sets([y]))
    assert {len(genes) for genes in sets} == set(range(1, LARGEST_SET + 1))
    assert len(sets) <= (LARGEST_SET + 1) * MOST_SUGGESTED


def test_a_target_that_the_fixed_columns_explain_needs_no_genes():
    X = rows(60, 2)
    catalogue = catalogue_of(X, lambda *names: True, True)
    assert next(catalogue.sets([2.0 * np.log(X[:, 0]) - np.log(X[:, 1]) + 1.0])) == [[]]
    assert next(catalogue.sets([np.full(60, np.inf)])) == [[]]
