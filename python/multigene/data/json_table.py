"""JSON to a table: lines, lists of objects or of rows, objects of columns; and what pandas and maps write."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pandas as pd

from multigene.data.table import Dialect, Table, refuse_repeated


def is_json(content: bytes) -> bool:
    """Whether a text that begins with a bracket is JSON."""
    first = content.lstrip().split(b"\n", 1)[0].strip()
    return first in (b"{", b"[") or first[:1] == b"{" or first[:2] in (b"[{", b"[[")


def read(content: bytes, name: str, dialect: Dialect) -> Table:
    """The table in JSON of any of these kinds."""
    found = _parsed(content.decode("utf-8-sig", errors="replace"), name)
    if isinstance(found, dict):
        frame = _of_columns(found, name)
        if frame is not None:
            return Table(frame, name)
    if isinstance(found, list) and len(found) > 1 and _are_rows(found):
        return Table(_of_rows(found[0], found[1:], name), name)
    rows, notes = found, list[str]()
    if isinstance(rows, dict):
        within = [key for key, value in rows.items() if _are_objects(value)]
        notes = [f"read the list {within[0]!r}"] if len(within) == 1 else []
        rows = rows[within[0]] if len(within) == 1 else [rows]
    if isinstance(rows, list) and all(isinstance(r, dict) and r.get("type") == "Feature" for r in rows):
        rows = [{**(row.get("properties") or {}), **_place(row.get("geometry"))} for row in rows]
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        wrong = next((i for i, row in enumerate(rows or [None]) if not isinstance(row, dict)), 0)
        raise ValueError(f"{name} is JSON, but its row {wrong + 1} is no object such as {{'x': 1, 'y': 2}}.")
    return Table(pd.json_normalize(rows), name, notes)


def _parsed(text: str, name: str) -> Any:
    """The value of a text, or the list of its lines' values."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                rows.append(json.loads(line))
            except json.JSONDecodeError as error:
                raise ValueError(
                    f"Line {number} of {name} is not JSON (column {error.colno}: {error.msg}); mend the line."
                ) from None
    return rows


def _of_columns(found: dict[str, Any], name: str) -> pd.DataFrame | None:
    """An object of columns: lists, or objects with a value for every row, as pandas writes them; or names and rows apart."""
    values = list(found.values())
    names, rows = found.get("columns"), found.get("data")
    if isinstance(names, list) and isinstance(rows, list) and rows and _are_rows([names, *rows]):
        return _of_rows(names, rows, name)
    if values and all(isinstance(value, list) for value in values):
        lengths = {len(value) for value in values}
        if len(lengths) > 1:
            raise ValueError(f"The columns of {name} have {min(lengths)} to {max(lengths)} values; mend it.")
        return pd.DataFrame(found)
    if len(values) > 1 and all(isinstance(value, dict) and value for value in values):
        labels = list(values[0])
        counted = labels == [str(number) for number in range(len(labels))]
        if counted and all(list(value) == labels for value in values):
            return pd.DataFrame({column: list(value.values()) for column, value in found.items()})
    return None


def _are_rows(rows: Sequence[Any]) -> bool:
    """Whether these are lists of one length, the first of them names."""
    lists = all(isinstance(row, list) and len(row) == len(rows[0]) for row in rows)
    return lists and bool(rows[0]) and all(isinstance(name, str) for name in rows[0])


def _of_rows(names: list[str], rows: list[list[Any]], source: str) -> pd.DataFrame:
    refuse_repeated(names, source)
    return pd.DataFrame(rows, columns=names)


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _place(geometry: Any) -> dict[str, float]:
    """Longitude and latitude of a point of GeoJSON; nothing of other shapes."""
    if not isinstance(geometry, dict) or geometry.get("type") != "Point":
        return {}
    return dict(zip(("longitude", "latitude"), geometry.get("coordinates", ()), strict=False))
