"""Models made shorter by the engine, ridge regression for few rows, bounded predictions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.preprocessing import StandardScaler

from multigene import MultigeneRegressor
from multigene._engine import Dataset, Individual, Workers, polish
from multigene.search.constants import PENALTIES
from multigene.search.linear import Ridge
from multigene.search.shorter import fitted, polished, shorter_relatives
from multigene.settings.settings import Refinement

TUNING = Refinement(iterations=6, max_parameters=256, decay=0.0)


def data(n=300, d=5, noise=0.05, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.tanh(0.8 * X[:, 0] - 0.5 * X[:, 1] + 0.3) + noise * rng.normal(size=n)


#: A good gene with needless slopes and a needless operator, and two genes of noise.
CLUTTERED = [
    "tanh([0: 0.3 + 0.8*x0 + -0.5*x1 + 0.01*x2 + -0.01*x3 + 0.02*x4])",
    "sin(cos(x3))",
    "gauss([2: 0.1 + 1.0*x2 + 0.5*x4])",
]


def cluttered(rows):
    return Individual(CLUTTERED, 0.0, [1.0, 1.0, 1.0]).fit(rows)


def test_what_does_not_pay_is_taken_out():
    X, y = data()
    rows = Dataset(X, y)
    *_, short = polish([cluttered(rows)], rows, TUNING, [5.0 / len(y)], Workers(1))
    assert len([c for c in short.coefficients if c != 0.0]) == 1
    features = {j for token in short.tokens(0) if token[0] == "lcf" for j, w in token[2] if w != 0.0}
    assert features == {0, 1}
    assert short.fitness > cluttered(rows).fitness - 0.01


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("price", [0.5, 4.0, 32.0])
def test_the_objective_never_gets_worse(seed, price):
    X, y = data(seed=seed, noise=0.3)
    rows, workers = Dataset(X, y), Workers(2)
    [start] = polished([cluttered(rows)], rows, TUNING, workers)

    def objective(model):
        return np.log(1.0 - model.fitness) + price / len(y) * model.complexity

    tuned, *on_the_way = polish([start], rows, TUNING, [price / len(y)], workers)
    costs = [objective(model) for model in (start, tuned, *on_the_way)]
    assert all(b <= a + 1e-9 for a, b in itertools.pairwise(costs))
    short = (tuned, *on_the_way)[-1]
    assert short.fit(rows).fitness == pytest.approx(short.fitness, abs=1e-10)


def test_relatives_become_shorter_and_do_not_depend_on_threads():
    X, y = data(noise=0.2)
    rows = Dataset(X, y)
    models = [cluttered(rows), cluttered(rows).refine(rows, TUNING)]
    first, second = (shorter_relatives(models, rows, TUNING, 1.0, Workers(n)) for n in (1, 3))
    sizes = [model.complexity for model in first]
    [second_begins] = [i for i, (a, b) in enumerate(itertools.pairwise(sizes), start=1) if b > a]
    for own in (sizes[:second_begins], sizes[second_begins:]):
        assert own[-1] < own[0]
        assert len(set(own)) > 3  # every step on the way is one of them
    assert [(m.complexity, m.fitness) for m in first] == [(m.complexity, m.fitness) for m in second]
    assert shorter_relatives(models, rows, TUNING, 0.0, Workers(1)) == []


def test_a_model_without_weights_and_an_exact_one_survive():
    X, _ = data()
    rows = Dataset(X, X[:, 0] * X[:, 1])
    plain, exact = Individual(["sin(x0)"], 0.0, [1.0]), Individual(["x0 * x1", "cos(x2)"], 0.0, [1.0, 1.0])
    first, *_, short = polish([plain.fit(rows), exact.fit(rows)], rows, TUNING, [1.0], Workers(1))
    assert short.complexity == 3
    assert short.fitness > 1.0 - 1e-12
    assert np.isfinite(first.fitness)


def test_fitted_leaves_inner_weights_alone():
    X, y = data()
    rows = Dataset(X, y)
    [model] = fitted([Individual(CLUTTERED, 0.0, [0.0, 0.0, 0.0])], rows, Workers(1))
    assert model.tokens(0) == cluttered(rows).tokens(0)
    np.testing.assert_allclose(model.coefficients, cluttered(rows).coefficients)


def test_ridge_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    Z = StandardScaler().fit_transform(rng.normal(size=(60, 20)))
    y = Z[:, 0] + 2.0 * rng.normal(size=60)
    # scikit-learn leaves rows out with the mean held fixed; ours lets the mean follow, so only the fit is compared.
    ours = Ridge.fitted(Z, y, np.ones(60))
    theirs = [RidgeCV([a], fit_intercept=True).fit(Z, y).coef_ for a in PENALTIES]
    assert min(np.abs(ours.weights - w).max() for w in theirs) < 1e-8


@pytest.mark.parametrize(("columns", "noise"), [(15, 1.5), (4, 0.7)])
def test_ridge_strength_is_the_best_on_rows_left_out(columns, noise):
    rng = np.random.default_rng(1)
    Z = StandardScaler().fit_transform(rng.normal(size=(40, columns)))
    y = Z[:, 0] + noise * rng.normal(size=40)
    ours = Ridge.fitted(Z, y, np.ones(40))

    def left_out(strength):
        folds = KFold(40)
        model = RidgeCV([strength], fit_intercept=True)
        return float(np.mean((y - cross_val_predict(model, Z, y, cv=folds)) ** 2))

    errors = {a: left_out(a) for a in PENALTIES}
    best = min(errors, key=errors.__getitem__)
    np.testing.assert_allclose(ours.weights, RidgeCV([best]).fit(Z, y).coef_, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_few_noisy_rows_are_left_to_ridge_regression(seed):
    rng = np.random.default_rng(seed)
    X, new = rng.normal(size=(80, 20)), rng.normal(size=(500, 20))
    y, truth = X[:, 0] + X[:, 1] + 1.5 * rng.normal(size=80), new[:, 0] + new[:, 1]
    model = MultigeneRegressor(generations=20, random_state=0, n_jobs=1).fit(X, y)
    ridge = RidgeCV(np.logspace(-3, 3, 13)).fit(X, y)
    assert model.score(new, truth) > ridge.score(new, truth) - 0.05


def test_predictions_are_bounded_on_request():
    X, y = data(200, 2, noise=0.1)
    free = MultigeneRegressor(generations=10, random_state=0, n_jobs=1).fit(X, y)
    bounded = MultigeneRegressor(generations=10, random_state=0, n_jobs=1, settings={"clip": 0.1}).fit(X, y)
    far, room = 100.0 * X, 0.1 * (y.max() - y.min())
    assert bounded.predict(far).max() <= y.max() + room
    assert bounded.predict(far).min() >= y.min() - room
    np.testing.assert_array_equal(free.predict(X), bounded.predict(X))
