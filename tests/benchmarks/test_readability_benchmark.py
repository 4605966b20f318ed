"""What counts as a formula that nobody believes."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sympy")
from benchmarks import readability

from multigene.expression.reading import read

X = np.linspace(0.5, 2.0, 60).reshape(30, 2)
Y = X[:, 0] + X[:, 1]


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("500*x0 - 499*x0**2 + 499*x1**2 - 500*x1", "cancelling"),
        ("x0**7 + x1", "exponent"),
        ("tanh(tanh(tanh(x0))) + x1", "nest"),
        ("exp(cos(tanh(sin(x0)))) + x1", "nest"),
        ("sin(1234567.123456*x0) + x1", "rounding"),
    ],
)
def test_each_fault_is_seen(text, column):
    assert column in readability.faults(read(text, ("x0", "x1")), ("x0", "x1"), X, Y)


def test_a_plain_formula_has_none():
    assert readability.faults(read("1.5*sin(sin(x0)) + x1**2/3", ("x0", "x1")), ("x0", "x1"), X, Y) == set()


def test_fronts_are_counted(tmp_path):
    table = np.column_stack([X, Y + 0.1 * np.random.default_rng(0).normal(size=30)])
    np.savetxt(tmp_path / "t.csv", table, delimiter=",", header="a,b,target", comments="")
    shown = readability.run(["--problems", "", "--data", str(tmp_path), "--seeds", "1", "--seconds", "0.5"])
    assert shown.row_count == 2
