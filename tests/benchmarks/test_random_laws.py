"""Random laws: the same for everybody, of the size they are said to have, and none of them degenerate."""

from __future__ import annotations

import re

import numpy as np
import pytest

pytest.importorskip("sympy")
from benchmarks.law_sets import Law
from benchmarks.printed_size import printed_size
from benchmarks.random_laws import (
    DEVELOPMENT_SEEDS,
    HELD_OUT_SEEDS,
    SIZES,
    random_law,
    random_laws,
    sound,
)

NUMBER = 12
FIRST = [
    "x3 ** 2 + x4 ** 2 + (x2 + x1)",
    "(tanh(x1) ** 2 * (5 * x1) * exp(x1)) ** 3",
    "6 * x7 + tanh(sqrt(cos(x6))) + (x1 - x2 * (x4 + x5) * sqrt(x3))",
    "tanh(cos(4 * x1) ** 2 / (x3 + sin(x4 / 0.49) * (1.5 * x2)) - (1.8 - (x3 + 3.7)))",
]


def test_figures_of_today_and_tomorrow_are_of_the_same_laws():
    """If this fails, the laws are others and figures from before cannot be compared."""
    assert [random_law(seed).formula for seed in range(4)] == FIRST


def test_development_and_held_out_seeds_are_apart():
    assert not set(DEVELOPMENT_SEEDS) & set(HELD_OUT_SEEDS)
    ours, held_out = random_laws(NUMBER), random_laws(NUMBER, held_out=True)
    assert not {law.formula for law in ours} & {law.formula for law in held_out}
    assert not {law.name for law in ours} & {law.name for law in held_out}


@pytest.mark.parametrize("law", random_laws(NUMBER), ids=lambda law: law.name)
def test_every_law_is_what_it_says(law):
    low, high = SIZES[int(law.name.split("-")[1]) % len(SIZES)]
    assert low <= printed_size(law.formula) == law.nodes <= high
    assert law.size_class == f"{low}-{high} nodes"
    assert set(re.findall(r"x\d", law.formula)) == set(law.ranges)
    assert 1 <= len(law.ranges) <= 7
    X, y = law.rows(200, np.random.default_rng(0))
    assert X.shape == (200, len(law.ranges))
    assert np.all(np.isfinite(y))
    assert np.ptp(y) > 0.0


@pytest.mark.parametrize(
    ("formula", "ranges"),
    [
        ("0*x1 + 3", {"x1": (0, 1)}),  # constant
        ("1e6 + x1", {"x1": (0, 1)}),  # nearly constant
        ("x1 + 1e-5*x2", {"x1": (0, 1), "x2": (0, 1)}),  # a variable without influence
        ("exp(x1)**3", {"x1": (2, 10)}),  # an absurd range
        ("x1**-6", {"x1": (-1, 1)}),  # a pole beside which nothing is seen
        ("log(x1 - 4.9)", {"x1": (-5, 5)}),  # hardly a finite value
        ("sin(1000*x1)", {"x1": (0, 10)}),  # faster than rows can show
    ],
)
def test_degenerate_laws_are_refused(formula, ranges):
    assert not sound(Law("", formula, ranges), 0)


@pytest.mark.parametrize(
    ("formula", "ranges"),
    [
        ("1/x1 + x2", {"x1": (-1, 1), "x2": (-3, 3)}),  # across a pole
        ("sqrt(x1 - x2)", {"x1": (-1, 1), "x2": (-1, 1)}),  # across the edge of a root
        ("sin(6*x1)*x2", {"x1": (-3, 3), "x2": (1, 5)}),
    ],
)
def test_poles_and_edges_are_not(formula, ranges):
    assert sound(Law("", formula, ranges), 0)
