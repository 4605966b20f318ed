"""Taking expressions apart."""

from __future__ import annotations

import pytest

from multigene.expression.reading import read
from multigene.expression.rewriting.parts import (
    above_and_below,
    factors_of,
    is_a,
    powers_of,
    replaced,
    split_term,
    terms_of,
)
from multigene.expression.tree import Expression, Number, Variable, postorder

x, y, z = Variable(0), Variable(1), Variable(2)


def of(text: str) -> Expression:
    return read(text, "xyz")


@pytest.mark.parametrize(
    ("text", "coefficient", "rest"),
    [("x", 1.0, "x"), ("3*x", 3.0, "x"), ("-(3*x)", -3.0, "x"), ("2*x/y", 2.0, "x/y"), ("2/y", 2.0, "1/y")],
)
def test_terms_and_their_coefficients(text: str, coefficient: float, rest: str) -> None:
    assert split_term(of(text)) == (coefficient, of(rest))
    assert split_term(Number(4.0)) == (4.0, None)


def test_factors_and_terms() -> None:
    assert factors_of(of("x*y")) == (x, y)
    assert factors_of(x) == (x,)
    assert terms_of(of("x + y")) == (x, y)
    assert terms_of(of("x*y")) == (of("x*y"),)
    assert above_and_below(of("x*y/z")) == ((x, y), (z,))
    assert above_and_below(x) == ((x,), ())
    assert is_a(of("sin(x)"), "sin")
    assert not is_a(x, "sin")


def test_powers() -> None:
    assert powers_of(of("x**2*sqrt(y)/z")) == {x: 2.0, y: 0.5, z: -1.0}
    assert powers_of(of("(x*y)**2")) == {x: 2.0, y: 2.0}
    assert powers_of(of("(x*y)**2"), open_powers=False) == {of("x*y"): 2.0}
    assert powers_of(Number(3.0)) == {}


def test_replacing_a_node_by_its_place() -> None:
    tree = of("sin(x) + y*x")
    places = [place for place, node in enumerate(postorder(tree)) if node == x]
    assert [replaced(tree, place, z) for place in places] == [of("sin(z) + y*x"), of("sin(x) + y*z")]
