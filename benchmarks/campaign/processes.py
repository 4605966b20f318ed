"""Signals: whenever somebody asks for an end, a model is left. Kills are in `kills.py`."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Any

import numpy as np

import multigene
from benchmarks.campaign.outcome import Outcome
from multigene import MultigeneRegressor
from multigene.search import run

#: Seconds after a signal in which a model is to be handed over, and in which a process is to end, on a machine that may be busy.
PATIENCE, END = 30.0, 240.0


@cache
def context() -> ForkServerContext:
    """Processes that have imported the program already: what is tried is the run and not its imports."""
    made = multiprocessing.get_context("forkserver")
    made.set_forkserver_preload(["benchmarks.campaign.kills", "multigene.cli"])
    return made


def started(target: Callable[..., None], *arguments: Any) -> ForkServerProcess:
    """A process whose search has begun; it has ended instead if it never did."""
    here, there = context().Pipe(duplex=False)
    process = context().Process(target=_telling, args=(there, target, arguments))
    process.start()
    there.close()
    try:
        here.recv()
    except EOFError:
        process.join(END)
    return process


def _telling(ready: Connection, target: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    execute = run.Run.execute

    def told(self: run.Run, display: Any) -> Any:
        ready.send(True)
        return execute(self, display)

    run.Run.execute = told  # type: ignore[method-assign]
    target(*arguments)


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
            model, said = here / f"m{trial}.json", here / "said"
            command = ["fit", str(here / "d.csv"), "-t", "y", "--time", "60", "--save", str(model), "-q"]
            delay = rng.uniform(0.0, 1.5)
            with outcome.trial(f"{number.name} after {delay:.2f} s"):
                child = started(command_line, command, said)
                time.sleep(delay)
                os.kill(child.pid or 0, number)
                sent = time.perf_counter()
                child.join(END)
                if child.exitcode != 0:
                    child.kill()
                    raise RuntimeError(f"exit code {child.exitcode}: {said.read_text()[-200:]!r}")
                multigene.load(model)
                outcome.measure(time.perf_counter() - sent, "s until the file", PATIENCE)
        if list(here.glob("*.part")):
            outcome.fail("a part file stayed")
    return outcome


def command_line(arguments: list[str], said: Path) -> None:
    """`multigene` with these arguments, as a process of its own would run it; what it says goes into a file."""
    from multigene.__main__ import main

    with said.open("w") as file:
        for descriptor in (1, 2):
            os.dup2(file.fileno(), descriptor)
    sys.argv = ["multigene", *arguments]
    main()
