"""Functions whose tail alone is used."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.expression.reading import read
from multigene.expression.rewriting.tails import tails_as_such
from multigene.expression.tree import evaluate

X = np.linspace(0.0, 3.0, 50)[:, None]


@pytest.mark.parametrize(
    ("text", "tail"),
    [
        ("softplus(x - 60)", "exp(x - 60)"),
        ("softplus(x - 39)", "exp(x - 39)"),
        ("softplus(2*x + 60)", "2*x + 60"),
        ("logistic(x + 60)", "exp(-(x + 60))"),
        ("logistic(x - 60)", "1"),
        ("tanh(x + 60)", "1"),
        ("tanh(x - 60)", "-1"),
        ("sin(softplus(x - 60))", "sin(exp(x - 60))"),
    ],
)
def test_a_tail_is_what_it_looks_like(text: str, tail: str) -> None:
    whole = read(text, ["x"])
    found = tails_as_such(whole, X)
    assert evaluate(found, X) == pytest.approx(evaluate(read(tail, ["x"]), X), rel=1e-15)
    assert evaluate(found, X) == pytest.approx(evaluate(whole, X), rel=1e-15)
    assert not {"softplus", "logistic", "tanh"} & {
        getattr(node, "name", "") for node in (found, *found.children)
    }


def test_a_softplus_whose_digits_would_be_lost_in_print_is_its_exponential() -> None:
    """log(1 + exp(-37)) is 1.1e-16 or 0: the digits of exp(-37) are lost."""
    whole = read("1e16*softplus(x - 37)", ["x"])
    found = tails_as_such(whole, X)
    assert evaluate(found, X) == pytest.approx(evaluate(whole, X), rel=1e-10)
    assert found == read("1e16*exp(x - 37)", ["x"])


def test_a_logistic_whose_coefficient_makes_up_for_an_offset_is_its_exponential() -> None:
    whole = read("3e13*logistic(x + 30)", ["x"])
    found = tails_as_such(whole, X)
    assert evaluate(found, X) == pytest.approx(evaluate(whole, X), rel=1e-10)
    assert found == read("3e13*exp(-(x + 30))", ["x"])


@pytest.mark.parametrize(
    "text",
    [
        "softplus(40*x - 60)",
        "logistic(x)",
        "logistic(x + 22)",
        "logistic(x - 30)",
        "tanh(30*x - 60)",
        "softplus(log(x - 1))",
    ],
)
def test_what_leaves_the_tail_on_some_row_stays(text: str) -> None:
    whole = read(text, ["x"])
    with np.errstate(all="ignore"):
        assert tails_as_such(whole, X) == whole
