"""How languages spell columns that are made of raw ones: levels, gaps, dates (`data/encoding/columns.py`).

A language says in a `Derived` how it compares text, tells a gap, counts days and chooses among numbers; `spelled` puts the
rest together. Text, LaTeX, MathML and SymPy write the column's own text; ONNX and PyTorch take the numeric columns themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from multigene.data.encoding.columns import (
    UNITS,
    ColumnName,
    Cyclic,
    Elapsed,
    Filled,
    Level,
    Missing,
    Own,
    Plain,
    Scored,
)

#: A condition and the number where it holds.
Choice = tuple[str, str]
#: Levels up to which numbers are chosen one after the other where a language has a table for more; R's parser takes 50 brackets
#: within each other, a spreadsheet 64.
FEW_LEVELS = 20


def chain(before: str, each: str, after: str) -> Callable[[Sequence[Choice], str], str]:
    """Choices one after the other: `each` of a condition and its number, then `after` with the number of all other rows."""

    def written(choices: Sequence[Choice], otherwise: str) -> str:
        return before + "".join(each.format(*choice) for choice in choices) + after.format(otherwise)

    return written


def nested(function: str, separator: str = ", ") -> Callable[[Sequence[Choice], str], str]:
    """Choices within each other: `f(condition, number, f(…))`."""

    def written(choices: Sequence[Choice], otherwise: str) -> str:
        text = "".join(f"{function}({c}{separator}{number}{separator}" for c, number in choices)
        return text + otherwise + ")" * len(choices)

    return written


def joined(sign: str) -> Callable[[Sequence[str]], str]:
    """Conditions, one at least to hold, with a sign between them."""
    return lambda conditions: conditions[0] if len(conditions) == 1 else f"({sign.join(conditions)})"


#: With the sign of most languages.
EITHER = joined(" || ")


def backslashed(level: str) -> str:
    """Text in double quotes as C and its kin have it."""
    marks = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return '"' + "".join(marks.get(c, c) for c in level) + '"'


def doubled(mark: str) -> Callable[[str], str]:
    """Text in quotes that are doubled within."""
    return lambda level: mark + level.replace(mark, mark * 2) + mark


@dataclass(frozen=True)
class Derived:
    """The spellings of a language; `{0}` is the raw column, `{1}` a level in quotes."""

    equal: str
    gap: Mapping[str, str]
    """The condition of a gap, for columns of the kind "number", "text" and "date"."""
    choices: Callable[[Sequence[Choice], str], str]
    days: str
    """Days since 1970-01-01 of a date."""
    either: Callable[[Sequence[str]], str] = EITHER
    quote: Callable[[str], str] = backslashed
    number: str = "{0}"
    wave: str = "{0}({1})"
    literal: Callable[[float], str] = repr
    table: Callable[[str, Sequence[tuple[str, float]], float], str] | None = None
    """The number of a raw column's level by a table of many levels in quotes, and that of others; None where choices are flat."""
    parameter: Mapping[str, str] = field(
        default_factory=lambda: dict.fromkeys(("number", "text", "date"), "{}")
    )
    """How a parameter of each kind is declared."""
    read: Mapping[str, str] = field(default_factory=dict)
    """How a column `{name}` of each kind is read from a table by its name in quotes, `{key}`."""
    helpers: str = ""
    """Functions that the spellings call."""


def is_raw(names: Sequence[str]) -> bool:
    """Whether columns are made of raw ones."""
    return any(isinstance(name, ColumnName) for name in names)


def spelled(name: str, raw: str, language: Derived) -> str:
    """The numeric column of this name, in terms of the text of its raw column."""
    assert isinstance(name, ColumnName)
    column, number = name.column, language.literal
    gap = language.gap[column.raw].format(raw)
    if isinstance(column, Plain):
        return language.number.format(raw)
    if isinstance(column, Filled):
        return language.choices([(gap, _signed(number, column.value))], language.number.format(raw))
    if isinstance(column, Missing):
        return language.choices([(gap, number(1.0))], number(0.0))
    if isinstance(column, Level):
        condition = language.either(
            [language.equal.format(raw, language.quote(level)) for level in column.levels]
        )
        return language.choices([(condition, number(1.0))], number(0.0))
    if isinstance(column, Scored | Own):
        if language.table is not None and len(column.scores) > FEW_LEVELS:
            levels = [(language.quote(level), score) for level, score in column.scores]
            return language.table(raw, levels, column.otherwise)
        pairs = [
            (language.equal.format(raw, language.quote(level)), _signed(number, score))
            for level, score in column.scores
        ]
        return language.choices(pairs, _signed(number, column.otherwise))
    days = language.days.format(raw)
    if isinstance(column, Elapsed):
        elapsed = f"({days} - {_signed(number, column.since)})"
        if UNITS[column.unit] != 1.0:
            elapsed += f"/{number(UNITS[column.unit])}"
        return language.choices([(gap, _signed(number, column.value))], f"({elapsed})")
    assert isinstance(column, Cyclic)
    rate, begin = column.angle
    wave = language.wave.format(column.function, f"{number(rate)}*({days} - {number(begin)})")
    return language.choices([(gap, number(0.0))], wave)


def tabled(pattern: str, separator: str) -> Callable[[str, Sequence[tuple[str, float]], float], str]:
    """A call over lists: `pattern` of the column, its levels, their numbers and the number of all others."""

    def written(raw: str, levels: Sequence[tuple[str, float]], otherwise: float) -> str:
        names, numbers = separator.join(n for n, _ in levels), separator.join(repr(s) for _, s in levels)
        return pattern.format(raw, names, numbers, repr(otherwise))

    return written


def _signed(number: Callable[[float], str], value: float) -> str:
    """A number that may be negative."""
    return number(value) if value >= 0.0 else f"(-{number(-value)})"
