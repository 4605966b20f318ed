"""Generations per processor second of the paper's configurations on K11C: 500 rows, the paper's Table 2, one thread,
through the estimator.
"""

from __future__ import annotations

import statistics
import time

from rich.table import Table

from multigene import MultigeneRegressor
from multigene.settings import CODENAMES
from multigene.study import problem_named

#: Generations of a run; rates fall while formulas grow, so the whole run counts.
GENERATIONS = 300
REPEATS = 3
REQUIRED = {"baseline": 600.0, "UB": 150.0}
AUTHORS = {"baseline": 3.0, "UB": 4.5}


def rate(codename: str, seed: int) -> float:
    """Generations per processor second of one run: other programs on the machine count little."""
    split = problem_named("K11C").sample(seed)
    model = MultigeneRegressor(
        codename, generations=GENERATIONS, random_state=seed, n_jobs=1, settings={"target_r2": None}
    )
    start = time.process_time()
    model.fit(split.X_train, split.y_train)
    return GENERATIONS / (time.process_time() - start)


def run() -> Table:
    """Medians over seeds; the seeds of all configurations are interleaved so that a busy moment hits all alike."""
    rates: dict[str, list[float]] = {name: [] for name in CODENAMES}
    for seed in range(REPEATS):
        for name in CODENAMES:
            rates[name].append(rate(name, seed))
    medians = {name: statistics.median(values) for name, values in rates.items()}
    table = Table(
        title=f"Generations per processor second, K11C, one thread, {GENERATIONS} generations, median of {REPEATS} seeds"
    )
    for column in (
        "configuration",
        "generations/s",
        "required",
        "authors' program",
        "cost of a generation relative to U",
    ):
        table.add_column(column, justify="left" if column == "configuration" else "right")
    for name, value in medians.items():
        unsynchronised = medians.get("U" + name[1]) if name in CODENAMES[1:] else None
        ratio = f"{unsynchronised / value:.2f}" if unsynchronised else ""
        required = f"≥ {REQUIRED[name]:.0f}" if name in REQUIRED else ""
        table.add_row(name, f"{value:.0f}", required, str(AUTHORS.get(name, "")), ratio)
    return table
