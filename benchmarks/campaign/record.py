"""A campaign in pieces: a line for each check and seed that was run, in a CSV file, and the sums of what counts.

Of a check that was run again with the same seed, the last line counts: a case that failed is tried again once it is mended.
"""

from __future__ import annotations

import csv
import subprocess
from collections.abc import Iterable
from pathlib import Path

from benchmarks.campaign.outcome import Outcome

COLUMNS = ("check", "seed", "tried", "refused", "failed", "seconds", "largest", "worst", "commit")
#: The file that the documentation's table is made of (`docs/reliability.md`).
KEPT = Path(__file__).with_name("record.csv")


def add(path: Path, check: str, seed: int, outcome: Outcome, seconds: float) -> None:
    """One more line; the file is made where there is none."""
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(COLUMNS)
        counts = (outcome.tried, outcome.refused, outcome.failed)
        largest = f"{outcome.largest:.6g}"
        worst = " ".join(outcome.worst.split())
        writer.writerow((check, seed, *counts, f"{seconds:.1f}", largest, worst, _commit()))


def _commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(
            command, capture_output=True, text=True, check=True, cwd=Path(__file__).parent
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def totals(path: Path) -> dict[str, tuple[Outcome, float]]:
    """Sums over the seeds of each check, with their seconds."""
    with path.open(newline="", encoding="utf-8") as file:
        last = {(line["check"], line["seed"]): line for line in csv.DictReader(file)}
    sums: dict[str, tuple[Outcome, float]] = {}
    for (check, _), line in last.items():
        outcome, seconds = sums.get(check, (Outcome(), 0.0))
        outcome.tried += int(line["tried"])
        outcome.refused += int(line["refused"])
        fails, largest = int(line["failed"]), float(line["largest"])
        if (fails > 0, largest) > (outcome.failed > 0, outcome.largest):
            outcome.worst, outcome.largest = line["worst"], largest
        outcome.failed += fails
        sums[check] = outcome, seconds + float(line["seconds"])
    return sums


def page_table(checks: Iterable[tuple[str, int]], path: Path = KEPT) -> str:
    """The sums as Markdown, with the number of trials that is asked of each check."""
    done = totals(path)
    lines = [
        "| check | asked | tried | refused | failed | worst |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for name, asked in checks:
        outcome, _ = done.get(name, (Outcome(), 0.0))
        counts = " | ".join(f"{n:,}" for n in (asked, outcome.tried, outcome.refused, outcome.failed))
        worst = outcome.worst.replace("|", "\\|")[:100]
        lines.append(f"| {name} | {counts} | {worst} |")
    return "\n".join(lines)
