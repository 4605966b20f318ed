"""A table as it was read, how it is to be read, and rules for the names of its columns; `reading.py` reads it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from multigene.data.constants import FEWEST_IN_BLOCKS
from multigene.words import default_names

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
    #: Names as they stood in the header, of columns whose unit was taken out of it.
    headers: dict[str, str] = field(default_factory=dict)

    def called(self, names: Sequence[str]) -> Table:
        """The table for a model that knows columns by these names: `dose (mg)` is `dose`, or itself where a model says so."""
        back = {
            short: header for short, header in self.headers.items() if header in names and short not in names
        }
        return replace(self, frame=self.frame.rename(columns=back)) if back else self

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
    #: Columns whose cells are left as they stand.
    as_it_is: tuple[str, ...] = ()


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
        return frame.set_axis(default_names(frame.shape[1]), axis=1)
    return frame.rename(columns={c: re.sub(r"\s*[\r\n]+\s*", " ", str(c).strip()) for c in frame.columns})


def with_groups_filled(frame: pd.DataFrame, dialect: Dialect, notes: list[str]) -> pd.DataFrame:
    """The table with the empty cells of its first column filled from above, where that names blocks of rows: most of its cells
    are empty, no name stands twice, and the second column has no gaps, as merged cells and pivot tables leave it."""
    if frame.shape[1] < 3 or len(frame) < FEWEST_IN_BLOCKS:
        return frame
    first, gaps = frame.iloc[:, 0], frame.iloc[:, 0].isna()
    known = first[~gaps]
    blocks = len(known) > 1 and bool(known.is_unique) and not gaps.iloc[0] and gaps.mean() >= 0.5
    name = str(frame.columns[0])
    if not blocks or frame.iloc[:, 1].isna().any() or name in dialect.as_it_is:
        return frame
    notes.append(f"empty cells of {name!r} are filled from above (--as-it-is leaves them)")
    return frame.assign(**{name: first.ffill()})
