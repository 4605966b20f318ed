"""Plain text for people: `0.5*x**2 - sin(y)`; awkward column names stand between backticks."""

from __future__ import annotations

from collections.abc import Sequence

from multigene.data.encoding.columns import ColumnName, Plain
from multigene.export.names import visible
from multigene.export.writer import Piece, Writer, readable_number
from multigene.expression.notation import ATOM
from multigene.expression.operators import OPERATORS
from multigene.expression.readable import readable
from multigene.expression.tree import Expression, Operation, Variable


class TextWriter(Writer):
    """Python-like infix."""

    languages = ("text",)
    named = ("pi", "*", "{0}/{1}")
    raised = "atom"

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__([quoted(name) for name in names])
        self.names = names

    def number(self, value: float) -> str:
        return readable_number(value)

    def _piece(self, node: Expression, parts: tuple[Piece, ...]) -> Piece:
        """A product with a condition reads `(3.2 if region == "north")`: 0 where the condition does not hold."""
        if isinstance(node, Operation) and node.name == "mul":
            conditions = [self._condition(child) for child in node.children]
            if any(conditions) and not all(conditions):
                rest = tuple(part for part, text in zip(parts, conditions, strict=True) if not text)
                factor = rest[0] if len(rest) == 1 else self._product(rest, self.times)
                said = " and ".join(text for text in conditions if text)
                opposite = factor.opposite and self.atom(f"({factor.opposite.text} if {said})")
                return self._piece_of(f"({factor.text} if {said})", ATOM, opposite)
        return super()._piece(node, parts)

    def _condition(self, node: Expression) -> str:
        if not isinstance(node, Variable):
            return ""
        name = self.names[node.index]
        return str(name) if isinstance(name, ColumnName) and name.column.condition else ""


def quoted(name: str) -> str:
    """The name as it is if it reads as one word, otherwise between backticks (a backtick in it doubled).

    Columns made of raw ones have a text of their own.
    """
    if isinstance(name, ColumnName) and not isinstance(name.column, Plain):
        return f"({visible(name)})" if name.column.condition else visible(name)
    if name.isidentifier() and name not in OPERATORS and name != "pi":  # numbers are written pi/2
        return name
    return "`" + visible(name).replace("`", "``") + "`"


def write(expression: Expression, names: Sequence[str], target: str = "y") -> str:
    """The right-hand side of the formula as text."""
    return TextWriter(list(names)).write(readable(expression))
