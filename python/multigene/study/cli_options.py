"""Options and arguments that commands of the study share, each declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

StoreOption = Annotated[Path, typer.Option("--store", "-s", help="The file that holds all results (SQLite).")]
StoreArgument = Annotated[
    Path,
    typer.Argument(help="The store of a study, as given to `run --store`; `--store FILE` says the same."),
]
#: Where runs go unless it is said.
DEFAULT_STORE = Path("study.db")
DataOption = Annotated[
    Path | None,
    typer.Option("--data-dir", help="Directory of local copies: airfoil.csv, concrete.csv, energy.csv."),
]
JobsOption = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, help="Runs at a time (default: all cores).")
]
SchedulerOption = Annotated[
    str | None, typer.Option("--scheduler", help="Address of a Dask scheduler, such as tcp://host:8786.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress display.")]
RetryOption = Annotated[bool, typer.Option("--retry-failed", help="Run failed runs again.")]
LimitOption = Annotated[
    str | None, typer.Option("--limit", help='One view only, such as "1000 generations".')
]
AtOption = Annotated[
    str | None,
    typer.Option(
        "--at",
        help='What runs had on their way: "200 generations", "1 processor second", or clock for the generations that the '
        "authors' seven minutes bought each configuration.",
    ),
]
RuleOption = Annotated[
    str,
    typer.Option(
        "--rule", help="With --at: best (the paper's result rule) or guarded (behaves between rows)."
    ),
]
MachineOption = Annotated[
    float | None,
    typer.Option(
        "--machine",
        help="With --at clock: how fast the authors' machine was (default: fitted to the baseline).",
    ),
]
ProblemOption = Annotated[str | None, typer.Option("--problem", "-p", help="One problem only.")]
FromOption = Annotated[
    Path | None,
    typer.Option(
        "--from", help="A compact file of the same study, from `export`: its runs are not made again."
    ),
]
