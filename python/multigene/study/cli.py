"""The command line of the study.

Mounted as `multigene study`, and runnable alone as `python -m multigene.study`. Errors of the user are one
sentence on stderr and exit code 2; Ctrl-C ends cleanly with 130; a study with failed runs ends with 1.
"""

from __future__ import annotations

from multigene.study import cli_run, cli_show
from multigene.study.cli_app import app

__all__ = ["app", "cli_run", "cli_show", "main"]


def main() -> None:
    """Entry point of `python -m multigene.study`."""
    app()
