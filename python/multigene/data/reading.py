"""Tables in: any file or pipe that holds a table to a DataFrame, or a sentence that says the way out.

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
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import IO

import pandas as pd

from multigene.data import cells, stores, text_table
from multigene.data.table import EMPTY, Dialect, Table, refuse_repeated
from multigene.words import nearest


def read_table(
    source: str | os.PathLike[str], dialect: Dialect | None = None, stdin: IO[bytes] | None = None
) -> Table:
    """Read a table from a file, or from a pipe when `source` is `-`.

    `file.db::sales` is the table `sales` of a database; so are a sheet of a spreadsheet and a file of an archive named.
    """
    dialect = dialect or Dialect()
    source, dialect = _with_part(str(source), dialect)
    name = "standard input" if source == "-" else source
    if os.path.isdir(source):
        return _checked(stores.parquet_directory(Path(source), name))
    if source != "-" and (kind := stores.database(source)) is not None:
        return _checked(
            cells.read_cells(stores.from_database(kind, source, dialect), dialect.decimal, dialect.as_it_is)
        )
    content = _unpacked(_content(source, name, stdin), name)
    if not content.strip():
        raise ValueError(EMPTY.format(name))
    if content[:4] == b"PK\x03\x04" and not stores.is_workbook(content):
        content, name = stores.archive_member(content, name, dialect)
        content = _unpacked(content, name)
        dialect = replace(dialect, sheet=None)
    reader = stores.reader(content)
    table = reader(content, name, dialect) if reader is not None else text_table.read(content, name, dialect)
    return _checked(cells.read_cells(table, dialect.decimal, dialect.as_it_is))


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
