"""Readers of everything that is not text: Parquet, Arrow, Excel, NumPy, Stata, JSON, SQLite and DuckDB; and files in archives.

`reading.py` asks `reader` which one a file's first bytes call for. Each gives a `Table`, or an error that says what to do.
"""

from __future__ import annotations

import contextlib
import io
import lzma
import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from multigene.data import arff, json_table
from multigene.data.around import footers, joined_names, subtotals, titles
from multigene.data.constants import ENDS
from multigene.data.formulas import uncomputed
from multigene.data.table import (
    Dialect,
    Table,
    named,
    refuse_numbers_as_names,
    refuse_repeated,
    with_groups_filled,
)
from multigene.words import counted, default_names, nearest

Reader = Callable[[bytes, str, Dialect], Table]
_PACKAGE = "{} need one more package: pip install 'multigene[{}]'."


def reader(content: bytes) -> Reader | None:
    """The reader that the first bytes of a file call for; None for text."""
    if content[257:262] == b"ustar":
        return _not_a_table("a tar archive", "unpack it and give the table in it")
    if arff.is_arff(content):
        return arff.read
    found = next((read for mark, read in _READERS if content.startswith(mark)), None)
    if found is None and content.lstrip()[:1] in (b"{", b"["):
        return json_table.read if json_table.is_json(content) else None
    return found


class _NoPartError(ValueError):
    """A sheet or a file of an archive, or a value in it, that is not there."""


@contextlib.contextmanager
def _told(kind: str, name: str, damaged: str) -> Iterator[None]:
    """One sentence for any error that a library raises when the bytes of a file are damaged; {error} in it is what it said."""
    try:
        yield
    except ImportError:
        raise ValueError(_PACKAGE.format(kind, "cli")) from None
    except _NoPartError:
        raise
    except MemoryError:
        raise ValueError(f"{name} needs more memory than there is, or it is damaged.") from None
    except Exception as error:  # each library has its own, and documents none of them
        raise ValueError(damaged.replace("{error}", str(error))) from None


# --- columns in binary files ------------------------------------------------------------------------


def _parquet(content: bytes, name: str, dialect: Dialect) -> Table:
    with _told("Parquet files", name, f"{name} is a damaged Parquet file; make or fetch it again."):
        frame = pd.read_parquet(io.BytesIO(content))
    return Table(_with_index(frame), name)


def parquet_directory(path: Path, name: str) -> Table:
    """All Parquet files of a directory, such as Dask and Spark write, one below the other."""
    parts = sorted(path.rglob("*.parquet"))
    if not parts:
        raise ValueError(f"{name} is a directory without Parquet files; name a file in it.")
    with _told("Parquet files", name, f"The Parquet files of {name} cannot be read as one table: {{error}}."):
        import pyarrow.dataset

        frame = pyarrow.dataset.dataset([str(part) for part in parts]).to_table().to_pandas()
    return Table(_with_index(frame), name, [f"read {len(parts)} Parquet files of {name}"])


def _with_index(frame: pd.DataFrame) -> pd.DataFrame:
    if not isinstance(frame.index, pd.RangeIndex) and frame.index.name is not None:
        return frame.reset_index()
    return frame


def _arrow(content: bytes, name: str, dialect: Dialect) -> Table:
    with _told("Arrow files", name, f"{name} is a damaged Arrow file; make or fetch it again."):
        import pyarrow as pa
        import pyarrow.feather

        if content.startswith(b"\xff\xff\xff\xff"):
            frame = pa.ipc.open_stream(content).read_all().to_pandas()
        else:
            frame = pyarrow.feather.read_table(io.BytesIO(content)).to_pandas()
    return Table(_with_index(frame), name)


def _numpy(content: bytes, name: str, dialect: Dialect) -> Table:
    with _told(
        "NumPy files", name, f"{name} is not a NumPy file of plain numbers; save numbers with np.save."
    ):
        values = np.load(io.BytesIO(content), allow_pickle=False)
    if values.dtype.names:
        return Table(pd.DataFrame(values), name)
    if values.ndim != 2:
        raise ValueError(f"{name} holds an array of {values.ndim} dimensions; a table has two.")
    columns = default_names(values.shape[1])
    return Table(pd.DataFrame(values, columns=columns), name, ["columns are called x0, x1, …"])


def _stata(content: bytes, name: str, dialect: Dialect) -> Table:
    with _told("Stata files", name, f"{name} is a damaged Stata file; make or fetch it again."):
        return Table(pd.read_stata(io.BytesIO(content)), name)


# --- spreadsheets and archives ----------------------------------------------------------------------


#: What `zipfile` and its ways to pack raise: ValueError and EOFError for places that are not in the file, RuntimeError for a
#: password or a way to pack that it does not know.
_DAMAGED_ZIP = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, ValueError, RuntimeError,
)  # fmt: skip


def is_workbook(content: bytes) -> bool:
    """Whether a zip file is an Excel workbook; damaged ones are left to the Excel reader."""
    with contextlib.suppress(*_DAMAGED_ZIP), zipfile.ZipFile(io.BytesIO(content)) as archive:
        return any(entry.startswith("xl/") for entry in archive.namelist())
    return True


def archive_member(content: bytes, name: str, dialect: Dialect) -> tuple[bytes, str]:
    """The file of a zip archive that holds the table, and its name."""
    try:
        return _member(content, name, dialect)
    except _NoPartError:
        raise
    except _DAMAGED_ZIP:
        raise ValueError(f"{name} is damaged or has a password; unpack it first.") from None


def _member(content: bytes, name: str, dialect: Dialect) -> tuple[bytes, str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = [f for f in archive.namelist() if not _of_the_system(f)]
        if "mimetype" in files:
            raise _NoPartError(f"{name} is an OpenDocument file; save it as .xlsx or CSV.")
        wanted = dialect.sheet
        if wanted is None and len(files) != 1:
            listed = ", ".join(files[:5]) or "none"
            example = files[0] if files else "data.csv"
            raise _NoPartError(
                f"{name} holds {len(files)} files ({listed}); say which, as in {name}::{example}."
            )
        member = wanted or files[0]
        if member not in files:
            raise _NoPartError(f"{name} holds no file {member!r}{nearest(member, files) or '.'}")
        return archive.read(member), f"{name}::{member}"


def _of_the_system(member: str) -> bool:
    """Is a member of an archive a folder, or a file that desktops leave behind?"""
    last = member.rsplit("/", 1)[-1]
    return last.startswith(".") or last in ("", "Thumbs.db", "desktop.ini") or member.startswith("__MACOSX")


def _excel(content: bytes, name: str, dialect: Dialect) -> Table:
    notes: list[str] = []
    damaged = f"{name} is not an Excel file that can be read; save it as .xlsx or CSV again."
    with _told("Excel files", name, damaged), pd.ExcelFile(io.BytesIO(content), engine="openpyxl") as book:
        sheets = [str(s) for s in book.sheet_names]
        sheet = dialect.sheet or _fullest(book, sheets)
        if sheet not in sheets:
            raise _NoPartError(
                f"{name} has no sheet {sheet!r}; its sheets are {', '.join(map(repr, sheets))}."
            )
        if dialect.sheet is None and len(sheets) > 1:
            notes.append(f"read sheet {sheet!r} of {len(sheets)}; --sheet takes another")
        frame = pd.read_excel(book, sheet_name=sheet, header=None)
        cell = uncomputed(content, sheet) if frame.isna().to_numpy().any() else None
        if cell is not None:
            raise _NoPartError(
                f"Cell {cell[0]} of sheet {sheet!r} of {name} is a formula ({cell[1][:40]}) without a computed value; open the "
                "file in Excel or LibreOffice and save it."
            )
    return _below_title(frame, name, notes, dialect)


def _below_title(frame: pd.DataFrame, name: str, notes: list[str], dialect: Dialect) -> Table:
    """The cells of a sheet as a table: empty rows and columns and titles above the names are left out."""
    filled = frame.notna()
    frame = frame.loc[filled.any(axis=1), filled.any(axis=0)]
    if frame.empty:
        raise ValueError(f"{name} has a sheet without cells; --sheet takes another.")
    first = int(frame.index[0]) + 1
    if dialect.header:
        frame = _without_remarks(_with_joined_names(frame, notes), notes)
        first = int(frame.index[0]) + 1
        names = [f"Unnamed: {j}" if pd.isna(cell) else _name(cell) for j, cell in enumerate(frame.iloc[0])]
        refuse_numbers_as_names(names, name, dialect)
        refuse_repeated(names, name)
        frame, first = frame.iloc[1:].set_axis(names, axis=1), first + 1
    whole = bool(len(frame)) and int(frame.index[-1]) - int(frame.index[0]) + 1 == len(frame)
    frame = frame.reset_index(drop=True).infer_objects()
    frame = with_groups_filled(named(frame, dialect), dialect, notes)
    return Table(frame, name, notes, first_line=first if whole else None)


def _with_joined_names(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """The cells with names of two rows, as merged cells make them, in one."""
    texts = frame.head(ENDS).astype(object).where(frame.head(ENDS).notna(), "").map(_name).to_numpy().tolist()
    for place in range(len(texts) - 2):
        joined = joined_names(texts[place : place + 3])
        if joined is not None:
            notes.append("names were joined of two lines")
            below = frame.iloc[place + 1 :].astype(object)
            below.iloc[0] = joined
            return below
    return frame


def _name(cell: Any) -> str:
    """A cell as the name of a column: years are no decimal numbers."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _without_remarks(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """The cells without titles above the names and without totals and remarks below the rows, and without columns that these
    alone had something in."""
    texts = frame.astype(object).where(frame.notna(), "").astype(str)
    above = titles(texts.head(ENDS).to_numpy().tolist())
    last = pd.concat([texts.iloc[above : above + 1], texts.iloc[above + 1 :].tail(ENDS)])
    below = footers(last.to_numpy().tolist(), texts.shape[1])
    for number, where in ((above, "above the column names"), (below, "below the rows")):
        if number:
            notes.append(f"left out {counted(number, 'line')} {where}")
    kept = frame.iloc[above : len(frame) - below]
    totals = subtotals(texts.iloc[above : len(frame) - below, 0].tolist())
    if totals:
        notes.append(f"left out {counted(len(totals), 'subtotal line')}")
        kept = kept.drop(index=kept.index[totals])
    return kept.loc[:, kept.notna().any(axis=0)]


def _fullest(book: pd.ExcelFile, sheets: list[str]) -> str:
    """The first sheet that holds a table: cover pages have few cells."""
    for sheet in sheets:
        worksheet = book.book[sheet]
        if (getattr(worksheet, "max_row", 0) or 0) > 2 and (getattr(worksheet, "max_column", 0) or 0) > 1:
            return sheet
    return sheets[0]


def _old_excel(content: bytes, name: str, dialect: Dialect) -> Table:
    raise ValueError(f"{name} is an Excel file of the old kind (.xls); save it as .xlsx or CSV.")


def _not_a_table(kind: str, way_out: str) -> Reader:
    def refuse(content: bytes, name: str, dialect: Dialect) -> Table:
        raise ValueError(f"{name} is {kind}, not a table; {way_out}.")

    return refuse


# --- databases --------------------------------------------------------------------------------------


def database(path: str) -> str | None:
    """Which kind of database a file is: "SQLite", "DuckDB", or None."""
    try:
        with Path(path).open("rb") as file:
            start = file.read(16)
    except (OSError, ValueError):
        return None
    if start == b"SQLite format 3\x00":
        return "SQLite"
    return "DuckDB" if start[8:12] == b"DUCK" else None


def from_database(kind: str, path: str, dialect: Dialect) -> Table:
    """A table or view of a database; the only one where none is named."""
    if kind == "SQLite":
        uri = f"file:{Path(path).resolve().as_posix().replace('?', '%3f').replace('#', '%23')}?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as connection:
            listing = (
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
            )
            return _selected(connection, listing, path, dialect, sqlite3.Error)
    try:
        import duckdb
    except ImportError:
        raise ValueError(_PACKAGE.format("DuckDB files", "tables")) from None
    try:
        opened = duckdb.connect(path, read_only=True)
    except duckdb.Error:
        raise ValueError(f"{path} is damaged, or a DuckDB file of another version or in use.") from None
    with contextlib.closing(opened):
        listing = "SELECT table_name FROM information_schema.tables"
        return _selected(opened, listing, path, dialect, duckdb.Error)


def _selected(connection: Any, listing: str, path: str, dialect: Dialect, mistake: type[Exception]) -> Table:
    try:
        tables = sorted(row[0] for row in connection.execute(listing).fetchall())
        wanted = dialect.sheet
        if wanted is None and len(tables) != 1:
            listed = ", ".join(tables[:8]) or "none"
            raise ValueError(
                f"{path} has {len(tables)} tables ({listed}); say which, as in "
                f"{path}::{tables[0] if tables else 'sales'}."
            )
        wanted = wanted or tables[0]
        if wanted not in tables:
            way_out = nearest(wanted, tables) or f"; its tables are {', '.join(tables)}."
            raise ValueError(f"{path} has no table {wanted!r}{way_out}")
        quoted = '"' + wanted.replace('"', '""') + '"'
        cursor = connection.execute(f"SELECT * FROM {quoted}")
        names = [column[0] for column in cursor.description]
        rows = cursor.fetchall()
    except mistake as error:
        raise ValueError(f"{path} cannot be read as a database: {error}.") from None
    notes = [] if dialect.sheet else [f"read table {wanted!r}, the only one of {path}"]
    return Table(pd.DataFrame(rows, columns=names), f"{path}::{wanted}", notes)


_READERS: tuple[tuple[bytes, Reader], ...] = (
    (b"PAR1", _parquet),
    (b"ARROW1", _arrow),
    (b"FEA1", _arrow),
    (b"\xff\xff\xff\xff", _arrow),
    (b"PK\x03\x04", _excel),
    (b"\xd0\xcf\x11\xe0", _old_excel),
    (b"\x93NUMPY", _numpy),
    (b"<stata_dta>", _stata),
    (b"%PDF", _not_a_table("a PDF document", "copy its table to a CSV file")),
    (b"\x89PNG", _not_a_table("a picture", "give the numbers as CSV")),
    (b"<!DOCTYPE", _not_a_table("a web page", "download the table itself, not the page that shows it")),
    (b"<!doctype", _not_a_table("a web page", "download the table itself, not the page that shows it")),
    (b"<html", _not_a_table("a web page", "download the table itself, not the page that shows it")),
    (b"<table", _not_a_table("a web page", "download the table itself, not the page that shows it")),
    (b"$FL2", _not_a_table("an SPSS file", "save the table as CSV or Parquet")),
    (b"RDX", _not_a_table("an R workspace", "write its table with write.csv")),
    (b"MATLAB", _not_a_table("a MATLAB file", "write its table with writetable or csvwrite")),
    (b"<?xml", _not_a_table("XML", "save it as CSV, Parquet or .xlsx")),
    (b"\x89HDF", _not_a_table("an HDF5 file", "save the table as Parquet or CSV")),
)
