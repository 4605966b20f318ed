"""PostgreSQL 13 or newer: an expression for SELECT, or a whole function.

PostgreSQL raises an error, and so ends the query, where other systems give NaN or an infinity. Here exp, ln, sqrt,
powers and division are guarded: outside their domain the value is NaN. What is left, sums and products beyond 1e308, is
caught by the form as a function (`function="name"`), which answers NaN for such a row. A NULL in a column used gives NULL.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from multigene.data.encoding.columns import ColumnName, Plain
from multigene.export.derived import spelled
from multigene.export.sql import SqlWriter, column, quote, sql_columns
from multigene.export.writer import Piece
from multigene.expression.long_spellings import not_negative, not_zero
from multigene.expression.tree import Expression, variables

DERIVED = sql_columns(
    equal="{0}::text = {1}",
    gap={"number": "({0} IS NULL OR {0}::float8 = 'NaN')", "text": "{0} IS NULL", "date": "{0} IS NULL"},
    days="(EXTRACT(EPOCH FROM {0}::timestamp)::float8/86400)",
    number="{0}::float8",
    literal=lambda value: f"{value!r}::float8",
    parameter={"number": "{} double precision", "text": "{} text", "date": "{} timestamp"},
)


class PostgresWriter(SqlWriter):
    """Guarded functions of double precision."""

    languages: ClassVar[tuple[str, ...]] = ("postgresql",)

    def number(self, value: float) -> str:
        return f"{value!r}::float8"

    def power(self, base: Piece, exponent: float) -> Piece:
        guarded = base.text if exponent.is_integer() else not_negative(base.text)
        if exponent < 0:
            guarded = not_zero(guarded)
        return self.atom(f"power({guarded}, {exponent!r})")


class Postgres16Writer(PostgresWriter):
    """Version 16 brought erf."""

    languages = ("postgresql 16", "postgresql")


def parameters_of(used: Sequence[str]) -> dict[str, str]:
    """The columns that a function takes, with what each holds; raw ones in the order of their table."""
    made = sorted((name for name in used if isinstance(name, ColumnName)), key=lambda name: name.place)
    plain = [name for name in used if not isinstance(name, ColumnName)]
    return {**dict.fromkeys(plain, "number"), **{name.column.source: name.column.raw for name in made}}


def write(
    expression: Expression,
    names: Sequence[str],
    target: str = "y",
    table: str | None = None,
    function: str | None = None,
    version: int = 13,
) -> str:
    """An SQL expression over the quoted columns; with `function`, a statement that creates that function."""
    columns = [
        spelled(name, column(name.column.source, table), DERIVED)
        if isinstance(name, ColumnName)
        else f"{column(name, table)}::float8"
        for name in names
    ]
    body = (Postgres16Writer if version >= 16 else PostgresWriter)(columns, names).write(expression)
    used = [names[index] for index in variables(expression)]
    gapless = [name for name in used if not isinstance(name, ColumnName) or isinstance(name.column, Plain)]
    if gapless:
        present = " AND ".join(f"{column(name, table)} IS NOT NULL" for name in gapless)
        body = f"CASE WHEN {present} THEN {body} END"
    if function is None:
        return body
    if table is not None:
        raise ValueError(f"A function has parameters and no table: drop table={table!r} or function.")
    parameters = ", ".join(
        DERIVED.parameter[kind].format(column(name)) for name, kind in parameters_of(used).items()
    )
    tag = "$mg$" if "$mg$" not in body else "$multigene_formula$"
    return (
        f"CREATE OR REPLACE FUNCTION {quote(function)}({parameters}) RETURNS double precision\n"
        f"LANGUAGE plpgsql IMMUTABLE AS {tag}\n#variable_conflict use_column\nBEGIN\n  RETURN {body};\n"
        f"EXCEPTION WHEN data_exception THEN\n  RETURN 'NaN';\nEND\n{tag};\n"
    )
