"""The default search: laws, noise, linear models, sizes, stop and resume, any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from multigene import MultigeneRegressor
from multigene.evolution.pareto import Candidate
from multigene.laws.ranges import Ranges
from multigene.search.linear import Ridge, forward_selection, linear_models
from multigene.search.problem import Problem
from multigene.search.validation import decide_on_held_out_rows
from multigene.settings.defaults import default_settings

QUICK = {"generations": 20, "n_jobs": 1, "random_state": 0}


def rows(n=300, d=3, seed=0):
    return np.random.default_rng(seed).uniform(1.0, 5.0, (n, d))


def test_a_law_is_found_and_reported_as_one():
    X = rows()
    y = 6.674 * X[:, 0] * X[:, 1] / X[:, 2] ** 2
    model = MultigeneRegressor(**QUICK).fit(X, y)
    assert model.stopped_by_ == "law"
    assert model.formula_.size <= 10
    new = rows(100, seed=1)
    np.testing.assert_allclose(model.predict(new), 6.674 * new[:, 0] * new[:, 1] / new[:, 2] ** 2, rtol=1e-9)


def test_noise_ends_in_a_constant():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 4)), rng.normal(size=200)
    model = MultigeneRegressor(**QUICK).fit(X, y)
    assert model.score(rng.normal(size=(500, 4)), rng.normal(size=500)) > -0.05


def test_not_worse_than_linear_on_linear_data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    y = X @ np.array([1.0, -2.0, 0.5, 0.0, 3.0, 0.1]) + rng.normal(size=300)
    new = rng.normal(size=(1000, 6))
    truth = new @ np.array([1.0, -2.0, 0.5, 0.0, 3.0, 0.1])
    ours = MultigeneRegressor(**QUICK).fit(X, y).score(new, truth)
    assert ours > LinearRegression().fit(X, y).score(new, truth) - 0.01


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_same_model_at_any_number_of_threads(n_jobs):
    X, y = load_diabetes(return_X_y=True)
    first = MultigeneRegressor(**QUICK).fit(X, y)
    other = MultigeneRegressor(**{**QUICK, "n_jobs": n_jobs}).fit(X, y)
    assert first.predict(X).tobytes() == other.predict(X).tobytes()
    assert first.equations_.equals(other.equations_)


def test_resumes_to_the_same_model(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    whole = MultigeneRegressor(**{**QUICK, "generations": 40}).fit(X, y)
    file = tmp_path / "state"
    stop_early = lambda report: report.number >= 19  # noqa: E731
    MultigeneRegressor(**{**QUICK, "generations": 40}).fit(X, y, checkpoint=file, callback=stop_early)
    resumed = MultigeneRegressor(**{**QUICK, "generations": 40}).fit(X, y, checkpoint=file)
    assert whole.predict(X).tobytes() == resumed.predict(X).tobytes()


def test_the_users_functions_are_respected_by_the_law_search_too():
    X = rows()
    y = np.exp(-X[:, 0]) * X[:, 1]
    model = MultigeneRegressor(functions=["add", "mul", "sin"], **QUICK).fit(X, y)
    assert "exp" not in str(model.formula_)
    assert "log" not in str(model.formula_)


def test_modes_of_the_paper_are_refused_with_a_sentence():
    with pytest.raises(ValueError, match="paper's configurations"):
        MultigeneRegressor(settings={"lcf": "synchronised"}, **QUICK).fit(rows(), rows()[:, 0])


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30, 1e300])
def test_scales(scale):
    X = rows(100)
    y = X[:, 0] + 0.5 * X[:, 1]
    for model in (
        MultigeneRegressor(**QUICK).fit(X * scale, y),
        MultigeneRegressor(**QUICK).fit(X, y * scale),
    ):
        assert np.isfinite(model.r2_)
        assert model.r2_ > 0.9


@pytest.mark.parametrize("scale", [1e-305, 1e305])
def test_noisy_targets_at_the_ends_of_floating_point(scale):
    """No warning either, though reciprocals of such targets are too large to be squared."""
    X = rows(120)
    y = np.sin(X[:, 0]) + X[:, 1] + 0.1 * np.random.default_rng(0).normal(size=120)
    model = MultigeneRegressor(generations=4, random_state=0).fit(X, y * scale)
    assert model.r2_ > 0.9


@pytest.mark.parametrize("n", [1, 2, 3, 5, 10, 25, 59, 61])
def test_few_rows(n):
    X = rows(n)
    model = MultigeneRegressor(**QUICK).fit(X, X[:, 0] * 2.0)
    assert np.all(np.isfinite(model.predict(X)))


@pytest.mark.parametrize("limit", [1e-6, 0.3])
def test_time_limit_on_many_rows(limit):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50_000, 5))
    y = np.sin(X[:, 0] * X[:, 1]) + X[:, 2] + rng.normal(size=50_000)
    model = MultigeneRegressor(time_limit=limit, random_state=0).fit(X, y)
    assert model.stopped_by_ == "time"
    assert model.score(X, y) > -1e-9


def test_guard_refuses_what_explodes_between_rows():
    from multigene._engine import Individual

    X = rows(200, 1)
    problem = Problem.of(X, X[:, 0], None)
    assert problem.guard.behaves(Individual(["x0"], 3.0, [1.0]))
    assert not problem.guard.behaves(Individual(["exp(exp(x0*4.0))"], 0.0, [1.0]))
    assert not problem.guard.behaves(
        Individual(["1.0 / x0"], 0.0, [1e-9])
    )  # a pole within the standardised box


def test_without_signal_the_constant_is_preferred():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 3)), rng.normal(size=500)
    problem = Problem.of(X, y, None)
    data = problem.dataset(problem.search_rows)
    linear = linear_models(problem, data)
    candidates = [Candidate(m, m.fitness, problem.size(m)) for m in linear]
    smallest_first = sorted(candidates, key=lambda c: c.complexity)
    assert decide_on_held_out_rows(problem, smallest_first, linear).constant


def test_forward_selection_finds_the_features_that_matter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 30))
    X -= X.mean(axis=0)
    y = 3.0 * X[:, 7] - 2.0 * X[:, 21] + 0.1 * rng.normal(size=300)
    assert forward_selection(X, y - y.mean(), 2) == [7, 21]


def test_default_settings_are_valid():
    from multigene.settings.check import check

    check(default_settings())


@parametrize_with_checks(
    [MultigeneRegressor(generations=10, settings={"population_size": 16, "first": 2000})]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("scale", [1e-310, 1e-300, 1e307])
def test_ridge_takes_weights_at_the_ends_of_floating_point(scale):
    rng = np.random.default_rng(0)
    Z, weights = rng.normal(size=(40, 2)), rng.uniform(0.5, 1.0, 40)
    plain, scaled = (Ridge.fitted(Z, Z[:, 0] + 1.0, weights * factor) for factor in (1.0, scale))
    assert scaled.predict(Z) == pytest.approx(plain.predict(Z), rel=1e-3)


def test_denormal_numbers_have_a_range():
    rows = np.array([[5e-324, 1.0], [0.0, 2.0]])
    assert np.isfinite(Ranges.of(rows, np.array([1.0, 2.0])).columns).all()
