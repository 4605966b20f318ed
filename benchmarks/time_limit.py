"""How much later than its time limit a fit returns: at most 0.2 s is promised on up to 100,000 rows.

python -m benchmarks.time_limit
"""

from __future__ import annotations

import time

import numpy as np

from multigene import MultigeneRegressor

PROMISE = 0.2


def overshoot(
    rows: int, features: int, configuration: str | None, limit: float, repeats: int = 5
) -> list[float]:
    """Seconds beyond the limit, one entry per fit."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, features))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + rng.standard_normal(rows)
    late = []
    for seed in range(repeats):
        start = time.perf_counter()
        MultigeneRegressor(configuration, time_limit=limit, random_state=seed).fit(X, y)
        late.append(time.perf_counter() - start - limit)
    return late


def main() -> None:
    """Print a table: rows, configuration, median and largest overshoot."""
    print(f"{'rows':>9}  {'configuration':<14} {'median':>9} {'largest':>9}   (promise: {PROMISE:g} s)")
    for rows in (500, 10_000, 100_000):
        for configuration in (None, "baseline", "SC", "GC"):
            late = overshoot(rows, 10, configuration, limit=0.5)
            name = configuration or "default"
            print(f"{rows:>9,}  {name:<14} {np.median(late):>7.3f} s {max(late):>7.3f} s")


if __name__ == "__main__":
    main()
