"""Plain text for people: `0.5*x**2 - sin(y)`; awkward column names stand between backticks."""

from __future__ import annotations

from collections.abc import Sequence

from multigene.export.names import visible
from multigene.export.writer import Writer, readable_number
from multigene.expression.operators import OPERATORS
from multigene.expression.readable import readable
from multigene.expression.tree import Expression


class TextWriter(Writer):
    """Python-like infix."""

    languages = ("text",)
    named = ("pi", "*", "{0}/{1}")

    def number(self, value: float) -> str:
        return readable_number(value)


def quoted(name: str) -> str:
    """The name as it is if it reads as one word, otherwise between backticks (a backtick in it doubled)."""
    if name.isidentifier() and name not in OPERATORS and name != "pi":  # numbers are written pi/2
        return name
    return "`" + visible(name).replace("`", "``") + "`"


def write(expression: Expression, names: Sequence[str], target: str = "y") -> str:
    """The right-hand side of the formula as text."""
    return TextWriter([quoted(name) for name in names]).write(readable(expression))
