"""What `laws.py` reports beside its table: random laws by size and number of variables, and every run as a row of a CSV file."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.law_sets import Law
from benchmarks.random_laws import RandomLaw

FIELDS = (
    "condition", "law", "seed", "variables", "law_size", "solved", "right", "tidy", "left", "seconds", "size", "leaves",
    "claimed", "false_by_r2", "false_by_rows", "irrelevant", "formula",
)  # fmt: skip


def groups(laws: Sequence[Law]) -> dict[str, list[Law]]:
    """The laws by class of size, then by number of variables."""
    sizes = sorted(laws, key=lambda law: law.nodes if isinstance(law, RandomLaw) else 0)
    found: dict[str, list[Law]] = {}
    for law in sizes:
        if isinstance(law, RandomLaw):
            found.setdefault(law.size_class, []).append(law)
    for law in sorted(laws, key=lambda law: len(law.ranges)):
        found.setdefault(f"{len(law.ranges)} variable(s)", []).append(law)
    return found


def by_group(
    title: str,
    runs: Sequence[tuple[Law, list[Any]]],
    columns: Sequence[str],
    row: Callable[[str, list[Any]], tuple[str, ...]],
) -> Table:
    """The columns of the table of laws, a line for every group of laws."""
    table = Table("group", *columns, title=f"{title}: by size and number of variables")
    of = {law.name: outcomes for law, outcomes in runs}
    for name, laws in groups([law for law, _ in runs]).items():
        if name.startswith("1 v"):
            table.add_section()
        table.add_row(*row(name, [outcome for law in laws for outcome in of[law.name]]))
    return table


def write(path: str | Path, runs: Sequence[tuple[Any, Law, list[Any]]]) -> None:
    """Every run: the condition, the law, and what came of each seed."""
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        for condition, law, outcomes in runs:
            for seed, o in enumerate(outcomes):
                claim = ("", "", "") if o.claim is None else (
                    int(o.claim.false_by_r2), int(o.claim.false_by_rows), o.claim.irrelevant
                )  # fmt: skip
                nodes = law.nodes if isinstance(law, RandomLaw) else law.size
                about = (str(condition), law.name, seed, len(law.ranges), nodes)
                worth = (
                    int(o.solved),
                    int(o.right),
                    int(o.tidy),
                    f"{o.left:.4g}",
                    f"{o.seconds:.3f}",
                    o.size,
                    o.leaves,
                )
                writer.writerow((*about, *worth, int(o.claim is not None), *claim, o.text))
