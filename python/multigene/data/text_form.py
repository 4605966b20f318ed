"""How a text file is written: its encoding, what separates its columns, its decimal sign; told by its first lines."""

from __future__ import annotations

import csv
import re
from collections import Counter

from multigene.data.around import NUMBER
from multigene.data.constants import MOST_LINES_OF_A_CELL
from multigene.data.legacy_text import legacy_text
from multigene.data.table import Dialect

SEPARATORS = (",", ";", "\t", "|", "^", "~", "\x01")
#: Between columns that stand below each other, where some cells are empty.
FIXED = "fixed widths"
#: Between columns of fixed width whose texts hold single spaces.
WIDE = r"\s{2,}"
SPOKEN = {
    ",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", "^": "carets", "~": "tildes", "\x01": "the character 1",
    r"\s+": "spaces",
}  # fmt: skip
_COMMA_NUMBER = re.compile(r"\s*[-+]?(\d{1,3}(\.\d{3})+|\d*),\d+([eE][-+]?\d+)?\s*(%|€)?\Z")
_POINT_NUMBER = re.compile(r"\s*[-+]?(\d{1,3}(,\d{3})+|\d*)\.\d+([eE][-+]?\d+)?\s*%?\Z")
#: A cell that begins with a quote, up to the end of the line without one that closes it.
_OPEN = re.compile(r'(?:\A|[,;\t|] *)"(?:[^"]|"")*\Z')
_GROUPED = re.compile(r"\s*[-+]?\d{1,3}\.\d{3}\s*\Z")


def decoded(content: bytes, name: str, dialect: Dialect) -> tuple[str, list[str]]:
    """The text of a file, and what was guessed about its encoding."""
    notes: list[str] = []
    encoding = dialect.encoding or "utf-8"
    if encoding.lower().replace("-", "") == "utf8":
        encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    if dialect.encoding is None and len(content) % 2 == 0 and len(content) > 8:
        zeros = [content[start:400:2].count(0) / len(content[start:400:2]) for start in (0, 1)]
        if max(zeros) > 0.7 > 0.3 > min(zeros) and content[:2] not in (b"\xff\xfe", b"\xfe\xff"):
            encoding = "utf-16-le" if zeros[1] > zeros[0] else "utf-16-be"
            notes.append("the text is UTF-16")
    try:
        text = content.decode(encoding)
    except LookupError:
        raise ValueError(
            f"There is no encoding {dialect.encoding!r}; take utf-8, latin-1, cp1252 or utf-16."
        ) from None
    except UnicodeError as error:
        line = content[: getattr(error, "start", 0)].count(b"\n") + 1
        if dialect.encoding is None and encoding == "utf-8-sig" and b"\x00" not in content[:4096]:
            text, note = legacy_text(content)
            return text, [*notes, f"line {line} is not UTF-8 and {note}"]
        raise ValueError(
            f"{name} is not {dialect.encoding or 'utf-8'} text (line {line}); save it as UTF-8, or, on the "
            "command line, give --encoding latin-1."
        ) from None
    if "\x00" in text[:4096]:
        raise ValueError(f"{name} is not a text file; give CSV, TSV, Parquet or Excel (.xlsx).")
    return text, notes


def whole_lines(text: str) -> list[tuple[int, str]]:
    """Lines that are not empty with their numbers; a line that ends within quotes goes on with those below it."""
    lines = text.splitlines()
    if '"' not in text:
        return [(n, line) for n, line in enumerate(lines, 1) if line.strip()]
    found, place = list[tuple[int, str]](), 0
    while place < len(lines):
        line, end = lines[place], place + 1
        # A cell that begins with a quote and is not closed goes on; other quotes are marks of inches.
        if line.count('"') % 2 and _OPEN.search(line):
            for further in range(end, min(end + MOST_LINES_OF_A_CELL, len(lines))):
                if lines[further].count('"') % 2:
                    end = further + 1
                    line = "\n".join(lines[place:end])
                    break
        if line.strip():
            found.append((place + 1, line))
        place = end
    return found


def detect_separator(lines: list[str]) -> str:
    """The separator that splits the first lines into the same number of fields, and into most of them."""
    best, score = ",", (0, 0)
    for separator in SEPARATORS:
        counts = Counter(len(split_line(line, separator)) for line in lines)
        fields, agreeing = counts.most_common(1)[0]
        in_header = len(split_line(lines[0], separator))
        if in_header < 2:
            if fields < 2 or agreeing < 2 or agreeing * 2 < len(lines):
                continue
            in_header = fields  # titles stand above the names
        # Lines that agree with the header weigh more than many fields: decimal commas split lines unevenly.
        candidate = (counts[in_header] if fields == in_header else agreeing // 2, in_header)
        if candidate > score:
            best, score = separator, candidate
    if score == (0, 0):
        return _detect_spaces(lines) or best
    return best


def _detect_spaces(lines: list[str]) -> str | None:
    """Which kind of spaces stand between columns; None if they are none."""
    counts = [len(split_line(line, r"\s+")) for line in lines]
    rows = set(counts[1:])
    # R writes names of rows without a name above them.
    if (counts[0] > 1 and rows <= {counts[0]}) or (len(counts) > 2 and rows == {counts[0] + 1}):
        return r"\s+"
    apart = {len(re.split(WIDE, line.strip())) for line in lines}
    if len(apart) == 1 and apart != {1}:
        return WIDE
    return FIXED if fixed_widths(lines) else None


def fixed_widths(lines: list[str]) -> list[tuple[int, int]]:
    """Where columns begin and end that stand below each other: between them every line has spaces. None, if a column has no
    name, or none holds numbers alone."""
    width = max(map(len, lines), default=0)
    filled = [any(len(line) > j and not line[j].isspace() for line in lines) for j in range(width)]
    edges = [j for j in range(1, width) if filled[j] and not filled[j - 1]]
    starts = [0, *edges] if width else []
    spans = list(zip(starts, [*starts[1:], width], strict=True))
    heads = [lines[0][start:end].strip() for start, end in spans] if spans else []
    below = [[line[start:end].strip() for line in lines[1:]] for start, end in spans]
    numeric = any(any(column) and all(NUMBER.match(cell) for cell in column if cell) for column in below)
    named = all(heads) and not any(map(NUMBER.match, heads))
    return spans if len(spans) > 1 and len(lines) > 3 and named and numeric else []


def detect_decimal(lines: list[str], separator: str) -> str:
    """A comma if fields such as `1,5` occur and none such as `1.5`; `1.234` beside `1,5` has a separator of thousands."""
    if separator == ",":
        return "."
    cells = [cell for line in lines[1:] for cell in split_line(line, separator)]
    commas = any(_COMMA_NUMBER.match(cell) for cell in cells)
    points = any(_POINT_NUMBER.match(cell) and not _GROUPED.match(cell) for cell in cells)
    return "," if commas and not points else "."


def unescaped(separator: str | None) -> str | None:
    """The separator that a user names, such as `tab`."""
    if separator is None:
        return None
    known = {"\\t": "\t", "tab": "\t", "comma": ",", "semicolon": ";", "space": r"\s+", " ": r"\s+"}
    found = known.get(separator, separator)
    if len(found) != 1 and found != r"\s+":
        raise ValueError(
            f"The separator {separator!r} is not one character; take ',', ';', '|', tab or space."
        )
    return found


def split_line(line: str, separator: str) -> list[str]:
    """The cells of a line."""
    if separator == r"\s+":
        if '"' not in line:
            return line.split()
        line, separator = " ".join(line.split()), " "
    try:
        return next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    except csv.Error:
        return line.split(separator)
