"""What the first part of a split may be."""

from __future__ import annotations

import numpy as np
import pytest

from multigene._engine import Individual
from multigene.expression.genes import model_expression
from multigene.expression.tree import evaluate
from multigene.laws.parts.candidates import candidates, forms
from multigene.laws.parts.splits import Bases, splits


def read(text):
    return model_expression(Individual([text], 0.0, [1.0]))


@pytest.mark.parametrize(
    ("text", "product", "values"),
    [
        ("3.0*cos(x0) - 7.0", False, [lambda x: 3.0 * np.cos(x)]),
        ("3.0*cos(x0) - 7.0", True, [np.cos, lambda x: 3.0 * np.cos(x) - 7.0]),
        ("2.5*x0", True, [lambda x: x, lambda x: x]),
    ],
    ids=["term", "factor", "multiple"],
)
def test_what_the_rest_can_have_is_left_out(text, product, values):
    x = np.linspace(0.1, 2.0, 20)
    found = [evaluate(form, x[:, None]) for form in forms(read(text), product)]
    for value, expected in zip(found, values, strict=True):
        np.testing.assert_allclose(value, expected(x), rtol=1e-12)


def test_the_simple_form_is_first():
    rng = np.random.default_rng(0)
    X = rng.uniform(1.0, 4.0, (400, 3))
    y = np.cos(X[:, 0]) * np.sqrt(X[:, 1] + X[:, 2] ** 3)
    split = next(s for s in splits(X, y, [0, 1, 2]) if s.first == (0,) and s.transform.name == "y")
    found = [read("0.2 + 1.01*cos(1.001*x0)"), read("3.1*cos(x0) + 0.01"), read("x0")]
    first = candidates(found, split, Bases(X, split.logarithms), X[:, [0]], y)[0]
    assert first == read("cos(x0)")
