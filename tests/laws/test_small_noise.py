"""Laws in data with noise of a millionth or less: exact to the data's precision, and nothing else is."""

from __future__ import annotations

import numpy as np

from multigene import MultigeneRegressor
from multigene._engine import Dataset, Individual
from multigene.expression.genes import model_expression
from multigene.formula import Formula
from multigene.laws import law as laws
from multigene.laws.exact import TO_PRECISION
from multigene.laws.small_noise import law_in_small_noise


def rows(n=300, d=3):
    return np.random.default_rng(0).uniform(1.0, 5.0, (n, d))


def with_noise(y, noise=1e-7):
    return y + noise * y.std() * np.random.default_rng(1).standard_normal(len(y))


def law_of(text, X, y):
    find = laws.polished(model_expression(Individual([text], 0.0, [1.0])), X, y, Dataset(X, y))
    return law_in_small_noise(find, X, y, Dataset(X, y))


def test_a_law_with_noise_on_every_row_alike():
    X = rows()
    y = with_noise(X[:, 0] * np.sin(X[:, 1]) + X[:, 2])
    law = law_of("1.0000001*x0*sin(x1) + x2 + 1e-8*x0", X, y)
    assert law.grade == TO_PRECISION
    assert str(Formula(law.expression, ["a", "b", "c"])) == "c + a*sin(b)"


def test_an_approximation_is_none():
    X = rows(300, 1)
    y = np.exp(-0.3 * X[:, 0])
    powers = np.polynomial.Polynomial.fit(X[:, 0], y, 7).convert().coef
    text = " + ".join(
        f"{float(c)!r}*x0**{k}.0" if k > 1 else f"{float(c)!r}" + "*x0" * k for k, c in enumerate(powers)
    )
    find = laws.measure(model_expression(Individual([text], 0.0, [1.0])), X, y)
    assert 1e-20 < find.unexplained < 1e-12
    assert law_in_small_noise(find, X, y, Dataset(X, y)) is None


def test_more_noise_is_not_small():
    X = rows()
    assert law_of("x0*sin(x1) + x2", X, with_noise(X[:, 0] * np.sin(X[:, 1]) + X[:, 2], 1e-3)) is None


def test_the_search_ends_with_such_a_law_although_the_data_have_poles():
    X = rows(400)
    y = with_noise(X[:, 2] + 1.0 / (X[:, 0] - X[:, 1]))
    model = MultigeneRegressor(random_state=0, n_jobs=1, generations=20).fit(X, y)
    assert model.stopped_by_ == "law"
    assert str(model.formula_) == "x2 + 1/(x0 - x1)"
