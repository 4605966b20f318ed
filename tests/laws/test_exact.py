"""What a law has to stand: small values, digits of the data, numbers that stand out, angles that rows can tell."""

from __future__ import annotations

import numpy as np
import pytest

from multigene import MultigeneRegressor
from multigene._engine import Dataset, Individual, Workers
from multigene.expression.genes import model_expression
from multigene.expression.tree import evaluate
from multigene.formula import Formula
from multigene.laws import exact
from multigene.laws import law as laws
from multigene.laws.exact import EXACTLY, TO_PRECISION
from multigene.laws.seekers import Seekers
from multigene.settings.settings import Seeking

NAMES = list("abcd")


def rows(n=300, d=3, low=1.0, high=5.0, seed=0):
    return np.random.default_rng(seed).uniform(low, high, (n, d))


def read(text):
    return model_expression(Individual([text], 0.0, [1.0]))


def law_of(text, X, y):
    find = laws.measure(read(text), X, y)
    assert find is not None
    return laws.as_law(find, X, y, Dataset(X, y))


def said(find):
    return str(Formula(find.expression, NAMES))


# --- small values ---------------------------------------------------------------------------------


def diode():
    """Values over more than twenty decades."""
    X = np.column_stack([rows(d=3), np.random.default_rng(1).uniform(0.4, 5.0, 300)])
    return X, X[:, 0] * (np.exp(X[:, 1] * X[:, 2] / X[:, 3]) - 1.0)


def test_a_formula_that_misses_the_small_values_is_no_law():
    X, y = diode()
    false = "x0*exp(x1*x2/x3)"
    assert laws.is_law(laws.measure(read(false), X, y))  # by the variance that it explains
    assert exact.level(read(false), X, y) is None
    assert law_of(false, X, y) is None
    right = law_of("x0*(exp(x1*x2/x3) - 1.0)", X, y)
    assert said(right) == "a*(exp(b*c/d) - 1)"
    assert right.grade == EXACTLY


def test_the_search_finds_the_law_of_small_values_too():
    X, y = diode()
    search = Seekers(X, y, np.arange(300), np.random.default_rng(0), Workers(1), Seeking())
    search.seek(40_000)
    assert search.law is not None
    np.testing.assert_allclose(search.law.individual.predict(X), y, rtol=1e-11)


def test_numbers_are_tuned_for_small_values_too():
    X = rows()
    y = 1.2345 * X[:, 1] * np.exp(6.0 * X[:, 0]) + 3.3  # the largest are 1e13 times as large
    find = law_of("1.2345*x1*exp(6.0*x0) + 3.0712", X, y)
    assert find.grade == EXACTLY
    assert said(find) == "1.2345*b*exp(6*a) + 3.3"


def test_other_rows_see_what_these_do_not():
    X, y = diode()
    false, right = read("x0*exp(x1*x2/x3)"), read("x0*(exp(x1*x2/x3) - 1.0)")
    large = y > 1e13 * X[:, 0]
    assert exact.level(false, X[large], y[large]) is not None
    assert not exact.holds(false, X, y, exactly=True)
    assert not exact.holds(false, X, y, exactly=False)
    assert exact.holds(right, X, y, exactly=True)


# --- numbers that stand out -----------------------------------------------------------------------


def taylor(degree):
    """A least-squares polynomial of exp(-0.3*x)."""
    X = rows(d=1, low=0.0)
    y = np.exp(-0.3 * X[:, 0])
    weights = np.polynomial.Polynomial.fit(X[:, 0], y, degree).convert().coef
    return (
        X,
        y,
        " + ".join(
            f"({float(w)!r})*x0**{k}" if k > 1 else f"({float(w)!r})*{'x0' if k else '1.0'}"
            for k, w in enumerate(weights)
        ),
    )


@pytest.mark.parametrize("degree", [4, 6, 8, 10, 12])
def test_a_polynomial_that_approximates_is_no_law(degree):
    X, y, text = taylor(degree)
    assert law_of(text, X, y) is None


def test_a_polynomial_that_is_one_is_a_law():
    X = rows(d=1, low=-2.0, high=2.0)
    x = X[:, 0]
    y = 0.731 * x**6 - 1.37 * x**4 + 0.0123 * x**3 + x
    find = law_of("0.731*x0**6 - 1.37*x0**4 + 0.0123*x0**3 + x0", X, y)
    assert find.grade == EXACTLY
    np.testing.assert_allclose(find.individual.predict(X), y, rtol=1e-9, atol=1e-12)


def test_terms_that_do_not_matter_are_dropped():
    X = rows()
    y = 1.7 * X[:, 0] * np.sin(X[:, 1])
    for junk in ("1e-9*x2", "1e-12*cos(3.3*x2)", "1e-10*sin(6.541e9*x1 - 7.558e17)/(6.541e9*x1 - 7.558e17)"):
        assert said(law_of(f"1.7*x0*sin(x1) + {junk}", X, y)) == "1.7*a*sin(b)"


def test_numbers_that_say_the_same_twice_become_one():
    X = rows()
    y = np.sqrt(2.5 * X[:, 0] ** 2 + X[:, 1])
    text = "0.7015*sqrt(5.0802*x0**2 + 2.03208*x1)"
    find = laws.polished(read(text), X, y, Dataset(X, y))
    assert len(exact.undetermined(find.expression, X, y)) >= 3
    law = laws.as_law(find, X, y, Dataset(X, y))
    assert len(exact.fitted_places(law.expression)) <= 1
    assert exact.undetermined(law.expression, X, y) == []


def test_angles_that_turn_faster_than_rows_can_tell():
    X = rows(100, 1, 0.0, 1.0)
    assert exact.sampled(read("sin(200.0*x0)"), X)
    assert not exact.sampled(read("x0 + cos(400.0*x0)"), X)
    assert not exact.sampled(read("sin(6.541e9*x0 - 7.558e17)"), X)
    grid = np.linspace(0.0, 1.0, 101)[:, None]
    fast = evaluate(read(f"sin({2.0 * np.pi * 103.0!r}*x0)"), grid)
    assert exact.level(read(f"sin({2.0 * np.pi * 3.0!r}*x0)"), grid, fast) == EXACTLY  # as good
    assert law_of(f"sin({2.0 * np.pi * 103.0!r}*x0)", grid, fast) is None


def test_digits_lost_inside_are_no_law():
    X = rows()
    y = X[:, 0] * X[:, 1]
    assert exact.level(read("x0*x1 + 1e9 - 1e9"), X, y) == EXACTLY  # folded
    assert exact.level(read("(x0*x1 + 1e12*x2) - 1e12*x2*exp(0.0*x0)"), X, y) is not None
    assert exact.level(read("1e12*(exp(1e-12*x0*x1) - 1.0)"), X, y) is None


# --- the data's digits ----------------------------------------------------------------------------


def single(values):
    return values.astype(np.float32).astype(np.float64)


def test_single_precision_is_recognised():
    X = single(rows())
    y = 1.234 * X[:, 0] * np.exp(-0.77 * X[:, 1]) / X[:, 2]
    assert exact.is_single(single(y))
    assert not exact.is_single(y)
    assert not exact.is_single(np.round(y, 2))
    assert not exact.is_single(np.arange(5.0))
    search = Seekers(X, single(y), np.arange(300), np.random.default_rng(0), Workers(1), Seeking())
    search.seek(40_000)
    assert search.law.grade == TO_PRECISION
    np.testing.assert_allclose(search.law.individual.predict(X), y, rtol=1e-7)


def test_longer_laws_of_single_precision():
    X = single(rows(d=4))
    a, b, c, d = X.T
    y = single(d * (a + b) / (1.0 + a * b / c**2) + 0.321 * np.sin(c))
    law = law_of("x3*(x0 + x1)/(1.0 + x0*x1/x2**2) + 0.3211*sin(x2)", X, y)
    assert law.individual.complexity > 12
    assert law.grade == TO_PRECISION
    # A polynomial that comes as close has numbers that do not stand out.
    x = single(rows(d=1, low=0.0))
    values = single(np.exp(-0.3 * x[:, 0]))
    weights = np.polynomial.Polynomial.fit(x[:, 0], values, 6).convert().coef
    text = " + ".join(f"({float(w)!r})*x0**{k}" for k, w in enumerate(weights) if k > 1)
    assert law_of(f"{float(weights[0])!r} + ({float(weights[1])!r})*x0 + {text}", x, values) is None


@pytest.mark.parametrize("decimals", [4, 6, 9])
def test_rounded_data(decimals):
    X = rows()
    y = np.round(X[:, 0] * np.sin(X[:, 1]) / X[:, 2], decimals)
    np.testing.assert_array_equal(exact.rounding_of(y), 0.5 * 10.0**-decimals)
    assert law_of("x0*sin(x1)/x2", X, y).grade == TO_PRECISION


def test_coarse_digits_prove_nothing():
    X = rows()
    y = np.round(X[:, 0] * np.sin(X[:, 1]) / X[:, 2], 2)
    assert law_of("x0*sin(x1)/x2", X, y) is None


def test_values_without_a_pattern_have_no_digits():
    assert not exact.rounding_of(rows()[:, 0]).any()


# --- the front door -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1])
def test_a_survey_cut_short_calls_no_polynomial_a_law(seed):
    X = np.random.default_rng(0).uniform(0, 5, size=(300, 3))
    y = X[:, 0] * X[:, 1] * np.exp(-0.3 * X[:, 2])
    search = Seekers(X, y, np.arange(300), np.random.default_rng(seed), Workers(1), Seeking())
    search.survey.run(search.progress, 10**9, lambda: search.progress.surveyed > 0)
    assert search.progress.surveyed == 1  # the probe of degree ten
    assert search.finds.best < 1e-20
    assert search.law is None
    search.seek(40_000)
    assert said(search.law) == "a*b*exp(-0.3*c)"


def test_a_law_of_small_values_through_the_front_door():
    X, y = diode()
    model = MultigeneRegressor(search="laws", generations=200, random_state=0, n_jobs=1).fit(X, y)
    assert model.stopped_by_ == "law"
    np.testing.assert_allclose(model.predict(X), y, rtol=1e-9)


def test_a_target_with_many_zeros_gives_no_warning():
    X = rows(60, 2, -5.0, 5.0)
    y = np.where(
        X[:, 0] > 0.0, X[:, 0], 0.0
    )  # a relative error is infinite where the target is 0 and the formula is not
    worse = exact.no_worse_than(read("2.0*x0"), X, y)
    assert worse(read("3.0*x0"))
