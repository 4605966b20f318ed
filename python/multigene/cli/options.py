"""Options that several commands share, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from multigene.table import Dialect, Table, read_table

DATA, SEARCH, RESULT, READING = "Columns and rows", "Search", "Results", "Reading the file"

DataArgument = Annotated[
    str, typer.Argument(metavar="DATA", help="CSV, TSV, Parquet or Excel file; '-' reads a pipe.")
]
ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="Model file, as `fit --save` writes it; '-' reads a pipe.")
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COLUMN",
        help="Column to be explained.",
        rich_help_panel=DATA,
        show_default="y",
    ),
]
Features = Annotated[
    list[str] | None,
    typer.Option(
        "--features", "-f", metavar="COLUMNS", help="Columns to explain it with: names or wildcards, "
        "commas between them. "
        "All others by default.", rich_help_panel=DATA,
    ),
]  # fmt: skip
Exclude = Annotated[
    list[str] | None,
    typer.Option("--exclude", "-x", metavar="COLUMNS", help="Columns to leave out.", rich_help_panel=DATA),
]
DropMissing = Annotated[
    bool, typer.Option("--drop-missing", help="Leave out rows that lack a value.", rich_help_panel=DATA)
]
Test = Annotated[
    str | None,
    typer.Option("--test", metavar="FILE", help="File with rows for testing alone.", rich_help_panel=DATA),
]
Holdout = Annotated[
    float | None,
    typer.Option(
        "--holdout",
        metavar="SHARE",
        help="Share of the rows kept for testing, such as 0.2.",
        rich_help_panel=DATA,
    ),
]
Configuration = Annotated[
    str | None,
    typer.Option(
        "--configuration", "-c", metavar="NAME", help="Configuration of the paper: baseline, UM, UB, "
        "UC, SM, SB, SC, GB, GC.",
        rich_help_panel=SEARCH,
    ),
]  # fmt: skip
Functions = Annotated[
    str | None,
    typer.Option(
        "--functions",
        metavar="NAMES",
        help="Functions to build with, e.g. add,mul,sin.",
        rich_help_panel=SEARCH,
    ),
]
Time = Annotated[
    float | None,
    typer.Option("--time", metavar="SECONDS", help="Stop after so many seconds.", rich_help_panel=SEARCH),
]
Generations = Annotated[
    int | None,
    typer.Option(
        "--generations", "-g", metavar="N", help="Stop after so many generations.", rich_help_panel=SEARCH
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", "-s", metavar="N", help="Same seed, same formula.", rich_help_panel=SEARCH)
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        metavar="N",
        help="Threads; the result does not depend on them.",
        rich_help_panel=SEARCH,
        show_default="all cores",
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any setting by name; `multigene settings` lists them.",
        rich_help_panel=SEARCH,
    ),
]
SettingsFile = Annotated[
    Path | None,
    typer.Option("--settings", metavar="FILE", help="TOML file of settings by name.", rich_help_panel=SEARCH),
]
Choose = Annotated[
    str | None,
    typer.Option(
        "--choose",
        metavar="CRITERION",
        help="Model of the front: its row, or a criterion such as knee or bic.",
        rich_help_panel=RESULT,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.", rich_help_panel=RESULT)]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.", rich_help_panel=RESULT)]
Separator = Annotated[
    str | None,
    typer.Option(
        "--separator",
        metavar="CHAR",
        help="Between columns: ',', ';', tab, space.",
        rich_help_panel=READING,
        show_default="found out",
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option(
        "--decimal",
        metavar="CHAR",
        help="Decimal point or comma.",
        rich_help_panel=READING,
        show_default="found out",
    ),
]
Encoding = Annotated[
    str, typer.Option("--encoding", metavar="NAME", help="Such as latin-1.", rich_help_panel=READING)
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header", help="The first line is data; columns are called x0, x1, …", rich_help_panel=READING
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option("--sheet", metavar="NAME", help="Sheet of an Excel file.", rich_help_panel=READING),
]


def dialect(
    separator: str | None, decimal: str | None, encoding: str, no_header: bool, sheet: str | None
) -> Dialect:
    """How the user says a file is to be read."""
    if decimal not in (None, ".", ","):
        raise ValueError(f"--decimal {decimal!r} is neither '.' nor ','.")
    return Dialect(separator, decimal, encoding, not no_header, sheet)


def tables(dialect: Dialect, *sources: str | None) -> list[Table | None]:
    """Read several files; standard input can be only one of them."""
    if sum(source == "-" for source in sources) > 1:
        raise ValueError("Standard input ('-') can be read only once; give a file for the other.")
    return [None if source is None else read_table(source, dialect) for source in sources]


def applied(model: Any, choose: str | None, prune: float | None = None) -> Any:
    """The model after `--choose` and `--prune`."""
    if prune is not None:
        if not 0.0 <= prune < 1.0:
            raise ValueError(f"--prune {prune} is not a loss of R² between 0 and 1; take for example 0.001.")
        _needs(model, "prune", "--prune")(max_loss=prune)
    if choose is not None:
        _needs(model, "choose", "--choose")(int(choose) if choose.lstrip("-").isdigit() else choose)
    return model


def _needs(model: Any, method: str, option: str) -> Any:
    found = getattr(model, method, None)
    if found is None:
        raise ValueError(
            f"{option} is not part of this version of multigene; leave it out or install a newer one."
        )
    return found
