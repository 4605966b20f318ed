"""Running commands in tests: in this process and in another, and what they work on."""

from __future__ import annotations

import subprocess
import sys

import pandas as pd
from typer.testing import CliRunner

from multigene.cli import app

QUICK = ["-c", "UB", "-g", "4", "--threads", "1", "--set", "population_size=15"]


def run(*arguments: str, stdin: bytes | None = None):
    return CliRunner().invoke(app, [str(a) for a in arguments], input=stdin, prog_name="multigene")


def process(*arguments: str, **options):
    return subprocess.run(
        [sys.executable, "-m", "multigene", *map(str, arguments)], capture_output=True, timeout=300, **options
    )


def exact(source):
    """A CSV file with every digit of its numbers, whichever version of pandas reads it."""
    return pd.read_csv(source, dtype=str).map(float)


def xy(path):
    frame = pd.read_csv(path)
    return frame[["x1", "x2"]], frame["y"]
