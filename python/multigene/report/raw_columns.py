"""Text, dates and gaps as people know them: what a page needs to set such a column by its own values, and which value a row has.

Formulas are made of numeric columns that stand for the raw ones (`data/encoding/`); a reader knows the raw ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene.data.encoding.columns import (
    UNITS,
    Column,
    Cyclic,
    Elapsed,
    Filled,
    Level,
    Missing,
    Own,
    Scored,
)
from multigene.fitted import FittedModel
from multigene.report.constants import KNOWN_LEVELS, MOST_LEVELS
from multigene.report.statistics import Floats, Rows


@dataclass(frozen=True)
class Raw:
    """A raw column: its name, kind and levels, and the places of the numeric columns made of it."""

    name: str
    kind: str
    levels: tuple[str, ...]
    columns: tuple[tuple[int, Column], ...]

    def of_levels(self) -> Floats:
        """What every level is in the numeric columns, and in the last row what a gap is."""
        return np.array([[level_value(c, level) for _, c in self.columns] for level in (*self.levels, None)])


def raws(model: FittedModel) -> Iterator[Raw]:
    """Raw columns of text and dates, and those of numbers that had gaps."""
    if model.encoding is None:
        return
    for source in model.encoding.sources:
        made = tuple((j, c) for j, c in enumerate(model.encoding.columns) if c.source == source.name)
        if made and (source.kind != "number" or any(isinstance(c, Filled | Missing) for _, c in made)):
            yield Raw(source.name, source.kind, source.levels, made)


def level_value(column: Column, level: str | None) -> float:
    """What a numeric column is where the raw one has this level, or none."""
    if isinstance(column, Level):
        return float(level in column.levels)
    if isinstance(column, Missing):
        return float(level is None)
    assert isinstance(column, Scored | Own)
    return dict(column.scores).get(level or "", column.otherwise) if level is not None else column.otherwise


def described(model: FittedModel, rows: Rows | None) -> list[dict[str, Any]]:
    """Every raw column for the page's script: how its value becomes numbers, and a value to begin with."""
    said: list[dict[str, Any]] = []
    for raw in raws(model):
        each: dict[str, Any] = {"name": raw.name, "kind": raw.kind, "features": [j for j, _ in raw.columns]}
        if raw.kind == "text":
            values = raw.of_levels()
            each["levels"] = list(raw.levels[:MOST_LEVELS])
            each["values"] = values[[*range(len(each["levels"])), -1]].tolist()
            each["start"] = 0 if rows is None else _commonest(raw, rows)
        else:
            each["how"] = [_how(column) for _, column in raw.columns]
        said.append(each)
    return said


def _how(column: Column) -> dict[str, Any]:
    """How a number, or a date as days since 1970-01-01, becomes the number of a column; `gap` is that of no value."""
    if isinstance(column, Elapsed):
        return {"as": "elapsed", "since": column.since, "days": UNITS[column.unit], "gap": column.value}
    if isinstance(column, Cyclic):
        rate, begin = column.angle
        return {"as": column.function, "rate": rate, "begin": begin, "gap": 0.0}
    if isinstance(column, Missing):
        return {"as": "missing", "gap": 1.0}
    return {"as": "value", "gap": column.value if isinstance(column, Filled) else None}


def _commonest(raw: Raw, rows: Rows) -> int:
    codes = level_codes(raw, rows)
    found = codes[(codes >= 0) & (codes < min(len(raw.levels), MOST_LEVELS))]
    return int(np.bincount(found).argmax()) if len(found) else 0


def level_codes(raw: Raw, rows: Rows) -> npt.NDArray[np.intp]:
    """Which level every row has, by its place; of levels that formulas cannot tell apart the first, and -1 for none of them."""
    given = rows.X[:, [j for j, _ in raw.columns]]
    codes = np.full(len(given), -1, dtype=np.intp)
    for place, values in reversed(list(enumerate(raw.of_levels()))):
        codes[np.all(given == values, axis=1)] = place
    return codes


def told_apart(raw: Raw, rows: Rows) -> list[tuple[str, npt.NDArray[np.bool_]]]:
    """The rows of every level that formulas can tell from others, with what to call them; nothing where levels are not known."""
    if raw.kind != "text":
        return []
    codes = level_codes(raw, rows)
    if np.mean(codes >= 0) < KNOWN_LEVELS:
        return []
    values = raw.of_levels()
    found = []
    for place in np.unique(codes[codes >= 0]).tolist():
        alike = int(np.all(values == values[place], axis=1).sum())
        name = "no value" if place == len(raw.levels) else raw.levels[place]
        found.append((name if alike == 1 else f"{name} or {alike - 1} others", codes == place))
    return found
