"""The numbers of a formula: found, replaced, rounded, and what is simple, short or named near them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from multigene.expression.build import call, sum_of, weighted
from multigene.expression.numbers import (
    exponent_places,
    is_simple,
    map_numbers,
    numbers,
    parameters,
    recognised,
    retuned,
    round_numbers,
    short_numbers,
    simple_numbers,
    to_digits,
    with_number,
)
from multigene.expression.tree import Number, Power, Variable, evaluate

x = Variable(0)
#: 1.5 + 2.5*x**2 + |x|**0.25
FORMULA = sum_of([Number(1.5), weighted(2.5, Power(x, 2)), Power(call("abs", x), 0.25)])


def test_one_list_with_whole_exponents_and_one_without() -> None:
    assert numbers(FORMULA) == [1.5, 2.5, 2.0, 0.25]
    assert parameters(FORMULA) == numbers(FORMULA, whole_exponents=False) == [1.5, 2.5, 0.25]
    assert exponent_places(FORMULA) == {2, 3}


@pytest.mark.parametrize("whole", [True, False])
def test_every_number_can_be_replaced(whole: bool) -> None:
    found = numbers(FORMULA, whole_exponents=whole)
    for place in range(len(found)):
        changed = with_number(FORMULA, place, 7.5, whole_exponents=whole)
        expected = [*found[:place], 7.5, *found[place + 1 :]]
        assert numbers(changed, whole_exponents=whole) == expected
    assert with_number(FORMULA, len(found), 7.5, whole_exponents=whole) == FORMULA


def test_mapping_leaves_whole_exponents_alone() -> None:
    assert numbers(map_numbers(FORMULA, lambda value: 2 * value)) == [3.0, 5.0, 2.0, 0.25]
    assert numbers(map_numbers(FORMULA, lambda value: 2 * value, exponents=True)) == [3.0, 5.0, 2.0, 0.5]


def test_rounding_keeps_names_and_short_numbers() -> None:
    third, short, long = Number(1 / 3), Number(1.23456), Number(1.23456 * math.e)
    tree = sum_of([third, short, long, Number(0.1 + 0.2)])
    assert numbers(round_numbers(tree, 4)) == [0.3333, 1.235, 3.356, 0.3]
    assert numbers(round_numbers(tree, 4, named=True, whole=7)) == [1 / 3, 1.23456, 3.356, 0.3]
    assert to_digits(1234.5, 2) == 1200.0


def test_named_numbers() -> None:
    assert recognised(math.pi) == (1, 1, True)
    assert recognised(-2 * math.pi / 3) == (-2, 3, True)
    assert recognised(1 / 3) == (1, 3, False)
    assert recognised(22 * math.pi) == (22, 1, True)
    for plain in (0.5, 0.3333, 3.14159, 0.0, 2.0, math.inf, math.nan, 1e300, -1.7e308, 25 / 3, 2 / 11):
        assert recognised(plain) is None


def test_short_numbers_come_shortest_first() -> None:
    assert list(short_numbers(3.14159))[:2] == [math.pi, 3.0]
    assert next(short_numbers(0.66661)) == 0.7
    assert 2 / 3 in list(short_numbers(0.66661))[:2]
    assert next(short_numbers(-1203.0)) == -1000.0
    assert list(short_numbers(0.0)) == []


def test_short_numbers_without_names() -> None:
    assert list(short_numbers(0.33331, 12, named=False))[:3] == [0.3, 0.33, 1 / 3]
    assert list(short_numbers(1234.5, 12, named=False))[:2] == [1000.0, 1200.0]
    assert math.pi not in short_numbers(3.14159, 12, named=False)
    assert len(list(short_numbers(math.e, 5, named=False))) == 6


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("value", [1.79e308, -1.79e308, 5e-324, -1e-310, 1e300])
def test_short_numbers_at_the_ends_of_the_range(value: float, named: bool) -> None:
    found = list(short_numbers(value, named=named))
    assert all(math.isfinite(number) and number != 0.0 for number in found)
    assert value in found


def test_simple_numbers() -> None:
    assert simple_numbers(0.333333) == [1 / 3]
    assert simple_numbers(1.414214) == [math.sqrt(2.0)]
    assert simple_numbers(3.1415926)[0] == pytest.approx(math.pi)
    assert simple_numbers(1e-8) == [0.0]
    assert simple_numbers(0.123456) == []
    assert simple_numbers(0.52, close=0.1) == [0.5]
    assert is_simple(0.75)
    assert is_simple(math.pi / 2)
    assert not is_simple(0.123456)


def test_retuning_finds_the_numbers_and_leaves_fixed_ones() -> None:
    X = np.linspace(0.5, 3.0, 40)[:, None]
    true = sum_of([weighted(2.5, call("exp", weighted(-0.7, x))), Number(0.3)])
    y = evaluate(true, X)
    start = with_number(with_number(true, 0, 2.0), 1, -0.6)
    np.testing.assert_allclose(numbers(retuned(start, set(), X, y, 20)), numbers(true), rtol=1e-6)
    held = retuned(start, {1}, X, y, 20)
    assert numbers(held)[1] == -0.6
    assert np.mean((evaluate(held, X) - y) ** 2) < np.mean((evaluate(start, X) - y) ** 2)
