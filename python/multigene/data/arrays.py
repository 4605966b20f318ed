"""Data in: arrays and DataFrames to clean float arrays with column names, or a sentence that says what is wrong.

The estimators call `rows_to_fit` in `fit`, `checked_features` in `predict` and `checked_rows` for any other rows; text, dates and
gaps go through `encoding/`. Files are read in `reading.py`.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from multigene.data.checks import (
    checked,
    checked_target,
    checked_weights,
    finite_numbers,
    note_columns,
    rows_at,
)
from multigene.data.columns import MISSING
from multigene.data.constants import MOST_PRECISE
from multigene.data.encoding.encoding import Encoding
from multigene.data.encoding.learn import learn, learn_grouped
from multigene.data.encoding.raw import (
    RawColumn,
    as_frame,
    as_text,
    is_table,
    raw_columns,
    unmasked,
    with_default_names,
    with_plain_names,
)
from multigene.data.refusals import (
    CLASSES,
    not_finite,
    not_finite_target,
    refuse_gap,
    refuse_name_as_target,
    refuse_other_things,
    refuse_text,
)
from multigene.words import counted, default_names, nearest, shortened

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class CheckedRows:
    """Rows to fit: arrays of finite floats, names of the columns (None for an array), and how raw columns became numbers."""

    X: Array
    y: Array
    weights: Array | None
    names: list[str] | None
    encoding: Encoding | None = None
    groups: RawColumn | None = None
    """The column that names the group of every row; `encoding` ends with the groups' means of the target."""


def rows_to_fit(
    estimator: Any, X: Any, y: Any, sample_weight: Any, missing: str, groups: Any = None
) -> CheckedRows:
    """Rows as `fit` gets them. Text, dates and gaps are encoded; rows without a target are left out with a warning.

    `estimator` takes note of the columns; None where there is none. `missing` is "fill" (gaps are filled by a number that the
    formula names), "drop" (rows with gaps are left out) or "error".
    `groups` is the column that names the group of every row, by name or, of an array, by number.
    """
    if missing not in MISSING:
        raise ValueError(f"missing={missing!r} is not known; take 'fill', 'drop' or 'error'.")
    refuse_name_as_target(y)
    names, X = _named_rows(X, missing)
    y = unmasked(y)
    _warn_of_another_order(X, y)
    place = None if groups is None else group_place(groups, X, names)
    if missing != "error":
        X, y, sample_weight = _without(_gaps_of(y), X, y, sample_weight, "target")
    raw = _raw(X, names, missing, place)
    if raw is not None and missing == "drop":
        gaps = np.logical_or.reduce([column.gaps for column in raw])
        X, y, sample_weight = _without(gaps, X, y, sample_weight, "value")
        raw = _raw(X, names, missing, place)
    if raw is None:
        X, y, weights = checked_rows(estimator, X, y, sample_weight, reset=True, ensure_min_samples=1)
        return CheckedRows(X, y, weights, names)
    if estimator is not None:
        note_columns(estimator, X)
        estimator.n_features_in_ = len(raw)
    _, y, weights = _target(y, sample_weight, len(raw[0].values))
    if missing == "error":
        for column in raw:
            refuse_gap(column)
    if place is not None:
        encoding, values = learn_grouped(raw, place, y, names is not None)
        return CheckedRows(values, y, weights, encoding.names, encoding, raw[place])
    encoding, values = learn(raw, y, names is not None)
    return CheckedRows(values, y, weights, encoding.names, encoding)


def _named_rows(X: Any, missing: str) -> tuple[list[str] | None, Any]:
    """Names of the columns and the table. One without names is as an array is, unless it has something to encode."""
    names, X = column_names(X), as_frame(X)
    if names is None and isinstance(X, pd.DataFrame):
        called = with_default_names(X)
        if _raw(called, list(called.columns), missing) is not None:
            return list(called.columns), called
    return names, X


def _warn_of_another_order(X: Any, y: Any) -> None:
    """pandas would match rows by their labels; here, as in scikit-learn, they are matched by their places."""
    if not (isinstance(X, pd.DataFrame) and isinstance(y, pd.Series)) or len(X) != len(y):
        return
    if X.index.equals(y.index) or not (X.index.is_unique and X.index.isin(y.index).all()):
        return
    warnings.warn(
        "X and y have the same row labels in another order, and rows are matched by their places; if that is not meant, "
        "give y.loc[X.index].",
        UserWarning,
        stacklevel=4,
    )


def group_place(groups: Any, X: Any, names: list[str] | None) -> int:
    """Which column names the group of every row, or a sentence."""
    if not isinstance(groups, str | int | np.integer) or isinstance(groups, bool):
        raise ValueError(
            f"groups is a {type(groups).__name__}; put the groups into X as a column, which predictions need as well, "
            "and give its name, or its number in an array."
        )
    if isinstance(groups, str):
        if names is None or groups not in names:
            known = nearest(groups, names or ()) or "; it has " + (
                ", ".join(map(repr, names[:12])) if names else "no names: give the number of the column"
            )
            raise ValueError(
                f"groups={groups!r} is no column of X{known.rstrip('?.')}{'?' if '?' in known else '.'}"
            )
        return names.index(groups)
    width = np.shape(X)[1] if len(np.shape(X)) == 2 else 0
    if not 0 <= int(groups) < width:
        raise ValueError(f"groups={groups} is no column of X, which has columns 0 to {width - 1}.")
    return int(groups)


def _raw(X: Any, names: list[str] | None, missing: str, groups: int | None = None) -> list[RawColumn] | None:
    """The raw columns of a table that holds anything but finite numbers; None where there is nothing to encode.

    The column number `groups` is read as text, and is something to encode.
    """
    if groups is not None:
        raw = raw_columns(X)
        return [as_text(column) if j == groups else column for j, column in enumerate(raw)]
    if names is not None and is_table(X):
        raw = raw_columns(X)
        return None if all(column.is_plain for column in raw) else raw
    gaps = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind == "f" and missing != "error"
    return raw_columns(X) if gaps and np.isnan(X).any() and len(X) else None


def _gaps_of(y: Any) -> npt.NDArray[np.bool_] | None:
    """Which values of a target are missing; None where it is no column of numbers."""
    try:
        values = np.asarray(y)
        if values.dtype.kind not in "fO" or values.ndim != 1:
            return None
        return np.isnan(values.astype(np.float64))
    except (TypeError, ValueError, OverflowError):
        return None


def _without(
    gaps: npt.NDArray[np.bool_] | None, X: Any, y: Any, sample_weight: Any, what: str
) -> tuple[Any, Any, Any]:
    """The rows without those that lack something, said in a warning."""
    if gaps is not None and gaps.all() and len(gaps) > 1 and what == "target":
        raise ValueError("The target is NaN in every row; check that it is the right column.")
    if gaps is None or not gaps.any() or gaps.all() or _length(X) != len(gaps):
        return X, y, sample_weight
    warnings.warn(
        f"Left out {counted(int(gaps.sum()), 'row')} of {len(gaps)} without a {what}.",
        UserWarning,
        stacklevel=4,
    )
    kept = np.flatnonzero(~gaps)
    weights = None if sample_weight is None else np.asarray(sample_weight)[kept]
    return rows_at(X, kept), np.asarray(y)[kept], weights


def _length(X: Any) -> int:
    shape = getattr(X, "shape", None)
    return int(shape[0]) if shape is not None and len(shape) else len(X) if hasattr(X, "__len__") else -1


def _target(y: Any, sample_weight: Any, rows: int) -> tuple[Array, Array, Array | None]:
    """Target and weights of encoded rows, as `checked_rows` has them."""
    refuse_text(y, "The target", CLASSES)
    stand_in = np.zeros((rows, 1))
    try:
        finite = finite_numbers(y, rows) if isinstance(y, pd.Series) else None
        y = checked_target(stand_in, y) if finite is None else finite
    except ValueError:
        place = not_finite_target(y)
        if not place:
            raise
        raise ValueError(f"{place}; fill the value in or leave the row out.") from None
    weights = None
    if sample_weight is not None:
        refuse_text(sample_weight, "sample_weight", "give one number per row")
        weights = checked_weights(sample_weight, stand_in)
    return stand_in, np.asarray(y, dtype=np.float64), weights


def checked_rows(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    encoding: Encoding | None = None,
    *,
    reset: bool = False,
    **options: Any,
) -> tuple[Array, Array, Array | None]:
    """Features, target and weights as arrays of finite floats; `reset` lets the estimator take note of the columns."""
    if encoding is not None:
        values = checked_features(estimator, X, encoding)
        _, y, weights = _target(y, sample_weight, len(values))
        return values, y, weights
    column_names(X)
    X, y = as_frame(X), unmasked(y)
    refuse_text(y, "The target", CLASSES)
    X, y = _validated(estimator, X, y, y_numeric=True, reset=reset, **options)
    weights = None
    if sample_weight is not None:
        refuse_text(sample_weight, "sample_weight", "give one number per row")
        weights = checked_weights(sample_weight, X)
    return X, np.asarray(y, dtype=np.float64), weights


def checked_features(estimator: Any, X: Any, encoding: Encoding | None = None) -> Array:
    """Features as an array of finite floats, of the columns that the estimator was fitted to."""
    column_names(X)
    X = as_frame(X)
    if encoding is not None:
        if not isinstance(X, np.ndarray) and not is_table(X):
            X = np.asarray(X)
        X = with_default_names(X)
        note_columns(estimator, X, reset=False)
        return encoding.transform(X)
    return np.asarray(_validated(estimator, X, reset=False))


def labelled_rows(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """The rows that have a class, with a warning where some have none; a `ValueError` refuses classes that cannot be sorted."""
    labels = np.asarray(y)
    if labels.ndim != 1 or labels.dtype.kind != "O":
        gaps = np.isnan(labels) if labels.ndim == 1 and labels.dtype.kind == "f" else None
        return _without(gaps, X, y, sample_weight, "class")
    gaps = np.array([label is None or label != label or type(label).__name__ == "NAType" for label in labels])
    kinds = {type(label): label for label in labels[~gaps]}
    if len(kinds) > 1 and str in kinds:
        other = next(label for kind, label in kinds.items() if kind is not str)
        raise ValueError(
            f"The target has classes of different kinds, such as {kinds[str]!r} and {other!r}; make all of them text."
        )
    return _without(gaps, X, y, sample_weight, "class")


def checked_classes(estimator: Any, X: Any, y: Any, missing: str) -> tuple[Any, npt.NDArray[Any]]:
    """Features as `checked_rows` has them, or the raw table where it has to be encoded; and the class of every row."""
    names, X = _named_rows(X, missing)
    raw = _raw(X, names, missing)
    if raw is None:
        X, y = _validated(estimator, X, y)
        return X, y
    from sklearn.utils.validation import check_consistent_length, column_or_1d

    note_columns(estimator, X)
    y = column_or_1d(y, warn=True)
    check_consistent_length(raw[0].values, y)
    return X, y


def _validated(estimator: Any, X: Any, *y: Any, **options: Any) -> Any:
    """scikit-learn's checks, with the place of what they only say is somewhere."""
    column_names(X)
    refuse_text(X)
    if estimator is None:
        plain = [finite_numbers(each, len(X)) for each in (X, *y)] if isinstance(X, pd.DataFrame) else [None]
        if all(each is not None for each in plain):
            return tuple(plain) if y else plain[0]
    try:
        return checked(estimator, X, *y, dtype=np.float64, **options)
    except ValueError as error:
        known = "NaN" in str(error) or "infinity" in str(error)
        places = [place for place in (not_finite(X), *map(not_finite_target, y)) if place] if known else []
        if not places:
            raise
        raise ValueError(f"{places[0]}; fill the value in or leave the row out.") from None


def column_names(X: Any) -> list[str] | None:
    """Names of a DataFrame's columns (pandas, polars, …), or None for arrays."""
    refuse_other_things(X)
    X = with_plain_names(X)
    if isinstance(X, np.ndarray):
        return None
    if hasattr(X, "collect_schema"):  # polars: the columns of a lazy frame are not known before
        columns = X.collect_schema().names()
    elif hasattr(X, "schema") and hasattr(X.schema, "names"):  # PyArrow's columns are arrays
        columns = X.schema.names
    else:
        columns = getattr(X, "columns", None)
    if columns is None:
        return None
    names = list(columns)
    if not names:
        raise ValueError("X has no columns; give at least one that may explain the target.")
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(
            f"Column {repeated[0]!r} appears {Counter(names)[repeated[0]]} times; "
            "rename it so that every name is unique."
        )
    return [str(name) for name in names] if all(isinstance(name, str) for name in names) else None


def with_errors(weights: Array | None, errors: Any, rows: int) -> Array | None:
    """Row weights, divided by the squares of the standard deviations of targets where those are given."""
    if errors is None:
        return weights
    try:
        deviations = np.asarray(errors, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        raise ValueError(
            f"y_error={shortened(repr(errors), 40)} is no array of numbers; give the standard deviation of every target."
        ) from None
    if len(deviations) != rows:
        raise ValueError(
            f"y_error has {counted(len(deviations), 'value')} for {counted(rows, 'row')}; give one for every row."
        )
    wrong = np.flatnonzero(~(np.isfinite(deviations) & (deviations > 0.0)))
    if len(wrong):
        raise ValueError(
            f"y_error of row {wrong[0]} is {deviations[wrong[0]]:g}; give a positive standard deviation for every row."
        )
    # A row may be so precise that it alone counts, but not beyond floating point.
    with np.errstate(over="ignore"):
        precision = np.minimum(float(np.median(deviations)) / deviations, MOST_PRECISE) ** 2
    return precision if weights is None else np.asarray(weights * precision, dtype=np.float64)


def target_name(y: Any) -> str:
    """Name of the target if it is a named column, else `y`."""
    name = getattr(y, "name", None)
    return str(name) if isinstance(name, str) and name else "y"


def data_summary(
    names: list[str] | None,
    X: Array,
    y: Array,
    variance: float,
    box: tuple[list[float], list[float]] | None = None,
    outliers: Sequence[int] = (),
) -> dict[str, Any]:
    """What a model file tells about the training rows: their number, the target's variance and the range of every column, which
    is looked for unless `box` tells it, and which rows are not among them, as outliers."""
    names = names or default_names(X.shape[1])
    lows, highs = box or (X.min(axis=0).tolist(), X.max(axis=0).tolist())
    summary = {
        "rows": int(X.shape[0]),
        "target_variance": variance if np.isfinite(variance) else None,
        "target_range": [float(y.min()), float(y.max())],
        "ranges": {name: [low, high] for name, low, high in zip(names, lows, highs, strict=True)},
    }
    return summary | ({"outliers": list(outliers)} if outliers else {})
