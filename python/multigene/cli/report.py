"""`multigene report`: an HTML report about a model, on the rows it was fitted to or on others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from multigene.cli import options as o
from multigene.cli.model_argument import read_model
from multigene.cli.output import check_writable, say
from multigene.cli.predict import feature_rows
from multigene.report import write_report

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
    quiet: o.Quiet = False,
    reading: o.Reading,
) -> None:
    """Write an HTML report about a model."""
    check_writable(output, "--output", ".html", ".htm")
    fitted = read_model(model, choose)
    if data is None:
        write_report(fitted, output)
    else:
        table = reading.table(data)
        target = fitted.target
        if target not in table.frame.columns:
            raise ValueError(f"{table.source} has no column {target!r}, the target of the model; add it.")
        features, rows = feature_rows(fitted, table, False, quiet)
        write_report(fitted, output, features, table.frame[target][rows].to_numpy(dtype=np.float64))
    if not quiet:
        say(f"wrote {output}")
