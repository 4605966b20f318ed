"""SQLite and PostgreSQL: every model as an expression over a table whose columns have awkward names."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator

import numpy as np
import pytest
from export_cases import cases, check
from postgres_server import Postgres
from random_expressions import AWKWARD

from multigene.export.sql import quote
from multigene.expression.tree import Number, Operation, Variable
from multigene.formula import Formula

COLUMNS = ", ".join(quote(name) for name in AWKWARD)


@pytest.fixture
def sqlite() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("SELECT exp(1.0)")
    except sqlite3.OperationalError:
        _register_math(connection)
    yield connection
    connection.close()


def _register_math(connection: sqlite3.Connection) -> None:
    """The math functions of SQLite 3.35, for a library built without them."""

    def guarded(function):  # type: ignore[no-untyped-def]
        def call(*arguments):  # type: ignore[no-untyped-def]
            try:
                return function(*map(float, arguments))
            except OverflowError:
                return math.inf
            except (TypeError, ValueError, ZeroDivisionError):
                return None

        return call

    names = {"ln": math.log, "sign": lambda x: math.copysign(1.0, x) if x else x, "pow": math.pow}
    for name in ("exp", "sqrt", "sin", "cos", "tanh", "atan", "atanh"):
        names[name] = getattr(math, name)
    for name, function in names.items():
        connection.create_function(name, 2 if name == "pow" else 1, guarded(function), deterministic=True)


def test_sqlite(sqlite: sqlite3.Connection) -> None:
    _, formulas, X, _ = cases()
    sqlite.execute(f"CREATE TABLE data ({COLUMNS})")
    sqlite.executemany(f"INSERT INTO data VALUES ({', '.join('?' * len(AWKWARD))})", X.tolist())
    results = []
    for formula in formulas:
        rows = sqlite.execute(f"SELECT {formula.to('sqlite')} FROM data ORDER BY rowid").fetchall()
        results.append(np.array([row[0] for row in rows], dtype=float))
    check(results, forgiving=True)


def test_sqlite_divides_whole_numbers_as_real_ones(sqlite: sqlite3.Connection) -> None:
    sqlite.execute("CREATE TABLE data (a INTEGER, b INTEGER)")
    sqlite.execute("INSERT INTO data VALUES (7, 2), (7, 0), (NULL, 1)")
    formula = Formula(Operation("div", (Variable(0), Variable(1))), ["a", "b"])
    assert sqlite.execute(f"SELECT {formula.to('sqlite', table='data')} FROM data").fetchall() == [
        (3.5,),
        (None,),
        (None,),
    ]


def _table(X: np.ndarray) -> str:
    columns = ", ".join(f"{quote(name)} double precision" for name in AWKWARD)
    rows = ",\n".join(f"({n}, {', '.join(f'{float(v)!r}::float8' for v in row)})" for n, row in enumerate(X))
    return f"CREATE TEMP TABLE data (row_number integer, {columns});\nINSERT INTO data VALUES {rows};\n"


def test_postgresql_functions(postgres: Postgres) -> None:
    _, formulas, X, _ = cases()
    functions = "\n".join(
        formula.to("postgresql", function=f"model {n}") for n, formula in enumerate(formulas)
    )
    calls = []
    for n, formula in enumerate(formulas):
        calls.append(f"{quote(f'model {n}')}({', '.join(quote(name) for name in formula.variables)})")
    select = f"SELECT {', '.join(calls)} FROM data ORDER BY row_number;"
    values = np.array(postgres.query(_table(X) + functions + "\n" + select))
    check(list(values.T), forgiving=True)


def test_postgresql_expressions(postgres: Postgres) -> None:
    """Without a function around it the same text works in a SELECT, on rows without overflow."""
    _, formulas, X, references = cases()
    for formula, expected in list(zip(formulas, references, strict=True))[::10]:
        tame = np.flatnonzero(expected.tame)[:20]
        if not tame.size:
            continue
        select = f"SELECT {formula.to('sql', table='data')} FROM data ORDER BY row_number;"
        values = np.array(postgres.query(_table(X[tame]) + select))[:, 0]
        np.testing.assert_allclose(
            values, expected.value[tame], rtol=1e-9, atol=1e3 * expected.spread[tame].max()
        )


@pytest.mark.parametrize(
    ("name", "argument", "value"),
    [
        ("exp", 1000.0, math.inf),
        ("exp", -1000.0, 0.0),
        ("log", -1.0, math.nan),
        ("sqrt", -1e-300, math.nan),
        ("sqrt", 0.0, 0.0),
        ("inv", 0.0, math.nan),
        ("gauss", 1e-200, 1.0),
        ("softplus", -40.0, math.exp(-40.0)),
        ("softplus", 1000.0, 1000.0),
        ("sinc", 0.0, 1.0),
        ("erf", -9.0, -1.0),
        ("sign", math.nan, math.nan),
        ("logistic", 800.0, 0.0),
    ],
)
def test_postgresql_guards(postgres: Postgres, name: str, argument: float, value: float) -> None:
    formula = Formula(Operation(name, (Variable(0),)), ["x"])
    answer = postgres.query(
        f"SELECT {formula.to('postgresql')} FROM (VALUES ('{argument}'::float8)) AS data(x);"
    )
    np.testing.assert_allclose(answer[0][0], value, rtol=1e-13, atol=1e-300)


def test_postgresql_null_stays_null_and_options_are_checked(postgres: Postgres) -> None:
    formula = Formula(Operation("max", (Variable(0), Number(1.0))), ["x"])
    assert math.isnan(
        postgres.query(f"SELECT {formula.to('pg')} FROM (VALUES (NULL::float8)) AS data(x);")[0][0]
    )
    with pytest.raises(ValueError, match="no table"):
        formula.to("postgresql", table="data", function="f")
    assert "erf(" in Formula(Operation("erf", (Variable(0),)), ["x"]).to("postgresql", version=16)
