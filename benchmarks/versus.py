"""The default beside pyoperon and gplearn: equal wall-clock and threads, the same rows, medians of test R² over seeds.

Environment: BENCH_SEEDS (10), BENCH_SECONDS (10), BENCH_THREADS (2), BENCH_PROBLEMS, BENCH_METHODS, MULTIGENE_DATA.
"""

from __future__ import annotations

import os
import statistics
import time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.metrics import r2_score

from multigene.study import problem_named

SEEDS = int(os.environ.get("BENCH_SEEDS", "10"))
SECONDS = float(os.environ.get("BENCH_SECONDS", "10"))
THREADS = int(os.environ.get("BENCH_THREADS", "2"))
PROBLEMS = os.environ.get(
    "BENCH_PROBLEMS", "S2D,S5D,S10D,RS2D,RS5D,RS10D,K11C,UB5D,ASN,CCS,ENC,ENH,SU,SU-I,MM"
).split(",")
METHODS = os.environ.get("BENCH_METHODS", "multigene,pyoperon,gplearn").split(",")


def multigene(split: Any, seed: int) -> tuple[Any, int]:
    """The default with a time limit."""
    from multigene import MultigeneRegressor

    model = MultigeneRegressor(time_limit=SECONDS, random_state=seed, n_jobs=THREADS).fit(split.X_train, split.y_train)
    return model, model.formula_.size


def pyoperon(split: Any, seed: int) -> tuple[Any, int]:
    """pyoperon's scikit-learn front with division, as much time and as many threads."""
    from pyoperon.sklearn import SymbolicRegressor

    model = SymbolicRegressor(
        allowed_symbols="add,sub,mul,div,sin,cos,exp,logabs,sqrtabs,tanh,square,constant,variable",
        max_time=max(1, round(SECONDS)),
        generations=10**9,
        max_evaluations=10**12,
        n_threads=THREADS,
        random_state=seed,
        optimizer_iterations=5,
        tournament_size=5,
    ).fit(split.X_train, split.y_train)
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


def run() -> Table:
    """All problems, methods and seeds, one run at a time so that each has the machine for itself."""
    known = {"multigene": multigene, "pyoperon": pyoperon, "gplearn": gplearn}
    table = Table(title=f"Test R² after {SECONDS:g} s on {THREADS} threads, {SEEDS} seeds: median (worst), size")
    table.add_column("problem")
    for name in METHODS:
        table.add_column(name, justify="right")
    console = Console(stderr=True)
    for problem in PROBLEMS:
        cells = []
        for name in METHODS:
            scores, sizes = [], []
            for seed in range(SEEDS):
                split = problem_named(problem, os.environ.get("MULTIGENE_DATA")).sample(seed)
                try:
                    model, size = known[name](split, seed)
                    predicted = np.asarray(model.predict(split.X_test), dtype=float)
                    scores.append(float(r2_score(split.y_test, predicted)) if np.all(np.isfinite(predicted)) else -np.inf)
                    sizes.append(size)
                except ImportError:
                    break
            cells.append(f"{statistics.median(scores):.5f} ({min(scores):.4g}), {statistics.median(sizes):.0f}" if scores else "not installed")
        console.print(problem, *cells)
        table.add_row(problem, *cells)
    return table
