"""Exports of formulas over raw columns: run in every language that is here and compared with the formula on 1,000 rows.

Three formulas: one of every kind of column, one with 300 levels, which nest deeply where a language has no flat choice, and one
with an exponent per group.
"""

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
from postgres_server import Postgres

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
from multigene.data.encoding.encoding import Encoding, Source
from multigene.expression.tree import Expression, Number, Operation, Variable
from multigene.formula import Formula

SOURCES = ("size", "region", "the day", "age", "moment", "town")
KINDS = ("number", "text", "date", "number", "date", "text")
TOWNS = [f"town {number}" for number in range(300)]
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
    Elapsed("moment", 18262.25, "hours", 7.5),
    Cyclic("moment", "cos", "day"),
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
def many_levels() -> Formula:
    """300 levels with a number each, and a column of numbers and a date so that the order of what a function takes matters."""
    scores = tuple((town, round(0.1 * number - 9.0, 3)) for number, town in enumerate(TOWNS))
    columns: list[Column] = [Plain("size"), Scored("town", "mean", scores, 0.25), Missing("moment", "date")]
    size, town, gone = (Variable(i) for i in range(3))
    terms = (Operation("mul", (Number(0.5), size, Operation("sin", (town,)))), gone)
    names = [ColumnName(column, SOURCES.index(column.source)) for column in columns]
    return Formula(Operation("add", terms), names, "y")


@cache
def power_per_group() -> Formula:
    """An exponent of every region's own; its base is positive."""
    columns: list[Column] = [Plain("size"), Own("region", "p", (("north", -0.5), ("it's", 2.25)), 1.5)]
    base = Operation("add", (Variable(0), Number(1.0)))
    power = Operation("exp", (Operation("mul", (Operation("log", (base,)), Variable(1))),))
    names = [ColumnName(column, SOURCES.index(column.source)) for column in columns]
    return Formula(Operation("mul", (Number(0.5), power)), names, "y")


#: Every formula by name; tests run all.
FORMULAS = {"every kind": formula, "many levels": many_levels, "a power per group": power_per_group}
either = pytest.mark.parametrize("kind", FORMULAS)


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
    moment = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 10**7, n), "s"))
    moment[rng.uniform(size=n) < 0.1] = pd.NaT
    frame = {
        "size": rng.uniform(0, 9, n).round(3),
        "region": pd.Series(region, dtype=object),
        "the day": day,
        "age": age,
        "moment": moment,
        "town": pd.Series(rng.choice(np.array([*TOWNS, "Town 1", None], dtype=object), n), dtype=object),
    }
    return pd.DataFrame(frame)


def check(kind: str, values: Any, rows: slice = slice(None)) -> None:
    """What a program computed is what the formula is."""
    expected = FORMULAS[kind]()(table())[rows]
    assert np.isfinite(expected).all()
    np.testing.assert_allclose(np.asarray(values, dtype=float), expected, rtol=1e-9, atol=1e-9)


def inputs(kind: str) -> list[str]:
    """The raw columns that a formula takes, in the table's order."""
    used = {name.column.source for name in FORMULAS[kind]().variables if isinstance(name, ColumnName)}
    return [source for source in SOURCES if source in used]


def seconds(source: str) -> np.ndarray:
    """Dates as seconds since 1970, NaN for gaps."""
    day = table()[source]
    return np.where(day.isna(), np.nan, (day - pd.Timestamp("1970-01-01")).dt.total_seconds())


def written() -> pd.DataFrame:
    """The table with dates as text."""
    return table().assign(
        **{
            "the day": table()["the day"].dt.strftime("%Y-%m-%d"),
            "moment": table()["moment"].dt.strftime("%Y-%m-%d %H:%M:%S"),
        }
    )


def literals(kind: str, gap: str, nothing: str, text: str) -> list[list[str]]:
    """The rows as a language writes them: `gap` for a number or date, `nothing` for text without a value, `text` with one."""
    columns = []
    for source in inputs(kind):
        values = table()[source]
        if KINDS[SOURCES.index(source)] == "text":
            columns.append([nothing if v is None else text.format(json.dumps(v)) for v in values])
        else:
            numbers = seconds(source) if KINDS[SOURCES.index(source)] == "date" else values
            columns.append([repr(float(v)) if v == v else gap for v in numbers])
    return [list(row) for row in zip(*columns, strict=True)]


def ran(*command: str | Path, folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


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


@either
def test_python(kind: str) -> None:
    space: dict[str, Any] = {}
    exec(FORMULAS[kind]().to("python"), space)
    check(kind, space["predict"](table()))
    check(kind, space["predict"]({name: table()[name].to_numpy() for name in table()}))


@either
def test_formula_reads_any_table(kind: str) -> None:
    pl = pytest.importorskip("polars")
    check(kind, FORMULAS[kind]()(pl.from_pandas(table())))


@either
def test_c(tmp_path: Path, kind: str) -> None:
    compiler = tool("gcc", "gcc")
    rows = [f'printf("%.17g\\n", predict({", ".join(row)}));' for row in literals(kind, "NAN", "NULL", "{}")]
    main = "#include <stdio.h>\nint main(void) {\n" + "\n".join(rows) + "\nreturn 0;\n}\n"
    (tmp_path / "model.c").write_text(FORMULAS[kind]().to("c") + main)
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"]
    ran(compiler, *flags, "model.c", "-o", "model", "-lm", folder=tmp_path)
    check(kind, ran(tmp_path / "model", folder=tmp_path).split())


@either
def test_rust(tmp_path: Path, kind: str) -> None:
    compiler = tool("rustc", "rustc")
    kinds = [KINDS[SOURCES.index(source)] for source in inputs(kind)]
    types = ", ".join("Option<&str>" if each == "text" else "f64" for each in kinds)
    rows = [f"({', '.join(row)})," for row in literals(kind, "f64::NAN", "None", "Some({})")]
    given = ", ".join(f"r.{place}" for place in range(len(kinds)))
    main = (
        f"fn main() {{\n let rows: Vec<({types})> = vec![\n" + "\n".join(rows) + "\n];\n"
        f' for r in rows {{ println!("{{:?}}", predict({given})); }}\n}}\n'
    )
    (tmp_path / "model.rs").write_text(FORMULAS[kind]().to("rust") + main)
    ran(compiler, "-D", "warnings", "model.rs", folder=tmp_path)
    check(kind, ran(tmp_path / "model", folder=tmp_path).split())


@either
def test_javascript(tmp_path: Path, kind: str) -> None:
    node = tool("node", "nodejs")
    frame = written()[inputs(kind)]
    if "moment" in frame:
        frame = frame.assign(moment=frame["moment"].str.replace(" ", "T") + "Z")
    (tmp_path / "rows.json").write_text(frame.to_json(orient="values"))
    (tmp_path / "model.js").write_text(
        FORMULAS[kind]().to("javascript")
        + 'const rows = JSON.parse(require("fs").readFileSync("rows.json"));\n'
        + "console.log(JSON.stringify(rows.map(r => predict(...r))));\n"
    )
    check(kind, json.loads(ran(node, "model.js", folder=tmp_path)))


@either
def test_r(tmp_path: Path, kind: str) -> None:
    rscript = tool("Rscript", "r-base-core")
    written().to_csv(tmp_path / "rows.csv", index=False, na_rep="NA")
    read = {"the day": 'as.Date(d[["the day"]])', "moment": 'as.POSIXct(d$moment, tz = "UTC")'}
    given = ", ".join(read.get(source, f"d${source}") for source in inputs(kind))
    (tmp_path / "model.R").write_text(
        FORMULAS[kind]().to("r")
        + 'd <- read.csv("rows.csv", check.names = FALSE, na.strings = "NA")\n'
        + f"v <- predict_formula({given})\n"
        + 'writeLines(formatC(v, digits = 17, format = "g"), "values")\n'
    )
    ran(rscript, "model.R", folder=tmp_path)
    check(kind, (tmp_path / "values").read_text().split())


@either
def test_octave(tmp_path: Path, kind: str) -> None:
    octave = tool("octave", "octave")
    lines = []
    for source in inputs(kind):
        name = {"size": "size_2", "the day": "the_day"}.get(source, source)  # `size` is a function of Octave
        values = table()[source]
        if KINDS[SOURCES.index(source)] == "text":
            cells = ", ".join("''" if v is None else "'" + v.replace("'", "''") + "'" for v in values)
            lines.append(f"X.{name} = {{{cells}}}';")
            continue
        numbers = seconds(source) / 86400 + 719529 if KINDS[SOURCES.index(source)] == "date" else values
        lines.append(f"X.{name} = [{'; '.join('NaN' if v != v else repr(float(v)) for v in numbers)}];")
    (tmp_path / "predict_formula.m").write_text(FORMULAS[kind]().to("matlab"))
    (tmp_path / "run.m").write_text("\n".join([*lines, "printf('%.17g\\n', predict_formula(X));"]))
    check(kind, ran(octave, "--no-gui", "--quiet", "run.m", folder=tmp_path).split())


@either
def test_sqlite(kind: str) -> None:
    connection = sqlite3.connect(":memory:")
    written().to_sql("t", connection, index=False)
    if not connection.execute("SELECT sqlite_compileoption_used('ENABLE_MATH_FUNCTIONS')").fetchone()[0]:
        for name in ("sin", "cos", "tanh"):
            connection.create_function(name, 1, getattr(np, name))
    check(kind, [row[0] for row in connection.execute(f"SELECT {FORMULAS[kind]().to('sqlite')} FROM t")])
    connection.close()


@either
def test_duckdb_reads_the_postgresql_form(kind: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("t", table())
    answer = connection.execute(f"SELECT {FORMULAS[kind]().to('postgresql')} FROM t").fetchall()
    check(kind, [row[0] for row in answer])


@either
def test_postgresql(postgres: Postgres, kind: str) -> None:
    """As an expression in a SELECT, and as a function."""
    types = {"number": "double precision", "text": "text", "date": "timestamp"}
    columns = ", ".join(f'"{s}" {types[k]}' for s, k in zip(SOURCES, KINDS, strict=True))
    rows = ",\n".join(
        f"({n}, {', '.join('NULL' if pd.isna(v) else quoted(v) for v in row)})"
        for n, row in enumerate(written().itertuples(index=False))
    )
    made = f"CREATE TEMP TABLE t (row_number integer, {columns});\nINSERT INTO t VALUES {rows};\n"
    shown = FORMULAS[kind]()
    given = ", ".join(f'"{source}"' for source in inputs(kind))
    values = np.array(
        postgres.query(
            f"{made}{shown.to('postgresql', function='f')}\n"
            f"SELECT {shown.to('postgresql')}, f({given}) FROM t ORDER BY row_number;"
        )
    )
    check(kind, values[:, 0])
    check(kind, values[:, 1])


def quoted(value: object) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def test_postgresql_function_takes_the_kinds() -> None:
    shown = formula().to("postgresql", function="f")
    assert '"region" text' in shown
    assert '"the day" timestamp' in shown
    assert '"age" double precision' in shown


def cells() -> pd.DataFrame:
    """The table as a spreadsheet has it: dates as its days, nothing for gaps."""
    days = {source: seconds(source) / 86400 + 25569 for source in ("the day", "moment")}
    frame = table().assign(**days).astype(object)
    return frame.where(frame.notna(), "")


@either
def test_excel(kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        formulas = pytest.importorskip("formulas", reason="formulas is not installed (PyPI: formulas)")
        compiled = formulas.Parser().ast(FORMULAS[kind]().to("excel", let=False))[1].compile()
        values = []
        for row in range(0, len(table()), 20):
            given = dict(zip(("A2", "B2", "C2", "D2", "E2", "F2"), cells().iloc[row], strict=True))
            one = [np.array([[given[name]]], dtype=object) for name in compiled.inputs]
            values.append(float(np.asarray(compiled(*one)).ravel()[0]))
    check(kind, values, slice(0, None, 20))


def test_excel_in_a_spreadsheet_program(tmp_path: Path) -> None:
    """Gnumeric applies EXACT to a list as little as other functions; columns of many levels are not for it."""
    converter = tool("ssconvert", "gnumeric")
    frame = cells()
    frame["y"] = [formula().to("excel", row=row, let=False) for row in range(2, len(frame) + 2)]
    frame.to_excel(tmp_path / "in.xlsx", index=False)
    form = ["--recalc", "--export-type=Gnumeric_stf:stf_assistant", "-O", "format=raw separator=;"]
    ran(converter, *form, "in.xlsx", "out.csv", folder=tmp_path)
    check("every kind", pd.read_csv(tmp_path / "out.csv", sep=";")["y"])


def test_excel_names_a_long_column_that_is_used_twice() -> None:
    town = many_levels().feature_names[1]
    twice = Operation("add", (Operation("sin", (Variable(0),)), Variable(0)))
    text = Formula(twice, [town]).to("excel")
    assert text.startswith("=LET(mg_c1,(0.25+SUMPRODUCT(EXACT(F2,{")
    assert text.endswith(",SIN(mg_c1)+mg_c1)")
    with pytest.raises(ValueError, match="without the 300 levels of 'town', or another format"):
        Formula(twice, [town]).to("excel", let=False)


@either
def test_onnx_takes_the_encoded_columns(kind: str) -> None:
    pytest.importorskip("onnx", reason="onnx is not installed (multigene[export])")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed (PyPI: onnxruntime)")
    shown = FORMULAS[kind]()
    model = shown.to("onnx").SerializeToString()
    session = runtime.InferenceSession(model, providers=["CPUExecutionProvider"])
    check(kind, session.run(None, {"X": encoded(kind)})[0])


@either
def test_sympy_has_a_symbol_for_each(kind: str) -> None:
    sympy = pytest.importorskip("sympy")
    shown = FORMULAS[kind]()
    written_out = shown.sympy()
    known = {str(symbol): symbol for symbol in written_out.free_symbols}
    function = sympy.lambdify([known[str(name)] for name in shown.feature_names], written_out, "numpy")
    check(kind, function(*encoded(kind).T))


def encoded(kind: str) -> np.ndarray:
    """The numeric columns, as `model.encode` gives them."""
    columns = [name.column for name in FORMULAS[kind]().feature_names if isinstance(name, ColumnName)]
    sources = tuple(Source(s, k) for s, k in zip(SOURCES, KINDS, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the sources have no levels here
        return Encoding(sources, tuple(columns)).transform(table())


@pytest.mark.parametrize("format", ["pytorch", "julia", "latex", "mathml", "text"])
@either
def test_every_format_writes_them(format: str, kind: str) -> None:
    assert FORMULAS[kind]().to(format)
