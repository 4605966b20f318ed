"""Python: the source of one function over NumPy arrays, standing alone (it needs NumPy and nothing else)."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Sequence

from multigene.export.source import source
from multigene.export.writer import PRODUCT, Template, Writer, calls
from multigene.expression.rewriting import fold_constants
from multigene.expression.tree import Expression, Number, postorder

HELPERS = {
    "erf": "\n\nmg_erf = np.vectorize(math.erf, otypes=[float])\n",
    "sinc": "\n\ndef mg_sinc(x):\n    return np.where(x == 0, 1.0, np.sin(x) / np.where(x == 0, 1.0, x))\n",
    "bent": "\n\ndef mg_bent(x):\n    return (np.sqrt(x * x + 1.0) - 1.0) / 2.0 + x\n",
    "gauss": "\n\ndef mg_gauss(x):\n    return np.exp(-x * x)\n",
    "aq": "\n\ndef mg_aq(x, y):\n    return x / np.sqrt(1.0 + y * y)\n",
}
RESERVED = "np math X value " + " ".join([*keyword.kwlist, *keyword.softkwlist, *dir(builtins)])


class PythonWriter(Writer):
    """NumPy calls."""

    deepest = 20
    templates = (
        calls(**{name: f"mg_{name}" for name in HELPERS})
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
    expression = fold_constants(expression)
    writer = CarefulWriter if has_bare_constants(expression) else PythonWriter
    text = source(writer, expression, names, target, name, mark="#", reserved=RESERVED, helpers=HELPERS)
    imports = (
        "import math\n\n" if "mg_erf(" in text.body + "".join(text.steps) else ""
    ) + "import numpy as np\n"
    columns = "".join(f"    {text.legal[index]} = X[:, {index}]\n" for index in text.used)
    return (
        f"{imports}{text.helpers}\n\n{text.comment}def {text.function}(X):\n"
        f"    X = np.asarray(X, dtype=float)\n{columns}"
        f'    with np.errstate(all="ignore"):\n{text.statements("        {name} = {value}")}'
        f"        value = {text.body}\n    return value + np.zeros(len(X))\n"
    )


def has_bare_constants(expression: Expression) -> bool:
    """Whether an operator still has constants alone as arguments after folding: they have no finite value."""
    return any(
        node.children and all(isinstance(child, Number) for child in node.children)
        for node in postorder(expression)
    )
