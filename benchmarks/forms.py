"""Forms: how many of twenty-four planted problems are recovered with the form, and how many without it.

A problem is recovered when the largest error on new rows is at most 1e-6 of the target's spread.
FORMS_SECONDS (processor seconds of a run, 10), FORMS_SEED (0), FORMS_NAMES (some of the problems), FORMS_ROWS (500).
"""

from __future__ import annotations

import os
import time
import warnings

import numpy as np
from rich.console import Group
from rich.table import Table

from benchmarks.form_problems import PROBLEMS, Planted
from multigene import MultigeneRegressor


def run() -> Group:
    """One row per problem."""
    seconds, names = float(os.environ.get("FORMS_SECONDS", "10")), os.environ.get("FORMS_NAMES")
    table = Table(
        "problem",
        "form",
        "error with",
        "s",
        "without: error",
        "s",
        title=f"{seconds:g} processor seconds, one thread",
    )
    recovered = [0, 0]
    for name in names.split(",") if names else PROBLEMS:
        cells = []
        for i, form in enumerate((PROBLEMS[name].form, None)):
            error, spent = solved(PROBLEMS[name], form, seconds)
            recovered[i] += error <= 1e-6
            cells += [f"{error:.1e}", f"{spent:.1f}"]
        table.add_row(name, PROBLEMS[name].form, *cells)
    return Group(table, f"recovered: {recovered[0]} with the form, {recovered[1]} without")


def solved(problem: Planted, form: str | None, seconds: float) -> tuple[float, float]:
    """The largest error on new rows by the target's spread, and the processor seconds of the run."""
    seed, rows = int(os.environ.get("FORMS_SEED", "0")), int(os.environ.get("FORMS_ROWS", "500"))
    X, y = problem.table(rows, seed)
    new, target = problem.table(2000, seed + 1000)
    settings = {"clock": "processor"}
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MultigeneRegressor(
            form=form, time_limit=seconds, random_state=seed, n_jobs=1, settings=settings
        )
        model.fit(X, y)
    spent = time.process_time() - started
    if os.environ.get("FORMS_SHOW"):
        print(form, "|", model.stopped_by_, "|", model.formula_, flush=True)
    return float(np.max(np.abs(model.predict(new) - target)) / np.std(target)), spent
