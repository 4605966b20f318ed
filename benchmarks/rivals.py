"""Other programs as the benchmarks run them: one place, so that every comparison is with the same settings."""

from __future__ import annotations

from typing import Any


def pyoperon(seconds: float, threads: int, seed: int) -> Any:
    """pyoperon's scikit-learn front with division, limited by time alone."""
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
    )
