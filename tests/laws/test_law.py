"""From finds to laws: as the engine has them, natural forms, constants cleaned up, what is no law."""

from __future__ import annotations

import numpy as np
import pytest

from multigene._engine import Dataset, Individual
from multigene.expression.engine_text import engine_form, engine_text
from multigene.expression.genes import gene_expression, model_expression
from multigene.expression.numbers import numbers
from multigene.expression.readable import size
from multigene.expression.rewriting import natural, powers_joined
from multigene.expression.tree import Number, Operation, Power, Variable, evaluate
from multigene.formula import Formula
from multigene.laws import law as laws

NAMES = list("abcde")


def rows(n=200, d=5, low=1.0, high=2.0, seed=0):
    return np.random.default_rng(seed).uniform(low, high, (n, d))


def read(text):
    return model_expression(Individual([text], 0.0, [1.0]))


# --- text -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "exponent", [-3.0, -2.5, -2.0, -1.0, -0.5, 0.0, 0.3, 0.5, 1.0, 1.5, 2.0, 3.0, 17.0, 40.0]
)
def test_the_engine_reads_powers_as_they_are(exponent):
    X = rows()
    expression = Operation("add", (Power(Variable(0), exponent), Number(-2.0)))
    individual = laws.as_individual(expression)
    np.testing.assert_allclose(individual.predict(X), evaluate(expression, X), rtol=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "x0*exp(-1.5*x1)/(1.0 + x2**2)",
        "sqrt(abs(x0 - x1))*tanh(x2)",
        "log(x0)*sin(x1)*cos(x2) - 3.0",
        "inv(x0) + atan(x1)",
    ],
)
def test_engine_text_says_the_same(text):
    X = rows()
    expression = read(text)
    np.testing.assert_allclose(
        Individual([engine_text(expression)], 0.0, [1.0]).predict(X), evaluate(expression, X), rtol=1e-13
    )


@pytest.mark.parametrize("seed", range(25))
def test_the_form_that_the_engine_has(seed):
    """A find's tree is not read back from the engine: it is known, and only its numbers change."""
    from random_expressions import random_expression

    expression = random_expression(np.random.default_rng(seed), 5, 4)
    individual = laws.as_individual(expression)
    assert engine_form(expression) == gene_expression(individual, 0)


def test_real_exponents_are_tuned_with_the_constants_around_them():
    X = rows()
    y = 1.5 * (X[:, 0] + 0.3) ** 0.37 + X[:, 1] ** -1.5
    near = Operation(
        "add", (Power(Operation("add", (Variable(0), Number(0.2))), 0.4), Power(Variable(1), -1.5))
    )
    find = laws.polished(near, X, y, Dataset(X, y))
    assert find.unexplained < 0.1 * laws.measure(near, X, y).unexplained
    terms = Operation("add", (Operation("mul", (Number(1.4), near.arguments[0])), near.arguments[1]))
    find = laws.polished(terms, X, y, Dataset(X, y))
    assert find.unexplained < 1e-20
    assert any(value == pytest.approx(0.37, rel=1e-9) for value in numbers(find.expression))


def test_what_the_engine_cannot_say_is_no_model():
    deep = Variable(0)
    for _ in range(300):
        deep = Operation("sin", (deep,))
    assert laws.as_individual(deep) is None
    assert laws.measure(deep, rows(), rows()[:, 0]) is None
    assert laws.individual_of([]).genes == ["0.0"]


# --- natural forms --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x0*sqrt(inv(1.0 - x1**2/x2**2))", "a/sqrt(1 - (b/c)**2)"),
        ("x0*cos(x1 + 1.5707963267948966)", "-a*sin(b)"),
        ("sin(x0 + 1.5707963267948966)", "cos(a)"),
        ("sin(x0 + 3.141592653589793)", "-sin(a)"),
        ("(0.11*x0 - 0.11*x1)*(10.0*x0 - 10.0*x1)", "1.1*(a - b)**2"),
        ("3.0*sqrt(x0)/sqrt(x1)", "3*sqrt(a/b)"),
        ("inv(0.25*x0 + 0.25*x1)", "4/(a + b)"),
        ("2.0*x0*(3.0 - 4.0*x1)", "a*(6 - 8*b)"),
        ("2.0*x0*(x1 - 3.0)", "2*a*(b - 3)"),
        ("5.0 - 0.6*x0 + 0.1*x0**2 - 0.6*x1 + 0.1*x1**2", "0.1*((a - 3)**2 + (b - 3)**2 + 32)"),
        ("x0**2 - 2.0*x0*x1 + x1**2", "(a - b)**2"),
        ("x0*log(x1) - x0*log(x2)", "a*log(b/c)"),
        ("exp(2.0*log(x0) + x1)", "a**2*exp(b)"),
        ("exp(x0)*exp(x1)", "exp(a + b)"),
        ("(-1.0)*x0**2/(x1**2 - x2**2)", "a**2/(c**2 - b**2)"),
        ("x0*(x1/x0 + 1.0)/(x0*x1/x2**2 + 1.0)", "(a + b)/(a*b/c**2 + 1)"),
        ("x0*sqrt(x1)**2", "a*b"),
        ("x0**2*x1**2/x3", "(a*b)**2/d"),
        ("sqrt(x0**2 - 2.0*x1/x3 + x1**2*x4**2 + inv(x3**2*x4**2))", "sqrt(a**2 + (b*e - 1/(d*e))**2)"),
        ("x0*exp(x1)/(exp(2.0*x1) + 1.0)", "a/(exp(b) + exp(-b))"),
        ("inv(inv(x0) - exp(-x1)/x0 + exp(-x1)/x2)", "a*c/(c + (a - c)*exp(-b))"),
        ("(x0 - x3*(x1 + x2))/(x1 + x2)", "a/(b + c) - d"),
        ("(x2*x3 + x0*sqrt(x1))/x2", "d + a*sqrt(b)/c"),
        ("x1*(x0 + x2*x3)/(x2*x4)", "b*(d + a/c)/e"),
        ("x0/(x1/x2 + 1.0)", "a*c/(b + c)"),
        ("x0/(x1/x2 + x3)", "a/(d + b/c)"),
        ("exp(-x1)*(exp(x1 - x0) - 1.0)", "exp(-a) - exp(-b)"),
        ("x0/exp(2.0*x1)", "a*exp(-2*b)"),
        ("x0*cos(x3)/exp(x1 - x2)", "a*cos(d)*exp(c - b)"),
        ("x0*exp(x1)/exp(x2)", "a*exp(b - c)"),
        ("x0*cos(x3)/exp(x1/x2)", "a*cos(d)/exp(b/c)"),  # a sign more would be longer
        ("(-1.0)*x2*log(x1/x0)", "c*log(a/b)"),
        ("(-1.0)*x2*log(4.3*x1/x0)", "-c*log(4.3*b/a)"),  # 1/4.3 has many digits
        ("0.5*x0*x1*(x1 + x2) - 0.5*x1*x2*(x0 + x2) + 0.5*x2*x2*(x1 + x2)", "0.5*(c**3 + a*b**2)"),
        ("sin(x0*(x1 + x2) - x0*x1)/(x2*(x1 + 1.0) - x2)", "sin(a*c)/(b*c)"),
        ("(x0 + x1)*(x0 - x1) + x1*x1", "a**2"),
    ],
)
def test_natural_forms(text, wanted):
    X = rows()
    X[:, 2] += 3.0
    expression = read(text)
    form = natural(expression)
    assert str(Formula(form, NAMES)) == wanted
    np.testing.assert_allclose(evaluate(form, X), evaluate(expression, X), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("(-1.0)*x1*log((-1.0)/x0)", "b*log(-a)"),
        ("(-1.0)*sqrt((-1.0)*x0*x1**2)", "-sqrt(-a*b**2)"),  # the sign of b is not known
    ],
)
def test_natural_forms_below_zero(text, wanted):
    X = rows(low=-2.0, high=-1.0)
    expression = read(text)
    form = natural(expression)
    assert str(Formula(form, NAMES)) == wanted
    np.testing.assert_allclose(evaluate(form, X), evaluate(expression, X), rtol=1e-11)


@pytest.mark.parametrize("seed", range(25))
def test_natural_forms_keep_values_and_never_grow(seed):
    from random_expressions import random_expression

    X = rows(50, seed=seed)
    expression = random_expression(np.random.default_rng(seed), 5, 4)
    form = natural(expression)
    assert size(form) <= size(expression)
    before, after = evaluate(expression, X), evaluate(form, X)
    finite = np.isfinite(before) & (np.abs(before) < 1e8)
    if finite.all() and not laws.has_cancelling_sum(expression, X):
        np.testing.assert_allclose(after, before, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("sqrt(x0)*x1*sqrt(x0)", "a*b"),
        ("sqrt(x0)*exp(x1/sqrt(x0*x1))/sqrt(x0*x1)", "exp(sqrt(b)/sqrt(a))/sqrt(b)"),
        ("sqrt(x2)*x1*sqrt(x2)", "b*sqrt(c)**2"),  # c may be negative
    ],
)
def test_powers_of_positive_variables_are_joined(text, wanted):
    joined = powers_joined(read(text), {0, 1})
    assert str(Formula(joined, NAMES)) == wanted
    X = rows()
    np.testing.assert_allclose(evaluate(joined, X), evaluate(read(text), X), rtol=1e-12)


def test_a_power_of_a_product_stays_one():
    expression = Power(Operation("div", (Variable(0), Variable(1))), 0.37)
    assert powers_joined(expression, {0, 1}) == expression


@pytest.mark.parametrize(
    "text", ["1e200*x0*(1e200*x1 + x2) + x2", "1e-200*x0*(1e-200*x1 + x2) + x2"], ids=["large", "small"]
)
def test_sums_beyond_floating_point_are_not_multiplied_out(text):
    expression = read(text)
    form = natural(expression)
    X = rows()
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(evaluate(form, X), evaluate(expression, X), rtol=1e-12)


# --- constants ------------------------------------------------------------------------------------


def found(text, X, y):
    find = laws.measure(read(text), X, y)
    assert find is not None
    return find


def test_constants_become_simple_numbers():
    X = rows()
    y = 2.0 * np.pi * np.sqrt(X[:, 0] / X[:, 1]) / 3.0
    find = found("2.0943951023931957*sqrt(x0/x1)", X, y)
    assert laws.cleaned(find, X, y).unexplained < 1e-28
    whole = laws.cleaned(found("0.49999999999*x0*x1**2 + 1.00000000001*x2", X, 0.5 * X[:, 0] * X[:, 1] ** 2 + X[:, 2]), X,
                         0.5 * X[:, 0] * X[:, 1] ** 2 + X[:, 2])  # fmt: skip
    assert set(numbers(whole.expression)) == {0.5, 2.0}


def test_constants_that_lean_on_each_other_are_tuned_again():
    X = rows()
    y = X[:, 0] / np.sqrt(1.0 - X[:, 1] ** 2 / (X[:, 2] + 3.0) ** 2)
    X[:, 2] += 3.0
    find = found("1.0000003*x0/sqrt(1.0000006 - 1.0000006*x1**2/x2**2)", X, y)
    assert str(Formula(laws.cleaned(find, X, y).expression, NAMES)) == "a/sqrt(1 - (b/c)**2)"


def test_constants_that_are_not_simple_stay():
    X = rows()
    y = 0.7316 * X[:, 0] ** 2
    cleaned = laws.cleaned(found("0.7316*x0**2", X, y), X, y)
    assert 0.7316 in numbers(cleaned.expression)


def test_what_a_law_does_not_need_is_dropped():
    X = rows()
    y = X[:, 0] * X[:, 1]
    find = laws.polished(read("x0*x1 + 1e-9*sin(x2) + 0.0*x3"), X, y, Dataset(X, y))
    assert find is not None
    assert (
        str(Formula(laws.cleaned(laws.reduced(find, X, y, Dataset(X, y)), X, y).expression, NAMES)) == "a*b"
    )


def test_long_formulas_must_be_more_exact():
    X = rows()
    short, long = read("x0*x1"), read("x0*x1 + sin(x2)*cos(x3) + exp(x0)*log(x1) + x2*x3*x4 + tanh(x0)")
    for expression, bars in ((short, (1e-13, True)), (long, (1e-13, False)), (long, (1e-25, True))):
        find = laws.measure(expression, X, evaluate(expression, X))
        assert find is not None
        assert laws.is_law(laws.Find(find.individual, expression, bars[0])) is bars[1]


def test_sums_that_cancel_are_noticed():
    X = rows()
    assert laws.has_cancelling_sum(
        Operation("add", (Operation("mul", (Number(1e6), Power(Variable(0), 1e-6))), Number(-1e6))), X
    )
    assert not laws.has_cancelling_sum(read("x0*x1 - 1.0"), X)


def test_an_exact_formula_with_many_numbers_too_much_is_cleaned_up():
    """As approximators write it: sixteen numbers for six, and none matters by itself."""
    X = np.random.default_rng(1).uniform(-3.0, 3.0, (375, 2))
    a, b = X.T
    y = (27.22 * a - 4.54) * (-0.39 * b) + 11.46 * np.sin((0.21 * a - 1.0) * (b + 16.6) + 1.97)
    inside = "(0.07642*x0 - 1.786)*(0.587*x1 - 0.03519) + (0.2873*x1 + 6.068)*(0.5749*x0 + 0.1673)"
    genes = ["2.13*x1", "(0.5726*x0 + 0.01941)*(0.5834*x1 + 0.0001)", f"sin({inside})"]
    data = Dataset(X, y)
    find = laws.polished(model_expression(Individual(genes, 0.0, [1.0, -31.78, -11.46])), X, y, data)
    law = laws.as_law(laws.polished(find.expression, X, y, data), X, y, data)
    assert law is not None
    assert law.individual.complexity < 30
