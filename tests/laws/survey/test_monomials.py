"""Products of powers of features: values, costs, and what they may be made of."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.expression.tree import Operation, Power, Variable, evaluate, postorder
from multigene.laws.constants import MOST_MONOMIALS
from multigene.laws.survey.monomials import Monomials


def rows(d=2, low=0.5, high=2.0):
    return np.random.default_rng(0).uniform(low, high, (30, d))


def anything(*names):
    return True


@pytest.mark.parametrize("low", [0.5, -2.0])
def test_values_are_those_of_the_expressions(low):
    X = rows(3, low=low)
    monomials = Monomials(X, anything)
    for k in np.linspace(0, len(monomials) - 1, 80).astype(int):
        np.testing.assert_allclose(monomials.values[k], evaluate(monomials.say(k), X), rtol=1e-9)


def test_the_simplest_come_first():
    monomials = Monomials(rows(3), anything)
    assert list(monomials.costs) == sorted(monomials.costs)
    assert {monomials.say(k) for k in range(3)} == {Variable(0), Variable(1), Variable(2)}
    assert len(set(monomials.exponents)) == len(monomials) <= MOST_MONOMIALS


def nodes(monomials):
    return [node for k in range(len(monomials)) for node in postorder(monomials.say(k))]


def test_without_division_and_roots_only_whole_powers():
    monomials = Monomials(rows(2), lambda *names: not {"div", "sqrt"} & set(names))
    assert all(n.exponent > 0 and n.is_integer for n in nodes(monomials) if isinstance(n, Power))


def test_nothing_is_divided_by_what_comes_near_zero():
    X = rows(2)
    X[0, 0] = 0.0
    monomials = Monomials(X, anything)
    assert np.all(np.isfinite(monomials.values))
    below = [n.base for n in nodes(monomials) if isinstance(n, Power) and n.exponent < 0]
    assert below
    assert Variable(0) not in below


def test_only_numbers_without_a_unit_are_compared_with_one():
    def ones(monomials):
        return any("Number(1.0)" in repr(monomials.say(k)) for k in range(len(monomials)))

    assert ones(Monomials(rows(2), anything, ones=True))
    assert not ones(Monomials(rows(2), anything))
    assert not ones(Monomials(rows(4), anything, ones=True))  # too many


def test_a_monomial_has_one_sum_or_difference_at_most():
    monomials = Monomials(rows(3), anything)
    for k in range(len(monomials)):
        said = postorder(monomials.say(k))
        assert sum(isinstance(n, Operation) and n.name in ("add", "sub") for n in said) <= 1
