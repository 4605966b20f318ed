"""The paper's own results, as printed in its tables: what every table of ours shows beside our numbers."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Literal

Verdict = Literal["better", "same", "worse"]


@dataclass(frozen=True)
class PaperCell:
    """One row of one of the paper's tables 3 and 4 (toys) or 6 to 14 (realistic problems)."""

    train_median: float
    train_min: float
    train_max: float
    test_median: float
    test_min: float
    test_max: float
    verdict: Verdict | None
    lcf_share: float | None
    depth: float | None


def _rows(name: str) -> list[dict[str, str]]:
    text = (resources.files("multigene.study") / "data" / name).read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


@lru_cache(maxsize=1)
def cells() -> dict[tuple[str, str], PaperCell]:
    """The paper's results by problem and configuration."""
    made = {}
    for row in _rows("paper_tables.csv"):
        made[row["problem"], row["configuration"]] = PaperCell(
            train_median=float(row["train_median"]),
            train_min=float(row["train_min"]),
            train_max=float(row["train_max"]),
            test_median=float(row["test_median"]),
            test_min=float(row["test_min"]),
            test_max=float(row["test_max"]),
            verdict=_verdict(row["versus_baseline"]),
            lcf_share=float(row["lcf_share"]) if row["lcf_share"] else None,
            depth=float(row["mean_depth"]) if row["mean_depth"] else None,
        )
    return made


@lru_cache(maxsize=1)
def summary() -> dict[str, dict[Verdict, int]]:
    """The paper's table 5: on how many of the nine realistic problems a configuration beats or loses to the
    baseline.
    """
    return {
        row["configuration"]: {
            "better": int(row["better"]),
            "same": int(row["same"]),
            "worse": int(row["worse"]),
        }
        for row in _rows("paper_summary.csv")
    }


def _verdict(text: str) -> Verdict | None:
    known: dict[str, Verdict] = {"better": "better", "same": "same", "worse": "worse"}
    return known.get(text)
