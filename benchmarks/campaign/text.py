"""Text from outside: model files, tables, settings, definitions and names. It is read or refused with a sentence, never more."""

from __future__ import annotations

import inspect
import json
import re
import resource
import sys
import tempfile
import time
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.campaign.outcome import Outcome
from multigene import MultigeneRegressor
from multigene.cli.option_groups import Reading, Rows
from multigene.cli.task import problem
from multigene.export import EXPORTERS
from multigene.fitted import FittedModel
from multigene.model_file import dumps, loads
from multigene.settings.resolve import resolved
from multigene.settings.settings import setting_names

#: Seconds and megabytes that any file may take to be refused, or to be read, printed and exported.
SECONDS, MEGABYTES = 1.0, 200.0
#: Bytes that break readers.
HOSTILE = (
    b"\x00", b"\xff\xfe", b'"', b"\\", b"\\u0000", b"\\ud800", b"1e999", b"-1e308", b"NaN", b"Infinity", b"[", b"]", b"{", b"}",
    b",", b":", b"null", b"true", b"0" * 400, b"[" * 300, b"\r", b"\n\n", b";", b"\t", b"'", "ü€\u202e".encode(), b"#", b"=1+1",
    b"99999999999999999999999999", b"1,234", b"1.234,5", b"--", b"e", b"x0", b"sin(", b"**32",
)  # fmt: skip
#: Values of model files that may stand where others are meant.
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 3, 10**30, 0.5, -2.5, 1e308, 1e-320, float("inf"), float("nan"), "", "x0", "1", [], [0], {},
)  # fmt: skip
#: Cells of tables that may stand where numbers are meant, and the share of the tables that are read which are fitted too.
CELLS = (
    "", " ", "NA", "nan", "inf", "-inf", "1e999", "1e308", "-1e-320", "0", "-0", "1e400", "0x10", "1_000", "1,234", "1.234,5",
    "12%", "$5", "yes", "no", "true", "a", "ü", "\ud7ff", "2024-01-01", "31.12.99", "12:30", "?", "-", "=1+1", "9" * 400,
    "1" * 20, "'", '"', "a\nb", "#", "N/A", "None", "\x00", "\u202e", "y", "b", "１２",
)  # fmt: skip
FITTED = 0.1
#: Names of columns that break pages and programs.
NAMES = (
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a'; DROP TABLE t; --", "=cmd|' /C calc'!A0",
    "lambda", "import os",
    "x\ny", "a\\b", "{{7*7}}", "${x}", "%s%n", "ü 漢 \u202e", "class", "for", "__import__('os')", "`rm`", "\x1b[31m", "a" * 300,
    " ", "1",
    "</style>", "--", "/*", "*/", "E", "pi", "I", "Σ_1^2", "\\input{x}", "$$",
)  # fmt: skip


@cache
def model() -> FittedModel:
    """A small fitted model."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=["a", "b b", "c"])
    y = np.sin(X["a"]) * X["b b"] + X["c"] + 0.1 * rng.normal(size=80)
    return MultigeneRegressor(generations=5, random_state=0, n_jobs=1, search="accuracy").fit(X, y).fitted_


@cache
def document() -> dict[str, Any]:
    """Its file, with the smallest, the chosen and the largest model of the front: most of what is damaged then counts."""
    whole: dict[str, Any] = json.loads(dumps(model()))
    front = whole["front"]
    return whole | {"front": [front[0], front[whole["chosen"]], front[-1]], "chosen": 1, "default": 1}


def mutated(content: bytes, rng: np.random.Generator) -> bytes:
    """A few pieces cut, doubled, swapped or replaced."""
    for _ in range(int(rng.integers(1, 5))):
        i, j = sorted(rng.integers(0, len(content) + 1, size=2).tolist())
        j = min(j, i + int(rng.integers(1, 60)))
        piece = content[i:j]
        new = [
            b"", piece + piece, piece[::-1], HOSTILE[int(rng.integers(len(HOSTILE)))], rng.bytes(int(rng.integers(1, 6))),
        ][int(rng.integers(5))]  # fmt: skip
        content = content[:i] + new + content[j:]
    return content


def damaged(document: Any, rng: np.random.Generator) -> bytes:
    """A document whose bytes are mutated, or in which a few values are others: those come further than the reader."""
    if rng.random() < 0.5:
        return mutated(json.dumps(document).encode(), rng)
    document = json.loads(json.dumps(document))
    for _ in range(int(rng.integers(1, 4))):
        value, key = document, None
        while isinstance(value, dict | list) and value and (key is None or rng.random() < 0.8):
            keys = list(value) if isinstance(value, dict) else range(len(value))
            holder, key = value, keys[int(rng.integers(len(keys)))]
            value = holder[key]
        holder[key] = _other(value, rng)
    return json.dumps(document).encode()


def _other(value: Any, rng: np.random.Generator) -> Any:
    """A value like this one, or unlike it."""
    if isinstance(value, bool) or value is None or rng.random() < 0.15:
        return VALUES[int(rng.integers(len(VALUES)))]
    if isinstance(value, int):
        return value + int(rng.integers(-2, 3))
    if isinstance(value, float):
        return value * float(rng.choice([-1.0, 0.0, 1e-300, 1e300, 1.0 + 1e-9, 3.0]))
    if isinstance(value, str):
        numbers = re.sub(r"\d+(\.\d+)?", lambda m: _number(m[0], rng), value)
        cut = int(rng.integers(len(value) + 1))
        return (
            numbers,
            value[:cut],
            value[:cut] + NAMES[int(rng.integers(len(NAMES)))] + value[cut:],
            numbers,
        )[int(rng.integers(4))]
    if isinstance(value, list):
        return (value[::-1], value[1:], value + value, [*value, value])[int(rng.integers(4))]
    return dict(list(value.items())[1:])


def _number(text: str, rng: np.random.Generator) -> str:
    return (
        text
        if rng.random() < 0.7
        else str(rng.choice(["0", "1", "2", "-1", "1e300", "1e-300", "0.5", text + "9"]))
    )


def used(fitted: FittedModel) -> None:
    """What people do with a model that they have loaded."""
    text = dumps(fitted)
    loads(text.encode())
    str(fitted)
    fitted.equations()
    with np.errstate(all="ignore"):
        fitted.predict(np.zeros((2, len(fitted.names))))
    for language in ("python", "c", "latex"):
        fitted.formula.to(language)


def model_files(rng: np.random.Generator, trials: int) -> Outcome:
    """Mutated model files."""
    outcome = Outcome()
    for _ in range(trials):
        case = damaged(document(), rng)
        start = time.process_time()
        with outcome.trial(repr(case[:60]), ValueError):
            used(loads(case))
        outcome.measure(time.process_time() - start, "s", SECONDS, repr(case[:60]))
    return outcome


def adversarial_files(rng: np.random.Generator, trials: int) -> Outcome:
    """Model files made to take time and memory, of random size."""
    outcome = Outcome()
    used(model())  # imports
    unit = 1024.0 if sys.platform != "darwin" else 1024.0**2
    for trial in range(trials):
        name, content = _adversary(document(), trial, rng)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.process_time()
        with outcome.trial(name, ValueError):
            used(loads(content))
        case = f"{name}, {len(content) / 1e6:.1f} MB"
        outcome.measure(time.process_time() - start, "s", SECONDS, case)
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / unit
        if more > MEGABYTES:
            outcome.fail(f"{more:.0f} MB, {case}")
    return outcome


def _adversary(document: dict[str, Any], kind: int, rng: np.random.Generator) -> tuple[str, bytes]:
    size = int(10 ** rng.uniform(3.0, 6.5))
    member = document["front"][0]

    def of(genes: list[str], **more: Any) -> bytes:
        row = member | {"genes": genes, "coefficients": [1.0] * len(genes)}
        changes = {"front": [row], "chosen": 0, "default": 0, "intervals": None} | more
        return json.dumps(document | changes).encode()

    short = min(size, 9_000)
    names = [f"c{j}" for j in range(min(size, 15_000))]
    wide = " + ".join(f"1.5*x{j}" for j in range(len(names)))
    cases: tuple[tuple[str, bytes], ...] = (
        ("backslashes", b'{"a": "' + b"\\" * size),
        ("quotes that do not end", b'{"a": "' + b'\\"' * size),
        ("quotes", b'"' * size),
        ("empty texts", b'["' + b'","' * size + b'"]'),
        ("brackets", b"[" * size),
        ("objects", b'{"a":' * size),
        ("zeros", b'{"a": [' + b"0," * size + b"0]}"),
        ("many models", json.dumps(document | {"front": [member] * min(size, 20_000)}).encode()),
        ("wide linear combination", of([f"[0: 1.0 + {wide}]"], features=names, data=None)),
        ("sum", of(["+".join(["x0"] * short)])),
        ("many genes", of(["sin(x0)*x1"] * min(size, 1_000))),
        ("nested sinc", of(["sinc(" * 90 + "x0" + ")" * 90])),
        ("nested bent", of(["bent(" * 90 + "x0" + ")" * 90])),
        ("nested powers", of(["(" * 60 + "x0" + ")**32" * 60])),
        ("long number", b'{"a": ' + b"1" * size + b"}"),
        ("long name", json.dumps(document | {"target": "n" * size}).encode()),
        ("many names", json.dumps(document | {"features": names, "data": None}).encode()),
        ("minus signs", of(["-" * size + "x0"])),
        ("parentheses", of(["(" * size + "x0" + ")" * size])),
        ("balanced sum", of([_balanced(min(size, 1_000))])),
    )
    return cases[kind % len(cases)]


def _balanced(leaves: int) -> str:
    return (
        f"x{leaves % 3}"
        if leaves <= 1
        else f"({_balanced(leaves // 2)} * {leaves}.5 + {_balanced(leaves - leaves // 2)})"
    )


def tables(rng: np.random.Generator, trials: int) -> Outcome:
    """Mutated tables, as the command line reads them."""
    outcome = Outcome()
    frame = pd.DataFrame(rng.normal(size=(12, 3)).round(3), columns=["a", "b", "y"])
    with tempfile.TemporaryDirectory() as directory:
        for trial in range(trials):
            separator = str(rng.choice([",", ";", "\t", " "]))
            content = (
                mutated(frame.to_csv(index=False, sep=separator).encode(), rng)
                if rng.random() < 0.5
                else other_cells(frame, rng).to_csv(index=False, sep=separator).encode()
            )
            path = Path(directory) / f"t{trial % 10}.csv"
            path.write_bytes(content)
            with outcome.trial(repr(content[:80]), ValueError):
                rows = Rows(target="y" if rng.random() < 0.5 else None, drop_missing=bool(rng.random() < 0.5))
                task = problem(str(path), rows, Reading(), 0)
                X, y = task.x(task.train), task.y(task.train)
                if rng.random() < FITTED:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore", UserWarning)  # of columns that are left out
                        quick(trial).fit(X, y).predict(X)
    return outcome


def other_cells(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """A table in which a few cells or names are others, or a whole column: well-formed files come further than the reader."""
    table = frame.astype(object)
    for _ in range(int(rng.integers(1, 5))):
        row, column = int(rng.integers(-2, len(table))), int(rng.integers(table.shape[1]))
        cell = CELLS[int(rng.integers(len(CELLS)))]
        if row == -2:
            table = table.rename(columns={table.columns[column]: cell})
        elif row == -1:
            table.isetitem(column, rng.choice([*CELLS, "1", "2"], size=len(table)))
        else:
            table.iloc[row, column] = cell
    return table


def quick(seed: int, **parameters: Any) -> MultigeneRegressor:
    """The shortest fit."""
    small = {"generations": 1, "n_jobs": 1, "search": "accuracy", "settings": {"population_size": 20}}
    return MultigeneRegressor(**small | {"random_state": seed} | parameters)


def settings(rng: np.random.Generator, trials: int) -> Outcome:
    """Random values of random settings and parameters: resolved, or refused with a sentence."""
    outcome = Outcome()
    known = sorted(setting_names())
    parameters = sorted(inspect.signature(MultigeneRegressor).parameters)
    values: list[Any] = [
        None, True, False, 0, 1, -1, 3, 10**6, 10**30, 0.0, 0.5, 1.5, -2.5, float("inf"), float("nan"), 1e308, "", "sin",
        "UB", "laws", [], ["add"], ["add", "add"], ["nosuch"], {}, {"f": "x"}, {"f": "y/"}, {"x": "m"}, (1, 2), (2, 1),
        (("round", 2.0),), b"x", object, np.float64(0.3), np.int64(3), [None], "x" * 10_000,
    ]  # fmt: skip
    for _ in range(trials):
        given = {
            str(name): values[int(rng.integers(len(values)))]
            for name in rng.choice(known, size=int(rng.integers(0, 4)))
        }
        chosen = {
            str(name): values[int(rng.integers(len(values)))]
            for name in rng.choice(parameters, size=int(rng.integers(0, 3)))
        }
        with outcome.trial(f"{given} {chosen}", ValueError):
            resolved(MultigeneRegressor(**{"settings": given or None} | chosen))
    return outcome


def definitions(rng: np.random.Generator, trials: int) -> Outcome:
    """Definitions of functions, long and hostile ones, and a fit with those that are read."""
    outcome = Outcome()
    X = rng.normal(size=(40, 2))
    words = [
        "x",
        "y",
        "+",
        "-",
        "*",
        "/",
        "**2",
        "(",
        ")",
        "sin(",
        "exp(",
        "1.5",
        "1e308",
        "0",
        ",",
        "__import__('os')",
        "x.real",
        "0x1",
    ]
    for trial in range(trials):
        n = int(10 ** rng.uniform(0.0, 5.0))
        text = (
            ["+".join(["x"] * n), "*".join(["x"] * n), "x" + "+1" * n, "(" * n + "x" + ")" * n, "-" * n + "x"]
            + ["sin(" * n + "x" + ")" * n]
            + ["".join(rng.choice(words, size=min(n, 30)).tolist())] * 4
        )[int(rng.integers(10))]  # fmt: skip
        with outcome.trial(text[:60], ValueError):
            quick(trial, functions={"add": None, "f": text}).fit(X, X[:, 0])
    return outcome


def exports(rng: np.random.Generator, trials: int) -> Outcome:
    """Every export, and now and then the report, of models whose columns have hostile names."""
    outcome = Outcome()
    X, y = (
        rng.normal(size=(450, 3)),
        rng.normal(size=450),
    )  # fewer would be cross-validated, which takes ten times as long
    with tempfile.TemporaryDirectory() as directory:
        while outcome.tried < trials:
            names = [str(name) for name in rng.choice(NAMES, size=4, replace=False)]
            target = pd.Series(X[:, 0] * X[:, 1] + X[:, 2] + 0.01 * y, name=names[3])
            codename = None if outcome.tried % 2 else "UB"
            estimator = quick(
                outcome.tried, search="both" if codename else "accuracy", configuration=codename
            )
            fitted = estimator.fit(pd.DataFrame(X, columns=names[:3]), target).fitted_
            for language in EXPORTERS:
                with outcome.trial(f"{language} of {names}", ValueError, ImportError):
                    fitted.formula.to(language)
            page = Path(directory) / "report.html"
            with outcome.trial(f"report of {names}"):
                estimator.report(page)
                if "<script>alert(1)" in page.read_text() or "<img src=x" in page.read_text():
                    raise RuntimeError("markup of a name is in the page")
    return outcome
