"""The command line: fit, predict, show, export, verify, report, compare, demo, settings, studio, study.

One module per command, each read top-down; `group.py` turns mistakes into one line and exit code 2,
`output.py` is all that writes. What comes in are arguments and files; what goes out is text, files and an exit code. Needs the
extra `multigene[cli]`.
"""

from __future__ import annotations

from typing import Annotated

import typer

from multigene.cli import compare as _compare
from multigene.cli import demo as _demo
from multigene.cli import export as _export
from multigene.cli import fit as _fit
from multigene.cli import look as _look
from multigene.cli import predict as _predict
from multigene.cli import report as _report
from multigene.cli import settings as _settings
from multigene.cli import show as _show
from multigene.cli import studio as _studio
from multigene.cli import verify as _verify
from multigene.cli.group import Commands, study_group

app = typer.Typer(
    name="multigene",
    cls=Commands,
    help="Find formulas in data: symbolic regression by multi-gene genetic programming.",
    epilog="Start with `multigene demo`, then `multigene fit data.csv --target y`. Every command has "
    "its own --help with examples.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from multigene import __version__

        typer.echo(f"multigene {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_version, is_eager=True, help="Print the version and stop."),
    ] = False,
) -> None:
    pass


app.command(epilog=_fit.EPILOG)(_fit.fit)
app.command(epilog=_look.EPILOG)(_look.look)
app.command(epilog=_predict.EPILOG)(_predict.predict)
app.command(epilog=_show.EPILOG)(_show.show)
app.command(epilog=_export.EPILOG)(_export.export)
app.command(epilog=_verify.EPILOG)(_verify.verify)
app.command()(_report.report)
app.command(epilog=_compare.EPILOG)(_compare.compare)
app.command()(_demo.demo)
app.command(epilog=_settings.EPILOG)(_settings.settings)
app.command(epilog=_studio.EPILOG)(_studio.studio)


@app.command()
def study() -> None:
    """The paper's experiment, and comparisons of your own: problems, methods, statistics, tables."""
    study_group()  # `Commands.resolve_command` puts the real group here; this stands in the list of commands
