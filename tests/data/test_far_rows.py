"""Outliers that least squares follows: which rows they are, and that a user is told."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from multigene import MultigeneRegressor
from multigene.data.far_rows import far_rows, said_of


def errors(n: int = 120) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(n)


def test_few_rows_with_most_of_the_squared_errors():
    found = errors()
    assert len(far_rows(found)) == 0
    found[[3, 77]] = [60.0, -80.0]
    assert far_rows(found).tolist() == [3, 77]
    assert far_rows(1e300 * found).tolist() == [3, 77]
    found[:20] = 70.0  # too many to be outliers
    assert len(far_rows(found)) == 0
    assert len(far_rows(np.zeros(9))) == 0
    assert len(far_rows(np.array([np.inf, 1.0]))) == 0


def test_rows_are_named_by_their_targets():
    y = errors()
    y[:6] = 100.0 + np.arange(6)
    said = said_of(y, np.zeros(120), 0.0)
    assert said is not None
    assert said.startswith(
        "6 of 120 rows have most of the squared errors (target 100, 101, 102, 103, 104, …)"
    )
    assert said_of(y, np.zeros(120), 0.9) is None
    weights = np.where(np.arange(120) < 6, 1e-6, 1.0)  # whoever knows that they are poor is told nothing
    assert said_of(y, np.zeros(120), 0.0, weights) is None


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    X = rng.uniform(-2.0, 2.0, (120, 3))
    truth = X[:, 0] ** 2 + np.sin(2.0 * X[:, 1])
    y = truth + 0.1 * rng.standard_normal(120)
    y[[3, 40, 77, 90]] += [20.0, -20.0, 20.0, 20.0]
    return X, y, truth


def test_a_fit_that_outliers_spoil_says_so_and_the_remedy_works(rows):
    X, y, truth = rows
    model = MultigeneRegressor(generations=8, random_state=0, n_jobs=1, loss="squared")
    with pytest.warns(UserWarning, match="4 of 120 rows have most of the squared errors .*loss='huber'"):
        model.fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(loss="huber").fit(X, y)
    assert np.var(truth - model.predict(X)) < 0.02 * np.var(truth)
