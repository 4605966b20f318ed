"""kill -9: a fit with a checkpoint and a study that were killed, however often, end with what undisturbed ones end with."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.campaign.outcome import Outcome
from benchmarks.campaign.processes import END, context, rows, started
from multigene import MultigeneRegressor
from multigene.search import run
from multigene.study.store import Store

#: Kills of a run before it may end.
KILLS = 5
#: Fits that are killed: parameters, and the number of rows.
FITS: tuple[tuple[dict[str, Any], int], ...] = (
    ({"search": "accuracy", "generations": 30}, 200),
    ({"generations": 10}, 120),
    ({"configuration": "UB", "generations": 12}, 200),
    ({"configuration": "SC", "generations": 30}, 200),
    (
        {"search": "accuracy", "generations": 20, "functions": {"add": None, "mul": None, "f": "x*sin(x)"}},
        200,
    ),
    ({"search": "accuracy", "generations": 20, "loss": "absolute"}, 200),
)
#: A study of short runs, and what of its store is not the clock's.
DESIGN = """
problems = ["S2D", "RS2D"]
methods = ["baseline", "SC"]
seeds = 6
limits = [{generations = 3}]
"""
SAME = [
    "problem",
    "method",
    "run_limit",
    "seed",
    "state",
    "train_r2",
    "test_r2",
    "generations",
    "formula",
    "size",
    "error",
]


def fits(rng: np.random.Generator, trials: int) -> Outcome:
    """Kills of fits with a checkpoint."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as directory:
        here = Path(directory)
        state, whole, resumed = here / "state", here / "whole.json", here / "resumed.json"
        while outcome.tried < trials:
            kind, seed = int(rng.integers(len(FITS))), int(rng.integers(1_000))
            undisturbed = started(fit, kind, seed, here / "other", whole)
            begun = time.perf_counter()
            undisturbed.join(END)
            took = time.perf_counter() - begun
            for _ in range(min(KILLS, trials - outcome.tried)):
                child = started(fit, kind, seed, state, resumed)
                child.join(rng.uniform(0.0, 2.0 * took / KILLS))
                child.kill()
                child.join()
                outcome.tried += 1
            last = context().Process(target=fit, args=(kind, seed, state, resumed))
            last.start()
            last.join(END)
            if not resumed.exists() or whole.read_text() != resumed.read_text():
                outcome.fail(
                    f"{FITS[kind]}, seed {seed}: another front after kills, exit code {last.exitcode}"
                )
            if list(here.glob("*.part")):
                outcome.fail("a part file stayed")
            for path in here.iterdir():
                path.unlink()
    return outcome


def fit(kind: int, seed: int, state: Path, result: Path) -> None:
    """A fit that writes its state as often as it can, and its front at the end."""
    run.CHECKPOINT_SECONDS = 0.0
    options, n = FITS[kind]
    X, y = rows(np.random.default_rng(seed), n)
    model = MultigeneRegressor(**options, random_state=0, n_jobs=1).fit(X, y, checkpoint=state)
    result.write_text(model.equations_.to_json())


def studies(rng: np.random.Generator, trials: int) -> Outcome:
    """Kills of studies; the store is whole each time."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as directory:
        here = Path(directory)
        design = here / "design.toml"
        design.write_text(DESIGN)
        if _study("run", design, "--store", here / "whole.db").wait() != 0:
            raise RuntimeError("the study cannot be run")
        while outcome.tried < trials:
            store = here / f"killed{outcome.tried}.db"
            for number in range(min(KILLS, trials - outcome.tried)):
                done = _done(store)
                child = _study("run", design, "--store", store)
                deadline = time.perf_counter() + END
                while child.poll() is None and _done(store) <= done and time.perf_counter() < deadline:
                    time.sleep(0.05)
                time.sleep(rng.uniform(0.0, 0.3))
                child.kill()
                child.wait()
                outcome.tried += 1
                with sqlite3.connect(store) as file:
                    if file.execute("PRAGMA integrity_check").fetchone() != ("ok",):
                        outcome.fail(f"the store is damaged after kill {number + 1}")
                if _done(store) < done:
                    outcome.fail("finished runs were lost")
            ended = _study("run", design, "--store", store).wait(END)
            if ended != 0 or not _contents(store).equals(_contents(here / "whole.db")):
                outcome.fail(f"another store after kills, exit code {ended}")
    return outcome


def _study(*arguments: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "multigene", "study", *map(str, arguments), "--jobs", "1", "--quiet"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def _done(path: Path) -> int:
    if not path.exists() or not path.stat().st_size:
        return 0
    with Store.open(path) as store:
        return int(store.counts()["done"])


def _contents(path: Path) -> Any:
    with Store.open(path) as store:
        return store.frame(state=None)[SAME].sort_values(SAME[:4], ignore_index=True)
