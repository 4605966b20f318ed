"""Text to a table: the lines that belong to the table, and those around it.

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

from multigene.data.around import NUMBER, descriptions, footers, joined_names, may_be_total, subtotals, titles
from multigene.data.cells import is_unit, split_unit
from multigene.data.codes import with_codes
from multigene.data.constants import ENDS, GAPS, MOST_DESCRIPTIONS
from multigene.data.table import (
    EMPTY,
    Dialect,
    Table,
    named,
    refuse_numbers_as_names,
    refuse_repeated,
    with_groups_filled,
)
from multigene.data.text_form import (
    FIXED,
    SEPARATORS,
    SPOKEN,
    WIDE,
    decoded,
    detect_decimal,
    detect_separator,
    fixed_widths,
    split_line,
    unescaped,
    whole_lines,
)
from multigene.words import counted

_COMMENT = re.compile(r"\s*(#(?!(DIV/0|N/A|REF|VALUE|WERT|NUM|NAME|NULL|BEZUG))|//|%%|%\s)")
#: What the data loggers of Campbell Scientific write first; names stand below it.
_LOGGER = re.compile(r'"?TOA5"?,')
_RULE = re.compile(r"[\s\-=+|:_]*[-=]{3,}[\s\-=+|:_]*\Z")


def read(content: bytes, name: str, dialect: Dialect) -> Table:
    """The table in the content of a text file called `name`."""
    text, notes = decoded(content, name, dialect)
    lines = TextLines.of(text, dialect)
    if not lines.kept:  # nothing but marks, separators of lines and comments
        raise ValueError(EMPTY.format(name))
    separator, sample = lines.separator, lines.sample
    decimal = dialect.decimal or detect_decimal(sample, separator)
    names = split_line(sample[0], separator)
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
        notes.append(f"columns are separated by {SPOKEN[separator]}")
    if dialect.decimal is None and decimal == ",":
        notes.append("numbers have decimal commas")
    notes += lines.notes()
    units = dict(zip(names, lines.units, strict=False)) if lines.units else {}
    frame = with_groups_filled(named(frame, dialect), dialect, notes)
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
            return with_codes(frame, lines.text, separator, dialect.header, dialect.as_it_is)
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
    fixed: bool = False
    """Were columns told apart by their places?"""
    joined: bool = False
    """Do names stand in two lines?"""

    @staticmethod
    def of(text: str, dialect: Dialect) -> TextLines:
        """Tell the table from what stands around it."""
        numbered = whole_lines(text)
        told = _told_separator(numbered)
        if told is not None:
            numbered = numbered[1:]
        found = TextLines(numbered, ",", quoted='"' in text, header=dialect.header)
        found._drop_comments()
        found._drop("rule", [i for i, (_, line) in enumerate(found.kept) if _RULE.match(line)])
        if not found.kept:
            return found
        found.separator = unescaped(dialect.separator) or told or detect_separator(found.sample)
        if found.separator == "|":
            found._strip_bars()
        elif found.separator in (WIDE, FIXED):
            found._split_spaces()
        if dialect.header:
            found._drop("title", [0] if _LOGGER.match(found.kept[0][1]) else [])
            found._join_names()
            found._drop_titles()
            found._take_units()
            found._drop_descriptions()
            found._name_rows()
            header = found.kept[0][1]
            again = [i for i, (_, line) in enumerate(found.kept) if i and line == header]
            if any(not NUMBER.match(cell) for cell in split_line(header, found.separator)):
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
    def _places(self) -> list[int]:
        """The number in the file of every line of `text`; quoted cells may hold ends of lines."""
        return [number + i for number, line in self.kept for i in range(line.count("\n") + 1)]

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
        notes += ["columns are told apart by their places in the line"] if self.fixed else []
        notes += ["names were joined of two lines"] if self.joined else []
        return notes + (["units were read from the line below the names"] if self.units else [])

    def unclosed(self, name: str) -> str | None:
        """The line with the quote that the last row opens and nothing closes, in words."""
        lines = self.text.splitlines(True)
        reader, begun, before = csv.reader(lines, delimiter=self.separator[-1:]), 0, 0
        for _ in reader:
            begun, before = before, reader.line_num
        line, place = (
            self._places[min(begun, len(lines) - 1)],
            lines[min(begun, len(lines) - 1)].rfind('"') + 1,
        )
        return f"Line {line} of {name} opens a quote (column {place}) that nothing closes; close it or take it out."

    def ragged(self, name: str) -> str | None:
        """The first line with more or fewer fields than the header has, in words."""
        expected = None
        if self.separator == r"\s+":
            rows: Any = ((number, split_line(line, self.separator)) for number, line in self.kept)
        else:
            reader = csv.reader(
                io.StringIO(self.text, newline=""), delimiter=self.separator, skipinitialspace=True
            )
            places = self._places
            rows = ((places[min(reader.line_num, len(places)) - 1], row) for row in reader)
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
            cells = [cell.strip() for cell in split_line(here[1], self.separator)]
            names = all(cell and cell.lower() not in GAPS and not NUMBER.match(cell) for cell in cells)
            around = [split_line(line, self.separator) for _, line in (above, below)]
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
            cells = split_line(rest[0][1], separator)
            heads = split_line(names, separator)
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
            joined = joined_names(
                [split_line(line, self.separator) for _, line in self.kept[place : place + 3]]
            )
            if joined is not None and self.separator in SEPARATORS:
                out = io.StringIO()
                csv.writer(out, delimiter=self.separator, lineterminator="").writerow(joined)
                self.kept[place : place + 2] = [(self.kept[place + 1][0], out.getvalue())]
                self.left_out["title"] += place
                self.kept = self.kept[place:]
                self.joined = True
                return

    def _drop_titles(self) -> None:
        rows = [split_line(line, self.separator) for _, line in self.kept[:ENDS]]
        self._drop("title", list(range(titles(rows))))

    def _rows(self, first: int) -> list[list[str]]:
        """The cells of lines from this one on, as far as tables are looked at."""
        return [
            [cell.strip() for cell in split_line(line, self.separator)]
            for _, line in self.kept[first : first + ENDS]
        ]

    def _take_units(self) -> None:
        """A line of units below the names; below a unit stand numbers, else it is a level such as N (north)."""
        rows = self._rows(0)
        if len(rows) < 3 or len(rows[0]) < 2 or len({len(row) for row in rows[:3]}) > 1:
            return
        below, data = rows[1], rows[2:]
        units = [split_unit(f"x {cell}")[1] or cell.strip("[]()") for cell in below]
        if any(NUMBER.match(cell) and cell != "1" for cell in below) or not any(map(is_unit, units)):
            return
        for place, unit in enumerate(units):
            cells = [row[place] for row in data if len(row) > place]
            if is_unit(unit):
                if not any(map(_has_digits, cells)) or not all(_has_digits(c) or _is_gap(c) for c in cells):
                    return
            elif unit not in ("", "-", "1"):
                return
        self.units = ["" if unit in ("-", "1") else unit for unit in units]
        del self.kept[1]

    def _drop_descriptions(self) -> None:
        """Lines of text below the names, as loggers (units and kinds of means) and surveys (questions) have them."""
        rows = self._rows(1)
        marked = [i for i, row in enumerate(rows[:MOST_DESCRIPTIONS]) if any('{"ImportId"' in c for c in row)]
        number = marked[0] + 1 if marked else descriptions(rows, len(self._rows(0)[0]))
        if number and not self.units and any(map(is_unit, rows[0])):
            self.units = [cell if is_unit(cell) else "" for cell in rows[0]]
        self._drop("description", list(range(1, number + 1)))

    def _name_rows(self) -> None:
        """An empty name in front of the others where every row begins with one more cell: R writes the names of rows so."""
        names, *rows = self._rows(0)
        if not rows or any(len(row) != len(names) + 1 for row in rows) or not any(row[-1] for row in rows):
            return
        first = [row[0] for row in rows]
        counted = first == [str(number) for number in range(1, len(rows) + 1)]
        # Of commas one may be a decimal sign.
        told = self.separator != "," or all(line.startswith('"') for _, line in self.kept[1:ENDS])
        if told and (counted or all(cell and not NUMBER.match(cell) for cell in first)):
            number, line = self.kept[0]
            between = " " if self.separator == r"\s+" else self.separator
            self.kept[0] = (number, f'""{between}{line}')

    def _split_spaces(self) -> None:
        """Lines with tabs in the place of the spaces that separate columns."""
        spans = fixed_widths(self.sample) if self.separator == FIXED else []
        if spans:
            spans[-1] = (spans[-1][0], max(len(line) for _, line in self.kept))
            self.kept = [(n, "\t".join(line[i:j].strip() for i, j in spans)) for n, line in self.kept]
            self.fixed = True
        else:
            self.kept = [(n, re.sub(WIDE, "\t", line.strip())) for n, line in self.kept]
            self.wide = True
        self.separator = "\t"

    def _drop_footers(self) -> None:
        end = len(self.kept)
        while end > 2 and not self.kept[end - 1][1].replace(self.separator, "").strip(' "'):
            end -= 1
        self._drop("empty", list(range(end, len(self.kept))))
        last = [self.kept[0], *self.kept[1:][-ENDS:]]
        rows = [split_line(line, self.separator) for _, line in last]
        below = footers(rows, len(rows[0]))
        self._drop("footer", list(range(len(self.kept) - below, len(self.kept))))
        if any(map(may_be_total, (line for _, line in self.kept))):
            first = [next(iter(split_line(line, self.separator)), "") for _, line in self.kept]
            self._drop("subtotal", subtotals(first))


def _has_digits(cell: str) -> bool:
    return any(map(str.isdigit, cell))


def _is_gap(cell: str) -> bool:
    return not cell or cell.lower() in GAPS


def _told_separator(numbered: list[tuple[int, str]]) -> str | None:
    """The separator that Excel writes in a first line `sep=;`."""
    match = re.fullmatch(r'"?sep=(.)"?', numbered[0][1].strip("\r\n ")) if numbered else None
    return match[1] if match else None
