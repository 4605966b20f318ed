"""Exports of formulas over raw columns: run in every language that is here and compared with the formula on 1,000 rows."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from export_cases import tool

from multigene.data.encoding.columns import (
    Column,
    ColumnName,
    Cyclic,
    Elapsed,
    Filled,
    Level,
    Missing,
    Own,
    Plain,
    Scored,
)
from multigene.expression.tree import Expression, Number, Operation, Variable
from multigene.formula import Formula

SOURCES = ("size", "region", "the day", "age")
COLUMNS: tuple[Column, ...] = (
    Plain("size"),
    Level("region", ("north",)),
    Level("region", ('so"uth', "it's", "dollar $x")),
    Scored("region", "mean", (("north", -1.5), ('so"uth', 2.25)), 0.5),
    Missing("region", "text"),
    Elapsed("the day", 18262.0, "days", 100.0),
    Cyclic("the day", "sin", "week"),
    Cyclic("the day", "cos", "year"),
    Filled("age", -30.5),
    Missing("age"),
    Own("region", "p", (("north", -0.5), ("it's", 3.25)), 1.5),
)


@cache
def formula() -> Formula:
    """A sum of products of all kinds of columns."""
    names = [ColumnName(column, SOURCES.index(column.source)) for column in COLUMNS]
    terms: list[Expression] = [
        Operation("mul", (Number(0.5 + index), Variable(index))) for index in range(len(names))
    ]
    terms.append(Operation("mul", (Variable(0), Variable(1))))
    terms.append(Operation("sin", (Variable(8),)))
    return Formula(Operation("add", tuple(terms)), names, "y")


@cache
def table() -> pd.DataFrame:
    """1,000 rows with gaps."""
    rng = np.random.default_rng(0)
    n = 1000
    region = rng.choice(
        np.array(["north", 'so"uth', "it's", "dollar $x", "never seen", None], dtype=object), n
    )
    day = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1000, n), "D"))
    day[rng.uniform(size=n) < 0.1] = pd.NaT
    age = np.where(rng.uniform(size=n) < 0.2, np.nan, rng.uniform(20, 60, n).round(2))
    frame = {
        "size": rng.uniform(0, 9, n).round(3),
        "region": pd.Series(region, dtype=object),
        "the day": day,
        "age": age,
    }
    return pd.DataFrame(frame)


def check(values: Any) -> None:
    """What a program computed is what the formula is."""
    expected = formula()(table())
    assert np.isfinite(expected).all()
    np.testing.assert_allclose(np.asarray(values, dtype=float), expected, rtol=1e-9, atol=1e-9)


def seconds() -> np.ndarray:
    """Dates as seconds since 1970, NaN for gaps."""
    day = table()["the day"]
    return np.where(day.isna(), np.nan, (day - pd.Timestamp("1970-01-01")).dt.total_seconds())


def write_csv(folder: Path, missing: str) -> None:
    frame = table().copy()
    frame["the day"] = frame["the day"].dt.strftime("%Y-%m-%d")
    frame.to_csv(folder / "rows.csv", index=False, na_rep=missing)


def test_text_reads_as_people_write_it() -> None:
    names = [ColumnName(c, 0) for c in (Level("region", ("north",)), Plain("size"), Missing("age"))]
    x, size, gone = (Variable(i) for i in range(3))
    model = Operation(
        "add", (Number(1.0), Operation("mul", (Number(3.2), x)), Operation("mul", (Number(-2.0), size, gone)))
    )
    shown = Formula(model, names)
    assert shown.text() == '1 + (3.2 if region == "north") - (2*size if missing(age))'
    assert r"\left[\text{region == \"north\"}\right]".replace('\\"', '"') in shown.latex()
    assert "[</mo>" in shown.mathml()
    assert str(formula()).count("days(`the day` since 2020-01-01)") == 1


def test_python() -> None:
    space: dict[str, Any] = {}
    exec(formula().to("python"), space)
    check(space["predict"](table()))
    check(space["predict"]({name: table()[name].to_numpy() for name in table()}))


def test_formula_reads_any_table() -> None:
    pl = pytest.importorskip("polars")
    check(formula()(pl.from_pandas(table())))


def test_c(tmp_path: Path) -> None:
    compiler = tool("gcc", "gcc")
    rows = []
    for size, region, day, age in zip(
        table()["size"], table()["region"], seconds(), table()["age"], strict=True
    ):
        text = "NULL" if region is None else json.dumps(region)
        numbers = [repr(float(v)) if v == v else "NAN" for v in (size, day, age)]
        rows.append(f'printf("%.17g\\n", predict({numbers[0]}, {text}, {numbers[1]}, {numbers[2]}));')
    main = "#include <stdio.h>\nint main(void) {\n" + "\n".join(rows) + "\nreturn 0;\n}\n"
    (tmp_path / "model.c").write_text(formula().to("c") + main)
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"]
    subprocess.run([compiler, *flags, "model.c", "-o", "model", "-lm"], cwd=tmp_path, check=True, timeout=120)
    check(subprocess.run([tmp_path / "model"], capture_output=True, text=True, check=True).stdout.split())


def test_rust(tmp_path: Path) -> None:
    compiler = tool("rustc", "rustc")
    rows = []
    for size, region, day, age in zip(
        table()["size"], table()["region"], seconds(), table()["age"], strict=True
    ):
        text = "None" if region is None else f"Some({json.dumps(region)})"
        numbers = [repr(float(v)) if v == v else "f64::NAN" for v in (size, day, age)]
        rows.append(f"({numbers[0]}, {text}, {numbers[1]}, {numbers[2]}),")
    main = (
        "fn main() {\n let rows: Vec<(f64, Option<&str>, f64, f64)> = vec![\n" + "\n".join(rows) + "\n];\n"
        ' for r in rows { println!("{:?}", predict(r.0, r.1, r.2, r.3)); }\n}\n'
    )
    (tmp_path / "model.rs").write_text(formula().to("rust") + main)
    subprocess.run([compiler, "-D", "warnings", "model.rs"], cwd=tmp_path, check=True, timeout=300)
    check(subprocess.run([tmp_path / "model"], capture_output=True, text=True, check=True).stdout.split())


def test_javascript(tmp_path: Path) -> None:
    node = tool("node", "nodejs")
    frame = table().assign(**{"the day": table()["the day"].dt.strftime("%Y-%m-%d")})
    rows = json.loads(frame.to_json(orient="values"))
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    (tmp_path / "model.js").write_text(
        formula().to("javascript")
        + 'const rows = JSON.parse(require("fs").readFileSync("rows.json"));\n'
        + "console.log(JSON.stringify(rows.map(r => predict(...r))));\n"
    )
    out = subprocess.run([node, "model.js"], cwd=tmp_path, capture_output=True, text=True, check=True)
    check(json.loads(out.stdout))


def test_r(tmp_path: Path) -> None:
    rscript = tool("Rscript", "r-base-core")
    write_csv(tmp_path, "NA")
    (tmp_path / "model.R").write_text(
        formula().to("r")
        + 'd <- read.csv("rows.csv", check.names = FALSE, na.strings = "NA")\n'
        + 'v <- predict_formula(d$size, d$region, as.Date(d[["the day"]]), d$age)\n'
        + 'writeLines(formatC(v, digits = 17, format = "g"), "values")\n'
    )
    subprocess.run([rscript, "model.R"], cwd=tmp_path, check=True, timeout=120)
    check((tmp_path / "values").read_text().split())


def test_octave(tmp_path: Path) -> None:
    octave = tool("octave", "octave")
    frame = table()
    cells = ", ".join("''" if v is None else "'" + v.replace("'", "''") + "'" for v in frame["region"])
    days = seconds() / 86400 + 719529
    columns = {
        "size_2": frame["size"],
        "the_day": days,
        "age": frame["age"],
    }  # `size` is a function of Octave
    lines = [
        f"X.{name} = [{'; '.join('NaN' if v != v else repr(float(v)) for v in values)}];"
        for name, values in columns.items()
    ]
    (tmp_path / "predict_formula.m").write_text(formula().to("matlab"))
    (tmp_path / "run.m").write_text(
        "\n".join([*lines, f"X.region = {{{cells}}}';", "printf('%.17g\\n', predict_formula(X));"])
    )
    out = subprocess.run(
        [octave, "--no-gui", "--quiet", "run.m"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    check(out.stdout.split())


def test_sqlite() -> None:
    connection = sqlite3.connect(":memory:")
    frame = table().assign(**{"the day": table()["the day"].dt.strftime("%Y-%m-%d")})
    frame.to_sql("t", connection, index=False)
    if not connection.execute("SELECT sqlite_compileoption_used('ENABLE_MATH_FUNCTIONS')").fetchone()[0]:
        connection.create_function("sin", 1, np.sin)
        connection.create_function("cos", 1, np.cos)
    check([row[0] for row in connection.execute(f"SELECT {formula().to('sqlite')} FROM t")])


def test_duckdb_reads_the_postgresql_form() -> None:
    duckdb = pytest.importorskip("duckdb")
    frame = table()
    connection = duckdb.connect()
    connection.register("t", frame)
    check([row[0] for row in connection.execute(f"SELECT {formula().to('postgresql')} FROM t").fetchall()])


def test_postgresql_function_takes_the_kinds() -> None:
    shown = formula().to("postgresql", function="f")
    assert '"region" text' in shown
    assert '"the day" timestamp' in shown
    assert '"age" double precision' in shown


def test_excel() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        formulas = pytest.importorskip("formulas", reason="formulas is not installed (PyPI: formulas)")
        parser = formulas.Parser()
        text = formula().to("excel")
        compiled = parser.ast(text)[1].compile()
        frame = table()
        serial = seconds() / 86400 + 25569
        values = []
        for row in range(0, len(frame), 20):
            given = {
                "A2": frame["size"].iloc[row],
                "B2": frame["region"].iloc[row] or "",
                "C2": serial[row] if serial[row] == serial[row] else "",
                "D2": frame["age"].iloc[row] if frame["age"].iloc[row] == frame["age"].iloc[row] else "",
            }
            cells = [np.array([[given[name]]], dtype=object) for name in compiled.inputs]
            values.append(float(np.asarray(compiled(*cells)).ravel()[0]))
    expected = formula()(frame)[::20]
    np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("format", ["sympy", "onnx", "pytorch", "julia", "latex", "mathml", "text"])
def test_every_format_writes_them(format: str) -> None:
    for package in {"sympy": ["sympy"], "onnx": ["onnx"]}.get(format, []):
        pytest.importorskip(package)
    assert formula().to(format)
