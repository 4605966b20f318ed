"""Which columns of a table are target and features, and their values as numbers; or what is wrong."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from multigene.data.codes import are_codes, tell_something
from multigene.data.constants import MOST_CLASSES, MOSTLY
from multigene.data.table import Table
from multigene.words import counted, nearest

#: Names that say "this is what is to be explained".
TARGET_NAMES = ("y", "target", "label", "response", "output", "outcome")


#: What may be done about gaps.
MISSING = ("fill", "drop", "error")


@dataclass(frozen=True)
class Columns:
    """Target and features by name; `guessed` says why the target was chosen when the user did not name it."""

    target: str
    features: tuple[str, ...]
    guessed: str | None = None
    weights: str | None = None
    """Column that says how much a row counts; no feature."""
    errors: str | None = None
    """Column of the targets' standard deviations; no feature."""


def choose_columns(
    table: Table, target: str | None = None, features: Sequence[str] = (), exclude: Sequence[str] = ()
) -> Columns:
    """Target and features of a table.

    Names may be given with wildcards (`x*`) and several in one text, separated by commas. Without a target the column
    called `y`, `target`, `label`, `response`, `output` or `outcome` is taken if there is exactly one.
    """
    names = list(table.frame.columns)
    guessed = None
    if target is None:
        target = _guess(names, table.source)
        guessed = f"the target is column {target!r}, by its name"
    elif target not in names:
        raise ValueError(f"{table.source} has no column {target!r}{_or_list(target, names)}")
    excluded = expand(exclude, names, table.source)
    if target in excluded:
        raise ValueError(f"Column {target!r} is the target and cannot be excluded; name another target.")
    chosen = expand(features, names, table.source) if features else [n for n in names if n != target]
    if target in chosen and features and any(target in _parts(f, names) for f in features):
        raise ValueError(
            f"Column {target!r} is the target and cannot be a feature too; take it out of --features."
        )
    chosen = [n for n in chosen if n not in excluded and n != target]
    if not chosen:
        raise ValueError(
            f"No column is left to explain {target!r} with; give a table with more columns or exclude fewer."
        )
    return Columns(target, tuple(chosen), guessed)


def expand(wanted: Sequence[str], names: Sequence[str], source: str) -> list[str]:
    """Names, wildcards and comma-separated lists of them as column names, in the order given, each once."""
    found: list[str] = []
    for text in wanted:
        for part in _parts(text, names):
            matching = [part] if part in names else [n for n in names if fnmatchcase(n, part)]
            if not matching:
                raise ValueError(f"{source} has no column {part!r}{_or_list(part, names)}")
            found.extend(n for n in matching if n not in found)
    return found


def _parts(text: str, names: Sequence[str]) -> list[str]:
    return [text] if text in names else [part.strip() for part in text.split(",") if part.strip()]


def _guess(names: list[str], source: str) -> str:
    candidates = [n for n in names if n.lower() in TARGET_NAMES]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        raise ValueError(
            f"Both {candidates[0]!r} and {candidates[1]!r} could be the target; say which with --target."
        )
    raise ValueError(f"Say which column is to be explained with --target; {source} has {_listed(names)}.")


def _or_list(name: str, names: Sequence[str]) -> str:
    return nearest(name, names) or f"; its columns are {_listed(names)}."


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:12]))
    return shown if len(names) <= 12 else f"{shown} and {len(names) - 12} more"


def numbers(table: Table, columns: Sequence[str], drop_missing: bool = False) -> tuple[pd.DataFrame, int]:
    """These columns as floats, every value finite, and how many rows without a value were dropped."""
    values = {name: _floats(table, name) for name in columns}
    frame = pd.DataFrame(values, columns=list(columns))
    missing = frame.isna().any(axis=1).to_numpy()
    if not drop_missing:
        _refuse_gaps(table, frame)
    frame = frame[~missing]
    if frame.empty:
        raise ValueError(
            f"Every row of {table.source} lacks a value; fill them in or exclude the columns that are empty."
        )
    return frame.reset_index(drop=True), int(missing.sum())


def _refuse_gaps(table: Table, frame: pd.DataFrame) -> None:
    """Name the first gap."""
    missing = frame.isna().any(axis=1).to_numpy()
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        name = next(n for n in frame.columns if bool(frame[n].isna().iloc[row]))
        more = f" (and {int(missing.sum()) - 1} more rows lack values)" if missing.sum() > 1 else ""
        raise ValueError(
            f"Column {name!r} has no value in {table.place(row)} of {table.source}{more}; fill it in, "
            "or give --drop-missing to leave such rows out."
        )


def raw_rows(
    table: Table, columns: Columns, missing: str = "fill", *, classes: bool = False
) -> tuple[pd.DataFrame, list[str]]:
    """Features as they are (numbers, text, dates, gaps) and the target as numbers, or as `classes`; and notes on rows that were
    left out.

    Text in a column of numbers is refused with its line, since a category it is not; gaps are left to the estimator ("fill"),
    left out with their rows ("drop") or refused ("error"). Rows without a target are left out.
    """
    features = {name: _feature(table, name) for name in columns.features}
    if classes:
        target = class_values(table.frame[columns.target])
    else:
        _refuse_classes(table, columns.target)
        target = _floats(table, columns.target)
    frame = pd.DataFrame({**features, columns.target: target}, columns=[*columns.features, columns.target])
    for beside in (columns.weights, columns.errors):
        if beside is not None:
            frame[beside] = _floats(table, beside)
    notes = []
    if missing == "error":
        _refuse_gaps(table, frame)
    lacking = pd.isna(target)
    if lacking.any():
        notes.append(f"left out {counted(int(lacking.sum()), 'row')} of {table.source} without a target")
        frame = frame[~lacking]
    if missing == "drop" and bool(frame.isna().any(axis=None)):
        gaps = frame.isna().any(axis=1)
        notes.append(f"left out {counted(int(gaps.sum()), 'row')} of {table.source} without a value")
        frame = frame[~gaps]
    if frame.empty:
        raise ValueError(
            f"Every row of {table.source} lacks a value; fill them in or exclude the columns that are empty."
        )
    return frame.reset_index(drop=True), notes


def guessed_classes(table: Table, target: str) -> str:
    """What speaks for a target of classes, in words: text, truth values, or two values alone; empty for a target of numbers."""
    labels = class_values(table.frame[target])
    known = pd.Series(labels[~pd.isna(labels)])
    levels = known.unique()
    if not 2 <= len(levels) <= MOST_CLASSES or len(levels) == len(known):
        return ""
    if known.map(lambda label: isinstance(label, bool)).all():
        return "holds truth values"
    if known.map(lambda label: isinstance(label, str) and not any(map(str.isdigit, label))).all():
        return f"holds text of {len(levels)} kinds"
    numeric = known.map(lambda label: isinstance(label, int | float)).all()
    return "has two values alone" if len(levels) == 2 and numeric else ""


def class_values(column: pd.Series) -> npt.NDArray[Any]:
    """The classes of rows as Python's values: numbers where all of them are, whole ones as such."""
    if not pd.api.types.is_bool_dtype(column):
        numbers = pd.to_numeric(column, errors="coerce")
        if bool((numbers.notna() == column.notna()).all()):
            column = numbers
    values = column.astype(object).to_numpy()
    whole = [isinstance(v, float) and v.is_integer() for v in values]
    return np.array(
        [None if pd.isna(v) else int(v) if w else v for v, w in zip(values, whole, strict=True)], dtype=object
    )


def class_levels(column: pd.Series) -> list[Any]:
    """The classes that a column may be told apart by, sorted; none where it holds numbers, or names for every row."""
    distinct = column.dropna().drop_duplicates()
    numeric = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
    if not 2 <= len(distinct) <= (2 if numeric else MOST_CLASSES) or len(distinct) == column.notna().sum():
        return []
    return sorted(class_values(distinct).tolist(), key=lambda level: (isinstance(level, str), level))


def _refuse_classes(table: Table, name: str) -> None:
    """A target of text is refused with what it holds: classes are no numbers."""
    column = table.frame[name]
    if pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column) or _is_time(column):
        return
    known = column.dropna().astype(str)
    if known.empty or known.str.contains(r"\d").any():
        return  # a number here and there: its other cells are told with their lines
    levels = [str(level) for level in known.unique()]
    shown = ", ".join(map(repr, levels[:3])) + (" …" if len(levels) > 3 else "")
    remedy = "give --task classification to tell classes apart, or name a column of numbers as --target"
    place = table.place(int(np.flatnonzero(column.notna().to_numpy())[0]))
    raise ValueError(
        f"The target {name!r} holds {levels[0]!r} in {place} of {table.source} and no number anywhere ({shown}); {remedy}."
    )


def _feature(table: Table, name: str) -> Any:
    column = table.frame[name]
    types = pd.api.types
    if types.is_numeric_dtype(column) or types.is_bool_dtype(column):
        return _floats(table, name)
    if _is_time(column) or isinstance(column.dtype, pd.CategoricalDtype):
        return column
    known = column.notna()
    texts = list(column[known].astype(str).unique())
    if texts and are_codes(texts, name) and tell_something(len(texts), int(known.sum())):
        return column  # whether a model takes them for numbers, it says itself
    told = _parsed(column).notna() & known
    return _floats(table, name) if known.any() and told.sum() >= MOSTLY * known.sum() else column


def _floats(table: Table, name: str) -> npt.NDArray[np.float64]:
    column = table.frame[name]
    text_like = not (pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column))
    if text_like:
        parsed = _parsed(column) if not _is_time(column) else pd.Series(np.nan, index=column.index)
        wrong = np.flatnonzero((parsed.isna() & column.notna()).to_numpy())
        if len(wrong):
            value = str(column.iloc[int(wrong[0])])
            value = value if len(value) <= 40 else value[:37] + "…"
            raise ValueError(
                f"Column {name!r} holds {value!r} in {table.place(int(wrong[0]))} of {table.source}, "
                f"which is not a number; {_way_out(value, name)}"
            )
        column = parsed
    if pd.api.types.is_complex_dtype(column):
        raise ValueError(
            f"Column {name!r} of {table.source} holds complex numbers; split it into two columns."
        )
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise ValueError(
            f"Column {name!r} is infinite in {table.place(int(infinite[0]))} of {table.source}; replace "
            "it or remove the row."
        )
    return np.ascontiguousarray(values)


def _parsed(column: pd.Series) -> pd.Series:
    """Text as numbers, NaN where it is none."""
    try:
        return pd.to_numeric(column, errors="coerce")
    except OverflowError:  # whole numbers of more than 308 digits
        limit = int(sys.float_info.max)
        beyond = [isinstance(value, int) and abs(value) > limit for value in column]
        return pd.to_numeric(column.mask(np.array(beyond), np.inf), errors="coerce")


def _way_out(value: str, name: str) -> str:
    if re.fullmatch(r"[-+]?\d+,\d+", value):
        return "if it has a decimal comma, give --decimal ','; else mend it."
    return f"mend it, encode the column as numbers, or give --exclude {_quoted(name)}."


def _is_time(column: pd.Series) -> bool:
    return pd.api.types.is_datetime64_any_dtype(column) or pd.api.types.is_timedelta64_dtype(column)


def _quoted(name: str) -> str:
    return name if name.isidentifier() else f"'{name}'"
