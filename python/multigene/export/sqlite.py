"""SQLite: an expression for SELECT. Needs SQLite 3.35 with its math functions; no value is NULL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from multigene.export.sql import SqlWriter, column, erf_series
from multigene.export.writer import PRODUCT, SUM, Template, calls
from multigene.expression.tree import Expression

SAME = ("sin", "cos", "exp", "sqrt", "abs", "tanh", "atan", "sign", "min", "max")


class SqliteWriter(SqlWriter):
    """SQLite's math functions."""

    templates = calls(**{name: name for name in SAME}) | {
        "log": Template("ln({0})"),
        "inv": Template("1.0/{0:factor}", PRODUCT),
        "logistic": Template("1.0/(1.0 + exp({0}))", PRODUCT),
        "aq": Template("{0:product}/sqrt(1.0 + pow({1}, 2.0))", PRODUCT),
        "gauss": Template("exp(-pow({0}, 2.0))"),
    }
    shared: ClassVar[Mapping[str, Template]] = {
        "sinc": Template("CASE WHEN {0} = 0.0 THEN 1.0 ELSE sin({0})/{0} END"),
        "softplus": Template("max({0}, 0.0) + 2.0*atanh(1.0/(1.0 + 2.0*exp(abs({0}))))", SUM),
        "bent": Template("(sqrt({0}*{0} + 1.0) - 1.0)/2.0 + {0}", SUM),
        "erf": Template(
            "CASE WHEN {0} > 6.0 THEN 1.0 WHEN {0} < -6.0 THEN -1.0 ELSE "
            + erf_series("{0}", Template("{0}"))
            + " END"
        ),
    }
    integer_power = Template("pow({0}, {1})")

    def exponent(self, value: float) -> str:
        return repr(value)


def write(expression: Expression, names: Sequence[str], target: str = "y", table: str | None = None) -> str:
    """An SQL expression over the quoted columns, which may hold whole numbers as well."""
    columns = [f"CAST({column(name, table)} AS REAL)" for name in names]
    return SqliteWriter(columns, names).write(expression)
