"""One fit through joblib's processes: what two workers save, by processor time.

Wall time on a shared machine says little. The processor time of every piece is known (`evolution/elsewhere.py`), and so is which
were under way together. For 1, 2 and 4 workers the time of a round is that of its busiest worker, if each takes the next piece as
soon as it is free. *Pieces*: all their time over the sum of these. *Fit*: the same with the time of this process added to both,
which no worker shares: the survey for laws, validation, the last steps. *At most*: pieces over the longest of every round, which
no number of workers can pass, since islands migrate when all have ended their round.

    python -m benchmarks cluster [--generations 60] [--seeds 2] [--rows 2000] [--islands 4,8]
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Sequence
from typing import Any

import joblib
import numpy as np

from multigene import MultigeneRegressor
from multigene.evolution import elsewhere

WORKERS = (1, 2, 4)


def table(rows: int, seed: int) -> tuple[Any, Any]:
    """Ten columns, a sum of bent terms and noise: nothing that a law would end early."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (rows, 10))
    y = np.sin(X[:, 0] * X[:, 1]) + np.exp(-(X[:, 2] ** 2)) * X[:, 3] + np.tanh(X[:, 4] - X[:, 5])
    return X, y + 0.3 * rng.normal(size=rows)


def rounds_of(rows: int, generations: int, islands: int, seed: int) -> tuple[list[list[float]], float]:
    """Processor seconds of the pieces of every round of a fit, and of this process."""
    rounds: list[list[float]] = []

    class Noted(joblib.Parallel):  # type: ignore[misc]
        def __call__(self, work: Any) -> Any:
            replies = super().__call__(work)
            rounds.append([reply.seconds for reply in replies])
            return replies

    X, y = table(rows, seed)
    model = MultigeneRegressor(
        generations=generations, random_state=seed, n_jobs=2, settings={"islands": islands}
    )
    original, begun = elsewhere.Parallel, time.process_time()
    elsewhere.Parallel = Noted
    try:
        with joblib.parallel_config("loky", n_jobs=2), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
    finally:
        elsewhere.Parallel = original
    return rounds, time.process_time() - begun


def busiest(pieces: Sequence[float], workers: int) -> float:
    """Seconds until all pieces are done, the next one always by the worker that is free first."""
    loads = [0.0] * workers
    for seconds in pieces:
        loads[loads.index(min(loads))] += seconds
    return max(loads)


def run(arguments: Sequence[str] = ()) -> str:
    """Measure; prints a line for every seed."""
    parser = argparse.ArgumentParser(prog="benchmarks cluster", description=__doc__.split("\n\n")[0])
    parser.add_argument("--generations", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--islands", default="4,8", help="numbers of islands, by commas")
    given = parser.parse_args(arguments)
    said = []
    for islands in map(int, given.islands.split(",")):
        found = []
        for seed in range(given.seeds):
            rounds, here = rounds_of(given.rows, given.generations, islands, seed)
            print(f"{islands} islands, seed {seed}: {told(rounds, here)}", flush=True)
            found.append(sum(map(sum, rounds)) / max(sum(busiest(pieces, 2) for pieces in rounds), 1e-9))
        said.append(f"{min(found):.2f} with {islands} islands")
    return f"{given.seeds} seeds: pieces on 2 workers are as fast as on 1 at least times " + ", ".join(said)


def told(rounds: list[list[float]], here: float) -> str:
    """What a fit's pieces gain by workers, in a line."""
    total, longest = sum(map(sum, rounds)), sum(map(max, rounds))
    share = {n: sum(busiest(pieces, n) for pieces in rounds) for n in WORKERS}
    pieces = ", ".join(f"{n}: {total / max(share[n], 1e-9):.2f}" for n in WORKERS)
    fits = ", ".join(f"{n}: {(here + total) / (here + share[n]):.2f}" for n in WORKERS)
    return (
        f"{len(rounds)} rounds of {sum(map(len, rounds))} pieces, {total:.1f} s in them and {here:.1f} s here; speed-up by "
        f"workers, pieces {pieces}, at most {total / max(longest, 1e-9):.2f}; fit {fits}"
    )
