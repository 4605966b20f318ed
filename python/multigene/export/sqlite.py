"""SQLite: an expression for SELECT. Needs SQLite 3.35 with its math functions; no value is NULL."""

from __future__ import annotations

from collections.abc import Sequence

from multigene.export.sql import SqlWriter, column
from multigene.expression.notation import Template
from multigene.expression.tree import Expression


class SqliteWriter(SqlWriter):
    """SQLite's math functions."""

    languages = ("sqlite",)
    integer_power = Template("pow({0}, {1})")

    def exponent(self, value: float) -> str:
        return repr(value)


def write(expression: Expression, names: Sequence[str], target: str = "y", table: str | None = None) -> str:
    """An SQL expression over the quoted columns, which may hold whole numbers as well."""
    columns = [f"CAST({column(name, table)} AS REAL)" for name in names]
    return SqliteWriter(columns, names).write(expression)
