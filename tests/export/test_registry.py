"""The registry, powers and signs, and column names made legal and harmless."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest
from random_expressions import AWKWARD, random_models

from multigene.export import EXPORTERS, export, exporter, formats
from multigene.export.names import identifier, identifiers, visible
from multigene.expression.operators import OPERATORS
from multigene.expression.readable import readable
from multigene.expression.tree import Number, Operation, Power, Variable
from multigene.formula import Formula

CODE = ("python", "c", "javascript", "rust", "julia", "r", "matlab", "pytorch")


@pytest.mark.parametrize("format", formats())
def test_every_power_is_written(format: str) -> None:
    written = [export(Power(Variable(0), exponent), ["a"], format) for exponent in (2, -3, 0.5)]
    assert len({each if isinstance(each, str) else each.SerializeToString() for each in written}) == 3


def test_readable_leaves_only_common_operators() -> None:
    defined = [name for name, row in OPERATORS.items() if row.definition]
    assert defined == ["aq", "inv", "logistic", "sinc", "softplus", "gauss", "bent"]
    for name in defined:
        arguments = (Variable(0), Variable(1))[: OPERATORS[name].arity]
        spelt = readable(Operation(name, arguments))
        assert isinstance(spelt, Operation)
        assert spelt.name != name


def test_formats_aliases_suffixes_and_mistakes() -> None:
    assert exporter("TeX").name == "latex"
    assert exporter("octave").name == "matlab"
    assert exporter("sql").name == "postgresql"
    assert exporter(".rs").name == "rust"
    assert exporter(".R").name == "r"
    aliases = [name for each in EXPORTERS.values() for name in (each.name, *each.aliases)]
    assert len(aliases) == len(set(aliases))
    with pytest.raises(ValueError, match=r"'latx' \(did you mean 'latex'\?\)"):
        exporter("latx")
    with pytest.raises(ValueError, match="'c' has no option 'table'; its options are name"):
        export(Number(1.0), [], "c", table="t")
    with pytest.raises(ValueError, match="'text' has no option 'name'; it has none"):
        export(Number(1.0), [], "text", name="f")


def test_digits() -> None:
    nearly = Operation("mul", (Number(0.33333333), Variable(0)))
    assert export(nearly, ["x"], "text") == "0.3333*x"
    assert export(nearly, ["x"], "text", digits=2) == "0.33*x"
    third = Operation("mul", (Number(1 / 3), Variable(0)))
    assert export(third, ["x"], "text") == "1/3*x"
    assert "0.3333333333333333*x" in export(third, ["x"], "c")
    assert "0.33*x" in export(third, ["x"], "c", digits=2)


def test_identifiers() -> None:
    assert identifier("temp (°C)", "x1") == "temp_C"
    assert identifier("α", "x1") == "alpha"
    assert identifier("Δλ", "x1") == "Deltalambda"
    assert identifier("2nd", "x1") == "x_2nd"
    assert identifier("naïve café", "x1") == "naive_cafe"
    assert identifier("日本", "x7") == "x7"
    assert identifier("", "x3") == "x3"
    assert identifiers(["a-b", "a_b", "A b", "sin", "mg_sinc"], {"sin"}) == [
        "a_b",
        "a_b_2",
        "A_b_3",
        "sin_2",
        "x_mg_sinc",
    ]
    assert identifiers(["x_2", "x", "x"]) == ["x_2", "x", "x_3"]


def test_identifiers_are_legal_and_different() -> None:
    result = identifiers([*AWKWARD, *AWKWARD, "\u202e", "", "'; DROP TABLE", "a" * 300, "a" * 301])
    assert len({name.lower() for name in result}) == len(result)
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) for name in result)
    assert all(len(name) <= 63 for name in result)


@pytest.mark.parametrize("format", CODE)
def test_column_names_cannot_leave_their_comment(format: str) -> None:
    evil = ["x\nimport os", "y\r*/ exit(1); /*", "z\u2028boom()", "w\\", "\u202e!"]
    total = Operation("add", tuple(Variable(i) for i in range(len(evil))))
    text = Formula(total, evil, "t\nboom()").to(format)
    mark = {"c": "//", "javascript": "//", "rust": "//", "matlab": "%"}.get(format, "#")
    for line in text.splitlines():
        if "boom" in line or "import os" in line or "exit" in line:
            assert line.startswith(mark) or re.fullmatch(r"[\s\w(),:=<>{};\[\].+-]*", line), line
    assert "import os" not in [line.strip() for line in text.splitlines()]
    assert "boom()" not in [line.strip() for line in text.splitlines()]


def test_visible() -> None:
    assert visible("a\nb\\ \u202e é 😀") == "a\\x0ab\\\\ \\u202e é 😀"


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


NAMES = ["lambda", "λ", "x_1", "x1", "e", "pi", "π", "xi", "\x1b[31m", "a b"]
TOTAL = Operation("add", tuple(Variable(i) for i in range(len(NAMES))))


@pytest.mark.parametrize("format", ["latex", "mathml", "text"])
def test_no_two_columns_look_the_same_and_none_like_a_number(format: str) -> None:
    shown = [
        export(Operation("exp", (Variable(i),)), NAMES, format).replace("exp", "") for i in range(len(NAMES))
    ]
    assert len(set(shown)) == len(NAMES)
    assert "\x1b" not in export(TOTAL, NAMES, format)


def test_symbols_in_latex() -> None:
    expected = [
        r"\text{lambda}", r"\lambda", r"\text{x\_1}", "x_{1}", r"\text{e}", r"\text{pi}", r"\text{$\pi$}", r"\xi",
        r"\text{\textbackslash{}x1b[31m}", r"\text{a b}",
    ]  # fmt: skip
    assert export(TOTAL, NAMES, "latex").split(" + ") == expected
    assert export(Variable(0), ["lambda"], "latex") == r"\lambda"


def test_symbols_in_mathml() -> None:
    upright = '<mi mathvariant="normal">{}</mi>'.format
    texts = {name: export(Variable(i), NAMES, "mathml") for i, name in enumerate(NAMES)}
    assert "<mi>λ</mi>" in texts["λ"]
    for name in ("x_1", "e", "π", "pi", "lambda"):
        assert upright(name) in texts[name]
    assert "<msub><mi>x</mi><mn>1</mn></msub>" in texts["x1"]
