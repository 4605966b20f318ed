"""Other programs as the benchmarks run them: one place, so that every comparison is with the same settings."""

from __future__ import annotations

import time
from typing import Any

#: A run that had less than this share of its processor seconds is repeated with a longer limit, this many times at most.
ENOUGH, REPEATED = 0.9, 3


def pyoperon(seconds: float, threads: int, seed: int, objectives: list[str] | None = None) -> Any:
    """pyoperon's scikit-learn front with division, limited by time alone; several objectives mean NSGA-II."""
    from pyoperon.sklearn import SymbolicRegressor

    return SymbolicRegressor(
        allowed_symbols="add,sub,mul,div,sin,cos,exp,logabs,sqrtabs,tanh,square,constant,variable",
        max_time=max(1, round(seconds)),
        generations=10**9,
        max_evaluations=10**12,
        n_threads=threads,
        random_state=seed,
        optimizer_iterations=5,
        tournament_size=5,
        objectives=objectives,
    )


def pyoperon_front(X: Any, y: Any, seconds: float, seed: int, share: float = 1.0) -> tuple[Any, float]:
    """pyoperon's NSGA-II (R² and length) on one thread, and the processor seconds it had.

    pyoperon's own limit is by the wall clock. `share` is the share of a core that a program has on this machine now; if it turns
    out lower, the run is repeated with a longer limit, so that on a busy machine, too, it gets its processor seconds.
    """
    for _ in range(REPEATED):
        limit = max(1, round(seconds / share))
        model = pyoperon(limit, 1, seed, ["r2", "length"])
        wall, processor = time.perf_counter(), time.process_time()
        model.fit(X, y)
        wall, used = time.perf_counter() - wall, time.process_time() - processor
        if used >= ENOUGH * seconds or wall < ENOUGH * limit:  # what ends early has converged
            break
        share = used / wall
    return model, used
