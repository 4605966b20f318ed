"""The study's command line as an application: how its commands tell of errors. The commands are in `cli_run` and `cli_show`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import typer
from rich.console import Console
from typer.core import TyperCommand

from multigene.study.errors import StudyError

P = ParamSpec("P")
R = TypeVar("R")

app = typer.Typer(
    name="study",
    help="The paper's experiment, and your own comparisons: problems x methods x seeds, with statistics.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
errors = Console(stderr=True, soft_wrap=True, highlight=False)


def spoken_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Errors of the user become one sentence on stderr and exit code 2, never a traceback."""

    @functools.wraps(command)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except StudyError as error:
            errors.print(f"multigene study: {error}", markup=False)
            raise typer.Exit(2) from None
        except ImportError as error:
            errors.print(
                f"multigene study: {error}; install the extra with `pip install 'multigene[study]'`",
                markup=False,
            )
            raise typer.Exit(2) from None

    return wrapper


class StoreCommand(TyperCommand):
    """A command about a store; besides its argument it takes `--store FILE`, as `run` does."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the value of `--store` where the argument stands."""
        words = [
            part for word in args for part in (word.split("=", 1) if word.startswith("--store=") else [word])
        ]
        return super().parse_args(ctx, [word for word in words if word != "--store"])


class writing:
    """Turns a failure to write a file into a sentence."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            raise StudyError(f"{self.path} cannot be written: {error.strerror or error}") from error
