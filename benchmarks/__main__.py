"""Front of the benchmarks: `python -m benchmarks` runs all, `python -m benchmarks nodes` the named ones."""

from __future__ import annotations

import argparse
import importlib

from rich.console import Console

#: Modules of this package with a `run()`, in the order in which they are printed.
BENCHMARKS = (
    "nodes",
    "generations",
    "paper",
    "versus",
    "ablation",
    "small_data",
    "memory",
    "time_limit",
    "study_overhead",
    "choice",
    "prune",
    "report",
    "laws",
    "fingerprints",
)


def main() -> None:
    """Run the named benchmarks and print their tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure multigene's speed.")
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"one of: {', '.join(BENCHMARKS)} (default: all)"
    )
    names = parser.parse_args().names or BENCHMARKS
    for name in names:
        if name not in BENCHMARKS:
            parser.error(f"there is no benchmark {name!r}; choose from {', '.join(BENCHMARKS)}")
    console = Console()
    for name in names:
        console.print(importlib.import_module(f"benchmarks.{name}").run())


if __name__ == "__main__":
    main()
