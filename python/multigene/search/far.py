"""Points far beyond the rows, where new rows lie now and then.

Of n rows and one more, each is the largest of a column with the same probability, so new rows leave the box of those before; now
and then by far. A column's own tail tells little about that (docs/tables.md). So every end of a column is tried at a fixed
distance, unless several rows share it: what is measured at chosen values, or cannot be beyond, has such ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from multigene.data.spread import evenly
from multigene.search.constants import ANY_ROWS, FAR, FAR_ROOM, FAR_ROWS, LONG_TAIL, MOST_FAR_POINTS

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class FarOut:
    """Points far beyond the rows, and times the target's range that predictions may leave it there."""

    points: Floats
    room: Floats

    @staticmethod
    def of(X: Floats) -> FarOut:
        """For every end of a column that one row alone has: this row, the next and some others with this column alone moved far
        beyond; and the first two with all of the row moved away from the middle of the rows, as where several columns measure
        the size of something."""
        low, high, middle = X.min(axis=0), X.max(axis=0), np.median(X, axis=0)
        some, planned = evenly(len(X), ANY_ROWS), list[_Point]()
        with np.errstate(all="ignore"):
            bottom, top = _ends(low, high)
            for column, values in enumerate(X.T):
                order = np.argsort(values, kind="stable")
                for outermost_last, end in ((order[::-1], bottom), (order, top)):
                    rows = outermost_last[-FAR_ROWS:]
                    if np.any(values[rows[-2:-1]] == values[rows[-1]]) or end[column] == values[rows[-1]]:
                        continue
                    room = FAR if _has_long_tail(values[outermost_last]) else FAR_ROOM
                    planned += [_Point(column, end[column], row, False, room) for row in (*rows, *some)]
                    planned += [_Point(column, end[column], row, True, room) for row in rows]
            taken = [planned[i] for i in evenly(len(planned), MOST_FAR_POINTS)]
            found = X[[each.row for each in taken]]
            away = np.array([each.away for each in taken], dtype=bool)
            found[away] = np.clip(middle + (1.0 + FAR) * (found[away] - middle), bottom, top)
            found[np.arange(len(taken)), [each.column for each in taken]] = [each.value for each in taken]
        kept = np.isfinite(found).all(axis=1)
        return FarOut(np.ascontiguousarray(found[kept]), np.array([each.room for each in taken])[kept])


class _Point(NamedTuple):
    """A row with one column moved far beyond, or with all of it moved `away` from the middle."""

    column: int
    value: float
    row: int
    away: bool
    room: float


def _has_long_tail(values: Floats) -> bool:
    """Is the last of ordered values many times as far from the middle as nine tenths of them?"""
    middle, most = values[len(values) // 2], values[int(0.9 * len(values))]
    return bool(abs(values[-1] - middle) > LONG_TAIL * abs(most - middle))


def _ends(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The box wider by far. What is never negative stays so, and what is positive, positive: logarithms and roots of it are as
    good as others."""
    margin = FAR * (high - low)
    bottom = np.where(low >= 0.0, np.maximum(low - margin, low / (1.0 + FAR)), low - margin)
    top = np.where(high <= 0.0, np.minimum(high + margin, high / (1.0 + FAR)), high + margin)
    return bottom, top
