"""The guard: what explodes between the rows, or has a pole there, is refused."""

from __future__ import annotations

import numpy as np
import pytest

from multigene._engine import Individual
from multigene.search.guard import Guard
from multigene.search.scaling import Scaling


def guard(n=200, d=1, standardise=True, seed=0):
    """A guard of rows between 1 and 5 with a target between 1 and 5."""
    X = np.random.default_rng(seed).uniform(1.0, 5.0, (n, d))
    scaling = Scaling.of(X, None) if standardise else Scaling.none(d)
    return Guard.of(X, X[:, 0], scaling, np.random.default_rng(seed))


def test_points_lie_where_they_are_said_to():
    drawn = guard(d=3)
    low, high = np.array(drawn.box)
    margin = 0.02 * (high - low)
    assert len(drawn.box_points) == len(drawn.between_points) == 1024
    assert (drawn.box_points >= low - margin).all()
    assert (drawn.box_points <= high + margin).all()
    assert (drawn.between_points >= low).all()
    assert (drawn.between_points <= high).all()


def test_angles_that_turn_faster_than_rows_can_tell_are_refused():
    drawn = guard(standardise=False)
    fast = Individual(["sin(exp([0: 4.0*x0]))", "x0"], 0.0, [0.1, 1.0])
    assert not drawn.behaves_as_it_is(fast)
    assert drawn.behaves_as_it_is(Individual(["sin(exp(x0))", "x0"], 0.0, [0.1, 1.0]))
    assert drawn.behaves_as_it_is(Individual(["sin(exp([0: 4.0*x0]))", "x0"], 0.0, [0.0, 1.0]))


def test_coefficients_of_genes_at_the_end_of_floating_point_are_refused():
    drawn = guard(standardise=False)
    tail = Individual(["softplus(cos(x0) - 706.6)"], 3.0, [3.7e305])
    assert np.ptp(tail.predict(drawn.between_points)) < 1.0
    assert not drawn.behaves_as_it_is(tail)
    assert drawn.behaves_as_it_is(Individual(["softplus(cos(x0) - 6.6)"], 3.0, [37.0]))


def test_how_few_rows_lie_says_nothing():
    assert len(guard(60).box_points) == 1024
    assert len(guard(59).box_points) == 512  # none between rows


def test_rows_that_span_all_of_floating_point_are_their_own_points():
    X = np.array([[-1.7e308], [0.0], [1.7e308]])
    drawn = Guard.of(X, np.arange(3.0), Scaling.none(1), np.random.default_rng(0))
    assert np.array_equal(drawn.box_points, X)
    assert np.array_equal(drawn.between_points, X)


BEHAVES = [
    (["x0"], 0.0, [1.0]),
    (["tanh(x0)"], 2.0, [3.0]),
]
EXPLODES = [
    (["exp(exp(x0*4.0))"], 0.0, [1.0]),  # overflows within the box
    (["1.0 / (x0 - 3.0)"], 0.0, [1e-9]),  # a pole between rows, however narrow
    (["x0"], 0.0, [100.0]),  # far beyond the target's range
    (["x0"], 20.0, [0.0]),
]


@pytest.mark.parametrize(("genes", "intercept", "coefficients"), BEHAVES)
def test_models_that_behave(genes, intercept, coefficients):
    model, plain = Individual(genes, intercept, coefficients), guard(standardise=False)
    assert plain.behaves(model)
    assert plain.behaves_in_user_units(model)
    assert plain.behaves_between_rows(model)


@pytest.mark.parametrize(("genes", "intercept", "coefficients"), EXPLODES)
def test_models_that_do_not(genes, intercept, coefficients):
    model, plain = Individual(genes, intercept, coefficients), guard(standardise=False)
    assert not plain.behaves(model)
    assert not plain.behaves_in_user_units(model)
    assert not plain.behaves_between_rows(model)


def test_standardised_models_are_asked_about_standardised_points():
    drawn = guard()
    model = Individual(
        ["1.0 / (x0 + 6.0)"], 2.0, [1.0]
    )  # a pole at -6 standard deviations, which is beyond the box
    assert drawn.behaves(model)
    assert not drawn.behaves(Individual(["1.0 / x0"], 2.0, [1e-9]))


def test_where_features_hang_together_the_corners_of_the_box_may_be_wilder():
    """Rows on the diagonal: no row is near the other two corners."""
    x = np.linspace(0.0, 1.0, 300)
    X = np.column_stack([x, x + 1e-3 * np.sin(40.0 * x)])
    diagonal = Guard.of(X, x, Scaling.none(2), np.random.default_rng(0))
    model = Individual(["x0 - x1"], 0.5, [2.3])  # ±2.3 in the corners, 0.5 near the rows
    assert diagonal.behaves_between_rows(model)
    assert diagonal.behaves(model)
    assert not diagonal.behaves_in_user_units(model)


def test_positive_columns_stay_positive():
    X = 10.0 ** np.random.default_rng(0).uniform(-2.0, 2.0, (300, 2))
    guard = Guard.of(X, np.log(X[:, 0]), Scaling.none(2), np.random.default_rng(0))
    assert guard.box_points.min() > 0.0
    assert guard.behaves_as_it_is(Individual(["log(x0)"], 0.0, [1.0]))
    negative = Guard.of(-X, np.log(X[:, 0]), Scaling.none(2), np.random.default_rng(0))
    assert negative.box_points.max() < 0.0


def test_terms_that_cancel_are_refused():
    rng = np.random.default_rng(0)
    X = rng.uniform(0.0, 1.0, (200, 2))
    guard = Guard.of(X, X[:, 0] + 80.0, Scaling.none(2), np.random.default_rng(0))
    assert guard.behaves_as_it_is(Individual(["x0", "tanh(x1)"], 80.0, [1.0, 0.1]))
    far = Individual(["tanh([0: 9.86 + 0.5*x0])"], -1e8, [1e8])  # an exponential in disguise
    assert not guard.behaves_as_it_is(far)
    cancelling = Individual(["x0", "x0 + 0.01*x0*x1"], 80.0, [-99.0, 100.0])
    assert not guard.behaves_as_it_is(cancelling)
    large = Individual(["x0", "x0 + 0.001*x0*x1"], 80.0, [-99.0, 100.0])
    assert not guard.behaves(large)  # no result shows it
    assert guard.behaves_exploring(large)  # a better one may descend from it
    assert not guard.behaves_exploring(far)
    year = Guard.of(X + 2000.0, X[:, 0], Scaling.none(2), np.random.default_rng(0))
    assert year.behaves_as_it_is(Individual(["x0"], -2000.0, [1.0]))


def test_what_explodes_between_the_points_is_refused():
    """A spike so narrow that no point lies on it: interval arithmetic sees it."""
    drawn = guard(standardise=False)
    spike = Individual(["x0", "gauss([0: -3000000.0 + 1000000.0*x0])"], 0.0, [1.0, 1e9])
    assert np.ptp(spike.predict(drawn.box_points)) < 5.0
    assert not drawn.behaves(spike)
    assert not drawn.behaves_as_it_is(spike)
    assert drawn.behaves(Individual(["x0", "gauss([0: -30.0 + 10.0*x0])"], 0.0, [1.0, 1.0]))


def test_a_model_may_leave_the_target_by_far_just_beyond_the_rows():
    steep = Individual(
        ["exp(x0*4.0)"], 0.0, [5.0 * np.exp(-20.0)]
    )  # 5 at the box's end, 120 a fifth beyond it
    for plain in (guard(standardise=False), guard(d=2, standardise=False)):
        assert plain.behaves_in_user_units(steep)
        assert not plain.stays_near(steep, in_user_units=True)
        assert plain.stays_near(Individual(["x0"], 0.0, [1.0]), in_user_units=True)
        assert plain.stays_near(Individual(["log(x0)"], 0.0, [1.0]), in_user_units=True)  # no row is below 0
    standardised = guard()
    assert standardised.stays_near(Individual(["x0"], 3.0, [1.0]), in_user_units=False)
    assert not standardised.stays_near(Individual(["exp(x0*4.0)"], 3.0, [0.01]), in_user_units=False)


def test_rows_that_span_all_of_floating_point_have_no_beyond():
    X = np.array([[-1.7e308], [0.0], [1.7e308]])
    drawn = Guard.of(X, np.arange(3.0), Scaling.none(1), np.random.default_rng(0))
    assert drawn.stays_near(Individual(["x0"], 0.0, [1e-300]), in_user_units=True)
