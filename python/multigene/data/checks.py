"""scikit-learn's checks of rows. It is imported where one of them is made: that takes longer than finding many a law, and tables
of finite numbers that the command line has read need none."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

Array = npt.NDArray[np.float64]


def finite_numbers(values: Any, rows: int) -> Array | None:
    """A pandas table or column of as many rows of finite numbers as an array; None where it is anything else."""
    if not isinstance(values, pd.DataFrame | pd.Series) or len(values) != rows or rows == 0:
        return None
    kinds = values.dtypes if isinstance(values, pd.DataFrame) else [values.dtype]
    if not all(isinstance(kind, np.dtype) and kind.kind in "fiu" for kind in kinds):
        return None
    array = np.asarray(values, dtype=np.float64)
    return array if np.isfinite(array).all() else None


def note_columns(estimator: Any, X: Any, *, reset: bool = True) -> None:
    """Let the estimator take note of the columns, or, without `reset`, compare them with those that it knows."""
    from sklearn.utils.validation import validate_data

    validate_data(estimator, X, reset=reset, skip_check_array=True)


def checked_target(X: Array, y: Any) -> Array:
    """The target of these rows as an array of finite floats."""
    from sklearn.utils.validation import check_X_y

    return np.asarray(check_X_y(X, y, y_numeric=True, dtype=np.float64)[1])


def checked_weights(sample_weight: Any, X: Any) -> Array:
    """The weights of these rows as an array of finite floats."""
    from sklearn.utils.validation import _check_sample_weight

    given = np.asarray(sample_weight)
    if given.dtype.kind in "fiu" and given.ndim == 1 and len(given) == len(X):
        wrong = np.flatnonzero(~np.isfinite(given))
        if len(wrong):
            raise ValueError(
                f"sample_weight is {given[wrong[0]]} in row {wrong[0]}; give every row a number, 0 if it is not to count."
            )
        if not given.any():
            raise ValueError(
                "The weights of sample_weight are zero in every row; give those that are to count a positive one."
            )
    return np.asarray(_check_sample_weight(sample_weight, X, dtype=np.float64))


def checked(estimator: Any, X: Any, *y: Any, **options: Any) -> Any:
    """Features, and the target where there is one, as arrays; `estimator` takes note of the columns where there is one."""
    from sklearn.base import BaseEstimator
    from sklearn.utils.validation import validate_data

    return validate_data(BaseEstimator() if estimator is None else estimator, X, *y, **options)


def rows_at(X: Any, places: npt.NDArray[np.intp]) -> Any:
    """Some rows of an array or of a table of any kind."""
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, places)
