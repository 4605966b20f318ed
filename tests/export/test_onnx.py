"""ONNX models, computed by ONNX Runtime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from export_cases import cases, check

from multigene.expression.tree import Operation, Variable
from multigene.formula import Formula

onnx = pytest.importorskip("onnx", reason="onnx is not installed (multigene[export])")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed (PyPI: onnxruntime)")


def _compute(model: bytes, X: np.ndarray) -> np.ndarray:
    session = runtime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"X": X})[0])


def test_onnx() -> None:
    _, formulas, X, _ = cases()
    check([_compute(formula.to("onnx").SerializeToString(), X) for formula in formulas])


def test_saved_model_names_its_columns(tmp_path: Path) -> None:
    formula = Formula(Operation("softplus", (Variable(1),)), ["a", "temp (°C)"], "power")
    path = tmp_path / "model.onnx"
    formula.to("onnx", path=str(path))
    properties = {entry.key: entry.value for entry in onnx.load(path).metadata_props}
    assert properties == {"target": "power", "column 2": "temp (°C)"}
    X = np.array([[0.0, -40.0], [0.0, 900.0]])
    np.testing.assert_allclose(_compute(path.read_bytes(), X), [np.exp(-40.0), 900.0], rtol=1e-14)


def test_composed_functions_keep_their_digits() -> None:
    x = np.concatenate([np.logspace(-12, 3, 400), -np.logspace(-12, 3, 400), [0.0, np.inf, -np.inf]])[:, None]
    for name in ("atan", "erf", "softplus", "sinc", "bent", "logistic"):
        formula = Formula(Operation(name, (Variable(0),)), ["x"])
        actual = _compute(formula.to("onnx").SerializeToString(), x)
        np.testing.assert_allclose(actual, formula(x), rtol=1e-13, atol=1e-290, err_msg=name)
