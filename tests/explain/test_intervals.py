"""Intervals of predictions and of numbers that cover what they promise."""

from __future__ import annotations

import numpy as np
import pytest

from multigene import MultigeneRegressor, load
from multigene._engine import Individual
from multigene.data.training_rows import TrainingRows
from multigene.explain.intervals import Uncertainty, parameter_table
from multigene.expression.genes import model_expression
from multigene.expression.numbers import parameters
from multigene.expression.tree import Number, Operation, Variable, evaluate
from multigene.formula import Formula

x, z = Variable(0), Variable(1)


def straight_line():
    rng = np.random.default_rng(3)
    X = rng.normal(5.0, 2.0, (40, 1))
    return X, 2.0 + 0.5 * X[:, 0] + 0.3 * rng.normal(size=40)


def test_a_straight_line_has_the_textbook_errors():
    X, y = straight_line()
    individual = Individual(["x0"], 0.0, [1.0]).fit(TrainingRows.of(X, y).dataset)
    expression = model_expression(individual)
    known = Uncertainty.of(expression, TrainingRows.of(X, y))
    A = np.column_stack([X[:, 0], np.ones(40)])
    solution, rest, *_ = np.linalg.lstsq(A, y, rcond=None)
    covariance = rest[0] / 38 * np.linalg.inv(A.T @ A)
    assert known.freedom == 38
    np.testing.assert_allclose(parameters(expression), solution, rtol=1e-9)
    np.testing.assert_allclose(known.standard_errors, np.sqrt(np.diag(covariance)), rtol=1e-9)
    table = parameter_table(Formula(expression, ["x"]), known)
    assert list(table["part"]) == [f"{solution[0]:.4g}*x", "intercept"]
    new = np.array([[0.0], [5.0], [20.0]])
    leverage = np.einsum(
        "ij,jk,ik->i",
        np.column_stack([new[:, 0], np.ones(3)]),
        np.linalg.inv(A.T @ A),
        np.column_stack([new[:, 0], np.ones(3)]),
    )
    np.testing.assert_allclose(
        known.half_width(expression, new, 0.95), 2.0243942 * np.sqrt(rest[0] / 38 * (1 + leverage)), rtol=1e-6
    )


def test_numbers_that_the_rows_cannot_tell_apart_are_marked():
    X, y = straight_line()
    # a*(b*x) + c: only the product of a and b is determined.
    expression = Operation(
        "add", (Operation("mul", (Number(2.0), Operation("mul", (Number(0.25), x)))), Number(2.0))
    )
    known = Uncertainty.of(expression, TrainingRows.of(X, y))
    assert list(known.determined) == [False, False, True]
    assert np.isnan(known.standard_errors[:2]).all()
    plain = Operation("add", (Operation("mul", (Number(0.5), x)), Number(2.0)))
    new = np.linspace(-5.0, 15.0, 7)[:, None]
    np.testing.assert_allclose(
        known.half_width(expression, new, 0.9),
        Uncertainty.of(plain, TrainingRows.of(X, y)).half_width(plain, new, 0.9),
        rtol=1e-9,
    )


def test_weights_count_as_repeated_rows_do_in_the_fit():
    X, y = straight_line()
    weights = np.where(np.arange(40) < 10, 3.0, 1.0)
    rows = TrainingRows.of(X, y, weights)
    expression = model_expression(Individual(["x0"], 0.0, [1.0]).fit(rows.dataset))
    known = Uncertainty.of(expression, rows)
    A, w = np.column_stack([X[:, 0], np.ones(40)]), weights / weights.mean()
    inverse = np.linalg.inv(A.T @ (w[:, None] * A))
    residual = y - evaluate(expression, X)
    np.testing.assert_allclose(known.covariance, inverse * (w @ residual**2) / 38, rtol=1e-8)


@pytest.mark.parametrize("gene", ["exp([0: -0.5*x0])", "sin([0: 0.3 + 1.5*x0 + 0.5*x1])"])
def test_prediction_intervals_cover(gene):
    """200 data sets with known noise and the true form in the model: 95 % intervals hold 93 to 97 % of new observations."""
    truth = Individual([gene], 1.0, [3.0])
    from multigene.settings.settings import Refinement

    tuning, covered, total = Refinement(iterations=30, gain=1e-9, decay=0.0), 0, 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X, new = rng.uniform(-1.0, 2.0, (60, 2)), rng.uniform(-1.0, 2.0, (50, 2))
        y = truth.predict(X) + 0.2 * rng.normal(size=60)
        observed = truth.predict(new) + 0.2 * rng.normal(size=50)
        rows = TrainingRows.of(X, y)
        model = truth.refine(rows.dataset, tuning)
        expression = model_expression(model)
        width = Uncertainty.of(expression, rows).half_width(expression, new, 0.95)
        covered += int(np.sum(np.abs(observed - model.predict(new)) <= width))
        total += 50
    assert 0.93 <= covered / total <= 0.97


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (150, 3))
    y = np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.1 * rng.normal(size=150)
    return X, y, MultigeneRegressor(generations=8, random_state=0).fit(X, y)


def test_predict_gives_bounds(fitted):
    X, y, model = fitted
    prediction, lower, upper = model.predict(X, interval=0.95)
    np.testing.assert_array_equal(prediction, model.predict(X))
    assert np.all((lower < prediction) & (prediction < upper))
    assert 0.9 <= np.mean((lower <= y) & (y <= upper)) <= 1.0
    narrow = model.predict(X, interval=0.5)
    assert np.all(narrow[2] - narrow[1] < upper - lower)
    other = model.predict(X, index=1, interval=0.95)
    np.testing.assert_array_equal(other[0], model.predict(X, index=1))


def test_parameters_are_the_printed_numbers(fitted):
    _, _, model = fitted
    table = model.parameters_
    np.testing.assert_array_equal(table["estimate"], parameters(model.formula_.expression))
    assert (table["standard_error"].dropna() > 0.0).all()


def test_a_loaded_model_knows_its_intervals(fitted, tmp_path):
    X, y, model = fitted
    model.choose("default").save(tmp_path / "m.json")
    loaded = load(tmp_path / "m.json")
    for ours, theirs in zip(loaded.predict(X, interval=0.9), model.predict(X, interval=0.9), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    with pytest.raises(ValueError, match="keep_rows"):
        loaded.predict(X, index=1, interval=0.9)
    loaded.keep_rows(X, y)
    np.testing.assert_allclose(
        loaded.predict(X, index=1, interval=0.9)[1], model.predict(X, index=1, interval=0.9)[1], rtol=1e-12
    )


@pytest.mark.parametrize("level", [0.0, 1.0, 95, -0.1, "wide", True])
def test_levels_that_make_no_sense(fitted, level):
    X, _, model = fitted
    with pytest.raises(ValueError, match="between 0 and 1"):
        model.predict(X, interval=level)


def test_too_few_rows():
    X = np.array([[0.0], [1.0]])
    expression = Operation("add", (Operation("mul", (Number(1.0), x)), Number(0.0)))
    with pytest.raises(ValueError, match="more rows than parameters"):
        Uncertainty.of(expression, TrainingRows.of(X, np.array([0.0, 1.0])))
