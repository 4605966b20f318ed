"""Python: the source of one function over NumPy arrays, standing alone (it needs NumPy and nothing else)."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Sequence

from multigene.export.derived import Derived, joined
from multigene.export.source import SourceWriter, source
from multigene.expression.rewriting import fold_constants
from multigene.expression.tree import Expression, Number, postorder

RESERVED = "np math X value " + " ".join([*keyword.kwlist, *keyword.softkwlist, *dir(builtins)])


GAP = "np.isnan({0})"
DERIVED = Derived(
    equal="({0} == {1})",
    gap={"number": GAP, "date": GAP, "text": "np.array([v is None or v != v for v in {0}])"},
    choices=lambda choices, otherwise: (
        f"np.select([{', '.join(c for c, _ in choices)}], [{', '.join(v for _, v in choices)}], {otherwise})"
    ),
    days="{0}",
    either=joined(" | "),
    quote=repr,
    wave="np.{0}({1})",
    read={
        "number": "    {name} = np.asarray(X[{key}], dtype=float)",
        "text": "    {name} = np.asarray(X[{key}], dtype=object)",
        "date": '    {name} = (np.asarray(X[{key}], dtype="datetime64[ns]") - np.datetime64(0, "s")) / np.timedelta64(1, "D")',
    },
)


class PythonWriter(SourceWriter):
    """NumPy calls."""

    languages = ("python",)
    derived = DERIVED
    prefix = "np."
    reserved = RESERVED
    helper = "\n\ndef {name}({parameters}):\n    return {body}\n"


class CarefulWriter(PythonWriter):
    """For formulas that hold constant parts without a value (1/0): Python's own numbers would raise there."""

    def number(self, value: float) -> str:
        return f"np.float64({value!r})"


def write(expression: Expression, names: Sequence[str], target: str = "y", name: str = "predict") -> str:
    """Source of `predict(X)`, `X` with the columns of the training data in their order; a table where these are raw."""
    expression = fold_constants(expression)
    writer = CarefulWriter if has_bare_constants(expression) else PythonWriter
    text = source(writer, expression, names, target, name)
    imports = ("import math\n\n" if "math." in text.helpers else "") + "import numpy as np\n"
    array, rows = "    X = np.asarray(X, dtype=float)\n", "X"
    if text.derived is not None:
        array, rows = "", text.inputs[0].legal
    return (
        f"{imports}{text.helpers}\n\n{text.comment}def {text.function}(X):\n"
        f"{array}{text.columns('    {name} = X[:, {place}]')}"
        f'    with np.errstate(all="ignore"):\n{text.statements("        {name} = {value}")}'
        f"        value = {text.body}\n    return value + np.zeros(len({rows}))\n"
    )


def has_bare_constants(expression: Expression) -> bool:
    """Whether an operator still has constants alone as arguments after folding: they have no finite value."""
    return any(
        node.children and all(isinstance(child, Number) for child in node.children)
        for node in postorder(expression)
    )
