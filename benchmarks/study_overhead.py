"""How much the study's runner costs, and how fast a large store is tabulated.

The runner's overhead over the runs' own time (sampling, fitting, testing), once the worker processes are up, and the time to
tabulate 10,000 recorded runs.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from rich.table import Table

from multigene.study.design import build_study, design_from
from multigene.study.execution import Outcome
from multigene.study.runner import LocalProcesses, run_study
from multigene.study.statistics import results
from multigene.study.store import Store, new_owner
from multigene.study.table_formats import markdown
from multigene.study.tables import study_tables

#: Seconds of a run that does nothing, and runs of each worker process.
SECONDS, RUNS = 1.0, 11


class Sleeper:
    """A regressor whose fit takes a known time and no processor: what is left of the clock is the runner's."""

    def __init__(self, seconds: float = 1.0) -> None:
        self.seconds = seconds

    def get_params(self, deep: bool = True) -> dict[str, float]:
        return {"seconds": self.seconds}

    def fit(self, X: np.ndarray, y: np.ndarray) -> Sleeper:
        time.sleep(self.seconds)
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.full(len(X), self.mean_)


def runner_overhead(directory: Path, table: Table) -> None:
    """The runner's overhead at one and two jobs."""
    sleeper = {"regressor": "benchmarks.study_overhead:Sleeper", "parameters": {"seconds": SECONDS}}
    for jobs in (1, 2):
        design = design_from(
            {"problems": ["S5D"], "method": {"sleeper": sleeper}, "seeds": RUNS * jobs}, directory
        )
        study = build_study(design)
        warm_up = build_study(design.restricted(seeds=jobs))
        with Store.create(directory / f"overhead-{jobs}.db") as store:
            executor = LocalProcesses(study, jobs)
            executor.close, closing = lambda: None, executor.close  # type: ignore[method-assign, assignment]
            run_study(warm_up, store, executor)
            started = time.perf_counter()
            run_study(study, store, executor)
            elapsed = time.perf_counter() - started
            closing()
        own = (RUNS - 1) * SECONDS
        what = f"{jobs * (RUNS - 1)} runs of {SECONDS:g} s, {jobs} at a time"
        table.add_row(what, f"{elapsed:.3f} s", f"overhead {100 * (elapsed / own - 1):.2f} %")


def tabulation(directory: Path, table: Table) -> None:
    """How long 10,000 recorded runs take to tabulate."""
    problems = ["S2D", "S5D", "S10D", "RS2D", "RS5D", "RS10D", "K11C", "UB5D", "SU", "SU-I"]
    methods = ["baseline", "UM", "UB", "UC", "SM", "SB", "SC", "GB", "GC", "multigene"]
    limits = [{"generations": 1000}, {"seconds": 420}]
    design = design_from({"problems": problems, "methods": methods, "seeds": 50, "limits": limits}, directory)
    study = build_study(design, prepare=False)
    rng = np.random.default_rng(0)
    history = tuple((0.1 * i, i, 0.5) for i in range(200))
    with Store.create(directory / "large.db") as store:
        store.enrol(study)
        owner = new_owner()
        store._connection.execute("PRAGMA synchronous = OFF")  # only to fill it quickly
        while (run := store.claim(owner)) is not None:
            outcome = Outcome(
                train_r2=rng.random(),
                test_r2=rng.random(),
                seconds=1.0,
                formula="x" * 500,
                history=history,
                depth=3,
            )
            store.record(owner, run, outcome)
        started = time.perf_counter()
        with Store.open(store.path) as again:
            text = markdown(study_tables(results(again)))
        elapsed = time.perf_counter() - started
        what = f"{store.counts()['done']:,} runs tabulated"
        table.add_row(what, f"{elapsed:.2f} s", f"{len(text):,} characters of tables")


def run() -> Table:
    """Both measurements in a directory of their own."""
    table = Table("what", "measured", "", title="the study's runner and tables")
    with tempfile.TemporaryDirectory() as directory:
        runner_overhead(Path(directory), table)
        tabulation(Path(directory), table)
    return table
