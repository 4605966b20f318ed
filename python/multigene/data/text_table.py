"""Text to a table: encoding, separator, decimal sign, and the lines that belong to the table.

People's files hold more than names and rows: titles, comments, a line of units, rules, totals and sources below. `TextLines.of`
tells them apart before pandas parses what remains; each kind left out is said in a note.
"""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from multigene.data.around import NUMBER, footers, joined_names, titles
from multigene.data.cells import GAPS, is_unit, split_unit
from multigene.data.constants import ENDS
from multigene.data.table import EMPTY, Dialect, Table, named, refuse_numbers_as_names, refuse_repeated
from multigene.words import counted

SEPARATORS = (",", ";", "\t", "|")
#: Between columns of fixed width whose texts hold single spaces.
WIDE = r"\s{2,}"
_SPOKEN = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", r"\s+": "spaces"}
_COMMA_NUMBER = re.compile(r"\s*[-+]?(\d{1,3}(\.\d{3})+|\d*),\d+([eE][-+]?\d+)?\s*(%|€)?\Z")
_POINT_NUMBER = re.compile(r"\s*[-+]?(\d{1,3}(,\d{3})+|\d*)\.\d+([eE][-+]?\d+)?\s*%?\Z")
_GROUPED = re.compile(r"\s*[-+]?\d{1,3}\.\d{3}\s*\Z")
_COMMENT = re.compile(r"\s*(#(?!(DIV/0|N/A|REF|VALUE|WERT|NUM|NAME|NULL|BEZUG))|//|%%|%\s)")
_RULE = re.compile(r"[\s\-=+|:_]*[-=]{3,}[\s\-=+|:_]*\Z")


def read(content: bytes, name: str, dialect: Dialect) -> Table:
    """The table in the content of a text file called `name`."""
    text, notes = decoded(content, name, dialect)
    lines = TextLines.of(text, dialect)
    if not lines.kept:  # nothing but marks, separators of lines and comments
        raise ValueError(EMPTY.format(name))
    separator, sample = lines.separator, lines.sample
    decimal = dialect.decimal or detect_decimal(sample, separator)
    names = _fields(sample[0], separator)
    refuse_numbers_as_names(names, name, dialect)
    if dialect.header:
        refuse_repeated(names, name)
    frame = _parsed(lines, separator, decimal, name, dialect)
    lines.refuse_second_table(name)
    if frame.shape[1] and bool(frame.iloc[:, -1].isna().any()):
        ragged = lines.ragged(name)
        if ragged:
            raise ValueError(ragged)
    if dialect.separator is None and separator not in (",", "\t"):
        notes.append(f"columns are separated by {_SPOKEN[separator]}")
    if dialect.decimal is None and decimal == ",":
        notes.append("numbers have decimal commas")
    notes += lines.notes()
    units = dict(zip(names, lines.units, strict=False)) if lines.units else {}
    frame = named(frame, dialect)
    return Table(frame, name, notes, lines.first_line, {k.strip(): v for k, v in units.items() if v})


def _parsed(lines: TextLines, separator: str, decimal: str, name: str, dialect: Dialect) -> pd.DataFrame:
    options: dict[str, Any] = {"header": 0} if dialect.header else {"header": None}
    if int(pd.__version__.split(".")[0]) < 3:
        options["float_precision"] = "round_trip"  # later versions do so of themselves
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # fields beyond the header would be lost
            warnings.simplefilter(
                "ignore", pd.errors.DtypeWarning
            )  # mixed columns are looked at cell by cell
            frame: pd.DataFrame = pd.read_csv(
                io.StringIO(lines.text),
                sep=separator,
                decimal=decimal,
                skipinitialspace=True,
                index_col=False,
                **options,
            )
            return frame
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        wrong = lines.unclosed(name) if "EOF inside string" in str(error) else lines.ragged(name)
        raise ValueError(wrong or f"{name} cannot be read as a table: {error}.") from None
    except ValueError as error:
        raise ValueError(f"{name} cannot be read as a table: {str(error).strip().rstrip('.')}.") from None


# --- which lines belong to the table ----------------------------------------------------------------


@dataclass
class TextLines:
    """The lines of the table and what was left out, with the number of every kept line in the file."""

    kept: list[tuple[int, str]]
    separator: str
    left_out: Counter[str] = field(default_factory=Counter)
    units: list[str] = field(default_factory=list)
    quoted: bool = False
    header: bool = True
    wide: bool = False
    """Were columns told apart by two spaces or more?"""
    joined: bool = False
    """Do names stand in two lines?"""

    @staticmethod
    def of(text: str, dialect: Dialect) -> TextLines:
        """Tell the table from what stands around it."""
        numbered = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
        told = _told_separator(numbered)
        if told is not None:
            numbered = numbered[1:]
        found = TextLines(numbered, ",", quoted='"' in text, header=dialect.header)
        found._drop_comments()
        found._drop("rule", [i for i, (_, line) in enumerate(found.kept) if _RULE.match(line)])
        if not found.kept:
            return found
        found.separator = _unescaped(dialect.separator) or told or detect_separator(found.sample)
        if found.separator == "|":
            found._strip_bars()
        elif found.separator == WIDE:
            found.kept = [(number, re.sub(WIDE, "\t", line.strip())) for number, line in found.kept]
            found.separator, found.wide = "\t", True
        if dialect.header:
            found._join_names()
            found._drop_titles()
            found._take_units()
            header = found.kept[0][1]
            again = [i for i, (_, line) in enumerate(found.kept) if i and line == header]
            if any(not NUMBER.match(cell) for cell in _fields(header, found.separator)):
                found._drop("repeated header", again)
        found._drop_footers()
        return found

    @property
    def sample(self) -> list[str]:
        """The first lines."""
        return [line for _, line in self.kept[:200]]

    @property
    def text(self) -> str:
        """What pandas is to parse."""
        return "\n".join(line for _, line in self.kept) + "\n"

    @property
    def first_line(self) -> int | None:
        """Line of the first row of data; None where lines and rows do not go side by side."""
        body = self.kept[1:] if self.header else self.kept
        between = body[0][0] - self.kept[0][0] - (1 if self.units else 0) if body else 0
        if self.quoted or not body or between > 1 or body[-1][0] - body[0][0] != len(body) - 1:
            return None
        return body[0][0]

    def notes(self) -> list[str]:
        """What was left out, in one line."""
        said = [counted(number, what + " line") for what, number in self.left_out.items() if number]
        notes = [f"left out {', '.join(said)}"] if said else []
        notes += ["columns are separated by two spaces or more"] if self.wide else []
        notes += ["names were joined of two lines"] if self.joined else []
        return notes + (["units were read from the line below the names"] if self.units else [])

    def unclosed(self, name: str) -> str | None:
        """The line with the quote that the last row opens and nothing closes, in words."""
        reader, begun, before = csv.reader(self.text.splitlines(True), delimiter=self.separator[-1:]), 0, 0
        for _ in reader:
            begun, before = before, reader.line_num
        line, text = self.kept[min(begun, len(self.kept) - 1)]
        place = text.rfind('"') + 1
        return f"Line {line} of {name} opens a quote (column {place}) that nothing closes; close it or take it out."

    def ragged(self, name: str) -> str | None:
        """The first line with more or fewer fields than the header has, in words."""
        expected = None
        if self.separator == r"\s+":
            rows: Any = ((number, line.split()) for number, line in self.kept)
        else:
            reader = csv.reader(
                io.StringIO(self.text, newline=""), delimiter=self.separator, skipinitialspace=True
            )
            rows = ((self.kept[min(reader.line_num, len(self.kept)) - 1][0], row) for row in reader)
        try:
            for line, row in rows:
                if not row:
                    continue
                expected = expected or len(row)
                if len(row) != expected:
                    return (
                        f"Line {line} of {name} has {len(row)} fields where the first line has {expected}; "
                        "mend the line, put text "
                        "that contains the separator in quotes, or give --separator."
                    )
        except csv.Error as error:
            return f"{name} cannot be read as a table: {error}."
        return None

    def refuse_second_table(self, name: str) -> None:
        """A line of names below empty lines, between rows with numbers, begins another table."""
        for above, here, below in zip(self.kept[1:], self.kept[2:], self.kept[3:], strict=False):
            if here[0] - above[0] < 2:
                continue
            cells = [cell.strip() for cell in _fields(here[1], self.separator)]
            names = all(cell and cell.lower() not in GAPS and not NUMBER.match(cell) for cell in cells)
            around = [_fields(line, self.separator) for _, line in (above, below)]
            if names and all(any(NUMBER.match(cell) for cell in row) for row in around):
                raise ValueError(
                    f"Line {here[0]} of {name} begins another table ({', '.join(cells[:3])}) below an empty line; "
                    "leave one table in the file."
                )

    # What is left out, in the order in which it is looked for.

    def _drop(self, what: str, places: list[int]) -> None:
        if places:
            gone = set(places)
            self.kept = [entry for i, entry in enumerate(self.kept) if i not in gone]
            self.left_out[what] += len(gone)

    def _drop_comments(self) -> None:
        places = [i for i, (_, line) in enumerate(self.kept) if _COMMENT.match(line)]
        rest = [entry for i, entry in enumerate(self.kept) if i not in set(places)]
        if not places or (not rest and len(places) < 2):
            return
        # Names may stand in the last comment above the numbers, as NumPy and gnuplot have them.
        above = [i for i in places if not rest or self.kept[i][0] < rest[0][0]]
        if above and rest:
            last = above[-1]
            number, line = self.kept[last]
            names = re.sub(r"\A\s*(#|//|%)+\s*", "", line)
            separator = detect_separator([entry[1] for entry in rest[:200]])
            cells = _fields(rest[0][1], separator)
            heads = _fields(names, separator)
            if len(heads) == len(cells) > 1 and all(map(NUMBER.match, cells)):
                self.kept[last] = (number, names)
                places.remove(last)
        self._drop("comment", places)

    def _strip_bars(self) -> None:
        if all(line.strip().startswith("|") and line.strip().endswith("|") for _, line in self.kept):
            self.kept = [(number, line.strip()[1:-1]) for number, line in self.kept]
        self.kept = [
            (number, "|".join(cell.strip() for cell in line.split("|")) if '"' not in line else line)
            for number, line in self.kept
        ]

    def _join_names(self) -> None:
        for place in range(min(ENDS, len(self.kept) - 2)):
            joined = joined_names([_fields(line, self.separator) for _, line in self.kept[place : place + 3]])
            if joined is not None and self.separator in SEPARATORS:
                out = io.StringIO()
                csv.writer(out, delimiter=self.separator, lineterminator="").writerow(joined)
                self.kept[place : place + 2] = [(self.kept[place + 1][0], out.getvalue())]
                self.left_out["title"] += place
                self.kept = self.kept[place:]
                self.joined = True
                return

    def _drop_titles(self) -> None:
        rows = [_fields(line, self.separator) for _, line in self.kept[:ENDS]]
        self._drop("title", list(range(titles(rows))))

    def _take_units(self) -> None:
        if len(self.kept) < 3:
            return
        heads, below, data = (_fields(line, self.separator) for _, line in self.kept[:3])
        if not len(heads) == len(below) == len(data) or len(heads) < 2:
            return
        units = [split_unit(f"x {cell.strip()}")[1] or cell.strip().strip("[]()") for cell in below]
        numeric = sum(bool(NUMBER.match(cell)) for cell in data)
        known = sum(is_unit(unit) for unit in units)
        if numeric and known and all(is_unit(unit) or unit in ("", "-", "1") for unit in units):
            if any(NUMBER.match(cell) and cell.strip() != "1" for cell in below):
                return
            self.units = ["" if unit in ("-", "1") else unit for unit in units]
            del self.kept[1]

    def _drop_footers(self) -> None:
        last = [self.kept[0], *self.kept[1:][-ENDS:]]
        rows = [_fields(line, self.separator) for _, line in last]
        below = footers(rows, len(rows[0]))
        self._drop("footer", list(range(len(self.kept) - below, len(self.kept))))


def _told_separator(numbered: list[tuple[int, str]]) -> str | None:
    """The separator that Excel writes in a first line `sep=;`."""
    match = re.fullmatch(r'"?sep=(.)"?', numbered[0][1].strip("\r\n ")) if numbered else None
    return match[1] if match else None


# --- encoding, separator, decimal sign ---------------------------------------------------------------


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
            notes.append(f"line {line} is not UTF-8 and was read as Windows-1252; --encoding says otherwise")
            return _line_by_line(content), notes
        raise ValueError(
            f"{name} is not {dialect.encoding or 'utf-8'} text (line {line}); save it as UTF-8, or, on the "
            "command line, give --encoding latin-1."
        ) from None
    if "\x00" in text[:4096]:
        raise ValueError(f"{name} is not a text file; give CSV, TSV, Parquet or Excel (.xlsx).")
    return text, notes


def _line_by_line(content: bytes) -> str:
    """Text of mixed encodings: every line UTF-8 if it can be, else Windows-1252, else Latin-1."""
    lines = []
    for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        for encoding in ("utf-8", "cp1252", "latin-1"):
            try:
                lines.append(line.decode(encoding))
                break
            except UnicodeError:
                continue
    return "\n".join(lines)


def detect_separator(lines: list[str]) -> str:
    """The separator that splits the first lines into the same number of fields, and into most of them."""
    best, score = ",", (0, 0)
    for separator in SEPARATORS:
        counts = Counter(len(_fields(line, separator)) for line in lines)
        fields, agreeing = counts.most_common(1)[0]
        in_header = len(_fields(lines[0], separator))
        if in_header < 2:
            if fields < 2 or agreeing < 2 or agreeing * 2 < len(lines):
                continue
            in_header = fields  # titles stand above the names
        # Lines that agree with the header weigh more than many fields: decimal commas split lines unevenly.
        candidate = (counts[in_header] if fields == in_header else agreeing // 2, in_header)
        if candidate > score:
            best, score = separator, candidate
    if score == (0, 0) and len(lines[0].split()) > 1 and len({len(line.split()) for line in lines}) == 1:
        return r"\s+"
    apart = {len(re.split(WIDE, line.strip())) for line in lines}
    if score == (0, 0) and len(apart) == 1 and apart != {1}:
        return WIDE
    return best


def detect_decimal(lines: list[str], separator: str) -> str:
    """A comma if fields such as `1,5` occur and none such as `1.5`; `1.234` beside `1,5` has a separator of thousands."""
    if separator == ",":
        return "."
    cells = [cell for line in lines[1:] for cell in _fields(line, separator)]
    commas = any(_COMMA_NUMBER.match(cell) for cell in cells)
    points = any(_POINT_NUMBER.match(cell) and not _GROUPED.match(cell) for cell in cells)
    return "," if commas and not points else "."


def _unescaped(separator: str | None) -> str | None:
    if separator is None:
        return None
    known = {"\\t": "\t", "tab": "\t", "comma": ",", "semicolon": ";", "space": r"\s+", " ": r"\s+"}
    found = known.get(separator, separator)
    if len(found) != 1 and found != r"\s+":
        raise ValueError(
            f"The separator {separator!r} is not one character; take ',', ';', '|', tab or space."
        )
    return found


def _fields(line: str, separator: str) -> list[str]:
    if separator == r"\s+":
        return line.split()
    try:
        return next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    except csv.Error:
        return line.split(separator)
