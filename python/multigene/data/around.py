"""What stands around a table in people's files: titles above the names, totals, sources and remarks below the rows.

The readers of text (`text_table.py`) and of sheets (`stores.py`) ask here how many of the first and last rows are no rows of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from multigene.data.constants import ENDS, GAPS, MOST_DESCRIPTIONS, TITLE_SHARE

NUMBER = re.compile(r"\s*[-+]?[\d.,]*\d[\d.,]*([eE][-+]?\d+)?\s*\Z")
_TOTALS = r"(?:totals?|subtotals?|sum|summe|gesamt|insgesamt|totale|suma)"
_TOTAL = re.compile(rf"\s*(grand |gesamt)?{_TOTALS}\W*\Z", re.I)
_SUBTOTAL = re.compile(rf"\s*(?:{_TOTALS}[\s:]+(?P<behind>.+?)|(?P<before>.+?)[\s:-]+{_TOTALS})\s*\Z", re.I)


def titles(rows: Sequence[Sequence[str]]) -> int:
    """How many of the first rows stand above the names: each fills one cell, or at most half as many as most rows do."""
    rows = rows[:ENDS]
    filled = [sum(1 for cell in row if cell.strip()) for row in rows]
    usual = Counter(filled).most_common(1)[0][0]

    def is_title(row: Sequence[str], cells: int) -> bool:
        # A name and an empty one (`a,`) are names; a title stands alone, or in front of several empty cells.
        alone = cells == 1 and len(row) != 2
        few = cells <= TITLE_SHARE * usual and usual > 2
        key = cells < usual and row[0].rstrip().endswith(":")  # as instruments write what was set
        return (alone or few or key) and not any(NUMBER.match(cell) for cell in row[:1])

    number = 0
    while usual > 1 and number + 1 < len(rows) and is_title(rows[number], filled[number]):
        number += 1
    return number if filled[number] > 1 else 0


def joined_names(rows: Sequence[Sequence[str]]) -> list[str] | None:
    """Names in two rows, where cells of the first stand above several of the second (2023, empty, 2024, empty above sales,
    cost, sales, cost): both, joined. None where the first three rows are not so."""
    if len(rows) < 3 or not len(rows[0]) == len(rows[1]) == len(rows[2]):
        return None
    above, names, data = ([cell.strip() for cell in row] for row in rows[:3])
    several = any(above) and not all(above) and len(set(names)) < len(names)
    if not several or not all(names) or any(map(NUMBER.match, names)) or not any(map(NUMBER.match, data)):
        return None
    joined, last = list[str](), ""
    for upper, name in zip(above, names, strict=True):
        last = upper or last
        joined.append(f"{last} {name}".strip())
    return joined if len(set(joined)) == len(joined) else None


def footers(rows: Sequence[Sequence[str]], width: int) -> int:
    """How many of the last rows stand below the table of this many columns, whose names are the first row."""
    end = len(rows)
    while width > 1 and end > 2:
        cells = rows[end - 1]
        filled = [cell for cell in cells if cell.strip()]
        lonely = len(filled) == 1 and not NUMBER.match(filled[0]) and len(cells) in (1, width)
        lonely = lonely and (len(cells) == 1 or cells[0].strip() != "") and _says_something(filled[0])
        if not lonely and not (cells and _TOTAL.match(cells[0]) and end > 3):
            break
        end -= 1
    return len(rows) - end


def may_be_total(line: str) -> bool:
    """Whether a line begins as one with a total might: fast."""
    return re.search(_TOTALS, line[:200], re.I) is not None


def subtotals(first: Sequence[str]) -> list[int]:
    """Which rows are totals of others, by their first cells: `North Total` where others are called `North`."""
    known, places = {cell.strip() for cell in first}, list[int]()
    for place, cell in enumerate(first):
        part = _SUBTOTAL.match(cell)
        if part is not None and (part["behind"] or part["before"]).strip() in known:
            places.append(place)
    return places


def descriptions(rows: Sequence[Sequence[str]], width: int) -> int:
    """How many of the first rows below the names are no data: texts above columns that hold numbers alone, in two or more."""
    for number in range(1, min(MOST_DESCRIPTIONS, len(rows) - 2) + 1):
        above, data = rows[:number], rows[number:]
        if any(len(row) != width or any(map(NUMBER.match, row)) for row in above):
            return 0
        columns = [[row[place] for row in data if len(row) > place] for place in range(width)]
        numeric = [place for place, cells in enumerate(columns) if _numbers_alone(cells)]
        if len(numeric) > 1 and all(_is_word(above[0][place]) for place in numeric):
            return number
    return 0


def _numbers_alone(cells: Sequence[str]) -> bool:
    """Whether two or more of the cells are numbers, and the others gaps."""
    numbers = sum(bool(NUMBER.match(cell)) for cell in cells)
    return numbers > 1 and all(NUMBER.match(cell) or not _is_word(cell) for cell in cells)


def _is_word(cell: str) -> bool:
    """Whether a cell holds letters and is no mark of a gap."""
    return cell.strip().lower() not in GAPS and any(map(str.isalpha, cell))


def _says_something(cell: str) -> bool:
    """Whether a lonely cell is a remark: more than one word, or a bracket, or a colon."""
    return len(cell.split()) > 1 or bool(re.search(r"[:()*©~]|--", cell))
