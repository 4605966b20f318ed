"""Memory of a fit: peak resident size of a process that fits 1,000,000 rows × 10 features at default settings.

The promise is at most 0.8 GB. A process of its own measures, so that nothing else counts; rows are made in it
without intermediate copies, and their own 88 MB are part of the figure.

    python -m benchmarks.memory [rows] [features] [seconds]
"""

from __future__ import annotations

import subprocess
import sys

LIMIT_GB = 0.8

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
print(before * unit, after * unit, len(model.history_), model.history_["seconds"].iloc[-1], model.r2_)
"""


def measure(rows: int = 1_000_000, features: int = 10, seconds: float = 20.0) -> dict[str, float]:
    """Fit in a process of its own; gigabytes before and at the peak, generations, seconds and training R²."""
    arguments = [sys.executable, "-c", FIT, str(rows), str(features), str(seconds)]
    output = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    before, peak, generations, took, r2 = (float(value) for value in output.split())
    return {
        "before": before / 1e9,
        "peak": peak / 1e9,
        "generations": generations,
        "seconds": took,
        "r2": r2,
    }


def main() -> int:
    """Print the figures; 1 when the promise is broken."""
    given = [float(argument) for argument in sys.argv[1:]]
    rows, features, seconds = given + [1_000_000, 10, 20.0][len(given) :]
    found = measure(int(rows), int(features), seconds)
    print(f"{int(rows):,} rows × {int(features)} features, default settings, {seconds:g} s")
    print(f"data and imports   {found['before']:6.2f} GB")
    print(f"peak of the fit    {found['peak']:6.2f} GB   (promise: at most {LIMIT_GB:g} GB)")
    print(
        f"generations {found['generations']:.0f} in {found['seconds']:.2f} s, training R² {found['r2']:.4f}"
    )
    return 0 if found["peak"] <= LIMIT_GB else 1


if __name__ == "__main__":
    raise SystemExit(main())
