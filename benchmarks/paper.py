"""The paper's main results in ten seconds a run instead of seven minutes: test R² of its configurations beside
the paper's medians.

One thread a run, one run at a time (BENCH_JOBS for more: on cores that share their arithmetic units runs slow each
other down). The environment variables BENCH_SEEDS and BENCH_SECONDS make it shorter; MULTIGENE_DATA names a directory
with local copies of the UCI sets.
"""

from __future__ import annotations

import math
import os
import statistics
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from rich.table import Table
from sklearn.metrics import r2_score

from multigene.study.paper import cells

SEEDS = int(os.environ.get("BENCH_SEEDS", "10"))
SECONDS = float(os.environ.get("BENCH_SECONDS", "10"))
JOBS = int(os.environ.get("BENCH_JOBS", "1"))
CLOCK = os.environ.get("BENCH_CLOCK", "wall")
ONLY = os.environ.get("BENCH_PROBLEMS", "").split(",")
RUNS = {
    "RS5D": ("baseline", "UM", "SM", "UB", "UC", "SB", "SC"),
    "K11C": ("baseline", "UB", "UC"),
    "UB5D": ("baseline", "UB", "UC"),
    "CCS": ("baseline", "UB", "UC"),
}
RUNS = {name: configurations for name, configurations in RUNS.items() if ONLY == [""] or name in ONLY}


def one(task: tuple[str, str, int]) -> tuple[float, float, int]:
    """Training R², test R² and generations of one run."""
    from multigene import MultigeneRegressor
    from multigene.study import problem_named

    problem, codename, seed = task
    split = problem_named(problem, os.environ.get("MULTIGENE_DATA")).sample(seed)
    model = MultigeneRegressor(
        codename, time_limit=SECONDS, random_state=seed, n_jobs=1, settings={"clock": CLOCK}
    )
    model.fit(split.X_train, split.y_train)
    predicted = model.predict(split.X_test)
    finite = bool(np.all(np.isfinite(predicted)))
    return model.r2_, r2_score(split.y_test, predicted) if finite else -math.inf, model.n_generations_


def run() -> Table:
    """All problems and configurations."""
    tasks = [(p, c, s) for s in range(SEEDS) for p, names in RUNS.items() for c in names]
    with ProcessPoolExecutor(JOBS, mp_context=get_context("spawn")) as pool:
        results = dict(zip(tasks, pool.map(one, tasks), strict=True))
    table = Table(
        title=f"Test R² after {SECONDS:g} s on one thread, {SEEDS} seeds, beside the paper's medians after 7 minutes"
    )
    for column in (
        "problem",
        "configuration",
        "median",
        "min",
        "max",
        "paper's median",
        "training median",
        "generations",
    ):
        table.add_column(column, justify="right" if column not in ("problem", "configuration") else "left")
    for problem, names in RUNS.items():
        for name in names:
            rows = [results[problem, name, s] for s in range(SEEDS)]
            tests = [r[1] for r in rows]
            table.add_row(
                problem,
                name,
                f"{statistics.median(tests):.5f}",
                f"{min(tests):.5g}",
                f"{max(tests):.5f}",
                _papers(problem, name),
                f"{statistics.median(r[0] for r in rows):.5f}",
                f"{statistics.median(r[2] for r in rows):.0f}",
            )
    return table


def _papers(problem: str, name: str) -> str:
    values = cells().get((problem, name))
    return "" if values is None else f"{values.test_median:g}"
