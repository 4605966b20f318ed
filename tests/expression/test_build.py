"""Constructors: as they stand, without what nobody writes."""

from __future__ import annotations

import pytest

from multigene.expression.build import (
    call,
    join_term,
    linear,
    monomial,
    power_of,
    product_of,
    quotient_of,
    sum_of,
    times,
    weighted,
)
from multigene.expression.rewriting.parts import split_term
from multigene.expression.tree import Expression, Number, Operation, Power, Variable
from multigene.formula import Formula

x, y = Variable(0), Variable(1)


@pytest.mark.parametrize(
    ("built", "text"),
    [
        (sum_of([]), "0"),
        (sum_of([x]), "x"),
        (sum_of([x, y, x]), "x + y + x"),
        (product_of([]), "1"),
        (product_of([y]), "y"),
        (product_of([x, y]), "x*y"),
        (quotient_of([x, y], []), "x*y"),
        (quotient_of([], [x, y]), "1/(x*y)"),
        (power_of(x, 1.0), "x"),
        (power_of(x, 0.5), "x**0.5"),
        (weighted(1.0, x), "x"),
        (weighted(-2.0, x), "-2*x"),
        (linear(0.0, []), "0"),
        (linear(1.5, [(0, 2.0), (1, 0.0)]), "2*x + 1.5"),
        (linear(0.0, [(0, 1.0), (1, -1.5)]), "x - 1.5*y"),
        (monomial(1.0, []), "1"),
        (monomial(1.0, [(0, 1.0), (1, 0.0)]), "abs(x)"),
        (monomial(2.0, [(0, 0.5)]), "2*abs(x)**0.5"),
        (call("aq", x, y), "x/sqrt(1 + y**2)"),
    ],
)
def test_what_is_built_reads(built: Expression, text: str) -> None:
    assert Formula(built, ["x", "y"]).text() == text


def test_nothing_is_simplified() -> None:
    assert weighted(2.0, Number(3.0)) == Operation("mul", (Number(2.0), Number(3.0)))
    assert times(2.0, Number(3.0)) == Number(6.0)
    assert times(1.0, x) is x
    with pytest.raises(ValueError, match="finite"):
        times(1e200, Number(1e200))
    assert sum_of([Number(1.0), Number(2.0)]).children == (Number(1.0), Number(2.0))


@pytest.mark.parametrize("coefficient", [0.5, -1.0, 1.0, -3.0])
@pytest.mark.parametrize(
    "rest", [x, Power(x, 2), call("mul", x, y), call("div", Number(1.0), x), call("div", y, x)]
)
def test_a_term_is_joined_as_it_is_split(coefficient: float, rest: Expression) -> None:
    joined = join_term(coefficient, rest)
    assert split_term(joined) == (coefficient, rest)
    assert join_term(coefficient, None) == Number(coefficient)
