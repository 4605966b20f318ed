"""Numbers that floating point holds but whose squares it does not: scaled for the law search, and back."""

from __future__ import annotations

import numpy as np
import pytest

from multigene import MultigeneRegressor
from multigene.expression.tree import Number, Operation, Power, Variable
from multigene.laws.find import measure
from multigene.laws.ranges import Ranges, without_underflow


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


def test_zeros_are_underflow_only_where_targets_span_that_much():
    y = np.exp(-np.array([1.0, 20.0, 300.0, 740.0, 800.0]))
    assert y[3] > 0.0 == y[4]
    assert without_underflow(y).tolist() == [True, True, True, False, False]
    assert without_underflow(np.array([0.0, 1e-20, 1.0, -3.0])).all()
    assert without_underflow(np.zeros(3)).all()
    assert without_underflow(1e-300 * np.array([0.0, 1.0, 2.0])).all()


@pytest.mark.parametrize(
    ("columns", "law", "text"),
    [
        (2, lambda x: np.exp(-0.5 * (x[:, 0] / x[:, 1]) ** 2) / x[:, 1], "exp(-0.5*(x0/x1)**2)/x1"),
        (2, lambda x: x[:, 0] ** 3 / (np.exp(x[:, 0] / x[:, 1]) - 1.0), "x0**3/(exp(x0/x1) - 1)"),
        (4, lambda x: x[:, 0] * np.exp(-x[:, 1] * x[:, 2] / x[:, 3]), "x0*exp(-x1*x2/x3)"),
    ],
)
def test_a_law_whose_values_underflow_is_found_and_holds_on_all_rows(columns, law, text):
    X = 10.0 ** np.random.default_rng(0).uniform(-3.0, 3.0, (500, columns))
    with np.errstate(over="ignore"):
        y = law(X)
    assert 0.05 < np.mean(y == 0.0) < 0.5
    model = MultigeneRegressor(search="laws", generations=20, random_state=0, n_jobs=1).fit(X, y)
    assert model.stopped_by_ == "law"
    assert str(model.formula_) == text
    assert model.claim_ is not None
    assert model.claim_.grade == "exact"
