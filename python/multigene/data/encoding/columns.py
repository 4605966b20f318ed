"""The kinds of numeric columns that stand for a raw one, and the names by which formulas print them.

A kind knows its text and its values. How a programming language spells it stands in `export/derived.py`; nothing else needs to
know the kinds.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from multigene.data.encoding.raw import Floats, Kind, RawColumn

#: Days of a period, and the day since 1970 on which one begins: a year on 1 January, a week on a Monday.
PERIODS = {"year": (365.2425, 0.0), "week": (7.0, 4.0), "day": (1.0, 0.0)}
#: Days of a unit of elapsed time.
UNITS = {"years": 365.2425, "days": 1.0, "hours": 1.0 / 24.0, "seconds": 1.0 / 86400.0}


def name_text(source: str) -> str:
    """A raw column's name within the text of a column made of it."""
    return source if source.isidentifier() else "`" + source.replace("`", "``") + "`"


def level_text(level: str) -> str:
    """A level within quotes."""
    return '"' + level.replace("\\", "\\\\").replace('"', '\\"') + '"'


@dataclass(frozen=True)
class Plain:
    """A column of numbers as it is."""

    source: str
    raw: ClassVar[Kind] = "number"
    condition: ClassVar[bool] = False

    @property
    def text(self) -> str:
        """How formulas print it."""
        return self.source

    def values(self, column: RawColumn) -> Floats:
        """The numbers; a gap is an error, since there was none in the training rows."""
        gaps = np.flatnonzero(column.gaps)
        if len(gaps):
            raise ValueError(
                f"Column {self.source!r} is NaN in row {gaps[0]}, and the training rows had no gaps there; "
                "fill the value in or leave the row out."
            )
        return column.values


@dataclass(frozen=True)
class Filled:
    """A column of numbers whose gaps are filled by one."""

    source: str
    value: float
    raw: ClassVar[Kind] = "number"
    condition: ClassVar[bool] = False

    @property
    def text(self) -> str:
        """How formulas print it."""
        return f"filled({name_text(self.source)}, {self.value:.10g})"

    def values(self, column: RawColumn) -> Floats:
        """The numbers, or the one for gaps."""
        return np.where(column.gaps, self.value, column.values)


@dataclass(frozen=True)
class Missing:
    """1 where a column has no value."""

    source: str
    raw: Kind = "number"
    condition: ClassVar[bool] = True

    @property
    def text(self) -> str:
        """How formulas print it."""
        return f"missing({name_text(self.source)})"

    def values(self, column: RawColumn) -> Floats:
        """1 or 0."""
        return column.gaps.astype(np.float64)


@dataclass(frozen=True)
class Level:
    """1 where a column of text has one of some levels."""

    source: str
    levels: tuple[str, ...]
    raw: ClassVar[Kind] = "text"
    condition: ClassVar[bool] = True

    @property
    def text(self) -> str:
        """How formulas print it."""
        if len(self.levels) == 1:
            return f"{name_text(self.source)} == {level_text(self.levels[0])}"
        return f"{name_text(self.source)} in ({', '.join(map(level_text, self.levels))})"

    def values(self, column: RawColumn) -> Floats:
        """1 or 0; 0 for gaps."""
        return column.lookup(np.array([float(level in self.levels) for level in column.levels]), 0.0)


@dataclass(frozen=True)
class Scored:
    """A number for every level of a column of text: its mean of the target, shrunk, its rank, or its place among the groups."""

    source: str
    word: Literal["mean", "rank", "place"]
    scores: tuple[tuple[str, float], ...]
    otherwise: float
    """The number of levels that were not among the training rows, and of gaps."""
    raw: ClassVar[Kind] = "text"
    condition: ClassVar[bool] = False

    @property
    def text(self) -> str:
        """How formulas print it."""
        return f"{self.word}_of({name_text(self.source)})"

    def values(self, column: RawColumn) -> Floats:
        """The number of every row's level."""
        return scored(column, self.scores, self.otherwise)


@dataclass(frozen=True)
class Own:
    """A number of the formula that every group has for itself; groups are the levels of a column."""

    source: str
    symbol: str
    scores: tuple[tuple[str, float], ...]
    otherwise: float
    """The pooled number: that of new groups, and of rows without one."""
    precision: float = 0.0
    """How much a deviation from the pooled number is held back (`groups/own.py`)."""
    spread: float = 0.0
    """Standard deviation of the groups' numbers around the pooled one."""
    raw: ClassVar[Kind] = "text"
    condition: ClassVar[bool] = False

    @property
    def text(self) -> str:
        """How formulas print it."""
        return f"{self.symbol}[{name_text(self.source)}]"

    def values(self, column: RawColumn) -> Floats:
        """The number of every row's group."""
        return scored(column, self.scores, self.otherwise)


def scored(column: RawColumn, scores: tuple[tuple[str, float], ...], otherwise: float) -> Floats:
    """The number of every row's level; `otherwise` for levels without one and for gaps."""
    known = dict(scores)
    table = np.array([known.get(level, otherwise) for level in column.levels], dtype=np.float64)
    return column.lookup(table, otherwise)


@dataclass(frozen=True)
class Elapsed:
    """Time since a moment, in a unit; gaps are filled by a number."""

    source: str
    since: float
    """Days since 1970-01-01."""
    unit: str
    value: float
    raw: ClassVar[Kind] = "date"
    condition: ClassVar[bool] = False

    @property
    def text(self) -> str:
        """How formulas print it."""
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(days=self.since)
        shown = moment.date().isoformat() if moment.time() == datetime.time() else moment.isoformat(" ")
        return f"{self.unit}({name_text(self.source)} since {shown})"

    def values(self, column: RawColumn) -> Floats:
        """Elapsed time."""
        elapsed = (column.values - self.since) / UNITS[self.unit]
        return np.where(column.gaps, self.value, elapsed)


@dataclass(frozen=True)
class Cyclic:
    """Sine or cosine of where in the year, the week or the day a moment lies; 0 for gaps."""

    source: str
    function: Literal["sin", "cos"]
    period: str
    raw: ClassVar[Kind] = "date"
    condition: ClassVar[bool] = False

    @property
    def text(self) -> str:
        """How formulas print it."""
        return f"{self.function}_{self.period}({name_text(self.source)})"

    @property
    def angle(self) -> tuple[float, float]:
        """Radians per day, and the day on which the angle is 0."""
        days, begin = PERIODS[self.period]
        return 2.0 * math.pi / days, begin

    def values(self, column: RawColumn) -> Floats:
        """The wave."""
        rate, begin = self.angle
        wave = getattr(np, self.function)(rate * (column.values - begin))
        return np.where(column.gaps, 0.0, wave)


Column = Plain | Filled | Missing | Level | Scored | Own | Elapsed | Cyclic
KINDS: dict[str, type[Any]] = {
    each.__name__.lower(): each for each in (Plain, Filled, Missing, Level, Scored, Own, Elapsed, Cyclic)
}


class ColumnName(str):
    """The name of a column made of a raw one: its text, and what it is.

    Formulas, tables and files that want a text have one; writers of other languages ask for `column`, and for `place`, the
    position of the raw column in the table.
    """

    __slots__ = ("column", "place")
    column: Column
    place: int

    def __new__(cls, column: Column, place: int) -> ColumnName:
        """The name of a column whose raw one stands at a place."""
        made = super().__new__(cls, column.text)
        made.column, made.place = column, place
        return made

    @property
    def stands_for(self) -> bool:
        """Is it what people mean by the name of the raw column: its numbers with gaps filled, the time since its first moment?"""
        return isinstance(self.column, Filled | Elapsed)

    def __reduce__(self) -> tuple[Any, ...]:
        return ColumnName, (self.column, self.place)


def spoken_places(names: Sequence[str]) -> dict[str, int]:
    """Numeric columns by every name that people may call them by: their own, or that of the raw column they stand for."""
    places = {str(name): place for place, name in enumerate(names)}
    for place, name in enumerate(names):
        if isinstance(name, ColumnName) and name.stands_for:
            places.setdefault(name.column.source, place)
    return places


def made_of(names: Sequence[str], source: str) -> list[str]:
    """The numeric columns that were made of a raw one that none of them stands for, such as one of text."""
    return [str(name) for name in names if isinstance(name, ColumnName) and name.column.source == source]
