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
        ("2*(0.3126*x + 0.6252*y + 6.252)*z", "1.2504*z*(0.5*x + y + 10)"),
        ("3*(0.5002*x - 2.0008)**3", "0.375450180024*(x - 4)**3"),
        ("5.002/(0.5002*x + 2.0008)", "10/(x + 4)"),
        ("tanh((0.5002*x + 1.0004)*(0.2501*y - 1.0004))", "tanh(0.1251*(x + 2)*(y - 4))"),
        ("z*(0.5002*x + 1.0004)", "0.5002*z*(x + 2)"),
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
    [
        "tanh(0.5123*x + 1)",
        "z*(x + 0.5123*y)",
        "exp((0.5123*x + 1)**2)",
        "2*z*(0.5123*x + 0.3*y) + tanh(0.5123*x + 0.3*y)",
        "2*z/(3*x + 4*y)",
    ],
)
def test_what_gains_nothing_or_can_be_named_once_stays(text: str) -> None:
    before = simplify(read(text, NAMES))
    assert simplify(with_bare_terms(before)) == before
