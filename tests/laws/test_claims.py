"""What may be claimed of a formula: graded by the rows, with a probability."""

from __future__ import annotations

import numpy as np
import pytest

from multigene import MultigeneRegressor
from multigene._engine import Individual
from multigene.expression.genes import model_expression
from multigene.laws.claims import claim_of
from multigene.laws.exact import EXACTLY, IN_NOISE, TO_PRECISION


def read(text):
    return model_expression(Individual([text], 0.0, [1.0]))


def rows(noise, n=300):
    rng = np.random.default_rng(0)
    X = rng.uniform(1.0, 5.0, (n, 3))
    y = X[:, 0] * np.sin(X[:, 1]) + X[:, 2]
    return X, y + noise * y.std() * rng.standard_normal(n)


def test_nothing_is_claimed_in_more_noise_than_claims_were_counted_in():
    expression = read("x0*sin(x1) + x2")
    assert claim_of(expression, *rows(0.15)) is not None
    assert claim_of(expression, *rows(0.5)) is None


@pytest.mark.parametrize(
    ("noise", "grade"), [(0.0, EXACTLY), (1e-7, TO_PRECISION), (1e-3, IN_NOISE), (0.1, IN_NOISE)]
)
def test_the_law_is_graded_by_its_noise(noise, grade):
    claim = claim_of(read("x0*sin(x1) + x2"), *rows(noise))
    assert claim.grade == grade
    assert 0.5 < claim.probability < 1.0
    assert (claim.probability > 0.9) == (noise < 0.03)  # in 10 % of noise half of such claims were wrong


def test_fitted_numbers_make_a_claim_less_probable():
    X, y = rows(0.01)
    few = claim_of(read("x0*sin(x1) + x2"), X, y)
    many = claim_of(read("1.0001*x0*sin(1.00002*x1) + 0.9997*x2 + 0.0002313*x1"), X, y)
    assert many.probability < 0.6 < few.probability


@pytest.mark.parametrize(
    "text", ["x0*sin(x1)", "x0*sin(x1) + 0.8*x2", "2.0"], ids=["term", "number", "constant"]
)
def test_what_the_rows_contradict_is_not_claimed(text):
    assert claim_of(read(text), *rows(0.01)) is None


def test_too_few_rows_for_its_numbers():
    X, y = rows(0.01, n=12)
    assert claim_of(read("1.0003*x0*sin(x1) + 0.9997*x2"), X, y) is None


def test_a_fitted_model_says_what_it_claims(tmp_path):
    X, y = rows(0.0)
    model = MultigeneRegressor(random_state=0, n_jobs=1).fit(X, y)
    assert model.claim_.grade == EXACTLY
    model.save(tmp_path / "model.json")
    from multigene import load

    assert load(tmp_path / "model.json").claim_ is None  # a file has no rows
