"""How much later than its time limit a fit returns: at most 0.2 s of processor time is promised up to 300,000 × 50.

Limits are of processor time on one thread, so that what else the machine does hardly counts.
"""

from __future__ import annotations

import time
from statistics import median

import numpy as np
from rich.table import Table

from multigene import MultigeneRegressor

PROMISE = 0.2
REPEATS = 3
#: Rows, features, and a limit in which such a table can be searched at all.
SIZES = ((500, 10, 0.5), (10_000, 10, 1.0), (100_000, 20, 2.0), (300_000, 50, 5.0))


def overshoot(
    rows: int, features: int, configuration: str | None, limit: float, repeats: int = REPEATS
) -> list[float]:
    """Processor seconds beyond the limit, one entry per fit."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, features))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + rng.standard_normal(rows)
    late = []
    for seed in range(repeats):
        model = MultigeneRegressor(
            configuration, time_limit=limit, random_state=seed, n_jobs=1, settings={"clock": "processor"}
        )
        start = time.process_time()
        model.fit(X, y)
        late.append(time.process_time() - start - limit)
    return late


def run() -> Table:
    """Median and largest overshoot by size and configuration."""
    overshoot(60, 3, None, 0.1, repeats=1)  # imports of the first fit are not the limit's
    table = Table(
        title=f"processor seconds beyond the time limit (promise: {PROMISE:g} s), {REPEATS} fits each"
    )
    for column in ("rows", "features", "limit", "configuration", "median", "largest"):
        table.add_column(column, justify="left" if column == "configuration" else "right")
    for rows, features, limit in SIZES:
        for configuration in (None, "baseline", "SC", "GC"):
            late = overshoot(rows, features, configuration, limit)
            table.add_row(
                f"{rows:,}",
                str(features),
                f"{limit:g} s",
                configuration or "default",
                f"{median(late):.3f} s",
                f"{max(late):.3f} s",
            )
    return table
