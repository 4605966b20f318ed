"""The joint fit of common numbers and of every group's own ones, against SciPy and against the dense covariance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares

from multigene.data.encoding.columns import ColumnName, Own, Scored
from multigene.data.training_rows import TrainingRows
from multigene.expression.build import call, product_of, sum_of
from multigene.expression.numbers import parameters
from multigene.expression.rewriting.parts import terms_of
from multigene.expression.tree import Expression, Number, Power, Variable, evaluate
from multigene.groups.certainty import GroupUncertainty, derivatives, own_columns, uncertainty_of
from multigene.groups.choice import Chooser, as_told
from multigene.groups.own import GroupForm, GroupRows, fitted, may_be_own
from multigene.groups.powers import with_own_exponent
from multigene.groups.redundant import without_redundant
from multigene.groups.regroup import most_promising

GROUPS = 5


def decay(scale: float = 2.0, rate: float = -0.5) -> Expression:
    """scale·exp(rate·t)."""
    return product_of([Number(scale), call("exp", product_of([Number(rate), Variable(0)]))])


def rows_of(kind: str, noise: float = 0.05, n: int = 200) -> GroupRows:
    """Decays whose scale, rate, both or nothing differs between groups."""
    rng = np.random.default_rng(1)
    codes, t = rng.integers(0, GROUPS, n), rng.uniform(0.0, 5.0, n)
    scales = np.linspace(1.0, 5.0, GROUPS) if kind in ("scale", "both") else np.full(GROUPS, 3.0)
    rates = np.linspace(0.2, 1.0, GROUPS)[::-1] if kind in ("rate", "both") else np.full(GROUPS, 0.4)
    y = scales[codes] * np.exp(-rates[codes] * t) + noise * rng.normal(size=n)
    return GroupRows(t[:, None], y, np.ones(n), codes, GROUPS)


@pytest.mark.parametrize("places", [(0,), (1,), (0, 1)])
def test_the_fit_is_that_of_all_numbers_at_once(places: tuple[int, ...]) -> None:
    rows, worth = rows_of("both"), 1.0
    found = fitted(GroupForm(decay(), places), rows, worth, steps=100)
    assert found is not None

    def residuals(numbers: np.ndarray) -> np.ndarray:
        theta, u = numbers[:2], numbers[2:].reshape(GROUPS, len(places))
        full = np.tile(theta, (GROUPS, 1))
        full[:, list(places)] += u
        value = full[rows.codes, 0] * np.exp(full[rows.codes, 1] * rows.X[:, 0])
        return np.concatenate([rows.y - value, (np.sqrt(found.precision) * u).ravel()])

    start = np.concatenate([[2.0, -0.5], np.zeros(GROUPS * len(places))])
    best = least_squares(residuals, start, xtol=1e-14, ftol=1e-14, gtol=1e-14).x
    assert parameters(found.form.expression) == pytest.approx(best[:2], rel=1e-4)
    assert found.deviations.ravel() == pytest.approx(best[2:], abs=1e-4)


def test_a_group_of_few_rows_stays_near_the_pooled_number() -> None:
    rows = rows_of("scale")
    few = np.flatnonzero(rows.codes == 0)[1:]
    rows = rows.taken(np.setdiff1d(np.arange(len(rows.y)), few))
    free, held = (fitted(GroupForm(decay(), (0,)), rows, worth) for worth in (1e-6, 10.0))
    assert free is not None
    assert held is not None
    assert abs(held.deviations[0, 0]) < 0.3 * abs(free.deviations[0, 0])
    assert abs(held.deviations[4, 0]) > 0.6 * abs(free.deviations[4, 0])


@pytest.mark.parametrize(("kind", "own"), [("none", set()), ("scale", {0}), ("rate", {1}), ("both", {0, 1})])
def test_held_out_rows_tell_which_numbers_differ(kind: str, own: set[int]) -> None:
    chosen = Chooser(rows_of(kind)).chosen(decay(), ("auto",), lambda: False)
    assert chosen is not None
    assert set(chosen.fit.form.places) == own


POWERS = np.array([0.5, 1.0, 1.5, 2.2, 2.8])


def rows_of_powers(least: float = 0.5) -> GroupRows:
    rng = np.random.default_rng(0)
    codes, x = rng.integers(0, GROUPS, 200), rng.uniform(least, 4.0, 200)
    y = 2.0 * np.abs(x) ** POWERS[codes] + 0.02 * rng.normal(size=200)
    return GroupRows(x[:, None], y, np.ones(200), codes, GROUPS)


@pytest.mark.parametrize(
    "power",
    [
        Variable(0),
        Power(Variable(0), 2.0),
        Power(Variable(0), 1.7),
        call("sqrt", Variable(0)),
        Power(call("sqrt", Variable(0)), 3.0),
        Power(Power(Variable(0), 0.7), 1.3),
    ],
)
def test_an_exponent_may_be_a_number_per_group(power: Expression) -> None:
    """A column, which is a power of 1; whole, broken, a root, and powers of powers."""
    form = sum_of([product_of([Number(1.5), power]), Number(0.5)])
    chosen = Chooser(rows_of_powers()).chosen(form, ("auto",), lambda: False)
    assert chosen is not None
    assert chosen.fit.numbers[:, 0] == pytest.approx(POWERS, abs=0.02)
    assert chosen.fit.numbers.shape[1] == 1
    without = Chooser(rows_of_powers(), powers=False).chosen(form, ("auto",), lambda: False)
    assert without is not None
    assert chosen.loss < 0.1 * without.loss


def test_exponents_beside_other_numbers_per_group_and_within_functions() -> None:
    x = Variable(0)
    inner = sum_of([Power(x, 2.0), Number(3.0)])
    form = GroupForm(product_of([Number(1.5), Power(inner, 0.7), call("log", x)]), (0, 1))
    opened = with_own_exponent(form, rows_of_powers().X)
    assert [each.places for each in opened] == [(0, 2, 1), (0, 1, 2)]  # x**2 and (x**2 + 3)**0.7, not log(x)
    for each in opened:
        assert evaluate(each.expression, rows_of_powers().X) == pytest.approx(
            evaluate(form.expression, rows_of_powers().X)
        )
    assert [parameters(each.expression)[each.places[-1]] for each in opened] == [2.0, 0.7]


def test_a_base_that_is_not_positive_has_no_exponent_per_group() -> None:
    assert with_own_exponent(GroupForm(Power(Variable(0), 2.0), ()), rows_of_powers(-1.0).X) == []


def test_a_constant_per_group_is_added_where_the_form_has_none() -> None:
    rows = rows_of("none")
    shifted = GroupRows(rows.X, rows.y + np.arange(GROUPS)[rows.codes], rows.shares, rows.codes, GROUPS)
    chosen = Chooser(shifted).chosen(decay(), ("auto",), lambda: False)
    assert chosen is not None
    assert np.ptp(chosen.fit.numbers, axis=0) == pytest.approx([GROUPS - 1.0], abs=0.1)


def test_numbers_that_are_told() -> None:
    offset = as_told(decay(), ("offset",))
    assert parameters(offset.expression)[offset.places[0]] == 0.0
    assert as_told(decay(), ("factor",)).places == (0,)
    both = as_told(sum_of([decay(), Variable(0)]), ("offset", "factor"))
    assert len(both.places) == 2
    assert as_told(decay(), ("all",)).places == (0, 1)
    assert may_be_own(sum_of([Number(1.0), call("sqrt", Variable(0))])) == [0]


def test_common_numbers_that_own_ones_make_redundant_are_dropped() -> None:
    rng = np.random.default_rng(0)
    codes, t = rng.integers(0, GROUPS, 150), rng.uniform(1.0, 5.0, 150)
    y = np.linspace(1, 3, GROUPS)[codes] * t / (t + 1.5)
    rows = GroupRows(t[:, None], y, np.ones(150), codes, GROUPS)
    below = sum_of([Number(3.0), product_of([Number(2.0), Variable(0)])])
    form = GroupForm(call("div", product_of([Number(4.0), Variable(0)]), below), (0,))
    fit = fitted(form, rows, 0.1)
    assert fit is not None
    less = without_redundant(fit, rows, 0.1)
    assert len(parameters(less.form.expression)) == 2
    free = fitted(less.form, rows, 1e-6, less)
    assert free is not None
    assert free.error < 1e-9
    assert np.ptp(free.numbers) == pytest.approx(2.0, rel=1e-5)


# --- certainty ------------------------------------------------------------------------------------


def test_intervals_are_those_of_the_dense_covariance() -> None:
    rows = rows_of("scale", noise=0.2)
    fit = fitted(GroupForm(decay(), (0,)), rows, 2.0, steps=50)
    assert fit is not None
    levels = tuple("abcde")
    own = Own("site", "p", tuple(zip(levels, fit.numbers[:, 0].tolist(), strict=True)), float(fit.pooled[0]),
              float(fit.precision[0]), 1.0)  # fmt: skip
    place = Scored("site", "place", tuple((level, j + 1.0) for j, level in enumerate(levels)), 0.0)
    names: list[str] = ["t", ColumnName(place, 1), ColumnName(own, 1)]
    X = np.column_stack([rows.X[:, 0], rows.codes + 1.0, fit.numbers[rows.codes, 0]])
    rate = parameters(fit.form.expression)[1]
    expression = call("mul", Variable(2), call("exp", product_of([Number(rate), Variable(0)])))
    training = TrainingRows.of(X, rows.y)
    columns = own_columns(expression, names)
    known = uncertainty_of(expression, names, columns, training)
    common, mine = derivatives(expression, X, columns)
    J = np.zeros((len(X), 1 + GROUPS))
    J[:, 0] = common[:, 0]
    J[np.arange(len(X)), 1 + rows.codes] = mine[:, 0]
    inverse = np.linalg.inv(J.T @ J + np.diag([0.0, *[own.precision] * GROUPS]))
    variances = np.einsum("ij,jk,ik->i", J, inverse, J)
    width = known.half_width(expression, X, 0.9)
    assert width == pytest.approx(known.quantile(0.9) * np.sqrt(known.variance * (1.0 + variances)), rel=1e-9)
    assert known.own_errors()[1:, 0] == pytest.approx(
        np.sqrt(known.variance * np.diag(inverse)[1:]), rel=1e-9
    )
    assert known.standard_errors[0] == pytest.approx(np.sqrt(known.variance * inverse[0, 0]), rel=1e-9)
    again = GroupUncertainty.from_dict(known.as_dict(), known, names, columns)
    assert again.half_width(expression, X, 0.9) == pytest.approx(width, rel=1e-12)
    new = X[:1] * [1.0, 0.0, 1.0]
    assert known.half_width(expression, new, 0.9)[0] > width.max()


def rows_of_two(total: str) -> GroupRows:
    rng = np.random.default_rng(1)
    codes, X = rng.integers(0, GROUPS, 300), rng.uniform(0.5, 3.0, (300, 2))
    power, factor = X[:, 0] ** POWERS[codes], np.linspace(1.0, 3.0, GROUPS)[codes]
    y = {"factor": power + factor * X[:, 1] ** 2, "common": 1.5 * power - X[:, 1] ** 2}[total]
    return GroupRows(X, y + 0.02 * rng.normal(size=300), np.ones(300), codes, GROUPS)


def test_a_term_that_exponents_per_group_make_needless_is_dropped() -> None:
    """A search on one group has x*(x + 0.2) for a power near 2: 1.3*x**2 + 0.2*x."""
    x, z = Variable(0), Variable(1)
    terms = [product_of([Number(0.2), x]), product_of([Number(1.3), Power(x, 2.0)])]
    form = sum_of([*terms, product_of([Number(-1.0), Power(z, 2.0)]), Number(-0.1)])
    chosen = Chooser(rows_of_two("common")).chosen(form, ("auto",), lambda: False)
    assert chosen is not None
    assert len(terms_of(chosen.fit.form.expression)) == 2
    assert chosen.fit.numbers[:, 0] == pytest.approx(POWERS, abs=0.03)


def test_no_more_numbers_per_group_than_another_beginning_needs() -> None:
    """x**p + q*z**2, not p*(q*x**r + z**2)."""
    x, z = Variable(0), Variable(1)
    form = sum_of([product_of([Number(1.3), x]), product_of([Number(2.0), Power(z, 2.0)]), Number(-0.3)])
    chosen = Chooser(rows_of_two("factor")).chosen(form, ("auto",), lambda: False)
    assert chosen is not None
    assert chosen.fit.numbers.shape[1] == 2


def test_forms_that_say_most_come_first_and_none_twice() -> None:
    x, z = Variable(0), Variable(1)

    def form(first: float, of_z: Expression) -> Expression:
        return sum_of([product_of([Number(first), Power(x, 2.0)]), product_of([Number(-2.5), of_z])])

    of_one = [x, form(1.4, z), form(1.3, z), form(1.5, Power(z, 2.0))]
    assert most_promising([of_one, [z]], rows_of_two("common")) == [x, z, of_one[3], of_one[1]]
    late = most_promising([of_one, [z]], rows_of_two("common"), over=lambda: True)
    assert late == [x, z, of_one[1], of_one[3]]  # as they were found
