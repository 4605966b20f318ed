"""Cells of a workbook that are formulas without a computed value: programs that write .xlsx files leave them so.

Excel computes them when it opens the file and keeps the values when it saves it. Read as they are, they would be gaps.
"""

from __future__ import annotations

import contextlib
import io
import posixpath
import zipfile
from collections.abc import Iterator
from typing import Any

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def uncomputed(content: bytes, sheet: str) -> tuple[str, str] | None:
    """The first cell of a sheet with a formula and no value, and the formula; None if there is none, or it cannot be told."""
    with (
        contextlib.suppress(Exception),
        zipfile.ZipFile(io.BytesIO(content)) as archive,
        archive.open(_place(archive, sheet)) as part,
    ):
        for cell in _elements(part, "c"):
            formula, value = cell.find(f"{_MAIN}f"), cell.find(f"{_MAIN}v")
            if formula is None or cell.get("t") == "str":  # a text that may be empty
                continue
            if value is None or not value.text:
                return cell.get("r", "?"), "=" + (formula.text or "…")
    return None


def _place(archive: zipfile.ZipFile, sheet: str) -> str:
    """Where a workbook keeps the cells of a sheet."""
    with archive.open("xl/workbook.xml") as part:
        wanted = next(each.get(_RELATION) for each in _elements(part, "sheet") if each.get("name") == sheet)
    with archive.open("xl/_rels/workbook.xml.rels") as part:
        target = next(e.get("Target", "") for e in _elements(part, "Relationship") if e.get("Id") == wanted)
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join("xl", target))


def _elements(part: Any, name: str) -> Iterator[Any]:
    from openpyxl.xml.functions import iterparse  # type: ignore[import-untyped]

    for _, element in iterparse(part):
        if str(element.tag).rpartition("}")[2] == name:
            yield element
            element.clear()
