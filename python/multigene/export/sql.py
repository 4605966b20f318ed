"""What the SQL dialects share: quoted columns, and steps for what must not be repeated or nested too deeply.

SQL has no local functions. Where an operator needs its argument more than once, the argument becomes a step of its
own: `(WITH mg1(v) AS MATERIALIZED (SELECT …) SELECT … mg1.v … FROM mg1)`, one value that may use the columns of the
query around it. The text therefore grows with the formula and not with the powers of its depth.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from multigene.export.derived import Derived, chain, doubled, joined
from multigene.export.writer import Writer
from multigene.expression.tree import Expression

STEP = re.compile("\0(\\d+)\0")
#: Spellings of raw columns that the dialects share; each adds its own.
sql_columns = partial(
    Derived,
    gap=dict.fromkeys(("number", "text", "date"), "{0} IS NULL"),
    choices=chain("CASE ", "WHEN {0} THEN {1} ", "ELSE {0} END"),
    either=joined(" OR "),
    quote=doubled("'"),
)


class SqlWriter(Writer):
    """Infix with steps for what would be nested too deeply, and for arguments that a template has several times."""

    deepest = 10  # SQLite's parser has room for about 100 open symbols

    def __init__(self, variables: Sequence[str], names: Sequence[str]) -> None:
        super().__init__(variables)
        # A name for the steps that no column begins with, since SQL would take the one for the other.
        self.step_prefix = "mg"
        while any(name.lower().startswith(self.step_prefix) for name in names):
            self.step_prefix += "_"

    def write(self, expression: Expression) -> str:
        body = super().write(expression)
        if not self.steps:
            return body
        steps = ",\n".join(
            f"  {self.step_prefix}{number}({self.step_prefix}v) AS MATERIALIZED (SELECT {self._select(text)})"
            for number, text in enumerate(self.steps, start=1)
        )
        return f"(WITH\n{steps}\nSELECT {self._select(body)})"

    def step_name(self, number: int) -> str:
        return f"\0{number}\0"  # replaced once it is known which steps a SELECT needs

    def _select(self, text: str) -> str:
        """The text with its references to steps, and the steps it selects from."""
        needed = sorted({int(number) for number in STEP.findall(text)})
        source = " FROM " + ", ".join(f"{self.step_prefix}{number}" for number in needed) if needed else ""
        return STEP.sub(lambda match: f"{self.step_prefix}{match[1]}.{self.step_prefix}v", text) + source


def column(name: str, table: str | None = None) -> str:
    """A quoted column, qualified by its table where one is given."""
    if "\0" in name:
        raise ValueError(f"SQL cannot name the column {name!r}: it holds a NUL character; rename the column.")
    return (quote(table) + "." if table else "") + quote(name)


def quote(name: str) -> str:
    """An identifier in double quotes."""
    return '"' + name.replace('"', '""') + '"'
