"""Linear combinations of a long formula have names, and are computed once."""

from __future__ import annotations

import re

import numpy as np

from multigene.expression.directions import is_direction, named
from multigene.expression.reading import read
from multigene.formula import Formula

NAMES = ("a", "b", "c")
LONG = (
    "1.5*tanh(0.5*a + 2*b - 1) + 0.3*exp(-(0.5*a + 2*b - 1)**2)*sin(a - 3*c) + 0.7*log(1 + exp(0.5*a + 2*b - 1))"
    " - 2*cos(a - 3*c)*a + 4"
)


def formula() -> Formula:
    return Formula(read(LONG, NAMES), NAMES).simplified()


def test_names_stand_for_the_combinations():
    first, *where = formula().where().splitlines()
    assert where == ["  where u1 = 0.5*a + 2*b - 1", "        u2 = a - 3*c"]
    assert first.count("u1") == 3
    assert first.count("u2") == 2
    columns = [line.split(" = ")[0].split()[-1] for line in where]
    values = {name: np.linspace(0.1, 1.0, 5) * (k + 1) for k, name in enumerate(NAMES)}
    functions = {name: getattr(np, name) for name in ("tanh", "exp", "sin", "cos", "log")}
    for name, line in zip(columns, where, strict=True):
        values[name] = eval(line.split(" = ")[1], {}, values)
    expected = formula()(np.column_stack([values[name] for name in NAMES]))
    np.testing.assert_allclose(eval(first, functions, values), expected, rtol=1e-12)


def test_short_formulas_stay_as_they_are():
    short = Formula(read("3*tanh(a + b) + c", NAMES), NAMES)
    assert short.where() == str(short)


def test_names_of_columns_are_not_taken():
    other = Formula(read(LONG, NAMES), ["u1", "u2", "x"]).simplified()
    assert "where u_1 = " in other.where()


def test_exports_compute_them_once():
    code = formula().to("c")
    assert code.count("2.0*b") + code.count("2*b") == 1
    assert len(re.findall(r"const double mg_s\d", code)) >= 2
    scope: dict = {}
    exec(formula().to("python"), scope)
    X = np.random.default_rng(0).uniform(size=(20, 3))
    np.testing.assert_allclose(scope["predict"](X), formula()(X), rtol=1e-14)


def test_what_is_a_direction():
    for text, expected in (
        ("a + 2*b", True),
        ("a - b", True),
        ("a + 1", False),
        ("a + b*c", False),
        ("a*b", False),
    ):
        assert is_direction(read(text, NAMES)) is expected, text
    assert named(read("a + 2*b", NAMES), 3, 5).directions == ()
