"""Spreadsheet formulas, computed by the PyPI package `formulas` and, where installed, by Gnumeric."""

from __future__ import annotations

import re
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from export_cases import cases, check, tool
from scipy import special

from multigene.expression.tree import Number, Operation, Power, Variable
from multigene.formula import Formula

#: The last model nests functions that repeat their argument beyond what Excel can hold.
DEEP = len(cases().models) - 1


def _engine() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        formulas = pytest.importorskip("formulas", reason="formulas is not installed (PyPI: formulas)")
    functions = formulas.get_functions()

    def elementwise(function: Any) -> Any:
        def call(*arguments: Any) -> Any:
            return function(*(_numbers(argument) for argument in arguments))

        return call

    # The engine lacks ERF, and its MIN and MAX take whole columns where a cell's formula takes one row.
    functions["ERF"] = elementwise(special.erf)
    functions["MIN"] = elementwise(np.minimum)
    functions["MAX"] = elementwise(np.maximum)
    return formulas.Parser()


def _numbers(cells: Any) -> np.ndarray:
    """The cells as numbers, errors as NaN."""
    array = np.asarray(cells, dtype=object)
    try:
        return array.astype(float)
    except (TypeError, ValueError):
        return np.array([_number(cell) for cell in array.ravel()]).reshape(array.shape)


def _number(cell: Any) -> float:
    try:
        return float(cell)
    except (TypeError, ValueError):
        return float("nan")  # an error value such as #NUM!


def test_excel_formulas() -> None:
    parser = _engine()
    _, formulas, X, _ = cases()
    columns = {f"{chr(ord('A') + i)}2": X[:, [i]] for i in range(X.shape[1])}
    results = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for number, formula in enumerate(formulas):
            if number == DEEP:
                with pytest.raises(ValueError, match="8192 characters"):
                    formula.to("excel", let=False)
                results.append(np.full(len(X), np.nan))
                continue
            function = parser.ast(formula.to("excel", let=False))[1].compile()
            cells = _numbers(function(*(columns[name] for name in function.inputs))).ravel()
            results.append(np.broadcast_to(cells, len(X)))
    check(results, forgiving=True, skip=frozenset({DEEP}))


def test_excel_in_a_spreadsheet_program(tmp_path: Path) -> None:
    converter = tool("ssconvert", "gnumeric")
    _, formulas, X, _ = cases()
    rows = X[:100]
    lines = []
    for number, row in enumerate(rows, start=2):
        values = [repr(float(value)) for value in row]
        values += [
            f'"{each.to("excel", row=number, let=False)}"' for n, each in enumerate(formulas) if n != DEEP
        ]
        lines.append(",".join(values))
    (tmp_path / "in.csv").write_text("\n".join(["x", *lines]) + "\n")
    options = ["-O", "format=raw separator=,"]
    command = [
        converter,
        "--recalc",
        "--export-type=Gnumeric_stf:stf_assistant",
        *options,
        "in.csv",
        "out.csv",
    ]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=300, capture_output=True)
    table = [line.split(",")[X.shape[1] :] for line in (tmp_path / "out.csv").read_text().splitlines()[1:]]
    _, _, _, references = cases()
    for n, expected in enumerate(references[:DEEP]):
        actual = np.full(len(X), np.nan)
        actual[: len(rows)] = [_number(line[n].strip('"')) for line in table]
        # A spreadsheet may carry more digits or exponents inside; only ordinary rows are comparable.
        bad = [r for r in expected.disagreement(actual, forgiving=True) if r < len(rows) and expected.tame[r]]
        assert not bad, (n, formulas[n].to("excel"), bad[0], actual[bad[0]], expected.value[bad[0]])


def _written_out(text: str) -> str:
    """A formula without its LET: the names replaced by what they stand for. Neither engine here knows LET."""
    parts, depth, start = list[str](), 0, len("=LET(")
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if (text[place] == "," and depth == 0) or depth < 0:
            parts.append(text[start:place])
            start = place + 1
    *bound, body = parts
    for name, value in reversed(list(zip(bound[::2], bound[1::2], strict=True))):
        body = re.sub(rf"\b{name}\b", f"({value})", body)
    return "=" + body


def test_excel_names_the_directions_of_a_long_formula() -> None:
    columns = [Variable(i) for i in range(6)]

    def direction(*weights: float) -> Operation:
        terms = [
            Operation("mul", (Number(w), x)) for w, x in zip(weights, columns[: len(weights)], strict=True)
        ]
        return Operation("add", (*terms, Number(0.5)))

    u, v = direction(0.1, 0.2, -0.3, 0.4, -0.5, 0.6), direction(0.7, -0.8, 0.9)
    formula = Formula(
        Operation("add", (Operation("tanh", (u,)), Operation("mul", (u, v)), Operation("sin", (v,)))),
        [f"x{i}" for i in range(6)],
    )
    text = formula.to("excel")
    assert text.startswith("=LET(mg_s1,"), text
    assert text.count("A2") == 2, text
    assert "LET" not in formula.to("excel", let=False)
    X = np.random.default_rng(0).normal(size=(20, 6))
    function = _engine().ast(_written_out(text))[1].compile()
    cells = {f"{chr(ord('A') + i)}2": X[:, [i]] for i in range(6)}
    values = _numbers(function(*(cells[name] for name in function.inputs))).ravel()
    np.testing.assert_allclose(values, formula(X), rtol=1e-12)


def test_excel_takes_with_names_what_is_too_long_without() -> None:
    text = cases().formulas[DEEP].to("excel")
    assert text.startswith("=LET(")
    assert len(text) <= 8192


def test_excel_signs_powers_and_numbers() -> None:
    x = Variable(0)
    assert Formula(Operation("neg", (Power(x, 2),)), ["x"]).to("excel") == "=-POWER(A2,2)"
    assert Formula(Power(Operation("neg", (x,)), -3), ["x"]).to("excel") == "=POWER(-A2,-3)"
    assert Formula(Operation("mul", (x, Number(-1e-300))), ["x"]).to("excel", row=7) == "=A7*(-1E-300)"
    assert Formula(Operation("max", (x, Number(0.0))), ["x"]).to("excel") == "=MAX(A2+0,0)"


def test_excel_places() -> None:
    total = Operation("add", (Variable(0), Variable(27)))
    names = ["temp [C]"] + [f"x{i}" for i in range(30)]
    assert Formula(total, names).to("excel") == "=A2+AB2"
    assert Formula(total, names).to("excel", table=True) == "=[@[temp '[C']]]+[@[x26]]"
    assert Formula(total, names).to("excel", cells={"temp [C]": "$B$1"}) == "=$B$1+AB2"
    with pytest.raises(ValueError, match="'typo'"):
        Formula(total, names).to("excel", cells={"typo": "A1"})


@pytest.mark.parametrize("name", ["a\x1b[31mb", "bell\x07", "\x00", "\x7f", "\ud800"])
def test_excel_refuses_names_that_no_cell_can_hold(name: str) -> None:
    formula = Formula(Operation("add", (Variable(0), Variable(1))), [name, "b"])
    with pytest.raises(ValueError, match="no cell can hold the character"):
        formula.to("excel", table=True)
    assert formula.to("excel", table=True, cells={name: "A7"}) == "=A7+[@[b]]"
    assert formula.to("excel") == "=A2+B2"
    assert Formula(Variable(1), [name, "b"]).to("excel", table=True) == "=[@[b]]"


def test_excel_keeps_what_a_cell_can_hold() -> None:
    assert Formula(Variable(0), ["two\nlines #1"]).to("excel", table=True) == "=[@[two\nlines '#1]]"
