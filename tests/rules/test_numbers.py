"""Numbers of formulas as rules mean them."""

from __future__ import annotations

import pytest

from multigene.expression.reading import read
from multigene.expression.rewriting import simplify
from multigene.rules.numbers import constants, exponents, projected

NAMES = ["a", "b"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a", []),
        ("2*a - 3*b + 1", [-3, 1, 2]),
        ("-a", [-1]),
        ("a*(b - 2)", [-2]),
        ("4*sin(2*a + 0.5)*b", [0.5, 2, 4]),
        ("a/(b + 3)**2", [3]),
        ("exp(-a)", [-1]),
    ],
)
def test_constants_have_their_signs(text, found):
    assert sorted(constants(simplify(read(text, NAMES)))) == sorted(found)


def test_exponents():
    assert sorted(exponents(read("a**3/b + sqrt(a)", NAMES))) == [-1.0, 0.5, 3.0]


def test_the_nearest_allowed_numbers():
    formula = read("sin(2.4*a - 0.6)*(b + 3.7)**1.8", NAMES)
    changed = projected(formula, round, round)
    assert changed == read("sin(2*a - 1)*(b + 4)**2", NAMES) or simplify(changed) == simplify(
        read("sin(2*a - 1)*(b + 4)**2", NAMES)
    )
