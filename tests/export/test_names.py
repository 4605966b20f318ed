"""Column names in exports: legal identifiers, visible text, symbols that differ; none of them does harm."""

from __future__ import annotations

import re

import pytest
from random_expressions import AWKWARD

from multigene.export import export
from multigene.export.names import distinct, identifier, identifiers, visible
from multigene.expression.tree import Operation, Variable
from multigene.formula import Formula

CODE = ("python", "c", "javascript", "rust", "julia", "r", "matlab", "pytorch")


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


def test_the_shortest_name_keeps_the_symbol() -> None:
    assert distinct(["bb", "b", "c"], lambda name: name[0], str.upper) == ["BB", "b", "c"]
