"""Noise is told from what an approximation leaves."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.laws.residuals import like_noise


@pytest.mark.parametrize("d", [1, 3, 6])
def test_noise_is_noise(d):
    rng = np.random.default_rng(d)
    refused = 0
    for _ in range(40):
        X = rng.uniform(-1.0, 1.0, (300, d))
        refused += not like_noise(1e-9 * rng.standard_normal(300), X, X[:, 0])
    assert refused <= 1


@pytest.mark.parametrize("degree", [3, 6, 9])
def test_waves_of_an_approximation_are_not(degree):
    X = np.random.default_rng(0).uniform(0.0, 5.0, (300, 3))
    truth = X[:, 0] * X[:, 1] * np.exp(-0.3 * X[:, 2])
    bent = np.polynomial.Chebyshev.fit(X[:, 2], np.exp(-0.3 * X[:, 2]), degree)(X[:, 2])
    assert not like_noise(truth - X[:, 0] * X[:, 1] * bent, X, truth)


def test_a_term_that_was_forgotten_is_not():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, (300, 5))
    noise = rng.standard_normal(300)
    assert like_noise(noise, X, X[:, 0])
    assert not like_noise(noise + 1.2 * X[:, 3] * X[:, 4], X, X[:, 0])


def test_a_row_far_from_the_others_is_not():
    rng = np.random.default_rng(0)
    X, noise = rng.uniform(-1.0, 1.0, (300, 2)), rng.standard_normal(300)
    noise[7] = 9.0
    assert not like_noise(noise, X, X[:, 0])


def test_nothing_left_is_no_noise():
    X = np.random.default_rng(0).uniform(-1.0, 1.0, (50, 2))
    assert not like_noise(np.zeros(50), X, X[:, 0])
