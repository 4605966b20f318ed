"""`multigene report`: an HTML report about a model, on the rows it was fitted to or on others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from multigene.cli import options as o
from multigene.cli.features import feature_rows
from multigene.cli.model_argument import read_any, read_model
from multigene.cli.output import check_writable, say

Data = Annotated[
    str | None,
    typer.Argument(metavar="DATA", help="Rows to show the model on, with the target.", show_default=False),
]
Page = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Report to write.")]


@o.spread
def report(
    model: o.ModelArgument,
    data: Data = None,
    *,
    output: Page = Path("report.html"),
    choose: o.Choose = None,
    label: o.Label = None,
    quiet: o.Quiet = False,
    reading: o.Reading,
) -> None:
    """Write an HTML report about a model."""
    from multigene.classes.fitted import FittedClasses
    from multigene.report import write_report

    check_writable(output, "--output", ".html", ".htm")
    fitted = read_model(model, choose, label)
    found = None if model == "-" else read_any(model)
    classes = found if isinstance(found, FittedClasses) else None
    if data is None:
        write_report(fitted, output, classes=classes)
    else:
        table = reading.table(data)
        target = fitted.target if classes is None else classes.target
        if target not in table.frame.columns:
            raise ValueError(f"{table.source} has no column {target!r}, the target of the model; add it.")
        features, rows = feature_rows(fitted, table, False, quiet)
        y = table.frame[target][rows]
        if classes is not None:
            y = classes.is_of(y, fitted)
        write_report(fitted, output, features, y.to_numpy(dtype=np.float64), classes=classes)
    if not quiet:
        say(f"wrote {output}")
