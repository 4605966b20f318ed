"""Columns of any table as they come: numbers with gaps, dates as days since 1970, text as levels.

pandas, polars, PyArrow, DuckDB and other tables that narwhals knows; arrays too. Values are not copied where they need not be.
"""

from __future__ import annotations

import datetime
import decimal
from dataclasses import dataclass, replace
from typing import Any, Literal

import narwhals.stable.v1 as nw
import numpy as np
import numpy.typing as npt
import pandas as pd

from multigene.data.codes import are_codes, tell_something
from multigene.data.constants import FEWEST_NAMED, MOST_LEVELS, MOSTLY, NAMED_SHARE, NUMBER_NAMES, ROW_NAMES
from multigene.data.dates import (
    Form,
    clock_hours,
    counted_dates,
    days_since_1970,
    numbered_dates,
    parsed_dates,
    spreadsheet_dates,
    words_of,
)
from multigene.data.encoding.scales import natural_order
from multigene.data.spelled import stopwatch_seconds
from multigene.words import default_names

Floats = npt.NDArray[np.float64]
Kind = Literal["number", "text", "date"]


@dataclass(frozen=True)
class RawColumn:
    """A column: finite or missing numbers (NaN), or the levels of its text and the level of every row (-1 for a gap)."""

    name: str
    kind: Kind
    values: Floats
    """Numbers; days since 1970-01-01 of dates; positions in `levels` of text, NaN for gaps."""
    levels: tuple[str, ...] = ()
    order: tuple[str, ...] | None = None
    """Levels in their order, where the column's type says one."""
    duration: bool = False
    """Whether the numbers are days of a column of durations, hours of one of clock times, or seconds of a stopwatch."""
    form: Form = ""
    """How dates were written, where that had to be told."""
    codes: RawColumn | None = None
    """The same as levels, where few whole numbers were given as text: they may be codes."""

    @property
    def gaps(self) -> npt.NDArray[np.bool_]:
        """Which rows have no value."""
        return np.isnan(self.values)

    @property
    def is_plain(self) -> bool:
        """Whether it is a column of numbers that a search can take as it is."""
        known = self.kind == "number" and not self.duration and self.codes is None
        return known and not self.gaps.any() and not self.names_rows

    @property
    def names_rows(self) -> bool:
        """Whether it is a column of numbers that says which row it is and nothing else."""
        return self.kind == "number" and not self.duration and names_rows(self.name, self.values)

    def lookup(self, values: Floats, gap: float) -> Floats:
        """One number for every row: that of its level, or of a gap."""
        table = np.append(values, gap)
        return np.asarray(table[np.where(self.gaps, len(values), self.values).astype(np.intp)])


def names_rows(name: str, values: Floats) -> bool:
    """Whether whole numbers name rows: the column is called so (`order_id`, `Bestell-Nr`), and nearly all are different.

    Names such as `no` and `nr`, which mean other things too, need numbers without holes.
    """
    words = words_of(name)
    if len(values) < FEWEST_NAMED or not words & {*ROW_NAMES, *NUMBER_NAMES} or not np.isfinite(values).all():
        return False
    different = np.unique(values)
    if len(different) < NAMED_SHARE * len(values) or np.any(different != np.floor(different)):
        return False
    return bool(words & set(ROW_NAMES)) or bool(np.ptp(different) + 1 == len(different))


def is_table(X: Any) -> bool:
    """Whether something has named columns."""
    return not isinstance(X, np.ndarray) and isinstance(_native(X), nw.DataFrame | nw.LazyFrame)


def with_plain_names(X: Any) -> Any:
    """A pandas table whose columns have names of several levels with joined ones (`2024 sales`), and one with some names that are
    no text, such as years, with text; everything else as it is."""
    if not isinstance(X, pd.DataFrame):
        return X
    if isinstance(X.columns, pd.MultiIndex):
        return X.set_axis([" ".join(str(part) for part in name if str(part)) for name in X.columns], axis=1)
    are_text = [isinstance(name, str) for name in X.columns]
    return X.set_axis([str(name) for name in X.columns], axis=1) if any(are_text) and not all(are_text) else X


def with_default_names(X: Any) -> Any:
    """A pandas table with numbers for names, as one without a header has them, as x0, x1, …; everything else as it is."""
    if isinstance(X, pd.DataFrame) and not any(isinstance(name, str) for name in X.columns):
        return X.set_axis(default_names(X.shape[1]), axis=1)
    return X


def as_frame(X: Any) -> Any:
    """pandas and polars DataFrames, arrays and what is no table as they are; other tables (PyArrow, DuckDB, lazy) as pandas'.

    What is masked in an array is a gap.
    """
    X = with_plain_names(unmasked(X))
    frame = _native(X)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
        return frame.to_native() if frame.implementation.is_polars() else frame.to_pandas()
    known = not isinstance(frame, nw.DataFrame)
    return (
        X
        if known or frame.implementation.is_pandas() or frame.implementation.is_polars()
        else frame.to_pandas()
    )


def raw_columns(
    X: Any, wanted: dict[str, Kind] | None = None, forms: dict[str, Form] | None = None
) -> list[RawColumn]:
    """The columns of a table, or x0, x1, … of an array; `wanted` names those needed, with the kind each is to be read as, `forms`
    says how dates are written."""
    forms = forms or {}
    frame = _native(X)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, nw.DataFrame):
        names = [str(name) for name in frame.columns]
        missing = [name for name in wanted or () if name not in names]
        if missing:
            raise ValueError(
                f"The table has no column {missing[0]!r}, which the model was trained with; add it."
            )
        return [
            _column(frame[name], name, None if wanted is None else wanted[name], forms.get(name, ""))
            for name in (names if wanted is None else wanted)
        ]
    values = np.asarray(X)
    if wanted is not None and (values.ndim != 2 or values.shape[1] != len(wanted)):
        raise ValueError(f"X has shape {values.shape}; the model was trained with {len(wanted)} columns.")
    kinds: list[Kind | None] = [None] * values.shape[1] if wanted is None else list(wanted.values())
    names = default_names(values.shape[1]) if wanted is None else list(wanted)
    return [
        _of_objects(values[:, j], name, kind, forms.get(name, ""))
        for j, (name, kind) in enumerate(zip(names, kinds, strict=True))
    ]


def _native(X: Any) -> Any:
    """A table as narwhals' kind of it; what is no table as it is. Tables that narwhals can only look at, such as Arrow's record
    batches, are made such by Arrow."""
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        try:
            frame.implementation  # noqa: B018
        except NotImplementedError:
            import pyarrow

            return nw.from_native(pyarrow.table(X))
    return frame


def _column(series: Any, name: str, kind: Kind | None, form: Form) -> RawColumn:
    dtype = series.dtype
    if dtype.is_numeric() or dtype == nw.Boolean:
        numbers = _numbers(series)
        if kind == "date" or (kind is None and dtype != nw.Boolean):
            days = numbered_dates(numbers, 1) if kind == "date" else numbered_dates(numbers)
            if days is None and kind == "date":
                days = counted_dates(name, numbers, 1)
                days = spreadsheet_dates(name, numbers, 1) if days is None else days
            if days is not None:
                return RawColumn(name, "date", days)
            if kind == "date":
                _refuse_numbers(numbers, name)
        return _as_levels(numbers, name) if kind == "text" else _finite(RawColumn(name, "number", numbers))
    if dtype in (nw.Date, nw.Datetime):
        return RawColumn(name, "date", days_since_1970(series.to_numpy()))
    if dtype == nw.Duration:
        days = np.asarray(series.to_numpy(), dtype="timedelta64[ns]") / np.timedelta64(1, "D")
        return RawColumn(name, "number", np.asarray(days, dtype=np.float64), duration=True)
    order = tuple(map(str, dtype.categories)) if isinstance(dtype, nw.Enum) else None
    if dtype in (nw.Categorical, nw.Enum):
        native = series.to_native()
        if hasattr(native, "cat") and isinstance(getattr(native, "dtype", None), pd.CategoricalDtype):
            order = tuple(map(str, native.cat.categories)) if native.cat.ordered else None
        return _of_texts(_texts(series), name, "text", order)
    if dtype == nw.String and series.implementation.is_pandas():
        return _of_texts(_texts(series), name, kind, form=form)
    return _of_objects(_objects(series), name, kind, form)


def _objects(series: Any) -> npt.NDArray[Any]:
    """The values of a column as they are: lists of the same length do not become an array of two dimensions."""
    values = np.empty(len(series), dtype=object)
    values[:] = series.to_list()
    return values


def _texts(series: Any) -> Any:
    """A column of text or categories: as pandas has it, where levels are found without looking at every row in Python."""
    native = series.to_native()
    categories = getattr(getattr(native, "dtype", None), "categories", None)
    if isinstance(native, pd.Series) and (categories is None or all(isinstance(c, str) for c in categories)):
        return native
    return _objects(series)


def _refuse_numbers(numbers: Floats, name: str) -> None:
    """Numbers in a column that held dates when the model was trained; one without any value has gaps alone."""
    present = numbers[~np.isnan(numbers)]
    if len(present):
        raise ValueError(
            f"Column {name!r} holds the number {present[0]:g}, which is no date; the model was trained with dates."
        )


def _numbers(series: Any) -> Floats:
    native = series.to_native()
    if isinstance(native, pd.Series):
        return np.asarray(native.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.asarray(series.cast(nw.Float64).fill_null(float("nan")).to_numpy(), dtype=np.float64)


def _finite(column: RawColumn) -> RawColumn:
    wrong = np.flatnonzero(np.isinf(column.values))
    if len(wrong):
        raise ValueError(
            f"Column {column.name!r} is infinite in row {wrong[0]}; fill the value in or leave the row out."
        )
    return column


def _of_objects(values: npt.NDArray[Any], name: str, kind: Kind | None, form: Form = "") -> RawColumn:
    """A column of Python objects: numbers, dates or text, told by what is in it."""
    if values.dtype.kind in "biuf":
        numbers = values.astype(np.float64)
        return _as_levels(numbers, name) if kind == "text" else _finite(RawColumn(name, "number", numbers))
    if values.dtype.kind in "mM":
        return RawColumn(name, "date", days_since_1970(values))
    types = {type(value) for value in values if not _is_gap(value)}
    if any(issubclass(each, complex) and not issubclass(each, float) for each in types):
        raise ValueError(f"Column {name!r} holds complex numbers; split it into two columns.")
    if types and all(issubclass(each, datetime.date | np.datetime64) for each in types):
        return RawColumn(
            name, "date", days_since_1970(pd.to_datetime(pd.Series(values), utc=True).to_numpy())
        )
    if types and all(issubclass(each, pd.Period) for each in types):
        begins = [None if _is_gap(value) else value.start_time for value in values]
        return RawColumn(name, "date", days_since_1970(np.array(begins, dtype="datetime64[ns]")))
    if types and all(issubclass(each, datetime.time) for each in types):
        hours = [np.nan if _is_gap(v) else v.hour + v.minute / 60.0 + v.second / 3600.0 for v in values]
        return RawColumn(name, "number", np.array(hours), duration=True)
    if all(issubclass(each, int | float | np.number | np.bool_ | decimal.Decimal) for each in types):
        numbers = np.array([np.nan if _is_gap(v) else as_float(v) for v in values], dtype=np.float64)
        return _as_levels(numbers, name) if kind == "text" else _finite(RawColumn(name, "number", numbers))
    odd = next((each for each in types if not issubclass(each, str | int | float | np.generic | bytes)), None)
    if odd is not None:
        raise ValueError(
            f"Column {name!r} holds values of type {odd.__name__}, which are neither numbers, dates nor text; "
            "leave the column out or take it apart."
        )
    return _of_texts(values, name, kind, form=form)


def as_text(column: RawColumn) -> RawColumn:
    """A column of numbers or days as levels; one of text as it is."""
    return column if column.kind == "text" else _as_levels(column.values, column.name)


def as_float(value: Any) -> float:
    """A number of any type; whole numbers beyond floating point are infinite."""
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def unmasked(values: Any) -> Any:
    """Masked arrays with gaps where they are masked, everything else as it is: what a mask hides is not to be used."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    return np.ma.filled(values.astype(np.float64), np.nan) if np.ma.is_masked(values) else values.data


def _is_gap(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value)


def _of_texts(
    values: Any,
    name: str,
    kind: Kind | None = None,
    order: tuple[str, ...] | None = None,
    form: Form = "",
) -> RawColumn:
    texts: Any = values
    if not isinstance(values, pd.Series):
        texts = np.array([None if _is_gap(v) else _shown(v) for v in values], dtype=object)
    codes, different = pd.factorize(texts)
    levels = [str(level) for level in different]
    positions = np.where(codes < 0, np.nan, codes.astype(np.float64))
    found = RawColumn(name, "text", positions, tuple(levels), order)
    if order is not None or kind == "text":
        return found
    if (
        kind is None
        and levels
        and are_codes(levels, name)
        and tell_something(len(levels), int(np.sum(codes >= 0)))
    ):
        return found
    if kind in (None, "number"):
        hours = clock_hours(list(levels)) or stopwatch_seconds(list(levels))
        if hours is not None:
            return RawColumn(name, "number", found.lookup(np.array(hours), np.nan), duration=True)
        numbers = pd.to_numeric(pd.Series(levels, dtype=object), errors="coerce").to_numpy(dtype=np.float64)
        told = ~np.isnan(numbers)
        rows = ~np.isnan(positions)
        share = told[positions[rows].astype(np.intp)].mean() if rows.any() else 0.0
        if (told.all() and len(told)) or kind == "number":
            if not told.all():
                _refuse(found, levels, told)
            few = kind is None and 2 < len(levels) <= MOST_LEVELS and not np.any(numbers % 1.0)
            return _finite(
                RawColumn(name, "number", found.lookup(numbers, np.nan), codes=found if few else None)
            )
        if share >= MOSTLY:
            _refuse(found, levels, told)
    if kind in (None, "date"):
        read = parsed_dates(list(levels), form)
        if read is not None:
            return RawColumn(name, "date", found.lookup(read[0], np.nan), form=read[1])
        if kind == "date":
            wanted = f"with dates, the {form.split()[0]} first" if form else "with dates"
            wrong = next((level for level in levels if parsed_dates([level], form) is None), levels[0])
            raise ValueError(
                f"Column {name!r} holds {wrong!r}, which is no date of that kind; the model was trained {wanted}."
            )
    return replace(found, order=natural_order(levels)) if kind is None else found


def _refuse(column: RawColumn, levels: Any, told: npt.NDArray[np.bool_]) -> None:
    wrong = int(np.flatnonzero(~told)[0])
    row = int(np.flatnonzero(column.values == wrong)[0])
    raise ValueError(
        f"Column {column.name!r} holds {levels[wrong]!r} in row {row}, which is not a number as most of its values are; "
        "mend it, or make it a gap."
    )


def _shown(value: Any) -> str:
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _as_levels(numbers: Floats, name: str) -> RawColumn:
    texts = np.array([None if value != value else _shown(value) for value in numbers.tolist()], dtype=object)
    return _of_texts(texts, name, "text")
