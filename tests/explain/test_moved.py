"""A formula with other numbers: what is kept is what was moved."""

from __future__ import annotations

import numpy as np
import pytest

from multigene import MultigeneRegressor
from multigene.expression.numbers import parameters
from multigene.model_file import dumps, loads


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    X = rng.uniform(1.0, 2.0, (200, 2))
    y = 3.0 * np.exp(0.7 * X[:, 0]) + X[:, 1] ** 1.5 + 0.1 * rng.normal(size=200)
    return MultigeneRegressor(generations=20, search="accuracy", random_state=0, n_jobs=1).fit(X, y).fitted_


def test_every_number_can_be_moved_and_the_model_predicts_with_it(model):
    numbers, X = parameters(model.formula.expression), model.rows.X
    assert np.allclose(model.with_numbers(numbers).predict(X), model.predict(X), rtol=1e-12)
    for place in range(len(numbers)):
        values = [v * (1.05 if i == place else 1.0) for i, v in enumerate(numbers)]
        moved = model.with_numbers(values)
        assert parameters(moved.formula.expression) == pytest.approx(values, rel=1e-6)
        assert not np.allclose(moved.predict(X), model.predict(X), rtol=1e-9)
        left = model.rows.y - moved.predict(X)
        assert moved.explained == pytest.approx(
            1.0 - np.var(left) / np.var(model.rows.y) - left.mean() ** 2 / np.var(model.rows.y)
        )
    assert moved.choice == "moved"
    again = loads(dumps(moved).encode())
    assert np.allclose(again.predict(X), moved.predict(X))


def test_what_cannot_be_numbers_of_a_formula_is_told(model):
    numbers = parameters(model.formula.expression)
    with pytest.raises(ValueError, match=f"has {len(numbers)} numbers, not 1"):
        model.with_numbers([1.0])
    with pytest.raises(ValueError, match="would be nan"):
        model.with_numbers([float("nan"), *numbers[1:]])
    with pytest.raises(ValueError, match="give others"):
        model.with_numbers([1e308 for _ in numbers])
