"""Python: the source of one function over NumPy arrays, standing alone (it needs NumPy and nothing else)."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Sequence

from multigene.export.source import SourceWriter, source
from multigene.expression.rewriting import fold_constants
from multigene.expression.tree import Expression, Number, postorder

RESERVED = "np math X value " + " ".join([*keyword.kwlist, *keyword.softkwlist, *dir(builtins)])


class PythonWriter(SourceWriter):
    """NumPy calls."""

    languages = ("python",)
    prefix = "np."
    reserved = RESERVED
    helper = "\n\ndef {name}({parameters}):\n    return {body}\n"


class CarefulWriter(PythonWriter):
    """For formulas that hold constant parts without a value (1/0): Python's own numbers would raise there."""

    def number(self, value: float) -> str:
        return f"np.float64({value!r})"


def write(expression: Expression, names: Sequence[str], target: str = "y", name: str = "predict") -> str:
    """Source of `predict(X)`, `X` with the columns of the training data in their order."""
    expression = fold_constants(expression)
    writer = CarefulWriter if has_bare_constants(expression) else PythonWriter
    text = source(writer, expression, names, target, name)
    imports = ("import math\n\n" if "math." in text.helpers else "") + "import numpy as np\n"
    return (
        f"{imports}{text.helpers}\n\n{text.comment}def {text.function}(X):\n"
        f"    X = np.asarray(X, dtype=float)\n{text.columns('    {name} = X[:, {place}]')}"
        f'    with np.errstate(all="ignore"):\n{text.statements("        {name} = {value}")}'
        f"        value = {text.body}\n    return value + np.zeros(len(X))\n"
    )


def has_bare_constants(expression: Expression) -> bool:
    """Whether an operator still has constants alone as arguments after folding: they have no finite value."""
    return any(
        node.children and all(isinstance(child, Number) for child in node.children)
        for node in postorder(expression)
    )
