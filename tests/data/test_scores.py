"""R²: one definition, that of scikit-learn, for every kind of target and prediction."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import r2_score

from multigene.data.scores import explained, metrics, r2, scale_of, scores, spoken
from multigene.data.training_rows import TrainingRows

rng = np.random.default_rng(0)
Y = rng.normal(size=50)
PREDICTION = Y + 0.3 * rng.normal(size=50)
WEIGHTS = rng.uniform(0.1, 2.0, 50)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e200, 1e-200])
def test_equal_to_scikit_learn_at_any_scale(scale: float, weights: np.ndarray | None) -> None:
    expected = r2_score(Y, PREDICTION, sample_weight=weights)
    assert r2(scale * Y, scale * PREDICTION, weights) == pytest.approx(expected, rel=1e-12)


def all_of_them(y: np.ndarray, prediction: np.ndarray) -> set[float]:
    """R² by every way to it."""
    return {
        r2(y, prediction),
        metrics(y, prediction)["r2"],
        scores(y, prediction)["r2"],
        TrainingRows.of(np.zeros((len(y), 1)), y).explained(prediction),
    }


def test_a_constant_target() -> None:
    constant = np.full(4, 2.5)
    assert all_of_them(constant, constant) == {1.0} == {r2_score(constant, constant)}
    off = np.array([2.5, 2.5, 2.5, 2.6])
    assert all_of_them(constant, off) == {0.0} == {r2_score(constant, off)}
    assert all_of_them(np.zeros(3), np.zeros(3)) == {1.0}


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_prediction_that_is_not_finite(value: float) -> None:
    assert all_of_them(np.arange(3.0), np.array([0.0, value, 2.0])) == {-np.inf}


def test_a_prediction_out_of_all_proportion() -> None:
    assert all_of_them(np.arange(3.0), np.array([1e200, 0.0, 0.0])) == {-np.inf}


def test_metrics() -> None:
    y = np.array([1.0, 2.0, 3.0, 6.0])
    found = metrics(y, y + np.array([0.0, 1.0, -1.0, 2.0]))
    assert found["rmse"] == pytest.approx(np.sqrt(1.5))
    assert (found["mae"], found["median"], found["max"], found["bias"]) == (1.0, 1.0, 2.0, 0.5)
    assert found["r2"] == pytest.approx(1.0 - 6.0 / 14.0)
    assert scores(y, y + 1.0) == {"r2": 1.0 - 1.0 / 3.5, "rmse": 1.0, "mae": 1.0, "max_error": 1.0}
    assert spoken("test", found, 4) == "test:      R² 0.571429   RMSE 1.22474   4 rows"
    lost = metrics(y, np.full(4, np.nan))
    assert (lost["r2"], lost["rmse"], lost["max"]) == (-np.inf, np.inf, np.inf)
    with pytest.raises(ValueError, match="no rows"):
        metrics(y[:0], y[:0])


def test_explained() -> None:
    assert explained(1.0, 4.0) == 0.75
    assert explained(np.inf, 4.0) == explained(np.nan, 0.0) == -np.inf


def test_units_are_powers_of_two_and_never_zero() -> None:
    assert scale_of(np.array([0.0])) == scale_of(np.array([])) == scale_of(np.array([np.inf])) == 1.0
    assert scale_of(np.array([-5.0, 3.0])) == 4.0
    for largest in (1.79e308, 5e-324):
        assert np.isfinite(np.array([largest]) / scale_of(np.array([largest]))).all()
