"""Numbers of sums that are factors."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.expression.printed_size import printed_size
from multigene.expression.reading import read
from multigene.expression.rewriting import simplify
from multigene.expression.rewriting.scales import with_bare_terms
from multigene.expression.tree import evaluate
from multigene.formula import Formula

NAMES = ("x", "y", "z")
X = np.random.default_rng(0).uniform(0.5, 2.0, size=(30, 3))


@pytest.mark.parametrize(
    ("text", "shorter"),
    [
        ("2*(0.3*x + 0.6*y + 6)*z", "1.2*z*(0.5*x + y + 10)"),
        ("3*(0.5*x - 2)**3", "0.375*(x - 4)**3"),
        ("3/(0.5*x + 2)", "6/(x + 4)"),
        ("tanh((0.5*x + 1)*(0.25*y - 1))", "tanh(0.125*(x + 2)*(y - 4))"),
        ("z*(0.5*x + 1)", "0.5*z*(x + 2)"),
    ],
)
def test_the_largest_term_of_a_factor_stands_bare(text: str, shorter: str) -> None:
    before = simplify(read(text, NAMES))
    after = simplify(with_bare_terms(before))
    assert str(Formula(after, NAMES)) == shorter
    assert printed_size(after) < printed_size(before)
    assert evaluate(after, X) == pytest.approx(evaluate(before, X), rel=1e-12)


@pytest.mark.parametrize(
    "text",
    ["tanh(0.5*x + 1)", "z*(x + 0.5*y)", "exp((0.5*x + 1)**2)", "2*z*(0.5*x + 0.3*y) + tanh(0.5*x + 0.3*y)"],
)
def test_what_gains_nothing_or_can_be_named_once_stays(text: str) -> None:
    before = simplify(read(text, NAMES))
    assert simplify(with_bare_terms(before)) == before
