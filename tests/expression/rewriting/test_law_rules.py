"""Rules for laws, module by module: each makes of one form another that has the same value where the law was seen."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from multigene.expression.readable import size
from multigene.expression.reading import read
from multigene.expression.rewriting import natural, powers_joined
from multigene.expression.rewriting.always import simplified
from multigene.expression.rewriting.scales import scaled, spread
from multigene.expression.rewriting.sums import grouped, multiplied_out, rearranged
from multigene.expression.rewriting.ties import tidied
from multigene.expression.rewriting.where_seen import (
    by_kind,
    one_fraction,
    roots,
    square_ratio,
    squares,
    turned,
)
from multigene.expression.tree import Expression, evaluate, fold
from multigene.formula import Formula

X = np.random.default_rng(0).uniform(0.5, 2.0, (40, 4)) + np.array([0.0, 0.0, 3.0, 0.0])


def of(text: str) -> Expression:
    return simplified(read(text, "abcd"))


def by(rule: Callable[..., Expression]) -> Callable[[Expression], Expression]:
    return lambda tree: simplified(fold(tree, rule))


CASES: dict[str, tuple[Callable[[Expression], Expression], str, str]] = {
    # where_seen.py
    "power of an exponential": (by(by_kind), "exp(a)**3", "exp(3*a)"),
    "logarithm of a power": (by(by_kind), "log(a**3)", "3*log(a)"),
    "exponential of a logarithm": (by(by_kind), "exp(2*log(a) + b)", "a**2*exp(b)"),
    "a quarter turn": (by(by_kind), "cos(a + pi/2)", "-sin(a)"),
    "exponentials in a product": (by(by_kind), "exp(a)*exp(b)", "exp(a + b)"),
    "a common factor": (by(by_kind), "a*b + a*c", "a*(b + c)"),
    "one fraction": (by(one_fraction), "a/b + c", "(a + b*c)/b"),
    "one root": (by(roots), "sqrt(a)*sqrt(b)", "sqrt(a*b)"),
    "one logarithm": (by(roots), "log(a) - log(b)", "log(a/b)"),
    "a turned difference": (by(turned), "-a*(b - c)", "a*(c - b)"),
    "a square": (by(squares), "a**2 + 2*a*b + b**2", "(a + b)**2"),
    # scales.py
    "a common number": (scaled, "0.1*a - 0.1*b", "0.1*(a - b)"),
    "a number into a sum": (by(spread), "2*a*(3 + 4*b)", "a*(6 + 8*b)"),
    # sums.py
    "multiplied out": (lambda e: multiplied_out(e) or e, "(a + b)*(a - b) + b**2", "a**2"),
    "equal exponents": (grouped, "a**2/b**2", "(a/b)**2"),
    # ties.py
    "fractions below the line": (tidied, "a/(b/c + 1)", "a*c/(b + c)"),
    "an exponential below the line": (tidied, "a/exp(b - c)", "a*exp(c - b)"),
    # positive.py
    "roots of what is positive": (lambda e: powers_joined(e, {0, 1}), "sqrt(a)*sqrt(a)*b", "a*b"),
    "of what is not known to be": (lambda e: powers_joined(e, {1}), "sqrt(a)*sqrt(a)*b", "b*sqrt(a)*sqrt(a)"),
    # choosing.py
    "squares multiplied out": (natural, "c**2 - 2*a*b + (a + b)**2", "a**2 + b**2 + c**2"),
    "the shortest form": (natural, "a*(b/a + 1)/(a*b/c**2 + 1)", "(a + b)/(a*b/c**2 + 1)"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_rule(name: str) -> None:
    rule, before, after = CASES[name]
    tree = of(before)
    form = rule(tree)
    np.testing.assert_allclose(evaluate(form, X), evaluate(tree, X), rtol=1e-12)
    assert Formula(simplified(form), "abcd").text() == Formula(of(after), "abcd").text()


@pytest.mark.parametrize(
    "text",
    [
        "a + b",
        "a*b + a*c + d",
        "(a + b)/(a*c)",
        "exp(a)*(exp(b) + c)",
        "a**2 - 2*a*b + b**2 + c",
        "a + exp(b)",
    ],
)
def test_every_rearrangement_has_the_same_value(text: str) -> None:
    tree = of(text)
    found = list(rearranged(tree))
    assert found
    for other in found:
        np.testing.assert_allclose(evaluate(other, X), evaluate(tree, X), rtol=1e-11)


@pytest.mark.parametrize("text", ["a", "sin(a)*b", "a/b + c/d", "sqrt(a**2 + b**2)", "a*exp(-b)/(1 + c)"])
def test_the_natural_form_is_never_longer(text: str) -> None:
    tree = of(text)
    assert size(natural(tree)) <= size(tree)
    np.testing.assert_allclose(evaluate(natural(tree), X), evaluate(tree, X), rtol=1e-12)


def test_squares_are_told_by_their_coefficients() -> None:
    assert square_ratio(1.0, 4.0, 4.0) == 2.0
    assert square_ratio(1.0, 4.0, -4.0) == -2.0
    assert square_ratio(1.0, -4.0, 4.0) is None
    assert square_ratio(1.0, 4.0, 3.0) is None


def test_nothing_to_multiply_out() -> None:
    assert multiplied_out(of("a + b")) is None
