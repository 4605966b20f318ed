"""Tables in: whatever file or pipe holds a table to a DataFrame, or a sentence that says the way out.

The command line reads files through this module; `columns.py` then picks target and features. What a file holds is told by its
first bytes, not by its name: text goes to `text_table.py`, everything else to `stores.py`, and text in cells that means numbers
(`1.234,50 €`) is read by `cells.py`. What had to be guessed stands in `Table.notes`, and a `Dialect` overrides it.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import sys
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

import pandas as pd

from multigene.words import nearest

EMPTY = "{} is empty; give a file with a line of column names and rows of numbers."


@dataclass(frozen=True)
class Table:
    """A table as it was read: where from, its columns, and what had to be guessed to read it."""

    frame: pd.DataFrame
    source: str
    notes: list[str] = field(default_factory=list)
    #: Line of the file on which the first row of data stands; None when rows have no lines.
    first_line: int | None = None
    #: Units that stood in the header or behind the numbers, by column.
    units: dict[str, str] = field(default_factory=dict)

    def place(self, row: int) -> str:
        """Where a row (counted from 0) stands, for people."""
        return f"row {row + 1}" + ("" if self.first_line is None else f" (line {row + self.first_line})")


@dataclass(frozen=True)
class Dialect:
    """How to read a file, where the user says so; None is found out."""

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool = True
    #: Sheet of a spreadsheet, table of a database or file of an archive.
    sheet: str | None = None


def read_table(
    source: str | os.PathLike[str], dialect: Dialect | None = None, stdin: IO[bytes] | None = None
) -> Table:
    """Read a table from a file, or from a pipe when `source` is `-`.

    `file.db::sales` is the table `sales` of a database; so are a sheet of a spreadsheet and a file of an archive named.
    """
    from multigene.data import cells, stores, text_table

    dialect = dialect or Dialect()
    source, dialect = _with_part(str(source), dialect)
    name = "standard input" if source == "-" else source
    if os.path.isdir(source):
        return _checked(stores.parquet_directory(Path(source), name))
    if source != "-" and (kind := stores.database(source)) is not None:
        return _checked(cells.read_cells(stores.from_database(kind, source, dialect), dialect.decimal))
    content = _unpacked(_content(source, name, stdin), name)
    if not content.strip():
        raise ValueError(EMPTY.format(name))
    if content[:4] == b"PK\x03\x04" and not stores.is_workbook(content):
        content, name = stores.archive_member(content, name, dialect)
        content = _unpacked(content, name)
        dialect = replace(dialect, sheet=None)
    reader = stores.reader(content)
    table = reader(content, name, dialect) if reader is not None else text_table.read(content, name, dialect)
    return _checked(cells.read_cells(table, dialect.decimal))


def _with_part(source: str, dialect: Dialect) -> tuple[str, Dialect]:
    """The file, and the dialect with the part of it that `file::part` names."""
    file, marks, part = source.rpartition("::")
    if not marks or not file or os.path.exists(source):
        return source, dialect
    if not part:
        raise ValueError(f"{source} names no table after '::'; write for example {file}::sales.")
    return file, replace(dialect, sheet=part)


_PACKED: tuple[tuple[bytes, str, Callable[[bytes], bytes]], ...] = (
    (b"\x1f\x8b", "gzip", gzip.decompress),
    (b"\xfd7zXZ\x00", "xz", lzma.decompress),
    (b"BZh", "bzip2", bz2.decompress),
)


def _unpacked(content: bytes, name: str) -> bytes:
    for mark, kind, unpack in _PACKED:
        if content.startswith(mark):
            try:
                return unpack(content)
            except (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError):
                raise ValueError(f"{name} is a damaged {kind} file; make or fetch it again.") from None
    if content.startswith(b"\x28\xb5\x2f\xfd"):
        raise ValueError(f"{name} is packed by zstd; unpack it first (`zstd -d`), or pack it by gzip or xz.")
    return content


def _content(source: str, name: str, stdin: IO[bytes] | None) -> bytes:
    if source == "-":
        stream = stdin or sys.stdin.buffer
        if stream.isatty():
            raise ValueError(
                "There is nothing to read: '-' needs a pipe, as in `cat data.csv | multigene fit -`."
            )
        return stream.read()
    path = Path(source)
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise ValueError(f"There is no file {name}{_near_files(path)}") from None
    except PermissionError:
        raise ValueError(f"{name} may not be read by you; change its permissions or copy it.") from None
    except (OSError, ValueError) as error:
        raise ValueError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def _near_files(path: Path) -> str:
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    except OSError:
        return f"; there is no directory {path.parent} either."
    return nearest(path.name, names) or "; check the name, or give '-' to read a pipe."


# --- names of columns -----------------------------------------------------------------------------


def refuse_numbers_as_names(names: list[str], source: str, dialect: Dialect) -> None:
    """Refuse a first line of numbers, unless the dialect says that there are no names."""
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


def refuse_repeated(names: list[str], source: str) -> None:
    """Refuse two columns of one name."""
    repeated = [name for name, count in Counter(n.strip() for n in names).items() if count > 1 and name]
    if repeated:
        raise ValueError(
            f"{source} has several columns named {repeated[0]!r}; rename them so that every name is unique."
        )


def named(frame: pd.DataFrame, dialect: Dialect) -> pd.DataFrame:
    """The table with names without spaces around them, or with x0, x1, … where it has none."""
    if not dialect.header:
        return frame.set_axis([f"x{j}" for j in range(frame.shape[1])], axis=1)
    return frame.rename(columns={c: str(c).strip() for c in frame.columns})


def _checked(table: Table) -> Table:
    """Refuse tables without rows, and drop the column of row numbers that pandas and R write first."""
    frame = table.frame
    if frame.shape[1] == 0 or frame.shape[0] == 0:
        raise ValueError(f"{table.source} has column names but no rows of data; add rows.")
    frame = frame.set_axis([str(c) for c in frame.columns], axis=1)
    refuse_repeated(list(frame.columns), table.source)
    frame = frame[[c for c in frame.columns if not (_unnamed(c) and frame[c].isna().all())]]
    first = frame.columns[0] if frame.shape[1] else "x"
    if _unnamed(first):
        counts = pd.to_numeric(frame.iloc[:, 0], errors="coerce").to_numpy()
        if len(counts) and any((counts == range(start, start + len(counts))).all() for start in (0, 1)):
            frame = frame.iloc[:, 1:]
            table.notes.append("left out the first column, which has no name and counts the rows")
    if frame.shape[1] == 0:
        raise ValueError(f"{table.source} has only a column of row numbers; add columns of data.")
    unnamed = {c: f"column_{j + 1}" for j, c in enumerate(frame.columns) if _unnamed(c)}
    if unnamed:
        table.notes.append(f"columns without a name are called {', '.join(unnamed.values())}")
        frame = frame.rename(columns=unnamed)
    return replace(table, frame=frame)


def _unnamed(column: str) -> bool:
    return column.startswith("Unnamed:") or column == ""
