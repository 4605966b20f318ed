"""Data in: arrays and DataFrames to clean float arrays with column names, or a sentence that says what is
wrong."""

from __future__ import annotations

import datetime
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def column_names(X: Any) -> list[str] | None:
    """Names of a DataFrame's columns (pandas, polars, …), or None for arrays."""
    columns = getattr(X, "columns", None)
    if columns is None or isinstance(X, np.ndarray):
        return None
    names = list(columns)
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(
            f"Column {repeated[0]!r} appears {Counter(names)[repeated[0]]} times; "
            "rename it so that every name is unique."
        )
    return [str(name) for name in names] if all(isinstance(name, str) for name in names) else None


def refuse_text(values: Any, name: str = "") -> None:
    """Name the column that holds text or dates, before a conversion fails without saying where, or succeeds
    without sense.

    `values` is a table, or one column called `name`. Anything else that is wrong with it is left to
    scikit-learn's checks.
    """
    if getattr(values, "columns", None) is not None and not isinstance(values, np.ndarray):
        for column in list(values.columns):
            _refuse_text_in(values[column], name or f"Column {column!r}")
    elif isinstance(values, list | tuple | np.ndarray) or hasattr(values, "dtype"):
        _refuse_text_in(values, name or "X")


def _refuse_text_in(column: Any, name: str) -> None:
    try:
        values = np.asarray(column)
    except (TypeError, ValueError):  # ragged lists
        return
    if values.dtype.kind not in "OUSmM":
        return
    for example in values.ravel():
        if type(example).__name__ == "NAType":
            raise ValueError(f"{name} holds NA, a missing value; fill it or drop the row first.")
        if _is_text_or_date(example):
            what = repr(str(example)) if isinstance(example, str) else str(example)
            raise ValueError(
                f"{name} holds {what}, which is not a number; drop the column or encode it as numbers first."
            )


def _is_text_or_date(value: Any) -> bool:
    if isinstance(value, str | bytes):
        try:
            float(value)
        except ValueError:
            return True
        return False
    return isinstance(value, np.datetime64 | np.timedelta64 | datetime.date | datetime.timedelta)


def target_name(y: Any) -> str:
    """Name of the target if it is a named column, else `y`."""
    name = getattr(y, "name", None)
    return str(name) if isinstance(name, str) and name else "y"


def data_summary(names: list[str] | None, X: Array, y: Array, variance: float) -> dict[str, Any]:
    """What a model file tells about the training rows: their number, the target's variance and the range of every column."""
    names = names or [f"x{j}" for j in range(X.shape[1])]
    lows, highs = X.min(axis=0).tolist(), X.max(axis=0).tolist()
    return {
        "rows": int(X.shape[0]),
        "target_variance": variance if np.isfinite(variance) else None,
        "target_range": [float(y.min()), float(y.max())],
        "ranges": {name: [low, high] for name, low, high in zip(names, lows, highs, strict=True)},
    }


def spread_rows(y: Array, most: int) -> npt.NDArray[np.intp]:
    """Indices of at most so many rows, spread evenly over the order of `y`; the extremes are among them."""
    if len(y) <= most:
        return np.arange(len(y))
    order = np.argsort(y, kind="stable")
    return np.sort(order[np.linspace(0, len(y) - 1, most).round().astype(np.intp)])
