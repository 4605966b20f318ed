"""Blocks of a page, run as printed one after the other, but with little time to search, and studies as one tiny run.

    python page_commands.py --page page.py    runs a page: its Python blocks, and `shell("…")` where it has commands
    python page_commands.py fit data.csv …    is `multigene` for a shell that runs pipes and redirections

A plain `multigene …` runs in the process of the page, which saves the second it takes to start.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
from pathlib import Path

#: Commands that search; of an option given twice the last one counts.
SEARCHING = ("fit", "demo", "compare")


def shortened(arguments: list[str]) -> list[str]:
    """The same command line with half a second to search."""
    if arguments[0] in SEARCHING and not {"--generations", "-g", "--help"} & set(arguments):
        return [*arguments, "--time", "0.5"]
    if arguments[0] == "studio" and "--help" not in arguments:
        # The studio serves until Ctrl-C, which comes as soon as it can be served.
        threading.Timer(4.0, os.kill, [os.getpid(), signal.SIGINT]).start()
        return [*arguments, "--no-browser"]
    if arguments[:2] == ["study", "run"]:
        method = [] if "--method" in arguments else ["--method", "baseline", "--method", "UB"]
        problem = [] if "--csv" in arguments else ["--problem", "S2D"]
        return [*arguments, "--seeds", "1", "--generations", "2", "--jobs", "1", "--quiet", *method, *problem]
    return arguments


def multigene(arguments: list[str]) -> int:
    """The exit code of a command line."""
    import typer

    from multigene.cli import app

    group = typer.main.get_command(app)
    return int(group.main(shortened(arguments), prog_name="multigene", standalone_mode=False) or 0)


def shell(commands: str) -> None:
    """Run the lines of a block; the first one that fails ends it with an error."""
    for line in filter(None, map(str.strip, commands.splitlines())):
        print(f"$ {line}", flush=True)
        words = shlex.split(line, comments=True)
        if words[0] == "multigene" and not any(set(word) <= set("|<>&;") for word in words):
            code = multigene(words[1:])
        else:
            code = subprocess.run(["bash", "-euo", "pipefail", "-c", line], check=False).returncode
        if code != 0:
            sys.exit(f"{line!r} ended with exit code {code}")


def run(page: str) -> None:
    """A page; what it runs in other processes must not run it again, so it is not the main module."""
    exec(compile(Path(page).read_text("utf-8"), page, "exec"), {"__name__": "page", "shell": shell})


if __name__ == "__main__":
    if sys.argv[1] == "--page":
        run(sys.argv[2])
    else:
        sys.exit(multigene(sys.argv[1:]))
