"""Data and runs of the studio as plain files in one folder.

    data/NAME                 uploaded tables; a table named on the command line stays where it is
    runs/0001/run.json        the question, the state, and what was done in it
    runs/0001/model.json      the model, as `model.save` writes it
    runs/0001/checkpoint      where the search stands, to go on from
    runs/0001/run.py          Python that repeats the run
    runs/0001/report.html     the report, when it was asked for

Tables and runs are known by number; no request names a path.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from multigene.data.columns import class_levels
from multigene.data.constants import MOST_CLASSES
from multigene.data.encoding.raw import raw_columns
from multigene.data.look import look
from multigene.data.reading import read_table
from multigene.data.table import Table
from multigene.files import write_atomically
from multigene.search.typed_formula import read_formula
from multigene.studio.mistake import Mistake, of_field
from multigene.studio.uploads import ENDINGS

BINS = 20


@dataclass
class Dataset:
    """A table with the columns that were derived from it."""

    number: int
    name: str
    path: Path
    table: Table
    derived: list[tuple[str, str]] = field(default_factory=list)
    known: dict[str, Any] | None = field(default=None, repr=False)

    def described(self) -> dict[str, Any]:
        """Every column with its kind, gaps, range, outliers and distribution; looked at once."""
        if self.known is None:
            self.known = self._described()
        return self.known

    def _described(self) -> dict[str, Any]:
        seen = look(self.table).as_dict()
        frame = self.table.frame
        for column in seen["columns"]:
            values = frame[column["name"]]
            if column["kind"] in ("text", "category") and (days := _days(values)) is not None:
                values, column["kind"] = days, "date"
                column["values"] = f"{_date(days.min())} … {_date(days.median())} … {_date(days.max())}"
            column["counts"] = _histogram(values)
            may = column["kind"] != "date" and column["distinct"] <= MOST_CLASSES
            column["classes"] = [str(each) for each in class_levels(values)] if may else []
        return {
            "number": self.number,
            "name": self.name,
            "rows": seen["rows"],
            "columns": seen["columns"],
            "remarks": seen["remarks"],
            "derived": [{"name": name, "formula": formula} for name, formula in self.derived],
        }

    def derive(self, name: str, formula: str) -> None:
        """Another column, computed of numeric ones by a formula."""
        name = name.strip()
        if not name or len(name) > 100:
            raise Mistake("derived-name", "A derived column needs a name of at most 100 characters.")
        if name in self.table.frame.columns:
            raise Mistake("derived-name", f"There is a column {name!r} already; take another name.")
        with of_field("derived-formula"):
            values = _derived(self.table.frame, formula)
        frame = self.table.frame.assign(**{name: values})
        self.table = replace(self.table, frame=frame)
        self.derived.append((name, formula))
        self.known = None

    def with_derived(self, frame: pd.DataFrame, needed: Collection[str]) -> pd.DataFrame:
        """Another table with the columns that were derived here, as far as it has what they are made of; a `ValueError` names
        one that is `needed` and cannot be computed."""
        for name, formula in self.derived:
            if name in frame.columns:
                continue
            try:
                frame = frame.assign(**{name: _derived(frame, formula)})
            except ValueError as error:
                if name in needed:
                    raise ValueError(f"The derived column {name!r} cannot be computed: {error}") from None
        return frame


def _derived(frame: pd.DataFrame, formula: str) -> npt.NDArray[np.float64]:
    """The values of a formula of numeric columns; a `ValueError` says where it has none."""
    numeric = frame.select_dtypes("number")
    model = read_formula(formula, [str(column) for column in numeric.columns])
    values = model.predict(np.ascontiguousarray(numeric.to_numpy(dtype=np.float64)))
    bad = int((~np.isfinite(values)).sum())
    if bad:
        raise ValueError(
            f"{formula} has no finite value in {bad:,} of {len(values):,} rows; change the formula or leave those rows out."
        )
    return values


def _days(column: pd.Series) -> pd.Series | None:
    """Dates that stand in a file as text, as the search reads them: days since 1970-01-01; None where they are none."""
    raw = raw_columns(column.to_frame())[0]
    return pd.Series(np.where(raw.gaps, np.nan, raw.values)) if raw.kind == "date" else None


def _date(days: float) -> str:
    return str((pd.Timestamp("1970-01-01") + pd.Timedelta(days=days)).date())


def _histogram(column: pd.Series) -> list[int]:
    if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return [int(count) for count in column.value_counts().head(BINS)]
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    values = values[np.isfinite(values)]
    return [] if len(values) == 0 else [int(c) for c in np.histogram(values, BINS)[0]]


class Workspace:
    """The folder, the tables that were opened, and records of runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = threading.RLock()
        self.datasets: dict[int, Dataset] = {}
        (folder / "data").mkdir(parents=True, exist_ok=True)
        (folder / "runs").mkdir(exist_ok=True)

    # --- tables -----------------------------------------------------------------------------------

    def open(self, path: Path, name: str | None = None) -> Dataset:
        """Read a table and give it a number; a table that is open already keeps its own."""
        path = path.resolve()
        with self.lock:
            for known in self.datasets.values():
                if known.path == path:
                    return known
            try:
                table = read_table(path)
            except ValueError as error:  # people know the file by its name, not by its place in the workspace
                raise ValueError(str(error).replace(str(path), name or path.name)) from None
            dataset = Dataset(len(self.datasets) + 1, name or path.name, path, table)
            self.datasets[dataset.number] = dataset
            return dataset

    def upload_path(self, name: str) -> Path:
        """Where an upload of this name goes: a plain name in the folder's own place, never over a file that is there."""
        plain = re.sub(r"[^\w.-]+", "_", Path(name.replace("\\", "/")).name).lstrip(".")[:80]
        if not plain.lower().endswith(ENDINGS):
            raise ValueError(
                f"A file called {name[:80]!r} cannot be opened here; give one that ends in {', '.join(ENDINGS)}."
            )
        stem, suffix = Path(plain).stem or "table", Path(plain).suffix
        for count in range(1, 10_000):
            target = self.folder / "data" / (f"{stem}{suffix}" if count == 1 else f"{stem}-{count}{suffix}")
            if not target.exists():
                return target
        raise ValueError("There are too many files of this name in the workspace; rename the file.")

    def dataset(self, number: int) -> Dataset:
        """A table by its number."""
        found = self.datasets.get(number)
        if found is None:
            raise LookupError(f"There is no table number {number}.")
        return found

    # --- runs -------------------------------------------------------------------------------------

    def new_run(self) -> tuple[int, Path]:
        """The number and folder of another run."""
        with self.lock:
            number = 1 + max(self.run_numbers(), default=0)
            folder = self.folder / "runs" / f"{number:04d}"
            folder.mkdir()
            return number, folder

    def run_numbers(self) -> list[int]:
        """Runs that the folder holds."""
        return sorted(
            int(each.name) for each in (self.folder / "runs").iterdir() if re.fullmatch(r"\d{4,}", each.name)
        )

    def write_record(self, folder: Path, record: dict[str, Any]) -> None:
        """Note what a run was asked and where it stands."""
        write_atomically(folder / "run.json", json.dumps(record, indent=1, ensure_ascii=False).encode())

    def records(self) -> list[tuple[int, Path, dict[str, Any]]]:
        """Runs of earlier sessions; what cannot be read is left alone."""
        found = []
        for number in self.run_numbers():
            folder = self.folder / "runs" / f"{number:04d}"
            try:
                found.append((number, folder, json.loads((folder / "run.json").read_text("utf-8"))))
            except (OSError, ValueError):
                continue
        return found
