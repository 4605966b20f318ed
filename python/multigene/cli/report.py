"""`multigene report`: an HTML report about a model, on the rows it was fitted to or on others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
import typer

from multigene.cli import options as o
from multigene.cli.features import feature_rows, table_for
from multigene.cli.model_argument import check_pipes, one_of, read_any
from multigene.cli.option_groups import Reading, spread
from multigene.cli.output import check_writable, note, say
from multigene.data.columns import class_values, numbers
from multigene.data.table import Table
from multigene.words import counted

if TYPE_CHECKING:
    from multigene.classes.fitted import FittedClasses
    from multigene.fitted import FittedModel

Data = Annotated[
    str | None,
    typer.Argument(metavar="DATA", help="Rows to show the model on, with the target.", show_default=False),
]
Page = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Report to write.")]


@spread
def report(
    model: o.ModelArgument,
    data: Data = None,
    *,
    output: Page = Path("report.html"),
    choose: o.Choose = None,
    label: o.Label = None,
    drop_missing: o.DropMissing = False,
    quiet: o.Quiet = False,
    reading: Reading,
) -> None:
    """Write an HTML report about a model."""
    from multigene.classes.fitted import FittedClasses
    from multigene.report import write_report

    check_pipes(model, data)
    check_writable(output, "--output", ".html", ".htm")
    found = read_any(model)
    fitted = one_of(found, model, choose, label)
    classes = found if isinstance(found, FittedClasses) else None
    if data is None:
        write_report(fitted, output, classes=classes)
    else:
        table = table_for(found, reading.table(data))
        features, y = shown_rows(fitted, found, table, drop_missing, quiet)
        write_report(fitted, output, features, y, classes=classes)
    if not quiet:
        say(f"wrote {output}")


def shown_rows(
    model: FittedModel, found: FittedModel | FittedClasses, table: Table, drop_missing: bool, quiet: bool
) -> tuple[pd.DataFrame, Any]:
    """Features and target of the rows that have one; of a classifier, whether a row is of the model's class."""
    from multigene.classes.fitted import FittedClasses

    target = found.target
    if target not in table.frame.columns:
        raise ValueError(f"{table.source} has no column {target!r}, the target of the model; add it.")
    known = table.frame[target].notna()
    if not known.all():
        note(f"left out {counted(int((~known).sum()), 'row')} without {target!r}", quiet)
        table = replace(table, frame=table.frame[known].reset_index(drop=True), first_line=None)
    features, rows = feature_rows(model, table, drop_missing, quiet)
    if isinstance(found, FittedClasses):
        return features, found.is_of(class_values(table.frame[target])[rows], model).astype(np.float64)
    y, _ = numbers(table, [target])
    return features, y[target].to_numpy()[rows]
