"""How good the default choice is: twenty problems with 10 % noise, the chosen model beside the best one of its front.

The front is scored on 2,000 noise-free rows that the fit never saw; `gap` is what the best model of the front
would have been better than the chosen one in R². Promised: a median gap of at most 0.01. `BENCH_SECONDS` sets
the time of a fit.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from statistics import median

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from multigene import MultigeneRegressor

Array = NDArray[np.float64]

SECONDS = float(os.environ.get("BENCH_SECONDS", "4"))
#: Standard deviation of the noise relative to that of the target.
NOISE = 0.1
TEST_ROWS = 2_000
PROMISED = 0.01

#: Name, columns, rows, function. Some columns take no part.
PROBLEMS: tuple[tuple[str, int, int, Callable[[Array], Array]], ...] = (
    ("line", 5, 100, lambda X: 2 * X[:, 0] - X[:, 3]),
    ("plane of 10", 10, 200, lambda X: X @ np.arange(1.0, 11.0)),
    ("product", 3, 150, lambda X: X[:, 0] * X[:, 1]),
    ("parabola", 2, 80, lambda X: X[:, 0] ** 2 - X[:, 1]),
    ("cubic", 1, 60, lambda X: X[:, 0] ** 3 - 2 * X[:, 0]),
    ("sine", 2, 120, lambda X: np.sin(2 * X[:, 0]) + 0.3 * X[:, 1]),
    ("rotated sine", 4, 300, lambda X: np.sin(X[:, 0] + X[:, 1] - X[:, 2])),
    ("sigmoid", 5, 200, lambda X: 1 / (1 + np.exp(X[:, 0] + 2 * X[:, 1]))),
    ("ball", 3, 300, lambda X: 1 / (1 + np.sum(X**2, axis=1))),
    ("bump", 2, 200, lambda X: np.exp(-(X[:, 0] ** 2) - X[:, 1] ** 2)),
    ("step", 3, 200, lambda X: np.tanh(5 * X[:, 0]) + X[:, 1]),
    ("ratio", 3, 200, lambda X: X[:, 0] / (3 + X[:, 1])),
    ("root", 2, 150, lambda X: np.sqrt(3 + X[:, 0]) * X[:, 1]),
    ("logarithm", 3, 150, lambda X: np.log(5 + X[:, 0] + X[:, 1])),
    ("Friedman 1", 8, 400, lambda X: 2 * np.sin(X[:, 0] * X[:, 1]) + X[:, 2] ** 2 + 2 * X[:, 3] + X[:, 4]),
    ("two waves", 1, 200, lambda X: np.sin(3 * X[:, 0]) + np.cos(5 * X[:, 0])),
    ("interaction", 6, 300, lambda X: X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3]),
    ("absolute value", 2, 150, lambda X: np.abs(X[:, 0]) + 0.5 * X[:, 1]),
    ("small data", 3, 40, lambda X: X[:, 0] + X[:, 1] * X[:, 2]),
    ("noise among 20", 20, 250, lambda X: np.exp(0.5 * X[:, 0]) - X[:, 7]),
)


def run(seed: int = 0) -> Table:
    """Fit all problems; the table has a row for each and the median at its end."""
    table = Table(title=f"The default choice beside the best of its front: 10 % noise, {SECONDS:g} s each")
    for heading in ("problem", "rows", "chosen: nodes", "test R²", "best: nodes", "test R²", "gap"):
        table.add_column(heading, justify="left" if heading == "problem" else "right")
    gaps = []
    for i, (name, columns, rows, function) in enumerate(PROBLEMS):
        rng = np.random.default_rng([seed, i])
        X, new = rng.uniform(-2, 2, (rows, columns)), rng.uniform(-2, 2, (TEST_ROWS, columns))
        clean = function(X)
        y = clean + NOISE * clean.std() * rng.normal(size=rows)
        model = MultigeneRegressor(time_limit=SECONDS, random_state=seed).fit(X, y)
        scores = model.rescore(new, function(new))
        chosen, best = scores[scores["chosen"]].iloc[0], scores.loc[scores["r2"].idxmax()]
        gaps.append(float(best["r2"] - chosen["r2"]))
        table.add_row(
            name,
            str(rows),
            str(chosen["complexity"]),
            f"{chosen['r2']:.4f}",
            str(best["complexity"]),
            f"{best['r2']:.4f}",
            f"{gaps[-1]:.4f}",
        )
    table.add_section()
    table.add_row("median", "", "", "", "", f"promised {PROMISED:g}", f"{median(gaps):.4f}")
    return table
