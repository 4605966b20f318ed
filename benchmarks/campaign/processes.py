"""Signals and kills: anything may end a run, a model is left, and a run that was killed goes on to the same one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import multigene
from benchmarks.campaign.outcome import Outcome
from multigene import MultigeneRegressor

#: Seconds after a signal in which a model is to be handed over, on a machine that may be busy.
PATIENCE = 30.0
#: The command line, saying when the search begins.
READY = """
import sys
from multigene.search import run
execute = run.Run.execute
def told(self, display):
    print("ready", flush=True)
    return execute(self, display)
run.Run.execute = told
from multigene.__main__ import main
main()
"""
#: A fit with a checkpoint; writes the model's file at its end.
RESUMED = """
import sys, numpy as np
from multigene import MultigeneRegressor
rng = np.random.default_rng(int(sys.argv[1]))
X = rng.normal(size=(500, 3))
y = np.sin(2.0 * X[:, 0]) * X[:, 1] + X[:, 2] + 0.1 * rng.normal(size=500)
model = MultigeneRegressor(generations=40, random_state=0, n_jobs=1, search="accuracy")
model.fit(X, y, checkpoint=sys.argv[2])
open(sys.argv[3], "w").write(model.equations_.to_json())
"""


def rows(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """A problem of three columns with some noise."""
    X = rng.normal(size=(n, 3))
    return X, np.sin(2.0 * X[:, 0]) * X[:, 1] + X[:, 2] + 0.1 * rng.normal(size=n)


def interrupts(rng: np.random.Generator, trials: int) -> Outcome:
    """Ctrl-C at a random moment of a long fit."""
    outcome = Outcome()
    for _ in range(trials):
        _interrupted(outcome, rng, time_limit=60.0, delay=rng.uniform(0.05, 2.5))
    return outcome


def late_interrupts(rng: np.random.Generator, trials: int) -> Outcome:
    """Ctrl-C about when the time limit ends the search and the result is put together, up to three times."""
    outcome = Outcome()
    for _ in range(trials):
        limit = rng.uniform(0.3, 0.8)
        _interrupted(
            outcome,
            rng,
            time_limit=limit,
            delay=limit + rng.uniform(-0.02, 0.1),
            presses=int(rng.integers(1, 4)),
        )
    return outcome


def _interrupted(
    outcome: Outcome, rng: np.random.Generator, time_limit: float, delay: float, presses: int = 1
) -> None:
    X, y = rows(rng, int(rng.choice([30, 200, 600, 5_000])))
    sent, over = [], threading.Event()

    def press() -> None:
        for _ in range(presses):
            if not over.wait(delay if not sent else 0.01):
                sent.append(time.perf_counter())
                os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=press)
    model = None
    with outcome.trial(f"{len(y)} rows, Ctrl-C after {delay:.2f} s"):
        try:
            try:
                sender.start()
                model = MultigeneRegressor(time_limit=time_limit, random_state=0).fit(X, y)
            finally:
                over.set()
                sender.join()
            time.sleep(0.05)
        except KeyboardInterrupt:  # after fit, which is the caller's; a model is there then
            if model is None:
                raise RuntimeError("no model") from None
        if not np.isfinite(model.predict(X)).all():
            raise RuntimeError("not finite on the training rows")
    if sent:
        outcome.measure(time.perf_counter() - sent[0], "s until the model", PATIENCE)


def signals(rng: np.random.Generator, trials: int) -> Outcome:
    """SIGINT, SIGTERM and SIGHUP on `multigene fit --save`."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as directory:
        here = Path(directory)
        X, y = rows(rng, 800)
        table = np.column_stack([X, y])
        np.savetxt(here / "d.csv", table, delimiter=",", header="a,b,c,y", comments="")
        for trial in range(trials):
            number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[trial % 3]
            model = here / f"m{trial}.json"
            command = ["fit", str(here / "d.csv"), "-t", "y", "--time", "60", "--save", str(model), "-q"]
            with outcome.trial(number.name):
                child = subprocess.Popen(
                    [sys.executable, "-c", READY, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE
                )
                assert child.stdout is not None
                child.stdout.readline()
                time.sleep(rng.uniform(0.0, 1.5))
                child.send_signal(number)
                sent = time.perf_counter()
                _, said = child.communicate(timeout=120)
                if child.returncode != 0:
                    raise RuntimeError(f"exit code {child.returncode}: {said[-200:]!r}")
                multigene.load(model)
                outcome.measure(time.perf_counter() - sent, "s until the file", PATIENCE)
        if list(here.glob("*.part")):
            outcome.fail("a part file stayed")
    return outcome


def kills(rng: np.random.Generator, trials: int) -> Outcome:
    """kill -9 of fits with a checkpoint; resumed until they end they have the front of a run that nobody killed."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as directory:
        here, killed = Path(directory), 0
        while killed < trials:
            seed = str(rng.integers(1_000))
            whole, state = here / "whole.json", here / "state"
            subprocess.run([sys.executable, "-c", RESUMED, seed, here / "other", whole], check=True)
            (here / "other").unlink()
            for _ in range(min(5, trials - killed)):
                child = subprocess.Popen([sys.executable, "-c", RESUMED, seed, state, here / "resumed.json"])
                time.sleep(rng.uniform(0.8, 4.0))
                child.kill()
                child.wait()
                killed += 1
                outcome.tried += 1
            subprocess.run([sys.executable, "-c", RESUMED, seed, state, here / "resumed.json"], check=True)
            if whole.read_text() != (here / "resumed.json").read_text():
                outcome.fail(f"seed {seed}: another front after kills")
            if list(here.glob("*.part")):
                outcome.fail("a part file stayed")
            state.unlink()
    return outcome
