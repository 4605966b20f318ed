"""Is a law that a run claims to have found the law? What `laws.py` counts beside the laws that are solved.

A run claims a law when it ends because of one. The claim is false by R² when the formula leaves 1e-9 or more of the variance of
fresh rows unexplained, and false by rows when fewer than 95 % of the fresh rows are within 1e-6 of the truth, relative to the
row's own value: R² sees the largest values only. An irrelevant column (LAWS_IRRELEVANT) has no place in a claimed law.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.law_sets import IRRELEVANT, Floats

SOLVED = 1e-9
WITHIN, ROWS_WITHIN = 1e-6, 0.95

COLUMNS = ("claimed", "false by R²", "false by rows", "irrelevant columns")


@dataclass(frozen=True)
class Claim:
    """A law that was claimed, seen from fresh rows."""

    false_by_r2: bool
    false_by_rows: bool
    irrelevant: int
    """Irrelevant columns in it."""


def unexplained(predicted: Any, y: Floats) -> float:
    """Share of the variance of clean rows that a prediction leaves; infinite where it is no number."""
    with np.errstate(all="ignore"):
        left = float(
            np.sum((y - np.asarray(predicted, dtype=float).ravel()) ** 2) / np.sum((y - y.mean()) ** 2)
        )
    return left if np.isfinite(left) else np.inf


def checked(predicted: Any, truth: Floats, used: Sequence[str]) -> Claim:
    """A claim on fresh rows; `used` names the columns in the formula."""
    with np.errstate(all="ignore"):
        near = np.abs(np.asarray(predicted, dtype=float).ravel() - truth) <= WITHIN * np.abs(truth)
    return Claim(
        not unexplained(predicted, truth) < SOLVED,
        bool(np.mean(near) < ROWS_WITHIN),
        sum(name.startswith(IRRELEVANT) for name in used),
    )


def counts(claims: Sequence[Claim | None]) -> tuple[str, ...]:
    """The cells of a table: claims, how many of them are false, irrelevant columns in all of them."""
    made = [claim for claim in claims if claim is not None]
    return (
        f"{len(made)}",
        f"{sum(claim.false_by_r2 for claim in made)}",
        f"{sum(claim.false_by_rows for claim in made)}",
        f"{sum(claim.irrelevant for claim in made)}",
    )
