"""Formula: what people see and call."""

from __future__ import annotations

import pickle
import re
import sys

import numpy as np
import pandas as pd
import pytest

from multigene import MultigeneRegressor
from multigene.expression.readable import plain, size
from multigene.expression.tree import Expression, Number, Operation, Power, Variable, evaluate
from multigene.formula import Formula

x, t = Variable(0), Variable(1)


def op(name: str, *arguments: Expression) -> Operation:
    return Operation(name, arguments)


@pytest.fixture
def formula() -> Formula:
    """0.5 + 1.23456*x1**2 - 2*logistic(t)"""
    terms = op("mul", Number(1.23456), Power(x, 2)), op("mul", Number(-2.0), op("logistic", t))
    return Formula(op("add", Number(0.5), *terms), ["x1", "temp (°C)"], "power")


def test_text(formula: Formula) -> None:
    assert str(formula) == "0.5 + 1.23456*x1**2 - 2/(1 + exp(`temp (°C)`))"
    assert formula.text(4) == "0.5 + 1.235*x1**2 - 2/(1 + exp(`temp (°C)`))"
    long = op("add", Number(1.23456 * np.e), op("mul", Number(0.1 + 0.2), x))  # 0.30000000000000004
    assert str(Formula(long, ["x"])) == "3.356 + 0.3*x"
    assert formula.text(digits=None).startswith("0.5 + 1.23456*x1**2")
    assert formula.text(digits=2).startswith("0.5 + 1.2*x1**2")
    assert repr(formula).startswith("Formula(power = 0.5 + 1.23456")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (op("mul", Number(0.99999998), op("add", x, Number(2.5))), "x1 + 2.5"),
        (op("mul", Number(1.0), op("add", x, t)), "x1 + t"),
        (op("mul", Number(-1.0), op("add", x, t)), "-(x1 + t)"),
        (op("mul", Number(-1.0000001), x, t), "-x1*t"),
        (op("mul", Number(1.0), Number(-1.0)), "-1"),
        (op("add", x, op("mul", Number(-0.99999999), op("sin", t))), "x1 - sin(t)"),
        (op("div", op("mul", Number(1.0), x), Number(1.0)), "x1"),
        (op("div", x, Number(-1.0)), "-x1"),
        (op("div", op("mul", Number(1.0), x), t), "x1/t"),
        (Power(op("abs", x), 0.99999999), "abs(x1)"),
        (op("add", Number(1.0), op("mul", Number(1.0), op("inv", x))), "1 + 1/x1"),
    ],
)
def test_a_factor_of_one_is_never_written(expression: Expression, text: str) -> None:
    shown = Formula(expression, ["x1", "t"])
    assert shown.text() == text
    assert "1 \\cdot" not in shown.latex()
    assert "1.0*" not in str(shown.sympy(digits=4))


def test_ones_are_left_out_of_code_without_changing_a_bit() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    whole = op(
        "add",
        op("mul", Number(-1.0), x, op("mul", Number(1.0), t)),
        op("div", op("mul", Number(1.0), op("add", x, t)), Number(-1.0)),
        op("mul", Number(0.99999998), t),
    )
    formula = Formula(whole, ["x1", "t"])
    assert np.array_equal(evaluate(plain(whole), X), formula(X))
    for language in ("python", "c", "rust", "javascript", "julia", "r", "matlab", "sqlite", "excel"):
        code = formula.to(language)
        assert not re.search(r"(?<![\w.])1(\.0)?\s*\.?\*|[*/]\s*1(\.0)?(?![\d.])", code), code
        assert "0.99999998" in code
    assert formula.size == Formula(plain(whole), ["x1", "t"]).size
    assert size(plain(whole)) < size(whole)


def test_awkward_names_are_quoted() -> None:
    for name, shown in {
        "x": "x",
        "α": "α",
        "sin": "`sin`",
        "pi": "`pi`",
        "a b": "`a b`",
        "a`b": "`a``b`",
        "1": "`1`",
        "": "``",
    }.items():
        assert Formula(x, [name]).text() == shown


def test_latex(formula: Formula) -> None:
    expected = r"0.5 + 1.23456 \cdot x_{1}^{2} - \frac{2}{1 + e^{\text{temp (°C)}}}"
    assert formula.latex() == expected
    assert formula._repr_latex_() == rf"$\displaystyle \text{{power}} = {expected}$"
    names = {
        "x": "x",
        "x_12": "x_{12}",
        "beta": r"\beta",
        "θ2": r"\theta_{2}",
        "a_b%": r"\text{a\_b\%}",
        "αβ": r"\text{$\alpha$$\beta$}",
    }
    for name, shown in names.items():
        assert Formula(x, [name]).latex() == shown
    assert Formula(op("mul", Number(-1.5e-7), x), ["x"]).latex() == r"-1.5 \cdot 10^{-7} \cdot x"
    assert Formula(Power(Number(2e30), 2), []).latex() == r"\left(2 \cdot 10^{30}\right)^{2}"
    assert (
        Formula(op("div", op("sqrt", x), op("abs", x)), ["x"]).latex() == r"\frac{\sqrt{x}}{\left|x\right|}"
    )


def test_sympy(formula: Formula) -> None:
    sympy = pytest.importorskip("sympy", reason="sympy is not installed (multigene[export])")
    x1, temperature = sympy.symbols("x1"), sympy.Symbol("temp (°C)")
    expected = 0.5 + 1.23456 * x1**2 - 2 / (1 + sympy.exp(temperature))
    assert sympy.simplify(formula.sympy() - expected) == 0
    assert formula.sympy().subs({"x1": 2, temperature: 0}) == pytest.approx(0.5 + 4 * 1.23456 - 1)
    assert formula.sympy(digits=2).has(sympy.Float(1.2))


def test_sympy_of_a_deep_formula() -> None:
    sympy = pytest.importorskip("sympy", reason="sympy is not installed (multigene[export])")
    tree: Expression = x
    for level in range(60):
        tree = op("add", op(("bent", "sin", "tanh")[level % 3], tree), t)
    deep = Formula(tree, ["x", "t"])
    X = np.array([[0.3, -0.2], [1.5, 0.1]])
    function = sympy.lambdify(sympy.symbols("x t"), deep.sympy(), "numpy")
    np.testing.assert_allclose(function(*X.T), deep(X), rtol=1e-9)


def test_sympy_missing_is_explained(formula: Formula, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(ImportError, match=r"pip install 'multigene\[export\]'"):
        formula.sympy()
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'multigene\[export\]'"):
        formula.to("onnx")


def test_calling(formula: Formula) -> None:
    X = np.array([[1.0, 0.0], [2.0, 1000.0]])
    expected = [0.5 + 1.23456 - 1.0, 0.5 + 4 * 1.23456]
    np.testing.assert_allclose(formula(X), expected)
    np.testing.assert_allclose(formula.numpy()(X), expected)
    np.testing.assert_allclose(pickle.loads(pickle.dumps(formula.numpy()))(X), expected)
    table = pd.DataFrame({"temp (°C)": X[:, 1], "other": 0.0, "x1": X[:, 0]})
    np.testing.assert_allclose(formula(table), expected)
    with pytest.raises(ValueError, match="no column 'x1'"):
        formula(table.drop(columns="x1"))


def test_parts(formula: Formula) -> None:
    assert formula.size == 15
    assert formula.depth == 4
    assert formula.variables == ("x1", "temp (°C)")
    assert Formula(t, ["a", "b"]).variables == ("b",)
    with pytest.raises(ValueError, match=r"column number 2, but only 1 name"):
        Formula(t, ["a"])


def test_formula_is_a_value(formula: Formula) -> None:
    twin = pickle.loads(pickle.dumps(formula))
    assert twin == formula
    assert hash(twin) == hash(formula)
    assert formula != Formula(formula.expression, ["a", "b"], "power")
    assert formula != str(formula)
    with pytest.raises(AttributeError, match="cannot be changed"):
        formula.target_name = "z"
    with pytest.raises(AttributeError, match="cannot be changed"):
        del formula.target_name


def test_simplified_and_rounded(formula: Formula) -> None:
    short = formula.simplified()
    assert short.text() == "1.23456*x1**2 - 2/(1 + exp(`temp (°C)`)) + 0.5"
    assert short.size == formula.size
    assert formula.rounded(2).text(digits=None).startswith("0.5 + 1.2*x1**2")


def test_a_table_without_names_is_read_by_position():
    """As `predict` reads it."""
    X = np.random.default_rng(0).uniform(1.0, 2.0, (40, 2))
    model = MultigeneRegressor(generations=2, random_state=0, n_jobs=1).fit(
        pd.DataFrame(X), X[:, 0] * X[:, 1]
    )
    assert np.array_equal(model.formula_(pd.DataFrame(X)), model.formula_(X))
    with pytest.raises(ValueError, match="no column 'x0'"):
        model.formula_(pd.DataFrame(X[:, :1]))
