"""Which formulas keep which rules."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.expression.reading import read
from multigene.expression.rewriting import simplify
from multigene.rules.kept import Rules

NAMES = ["t", "dose", "z"]
POINTS = np.column_stack([np.linspace(1.0, 3.0, 20)] * 3)


@pytest.mark.parametrize(
    ("rule", "kept", "broken"),
    [
        (
            "sin only of t",
            ["sin(2*t + 1) + dose", "sin(t**2)", "dose"],
            ["sin(dose)", "sin(t*dose)", "z*sin(t + exp(z))"],
        ),
        ("exp only of sin, t", ["exp(sin(t))", "exp(2*t)"], ["exp(cos(t))", "exp(sin(z))"]),
        ("exp never of sin", ["exp(t) + sin(t)", "sin(exp(t))"], ["exp(sin(t))", "exp(t + 2*sin(z))"]),
        ("exp never of z", ["z*exp(t)"], ["exp(t*z)", "logistic(z)"]),
        ("t only in exp, sin", ["exp(t) + dose", "z*sin(t*dose)", "dose"], ["t", "t*exp(t)", "cos(t)"]),
        (
            "exp at most 1",
            ["exp(t)", "exp(exp(t)) - exp(exp(t))"],
            ["exp(t) + exp(z)", "exp(exp(t))", "gauss(t) + exp(z)"],
        ),
        ("sqrt at most 1", ["sqrt(t)"], ["sqrt(t) + z**0.5"]),
        ("must use dose", ["dose", "sin(t*dose)"], ["t", "3"]),
        ("must use dose, z", ["dose + z"], ["dose"]),
        ("never z", ["t + dose"], ["t + z", "exp(z)"]),
        ("never exp", ["sin(t)"], ["1 + exp(t)", "logistic(t)"]),
        ("never logistic", ["exp(t)"], ["1 - logistic(t)"]),
        ("log only of values above 1", ["log(t)", "log(t*dose) + sin(z)"], ["log(t - 1)", "log(t/10)"]),
        ("whole exponents", ["t**2/z", "2.5*t"], ["t**1.5", "sqrt(t)"]),
        ("exponents between -1 and 2", ["t**2/z"], ["t**3", "1/z**2"]),
        ("whole constants", ["3*t - 2*sin(2*z) + 1", "t/z"], ["1.5*t", "sin(0.5*t)", "t + 0.1"]),
        (
            "constants between 0 and 5",
            ["3*t + sin(2*z) + 1", "t*z"],
            ["3*t - sin(z)", "exp(-t)", "t + 6", "t - 1"],
        ),
        ("constants above 0", ["t + 2*z"], ["t - z", "-t"]),
    ],
)
def test_formulas(rule, kept, broken):
    rules = Rules.of([rule], NAMES, points=POINTS)
    for text in kept:
        assert rules.broken(simplify(read(text, NAMES))) is None, text
    for text in broken:
        assert rules.broken(simplify(read(text, NAMES))).text == rule, text


def test_own_functions_are_recognised_where_they_are_spelt_out():
    own = [("hill", "x**2/(1 + x**2)", 1.0), ("ratio", "x/(1 + y)", 1.0), ("add", None, 1.0)]
    hill, twice = "{0}**2/(1 + {0}**2)".format, "{0}**2/(1 + {0}**2) + 3*{1}**2/({1}**2 + 1)".format

    def broken(rule, text):
        return Rules.of([rule], NAMES, own, POINTS).broken(read(text, NAMES)) is not None

    assert not broken("hill at most once", hill("t"))
    assert not broken("hill at most once", f"3*({hill('t')})")
    assert broken("hill at most once", twice("t", "z"))
    assert broken("hill only of t", hill("z"))
    assert not broken("hill only of t", f"{hill('t')} + z")
    assert broken("hill only of values above 2", hill("t"))
    assert not broken("hill only of values between 0 and 5", hill("t"))
    assert broken("never ratio", "t/(1 + sin(z))")
    assert not broken("never ratio", "t/(2 + sin(z))")


def test_without_rules_nothing_is_broken():
    assert not Rules.of((), NAMES)
    assert Rules().broken(read("t", NAMES)) is None
