"""ONNX: a model with one input `X` (float64, rows by columns) and one output (float64, one value a row).

Made of operators that ONNX Runtime computes in double precision; atan, erf and softplus are not among them
and are put together from others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from multigene.export.names import visible
from multigene.expression.tree import Expression, Number, Operation, Power, Variable, fold, variables

OPSET = 17
SAME = (
    "add",
    "sub",
    "mul",
    "div",
    "min",
    "max",
    "neg",
    "sin",
    "cos",
    "exp",
    "log",
    "sqrt",
    "abs",
    "tanh",
    "sign",
)
NAMES = {name: name.capitalize() for name in SAME} | {"inv": "Reciprocal"}


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

    def plus_one(self, x: str) -> str:
        """1 + x."""
        return self.apply("Add", self.constant(1.0), x)

    def square(self, x: str) -> str:
        """x * x."""
        return self.apply("Mul", x, x)


def _atan(graph: Graph, x: str) -> str:
    """Newton's method on tan for arguments up to 1; larger ones by atan(x) = pi/2 - atan(1/x)."""
    size = graph.apply("Abs", x)
    small = graph.apply("Min", size, graph.apply("Reciprocal", size))
    bend = graph.apply("Mul", graph.constant(0.28), graph.square(small))
    angle = graph.apply("Div", small, graph.plus_one(bend))
    for _ in range(4):
        sine, cosine = graph.apply("Sin", angle), graph.apply("Cos", angle)
        miss = graph.apply("Sub", graph.apply("Mul", small, cosine), sine)
        angle = graph.apply("Add", angle, graph.apply("Mul", cosine, miss))
    rest = graph.apply("Sub", graph.constant(math.pi / 2), angle)
    large = graph.apply("Greater", size, graph.constant(1.0))
    return graph.apply("Mul", graph.apply("Sign", x), graph.apply("Where", large, rest, angle))


def _erf(graph: Graph, x: str) -> str:
    """The sum of sines of `sql.erf_series`, as one product of matrices."""
    step, terms = 0.26, np.arange(1, 25)
    weights = 2 / math.pi * np.exp(-((terms * step) ** 2)) / terms
    near = graph.apply("Clip", x, graph.constant(-6.0), graph.constant(6.0))
    column = graph.apply("Unsqueeze", near, graph.constant([-1], np.int64))
    waves = graph.apply("Sin", graph.apply("Mul", column, graph.constant(2 * step * terms)))
    line = graph.apply("Mul", near, graph.constant(2 / math.pi * step))
    return graph.apply("Add", line, graph.apply("MatMul", waves, graph.constant(weights)))


def _softplus(graph: Graph, x: str) -> str:
    """max(x, 0) + log1p(e) with e = exp(-|x|); log1p(e) = e*log(1 + e)/((1 + e) - 1) keeps its digits."""
    small = graph.apply("Exp", graph.apply("Neg", graph.apply("Abs", x)))
    more = graph.plus_one(small)
    excess = graph.apply("Sub", more, graph.constant(1.0))
    lost = graph.apply("Equal", excess, graph.constant(0.0))
    excess = graph.apply("Where", lost, graph.constant(1.0), excess)
    ratio = graph.apply("Div", graph.apply("Log", more), excess)
    ratio = graph.apply("Where", lost, graph.constant(1.0), ratio)
    return graph.apply("Add", graph.apply("Max", x, graph.constant(0.0)), graph.apply("Mul", small, ratio))


def _sinc(graph: Graph, x: str) -> str:
    zero = graph.apply("Equal", x, graph.constant(0.0))
    divisor = graph.apply("Where", zero, graph.constant(1.0), x)
    return graph.apply("Where", zero, graph.constant(1.0), graph.apply("Div", graph.apply("Sin", x), divisor))


def _bent(graph: Graph, x: str) -> str:
    root = graph.apply("Sqrt", graph.plus_one(graph.square(x)))
    half = graph.apply("Mul", graph.apply("Sub", root, graph.constant(1.0)), graph.constant(0.5))
    return graph.apply("Add", half, x)


COMPOSED: dict[str, Callable[..., str]] = {
    "aq": lambda g, x, y: g.apply("Div", x, g.apply("Sqrt", g.plus_one(g.square(y)))),
    "atan": _atan,
    "erf": _erf,
    "logistic": lambda g, x: g.apply("Reciprocal", g.plus_one(g.apply("Exp", x))),
    "sinc": _sinc,
    "softplus": _softplus,
    "gauss": lambda g, x: g.apply("Exp", g.apply("Neg", g.square(x))),
    "bent": _bent,
}


def write(expression: Expression, names: Sequence[str], target: str = "y", path: str | None = None) -> Any:
    """The `onnx.ModelProto`; with `path`, also saved there. Column names are kept in the model's metadata."""
    try:
        import onnx
        from onnx import TensorProto, helper, numpy_helper
    except ImportError as error:
        raise ImportError("An ONNX model needs the package onnx: pip install 'multigene[export]'.") from error
    graph = Graph(helper, numpy_helper)

    def tensor(node: Expression, parts: tuple[str, ...]) -> str:
        if isinstance(node, Number):
            return graph.constant(node.value)
        if isinstance(node, Variable):
            return graph.apply("Gather", "X", graph.constant(node.index, np.int64), axis=1)
        if isinstance(node, Power):
            return graph.apply("Pow", parts[0], graph.constant(node.exponent))
        assert isinstance(node, Operation)
        if node.name in COMPOSED:
            return COMPOSED[node.name](graph, *parts)
        result = graph.apply(NAMES[node.name], *parts[:2])
        for part in parts[2:]:
            result = graph.apply(NAMES[node.name], result, part)
        return result

    value = fold(expression, tensor)
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
    used = {f"column {i + 1}": visible(names[i]) for i in variables(expression)}
    helper.set_model_props(model, {"target": visible(target), **used})
    onnx.checker.check_model(model)
    if path is not None:
        onnx.save(model, path)
    return model
