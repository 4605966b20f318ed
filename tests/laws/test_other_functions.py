"""Another function of the same argument in place of what noise can hardly tell from it."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.expression.reading import read
from multigene.expression.tree import evaluate
from multigene.formula import Formula
from multigene.laws.finds import Finds
from multigene.laws.other_functions import with_other_functions

NAMES = list("abc")
X = np.random.default_rng(0).uniform([1.0, 1.0, 3.0], [3.0, 2.0, 5.0], (375, 3))


def forms(text: str) -> list[str]:
    return [str(Formula(form, NAMES)) for form in with_other_functions(read(text, NAMES), X)]


def test_functions_of_one_product_or_difference_have_others_beside_them() -> None:
    assert any("a/(1 - " in form and "(b/c)**2" in form for form in forms("a*(exp((b/c)**2) + 2)"))
    assert any("cos(" in form and "(b - c)" in form for form in forms("a*(1 - (b - c)**2/20)"))
    assert forms("a*(exp(1e200*b) + 1)") == []  # beyond floating point


@pytest.mark.parametrize("text", ["a*b/c", "2.5*a**1.3", "a*b + c", "3", "exp(a*b + c)"])
def test_products_and_functions_of_several_arguments_have_none(text: str) -> None:
    assert forms(text) == []


def test_a_part_without_a_value_has_none() -> None:
    assert forms("a*(1 + log(b - 2.5))") == []


@pytest.mark.parametrize(
    ("law", "found"),
    [
        ("a/sqrt(1 - (b/c)**2)", "1/3*a*(exp(1.53*(b/c)**2) + 2)"),
        ("a/(c**2 - b**2)", "0.035*a*(exp(4.75*b/c) + 27)/c**2"),
        # Factors of one argument are a function of it together.
        ("a*(1 - c**2)/b", "-a*c**2*cos(1.45/c)/b"),
        ("b*c/(exp(b*c/a) - 1)", "1.375*a/(exp(0.69*b*c/a) + 0.375)"),
        # The arc sine of b/c.
        ("atan(b/sqrt(c**2 - b**2))", "0.711886*sin(1.40438*b/c)/cos(b/c)"),
    ],
)
def test_the_law_is_found_beside_what_is_nearly_as_good(law: str, found: str) -> None:
    clean = evaluate(read(law, NAMES), X)
    y = clean + 0.01 * clean.std() * np.random.default_rng(1).standard_normal(len(X))
    finds = Finds(X, y, None)
    near = finds.fitted(read(found, NAMES))
    assert near is not None
    finds.keep(near)
    finds.simplify(2)
    prices = finds.prices()
    best = min(finds.by_size.values(), key=lambda find: prices[id(find.individual)])
    assert str(Formula(best.expression, NAMES)) == law
