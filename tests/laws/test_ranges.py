"""Numbers that floating point holds but whose squares it does not: scaled for the law search, and back."""

from __future__ import annotations

import numpy as np
import pytest

from multigene import MultigeneRegressor
from multigene.expression.tree import Number, Operation, Power, Variable
from multigene.laws.find import measure
from multigene.laws.ranges import Ranges


def rows(n=120):
    return np.random.default_rng(0).uniform(1.0, 5.0, (n, 2))


def test_nothing_is_scaled_without_need():
    X = rows() * np.array([1e30, 1e-34])
    ranges = Ranges.of(X, X[:, 0])
    assert not ranges.change
    assert ranges.scaled(X, X[:, 0])[0] is X


def test_scaling_changes_no_digit():
    X, y = rows() * np.array([1e150, 1.0]), 1e-200 * rows()[:, 0]
    ranges = Ranges.of(X, y)
    Z, t = ranges.scaled(X, y)
    assert np.array_equal(Z / ranges.columns, X)
    assert np.array_equal(t / ranges.target, y)
    assert 0.5 <= np.abs(Z[:, 0]).max() <= 2.0
    assert np.array_equal(Z[:, 1], X[:, 1])


@pytest.mark.parametrize("size", [1e120, 1e-120, 1e200, 1e-200])
def test_finds_come_back_in_the_users_units(size):
    small = rows()
    X, y = small * np.array([size, 1.0]), small[:, 0] ** 2 / small[:, 1]
    ranges = Ranges.of(X, y)
    Z, t = ranges.scaled(X, y)
    factor = float(np.median(t / (Z[:, 0] ** 2 / Z[:, 1])))
    law = Operation("div", (Operation("mul", (Number(factor), Power(Variable(0), 2))), Variable(1)))
    there = ranges.in_user_units(measure(law, Z, t), X, y)
    assert there is not None
    assert there.unexplained < 1e-25


@pytest.mark.parametrize("size", [1e120, 1e-120, 1e200])
def test_laws_of_very_large_and_small_numbers(size):
    small = rows()
    X, y = small * np.array([size, 1.0]), size * small[:, 0] / small[:, 1]
    model = MultigeneRegressor(search="laws", random_state=0, n_jobs=1).fit(X, y)
    assert model.stopped_by_ == "law"
    assert str(model.formula_) == "x0/x1"
