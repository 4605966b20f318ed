"""Lines of other losses than squared error: shrunk as rows left out one at a time like them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from multigene.data.losses import Loss
from multigene.search.cross_validation import FoldResult
from multigene.search.folds import folds_of
from multigene.search.linear import Ridge
from multigene.search.problem import Problem
from multigene.search.validation import RIDGE, decide_by_cross_validation


def line(Z, y, name="logistic"):
    return Ridge.of_loss(Z, y, np.ones(len(y)), Loss.named(name).of_rows(Z, y))


def test_a_line_of_separable_classes_is_shrunk():
    """Strengths by the curvature of the fit so far let go of it as it became surer: log loss 0.227 where 0.08 can be had."""
    X, y = load_breast_cancer(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X, y, test_size=1 / 3, stratify=y, random_state=0)
    scaler = StandardScaler().fit(train)
    Z, new = scaler.transform(train), scaler.transform(test)
    ours = 1.0 / (1.0 + np.exp(-line(Z, y_train.astype(float)).predict(new)))
    theirs = LogisticRegression(max_iter=5000).fit(Z, y_train)
    assert log_loss(y_test, ours) < log_loss(y_test, theirs.predict_proba(new)[:, 1]) + 0.02


@pytest.mark.parametrize("columns", [3, 60])
def test_more_columns_than_rows_or_fewer(columns):
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(40, columns))
    y = (Z[:, 0] + 0.5 * rng.normal(size=40) > 0).astype(float)
    found = line(Z, y)
    assert np.isfinite(found.weights).all()
    assert np.argmax(np.abs(found.weights)) == 0


def test_with_many_rows_hardly_anything_is_shrunk():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(4000, 2))
    y = (rng.uniform(size=4000) < 1.0 / (1.0 + np.exp(-(Z @ [1.0, -2.0] + 0.5)))).astype(float)
    exact = LogisticRegression(C=1e10, tol=1e-10).fit(Z, y)
    assert np.allclose(line(Z, y).weights, exact.coef_[0], rtol=0.01)
    counts = rng.poisson(np.exp(0.3 * Z[:, 0] + 1.0)).astype(float)
    assert line(Z, counts, "poisson").weights == pytest.approx([0.3, 0.0], abs=0.03)


def test_a_line_that_the_user_does_not_want_is_no_rival():
    """It was decided on, the search ended, and then it was too large to be handed over."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 12))
    problem = Problem.of(X, X @ np.ones(12) + 0.1 * rng.normal(size=100), None)
    guess = 0.8 * X @ np.ones(12)
    folds = [FoldResult(f, [9], guess[f][None], 0.0, 10) for f in folds_of(problem)]
    assert decide_by_cross_validation(problem, folds).linear == RIDGE
    assert decide_by_cross_validation(problem, folds, largest=100).linear == RIDGE
    decision = decide_by_cross_validation(problem, folds, largest=10)
    assert not decision.simple
