"""Memory of a fit: peak resident size of a process that fits 1,000,000 rows × 10 features at default settings.

The promise is at most 0.8 GB. A process of its own measures, so that nothing else counts; rows are made in it
without intermediate copies, and their own 88 MB are part of the figure.
"""

from __future__ import annotations

import subprocess
import sys

from rich.table import Table

LIMIT_GB = 0.8
ROWS, FEATURES, SECONDS = 1_000_000, 10, 20.0

FIT = """
import resource, sys
import numpy as np
from multigene import MultigeneRegressor

rows, features, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
rng = np.random.default_rng(0)
X = rng.standard_normal((rows, features))
y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + rng.standard_normal(rows)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = MultigeneRegressor(time_limit=seconds, random_state=0).fit(X, y)
model.predict(X)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
unit = 1024 if sys.platform != "darwin" else 1  # kilobytes on Linux, bytes on macOS
print(before * unit, after * unit, model.history_["seconds"].iloc[-1], model.r2_)
"""


def measure(rows: int, features: int, seconds: float) -> tuple[float, float, float, float]:
    """Fit in a process of its own; gigabytes before and at the peak, seconds and training R²."""
    arguments = [sys.executable, "-c", FIT, str(rows), str(features), str(seconds)]
    output = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    before, peak, took, r2 = (float(value) for value in output.split())
    return before / 1e9, peak / 1e9, took, r2


def run() -> Table:
    """One fit."""
    before, peak, took, r2 = measure(ROWS, FEATURES, SECONDS)
    table = Table(title=f"memory: {ROWS:,} rows × {FEATURES} features, {SECONDS:g} s")
    for column in ("data and imports", "peak of the fit", "goal", "seconds", "training R²"):
        table.add_column(column, justify="right")
    table.add_row(f"{before:.2f} GB", f"{peak:.2f} GB", f"≤ {LIMIT_GB:g} GB", f"{took:.2f}", f"{r2:.4f}")
    return table
