"""ONNX: a model with one input `X` (float64, rows by columns) and one output (float64, one value a row).

Made of operators that ONNX Runtime computes in double precision; atan and erf are not among them and are put together from
others (`expression/long_spellings.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from multigene.export.names import visible
from multigene.expression.definitions import DEFINITIONS
from multigene.expression.operators import OPERATORS
from multigene.expression.tree import Expression, Number, Operation, Power, Variable, fold, variables

OPSET = 17


class Graph:
    """Collects nodes and constants; every method returns the name of a tensor."""

    def __init__(self, helper: Any, numpy_helper: Any) -> None:
        self.helper = helper
        self.numpy_helper = numpy_helper
        self.nodes: list[Any] = []
        self.constants: dict[bytes, Any] = {}

    def apply(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """The result of an operator."""
        name = f"t{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def constant(self, value: Any, dtype: Any = np.float64) -> str:
        """A constant; equal ones are stored once."""
        array = np.asarray(value, dtype=dtype)
        key = array.tobytes() + repr((array.shape, array.dtype.str)).encode()
        if key not in self.constants:
            self.constants[key] = self.numpy_helper.from_array(array, f"c{len(self.constants)}")
        return str(self.constants[key].name)

    def operation(self, name: str, *inputs: str) -> str:
        """The result of an operator of formulas: by its spelling, its own name, or what it is defined by."""
        row = OPERATORS[name]
        spelling = row.written.get("onnx", name.capitalize() if row.sign or "onnx" in row.by_name else None)
        if isinstance(spelling, str):
            result = self.apply(spelling, *inputs[:2])
            for more in inputs[2:]:
                result = self.apply(spelling, result, more)
            return result
        if callable(spelling):
            return spelling(self, *inputs)
        assert name in DEFINITIONS, f"{name} has neither a spelling for ONNX nor a definition"
        return fold(DEFINITIONS[name], lambda node, below: self.tensor(node, below, inputs))

    def tensor(
        self, node: Expression, below: tuple[str, ...], columns: Sequence[str] | Mapping[int, str]
    ) -> str:
        """A node of an expression over tensors for its columns."""
        if isinstance(node, Number):
            return self.constant(node.value)
        if isinstance(node, Variable):
            return columns[node.index]
        if isinstance(node, Power):
            return self.apply("Pow", below[0], self.constant(node.exponent))
        assert isinstance(node, Operation)
        return self.operation(node.name, *below)


def write(expression: Expression, names: Sequence[str], target: str = "y", path: str | None = None) -> Any:
    """The `onnx.ModelProto`; with `path`, also saved there. Column names are kept in the model's metadata."""
    try:
        import onnx
        from onnx import TensorProto, helper, numpy_helper
    except ImportError as error:
        raise ImportError("An ONNX model needs the package onnx: pip install 'multigene[export]'.") from error
    graph = Graph(helper, numpy_helper)

    used = variables(expression)
    columns = {i: graph.apply("Gather", "X", graph.constant(i, np.int64), axis=1) for i in used}
    value = fold(expression, lambda node, below: graph.tensor(node, below, columns))
    rows = graph.apply("Slice", graph.apply("Shape", "X"), *(graph.constant([i], np.int64) for i in (0, 1)))
    graph.nodes.append(helper.make_node("Expand", [value, rows], ["value"]))
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "formula",
            [helper.make_tensor_value_info("X", TensorProto.DOUBLE, [None, len(names)])],
            [helper.make_tensor_value_info("value", TensorProto.DOUBLE, [None])],
            list(graph.constants.values()),
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=8,
        producer_name="multigene",
    )
    said = {f"column {i + 1}": visible(names[i]) for i in used}
    helper.set_model_props(model, {"target": visible(target), **said})
    onnx.checker.check_model(model)
    if path is not None:
        onnx.save(model, path)
    return model
