"""`multigene studio`: the local web application."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multigene.cli.output import say

EPILOG = """Examples:

  multigene studio

  multigene studio data.csv

  multigene studio data.csv --workspace project --no-browser
"""


def studio(
    data: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[DATA]...", help="Tables to open; more can be dropped on the page."),
    ] = None,
    workspace: Annotated[
        Path,
        typer.Option(
            "--workspace", metavar="DIRECTORY", help="Folder for uploaded tables, runs, models and reports."
        ),
    ] = Path("multigene-studio"),
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port on 127.0.0.1; 0 takes a free one.")
    ] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
) -> None:
    """Look at tables, run and steer searches, explore models in the browser; nothing leaves this machine."""
    from multigene.studio.serve import serve

    for path in data or []:
        if not path.exists():
            raise ValueError(f"There is no file {path}; check its name.")
    if workspace.exists() and not workspace.is_dir():
        raise ValueError(f"--workspace {workspace} is a file; give the name of a directory.")
    serve(list(data or []), workspace, port, browser, say)
