"""The rows that a fitted model keeps: thinned, copied, weighted."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from multigene.data.training_rows import TrainingRows


def test_rows_kept_are_thinned_and_copied():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50_000, 3)), rng.normal(size=50_000)
    kept = TrainingRows.of(X, y)
    assert kept.X.shape == (20_000, 3)
    assert kept.total == 50_000
    small = TrainingRows.of(X[:100], y[:100])
    X[0, 0] = 99.0
    assert small.X[0, 0] != 99.0
    assert TrainingRows.of(rng.normal(size=(5_000, 1_000)), rng.normal(size=5_000)).X.shape[0] == 4_000


def test_rows_of_weight_zero_are_left_out():
    X, y = np.arange(8.0).reshape(4, 2), np.arange(4.0)
    rows = TrainingRows.of(X, y, np.array([1.0, 0.0, 3.0, 0.0]))
    assert rows.y.tolist() == [0.0, 2.0]
    assert rows.total == 2
    assert rows.shares.tolist() == [0.5, 1.5]


def test_variance_and_r2_are_weighted():
    y = np.array([0.0, 1.0, 5.0])
    rows = TrainingRows.of(np.zeros((3, 1)), y, np.array([1.0, 1.0, 2.0]))
    repeated = TrainingRows.of(np.zeros((4, 1)), np.array([0.0, 1.0, 5.0, 5.0]))
    assert rows.variance == pytest.approx(repeated.variance)
    prediction = np.array([0.5, 1.0, 4.0])
    assert rows.explained(prediction) == pytest.approx(repeated.explained(prediction[[0, 1, 2, 2]]))


def test_thinning_is_the_same_every_time_and_pickles():
    rng = np.random.default_rng(0)
    rows = TrainingRows.of(rng.normal(size=(100, 2)), rng.normal(size=100))
    assert rows.thinned(200) is rows
    few = rows.thinned(10)
    assert len(few.y) == 10
    np.testing.assert_array_equal(few.X, rows.thinned(10).X)
    assert rows.dataset.n_rows == 100
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(rows)).X, rows.X)
