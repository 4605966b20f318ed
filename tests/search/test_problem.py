"""How rows are shared out and scaled."""

from __future__ import annotations

import numpy as np
import pytest

from multigene import MultigeneRegressor
from multigene._engine import Individual, Workers
from multigene.search.island import Ground
from multigene.search.problem import Problem, unequal
from multigene.search.scaling import Scaling
from multigene.search.task import Task
from multigene.settings.defaults import default_settings


def problem(n, d=2, seed=0, **options):
    """Rows in the order of their target, as tables often are."""
    X = np.sort(np.random.default_rng(seed).normal(size=(n, d)), axis=0)
    return Problem.of(X, np.arange(float(n)), None, **options)


@pytest.mark.parametrize(
    ("n", "searched", "held_out"),
    [(399, 399, 0), (400, 300, 100), (8000, 6000, 2000), (30_000, 6000, 7500), (100_000, 6000, 20_000)],
)
def test_who_sees_which_rows(n, searched, held_out):
    shared = problem(n)
    assert (len(shared.search_rows), len(shared.held_out_rows)) == (searched, held_out)
    assert not set(shared.search_rows) & set(shared.held_out_rows)
    assert shared.few_rows == (n < 400)


def test_a_law_search_alone_holds_rows_out_even_if_there_are_few():
    assert len(problem(59, only_laws=True).held_out_rows) == 0
    assert len(problem(60, only_laws=True).held_out_rows) == 15
    assert not problem(60, only_laws=True).few_rows


@pytest.mark.parametrize("n", [100, 400, 12_000, 24_000])
def test_up_to_24_000_rows_the_end_of_a_search_sees_all_it_can(n):
    shared = problem(n)
    expected = np.sort(np.concatenate([shared.search_rows, shared.held_out_rows]))
    assert np.array_equal(shared.finish_rows, expected)


@pytest.mark.parametrize("n", [24_001, 40_000, 100_000])
def test_of_very_many_rows_the_end_of_a_search_sees_some_from_all_over_the_table(n):
    rows = problem(n).finish_rows
    assert len(rows) == 12_000 == len(set(rows))
    tenths = np.bincount(10 * rows // n, minlength=10)
    assert tenths.min() > 1000
    assert tenths.max() < 1400


def test_sharing_out_does_not_depend_on_memory_layout():
    X = np.random.default_rng(0).normal(size=(500, 3))
    first, second = (Problem.of(x, X[:, 0], None) for x in (X, np.asfortranarray(X)))
    assert np.array_equal(first.search_rows, second.search_rows)
    assert np.array_equal(first.scaling.means, second.scaling.means)
    assert np.array_equal(first.guard.box_points, second.guard.box_points)


def test_equal_rows_and_rows_without_weight_are_no_further_evidence():
    X = np.repeat(np.arange(10.0)[:, None], 3, axis=0)
    weights = np.ones(30)
    weights[:3] = 0.0
    weights[3] = 2.0
    assert Problem.of(X, X[:, 0], None).different(np.arange(30)) == 10
    assert Problem.of(X, X[:, 0], weights).different(np.arange(30)) == 9


def test_equal_weights_are_none():
    assert unequal(None) is None
    assert unequal(np.full(4, 3.0)) is None
    assert unequal(np.array([1.0, 2.0])) is not None
    assert unequal(np.zeros(3)) is not None


def test_weights_above_zero_stay_so_however_small():
    """Rows whose weight underflowed were left out, and a formula without a value for one of them was handed over."""
    scaled = unequal(np.array([1e239, 1e-299, 0.0, 1e230]))
    assert scaled is not None
    assert (scaled > 0.0).tolist() == [True, True, False, True]
    X = np.array([1e200, 1e150, 1e200, 1e150, 1e8, 1e8, 1e-308, 1e300])[:, None]
    weights = np.array([1e239, 1e68, 1e102, 1e117, 1e223, 1e111, 1e100, 1e-299])
    model = MultigeneRegressor("UB", generations=3, random_state=0, n_jobs=1)
    y = np.linspace(1e300, 1e200, 8)
    assert np.isfinite(model.fit(X, y, weights).predict(X)).all()


# --- scaling --------------------------------------------------------------------------------------


def test_standardised_columns_have_mean_0_and_variance_1():
    X = np.random.default_rng(0).normal(3.0, [1e-200, 1.0, 1e150], (200, 3))
    Z = Scaling.of(X, None).standardised(X)
    assert Z[:, 1:].mean(axis=0) == pytest.approx(0.0, abs=1e-12)
    assert Z[:, 1:].std(axis=0) == pytest.approx(1.0)


def test_weights_count_as_repetitions():
    rng = np.random.default_rng(0)
    X, times = rng.normal(size=(30, 2)), rng.integers(1, 4, 30)
    weighted, repeated = Scaling.of(X, times.astype(float)), Scaling.of(np.repeat(X, times, axis=0), None)
    np.testing.assert_allclose(weighted.means, repeated.means)
    np.testing.assert_allclose(weighted.scales, repeated.scales)


def test_a_column_that_does_not_vary_stays_as_it_is():
    scaling = Scaling.of(np.column_stack([np.full(20, 7.0), np.arange(20.0)]), None)
    assert (scaling.means[0], scaling.scales[0]) == (0.0, 1.0)
    assert scaling.changes
    assert not Scaling.none(3).changes


def test_a_model_says_the_same_in_the_users_units():
    X = np.random.default_rng(0).uniform(5.0, 9.0, (50, 2))
    scaling = Scaling.of(X, None)
    model = Individual(["tanh(x0)", "[0: 0.5 + 2.0*x0 + -1.0*x1]"], 0.25, [1.5, -2.0])
    np.testing.assert_allclose(
        scaling.in_user_units(model).predict(X), model.predict(scaling.standardised(X)), rtol=1e-12
    )


def test_columns_that_are_standard_already_are_not_copied():
    X = np.random.default_rng(0).normal(size=(500, 3))
    plain = Problem.of(X, X[:, 0], None)
    assert not plain.scaling.changes
    assert plain.standardised(plain.X) is plain.X
    ground = Ground(Task(plain, default_settings(), Workers(1), None), None)
    assert ground.user_data is ground.data
    other = Problem.of(100.0 * X + 1000.0, X[:, 0], None)
    ground = Ground(Task(other, default_settings(), Workers(1), None), None)
    assert ground.user_data is not ground.data
