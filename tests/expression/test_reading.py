"""The reader of formulas' text: notations of people and of other programs, and sentences that mark the place."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.expression.from_sympy import is_sympy, sympy_text
from multigene.expression.reading import FURTHER, read
from multigene.expression.tree import evaluate

NAMES = ["a", "b", "air gap"]
X = np.random.default_rng(0).uniform(0.5, 2.0, (30, 3))
A, B, GAP = X.T


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("y = 2·a^2 − `air gap`/1.5e1", 2 * A**2 - GAP / 15),
        ("-a**2", -(A**2)),
        ("a**-1", 1 / A),
        ("a**b", A**B),
        ("2**a", 2**A),
        ("E**a", np.exp(A)),
        ("a**(1/3)", np.cbrt(A)),
        ("a - -b", A + B),
        ("a/b/2", A / B / 2),
        ("square(a) + cube(b)", A**2 + B**3),
        ("pow(a, 2) + pow3(b)", A**2 + B**3),
        ("log10(a) + ln(b)", np.log10(A) + np.log(B)),
        ("tan(a)*sinh(b)", np.tan(A) * np.sinh(B)),
        ("sigmoid(a) - relu(b - 1)", 1 / (1 + np.exp(-A)) - np.maximum(B - 1, 0)),
        ("add(mul(a, b), max(a, b))", A * B + np.maximum(A, B)),
        ("pi*a", np.pi * A),
    ],
)
def test_notations(text, value):
    np.testing.assert_allclose(evaluate(read(text, NAMES), X), value, rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a + bb*2", r"^The guess a \+ «bb»\*2 cannot be read: 'bb' is no column; did you mean 'b'\?$"),
        ("sine(a)", r"«sine»\(a\) cannot be read: 'sine' is no function; did you mean 'sin'"),
        ("zeta(a)", r"'zeta' is no function; .*functions are add, sub"),
        ("sin(a", r"sin\(a«» cannot be read: expected '\)' but found the end"),
        ("sin(a, b)", r"'sin' takes 1 argument, got 2"),
        ("a b", r"a «b» cannot be read: 'b' cannot be read here"),
        ("a +", r"a \+«» cannot be read: the formula ends"),
        ("2*sin", r"'sin' is a function; give its argument"),
        ("a < b", r"a «<» b"),
        ("", "has 0 characters"),
        ("(" * 500 + "a" + ")" * 500, "nested more than"),
        ("a + 1e999", "beyond what floating point holds"),
    ],
)
def test_mistakes_are_marked(text, said):
    with pytest.raises(ValueError, match=said):
        read(text, NAMES, "The guess")


def test_every_further_function_has_a_value():
    for name, text in FURTHER.items():
        arguments = "a, b" if "y" in text.replace("log", "") else "a"
        assert np.isfinite(evaluate(read(f"{name}({arguments})", NAMES), X)).all(), name


def test_sympy_is_read_with_every_digit():
    sympy = pytest.importorskip("sympy")
    a, gap = sympy.Symbol("a"), sympy.Symbol("air gap", positive=True)
    given = (
        sympy.exp(-gap / 3) * sympy.Float(0.1234567890123456) / sympy.sqrt(a)
        + sympy.Max(a, gap, 1)
        - sympy.pi
    )
    assert is_sympy(given)
    assert not is_sympy("a")
    expected = np.exp(-GAP / 3) * 0.1234567890123456 / np.sqrt(A) + np.maximum(np.maximum(A, GAP), 1) - np.pi
    np.testing.assert_allclose(evaluate(read(sympy_text(given), NAMES), X), expected, rtol=1e-13)
