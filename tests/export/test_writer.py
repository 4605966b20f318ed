"""The shared writer: signs, powers, brackets, numbers by name, steps; and MathML that is well formed."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from random_expressions import AWKWARD, random_models

from multigene.export import export
from multigene.expression.reading import read
from multigene.expression.tree import Expression, Number, Operation, Power, Variable
from multigene.formula import Formula


def test_mathml_is_well_formed() -> None:
    for model in random_models(60, len(AWKWARD), seed=9):
        root = ElementTree.fromstring(Formula(model, AWKWARD, "<y> & z").mathml())
        assert root.tag.endswith("math")
    names = ElementTree.fromstring(Formula(Variable(0), ["<b>&"]).mathml()).itertext()
    assert "<b>&" in list(names)


def test_signs_powers_and_brackets() -> None:
    x, y = Variable(0), Variable(1)
    cases = {
        "x - 3*y": Operation("add", (x, Operation("mul", (Number(-3.0), y)))),
        "x + 3*y": Operation("sub", (x, Operation("mul", (Number(-3.0), y)))),
        "x - (y - 1)": Operation("sub", (x, Operation("sub", (y, Number(1.0))))),
        "-x**2": Operation("neg", (Power(x, 2),)),
        "(-x)**2": Power(Operation("neg", (x,)), 2),
        "(x**2)**3": Power(Power(x, 2), 3),
        "x**(-2)": Power(x, -2),
        "(-2)**3": Power(Number(-2.0), 3),
        "x/(y*x)": Operation("div", (x, Operation("mul", (y, x)))),
        "x/(x/y)": Operation("div", (x, Operation("div", (x, y)))),
        "x*(-y)": Operation("mul", (x, Operation("neg", (y,)))),
        "-x*y": Operation("mul", (Operation("neg", (x,)), y)),
        "x*(-2)": Operation("mul", (x, Number(-2.0))),
        "-(x + y)": Operation("neg", (Operation("add", (x, y)),)),
        "x": Operation("neg", (Operation("neg", (x,)),)),
        "1e-300*x + 1e300": Operation("add", (Operation("mul", (Number(1e-300), x)), Number(1e300))),
    }
    for text, expression in cases.items():
        assert Formula(expression, ["x", "y"]).text() == text


def test_powers_with_a_column_as_exponent() -> None:
    """The engine knows them as exp(z*log(a)); nobody writes that."""
    x, y = Variable(0), Variable(1)

    def power(base: Expression, *exponent: Expression) -> Expression:
        return Operation("exp", (Operation("mul", (*exponent, Operation("log", (base,)))),))

    cases = {
        "x**y": power(x, y),
        "(x + y)**x": power(Operation("add", (x, y)), x),
        "2.5*x**(3*y)": Operation("mul", (Number(2.5), power(x, Number(3.0), y))),
        "(x**2)**(y + 1)": power(Power(x, 2), Operation("add", (y, Number(1.0)))),
        "x**(1/y)": Operation("exp", (Operation("div", (Operation("log", (x,)), y)),)),
        "x**(-y)": Operation("exp", (Operation("neg", (Operation("mul", (y, Operation("log", (x,)))),)),)),
        # A number as exponent is a power of its own, which has values where the logarithm has none.
        "exp(2*log(x))": power(x, Number(2.0)),
        "exp(y*log(x) + 1)": Operation("exp", (Operation("add", (power(x, y).children[0], Number(1.0))),)),
    }
    for text, expression in cases.items():
        formula = Formula(expression, ["x", "y"])
        assert formula.text() == formula.to("sympy") == text
        again = Formula(read(text, ["x", "y"]), ["x", "y"])
        assert (again.text(), again.size) == (text, formula.size)
    assert Formula(power(x, y), ["x", "y"]).latex() == "x^{y}"
    assert "<msup>" in Formula(power(x, y), ["x", "y"]).mathml()
    assert "exp(" in Formula(power(x, y), ["x", "y"]).python()


def test_numbers_by_name() -> None:
    angle = Operation("mul", (Number(2.0943951023931953), Variable(0)))
    assert export(angle, ["x"], "text") == "2*pi/3*x"
    assert export(angle, ["x"], "latex") == r"\frac{2 \pi}{3} \cdot x"
    assert "2.0943951023931953*x" in export(angle, ["x"], "python")


def test_large_and_small_numbers() -> None:
    for value, text in {
        1.5e14: "1.5e14",
        2e7: "2e7",
        12345678.0: "12345678",
        12345678.9012345: "1.235e7",
        1e-7: "1e-7",
        1234567.0: "1234567",
    }.items():
        assert export(Number(value), [], "text") == text


def test_parts_that_are_nested_too_deeply_become_steps() -> None:
    tree = Variable(0)
    for _ in range(60):
        tree = Operation("sin", (Operation("add", (tree, Number(1.5))),))
    text = Formula(tree, ["x"]).to("c")
    assert "const double mg_s2 = " in text
    assert max(line.count("(") for line in text.splitlines()) < 50
    assert "mg_s1" not in Formula(Variable(0), ["x"]).to("c")


def test_only_helpers_that_are_needed_are_written() -> None:
    text = Formula(Operation("sinc", (Variable(0),)), ["x"]).to("c")
    assert text.count("static double") == 1
    assert "mg_sinc(x)" in text
    assert "mg_pow" in Formula(Power(Variable(0), 0.5), ["x"]).to("julia")
    assert "mg_" not in Formula(Power(Variable(0), 2), ["x"]).to("julia")
