"""Options that several commands share, declared once, one alias each; `option_groups.py` has those that go together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DATA, SEARCH, RESULT, READING = "Columns and rows", "Search", "Results", "Reading the file"

DataArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="CSV, Excel, Parquet, Arrow, JSON or database file (FILE::TABLE); '-' reads a pipe.",
    ),
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
Missing = Annotated[
    str,
    typer.Option(
        "--missing",
        metavar="WHAT",
        help="What to do about gaps: fill (by a number that the formula names), drop (the rows) or error.",
        rich_help_panel=DATA,
    ),
]
Test = Annotated[
    str | None,
    typer.Option("--test", metavar="FILE", help="File with rows for testing alone.", rich_help_panel=DATA),
]
Holdout = Annotated[
    float | None,
    typer.Option(
        "--holdout", metavar="SHARE", help="Share of rows for testing, as 0.2.", rich_help_panel=DATA
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
        help="Functions that formulas may use, e.g. add,mul,sin.",
        rich_help_panel=SEARCH,
    ),
]
MaxSize = Annotated[
    int | None,
    typer.Option(
        "--max-size",
        metavar="NODES",
        help="Nodes of the largest formula; 3*x + 1 has five.",
        rich_help_panel=SEARCH,
    ),
]
Kind = Annotated[
    str,
    typer.Option(
        "--search",
        metavar="KIND",
        help="What to look for: laws (exact formulas), accuracy (approximations), both.",
        rich_help_panel=SEARCH,
    ),
]
Loss = Annotated[
    str,
    typer.Option(
        "--loss",
        metavar="LOSS",
        help="What to minimise: auto (squared, without outliers), squared, absolute, huber, quantile:0.9, relative, poisson, "
        "gamma, logistic; or a text of y, p.",
        rich_help_panel=SEARCH,
    ),
]
Shape = Annotated[
    list[str] | None,
    typer.Option(
        "--shape",
        metavar="STATEMENT",
        help="A shape that the formula has, repeatable: 'increasing in dose', 'convex in t', '0 <= y <= 1', 'y(0) = 0', "
        "'symmetric in a, b'. Only formulas that keep it are found; `verify` checks them again.",
        rich_help_panel=SEARCH,
    ),
]
Rule = Annotated[
    list[str] | None,
    typer.Option(
        "--rule",
        metavar="RULE",
        help="A rule that all formulas keep, repeatable: 'sin only of t', 'exp at most 2', 'must use dose', 'whole exponents'.",
        rich_help_panel=SEARCH,
    ),
]
Form = Annotated[
    str | None,
    typer.Option(
        "--form",
        metavar="FORM",
        help="The formula as far as you know it: 'f(a, b)*exp(-g(c)/T) + p' with unknown functions of columns and numbers.",
        rich_help_panel=SEARCH,
    ),
]
Guess = Annotated[
    list[str] | None,
    typer.Option(
        "--guess",
        metavar="FORMULA",
        help="A formula that you have: text such as '2*a*exp(-b)', a model file, or a CSV file with another program's formulas. "
        "It is tuned, listed and bred from; may be given again.",
        rich_help_panel=SEARCH,
    ),
]
Units = Annotated[
    list[str] | None,
    typer.Option(
        "--units",
        metavar="COLUMN=UNIT",
        help="Units of all columns, the target's too: m=kg,v=m/s,E=J; 'header' takes them from names with a unit in square "
        "brackets. Only formulas that agree with them are found.",
        rich_help_panel=SEARCH,
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="COLUMN",
        help="Column that says how much a row counts, such as 1/error**2; no formula uses it.",
        rich_help_panel=DATA,
    ),
]
YError = Annotated[
    str | None,
    typer.Option(
        "--y-error",
        metavar="COLUMN",
        help="Column of the targets' standard deviations: rows count by its inverse square; no formula uses it.",
        rich_help_panel=DATA,
    ),
]
Task = Annotated[
    str,
    typer.Option(
        "--task",
        metavar="WHICH",
        help="regression (numbers), classification (a formula for the log-odds, one per class where there are more than two), or "
        "auto: classification where the target holds text, truth values or two values.",
        rich_help_panel=SEARCH,
    ),
]
ClassWeight = Annotated[
    str | None,
    typer.Option(
        "--class-weight",
        metavar="balanced",
        help="Classification: rows of rare classes count more, so that all classes weigh the same.",
        rich_help_panel=SEARCH,
    ),
]
Label = Annotated[
    str | None,
    typer.Option(
        "--label",
        metavar="CLASS",
        help="Which class's formula, of a model that tells more than two classes apart.",
        rich_help_panel=RESULT,
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        "--groups",
        metavar="COLUMN",
        help="Column that names the group of every row, such as a site: one form for all, some numbers of their own, p[site].",
        rich_help_panel=DATA,
    ),
]
GroupNumbers = Annotated[
    str,
    typer.Option(
        "--group-numbers",
        metavar="WHICH",
        help="Numbers that every group has of its own: auto (held-out rows decide), offset, factor, offset,factor or all.",
        rich_help_panel=DATA,
    ),
]
Time = Annotated[
    float | None,
    typer.Option("--time", metavar="SECONDS", help="Stop after this time.", rich_help_panel=SEARCH),
]
Generations = Annotated[
    int | None,
    typer.Option(
        "--generations",
        "-g",
        metavar="N",
        help="Stop after this number of generations.",
        rich_help_panel=SEARCH,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed",
        "-s",
        metavar="N",
        help="Same seed, same formula, unless --time ends the run.",
        rich_help_panel=SEARCH,
    ),
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
Front = Annotated[bool, typer.Option("--front", help="Every model of the front.", rich_help_panel=RESULT)]
Choose = Annotated[
    str | None,
    typer.Option(
        "--choose",
        metavar="CRITERION",
        help="Model of the front: its row, or simple, balanced, default, accuracy, knee, validation, mdl or bic.",
        rich_help_panel=RESULT,
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="File to write; standard output by default.",
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
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="Character encoding, such as latin-1.",
        rich_help_panel=READING,
        show_default="found out",
    ),
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header", help="The first line is data; columns are called x0, x1, …", rich_help_panel=READING
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(
        "--sheet",
        metavar="NAME",
        help="Sheet of a spreadsheet, table of a database, file of an archive; also as FILE::NAME.",
        rich_help_panel=READING,
    ),
]
AsItIs = Annotated[
    list[str] | None,
    typer.Option(
        "--as-it-is",
        metavar="COLUMN",
        help="Leave the cells of a column as they stand; make no numbers or dates of them. Again for further columns.",
        rich_help_panel=READING,
    ),
]
