"""What is wrong with values, said with its place: text and dates where numbers are needed, gaps, numbers that are not finite.

`arrays.py` asks before or after scikit-learn's checks, which only say that something is wrong somewhere.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Set
from typing import Any

import numpy as np
import pandas as pd

from multigene.data.encoding.raw import RawColumn, as_float
from multigene.words import counted

REMEDY = "drop the column or encode it as numbers first"
DAYS = ", for example days since the first: (values - values.min()) / pandas.Timedelta(days=1)"
CLASSES = "for classes take MultigeneClassifier, else give numbers"


def refuse_other_things(X: Any) -> None:
    """Say what to give instead of what is no table: nothing, dictionaries, records, an iterator, rows of different lengths."""
    sparse = hasattr(X, "toarray")  # one kind of sparse arrays is a dictionary
    if X is None:
        raise ValueError(
            "X is None; give a table of features: an array or a DataFrame with one row per observation."
        )
    if (isinstance(X, dict) and not sparse) or (isinstance(X, list) and X and isinstance(X[0], dict)):
        what = "dictionaries" if isinstance(X, list) else "a dictionary"
        raise ValueError(f"X is made of {what}; give a table, for example pandas.DataFrame(X).")
    if isinstance(X, np.ndarray) and X.dtype.names is not None:
        raise ValueError("X is an array of records; give a table, for example pandas.DataFrame(X).")
    if hasattr(X, "to_frame") and not hasattr(X, "columns"):
        raise ValueError(
            f"X is a {type(X).__name__}, one row or one column of a table; give a table, for example X.to_frame().T for a row "
            "of pandas, X.to_frame() for a column."
        )
    if isinstance(X, Set | Iterator):
        raise ValueError(f"X is a {type(X).__name__}; give a list of rows, an array or a DataFrame.")
    if isinstance(X, list | tuple):
        lengths = [len(row) for row in X if isinstance(row, list | tuple)]
        other = next((number for number, length in enumerate(lengths) if length != lengths[0]), 0)
        if other and len(lengths) == len(X):
            raise ValueError(
                f"X has {counted(lengths[0], 'value')} in row 0 and {lengths[other]} in row {other}; "
                "give every row the same number."
            )


def refuse_name_as_target(y: Any) -> None:
    """The name of a column instead of its values."""
    if isinstance(y, str):
        raise ValueError(
            f"y is the text {y!r}; give the values of the target, for example fit(table.drop(columns={y!r}), table[{y!r}])."
        )


def refuse_text(values: Any, name: str = "", remedy: str = REMEDY) -> None:
    """Name the column that holds text, dates or complex numbers.

    Otherwise a conversion would fail without saying where, or succeed without sense. `values` is a table, or one
    column called `name`. Anything else that is wrong with it is left to scikit-learn's checks.
    """
    if getattr(values, "columns", None) is not None and not isinstance(values, np.ndarray):
        for column in list(values.columns):
            _refuse_text_in(values[column], name or f"Column {column!r}", remedy)
    elif isinstance(values, str | list | tuple | np.ndarray) or hasattr(values, "dtype"):
        _refuse_text_in(values, name or "X", remedy)


def _refuse_text_in(column: Any, name: str, remedy: str) -> None:
    try:
        values = np.asarray(column)
    except (TypeError, ValueError):  # ragged lists
        return
    if values.dtype.kind == "c":
        raise ValueError(
            f"Complex data not supported: {name} holds {values.ravel()[0]}; "
            "give real and imaginary parts as columns of their own."
        )
    if values.dtype.kind not in "OUSmM":
        return
    for example in values.ravel():
        if type(example).__name__ == "NAType":
            raise ValueError(f"{name} holds NA, a missing value; fill it or drop the row first.")
        if _is_text_or_date(example):
            what = repr(str(example)) if isinstance(example, str) else str(example)
            if isinstance(example, np.datetime64 | datetime.date):
                what, remedy = str(pd.Timestamp(example)), remedy + DAYS
            elif isinstance(example, np.timedelta64 | datetime.timedelta):
                what, remedy = str(pd.Timedelta(example)), remedy + DAYS
            raise ValueError(f"{name} holds {what}, which is not a number; {remedy}.")
        if isinstance(example, int) and not np.isfinite(as_float(example)):
            raise ValueError(
                f"{name} holds a whole number of {len(f'{example:x}')} hexadecimal digits, beyond floating point (about 1e308); "
                "divide by a power of ten or leave the row out."
            )


def _is_text_or_date(value: Any) -> bool:
    if isinstance(value, str | bytes):
        try:
            float(value)
        except ValueError:
            return True
        return False
    return isinstance(value, np.datetime64 | np.timedelta64 | datetime.date | datetime.timedelta)


def refuse_gap(column: RawColumn) -> None:
    """Name the first row in which a column has no value."""
    gaps = np.flatnonzero(column.gaps)
    if len(gaps):
        raise ValueError(
            f"Column {column.name!r} is NaN in row {gaps[0]}; fill the value in or leave the row out."
        )


def not_finite(X: Any) -> str:
    """Where a table first holds a number that is none, or an empty string."""
    names = getattr(X, "columns", None)
    if names is not None and not isinstance(X, np.ndarray):
        columns = [(f"Column {name!r}", X[name]) for name in list(names)]
    else:
        table = np.asarray(X)
        columns = (
            [(f"Column {j} of X", table[:, j]) for j in range(table.shape[1])] if table.ndim == 2 else []
        )
    return next(filter(None, (_not_finite_in(column, name) for name, column in columns)), "")


def not_finite_target(y: Any) -> str:
    """Where a target first holds a number that is none; empty if nowhere."""
    return _not_finite_in(y, "The target")


def _not_finite_in(column: Any, name: str) -> str:
    try:
        values = np.asarray(column, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        return ""
    rows = np.flatnonzero(~np.isfinite(values))
    return (
        f"{name} is {'NaN' if np.isnan(values[rows[0]]) else 'infinite'} in row {rows[0]}"
        if len(rows)
        else ""
    )
