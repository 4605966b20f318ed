"""The default beside pyoperon and gplearn: equal wall-clock and threads, the same rows, medians of test R² over seeds.

The last column is the best median of the paper's tables, after seven minutes. Environment: BENCH_SEEDS (10), BENCH_SECONDS (10),
BENCH_THREADS (2), BENCH_CLOCK (wall; or processor for multigene alone), BENCH_PROBLEMS, BENCH_METHODS, MULTIGENE_DATA; finished
runs are kept in BENCH_STORE, if given, and not repeated.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Group
from rich.table import Table
from sklearn.metrics import r2_score

from benchmarks import rivals
from multigene.study import paper, problem_named

SEEDS = int(os.environ.get("BENCH_SEEDS", "10"))
SECONDS = float(os.environ.get("BENCH_SECONDS", "10"))
THREADS = int(os.environ.get("BENCH_THREADS", "2"))
PROBLEMS = os.environ.get(
    "BENCH_PROBLEMS", "S2D,S5D,S10D,RS2D,RS5D,RS10D,K11C,UB5D,ASN,CCS,ENC,ENH,SU,SU-I,MM"
).split(",")
CLOCK = os.environ.get("BENCH_CLOCK", "wall")
STORE = os.environ.get("BENCH_STORE")
METHODS = os.environ.get("BENCH_METHODS", "multigene,pyoperon,gplearn").split(",")


def multigene(split: Any, seed: int) -> tuple[Any, int]:
    """The default with a time limit."""
    from multigene import MultigeneRegressor

    model = MultigeneRegressor(
        time_limit=SECONDS, random_state=seed, n_jobs=THREADS, settings={"clock": CLOCK}
    ).fit(split.X_train, split.y_train)
    return model, model.formula_.size


def pyoperon(split: Any, seed: int) -> tuple[Any, int]:
    """pyoperon's scikit-learn front with division, as much time and as many threads."""
    model = rivals.pyoperon(SECONDS, THREADS, seed).fit(split.X_train, split.y_train)
    return model, int(model.stats_["model_length"])


def gplearn(split: Any, seed: int) -> tuple[Any, int]:
    """gplearn generation by generation until the time is over."""
    from gplearn.genetic import SymbolicRegressor

    model = SymbolicRegressor(
        population_size=1000,
        generations=1,
        function_set=("add", "sub", "mul", "div", "sin", "cos", "sqrt", "log"),
        n_jobs=THREADS,
        random_state=seed,
        warm_start=True,
        parsimony_coefficient=0.001,
    )
    start = time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        model.fit(split.X_train, split.y_train)
        model.set_params(generations=model.generations + 1)
    return model, model._program.length_


KNOWN = {"multigene": multigene, "pyoperon": pyoperon, "gplearn": gplearn}


def one(problem: str, method: str, seed: int) -> dict[str, Any]:
    """Test and training R², sizes and seconds of one run; None for what predicts no number."""
    split = problem_named(problem, os.environ.get("MULTIGENE_DATA")).sample(seed)
    start = time.perf_counter()
    model, size = KNOWN[method](split, seed)
    seconds = time.perf_counter() - start

    def score(X: Any, y: Any) -> float | None:
        predicted = np.asarray(model.predict(X), dtype=float)
        return float(r2_score(y, predicted)) if np.all(np.isfinite(predicted)) else None

    result: dict[str, Any] = {"problem": problem, "method": method, "seed": seed, "seconds": seconds}
    result |= {
        "test": score(split.X_test, split.y_test),
        "train": score(split.X_train, split.y_train),
        "size": size,
    }
    if method == "multigene":
        result["nodes"], result["law"] = model.n_nodes_, model.stopped_by_ == "law"
        model.choose("knee")
        result |= {"knee": score(split.X_test, split.y_test), "knee_nodes": model.n_nodes_}
        result["knee_size"] = model.formula_.size
    return result


def results() -> list[dict[str, Any]]:
    """All runs, seed by seed, so that methods have the same conditions; those in the store are not repeated."""
    store = Path(STORE) if STORE else None
    lines = store.read_text("utf-8").splitlines() if store is not None and store.exists() else []
    done = [json.loads(line) for line in lines]
    known = {(r["problem"], r["method"], r["seed"]) for r in done}
    for task in [(p, m, s) for s in range(SEEDS) for p in PROBLEMS for m in METHODS]:
        if task in known:
            continue
        done.append(one(*task))
        if store is not None:
            with store.open("a", encoding="utf-8") as file:
                file.write(json.dumps(done[-1]) + "\n")
    return done


def cell(runs: list[dict[str, Any]]) -> str:
    """Median (worst) test R² and median printed size."""
    scores = [-np.inf if r["test"] is None else r["test"] for r in runs]
    if not scores:
        return "not run"
    size = statistics.median(r["size"] for r in runs)
    return f"{statistics.median(scores):.5f} ({min(scores):.4g}), {size:.0f}"


def run() -> Group:
    """All problems and methods, one run at a time so that each has the machine for itself."""
    runs = results()
    table = Table(
        title=f"Test R² after {SECONDS:g} s on {THREADS} threads, {SEEDS} seeds: median (worst), printed size"
    )
    ours = Table(title="multigene: nodes (a linear combination counts as one), knee, exact laws")
    for name in ("problem", *METHODS, "paper"):
        table.add_column(name, justify="left" if name == "problem" else "right")
    for name in ("problem", "nodes", "knee R²", "knee nodes", "knee printed", "laws", "largest train - test"):
        ours.add_column(name, justify="left" if name == "problem" else "right")
    for problem in PROBLEMS:
        of = {m: [r for r in runs if (r["problem"], r["method"]) == (problem, m)] for m in METHODS}
        published = [c.test_median for (name, _), c in paper.cells().items() if name == problem]
        best = f"{max(published):.3f}" if published else ""
        table.add_row(problem, *(cell(of[method]) for method in METHODS), best)
        if of.get("multigene"):
            mine = of["multigene"]
            middle = {
                k: statistics.median(r[k] for r in mine) for k in ("nodes", "knee", "knee_nodes", "knee_size")
            }
            gap = max(r["train"] - r["test"] for r in mine)
            shown = [f"{middle['nodes']:.0f}", f"{middle['knee']:.4f}", f"{middle['knee_nodes']:.0f}"]
            laws = sum(r["law"] for r in mine)
            ours.add_row(
                problem, *shown, f"{middle['knee_size']:.0f}", f"{laws} of {len(mine)}", f"{gap:.4f}"
            )
    return Group(table, ours)
