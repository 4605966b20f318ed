"""The command group: a mistake of the user becomes one line on standard error, never a traceback.

0 all is well; 2 a mistake in the call or the data; 130 ended by Ctrl-C before there was a model; 141 the
reader of our output went away. Anything else is an error of the program, and is shown as such.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

import typer
from typer.core import TyperGroup

from multigene.cli.output import ReaderGone, note, remark, sentence_of

OK, MISTAKE, INTERRUPTED, BROKEN_PIPE = 0, 2, 130, 141


class Commands(TyperGroup):
    """`multigene …` with the house's exit codes; `study` is imported only when it is asked for."""

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """Run a command line; ends the process with its exit code."""
        code = self._exit_code(*args, **extra)
        if standalone_mode:
            sys.exit(code)
        return code

    def _exit_code(self, *args: Any, **extra: Any) -> int:
        # Whoever closes standard output or error wants nothing there.
        sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - for as long as the process lives
        sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
        try:
            with warnings.catch_warnings():  # what a warning says is for users, where it was raised is not
                warnings.showwarning = lambda message, *_, **__: note(str(message))
                result = super().main(*args, **extra | {"standalone_mode": False})
            sys.stdout.flush()
            if result == INTERRUPTED:  # some versions of Typer turn Ctrl-C into this exit code themselves
                complain("interrupted")
            return result if isinstance(result, int) else OK
        except (ReaderGone, BrokenPipeError):
            return reader_gone()
        except SystemExit as end:
            # Rich and Typer, which print the help, end the process themselves where nobody reads it.
            if not isinstance(end.__context__, BrokenPipeError):
                raise
            return reader_gone()
        except (KeyboardInterrupt, typer.Abort):
            complain("interrupted")
            return INTERRUPTED
        except (ValueError, OSError) as error:
            if os.environ.get("MULTIGENE_TRACEBACK"):
                raise
            complain(sentence_of(error))
            return MISTAKE
        except Exception as error:
            # Typer's own usage errors; versions of Typer differ in where those classes live.
            if not hasattr(error, "format_message"):
                raise
            if type(error).__name__ == "NoArgsIsHelpError":
                typer.echo(error.format_message())  # empty when Rich has printed the help already
                return MISTAKE
            complain(usage(error))
            return MISTAKE

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command; `study` is a group of its own that other commands need not load."""
        if args and args[0] == "study":
            return "study", study_group(), args[1:]
        return super().resolve_command(ctx, args)


def reader_gone() -> int:
    """The exit code where nobody reads our output any more."""
    # The interpreter flushes standard output once more at its end; give it something that takes it.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return BROKEN_PIPE


def study_group() -> Any:
    """The command group of the paper's experiment."""
    try:
        from multigene.study.cli import app
    except ImportError as error:
        raise ValueError(
            f"`multigene study` cannot be loaded ({error}); install what it needs with pip install "
            "'multigene[study]'."
        ) from None
    return typer.main.get_command(app)


def complain(sentence: str) -> None:
    """One line on standard error."""
    line = " ".join(sentence.split())
    remark(f"multigene: {line}")


def usage(error: Any) -> str:
    """A usage error of Typer in one line, with the way to the right usage."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "multigene"
    return f"{str(error.format_message()).strip().rstrip('.')}; see `{path} --help`."
