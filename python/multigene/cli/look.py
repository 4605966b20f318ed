"""`multigene look`: what a table is like before anything is fitted."""

from __future__ import annotations

from typing import Annotated

import typer

from multigene.cli import options as o
from multigene.cli.option_groups import Reading, spread
from multigene.cli.output import say, say_json
from multigene.data.look import Look
from multigene.data.look import look as look_at
from multigene.words import counted, nearest

EPILOG = """Examples:

  multigene look data.csv

  multigene look data.csv --target y

  multigene look data.csv --json | jq .columns
"""
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COLUMN",
        help="Column to be explained: columns that copy it are named.",
        rich_help_panel=o.DATA,
    ),
]


@spread
def look(data: o.DataArgument, *, target: Target = None, json: o.Json = False, reading: Reading) -> None:
    """What each column of a table holds: kind, gaps, range, outliers; duplicates and copies of the target."""
    table = reading.table(data)
    names = [str(name) for name in table.frame.columns]
    if target is not None and target not in names:
        raise ValueError(f"{table.source} has no column {target!r}{nearest(target, names) or '.'}")
    found = look_at(table, target)
    if json:
        say_json(found.as_dict())
    else:
        say(spoken(found))


def spoken(found: Look) -> str:
    """The same for people: one line per column."""
    heads = ("column", "kind", "unit", "gaps", "distinct", "outliers", "values")
    rows = [
        (c.name, c.kind, c.unit, str(c.gaps), str(c.distinct), str(c.outliers), c.values)
        for c in found.columns
    ]
    shown = [i for i in range(len(heads)) if i != 2 or any(row[2] for row in rows)]
    widths = [max(len(row[i]) for row in (heads, *rows)) for i in shown]
    lines = [f"{found.source}: {counted(found.rows, 'row')}, {counted(len(rows), 'column')}", ""]
    for row in (heads, *rows):
        cells = [
            row[i].rjust(width) if i in (3, 4, 5) else row[i].ljust(width)
            for i, width in zip(shown, widths, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    remarks = [*found.remarks, *(f"{c.name!r} {remark}" for c in found.columns for remark in c.remarks)]
    return "\n".join([*lines, *([""] if remarks else []), *(f"- {remark}" for remark in remarks)])
