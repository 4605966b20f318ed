"""Outliers are found where nothing accounts for them, and tails, poles, rare regimes and ordinary rows are none."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.data.outliers import outliers_of

LAWS = (
    lambda X: X[:, 0] ** 2 + np.sin(2.0 * X[:, 1]),
    lambda X: X[:, 0] * X[:, 1] + X[:, 2],
    lambda X: np.exp(X[:, 0]) + X[:, 1],
    lambda X: 3.0 * X[:, 0] - 2.0 * X[:, 1],
    lambda X: np.tanh(2.0 * X[:, 0]) + 0.3 * X[:, 1],
)
SIZES = (40, 120, 300)


def rows(rng: np.random.Generator, case: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X = rng.uniform(-2.0, 2.0, (SIZES[case % 3], int(rng.integers(3, 7))))
    truth = LAWS[case % len(LAWS)](X)
    return X, truth + (0.0, 0.05, 0.3)[case % 3] * truth.std() * rng.standard_normal(len(X)), truth


@pytest.mark.parametrize("case", range(15))
def test_gross_outliers_are_found_and_nothing_else(case):
    rng = np.random.default_rng(case)
    X, y, truth = rows(rng, case)
    assert len(outliers_of(X, y)) == 0
    wrong = np.sort(rng.choice(len(y), max(1, round(rng.uniform(0.02, 0.08) * len(y))), replace=False))
    size = (15.0, 40.0, 300.0)[case % 3] * truth.std()
    y[wrong] += size * (np.ones(len(wrong)) if case % 2 else rng.choice([-1.0, 1.0], len(wrong)))
    assert outliers_of(X, y).tolist() == wrong.tolist()
    assert outliers_of(1e150 * X, 1e300 * (y / np.abs(y).max())).tolist() == wrong.tolist()


HEAVY = {
    "exponential law": lambda X, rng: np.exp(1.5 * X[:, 0] + 0.5 * X[:, 1]),
    "log-normal noise": lambda X, rng: np.exp(2.0 * X[:, 0] + 0.3 * rng.standard_normal(len(X))),
    "zeros and a tail": lambda X, rng: (rng.random(len(X)) > 0.3) * np.exp(X[:, 0] + 0.7 * rng.standard_normal(len(X))),
    "many zeros": lambda X, rng: np.where(X[:, 1] < 0.4, 0.0, np.exp(X[:, 0])),
    "cubes": lambda X, rng: (X[:, 0] * X[:, 1] * X[:, 2]) ** 3,
    "pole": lambda X, rng: 1.0 / (X[:, 0] + 2.01),
    "pole of a difference": lambda X, rng: 1.0 / (X[:, 0] - X[:, 1]),
    "counts": lambda X, rng: rng.poisson(np.exp(X[:, 0])).astype(float),
    "gamma noise": lambda X, rng: rng.gamma(0.5, size=len(X)) * np.exp(X[:, 0]),
    "rare regime": lambda X, rng: X[:, 0] + np.where(X[:, 1] > 1.8, 40.0, 0.0) + 0.1 * rng.standard_normal(len(X)),
}  # fmt: skip


@pytest.mark.parametrize("name", HEAVY)
def test_what_has_its_reasons_is_no_outlier(name):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-2.0, 2.0, ((120, 300, 1000)[seed % 3], 4))
        assert len(outliers_of(X, HEAVY[name](X, rng))) == 0, (name, seed)


def test_a_row_far_out_among_the_features_is_none():
    x = np.append(np.linspace(1.0, 3.0, 60), 40.0)
    assert len(outliers_of(x[:, None], x**2)) == 0
    assert outliers_of(x[:60, None], np.append(x[:59] ** 2, 1600.0)).tolist() == [59]


def test_rows_that_hardly_count_and_few_rows_are_left_alone():
    rng = np.random.default_rng(0)
    X, y, _ = rows(rng, 1)
    y[5] += 100.0
    assert outliers_of(X, y).tolist() == [5]
    weights = np.ones(len(y))
    assert outliers_of(X, y, weights).tolist() == [5]
    weights[5] = 1e-8
    assert len(outliers_of(X, y, weights)) == 0
    weights[[3, 5]] = 0.0
    assert len(outliers_of(X, y, weights)) == 0
    assert len(outliers_of(X[:15], y[:15])) == 0
    assert len(outliers_of(X, np.ones(len(y)))) == 0


def test_heavy_tails_are_seldom_taken_for_outliers():
    """A gap among the few largest errors is chance where nobody knows how fast they fall off."""
    taken = 0
    for seed in range(10):
        rng = np.random.default_rng(2000 + seed)
        taken += bool(len(outliers_of(rng.uniform(size=(200, 3)), rng.standard_t(1.5, 200))))
    assert taken <= 2
