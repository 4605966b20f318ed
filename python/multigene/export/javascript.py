"""JavaScript: one function of numbers, for browsers and Node alike."""

from __future__ import annotations

from collections.abc import Sequence

from multigene.export.derived import Derived, chain
from multigene.export.source import SourceWriter, source
from multigene.export.writer import plain_number
from multigene.expression.notation import Template
from multigene.expression.tree import Expression

RESERVED = """
arguments async await break case catch class const continue debugger default delete do else enum eval export
extends false finally for function if implements import in instanceof interface let new null of package
private protected public return static super switch this throw true try typeof undefined var void while with
yield Math NaN Infinity Number abstract boolean byte char double final float goto int long native short
synchronized throws transient volatile
"""


DERIVED = Derived(
    equal="{0} === {1}",
    gap={
        "number": "({0} == null || Number.isNaN(+{0}))",
        "text": "({0} == null)",
        "date": "({0} == null || Number.isNaN(+new Date({0})))",
    },
    choices=chain("(", "{0} ? {1} : ", "{0})"),
    days="(+new Date({0})/864e5)",
    wave="Math.{0}({1})",
    literal=plain_number,
)


class JavaScriptWriter(SourceWriter):
    """Calls of `Math`."""

    languages = ("javascript",)
    derived = DERIVED
    prefix = "Math."
    mark = "//"
    reserved = RESERVED
    helper = "function {name}({parameters}) {{ return {body}; }}\n"
    integer_power = Template("Math.pow({0}, {1})")

    def number(self, value: float) -> str:
        return plain_number(value)

    def exponent(self, value: float) -> str:
        return plain_number(value)


def write(expression: Expression, names: Sequence[str], target: str = "y", name: str = "predict") -> str:
    """Source of a JavaScript function whose parameters are the columns used."""
    text = source(JavaScriptWriter, expression, names, target, name)
    return (
        f"{text.helpers}\n{text.comment}"
        f"function {text.function}({text.parameters()}) {{\n"
        f"{text.statements('  const {name} = {value};')}  return {text.body};\n}}\n"
    ).lstrip("\n")
