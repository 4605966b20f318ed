"""Python source, plain text, SymPy and PyTorch."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from export_cases import cases, check
from random_expressions import AWKWARD, random_models, random_rows, reference
from scipy import special

from multigene.expression.tree import Number, Operation, Variable, evaluate
from multigene.formula import Formula


def test_python_source() -> None:
    _, formulas, X, _ = cases()
    results = []
    for formula in formulas:
        space: dict[str, object] = {}
        exec(formula.python(name="model"), space)
        results.append(space["model"](X))  # type: ignore[operator]
    check(results)


def test_python_source_with_constants_that_have_no_value() -> None:
    bottom = Operation("div", (Number(1.0), Number(0.0)))
    formula = Formula(Operation("atan", (Operation("add", (Variable(0), bottom)),)), ["x"])
    space: dict[str, object] = {}
    exec(formula.python(), space)
    np.testing.assert_allclose(space["predict"](np.zeros((3, 1))), np.pi / 2)  # type: ignore[operator]


def test_text_can_be_computed_by_hand() -> None:
    """Text is Python's infix notation; the names in backticks are replaced to compute it."""
    _, formulas, X, references = cases()
    functions = {
        name: getattr(np, name) for name in ("sin", "cos", "exp", "log", "sqrt", "abs", "tanh", "sign")
    }
    functions |= {"atan": np.arctan, "min": np.minimum, "max": np.maximum, "erf": special.erf}
    results = []
    for formula, expected in zip(formulas, references, strict=True):
        text = formula.text(digits=None)
        if "bent(" in text or "sinc(" in text:  # too large to be spelt out
            results.append(expected.value)
            continue
        for index, name in enumerate(AWKWARD):
            shown = Formula(Variable(index), AWKWARD).text()
            pattern = re.escape(shown) if shown[0] == "`" else rf"(?<![`\w]){re.escape(shown)}(?![`\w])"
            text = re.sub(pattern, f"X[:, {index}]", text) if name != "v" else text
        text = re.sub(r"(?<![\w`])v(?![\w`])", f"X[:, {AWKWARD.index('v')}]", text)
        with np.errstate(all="ignore"):
            value = eval(
                re.sub(r"(?<![\w.\]])(\d[\d.]*(?:e-?\d+)?)(?![\w\]])", r"np.float64(\1)", text),
                {**functions, "np": np, "X": X},
            )
        # Spelt out, sinc at 0 and softplus far from 0 are not what the stable code computes.
        stable = expected.tame & (np.abs(X).max(axis=1) < 15) & (X != 0).all(axis=1)
        results.append(np.where(stable & np.isfinite(value), value, expected.value))
    check(results, forgiving=True)


def test_sympy_object_and_text() -> None:
    sympy = pytest.importorskip("sympy", reason="sympy is not installed (multigene[export])")
    names = ["x1", "sin", "temp (°C)", "lambda", "E"]
    X = random_rows(50, len(names), seed=5)[20:]
    for model in random_models(40, len(names), seed=3)[:-1]:
        formula = Formula(model, names)
        expected = reference(model, X)
        read = sympy.sympify(formula.to("sympy"))
        plain = {sympy.Symbol(name): sympy.Symbol(f"v{i}") for i, name in enumerate(names)}
        for expression in (formula.sympy(), read):
            assert {str(symbol) for symbol in expression.free_symbols} <= set(names)
            function = sympy.lambdify(list(plain.values()), expression.xreplace(plain), ["scipy", "numpy"])
            with np.errstate(all="ignore"):
                answer = np.asarray(function(*X.T), dtype=complex)
            value = np.broadcast_to(np.where(answer.imag == 0, answer.real, np.nan), len(X))
            # SymPy rewrites: what is left without a value there, or is spelt out without care, is not
            # compared.
            rows = expected.tame & expected.sharp & np.isfinite(value)
            assert rows.sum() >= 0.8 * (expected.tame & expected.sharp).sum()
            np.testing.assert_allclose(value[rows], expected.value[rows], rtol=1e-6)


def _interpreter_with_torch() -> str:
    for python in (sys.executable, "/usr/bin/python3"):
        if (
            Path(python).exists()
            and not subprocess.run([python, "-c", "import torch"], capture_output=True).returncode
        ):
            return python
    pytest.skip("torch is not installed (PyPI: torch, Debian: python3-torch)")


def test_pytorch(tmp_path: Path) -> None:
    python = _interpreter_with_torch()
    models, formulas, X, _ = cases()
    X.tofile(tmp_path / "rows")
    for number, formula in enumerate(formulas):
        (tmp_path / f"model_{number}.py").write_text(formula.to("torch"), encoding="utf-8")
    (tmp_path / "run_all.py").write_text(
        "import importlib, numpy, torch\n"
        f"X = torch.from_numpy(numpy.fromfile('rows').reshape({X.shape}))\n"
        f"modules = [importlib.import_module(f'model_{{n}}').FormulaModule() for n in range({len(models)})]\n"
        "with torch.no_grad():\n    numpy.stack([m(X).numpy() for m in modules]).tofile('values')\n"
        "loss = modules[2](X[:9]).sum(); loss.backward()\n"
        "assert all(p.grad is not None for p in modules[2].parameters())\n"
    )
    subprocess.run([python, "run_all.py"], cwd=tmp_path, check=True, timeout=180)
    check(list(np.fromfile(tmp_path / "values").reshape(len(models), len(X))))


def test_numpy_callable_is_the_reference() -> None:
    models, formulas, X, _ = cases()
    for model, formula in list(zip(models, formulas, strict=True))[:10]:
        np.testing.assert_array_equal(formula.numpy()(X), evaluate(model, X))
