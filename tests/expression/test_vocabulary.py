"""Functions that a user chose: which formulas can be told with them."""

from __future__ import annotations

import pytest

from multigene.expression.reading import read
from multigene.expression.tree import Operation, Power, Variable
from multigene.expression.vocabulary import ANYTHING, Vocabulary


@pytest.mark.parametrize(
    ("functions", "admitted", "refused"),
    [
        ("add", ["x + 2*y - 3", "2*(x + y)/3"], ["x*y", "x**2", "x/y", "sin(x)", "1/x"]),
        ("sin", ["3*sin(2*x - y) + 1", "sin(sin(x))"], ["sin(x)*y", "sin(x)**2", "cos(x)", "sin(x*y)"]),
        ("mul", ["x*y", "x**3*y", "(x + 1)*y"], ["x/y", "1/x", "exp(x)", "sqrt(x)"]),
        ("div", ["x/y", "1/x", "x*y", "x**2/y"], ["sqrt(x)", "exp(x)"]),
        ("pow2", ["x**2", "x**4", "(x + y)**2"], ["x**3", "x*y", "1/x**2"]),
        ("pow2 pow3", ["x**6"], ["x**5"]),
        ("inv", ["1/x"], ["y/x", "1/x**2"]),
        ("inv mul", ["y/x", "1/x**2"], ["sqrt(x)"]),
        ("sqrt", ["sqrt(x + y)"], ["x**2", "1/sqrt(x)"]),
        ("exp", ["exp(2*x)"], ["exp(-x**2)", "log(x)"]),
        ("exp pow2", ["exp(-x**2)"], ["log(1 + exp(x))"]),
        ("logistic", [], ["exp(x)", "1/x"]),
    ],
)
def test_what_can_be_told(functions, admitted, refused):
    known = Vocabulary(functions.split())
    for text in admitted:
        assert known.admits(read(text, ("x", "y"))), text
    for text in refused:
        assert not known.admits(read(text, ("x", "y"))), text
        assert ANYTHING.admits(read(text, ("x", "y")))


def test_sums_are_always_there():
    assert Vocabulary(["sin"]).allows("add", "sub", "neg")
    assert not Vocabulary(["sin"]).allows("add", "mul")


def test_operators_stand_for_their_definitions():
    x = Variable(0)
    assert Vocabulary(["logistic"]).admits(Operation("logistic", (x,)))
    assert Vocabulary(["exp", "pow2"]).admits(Operation("gauss", (x,)))
    assert not Vocabulary(["exp"]).admits(Operation("gauss", (x,)))


def test_powers_that_are_no_roots_need_exp_and_log():
    assert Vocabulary(["exp", "log"]).admits(Power(Variable(0), 1.7))
    assert not Vocabulary(["mul", "sqrt"]).admits(Power(Variable(0), 1.7))
    assert Vocabulary(["mul", "sqrt"]).admits(Power(Variable(0), 1.5))
    assert not Vocabulary(["mul", "sqrt"]).admits(Power(Variable(0), -1.5))


def test_new_functions_bring_what_they_are_made_of():
    known = Vocabulary(["add", "hill"], ["x**2/(1+x**2)"])
    assert known.admits(read("x**2/(1+x**2)", ("x", "y")))
    assert not known.admits(read("sin(x)", ("x", "y")))
    known = Vocabulary(["f"], ["x*sin(x)"])
    for text in (
        "x*sin(x)",
        "sin(x)",
        "x*y",
        "x**2",
    ):  # formulas spell definitions out: its parts may stand by themselves
        assert known.admits(read(text, ("x", "y"))), text
    for text in ("cos(x)", "1/x", "exp(x)", "sqrt(x)"):
        assert not known.admits(read(text, ("x", "y"))), text
    assert Vocabulary(["wave"], ["sin (x) + cos(x)"]).allows("sin", "cos")
