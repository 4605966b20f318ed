"""Python: the source of one function over NumPy arrays, standing alone (it needs NumPy and nothing else)."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Sequence

from multigene.export.names import identifiers, mapping_comment
from multigene.export.writer import PRODUCT, Template, Writer, calls, operators_used
from multigene.expression import Expression, Number, postorder, variables
from multigene.simplify import fold_constants

HELPERS = {
    "erf": "_erf = np.vectorize(math.erf, otypes=[float])\n",
    "sinc": "def _sinc(x):\n    return np.where(x == 0, 1.0, np.sin(x) / np.where(x == 0, 1.0, x))\n",
    "bent": "def _bent(x):\n    return (np.sqrt(x * x + 1.0) - 1.0) / 2.0 + x\n",
    "gauss": "def _gauss(x):\n    return np.exp(-x * x)\n",
    "aq": "def _aq(x, y):\n    return x / np.sqrt(1.0 + y * y)\n",
}
RESERVED = {*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "np", "math", "X", "value"}


class PythonWriter(Writer):
    """NumPy calls."""

    templates = (
        calls(**{name: f"_{name}" for name in HELPERS})
        | calls(
            **{name: f"np.{name}" for name in ("sin", "cos", "exp", "log", "sqrt", "abs", "tanh", "sign")}
        )
        | calls(min="np.minimum", max="np.maximum", atan="np.arctan")
        | {
            "softplus": Template("np.logaddexp(0.0, {0})"),
            "inv": Template("1.0/{0:factor}", PRODUCT),
            "logistic": Template("1.0/(1.0 + np.exp({0}))", PRODUCT),
        }
    )


class CarefulWriter(PythonWriter):
    """For formulas that hold constant parts without a value (1/0): Python's own numbers would raise there."""

    def number(self, value: float) -> str:
        return f"np.float64({value!r})"


def write(expression: Expression, names: Sequence[str], target: str = "y", name: str = "predict") -> str:
    """Source of `predict(X)`, `X` with the columns of the training data in their order."""
    function = identifiers([name], RESERVED)[0]
    legal = identifiers(names, {*RESERVED, function})
    expression = fold_constants(expression)
    used, operators = variables(expression), operators_used(expression)
    writer = CarefulWriter if has_bare_constants(expression) else PythonWriter
    lines = ["import math\n" if "erf" in operators else "", "import numpy as np\n"]
    lines += ["\n\n" + source for operator, source in HELPERS.items() if operator in operators]
    lines += ["\n\n", mapping_comment("#", names, legal, used, target)]
    lines += [f"def {function}(X):\n", "    X = np.asarray(X, dtype=float)\n"]
    lines += [f"    {legal[index]} = X[:, {index}]\n" for index in used]
    lines += ['    with np.errstate(all="ignore"):\n', f"        value = {writer(legal).write(expression)}\n"]
    lines += ["    return value + np.zeros(len(X))\n"]
    return "".join(lines)


def has_bare_constants(expression: Expression) -> bool:
    """Whether an operator still has constants alone as arguments after folding: they have no finite value."""
    return any(
        node.children and all(isinstance(child, Number) for child in node.children)
        for node in postorder(expression)
    )
