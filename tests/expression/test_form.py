"""Forms: formulas with unknown functions and numbers, read and filled."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.expression.form import read_form
from multigene.expression.reading import read
from multigene.expression.tree import evaluate

NAMES = ["a", "b", "c", "T", "temperature"]
X = np.random.default_rng(0).uniform(0.5, 2.0, (20, 5))
A, B, C, T, _ = X.T


def test_functions_numbers_and_known_parts():
    form = read_form("f(a, b)*exp(-g(c)/T) + p; f <= 9", NAMES)
    assert [(f.name, f.arity, f.most_nodes) for f in form.functions] == [("f", 2, 9), ("g", 1, 20)]
    assert form.numbers == ("p",)
    filled = form.filled([read("x*y", "xy"), read("2*x", "x")], [0.5])
    np.testing.assert_allclose(evaluate(filled, X), A * B * np.exp(-2 * C / T) + 0.5)


def test_a_function_at_two_places_and_one_within_another():
    form = read_form("f(a) - f(b)", NAMES)
    assert len(form.functions) == 1
    assert len(form.places) == 2
    np.testing.assert_allclose(evaluate(form.filled([read("x**2", "x")], []), X), A**2 - B**2)
    nested = read_form("f(g(a) - k*b)", NAMES)
    filled = nested.filled([_of(nested, "g", "x**2", "f", "sin(x)")[i] for i in range(2)], [3.0])
    np.testing.assert_allclose(evaluate(filled, X), np.sin(A**2 - 3 * B))


def _of(form, *pairs):
    texts = dict(zip(pairs[::2], pairs[1::2], strict=True))
    return [read(texts[function.name], "x") for function in form.functions]


def test_the_same_form_from_sympy():
    sympy = pytest.importorskip("sympy")
    a, t, p = sympy.symbols("a T p")
    f = sympy.Function("f")
    form = read_form(f(a) * sympy.exp(-2 / t) + p, NAMES)
    filled = form.filled([read("x**2", "x")], [1.5])
    np.testing.assert_allclose(evaluate(filled, X), A**2 * np.exp(-2 / T) + 1.5)


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("a + 2*b", "has no unknown function and no unknown number"),
        ("f(a, zz)", r"^The form f\(a, «zz»\) cannot be read: 'zz' is no column"),
        (
            "f(a)*temperatur",
            r"«temperatur» cannot be read: 'temperatur' is no column; did you mean 'temperature'",
        ),
        ("f(a) + f(a, b)", r"f\(a\) \+ «f»\(a, b\) cannot be read: 'f' takes 1 argument, got 2"),
        ("sine(a)", "'sine' is no function; did you mean 'sin'"),
        ("f(a) + f", "'f' is a function at another place"),
        ("a(b)", "'a' is a column and cannot be called"),
        ("f(2)", "has no column in it"),
        ("f(a", r"f\(a«» cannot be read"),
        ("f(a); g <= 3", "limit 'g <= 3' cannot be read"),
        (3, "form=3 is no form"),
        ("f(a) + y", r"f\(a\) \+ «y» cannot be read: 'y' is the target"),
    ],
)
def test_mistakes_are_marked(form, said):
    with pytest.raises(ValueError, match=said):
        read_form(form, NAMES)
