"""Data in: arrays and DataFrames to clean float arrays with column names, or a sentence that says what is wrong."""

from __future__ import annotations

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
        raise ValueError(f"Column {repeated[0]!r} appears {Counter(names)[repeated[0]]} times; rename it so that every name is unique.")
    return [str(name) for name in names] if all(isinstance(name, str) for name in names) else None


def refuse_text(X: Any) -> None:
    """Name the first column that holds something other than numbers, before a conversion fails without saying where."""
    if getattr(X, "columns", None) is None or isinstance(X, np.ndarray):
        return
    for name in list(X.columns):
        column = X[name]
        try:
            values = np.asarray(column)
            if values.dtype.kind in "OUSmM":
                values.astype(np.float64)
        except (TypeError, ValueError):
            example = next((v for v in np.asarray(column).tolist() if not _is_number(v)), None)
            raise ValueError(
                f"Column {name!r} holds {example!r}, which is not a number; drop the column or encode it as numbers first."
            ) from None


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def target_name(y: Any) -> str:
    """Name of the target if it is a named column, else `y`."""
    name = getattr(y, "name", None)
    return str(name) if isinstance(name, str) and name else "y"


def data_summary(names: list[str] | None, X: Array, y: Array) -> dict[str, Any]:
    """What a model file tells about the training rows: their number and the range of every column."""
    names = names or [f"x{j}" for j in range(X.shape[1])]
    lows, highs = X.min(axis=0).tolist(), X.max(axis=0).tolist()
    return {
        "rows": int(X.shape[0]),
        "target_range": [float(y.min()), float(y.max())],
        "ranges": {name: [low, high] for name, low, high in zip(names, lows, highs, strict=True)},
    }
