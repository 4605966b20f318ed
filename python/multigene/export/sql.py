"""What the SQL dialects share: quoted columns, and steps for whatever must not be repeated or nested too deeply.

SQL has no local functions. Where an operator needs its argument more than once, the argument becomes a step of its
own: `(WITH mg1(v) AS MATERIALIZED (SELECT …) SELECT … mg1.v … FROM mg1)`, one value that may use the columns of the
query around it. The text therefore grows with the formula and not with the powers of its depth.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from multigene.export.writer import Piece, Template, Writer
from multigene.expression.tree import Expression, Operation

STEP = re.compile("\0(\\d+)\0")


class SqlWriter(Writer):
    """Infix with steps; `shared` are the templates that use an argument several times."""

    shared: ClassVar[Mapping[str, Template]] = {}
    deepest = 10  # SQLite's parser has room for about 100 open symbols

    def __init__(self, variables: Sequence[str], names: Sequence[str]) -> None:
        super().__init__(variables)
        # A name for the steps that no column begins with, since SQL would take the one for the other.
        self.prefix = "mg"
        while any(name.lower().startswith(self.prefix) for name in names):
            self.prefix += "_"

    def write(self, expression: Expression) -> str:
        body = super().write(expression)
        if not self.steps:
            return body
        steps = ",\n".join(
            f"  {self.prefix}{number}({self.prefix}v) AS MATERIALIZED (SELECT {self._select(text)})"
            for number, text in enumerate(self.steps, start=1)
        )
        return f"(WITH\n{steps}\nSELECT {self._select(body)})"

    @classmethod
    def covers(cls, name: str) -> bool:
        return name in cls.shared or super().covers(name)

    def step_name(self, number: int) -> str:
        return f"\0{number}\0"  # replaced once it is known which steps a SELECT needs

    def _piece(self, node: Expression, parts: tuple[Piece, ...]) -> Piece:
        if isinstance(node, Operation) and node.name in self.shared:
            template = self.shared[node.name]
            simple = STEP.fullmatch(parts[0].text) or parts[0].text in self.variables
            argument = parts[0] if simple else self.step(parts[0])
            return self._piece_of(template.text.format(argument), template.level)
        return super()._piece(node, parts)

    def _select(self, text: str) -> str:
        """The text with its references to steps, and the steps it selects from."""
        needed = sorted({int(number) for number in STEP.findall(text)})
        source = " FROM " + ", ".join(f"{self.prefix}{number}" for number in needed) if needed else ""
        return STEP.sub(lambda match: f"{self.prefix}{match[1]}.{self.prefix}v", text) + source


def column(name: str, table: str | None = None) -> str:
    """A quoted column, qualified by its table where one is given."""
    if "\0" in name:
        raise ValueError(f"SQL cannot name the column {name!r}: it holds a NUL character; rename the column.")
    return (quote(table) + "." if table else "") + quote(name)


def quote(name: str) -> str:
    """An identifier in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def erf_series(argument: str, number: Template) -> str:
    """erf as a sum of sines, right to 1e-15 for arguments between -6 and 6 and to the last digits near zero.

    The sum is the trapezoidal rule of step h on the Fourier integral of erf; its error is about erfc(pi/h - 6).
    """
    step, terms = 0.26, 24
    parts = [number.text.format(repr(2 / math.pi * step)) + f"*{argument}"]
    for n in range(1, terms + 1):
        weight = number.text.format(repr(2 / math.pi * math.exp(-((n * step) ** 2)) / n))
        parts.append(f"{weight}*sin({number.text.format(repr(2 * n * step))}*{argument})")
    return " + ".join(parts)
