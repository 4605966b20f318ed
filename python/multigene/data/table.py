"""Tables in: CSV, TSV, Parquet, Excel or a pipe to a DataFrame, or a sentence that says the way out.

The command line reads files through this module; `columns.py` then picks target and features and
turns them into numbers. What a file holds is told by its first bytes, not by its name.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import sys
import warnings
import zlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import pandas as pd

SEPARATORS = (",", ";", "\t", "|")
_SPOKEN = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", r"\s+": "spaces"}
_EMPTY = "{} is empty; give a file with a line of column names and rows of numbers."
_COMMA_NUMBER = re.compile(r"\s*[-+]?\d*,\d+([eE][-+]?\d+)?\s*\Z")
_POINT_NUMBER = re.compile(r"\s*[-+]?\d*\.\d+([eE][-+]?\d+)?\s*\Z")


@dataclass(frozen=True)
class Table:
    """A table as it was read: where from, its columns, and what had to be guessed to read it."""

    frame: pd.DataFrame
    source: str
    notes: list[str] = field(default_factory=list)
    #: Line of the file on which the first row of data stands; None when rows have no lines.
    first_line: int | None = None

    def place(self, row: int) -> str:
        """Where a row (counted from 0) stands, for people."""
        return f"row {row + 1}" + ("" if self.first_line is None else f" (line {row + self.first_line})")


@dataclass(frozen=True)
class Dialect:
    """How to read a file, where the user says so; None is found out."""

    separator: str | None = None
    decimal: str | None = None
    encoding: str = "utf-8"
    header: bool = True
    sheet: str | None = None


def read_table(
    source: str | os.PathLike[str], dialect: Dialect | None = None, stdin: IO[bytes] | None = None
) -> Table:
    """Read a table from a file, or from a pipe when `source` is `-`."""
    dialect = dialect or Dialect()
    name = "standard input" if str(source) == "-" else str(source)
    content = _content(source, name, stdin)
    if content[:2] == b"\x1f\x8b":
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error):
            raise ValueError(f"{name} is a damaged gzip file; make or fetch it again.") from None
    if not content.strip():
        raise ValueError(_EMPTY.format(name))
    if content[:4] == b"PAR1":
        return _checked(_parquet(content, name))
    if content[:4] == b"PK\x03\x04":
        return _checked(_excel(content, name, dialect))
    if content[:4] == b"\xd0\xcf\x11\xe0":
        raise ValueError(f"{name} is an Excel file of the old kind (.xls); save it as .xlsx or CSV.")
    return _checked(_text(content, name, dialect))


def _content(source: str | os.PathLike[str], name: str, stdin: IO[bytes] | None) -> bytes:
    if str(source) == "-":
        stream = stdin or sys.stdin.buffer
        if stream.isatty():
            raise ValueError(
                "There is nothing to read: '-' needs a pipe, as in `cat data.csv | multigene fit -`."
            )
        return stream.read()
    path = Path(source)
    if path.is_dir():
        raise ValueError(f"{name} is a directory; name a file in it.")
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise ValueError(f"There is no file {name}{_near_files(path)}") from None
    except PermissionError:
        raise ValueError(f"{name} may not be read by you; change its permissions or copy it.") from None
    except (OSError, ValueError) as error:
        raise ValueError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def _near_files(path: Path) -> str:
    from multigene.words import nearest

    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    except OSError:
        return f"; there is no directory {path.parent} either."
    return nearest(path.name, names) or "; check the name, or give '-' to read a pipe."


# --- one reader per format ------------------------------------------------------------------------


def _parquet(content: bytes, name: str) -> Table:
    try:
        frame = pd.read_parquet(io.BytesIO(content))
    except ImportError:
        raise ValueError("Parquet files need one more package: pip install 'multigene[cli]'.") from None
    except Exception:
        raise ValueError(f"{name} is a damaged Parquet file; make or fetch it again.") from None
    if not isinstance(frame.index, pd.RangeIndex) and frame.index.name is not None:
        frame = frame.reset_index()
    return Table(frame, name)


def _excel(content: bytes, name: str, dialect: Dialect) -> Table:
    notes: list[str] = []
    try:
        with pd.ExcelFile(io.BytesIO(content), engine="openpyxl") as book:
            sheets = [str(s) for s in book.sheet_names]
            sheet = dialect.sheet or sheets[0]
            if sheet not in sheets:
                raise _NoSheet(
                    f"{name} has no sheet {sheet!r}; its sheets are {', '.join(map(repr, sheets))}."
                )
            if dialect.sheet is None and len(sheets) > 1:
                notes.append(f"read sheet {sheet!r} of {len(sheets)}; --sheet takes another")
            frame = pd.read_excel(book, sheet_name=sheet, header=0 if dialect.header else None)
    except ImportError:
        raise ValueError("Excel files need one more package: pip install 'multigene[cli]'.") from None
    except _NoSheet as error:
        raise ValueError(str(error)) from None
    except Exception:
        raise ValueError(
            f"{name} is not an Excel file that can be read; save it as .xlsx or CSV again."
        ) from None
    _refuse_numbers_as_names([str(c) for c in frame.columns], name, dialect)
    return Table(_named(frame, dialect), name, notes, first_line=2 if dialect.header else 1)


class _NoSheet(Exception):
    """A sheet that is not there."""


def _text(content: bytes, name: str, dialect: Dialect) -> Table:
    text = _decoded(content, name, dialect)
    sample = [line for line in text[: 1 << 20].splitlines()[:200] if line.strip()]
    if not sample:  # nothing but marks and separators of lines
        raise ValueError(_EMPTY.format(name))
    separator = _unescaped(dialect.separator) or detect_separator(sample)
    decimal = dialect.decimal or detect_decimal(sample, separator)
    names = _fields(sample[0], separator)
    _refuse_numbers_as_names(names, name, dialect)
    options: dict[str, Any] = {"header": 0} if dialect.header else {"header": None}
    if int(pd.__version__.split(".")[0]) < 3:
        options["float_precision"] = "round_trip"  # later versions do so of themselves
    # A thousand separator is never guessed: 1,234 may be either. Everything else pandas knows is left to it.
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # fields beyond the header would be lost
            frame = pd.read_csv(
                io.StringIO(text),
                sep=separator,
                decimal=decimal,
                skipinitialspace=True,
                index_col=False,
                **options,
            )
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        raise ValueError(
            _ragged(text, separator, name) or f"{name} cannot be read as a table: {error}."
        ) from None
    except ValueError as error:
        raise ValueError(f"{name} cannot be read as a table: {str(error).strip().rstrip('.')}.") from None
    if dialect.header:
        _refuse_repeated(names, name)
    ragged = (
        _ragged(text, separator, name) if frame.shape[1] and bool(frame.iloc[:, -1].isna().any()) else None
    )
    if ragged:
        raise ValueError(ragged)
    notes = []
    if dialect.separator is None and separator not in (",", "\t"):
        notes.append(f"columns are separated by {_SPOKEN[separator]}")
    if dialect.decimal is None and decimal == ",":
        notes.append("numbers have decimal commas")
    blank = any(not line.strip() for line in text.splitlines()[:-1])
    first = None if blank or '"' in text else (2 if dialect.header else 1)
    return Table(_named(frame, dialect), name, notes, first_line=first)


def _decoded(content: bytes, name: str, dialect: Dialect) -> str:
    encoding = dialect.encoding
    if encoding.lower().replace("-", "") == "utf8":
        encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except LookupError:
        raise ValueError(
            f"There is no encoding {dialect.encoding!r}; take utf-8, latin-1, cp1252 or utf-16."
        ) from None
    except UnicodeError as error:
        line = content[: getattr(error, "start", 0)].count(b"\n") + 1
        raise ValueError(
            f"{name} is not {dialect.encoding} text (line {line}); give --encoding latin-1, or save it "
            "as UTF-8."
        ) from None
    if "\x00" in text[:4096]:
        raise ValueError(f"{name} is not a text file; give CSV, TSV, Parquet or Excel (.xlsx).")
    return text


# --- what a text file looks like ------------------------------------------------------------------


def detect_separator(lines: list[str]) -> str:
    """The separator that splits the first lines into the same number of fields, and into most of them."""
    best, score = ",", (0, 0)
    for separator in SEPARATORS:
        counts = Counter(len(_fields(line, separator)) for line in lines)
        fields, agreeing = counts.most_common(1)[0]
        in_header = len(_fields(lines[0], separator))
        if in_header < 2:
            continue
        # Lines that agree with the header weigh more than many fields: decimal commas split lines unevenly.
        candidate = (counts[in_header] if fields == in_header else agreeing // 2, in_header)
        if candidate > score:
            best, score = separator, candidate
    if score == (0, 0) and len(lines[0].split()) > 1 and len({len(line.split()) for line in lines}) == 1:
        return r"\s+"
    return best


def detect_decimal(lines: list[str], separator: str) -> str:
    """A comma if fields such as `1,5` occur and none such as `1.5`."""
    if separator == ",":
        return "."
    cells = [cell for line in lines[1:] for cell in _fields(line, separator)]
    commas = any(_COMMA_NUMBER.match(cell) for cell in cells)
    return "," if commas and not any(_POINT_NUMBER.match(cell) for cell in cells) else "."


def _unescaped(separator: str | None) -> str | None:
    if separator is None:
        return None
    named = {"\\t": "\t", "tab": "\t", "comma": ",", "semicolon": ";", "space": r"\s+", " ": r"\s+"}
    found = named.get(separator, separator)
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


def _ragged(text: str, separator: str, name: str) -> str | None:
    """The first line with more or fewer fields than the header has, in words."""
    if separator == r"\s+":
        rows: Any = enumerate((line.split() for line in text.splitlines()), 1)
    else:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
        rows = ((reader.line_num, row) for row in reader)
    expected = None
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


# --- names of columns -----------------------------------------------------------------------------


def _refuse_numbers_as_names(names: list[str], source: str, dialect: Dialect) -> None:
    if dialect.header and names and all(_is_number(name, dialect.decimal) for name in names):
        raise ValueError(
            f"The first line of {source} holds numbers "
            f"({', '.join(names[:3])}{', …' if len(names) > 3 else ''}), not column names; "
            "add a line of names, or give --no-header to call the columns x0, x1, …"
        )


def _is_number(text: str, decimal: str | None) -> bool:
    try:
        float(text.replace(",", ".") if decimal == "," or text.count(",") == 1 else text)
    except ValueError:
        return False
    return True


def _refuse_repeated(names: list[str], source: str) -> None:
    repeated = [name for name, count in Counter(n.strip() for n in names).items() if count > 1 and name]
    if repeated:
        raise ValueError(
            f"{source} has several columns named {repeated[0]!r}; rename them so that every name is unique."
        )


def _named(frame: pd.DataFrame, dialect: Dialect) -> pd.DataFrame:
    if not dialect.header:
        return frame.set_axis([f"x{j}" for j in range(frame.shape[1])], axis=1)
    return frame.rename(columns={c: str(c).strip() for c in frame.columns})


def _checked(table: Table) -> Table:
    """Refuse tables without rows, and drop the column of row numbers that pandas and R write first."""
    frame = table.frame
    if frame.shape[1] == 0 or frame.shape[0] == 0:
        raise ValueError(f"{table.source} has column names but no rows of data; add rows.")
    frame = frame.set_axis([str(c) for c in frame.columns], axis=1)
    _refuse_repeated(list(frame.columns), table.source)
    first = frame.columns[0]
    if first.startswith("Unnamed:") or first == "":
        counts = pd.to_numeric(frame.iloc[:, 0], errors="coerce").to_numpy()
        if len(counts) and any((counts == range(start, start + len(counts))).all() for start in (0, 1)):
            frame = frame.iloc[:, 1:]
            table.notes.append("left out the first column, which has no name and counts the rows")
    if frame.shape[1] == 0:
        raise ValueError(f"{table.source} has only a column of row numbers; add columns of data.")
    unnamed = {
        c: f"column_{j + 1}" for j, c in enumerate(frame.columns) if c.startswith("Unnamed:") or c == ""
    }
    if unnamed:
        table.notes.append(f"columns without a name are called {', '.join(unnamed.values())}")
        frame = frame.rename(columns=unnamed)
    return Table(frame, table.source, table.notes, table.first_line)
