"""Limits: of time, by the processor's clock, and of memory."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import resource
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.campaign.outcome import Outcome
from multigene import MultigeneRegressor

#: Seconds of processor time that a fit may take beyond its limit, and megabytes that 100 fits may leave behind.
LATE, GROWTH = 0.2, 20.0
#: Different fits whose memory is looked at: the same ones are compared, since some take more than others.
FITS = 5
#: Rows and columns of tables.
SIZES = ((300_000, 50), (300_000, 5), (30, 1), (300, 50), (3_000, 10), (30_000, 20), (100_000, 10))


def time_limits(rng: np.random.Generator, trials: int) -> Outcome:
    """Processor seconds beyond a limit."""
    outcome = Outcome()
    X = rng.standard_normal((60, 2))
    MultigeneRegressor(generations=1, n_jobs=1).fit(X, X[:, 0])  # imports
    for trial in range(trials):
        n, d = SIZES[trial % len(SIZES)]
        limit = float(rng.choice([0.2, 0.5, 1.0]))
        X = rng.standard_normal((n, d))
        y = np.sin(X[:, 0]) + X[:, d // 2] * X[:, d // 3] + rng.standard_normal(n)
        configuration = str(rng.choice(["", "", "UB", "GC"])) or None
        with outcome.trial(f"{n} × {d}"):
            start = time.process_time()
            MultigeneRegressor(
                configuration, time_limit=limit, n_jobs=1, random_state=trial, settings={"clock": "processor"}
            ).fit(X, y)
            late = time.process_time() - start - limit
            outcome.measure(
                late, "s late", LATE, f"{n:,} × {d}, {configuration or 'default'}, limit {limit:g} s"
            )
    return outcome


def growth(rng: np.random.Generator, trials: int) -> Outcome:
    """Megabytes that fits in one process leave behind, and by which their peak grows: a leak may hide below the peak, and what
    several fits hold at once shows in nothing else."""
    outcome = Outcome()
    X = rng.standard_normal((500, 5))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(500)
    resident, peaks = list[float](), list[float]()
    for trial in range(trials):
        with outcome.trial("fit"):
            MultigeneRegressor(generations=10, n_jobs=2, random_state=trial % FITS).fit(X, y).predict(X)
        peaks.append(_peak())
        if not FITS <= trial < trials - FITS:  # looking changes what the allocator keeps, and so the peak
            resident.append(_resident())
    outcome.measure(max(resident[-FITS:]) - max(resident[:FITS]), "MB more", GROWTH, "resident")
    outcome.measure(peaks[-1] - peaks[min(FITS, trials) - 1], "MB more", GROWTH, "at the peak")
    return outcome


def _resident() -> float:
    """Megabytes in memory now, without free ones that the allocator keeps (up to 80); where the system does not say,
    the most there ever were."""
    gc.collect()
    with contextlib.suppress(AttributeError, OSError, TypeError):  # GNU's C library has it, others do not
        ctypes.CDLL(None).malloc_trim(0)
    here = Path("/proc/self/statm")
    if here.exists():
        return int(here.read_text().split()[1]) * resource.getpagesize() / 2**20
    return _peak()


def _peak() -> float:
    """The most megabytes that were in memory so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
