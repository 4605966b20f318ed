"""Shapes as their users state them: "increasing in dose", "0 <= y <= 1", "convex in t", "y(0) = 0", "symmetric in a, b", …

`read` makes values of the texts and refuses what names no column or contradicts itself. A range of a column ("0 <= dose <=
20") says where shapes hold; for other columns that is the range of the rows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from multigene.data.encoding.columns import made_of, spoken_places
from multigene.words import nearest

Floats = npt.NDArray[np.float64]
Kind = Literal["increasing", "decreasing", "convex", "concave", "bounds", "value", "symmetric", "even", "odd"]

#: Shapes of columns, by the word that begins them.
OF_COLUMNS: tuple[Kind, ...] = ("increasing", "decreasing", "convex", "concave", "symmetric", "even", "odd")
#: Pairs that leave nothing but a formula without that column, or a line.
CONTRADICTORY = (("increasing", "decreasing"), ("convex", "concave"), ("even", "odd"))
EXAMPLES = "'increasing in dose', 'convex in t', '0 <= y <= 1', 'y(0) = 0', 'symmetric in a, b', 'even in x'"
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"


@dataclass(frozen=True)
class Shape:
    """One statement."""

    text: str
    kind: Kind
    columns: tuple[int, ...] = ()
    low: float = -math.inf
    high: float = math.inf
    """Of bounds."""
    at: tuple[tuple[int, float], ...] = ()
    """Columns and their values, of a known value; other columns are free."""
    value: float = 0.0


@dataclass(frozen=True)
class Stated:
    """All statements about one target."""

    shapes: tuple[Shape, ...]
    ranges: dict[int, tuple[float, float]] = field(default_factory=dict)
    """Ranges that were stated, by column."""

    def box(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Where the shapes hold: the box of the rows with what was stated; the same for columns that can be exchanged, and as
        far below zero as above for even and odd ones."""
        low, high = np.array(low, dtype=np.float64), np.array(high, dtype=np.float64)
        for column, (least, most) in self.ranges.items():
            low[column], high[column] = least, most
        for shape in self.shapes:
            columns = list(shape.columns)
            if shape.kind == "symmetric":
                low[columns], high[columns] = low[columns].min(), high[columns].max()
            elif shape.kind in ("even", "odd"):
                reach = np.maximum(np.abs(low[columns]), np.abs(high[columns]))
                low[columns], high[columns] = -reach, reach
        return low, high


def read(texts: Sequence[str], names: Sequence[str], target: str) -> Stated:
    """The statements; a `ValueError` names the one that is wrong, or the two that contradict each other."""
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        texts = [texts]
    shapes: list[Shape] = []
    ranges: dict[int, tuple[float, float]] = {}
    for text in texts:
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"shapes has {text!r}, which is no statement; write for example {EXAMPLES}.")
        found = _read(text.strip(), list(names), target)
        if isinstance(found, Shape):
            shapes.append(found)
        else:
            column, least, most = found
            ranges[column] = (least, most)
    _refuse_contradictions(shapes)
    for column, (least, most) in ranges.items():
        if not (math.isfinite(least) and math.isfinite(most)):
            raise ValueError(
                f"The range of {names[column]!r} in shapes has one end; give both, as in '0 <= {names[column]} <= 10'."
            )
    return Stated(tuple(shapes), ranges)


def _read(text: str, names: list[str], target: str) -> Shape | tuple[int, float, float]:
    word, _, rest = text.partition(" ")
    if word.lower() in OF_COLUMNS:
        return _of_columns(text, word.lower(), rest, names)
    value = re.fullmatch(rf"\s*(.+?)\s*\((.*)\)\s*==?\s*({_NUMBER})\s*", text)
    if value:
        _is_target(value[1], target, text, names)
        at = _place(value[2], names, text)
        return Shape(text, "value", at=at, value=float(value[3]))
    if re.search(r"[<>]", text):
        return _bounds(text, names, target)
    way_out = nearest(word.lower(), OF_COLUMNS) or f"; write for example {EXAMPLES}."
    raise ValueError(f"shapes: {text!r} is not understood{way_out}")


def _of_columns(text: str, kind: str, rest: str, names: list[str]) -> Shape:
    said, _, listed = rest.strip().partition(" ")
    if said.lower() != "in" or not listed.strip():
        raise ValueError(f"shapes: {text!r} names no column; write '{kind} in {names[0]}'.")
    columns = _columns(listed.strip(), names, text)
    if kind == "symmetric" and len(columns) < 2:
        raise ValueError(
            f"shapes: {text!r} needs two columns or more that can be exchanged; write 'symmetric in a, b'."
        )
    if kind != "symmetric" and len(columns) > 1:
        each = "', '".join(f"{kind} in {names[c]}" for c in columns)
        raise ValueError(f"shapes: {text!r} names several columns; state each by itself: ['{each}'].")
    if len(set(columns)) < len(columns):
        raise ValueError(f"shapes: {text!r} names a column twice.")
    return Shape(text, kind, columns=columns)  # type: ignore[arg-type]


def _columns(listed: str, names: list[str], text: str) -> tuple[int, ...]:
    if listed in spoken_places(names):
        return (_column(listed, names, text),)
    return tuple(_column(part.strip(), names, text) for part in listed.split(","))


def _column(name: str, names: list[str], text: str) -> int:
    name, places = name.strip("`"), spoken_places(names)
    if name not in places:
        made = made_of(names, name)
        way_out = nearest(name, places) or f"; the columns are {', '.join(map(str, names[:20]))}."
        way_out = f" of numbers; take one of those made of it, such as {made[0]}." if made else way_out
        raise ValueError(f"shapes: {text!r} names {name!r}, which is no column{way_out}")
    return places[name]


def _is_target(name: str, target: str, text: str, names: list[str]) -> None:
    if name.strip("`") not in (target, "y"):
        way_out = nearest(name, [target, "y"]) or f"; the target is {target!r}, or write y."
        raise ValueError(f"shapes: {text!r} is about {name!r}, which is not the target{way_out}")


def _place(inside: str, names: list[str], text: str) -> tuple[tuple[int, float], ...]:
    """Columns and values of "0", "0, 1" (all columns in their order) or "a=0, b=1"."""
    parts = [part.strip() for part in inside.split(",")]
    named = [part.rpartition("=") for part in parts]
    try:
        if all(equals for _, equals, _ in named):
            return tuple((_column(name.strip(), names, text), float(number)) for name, _, number in named)
        values = [float(part) for part in parts]
    except ValueError as error:
        if "no column" in str(error):
            raise
        raise ValueError(
            f"shapes: {text!r} has a place that is not understood; write y(0) = 0, or y({names[0]}=0) = 0."
        ) from None
    if len(values) == 1 and len(names) > 1:
        if values[0] != 0.0:
            raise ValueError(f"shapes: {text!r} does not say which column; write y({names[0]}={parts[0]}).")
        values = [0.0] * len(names)
    if len(values) != len(names):
        raise ValueError(
            f"shapes: {text!r} has {len(values)} values for {len(names)} columns; name them, as in y({names[0]}=0) = 0."
        )
    return tuple(enumerate(values))


def _bounds(text: str, names: list[str], target: str) -> Shape | tuple[int, float, float]:
    """`0 <= y <= 1`, `y >= 0`, `3 >= y`; of a column it is a range."""
    parts = re.split(r"(<=|>=|<|>)", text)
    sides, signs = [part.strip() for part in parts[::2]], [sign[0] for sign in parts[1::2]]
    numbers = [re.fullmatch(_NUMBER, side) is not None for side in sides]
    if (
        len(sides) not in (2, 3)
        or numbers.count(False) != 1
        or (len(sides) == 3 and (numbers[1] or signs[0] != signs[1]))
    ):
        raise ValueError(
            f"shapes: {text!r} is not understood; write '0 <= {target} <= 1' or '{target} >= 0'."
        )
    place = numbers.index(False)
    low, high = -math.inf, math.inf
    for i, side in enumerate(sides):
        if i != place and (i < place) == (signs[min(i, len(signs) - 1)] == "<"):
            low = float(side)
        elif i != place:
            high = float(side)
    name = sides[place].strip("`")
    if low > high:
        raise ValueError(f"shapes: {text!r} holds for no number; exchange the bounds.")
    if name in spoken_places(names) and name != target:
        return spoken_places(names)[name], low, high
    if name not in (target, "y"):
        way_out = nearest(name, [*names, target]) or f"; the target is {target!r}, or write y."
        raise ValueError(f"shapes: {text!r} is about {name!r}, which is no column{way_out}")
    return Shape(text, "bounds", low=low, high=high)


def _refuse_contradictions(shapes: Sequence[Shape]) -> None:
    for i, first in enumerate(shapes):
        for second in shapes[i + 1 :]:
            why = _contradiction(first, second) or _contradiction(second, first)
            if why:
                raise ValueError(
                    f"The shapes {first.text!r} and {second.text!r} contradict each other: {why}; leave one out."
                )


def _contradiction(a: Shape, b: Shape) -> str:
    """Why two shapes cannot both hold, or nothing."""
    shared = set(a.columns) & set(b.columns)
    if (a.kind, b.kind) in CONTRADICTORY and shared:
        return "only a formula to which the column does not matter, or a line, has both"
    if a.kind in ("increasing", "decreasing") and b.kind == "even" and shared:
        return "what is even falls on one side of zero where it rises on the other"
    if a.kind == b.kind == "bounds" and max(a.low, b.low) > min(a.high, b.high):
        return "no number is within both bounds"
    if a.kind == "bounds" and b.kind == "value" and not a.low <= b.value <= a.high:
        return f"{b.value:g} is not within the bounds"
    if a.kind == b.kind == "value" and a.at == b.at and a.value != b.value:
        return "they are about the same place"
    if a.kind == "odd" and b.kind == "value" and b.value != 0.0 and b.at == ((a.columns[0], 0.0),):
        return "what is odd is 0 at 0"
    return ""
