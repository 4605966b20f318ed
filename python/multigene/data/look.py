"""What a table is like: the kind of every column, gaps, outliers, duplicates, and what looks like a leak of the target.

`multigene look` prints it before anybody fits; nothing here changes the table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from multigene.data.constants import COMPARED_ROWS, COPY, FAR_OUT, FEWEST_COMPARED, SENTINELS
from multigene.data.dates import Form, parsed_dates
from multigene.data.encoding.raw import names_rows
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
    told = {} if target is None else leaks(frame, target)
    columns = tuple(
        _column(str(name), frame[name], table.units.get(str(name), ""), told.get(str(name), ""))
        for name in frame.columns
    )
    duplicates = _repeated(frame) if len(frame) else 0
    remarks = list(table.notes)
    if duplicates:
        remarks.append(
            f"{counted(duplicates, 'row')} {'repeats' if duplicates == 1 else 'repeat'} an earlier one"
        )
    if target is not None and frame[target].isna().any():
        remarks.append(f"{counted(int(frame[target].isna().sum()), 'row')} lack the target {target!r}")
    return Look(table.source, len(frame), duplicates, columns, tuple(remarks))


def _repeated(frame: pd.DataFrame) -> int:
    """Rows that repeat an earlier one; what need not have an order or a hash is compared as text."""
    columns = [frame.iloc[:, j] for j in range(frame.shape[1])]
    plain = [c.astype(str) if c.dtype == object else c for c in columns]
    return int(pd.concat(plain, axis=1, keys=range(len(plain))).duplicated().sum())


def _with_dates(column: pd.Series) -> tuple[pd.Series, Form]:
    """A column of texts that are all dates as dates, and how they are written; others as they are."""
    texts = column.dropna()
    if not len(texts) or pd.api.types.is_numeric_dtype(column) or not isinstance(texts.iloc[0], str):
        return column, ""
    levels = list(pd.unique(texts.astype(str)))
    read = parsed_dates(levels)
    if read is None:
        return column, ""
    moments = dict(zip(levels, pd.to_datetime(read[0], unit="D").round("ms"), strict=True))
    return pd.to_datetime(column.map(moments)), read[1]


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


def _column(name: str, column: pd.Series, unit: str, leak: str) -> ColumnLook:
    column, form = _with_dates(column)
    kind, present = kind_of(column), column.dropna()
    gaps, distinct, outliers = int(column.isna().sum()), int(column.nunique()), 0
    remarks = [
        text
        for text in (leak, f"is read with the {form.removesuffix(' first')} first" if form else "")
        if text
    ]
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
        if names_rows(name, values):
            remarks.append("numbers the rows; a fit leaves it out")
        elif distinct == len(present) > 20 and np.all(np.diff(values) == 1.0):
            remarks.append("counts the rows")
    elif kind in ("date", "duration"):
        shown = " … ".join(str(value).removesuffix(" 00:00:00") for value in (present.min(), present.max()))
    else:
        common = present.astype(str).value_counts()
        levels = [str(level)[:20] for level in common.index[:3]]
        shown = ", ".join(levels) + (f" and {distinct - 3} more" if distinct > 3 else "")
        if kind == "text":
            remarks.append("nearly every row has its own text")
    if distinct == 1 and not gaps:
        remarks.append("is the same in every row")
    return ColumnLook(name, kind, unit, gaps, distinct, shown, outliers, tuple(remarks))


def leaks(frame: pd.DataFrame, target: str) -> dict[str, str]:
    """Columns that say what is to be explained, and how: the same values, a multiple, the same order, a text for every value.

    Where there is one other column alone, that it tells the target is what there is to find.
    """
    others = [str(name) for name in frame.columns if str(name) != target]
    y = frame[target]
    if len(frame) < FEWEST_COMPARED or not pd.api.types.is_numeric_dtype(y):
        return {}
    found = {name: _leak(frame[name], y, target, len(others) > 1) for name in others}
    return {name: how for name, how in found.items() if how}


def _leak(column: pd.Series, y: pd.Series, target: str, several: bool) -> str:
    """How a column tells the target, or nothing."""
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_datetime64_any_dtype(column):
        return ""
    present = (column.notna() & y.notna()).to_numpy()
    column, y = column[present].iloc[:COMPARED_ROWS], y[present].iloc[:COMPARED_ROWS]
    values = y.to_numpy(dtype=np.float64)
    if len(column) < FEWEST_COMPARED or len(np.unique(values)) < FEWEST_COMPARED:
        return ""
    if not pd.api.types.is_numeric_dtype(column):
        return _told_by_text(column, y, target)
    x = column.to_numpy(dtype=np.float64)
    if np.array_equal(x, values):
        return f"is a copy of {target!r}"
    if (
        not several
        or len(np.unique(x)) < FEWEST_COMPARED
        or not np.isfinite(x).all()
        or not np.isfinite(values).all()
    ):
        return ""
    if _correlation(*(np.asarray(pd.Series(each).rank(), dtype=np.float64) for each in (x, values))) < COPY:
        return ""
    if _correlation(x, values) >= COPY:
        return f"is {target!r} times a number, or nearly so; it may be made of it"
    return f"orders the rows as {target!r} does; it may be made of it"


def _correlation(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> float:
    """The absolute correlation, of numbers of any size."""
    x, y = x / np.abs(x).max(), y / np.abs(y).max()
    return abs(float(np.corrcoef(x, y)[0, 1]))


def _told_by_text(column: pd.Series, y: pd.Series, target: str) -> str:
    """Whether every level of a text stands for one value of the target, where levels and values repeat."""
    levels = column.astype(str)
    if not FEWEST_COMPARED <= levels.nunique() <= 0.5 * len(levels):
        return ""
    spans = y.groupby(levels.to_numpy())
    one_each = bool((spans.min() == spans.max()).all())
    return f"has one value of {target!r} for each of its texts; it may be made of it" if one_each else ""
