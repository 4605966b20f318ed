"""A smooth stand-in for the target: its slopes, its degree, and what it leaves of rows that were left out."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.laws.constants import HIGHEST_DEGREE, INSIDE
from multigene.laws.variables.surrogate import highest_degree, surrogate_of


def rows(n=500, d=2, seed=0):
    return np.random.default_rng(seed).uniform(1.0, 5.0, (n, d))


def test_slopes_are_those_of_the_target():
    X = rows(d=2)
    a, b = X.T
    surrogate = surrogate_of(X, np.exp(a / 4.0) * np.log(b), np.ones(500), 1)
    assert surrogate is not None
    assert surrogate.left < 1e-9
    slopes = np.column_stack([np.exp(a / 4.0) / 4.0 * np.log(b), np.exp(a / 4.0) / b])
    assert np.allclose(surrogate.slopes(), slopes, atol=2e-3)


def test_noise_settles_the_degree():
    X = rows(d=2)
    y = X[:, 0] + X[:, 1] + np.random.default_rng(2).standard_normal(500)
    surrogate = surrogate_of(X, y, np.ones(500), 1)
    assert surrogate is not None
    assert surrogate.settled
    assert surrogate.exponents.sum(axis=1).max() <= 2
    assert highest_degree(500, 2) > 8


def test_a_factor_and_a_power_of_the_target_are_taken_into_account():
    X = rows()
    y = X[:, 0] ** 2 * np.sqrt(0.1 + (X[:, 1] - 3.0) ** 2)
    plain, squared = (surrogate_of(X[:, 1:], y, X[:, 0] ** 2, power) for power in (1, 2))
    assert squared.left < 1e-25 < 1e-8 < plain.left < 1e-2
    np.testing.assert_allclose(squared.values, 0.1 + (X[:, 1] - 3.0) ** 2, rtol=1e-10)
    assert surrogate_of(X[:, 1:], y, np.ones(500), 1).left > 0.1


def test_what_is_left_is_that_of_rows_that_were_left_out():
    X, noise = rows(60, 2), np.random.default_rng(1).standard_normal(60)
    surrogate = surrogate_of(X, noise, np.ones(60), 1)
    assert surrogate.left > 1.0  # worse than the mean: it predicts nothing


def test_logarithms_are_taken_where_they_do_better():
    X = np.exp(rows(d=1) * 2.0)
    surrogate = surrogate_of(X, np.log(X[:, 0]) ** 2, np.ones(500), 1)
    assert surrogate.logarithms.tolist() == [True]
    np.testing.assert_allclose(surrogate.slopes()[:, 0], 2.0 * np.log(X[:, 0]) / X[:, 0], rtol=1e-9)


def test_slopes_are_trusted_inside():
    X = rows()
    surrogate = surrogate_of(X, X[:, 0] * X[:, 1], np.ones(500), 1)
    assert np.mean(surrogate.inside) == pytest.approx(INSIDE, abs=0.02)
    centre = np.abs(X - 3.0).max(axis=1)
    assert centre[surrogate.inside].mean() < centre[~surrogate.inside].mean()


@pytest.mark.parametrize(("rows", "variables", "degree"), [(500, 1, HIGHEST_DEGREE), (500, 5, 4), (10, 3, 1)])
def test_degrees_that_rows_allow(rows, variables, degree):
    assert highest_degree(rows, variables) == degree


def test_numbers_that_get_too_large_have_no_surrogate():
    X = rows()
    assert surrogate_of(X, 1e200 * X[:, 0], np.ones(500), 2) is None
    assert surrogate_of(X, np.ones(500), np.ones(500), 1) is None
    assert surrogate_of(np.ones((500, 1)), X[:, 0], np.ones(500), 1) is None
