"""What a table is like: the kind of every column, gaps, outliers, duplicates, and what looks like a leak of the target.

`multigene look` prints it before anybody fits; nothing here changes the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from multigene.data.constants import COMPARED_ROWS, COPY, FAR_OUT, SENTINELS
from multigene.data.table import Table
from multigene.words import counted


@dataclass(frozen=True)
class ColumnLook:
    """One column: its kind, how many gaps and distinct values, its range, and what is remarkable."""

    name: str
    kind: str
    unit: str
    gaps: int
    distinct: int
    values: str
    outliers: int = 0
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Look:
    """A whole table."""

    source: str
    rows: int
    duplicates: int
    columns: tuple[ColumnLook, ...]
    remarks: tuple[str, ...] = field(default=())

    def as_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        columns = [{**vars(column), "remarks": list(column.remarks)} for column in self.columns]
        return {**vars(self), "columns": columns, "remarks": list(self.remarks)}


def look(table: Table, target: str | None = None) -> Look:
    """Look at a table; with a target also for columns that copy it."""
    frame = table.frame
    columns = tuple(
        _column(str(name), frame[name], table.units.get(str(name), ""), _copies(frame, str(name), target))
        for name in frame.columns
    )
    duplicates = _repeated(frame) if len(frame) else 0
    remarks = list(table.notes)
    if duplicates:
        remarks.append(f"{counted(duplicates, 'row')} repeat an earlier one")
    if target is not None and frame[target].isna().any():
        remarks.append(f"{counted(int(frame[target].isna().sum()), 'row')} lack the target {target!r}")
    return Look(table.source, len(frame), duplicates, columns, tuple(remarks))


def _repeated(frame: pd.DataFrame) -> int:
    """Rows that repeat an earlier one; what need not have an order or a hash is compared as text."""
    columns = [frame.iloc[:, j] for j in range(frame.shape[1])]
    plain = [c.astype(str) if c.dtype == object else c for c in columns]
    return int(pd.concat(plain, axis=1, keys=range(len(plain))).duplicated().sum())


def kind_of(column: pd.Series) -> str:
    """What a column holds: "number", "yes or no", "date", "duration", "category", "text" or "empty"."""
    types = pd.api.types
    if column.isna().all():
        return "empty"
    if types.is_bool_dtype(column):
        return "yes or no"
    if types.is_datetime64_any_dtype(column):
        return "date"
    if types.is_timedelta64_dtype(column):
        return "duration"
    if types.is_numeric_dtype(column):
        return "number"
    return "category" if column.nunique() <= max(20, 0.5 * column.count()) else "text"


def _short(value: float) -> str:
    """A number in few characters; thousands are written out."""
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e7 else f"{value:.4g}"


def _column(name: str, column: pd.Series, unit: str, copies: Sequence[str]) -> ColumnLook:
    kind, present = kind_of(column), column.dropna()
    gaps, distinct, remarks, outliers = int(column.isna().sum()), int(column.nunique()), list(copies), 0
    if kind == "number":
        values = present.to_numpy(dtype=np.float64)
        low, first, middle, third, high = np.percentile(values, [0, 25, 50, 75, 100])
        shown = " … ".join(_short(value) for value in (low, middle, high))
        reach = FAR_OUT * (third - first)
        if reach > 0.0:
            outliers = int(np.sum((values < first - reach) | (values > third + reach)))
        for sentinel in SENTINELS:
            often = int(np.sum(values == sentinel))
            if often > 1 and sentinel in (low, high):
                remarks.append(f"{sentinel:g} stands {often} times and may mean a gap")
        if distinct == len(present) > 20 and np.all(np.diff(values) == 1.0):
            remarks.append("counts the rows")
    elif kind in ("date", "duration"):
        shown = f"{present.min()} … {present.max()}"
    else:
        common = present.astype(str).value_counts()
        levels = [str(level)[:20] for level in common.index[:3]]
        shown = ", ".join(levels) + (f" and {distinct - 3} more" if distinct > 3 else "")
        if kind == "text":
            remarks.append("nearly every row has its own text")
    if distinct == 1 and not gaps:
        remarks.append("is the same in every row")
    return ColumnLook(name, kind, unit, gaps, distinct, shown, outliers, tuple(remarks))


def _copies(frame: pd.DataFrame, name: str, target: str | None) -> list[str]:
    """Whether a column says what is to be explained: the same values, or the same order of them."""
    if target is None or name == target or len(frame) < 10:
        return []
    pair = frame[[name, target]].iloc[:COMPARED_ROWS].dropna()
    if len(pair) < 10 or not all(pd.api.types.is_numeric_dtype(pair[c]) for c in (name, target)):
        return []
    x, y = pair[name].to_numpy(dtype=np.float64), pair[target].to_numpy(dtype=np.float64)
    if np.array_equal(x, y):
        return [f"is a copy of {target!r}"]
    if np.ptp(x) == 0.0 or np.ptp(y) == 0.0 or len(np.unique(x)) < 10:
        return []
    ranks = [pd.Series(values).rank().to_numpy() for values in (x, y)]
    if abs(np.corrcoef(ranks[0], ranks[1])[0, 1]) >= COPY:
        return [f"orders the rows as {target!r} does; it may be made of it"]
    return []
