"""How long the open runs of a study will take on this machine, said before the first of them starts.

Runs limited by seconds take those. For runs limited by generations, what the same method took on the same problem counts: in this
store, or in `data/run_seconds.csv`, measured on one machine and scaled by how fast this one does a short piece of such a run.
"""

from __future__ import annotations

import csv
import time
from functools import lru_cache
from importlib import resources

import numpy as np

from multigene.study.design import Run, Study
from multigene.study.limits import Limit
from multigene.study.methods import method_named
from multigene.study.problems import problem_named
from multigene.study.store import Store

#: The row of the table that says how long the short piece took there.
CALIBRATION = "calibration"
#: Generations of that piece, of the baseline on K11C.
PIECE = 60
#: Generations of the runs of the table: those of the design `quick`.
MEASURED = 200


@lru_cache(maxsize=1)
def measured_seconds() -> dict[tuple[str, str], float]:
    """Processor seconds of 200 generations by problem and method, medians of 8 seeds."""
    text = (resources.files("multigene.study") / "data" / "run_seconds.csv").read_text("utf-8")
    return {
        (row["problem"], row["method"]): float(row["seconds"]) for row in csv.DictReader(text.splitlines())
    }


@lru_cache(maxsize=1)
def machine_factor() -> float:
    """Seconds here for a second there: a piece of a run, timed."""
    return piece_seconds() / measured_seconds()[CALIBRATION, CALIBRATION]


def piece_seconds() -> float:
    """Processor seconds of a short run of the baseline on K11C; the quickest of three."""
    split = problem_named("K11C").sample(0)
    taken = []
    for _ in range(3):
        model = method_named("baseline").build(0, Limit(generations=PIECE))
        started = time.process_time()
        model.fit(split.X_train, split.y_train)
        taken.append(time.process_time() - started)
    return min(taken)


def seconds_left(study: Study, store: Store) -> tuple[int, float | None]:
    """Number of runs to be made, and the processor seconds they will take; None where nothing is known of some method."""
    finished = store.frame(("seconds",))
    known = finished.groupby(["problem", "method", "run_limit"])["seconds"].mean().to_dict()
    done = set(
        zip(finished["problem"], finished["method"], finished["run_limit"], finished["seed"], strict=True)
    )
    waiting = [run for run in study.runs if (run.problem, run.method, run.limit, run.seed) not in done]
    total = 0.0
    for run in waiting:
        seconds = known.get((run.problem, run.method, run.limit))
        seconds = _expected(study, run) if seconds is None or np.isnan(seconds) else float(seconds)
        if seconds is None:
            return len(waiting), None
        total += seconds
    return len(waiting), total


def _expected(study: Study, run: Run) -> float | None:
    limit = study.limit(run.limit)
    if limit is None:
        return 1.0  # methods without a limit end by themselves, soon
    limit = limit.on(run.problem, run.method)
    method = run.method.removesuffix(
        "-random"
    )  # how weights are born does not change the cost of a generation
    by_generations = None
    if limit.generations is not None:
        table = {place: value for place, value in measured_seconds().items() if place[0] != CALIBRATION}
        same = [table[run.problem, method]] if (run.problem, method) in table else []
        like = same or [value for (_, name), value in table.items() if name == method]
        if like:
            # Formulas grow, so time grows faster than generations: by a power of 1.1, seen on CCS and K11C from 200 to 1,000.
            share = (limit.generations / MEASURED) ** 1.1
            by_generations = float(np.exp(np.mean(np.log(like)))) * share * machine_factor()
    bounds = [value for value in (by_generations, limit.seconds) if value is not None]
    return min(bounds) if bounds else None
