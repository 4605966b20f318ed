"""How much `prune(max_loss=0.001)` shortens: the paper's realistic problems, size before and after, R² given up.

Promised: the median size halves at a loss of at most 0.001 training R². `BENCH_SECONDS` sets the time of a
fit, `BENCH_SEEDS` the number of runs per problem; `MULTIGENE_DATA` names the directory of the UCI tables.
"""

from __future__ import annotations

import os
import time
from statistics import median

from rich.table import Table

from multigene import MultigeneRegressor
from multigene.study.problems import REALISTIC, problem_named

SECONDS = float(os.environ.get("BENCH_SECONDS", "5"))
SEEDS = int(os.environ.get("BENCH_SEEDS", "2"))
MAX_LOSS = 0.001


def run() -> Table:
    """Fit and shorten; a row for each problem (medians over seeds) and the median of all at the end."""
    table = Table(title=f"prune(max_loss={MAX_LOSS:g}) of fits of {SECONDS:g} s, median of {SEEDS} seeds")
    for heading in (
        "problem",
        "nodes before",
        "after",
        "ratio",
        "largest loss",
        "test R² before",
        "after",
        "seconds",
    ):
        table.add_column(heading, justify="left" if heading == "problem" else "right")
    ratios, losses = [], []
    for name in REALISTIC:
        rows = [measured(name, seed) for seed in range(SEEDS)]
        middle = [median(column) for column in zip(*rows, strict=True)]
        ratios += [after / before for before, after, *_ in rows]
        losses += [row[2] for row in rows]
        table.add_row(
            name,
            f"{middle[0]:.0f}",
            f"{middle[1]:.0f}",
            f"{median(row[1] / row[0] for row in rows):.2f}",
            f"{max(row[2] for row in rows):.6f}",
            f"{middle[3]:.4f}",
            f"{middle[4]:.4f}",
            f"{middle[5]:.1f}",
        )
    table.add_section()
    table.add_row("all", "", "", f"{median(ratios):.2f}", f"{max(losses):.6f}", "", "", "")
    return table


def measured(name: str, seed: int) -> tuple[float, float, float, float, float, float]:
    """Size before and after, loss, R² on testing rows before and after, seconds of shortening."""
    split = problem_named(name, os.environ.get("MULTIGENE_DATA")).sample(seed)
    model = MultigeneRegressor(time_limit=SECONDS, random_state=seed).fit(split.X_train, split.y_train)
    before = model.score(split.X_test, split.y_test)
    start = time.perf_counter()
    pruned = model.prune(MAX_LOSS)
    seconds = time.perf_counter() - start
    return (
        pruned.before.size,
        pruned.after.size,
        pruned.loss,
        before,
        model.score(split.X_test, split.y_test),
        seconds,
    )
