"""Finds in noisy data: what is below the noise is dropped, what the data need stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from multigene._engine import Dataset, Individual
from multigene.expression.genes import model_expression
from multigene.expression.numbers import numbers, retuned, simple_numbers, with_number
from multigene.expression.readable import size
from multigene.formula import Formula
from multigene.laws import law as laws
from multigene.laws import noise
from multigene.laws.finds import Finds
from multigene.laws.noise import price, simplified
from multigene.laws.variables.units import Dimensions

NAMES = list("abc")


def noisy(truth, noise=0.01, n=375):
    rng = np.random.default_rng(0)
    X = rng.uniform(1.0, 5.0, (n, 3))
    y = truth(*X.T)
    return X, y + noise * y.std() * rng.standard_normal(n)


def find(text, X, y):
    found = laws.polished(model_expression(Individual([text], 0.0, [1.0])), X, y, Dataset(X, y))
    assert found is not None
    return found


def measured(text, X, y):
    found = laws.measure(model_expression(Individual([text], 0.0, [1.0])), X, y)
    assert found is not None
    return found


def shortened(known, X, y):
    finds = Finds(X, y, None)
    return simplified(known, X, y, finds.fitted, finds.admits)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1.01*x0*x1/x2**2 + 0.003*sin(x2) + 0.01", "a*b/c**2"),
        ("sqrt(1.01*x0**2*x1**2/x2**4) + 0.002*x0", "a*b/c**2"),
        # Long finds, too: those terms go first whose loss is felt least.
        (
            "1.01*x0*x1/x2**2 - 0.002*x0*x1*sin(x2)**2 + 0.003*x2/(x0 + 0.1) + 0.001*x0*cos(x1) + 0.01",
            "a*b/c**2",
        ),
    ],
)
def test_what_is_below_the_noise_is_dropped(text, wanted):
    X, y = noisy(lambda a, b, c: a * b / c**2)
    short = shortened(find(text, X, y), X, y)
    assert str(Formula(short.expression, NAMES)) == wanted


def test_one_row_that_outweighs_all_others_gives_no_warnings():
    """Of such weights NumPy said "Degrees of freedom <= 0"."""
    X, y = noisy(lambda a, b, c: a * b / c**2)
    weights = np.full(len(y), 1e-300)
    weights[0] = 1.0
    price_at_first = noise._expected_price(find("1.01*x0*x1/x2**2", X, y).expression, X, y, weights)
    assert not np.isnan(price_at_first)


def test_when_time_is_over_a_find_is_simplified_as_far_as_it_got():
    X, y = noisy(lambda a, b, c: a * b / c**2)
    known = find("1.01*x0*x1/x2**2 + 0.003*sin(x2) + 0.002*x0*cos(x1) + 0.01", X, y)
    tries = list[int]()

    def fit(expression):
        tries.append(size(expression))
        return finds.fitted(expression)

    for most in (0, 1, 3):
        finds = Finds(X, y, None, over=lambda most=most: len(tries) >= most)
        tries.clear()
        short = simplified(known, X, y, fit, finds.admits, over=finds.over)
        assert len(tries) == most
        assert price(short, len(y)) <= price(known, len(y))
        finds.simplified.clear()
        finds.keep(known)
        finds.simplify(4)
        assert not finds.simplified  # whoever goes on with a longer limit simplifies it then


@pytest.mark.parametrize("scale", [1.0, 1e6], ids=["small", "large"])
def test_an_intercept_below_the_noise_vanishes(scale):
    X, y = noisy(lambda a, b, c: scale * a * b, noise=0.1)
    known = find(f"{1.01 * scale}*x0*x1 + {0.05 * scale}", X, y)
    short = shortened(known, X, y)
    assert size(short.expression) <= 5  # a number and two variables
    assert short.unexplained < 1.02 * known.unexplained


def test_a_sum_that_noise_tells_from_its_square_is_multiplied_out():
    X, y = noisy(lambda a, b, c: a * (b**2 + c**2))
    known = find("1.01*x0*(x1 + x2)**2 - 2.01*x0*x1*x2 + 0.001*x0*x1 + 0.01", X, y)
    assert str(Formula(shortened(known, X, y).expression, NAMES)) == "a*(b**2 + c**2)"


def test_models_of_others_are_kept_once_nothing_but_noise_is_left_of_them():
    X, y = noisy(lambda a, b, c: a * b / c)
    finds = Finds(X, y, None)
    right, wrong = (
        Individual([text], 0.0, [1.0]) for text in ("x0*x1/x2 + 0.001*x0", "x0*x1/x2 + 0.05*sin(x2)")
    )
    finds.simplify_others([Individual(["x0*x1/(x2 + 0.001)"], 0.0, [1.0])], 2)
    assert [str(Formula(kept.expression, NAMES)) for kept in finds.by_size.values()] == ["a*b/c"]
    finds.by_size.clear()
    finds.simplify_others([wrong, right, Individual(["x0"], 0.0, [1.0])], 2)
    assert [str(Formula(kept.expression, NAMES)) for kept in finds.by_size.values()] == ["a*b/c"]
    rough = X[:, 0] * X[:, 1] / X[:, 2] + 0.2 * np.sin(3.0 * X[:, 2])
    finds = Finds(X, rough, None)
    finds.simplify_others([right], 2)
    assert not finds.by_size


def test_in_noise_the_more_convincing_find_of_a_size_is_kept():
    X, y = noisy(lambda a, b, c: a * b / c, noise=0.1)
    finds = Finds(X, y, None)
    right, fitted = (measured(text, X, y) for text in ("x0*x1/x2", "exp(1.003*log(x0*x1/x2))"))
    for find in (right, fitted):
        finds.by_size.clear()
        finds.keep(replace(right, individual=find.individual))
        finds.keep(replace(fitted, individual=find.individual))
        [kept] = finds.by_size.values()
        assert kept.expression == right.expression


def test_an_exact_find_is_kept_whatever_it_costs():
    X, y = noisy(lambda a, b, c: a * b / c, noise=0.0)
    finds = Finds(X, y, None)
    near, exact = measured("x0*x1/x2", X, y + 1e-3 * X[:, 0]), measured("1.0*x0*x1/x2", X, y)
    finds.keep(replace(near, individual=exact.individual))
    finds.keep(exact)
    [kept] = finds.by_size.values()
    assert kept.unexplained == exact.unexplained < 1e-25


def test_simplified_finds_respect_units():
    pytest.importorskip("pint")
    X, y = noisy(lambda a, b, c: a * b**2 * np.exp(-c), noise=0.05)
    finds = Finds(X, y, Dimensions.of({"a": "kg", "b": "m/s", "c": "1", "y": "J"}, NAMES))
    known = measured("1.02*x0*x1**2*exp(-0.98*x2) + 0.003*x0*x1**2", X, y)
    short = simplified(known, X, y, finds.fitted, finds.admits)
    assert str(Formula(short.expression, NAMES)) == "a*b**2*exp(-c)"
    assert finds.fitted(known.expression) is not None
    assert finds.admits(finds.fitted(known.expression).expression)


def test_what_the_data_need_stays():
    X, y = noisy(lambda a, b, c: a * b + 0.8 * np.sin(c))
    known = find("x0*x1 + 0.8*sin(x2)", X, y)
    short = shortened(known, X, y)
    assert "sin(c)" in str(Formula(short.expression, NAMES))
    assert price(short, len(y)) <= price(known, len(y))


def test_simple_numbers_are_free_and_others_are_not():
    X, y = noisy(lambda a, b, c: 2.0 * a)
    simple, fitted = find("2.0*x0", X, y), find("2.0*x0", X, y)
    simple = laws.measure(model_expression(Individual(["2.0*x0"], 0.0, [1.0])), X, y)
    assert simple is not None
    assert price(simple, len(y)) < price(fitted, len(y))


def test_numbers_are_coarser_where_less_is_known():
    assert simple_numbers(0.98, 0.1) == [1.0]
    assert simple_numbers(0.98) == []
    assert 0.0 in simple_numbers(0.002, 0.1)
    assert simple_numbers(np.pi) == [np.pi]


def test_other_numbers_make_up_for_a_fixed_one():
    X, y = noisy(lambda a, b, c: 2.0 * np.exp(0.5 * a), noise=0.0)
    expression = model_expression(Individual(["1.7*exp(0.55*x0)"], 0.0, [1.0]))
    place = numbers(expression).index(0.55)
    tuned = retuned(with_number(expression, place, 0.5), {place}, X, y)
    assert sorted(numbers(tuned)) == pytest.approx([0.5, 2.0])


def test_constants_are_not_moved_beyond_floating_point(monkeypatch):
    X, y = noisy(lambda a, b, c: a * b)
    expression = model_expression(Individual(["2.0*x0*x1 + 0.5"], 0.0, [1.0]))
    monkeypatch.setattr(np.linalg, "lstsq", lambda J, *rest, **more: (np.full(J.shape[1], np.inf),))
    assert retuned(expression, set(), X, y) == expression
