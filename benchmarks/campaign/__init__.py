"""The reliability campaign: signals, kills, limits, fuzzing, hostile input and ordinary use, as one table of what failed.

    python -m benchmarks campaign [--quick] [--only NAME …] [--skip NAME …] [--trials N] [--seed N] [--record FILE]
    python -m benchmarks campaign --total FILE

Each check is tried many times with random cases and says how many failed, and which was the worst. `--quick` is for continuous
integration and takes about two minutes of one processor; the full run takes hours, and can be done in pieces: `--record` adds
the counts of each check to a file, another `--seed` tries other cases, and `--total` prints the sums. Exit code 1 if anything
failed. What it found and was mended has a test of its own (`docs/reliability.md`).
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.campaign import fits, kills, knowing, limits, processes, record, text
from benchmarks.campaign.outcome import Check, Outcome

#: Name, check, number of trials quickly and in full.
CHECKS: tuple[tuple[str, Check, int, int], ...] = (
    ("interrupts during fit", processes.interrupts, 3, 100),
    ("interrupts while the result is made", processes.late_interrupts, 3, 40),
    ("signals on the command line", processes.signals, 3, 45),
    ("kills of fits, resumed", kills.fits, 1, 40),
    ("kills of studies, resumed", kills.studies, 0, 15),
    ("time limits", limits.time_limits, 2, 45),
    ("memory over 100 fits", limits.growth, 10, 100),
    ("mutated model files", text.model_files, 300, 100_000),
    ("adversarial model files", text.adversarial_files, 20, 100),
    ("mutated tables", text.tables, 100, 20_000),
    ("random settings", text.settings, 200, 5_000),
    ("definitions of functions", text.definitions, 30, 2_000),
    ("exports and reports with hostile names", text.exports, 18, 4_000),
    ("random fits, extreme values", fits.extremes, 12, 10_000),
    ("same model again", fits.determinism, 3, 150),
    ("threads, fork, asyncio", fits.side_by_side, 1, 10),
    ("small noisy data against ridge", fits.small_noisy, 2, 1_000),
    ("never worse for knowing more", knowing.more, 2, 200),
)
#: The number of failures of a check that are told one by one, beside the table.
SHOWN = 20


def obey_signals() -> None:
    """A shell starts what it puts into the background with signals ignored, and so are those that checks send."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


def run(arguments: Sequence[str] = ("--quick",)) -> Table:
    """Run the checks and return their table; the process is to end with 1 where something failed."""
    obey_signals()
    parser = argparse.ArgumentParser(prog="python -m benchmarks campaign", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few trials of everything")
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", default=[], help="checks whose names begin like this"
    )
    parser.add_argument("--skip", nargs="+", metavar="NAME", default=[], help="all but these")
    parser.add_argument("--trials", type=int, metavar="N", help="number of trials of each check")
    parser.add_argument("--seed", type=int, default=0, help="another seed tries other cases")
    parser.add_argument("--record", type=Path, metavar="FILE", help="add what was counted to this CSV file")
    parser.add_argument("--total", type=Path, metavar="FILE", help="run nothing; sum up what a file holds")
    given = parser.parse_args(list(arguments))
    table = Table("check", "tried", "refused", "failed", "seconds", "worst")
    failed = 0
    for name, outcome, seconds in recorded(given.total) if given.total else tried(given):
        failed += outcome.failed
        table.add_row(name, *counts(outcome), f"{seconds:.0f}", outcome.worst)
    if failed:
        Console().print(table)
        sys.exit(1)
    return table


def recorded(path: Path) -> Iterator[tuple[str, Outcome, float]]:
    """What the runs of a file add up to."""
    for name, (outcome, seconds) in record.totals(path).items():
        yield name, outcome, seconds


def tried(given: argparse.Namespace) -> Iterator[tuple[str, Outcome, float]]:
    """Run the checks that are asked for, telling what failed beside the table."""
    console = Console(stderr=True)
    for name, check, few, many in CHECKS:
        trials = given.trials or (few if given.quick else many)
        named = not given.only or name.startswith(tuple(given.only))
        if not trials or not named or name.startswith(tuple(given.skip)):
            continue
        begun = time.perf_counter()
        outcome = check(np.random.default_rng([given.seed, len(name)]), trials)
        took = time.perf_counter() - begun
        if given.record:
            record.add(given.record, name, given.seed, outcome, took)
        said = "{} tried, {} refused with a sentence, {} failed".format(*counts(outcome))
        console.print(f"{name}: {said}, {took:.0f} s; {outcome.worst}", markup=False)
        for case in outcome.failures[:SHOWN]:
            console.print(f"  {case}", markup=False)
        yield name, outcome, took


def counts(outcome: Outcome) -> list[str]:
    """Trials, those refused with a sentence and those that failed, as text."""
    return [f"{count:,}" for count in (outcome.tried, outcome.refused, outcome.failed)]


def page_table() -> str:
    """The documentation's table of what has been run (`docs/reference.py`)."""
    return record.page_table((name, many) for name, _, _, many in CHECKS)


__all__ = ["CHECKS", "Outcome", "run"]
