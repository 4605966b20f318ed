"""Front of the benchmarks: `python -m benchmarks` runs all, `python -m benchmarks nodes` the named ones.

Most take their options from environment variables (see their modules). Those of `WITH_OPTIONS` take options after the name:
`python -m benchmarks sizes --help`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from itertools import takewhile

from rich.console import Console

#: Modules of this package with a `run()`, in the order in which they are printed.
BENCHMARKS = (
    "nodes",
    "generations",
    "paper",
    "versus",
    "sizes",
    "ablation",
    "small_data",
    "memory",
    "time_limit",
    "study_overhead",
    "choice",
    "prune",
    "report",
    "studio",
    "laws",
    "calibration",
    "guesses",
    "forms",
    "losses",
    "fingerprints",
)
#: Those that need data or packages of their own, or take hours, and run only when they are named.
NAMED_ONLY = ("srbench", "readability", "raw_tables", "cluster", "classes", "shapes", "campaign")
#: Those whose `run` takes the options after the name.
WITH_OPTIONS = (
    "sizes",
    "losses",
    "srbench",
    "readability",
    "raw_tables",
    "cluster",
    "classes",
    "shapes",
    "campaign",
)


def main(arguments: Sequence[str]) -> None:
    """Run the named benchmarks and print their tables."""
    known = (*BENCHMARKS, *NAMED_ONLY)
    names = list(takewhile(lambda argument: not argument.startswith("-"), arguments))
    options = list(arguments[len(names) :])
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure multigene.")
    parser.add_argument(
        "names",
        nargs="*",
        metavar="name",
        help=f"one of: {', '.join(known)} (default: all but {', '.join(NAMED_ONLY)}); "
        f"{' and '.join(WITH_OPTIONS)} take options after the name",
    )
    takes_options = len(names) == 1 and names[0] in WITH_OPTIONS
    names = parser.parse_args(names if takes_options else arguments).names or list(BENCHMARKS)
    for name in names:
        if name not in known:
            parser.error(f"there is no benchmark {name!r}; choose from {', '.join(known)}")
    console = Console()
    if not console.is_terminal:
        console = Console(width=200)  # a file has no width to keep to
    for name in names:
        run = importlib.import_module(f"benchmarks.{name}").run
        console.print(run(options) if takes_options else run())


if __name__ == "__main__":
    main(sys.argv[1:])
