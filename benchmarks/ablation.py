"""What each ingredient of the default search is worth: median test R² and size with one of them switched off at a time.

One thread a run, seconds of the processor's clock, so that other programs on the machine do not matter; the same seeds for every
row. Environment: BENCH_SEEDS (10), BENCH_SECONDS (3), BENCH_JOBS (2: runs at a time), BENCH_PROBLEMS, BENCH_INGREDIENTS,
MULTIGENE_DATA. Finished runs are kept in BENCH_STORE, if given, and not repeated.
"""

from __future__ import annotations

import json
import os
import statistics
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rich.table import Table

SEEDS = int(os.environ.get("BENCH_SEEDS", "10"))
SECONDS = float(os.environ.get("BENCH_SECONDS", "3"))
JOBS = int(os.environ.get("BENCH_JOBS", "2"))
STORE = os.environ.get("BENCH_STORE")
PROBLEMS = os.environ.get("BENCH_PROBLEMS", "RS5D,K11C,UB5D,ASN,CCS,ENC,SU,MM").split(",")

#: The ingredients, and the settings without them.
WITHOUT: dict[str, dict[str, Any]] = {
    "(all of them)": {},
    "second-order tuning": {"refinement": None},
    "racing": {"race": False},
    "linear combinations": {"lcf": None, "lcf_frequency": 0.0},
    "sparse combinations": {"lcf_dense": 1.0, "prune": 0.0},
    "price of parameters": {"criterion": "r2"},
    "guard": {"guard": False},
    "standardising": {"standardise": False},
    "linear models": {"linear": False},
    "islands": {"islands": 1, "short": False},
    "short island": {"short": False},
    "held-out rows": {"holdout": 0.0},
    "shorter relatives": {"trim": 0.0},
    "law search": {"looks_for": "accuracy"},
}
INGREDIENTS = [n for n in os.environ.get("BENCH_INGREDIENTS", ",".join(WITHOUT)).split(",") if n in WITHOUT]


def settings_without(ingredient: str) -> Any:
    """The default's settings with one ingredient switched off."""
    from dataclasses import replace

    from multigene.settings.defaults import default_settings

    values = dict(WITHOUT[ingredient])
    settings = default_settings().changed(clock="processor", generations=None)
    if "refinement" in values:
        settings = replace(settings, refinement=values.pop("refinement"))
    return settings.changed(**values)


def one(task: tuple[str, str, int]) -> tuple[float, int]:
    """Test R² and printed size of one run."""
    from sklearn.metrics import r2_score

    from multigene import MultigeneRegressor
    from multigene.study import problem_named

    ingredient, problem, seed = task
    split = problem_named(problem, os.environ.get("MULTIGENE_DATA")).sample(seed)
    settings = settings_without(ingredient)
    model = MultigeneRegressor(
        settings=settings, search=settings.search.looks_for, time_limit=SECONDS, random_state=seed, n_jobs=1
    )
    model.fit(split.X_train, split.y_train)
    return float(r2_score(split.y_test, model.predict(split.X_test))), model.formula_.size


def results(tasks: list[tuple[str, str, int]]) -> dict[tuple[str, str, int], tuple[float, int]]:
    """All runs, those in the store without repeating them."""
    store = Path(STORE) if STORE else None
    lines = store.read_text("utf-8").splitlines() if store is not None and store.exists() else []
    done = {tuple(key): tuple(value) for key, value in map(json.loads, lines)}
    missing = [task for task in tasks if task not in done]
    with ProcessPoolExecutor(JOBS, mp_context=get_context("spawn")) as pool:
        for task, result in zip(missing, pool.map(one, missing), strict=True):
            done[task] = result
            if store is not None:
                with store.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([task, result]) + "\n")
    return done


def run() -> Table:
    """One row per ingredient, one column per problem."""
    tasks = [(i, p, s) for s in range(SEEDS) for p in PROBLEMS for i in INGREDIENTS]
    found = results(tasks)
    table = Table(
        title=f"Median test R² (worst), size; {SECONDS:g} processor seconds on one thread, {SEEDS} seeds"
    )
    for column in ("without", *PROBLEMS):
        table.add_column(column, no_wrap=True)
    for ingredient in INGREDIENTS:
        cells = []
        for problem in PROBLEMS:
            runs = [found[ingredient, problem, seed] for seed in range(SEEDS)]
            scores = [score for score, _ in runs]
            size = statistics.median(size for _, size in runs)
            cells.append(f"{statistics.median(scores):.4f} ({min(scores):.3g}), {size:.0f}")
        table.add_row(ingredient, *cells)
    return table
