"""The table of operators: every row through the engine, finite differences, its definition, text and back, and every export.

What a row lacks is named by the test's own name, `[operator]` or `[language]`. The values of what exports write are compared in
`tests/export`, whose cases begin with one formula for each operator.
"""

from __future__ import annotations

import importlib
import inspect

import numpy as np
import pytest

from multigene import export
from multigene._engine import Individual, apply, operators
from multigene.export import formats
from multigene.export.writer import Writer
from multigene.expression import definitions
from multigene.expression.build import call
from multigene.expression.definitions import DEFINITIONS, REPEATED
from multigene.expression.engine_text import engine_text
from multigene.expression.genes import gene_expression
from multigene.expression.notation import Helper, Template
from multigene.expression.operators import LANGUAGES, OPERATORS, PEOPLE, Operator
from multigene.expression.reading import read
from multigene.expression.tree import Operation, Variable, evaluate
from multigene.formula import Formula

ENGINE = {name: (arity, sign) for name, arity, sign in operators()}
EDGES = np.array([-800.0, -40.0, -2.5, -1e-5, -0.0, 0.0, 1e-200, 1e-5, 0.3, 1.0, 2.0, 40.0, 800.0, np.nan])
#: Ordinary arguments for slopes: neither at a kink nor outside of a domain.
INSIDE = np.linspace(0.21, 2.9, 37)
#: Both sides of zero, far enough out for a sign to change.
FAR = np.linspace(0.21, 7.0, 37)


def tree(name: str) -> Operation:
    return Operation(name, (Variable(0), Variable(1))[: OPERATORS[name].arity])


def pairs(name: str, values: np.ndarray) -> list[np.ndarray]:
    """Values for the argument, or all pairs of them."""
    if OPERATORS[name].arity == 1:
        return [values]
    return [np.repeat(values, len(values)), np.tile(values[::-1] * 1.03, len(values))]


def test_the_rows_are_those_of_the_engine() -> None:
    assert set(OPERATORS) == set(ENGINE)
    assert set(LANGUAGES) == set(formats())


@pytest.mark.parametrize("name", OPERATORS)
def test_arguments_and_sign_are_those_of_the_engine(name: str) -> None:
    row = OPERATORS[name]
    assert (row.arity, (row.sign or None) if row.arity == 2 else None) == ENGINE[name]


@pytest.mark.parametrize("name", OPERATORS)
def test_the_value_is_that_of_the_engine(name: str) -> None:
    arguments = pairs(name, EDGES)
    with np.errstate(all="ignore"):
        here = OPERATORS[name].value(*arguments)
    np.testing.assert_allclose(here, apply(name, *arguments), rtol=2e-14, atol=1e-300)


@pytest.mark.parametrize("name", OPERATORS)
def test_the_slope_is_that_of_finite_differences(name: str) -> None:
    row, arguments, h = OPERATORS[name], pairs(name, INSIDE), 1e-6
    slopes = row.slope(*arguments, row.value(*arguments))
    for place, slope in enumerate(slopes if isinstance(slopes, tuple) else (slopes,)):
        above, below = (
            row.value(*(a + step * (k == place) for k, a in enumerate(arguments))) for step in (h, -h)
        )
        differences = (above - below) / (2.0 * h)
        np.testing.assert_allclose(
            np.broadcast_to(slope, differences.shape), differences, rtol=1e-7, atol=1e-8
        )


def test_the_slope_of_sinc_near_zero() -> None:
    x = np.array([0.0, 1e-9, -1e-5, 2e-4])
    row = OPERATORS["sinc"]
    np.testing.assert_allclose(row.slope(x, row.value(x)), -x / 3.0, rtol=1e-6)


@pytest.mark.parametrize("name", [name for name, row in OPERATORS.items() if row.symmetry])
def test_symmetry(name: str) -> None:
    value, factor = OPERATORS[name].value, {"odd": -1.0, "even": 1.0}[OPERATORS[name].symmetry]
    np.testing.assert_array_equal(value(-INSIDE), factor * value(INSIDE))


@pytest.mark.parametrize("name", [name for name, row in OPERATORS.items() if row.not_negative])
def test_not_negative(name: str) -> None:
    with np.errstate(all="ignore"):
        values = OPERATORS[name].value(EDGES)
    assert not (values < 0.0).any()


@pytest.mark.parametrize("name", [name for name, row in OPERATORS.items() if row.arity == 1])
def test_no_other_operator_is_symmetric_or_has_one_sign(name: str) -> None:
    """So that a new row says so where it may."""
    row = OPERATORS[name]
    if row.sign or name == "inv":  # the rules for products know them
        return
    with np.errstate(all="ignore"):
        there, back = row.value(FAR), row.value(-FAR)
        everywhere = np.concatenate([there, back])
    assert bool(row.symmetry) == (np.array_equal(there, back) or np.array_equal(there, -back))
    assert row.not_negative == (bool((everywhere[~np.isnan(everywhere)] >= 0.0).all()))


@pytest.mark.parametrize("name", DEFINITIONS)
def test_the_definition_has_the_value(name: str) -> None:
    X = np.column_stack(pairs(name, np.concatenate([-INSIDE, INSIDE])))
    np.testing.assert_allclose(evaluate(DEFINITIONS[name], X), evaluate(tree(name), X), rtol=1e-13)


@pytest.mark.parametrize("name", OPERATORS)
def test_the_engines_text_and_back(name: str) -> None:
    model = Individual([engine_text(tree(name))], 0.0, [1.0])
    assert gene_expression(model, 0) == tree(name)


@pytest.mark.parametrize("name", OPERATORS)
def test_the_text_for_people_and_back(name: str) -> None:
    text = Formula(tree(name), ["x", "y"]).text()
    X = np.column_stack(pairs(name, INSIDE))
    np.testing.assert_allclose(evaluate(read(text, ["x", "y"]), X), evaluate(tree(name), X), rtol=1e-13)


@pytest.mark.parametrize("name", OPERATORS)
def test_the_name_alone_can_be_read(name: str) -> None:
    """As it stands in formulas where a definition would be too long."""
    if OPERATORS[name].sign:
        return
    arguments = ", ".join("xy"[: OPERATORS[name].arity])
    assert read(f"{name}({arguments})", ["x", "y"]) == tree(name)


@pytest.mark.parametrize("text", ["x +", "z", "f(x)", "'x'", "x if y else 1", "x < y", "__import__('os')"])
def test_what_cannot_be_read_is_named(text: str) -> None:
    with pytest.raises((ValueError, SyntaxError)):
        read(text, ["x", "y"])


# --- exports --------------------------------------------------------------------------------------


def writers(language: str) -> list[type[Writer]]:
    module = importlib.import_module(f"multigene.export.{language}")
    found = [each for _, each in inspect.getmembers(module, inspect.isclass) if issubclass(each, Writer)]
    return [each for each in found if each.languages]


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "onnx"])
def test_every_language_can_write_every_operator(language: str) -> None:
    assert writers(language)
    for writer in writers(language):
        lacking = [name for name in OPERATORS if not writer.covers(name)]
        assert lacking == [], (
            f"{language} has no way to write {lacking}: give `written`, `by_name` or `definition`"
        )


def test_onnx_can_build_every_operator() -> None:
    lacking = [
        name
        for name, row in OPERATORS.items()
        if not (row.sign or "onnx" in row.by_name or "onnx" in row.written or name in DEFINITIONS)
    ]
    assert lacking == []


@pytest.mark.parametrize("name", OPERATORS)
def test_rows_name_languages_that_exist_and_templates_use_every_argument(name: str) -> None:
    row = OPERATORS[name]
    known = {*LANGUAGES, "postgresql 16"}
    assert {*row.by_name, *row.written} <= known, name
    for language, spelling in row.written.items():
        if isinstance(spelling, Template):
            assert all(f"{{{i}" in spelling.text for i in range(row.arity)), (name, language)
        if isinstance(spelling, Helper):
            assert all(letter in spelling.body for letter in "xy"[: row.arity]), (name, language)


def test_operators_that_repeat_their_argument_have_a_name_for_people() -> None:
    for name, again in REPEATED.items():
        if any(again):
            assert set(PEOPLE) <= {*OPERATORS[name].by_name, *OPERATORS[name].written}, name


@pytest.mark.parametrize("language", formats())
def test_every_operator_is_written_and_none_like_another(language: str) -> None:
    texts = {}
    for name in OPERATORS:
        written = export.export(tree(name), ["a", "b"], language)
        texts[name] = written if isinstance(written, str) else written.SerializeToString()
    assert len(set(texts.values())) == len(OPERATORS) - (texts["inv"] == texts["div"])


# --- a new row is all that is needed --------------------------------------------------------------


@pytest.fixture
def softsign(monkeypatch: pytest.MonkeyPatch) -> str:
    """A row with a definition that repeats its argument, and no spelling anywhere."""
    row = Operator(
        arity=1,
        value=lambda x: x / (1.0 + np.abs(x)),
        slope=lambda x, v: 1.0 / (1.0 + np.abs(x)) ** 2,
        definition="x/(1 + abs(x))",
        by_name=PEOPLE,
    )
    monkeypatch.setitem(OPERATORS, "softsign", row)  # type: ignore[arg-type]
    monkeypatch.setitem(definitions.DEFINITIONS, "softsign", read(row.definition, ["x"]))  # type: ignore[arg-type]
    monkeypatch.setitem(definitions.REPEATED, "softsign", (True,))  # type: ignore[arg-type]
    return "softsign"


def test_a_new_row_with_a_definition_goes_everywhere(softsign: str) -> None:
    inside = call("add", call("mul", Variable(0), Variable(1)), Variable(0))
    formula = Formula(call("sin", call(softsign, inside)), ["x", "y"])
    assert formula.text() == "sin((x*y + x)/(1 + abs(x*y + x)))"
    for language in LANGUAGES:
        assert formula.to(language)
    assert "mg_s1 = x*y + x" in formula.to("c")
    assert formula.to("sqlite").count('"y"') == 1
    X = np.random.default_rng(0).normal(size=(20, 2))
    space: dict[str, object] = {}
    exec(formula.python(), space)
    np.testing.assert_allclose(space["predict"](X), formula(X), rtol=1e-14)  # type: ignore[operator]
