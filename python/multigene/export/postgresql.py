"""PostgreSQL 13 or newer: an expression for SELECT, or a whole function.

PostgreSQL raises an error, and so ends the query, where other systems give NaN or an infinity. Here exp, ln, sqrt,
powers and division are guarded: outside their domain the value is NaN. (The guards use GREATEST alone, because
PostgreSQL takes NaN for the greatest number.) What is left, sums and products beyond 1e308, is caught by the form as
a function (`function="name"`), which answers NaN for such a row. A NULL in a column used gives NULL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from multigene.export.sql import SqlWriter, column, erf_series, quote
from multigene.export.writer import PRODUCT, SUM, Piece, Template, calls
from multigene.expression.tree import Expression, variables

# The least negative number: GREATEST with it tells "below zero" from "zero or more".
BELOW = "'-4.94065645841247e-324'::float8"
NAN = "'NaN'::float8"


def _not_zero(argument: str) -> str:
    return f"COALESCE(NULLIF({argument}, 0), {NAN})"


def _not_negative(argument: str) -> str:
    return f"COALESCE(NULLIF(GREATEST({argument}, {BELOW}), {BELOW}), {NAN})"


def _above(argument: str, bound: float) -> str:
    """The argument, or minus infinity where it is not above the bound; NaN stays NaN."""
    return f"COALESCE(NULLIF(GREATEST({argument}, {bound}), {bound}), '-Infinity'::float8)"


def _exp(argument: str) -> str:
    """exp of an infinity is no error, exp beyond the range of numbers is."""
    return f"exp({_above('-' + _above('-' + argument, -709.78), -745.13)})"


SQUARE = "power(GREATEST(abs({0}), 1e-150), 2)"  # the square of a tinier number would be an underflow error


class PostgresWriter(SqlWriter):
    """Guarded functions of double precision."""

    templates = calls(**{name: name for name in ("sin", "cos", "abs", "tanh", "atan")}) | {
        "div": Template("{0:product}/" + _not_zero("{1}"), PRODUCT),
        "inv": Template("1/" + _not_zero("{0}"), PRODUCT),
        "max": Template("GREATEST({0}, {1})"),
        "min": Template("(-GREATEST(-{0:factor}, -{1:factor}))"),
        "exp": Template(_exp("{0:factor}")),
        "log": Template(f"ln({_not_zero('GREATEST({0}, 0)')})"),
        "sqrt": Template(f"sqrt({_not_negative('{0}')})"),
        "logistic": Template(f"1/(1 + {_exp('{0:factor}')})", PRODUCT),
        "aq": Template("{0:product}/sqrt(1 + " + SQUARE.replace("{0}", "{1}") + ")", PRODUCT),
        "gauss": Template(f"exp({_above('-' + SQUARE, -745.13)})"),
    }
    shared: ClassVar[Mapping[str, Template]] = {
        "sign": Template("CASE WHEN {0} = 'NaN' THEN {0} ELSE sign({0}) END"),
        "sinc": Template("CASE WHEN {0} = 0 THEN 1 ELSE sin({0})/{0} END"),
        "softplus": Template("GREATEST({0}, 0) + 2*atanh(1/(1 + 2*exp(-GREATEST(-abs({0}), -700))))", SUM),
        "bent": Template("(sqrt(" + SQUARE + " + 1) - 1)/2 + {0}", SUM),
        "erf": Template(
            "CASE WHEN {0} = 'NaN' THEN {0} WHEN {0} > 6 THEN 1 WHEN {0} < -6 THEN -1 ELSE "
            + erf_series("{0}", Template("{0}::float8"))
            + " END"
        ),
    }

    def number(self, value: float) -> str:
        return f"{value!r}::float8"

    def power(self, base: Piece, exponent: float) -> Piece:
        guarded = base.text if exponent.is_integer() else _not_negative(base.text)
        if exponent < 0:
            guarded = _not_zero(guarded)
        return self.atom(f"power({guarded}, {exponent!r})")


class Postgres16Writer(PostgresWriter):
    """Version 16 brought erf."""

    templates = PostgresWriter.templates | calls(erf="erf")
    shared: ClassVar[Mapping[str, Template]] = {
        name: template for name, template in PostgresWriter.shared.items() if name != "erf"
    }


def write(
    expression: Expression,
    names: Sequence[str],
    target: str = "y",
    table: str | None = None,
    function: str | None = None,
    version: int = 13,
) -> str:
    """An SQL expression over the quoted columns; with `function`, a statement that creates that function."""
    columns = [f"{column(name, table)}::float8" for name in names]
    body = (Postgres16Writer if version >= 16 else PostgresWriter)(columns, names).write(expression)
    used = [column(names[index], table) for index in variables(expression)]
    if used:
        present = " AND ".join(f"{name} IS NOT NULL" for name in used)
        body = f"CASE WHEN {present} THEN {body} END"
    if function is None:
        return body
    if table is not None:
        raise ValueError(f"A function has parameters and no table: drop table={table!r} or function.")
    parameters = ", ".join(f"{name} double precision" for name in used)
    tag = "$mg$" if "$mg$" not in body else "$multigene_formula$"
    return (
        f"CREATE OR REPLACE FUNCTION {quote(function)}({parameters}) RETURNS double precision\n"
        f"LANGUAGE plpgsql IMMUTABLE AS {tag}\n#variable_conflict use_column\nBEGIN\n  RETURN {body};\n"
        f"EXCEPTION WHEN data_exception THEN\n  RETURN 'NaN';\nEND\n{tag};\n"
    )
