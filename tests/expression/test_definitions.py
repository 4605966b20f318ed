"""Formulas' text read as expressions, and operators in terms of others."""

from __future__ import annotations

import math

import numpy as np
import pytest
from random_expressions import random_models

from multigene.expression.build import call
from multigene.expression.definitions import DEFINITIONS, REPEATED, spelt_out
from multigene.expression.reading import read
from multigene.expression.rewriting import simplify
from multigene.expression.tree import Expression, Number, Power, Variable, evaluate
from multigene.formula import Formula

x, y = Variable(0), Variable(1)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("x", x),
        ("2", Number(2.0)),
        ("-1.5e-3", Number(-0.0015)),
        ("x + y - 1", call("sub", call("add", x, y), Number(1.0))),
        ("-x**2", call("neg", Power(x, 2.0))),
        ("x**(-0.5)", Power(x, -0.5)),
        ("x*y/2", call("div", call("mul", x, y), Number(2.0))),
        ("max(x, pi)", call("max", x, Number(math.pi))),
        ("sinc(x)", call("sinc", x)),
    ],
)
def test_text_is_read(text: str, tree: Expression) -> None:
    assert read(text, "xy") == tree


def test_the_sentence_names_what_is_not_understood() -> None:
    with pytest.raises(ValueError, match=r"^1 \+ x«\.»real cannot be read: '\.' cannot be read here"):
        read("1 + x.real", "xy")
    with pytest.raises(ValueError, match="takes 1 argument"):
        read("sin(x, y)", "xy")


def test_what_is_printed_is_read_back() -> None:
    X = np.random.default_rng(0).uniform(0.5, 1.5, (20, 3))
    compared = 0
    for model in random_models(120, 3, seed=4)[:-1]:
        short = simplify(model)
        again = evaluate(read(Formula(short, "xyz").text(digits=None), "xyz"), X)
        here = evaluate(short, X)
        ordinary = np.isfinite(again) & np.isfinite(here) & (np.abs(here) < 1e6)
        np.testing.assert_allclose(again[ordinary], here[ordinary], rtol=1e-6, atol=1e-8)
        compared += bool(ordinary.any())
    assert compared > 80


def test_definitions_over_arguments() -> None:
    assert spelt_out("logistic", [y]) == read("1/(1 + exp(y))", "xy")
    assert spelt_out("aq", [y, x]) == read("y/sqrt(1 + x**2)", "xy")
    assert {name for name, again in REPEATED.items() if any(again)} == {"sinc", "bent"}
    assert set(REPEATED) == set(DEFINITIONS)
