"""ARFF, the files of Weka and OpenML: attributes with their types, then rows.

Nominal attributes become categories, in the order in which they are listed but without a rank; `?` is a gap. Rows may be sparse
(`{1 x, 4 2.5}`). What does not fit the attributes is refused with its line and column.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from multigene.data.table import Dialect, Table, refuse_repeated
from multigene.data.text_form import decoded

_BEGIN = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:[ \t]*(?:%[^\n]*)?\r?\n)*[ \t]*@relation\b", re.IGNORECASE)
_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|\S+)\s+(.+)\Z", re.IGNORECASE)
_FIELD = re.compile(rf"\s*({_QUOTED}|[^,'\"]*)\s*(,|\Z)")
_SPARSE = re.compile(r"(\d+)\s+(.+)\Z")
_NUMBERS = ("numeric", "real", "integer")
_TEXTS = ("string", "date")


def is_arff(content: bytes) -> bool:
    """Whether a file begins as ARFF does, comments aside."""
    return _BEGIN.match(content[:100_000]) is not None


def read(content: bytes, name: str, dialect: Dialect) -> Table:
    """The table of an ARFF file."""
    text, notes = decoded(content, name, dialect)
    attributes: list[tuple[str, str | list[str]]] = []
    rows: list[list[str | None]] = []
    lines: list[int] = []
    in_data = False
    for number, line in enumerate(text.splitlines(), 1):
        said = line.strip()
        if not said or said.startswith("%"):
            continue
        if in_data:
            lines.append(number)
            rows.append(_row(said, number, attributes, name))
        elif said.lower().startswith("@data"):
            in_data = True
        elif said.lower().startswith("@attribute"):
            attributes.append(_attribute(said, number, name))
        elif not said.lower().startswith("@relation"):
            raise ValueError(f"Line {number} of {name} is none of @attribute and @data; mend the line.")
    if not attributes:
        raise ValueError(f"{name} is an ARFF file without a line @attribute; make or fetch it again.")
    names = [attribute for attribute, _ in attributes]
    refuse_repeated(names, name)
    columns = {
        attribute: _column([row[j] for row in rows], kind) for j, (attribute, kind) in enumerate(attributes)
    }
    whole = bool(lines) and lines[-1] - lines[0] + 1 == len(lines)
    return Table(pd.DataFrame(columns), name, notes, first_line=lines[0] if whole else None)


def _attribute(said: str, number: int, name: str) -> tuple[str, str | list[str]]:
    """Name and type of an attribute; the levels of a nominal one."""
    match = _ATTRIBUTE.match(said)
    kind = "" if match is None else match[2].strip()
    if match is not None and kind.startswith("{") and kind.endswith("}"):
        return _unquoted(match[1]), [_unquoted(level) for level in _fields(kind[1:-1]) or []]
    word = kind.split(None, 1)[0].lower() if kind else ""
    if match is None or word not in (*_NUMBERS, *_TEXTS):
        raise ValueError(
            f"Line {number} of {name} has no attribute of a known type (numeric, string, date or {{a, b}}); mend the line."
        )
    return _unquoted(match[1]), "text" if word in _TEXTS else "number"


def _row(
    said: str, number: int, attributes: list[tuple[str, str | list[str]]], name: str
) -> list[str | None]:
    """The fields of a row, checked against the attributes; None for gaps."""
    if said.startswith("{") and said.endswith("}"):
        fields = _sparse(said[1:-1], number, attributes, name)
    else:
        found = _fields(said)
        if found is None:
            raise ValueError(
                f"Line {number} of {name} has a quote that nothing closes; close it or take it out."
            )
        if len(found) != len(attributes):
            raise ValueError(
                f"Line {number} of {name} has {len(found)} fields where it has {len(attributes)} attributes; mend the line."
            )
        fields = [None if field == "?" else _unquoted(field) for field in found]
    for field, (attribute, kind) in zip(fields, attributes, strict=True):
        if field is None or kind == "text":
            continue
        if kind == "number" and not _is_number(field):
            raise ValueError(
                f"Line {number} of {name} has {field!r} in column {attribute!r}, which is numeric; mend it, or make it ?."
            )
        if isinstance(kind, list) and field not in kind:
            raise ValueError(
                f"Line {number} of {name} has {field!r} in column {attribute!r}, whose values are "
                f"{', '.join(kind[:5])}{', …' if len(kind) > 5 else ''}; mend it, or make it ?."
            )
    return fields


def _sparse(
    inner: str, number: int, attributes: list[tuple[str, str | list[str]]], name: str
) -> list[str | None]:
    """A row that names its fields by number: others are 0, or the first level."""
    fields: list[str | None] = [kind[0] if isinstance(kind, list) and kind else "0" for _, kind in attributes]
    for pair in filter(None, (part.strip() for part in inner.split(","))):
        match = _SPARSE.match(pair)
        if match is None or int(match[1]) >= len(attributes):
            raise ValueError(
                f"Line {number} of {name} has {pair!r}, which names none of its attributes; mend the line."
            )
        fields[int(match[1])] = None if match[2] == "?" else _unquoted(match[2])
    return fields


def _fields(line: str) -> list[str] | None:
    """The fields of a line, as they stand; None where a quote is not closed."""
    found, place = [], 0
    while True:
        match = _FIELD.match(line, place)
        if match is None:
            return None
        found.append(match[1].strip())
        if not match[2]:
            return found
        place = match.end()


def _unquoted(field: str) -> str:
    field = field.strip()
    if len(field) > 1 and field[0] == field[-1] and field[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", field[1:-1])
    return field


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _column(cells: list[str | None], kind: str | list[str]) -> Any:
    if isinstance(kind, list):
        return pd.Categorical(cells, categories=list(dict.fromkeys(kind)))
    if kind == "number":
        return np.array([np.nan if cell is None else float(cell) for cell in cells])
    return pd.Series(cells, dtype=object)
