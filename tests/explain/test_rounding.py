"""Numbers rounded as the last step of pruning: few digits, the rest refitted, R² above the floor."""

from __future__ import annotations

import math

import numpy as np
import pytest

from multigene.data.training_rows import TrainingRows
from multigene.explain.rounding import rounded
from multigene.explain.terms import Scorer
from multigene.expression.numbers import parameters
from multigene.expression.reading import read

X = np.random.default_rng(0).uniform(-2.0, 2.0, (200, 2))


def scorer(target: np.ndarray) -> Scorer:
    return Scorer(TrainingRows.of(X, target))


def test_numbers_get_short_and_the_floor_holds() -> None:
    noise = 0.1 * np.random.default_rng(1).normal(size=200)
    score = scorer(2.0 * np.sin(1.3 * X[:, 0]) + 0.7 * X[:, 1] + 0.25 + noise)
    terms = (read("sin(1.3001234*x)", "xy"), read("y", "xy"))
    before = score.fit(terms)
    assert before is not None
    after = rounded(terms, score, before.r2 - 1e-3)
    assert after is not None
    assert before.r2 - 1e-3 <= after.r2 <= before.r2 + 1e-9
    numbers = [*parameters(after.terms[0]), after.constant, *after.coefficients]
    assert all(len(f"{abs(number):g}") <= 4 for number in numbers), numbers


def test_multiples_of_pi_are_found() -> None:
    score = scorer(np.sin(math.pi * X[:, 0]))
    after = rounded((read("sin(3.14159*x)", "xy"),), score, 1.0 - 1e-9)
    assert after is not None
    assert parameters(after.terms[0]) == [math.pi]
    assert (after.constant, after.coefficients) == (0.0, (1.0,))


def test_what_one_number_gives_up_another_makes_good() -> None:
    """An exponent rounded moves the coefficient that is fitted to it."""
    score = scorer(3.0 * np.abs(X[:, 0]) ** 1.48)
    after = rounded((read("abs(x)**1.48", "xy"),), score, 0.999)
    assert after is not None
    assert parameters(after.terms[0]) in ([1.5], [1.4])
    assert after.r2 >= 0.999


def test_a_floor_that_cannot_be_reached() -> None:
    score = scorer(X[:, 0] + np.random.default_rng(1).normal(size=200))
    assert rounded((read("x", "xy"),), score, 0.999) is None
    assert rounded((read("log(x)", "xy"),), score, 0.0) is None


@pytest.mark.parametrize("floor", [0.0, 0.5])
def test_no_terms(floor: float) -> None:
    score = scorer(X[:, 0])
    found = rounded((read("2", "xy"),), score, floor)
    assert (found is None) == (floor > 0.0)
