"""Numbers of fitted models: as few digits as the loss allows, predictions as good as before, and printed as they are."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest

from multigene import MultigeneRegressor
from multigene._engine import Individual
from multigene.data.training_rows import TrainingRows
from multigene.evolution.pareto import Member
from multigene.explain.constants import ROUNDING
from multigene.explain.digits import Numbers, _effects, with_few_digits
from multigene.expression.constants import WHOLE
from multigene.expression.genes import model_expression
from multigene.expression.numbers import parameters, round_numbers
from multigene.expression.reading import read
from multigene.expression.tree import evaluate
from multigene.formula import Formula
from multigene.settings.loss import loss_of

rng = np.random.default_rng(0)
X = rng.uniform(-3.0, 3.0, (300, 3))
NOISE = 0.3 * rng.normal(size=300)
NAMES = ("x0", "x1", "x2")


def with_and_without(genes: list[str], y: np.ndarray) -> tuple[Member, Member]:
    rows = TrainingRows.of(X, y)
    individual = Individual(genes, 0.0, [1.0] * len(genes)).fit(rows.dataset)
    member = Member(individual, individual.fitness, individual.complexity)
    return member, with_few_digits([member], rows)[0]


def digits(value: float) -> int:
    return len(repr(abs(value)).split("e")[0].replace(".", "").strip("0"))


def test_the_loss_stays_and_digits_go() -> None:
    y = np.sin(X[:, 0]) * X[:, 1] + 0.3 * X[:, 2] ** 2 + NOISE
    genes = ["sin([0: 0.0123456789 + 1.0123456789*x0]) * x1", "[2: 0.5770429717715662*x2 + 1.0e-17]**2"]
    before, after = with_and_without(genes, y)
    assert max(digits(v) for v in parameters(model_expression(before.individual))) > 9
    assert max(digits(v) for v in Numbers.of(after.individual).values) <= 5
    assert "e-17" not in " ".join(after.individual.genes)
    loss = [np.mean((y - m.individual.predict(X)) ** 2) for m in (before, after)]
    assert loss[1] <= loss[0] * (1.0 + ROUNDING)
    assert after.fitness == pytest.approx(1.0 - loss[1] / np.var(y), abs=1e-12)
    moved = np.sqrt(np.mean((before.individual.predict(X) - after.individual.predict(X)) ** 2))
    assert moved <= 0.004 * np.sqrt(loss[0])


def test_numbers_inside_a_function_that_is_flat_on_all_rows() -> None:
    """A small step of 64.658 moves nothing where tanh is 1 or -1 on every row; zero in its place would."""
    far = np.where(np.abs(X[:, 0]) < 1.0, np.sign(X[:, 0]), X[:, 0])
    rows = TrainingRows.of(np.column_stack([far, X[:, 1:]]), 3.0 * np.tanh(64.658 * far) + X[:, 1] + NOISE)
    genes = ["tanh([0: -3.12345678901234 + 64.65809940021433*x0])", "[1: 1.0123456789*x1]"]
    individual = Individual(genes, 0.0, [1.0, 1.0]).fit(rows.dataset)
    before = Member(individual, individual.fitness, individual.complexity)
    [after] = with_few_digits([before], rows)
    assert max(digits(v) for v in Numbers.of(after.individual).values) <= 5
    assert after.fitness == pytest.approx(before.fitness, abs=1e-6)
    assert abs(after.individual.predict(rows.X) - individual.predict(rows.X)).max() < 0.01


def test_numbers_that_cancel_keep_the_digits_they_need() -> None:
    """235.3*f(1.3766*x) - 235.3*f(1.3763*x) would be nonsense with four digits each."""
    y = 1000.0 * (np.cos(1.3766123 * X[:, 0]) - np.cos(1.3762345 * X[:, 0])) + 0.01 * NOISE
    before, after = with_and_without(["cos([0: 1.3766123456789*x0])", "cos([0: 1.3762345678912*x0])"], y)
    assert before.fitness > 0.99
    assert after.fitness == pytest.approx(before.fitness, abs=1e-7)
    assert max(digits(v) for v in parameters(model_expression(after.individual))) > 5


def test_lines_are_written_with_short_numbers() -> None:
    before, after = with_and_without(
        ["[0: 0.7 + 1.23456789*x0 - 2.345678912*x1]".replace("- 2", "+ -2")], X[:, 0] + NOISE
    )
    assert all(digits(v) <= 6 for v in parameters(model_expression(after.individual)))
    np.testing.assert_allclose(after.individual.predict(X), before.individual.predict(X), atol=2e-3)


def test_laws_and_the_mean_stay_as_they_are() -> None:
    law, same = with_and_without(["sin([0: 1.23456789012345*x0])"], np.sin(1.23456789012345 * X[:, 0]))
    assert list(same.individual.genes) == list(law.individual.genes)
    assert list(same.individual.coefficients) == list(law.individual.coefficients)
    assert same.individual.intercept == 0.0  # what least squares leave there is a rounding error
    mean, same = with_and_without(["0.0"], NOISE)
    assert same is mean


def test_exact_models_lose_terms_that_are_rounding_errors() -> None:
    rows = TrainingRows.of(X, 2.0 * X[:, 0])
    individual = Individual(["x0", "x1", "x2"], -5.6e-17, [2.0, 1e-17, 1e-9])
    member = Member(individual, 1.0, individual.complexity)
    shorter = with_few_digits([member], rows)[0].individual
    assert shorter.intercept == 0.0
    assert list(shorter.coefficients) == [2.0, 0.0, 1e-9]


def test_exact_lines_lose_columns_that_are_rounding_errors() -> None:
    rows = TrainingRows.of(X, 2.0 * X[:, 0] + X[:, 1] ** 2)
    individual = Individual(
        ["[0: 0.0 + 2.0*x0 + -3.3e-16*x1]", "x1**2", "tanh(x2)"], 1e-16, [1.0, 1.0, 1e-15]
    )
    member = Member(individual, 1.0, individual.complexity)
    shorter = with_few_digits([member], rows)[0].individual
    assert str(Formula(model_expression(shorter), ["x0", "x1", "x2"])) == "2*x0 + x1**2"


def test_every_number_of_a_gene_is_found() -> None:
    genes = [
        "sin([0: 0.2 + 1.3e-17*x0]) * 2.0 - -3.0",
        "{1.5: x0^0.5 x2^-2.0}",
        "weighted(0.5, 1e20, sin(x0))**2",
    ]
    numbers = Numbers.of(Individual(genes, 0.7, [1.0, 2.0, 3.0]))
    assert numbers.values == (0.7, 1.0, 2.0, 3.0, 0.2, 1.3e-17, 2.0, -3.0, 1.5, 0.5, -2.0, 0.5, 1e20)
    again = numbers.individual(numbers.values)
    assert (again.genes, again.intercept, again.coefficients) == (genes, 0.7, [1.0, 2.0, 3.0])


def test_what_a_fitted_model_prints_is_what_it_predicts() -> None:
    y = np.exp(np.sin(X[:, 0] + 0.3 * X[:, 1] ** 2)) / (1.0 + np.abs(X[:, 2]) ** 1.5) + 0.1 * NOISE
    model = MultigeneRegressor(generations=15, random_state=0).fit(X, y)
    assert model.fitted_.chosen in list(model.fitted_.front)
    assert model.score(X, y) == pytest.approx(model.r2_, abs=1e-9)
    printed = evaluate(round_numbers(model.formula_.expression, 4, named=True, whole=WHOLE), X)
    left = np.sqrt(np.mean((y - model.predict(X)) ** 2))
    assert np.sqrt(np.mean((printed - model.predict(X)) ** 2)) <= 0.01 * left
    assert not re.search(r"\d\.\d{9}", str(model.formula_))


def test_configurations_of_the_paper_are_left_alone() -> None:
    y = X[:, 0] ** 2 + NOISE
    model = MultigeneRegressor("UB", generations=3, random_state=0).fit(X, y)
    assert max(digits(v) for v in parameters(model.formula_.expression)) > 9


def test_effects_are_derivatives() -> None:
    """Of every number, whether its gene is a line or not: what predictions do when it moves."""
    genes = ["[0: 0.7 + 1.2*x0 + -2.3*x1]", "sin([2: 0.4 + 1.3*x2]) * x0", "x1 * x2"]
    numbers = Numbers.of(Individual(genes, 0.5, [2.0, -3.0, 1.5]))
    rows = TrainingRows.of(X, NOISE)
    start = numbers.individual(numbers.values).predict(X)
    for place, (value, effect) in enumerate(zip(numbers.values, _effects(numbers, rows), strict=True)):
        moved = [*numbers.values[:place], value + 1e-6, *numbers.values[place + 1 :]]
        change = np.sqrt(np.mean((numbers.individual(moved).predict(X) - start) ** 2)) / 1e-6
        if value != 0.0:
            assert effect == pytest.approx(change, rel=5e-3)


def test_models_that_time_did_not_reach_lose_their_digits_when_somebody_looks():
    """What is printed of every model of a run that a clock ended is the model."""
    y = np.sin(X[:, 0]) * X[:, 1] + 0.3 * X[:, 2] ** 2 + NOISE
    settings = {"clock": "processor"}
    model = MultigeneRegressor(time_limit=0.5, random_state=0, n_jobs=1, settings=settings).fit(X, y)
    front = model.fitted_.front
    assert not isinstance(front._members, list)  # nobody has looked
    again = pickle.loads(pickle.dumps(front))
    assert isinstance(again._members, list)
    assert front.members is front.members
    assert front.default in front.members
    for one, other in zip(front, again, strict=True):
        assert one.individual.predict(X) == pytest.approx(other.individual.predict(X), abs=0.0)
        if any(one.individual.coefficients):  # the mean keeps its digits
            printed = str(Formula(model_expression(one.individual), NAMES))
            assert evaluate(read(printed, NAMES), X) == pytest.approx(one.individual.predict(X), abs=1e-9)


def test_a_constant_that_rounding_leaves_within_a_gene_is_printed_as_it_is():
    """The weights of the angle are rounded away; its sine is then one number with the constant of the model."""
    genes = ["sin(sinc([0: 0.01 + 0.02*x0])) + neg(softplus([1: 23.5 + 4.03*x0 + 0.94*x1])**3)", "x2**2"]
    individual = Individual(genes, -12.5045, [-9.76e-6, 0.4592])
    rows = TrainingRows.of(X, individual.predict(X) + NOISE)
    [few] = with_few_digits([Member(individual, 0.9, individual.complexity)], rows)
    printed = str(Formula(model_expression(few.individual), NAMES))
    assert evaluate(read(printed, NAMES), X) == pytest.approx(few.individual.predict(X), abs=1e-9)


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_columns_at_the_ends_of_floating_point_give_no_warnings(scale: float) -> None:
    """A number times the square of such a column is no number; warnings are errors in tests."""
    wide = X * [scale, 1.0, 1.0]
    y = X[:, 0] + NOISE
    rows = TrainingRows.of(wide, y)
    for genes, coefficients in (
        (["[0: 0.0 + 1.0*x0 + 0.0*x1]"], [1.23456789 / scale]),
        (["x0 * sin([0: 0.0 + 1.23456*x1])"], [1.23456789 / scale]),
    ):
        individual = Individual(genes, 0.123456789, coefficients)
        member = Member(individual, 0.9, individual.complexity)
        assert np.isfinite(with_few_digits([member], rows)[0].individual.predict(wide)).all()


def test_exact_models_of_tiny_columns_give_no_warnings() -> None:
    tiny = X * [1e-300, 1.0, 1.0]
    rows = TrainingRows.of(tiny, 2e200 * X[:, 1])
    individual = Individual(["[0: 0.0 + 2e200*x1 + 1.0*x0]"], 0.0, [1.0])
    member = Member(individual, 1.0, individual.complexity)
    assert str(Formula(model_expression(with_few_digits([member], rows)[0].individual), NAMES)) == "2e200*x1"


def test_other_losses_of_targets_at_the_ends_of_floating_point_give_no_warnings() -> None:
    """Rows whose weight is beyond floating point, or nothing, do not count."""
    y = np.where(X[:, 1] > 0.0, 1e-300, 1e300) * np.abs(X[:, 0])
    rows = TrainingRows.of(X, y, loss=loss_of("relative"))
    individual = Individual(["x0", "x1"], 1e300, [1.23456e300, 0.123456])
    member = Member(individual, 0.1, individual.complexity)
    assert np.isfinite(with_few_digits([member], rows)[0].individual.predict(X)).all()
