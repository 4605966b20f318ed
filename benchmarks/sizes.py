"""How good are short formulas? Test R² by size, multigene's front beside pyoperon's NSGA-II front in the same run.

For N = 10, 20, 30, 50, 100 nodes and for any size: test R² of the model with the best *training* R² among those of at most N
nodes on the front (the mean of the target, where there is none), median over seeds. Sizes are nodes of the SymPy tree of the
printed formula (`printed_size.py`). Both programs have the same rows (70/30, split by seed) and the same processor seconds on one
thread; pyoperon's formulas have at most 50 nodes by its own count, its default. A test R² below 0 counts as 0. "default" is the
model that the program itself chooses. A cell is won where the figure shown is the higher one.

    python -m benchmarks sizes                          ASN, CCS, ENC, ENH of the study (MULTIGENE_DATA: local copies)
        --problems ASN,CCS                              only these; "" for none
        --data DIR                                      and every table of a directory (also SIZES_DATA; see `tables.py`)
        --seeds 5, --seconds 20, --methods multigene,pyoperon
        --csv FILE                                      every run as a row: set, seed, method, limit, size, train, test, seconds
        --before FILE                                   multigene's rows of such a file as a further method, "before"
        --rivals FILE                                   runs of other programs in such a file are not repeated
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import statistics
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console, Group
from rich.table import Table

from benchmarks import rivals, tables
from benchmarks.printed_size import printed_size
from benchmarks.tables import Floats

LIMITS = ("10", "20", "30", "50", "100", "any")
DEFAULT = "default"
TRAINING_SHARE = 0.7


@dataclass(frozen=True)
class Rows:
    """What is learned from and what is tested on."""

    X_train: Floats
    y_train: Floats
    X_test: Floats
    y_test: Floats


@dataclass(frozen=True)
class Candidate:
    """A model of a front."""

    size: int
    train: float
    test: float


@dataclass(frozen=True)
class Front:
    """What a program found: its front, its own choice, and the processor seconds it had."""

    models: list[Candidate]
    default: Candidate
    seconds: float


@dataclass(frozen=True)
class Result:
    """A row of the output: one limit of one run. Train and test R² as they are, below 0 too."""

    set: str
    seed: int
    method: str
    limit: str
    size: int
    train: float
    test: float
    seconds: float


# --- data -----------------------------------------------------------------------------------------


def sets(problems: Sequence[str], directory: str | None) -> dict[str, Callable[[int], Rows]]:
    """Every data set by name, as a function of the seed."""
    from multigene.study import problem_named

    def of_study(name: str) -> Callable[[int], Rows]:
        problem = problem_named(name, os.environ.get("MULTIGENE_DATA"))

        def rows(seed: int) -> Rows:
            split = problem.sample(seed)
            return Rows(split.X_train, split.y_train, split.X_test, split.y_test)

        return rows

    found = {name: of_study(name) for name in problems}
    for table in tables.tables(directory) if directory else []:
        found[table.name] = lambda seed, table=table: divided(table, seed)  # type: ignore[misc]
    return found


def divided(table: tables.Table, seed: int) -> Rows:
    """A table split at random, other sets otherwise."""
    order = np.random.default_rng([zlib.crc32(table.name.encode()), seed]).permutation(len(table.y))
    train, test = np.split(order, [round(TRAINING_SHARE * len(order))])
    return Rows(table.X[train], table.y[train], table.X[test], table.y[test])


# --- the programs ---------------------------------------------------------------------------------


def multigene(rows: Rows, seconds: float, seed: int, share: float) -> Front:
    """The default's front."""
    from multigene import MultigeneRegressor

    settings = {"clock": "processor"}
    model = MultigeneRegressor(time_limit=seconds, random_state=seed, n_jobs=1, settings=settings)
    start = time.process_time()
    model.fit(rows.X_train, rows.y_train)
    used = time.process_time() - start

    def candidate(index: int | None, text: str) -> Candidate:
        return measured(text, rows, lambda X: model.predict(X, index=index))

    models = [candidate(index, text) for index, text in enumerate(model.equations_["formula"])]
    return Front(models, candidate(None, str(model.formula_)), used)


def pyoperon(rows: Rows, seconds: float, seed: int, share: float) -> Front:
    """The front of pyoperon's NSGA-II."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a constant model is worth a warning there
        model, used = rivals.pyoperon_front(rows.X_train, rows.y_train, seconds, seed, share)

        def candidate(tree: Any) -> Candidate:
            return measured(model.get_model_string(tree, 12), rows, lambda X: model.evaluate_model(tree, X))

        return Front([candidate(m["tree"]) for m in model.pareto_front_], candidate(model.model_), used)


METHODS = {"multigene": multigene, "pyoperon": pyoperon}


def measured(text: str, rows: Rows, predict: Callable[[Floats], Any]) -> Candidate:
    """Size and R² of one model."""
    train = r2(rows.y_train, predict(rows.X_train))
    return Candidate(printed_size(text), train, r2(rows.y_test, predict(rows.X_test)))


def r2(y: Floats, predicted: Any) -> float:
    """R², minus infinity where a prediction is no finite number."""
    with np.errstate(all="ignore"):
        left = np.sum((y - np.asarray(predicted, dtype=np.float64).ravel()) ** 2)
        value = 1.0 - float(left / np.sum((y - y.mean()) ** 2))
    return value if math.isfinite(value) else -math.inf


# --- what the fronts are worth --------------------------------------------------------------------


def best(models: Sequence[Candidate], limit: str, rows: Rows) -> Candidate:
    """The model with the best training R² among those of at most `limit` nodes, or the mean of the target."""
    allowed = [m for m in models if limit == "any" or m.size <= int(limit)]
    mean = rows.y_train.mean()
    nothing = Candidate(1, r2(rows.y_train, np.full(len(rows.y_train), mean)),
                        r2(rows.y_test, np.full(len(rows.y_test), mean)))  # fmt: skip
    return max([nothing, *allowed], key=lambda m: (m.train, -m.size))


def runs(data: dict[str, Callable[[int], Rows]], options: argparse.Namespace) -> Iterator[Result]:
    """All sets and seeds, both programs in turn; what another program did before is taken as it was."""
    known = [r for r in read(options.rivals) if r.method != "multigene"] if options.rivals else []
    share = 1.0  # of a core, as the run before had it
    for seed in range(options.seeds):  # a run that was stopped has every set
        for name, rows_of in data.items():
            rows = rows_of(seed)
            for method in options.methods:
                earlier = [r for r in known if (r.set, r.seed, r.method) == (name, seed, method)]
                if earlier:
                    yield from earlier
                    continue
                wall, processor = time.perf_counter(), time.process_time()
                front = METHODS[method](rows, options.seconds, seed, share)
                share = min(1.0, (time.process_time() - processor) / (time.perf_counter() - wall))
                chosen = {limit: best(front.models, limit, rows) for limit in LIMITS} | {
                    DEFAULT: front.default
                }
                for limit, model in chosen.items():
                    yield Result(
                        name, seed, method, limit, model.size, model.train, model.test, front.seconds
                    )


# --- tables ---------------------------------------------------------------------------------------


def write(path: str | Path, results: Sequence[Result]) -> None:
    """The results as CSV."""
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Result)], lineterminator="\n")
        writer.writeheader()
        for result in results:
            rounded = {k: f"{v:.6g}" if isinstance(v, float) else v for k, v in asdict(result).items()}
            writer.writerow(rounded)


def read(path: str | Path) -> list[Result]:
    """Results that `write` wrote."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        return [
            Result(r["set"], int(r["seed"]), r["method"], r["limit"], int(r["size"]),
                   *(float(r[name]) for name in ("train", "test", "seconds")))
            for r in csv.DictReader(file)
        ]  # fmt: skip


Cells = dict[tuple[str, str, str], tuple[float, float]]
"""Median test R² and median size by set, method and limit."""


def medians(results: Sequence[Result]) -> Cells:
    """The figures of the tables."""
    groups: dict[tuple[str, str, str], list[Result]] = {}
    for result in results:
        groups.setdefault((result.set, result.method, result.limit), []).append(result)
    return {
        key: (
            statistics.median(max(0.0, r.test) for r in group),
            statistics.median(r.size for r in group),
        )
        for key, group in groups.items()
    }


def won(cells: Cells, one: str, other: str) -> tuple[int, int, int]:
    """Cells (sets by limits) in which one method is ahead of the other, level with it, behind it, at three decimals."""
    pairs = [
        (round(cells[name, one, limit][0], 3), round(cells[name, other, limit][0], 3))
        for name, method, limit in cells
        if method == one and limit in LIMITS and (name, other, limit) in cells
    ]
    return sum(a > b for a, b in pairs), sum(a == b for a, b in pairs), sum(a < b for a, b in pairs)


def table_of(results: Sequence[Result], title: str) -> Table:
    """A line per set and method, then the means over the sets that all methods have."""
    cells = medians(results)
    names, methods = (
        list(dict.fromkeys(r.set for r in results)),
        list(dict.fromkeys(r.method for r in results)),
    )
    table = Table(title=title)
    for heading in (
        "set",
        "method",
        *(f"≤ {limit}" for limit in LIMITS[:-1]),
        "any (size)",
        "default (size)",
        "s",
    ):
        table.add_column(heading, justify="left" if heading in ("set", "method") else "right")
    for name in names:
        for method in methods:
            seconds = [r.seconds for r in results if (r.set, r.method) == (name, method)]
            if seconds:
                row = [cells[name, method, limit] for limit in (*LIMITS, DEFAULT)]
                table.add_row(name, method, *_shown(row), f"{statistics.mean(seconds):.1f}")
        table.add_section()
    shared = [name for name in names if all((name, method, DEFAULT) in cells for method in methods)]
    for method in methods if shared else ():
        columns = [[cells[name, method, limit] for name in shared] for limit in (*LIMITS, DEFAULT)]
        means = [(statistics.mean(r for r, _ in c), statistics.mean(s for _, s in c)) for c in columns]
        table.add_row(f"mean of {len(shared)}", method, *_shown(means), "")
    return table


def _shown(row: Sequence[tuple[float, float]]) -> list[str]:
    *small, any_size, default = row
    return [*(f"{r:.3f}" for r, _ in small), *(f"{r:.3f} ({size:.0f})" for r, size in (any_size, default))]


def verdicts(results: Sequence[Result]) -> Iterator[str]:
    """Multigene against every other method."""
    cells, methods = medians(results), dict.fromkeys(r.method for r in results)
    for other in methods:
        if other != "multigene" and "multigene" in methods:
            ahead, level, behind = won(cells, "multigene", other)
            total = ahead + level + behind
            yield f"multigene against {other}: {ahead} of {total} cells won, {level} level, {behind} lost"


# --- the front door -------------------------------------------------------------------------------


def options_of(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of this benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks sizes", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--problems", default="ASN,CCS,ENC,ENH", type=_list)
    parser.add_argument("--data", default=os.environ.get("SIZES_DATA"))
    parser.add_argument("--seeds", default=5, type=int)
    parser.add_argument("--seconds", default=20.0, type=float)
    parser.add_argument("--methods", default=",".join(METHODS), type=_list)
    parser.add_argument("--csv")
    parser.add_argument("--before")
    parser.add_argument("--rivals")
    options = parser.parse_args(arguments)
    for method in options.methods:
        if method not in METHODS:
            parser.error(f"there is no method {method!r}; choose from {', '.join(METHODS)}")
    return options


def _list(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


def run(arguments: Sequence[str] = ()) -> Group:
    """Measure, print every run on standard error, return the table."""
    options, console = options_of(arguments), Console(stderr=True, width=160)
    data = sets(options.problems, options.data)
    results: list[Result] = []
    for result in runs(data, options):
        results.append(result)
        if result.limit == DEFAULT:
            last = {r.limit: r.test for r in results[-len(LIMITS) - 1 :]}
            shown = "  ".join(f"{limit} {test:.3f}" for limit, test in last.items())
            console.print(
                result.set, result.seed, result.method, shown, f"{result.seconds:.1f} s", highlight=False
            )
            if options.csv:
                write(options.csv, results)
    about = f"{options.seconds:g} processor seconds, one thread, {options.seeds} seed(s)"
    if options.before:
        earlier = [r for r in read(options.before) if r.method == "multigene" and r.set in data]
        results += [Result(**asdict(r) | {"method": "before"}) for r in earlier]
    return Group(table_of(results, f"Median test R² by size: {about}"), *verdicts(results))
