"""`multigene demo`: a built-in problem from start to formula, in about ten seconds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from multigene.cli import options as o
from multigene.cli.option_groups import Saying, Search, spread
from multigene.cli.output import note, progress_visible, say, say_json
from multigene.cli.summary import spoken_summary, summary
from multigene.cli.task import Problem, asked, fitted
from multigene.data.columns import Columns

LAW = "(27.22·x1 − 4.54)·(−0.39·x2) + 11.46·sin((0.21·x1 − 1)·(x2 + 16.6) + 1.97)"
ROWS, SECONDS = 500, 10.0
NEXT = """
What to try next:
  multigene demo --seed 1                            other rows of the same law
  multigene fit data.csv --target y --save m.json    your own table
  multigene show m.json --front                      every size of formula, and what it costs in error
  multigene export m.json --format python            the formula as code"""


def k11c(rows: int, seed: int) -> pd.DataFrame:
    """Rows of K11C (paper, section 4.1), uniform over [-3, 3]²."""
    x1, x2 = np.random.default_rng(seed).uniform(-3.0, 3.0, size=(2, rows))
    y = (27.22 * x1 - 4.54) * (-0.39 * x2) + 11.46 * np.sin((0.21 * x1 - 1.0) * (x2 + 16.6) + 1.97)
    return pd.DataFrame({"x1": x1, "x2": x2, "y": y})


def introduction(seconds: float | None) -> str:
    """What is about to be searched for."""
    limit = "" if seconds is None else f", {seconds:g} seconds"
    return (
        f"{ROWS} rows, uniform over [-3, 3]², of the law\n  y = {LAW}\n"
        f"Searching for a formula from the rows alone{limit} …\n"
    )


@spread
def demo(
    *,
    search: Search = Search(time=SECONDS),  # noqa: B008 -- frozen
    configuration: o.Configuration = None,
    saying: Saying,
) -> None:
    """Fit a built-in problem and print its formula.

    The data come from a known law (problem K11C of the paper); the search sees 500 rows of it and nothing else.
    """
    if search.generations:
        search = replace(search, time=None)
    parameters = asked(search, configuration, visible=progress_visible(saying.quiet))
    seed = search.seed
    task = Problem("K11C", Columns("y", ("x1", "x2")), k11c(ROWS, 2 * seed), k11c(ROWS, 2 * seed + 1))
    if not saying.quiet and not saying.json:
        say(introduction(search.time))
    model = fitted(parameters, task.x(task.train), task.y(task.train))
    seconds = float(model.history["seconds"].iloc[-1]) if len(model.history) else 0.0
    result = summary(model, task, seconds, seed)
    if saying.json:
        say_json(result)
        return
    say(spoken_summary(result))
    if model.stopped_by == "interrupt":
        note("stopped by Ctrl-C; this is the best formula so far", saying.quiet)
    if not saying.quiet:
        say(NEXT)
