"""Which rows a report or plot shows, and what they weigh: those passed, or those the fitted model kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from multigene.data.encoding.raw import is_table
from multigene.data.refusals import refuse_text
from multigene.data.training_rows import TrainingRows
from multigene.fitted import FittedModel
from multigene.report.statistics import Rows

SPOKEN = {"train": "training", "test": "test"}


def training_rows(model: FittedModel, X: Any = None, y: Any = None, sample_weight: Any = None) -> Rows | None:
    """Rows to show the model on: those given, or those kept; they weigh what is given, or what they weighed in the fit."""
    if (X is None) != (y is None):
        raise ValueError(f"{'y' if y is None else 'X'} is missing; give both X and y, or neither.")
    kept = model.rows
    if X is not None:
        rows = given_rows(model, X, y, "train", sample_weight)
        known = kept is not None and sample_weight is None and _same(rows, kept)
        return replace(rows, weights=kept.weights) if known and kept is not None else rows
    if sample_weight is not None:
        raise ValueError("sample_weight belongs to X and y; give them too, or leave it out.")
    return None if kept is None else Rows("train", kept.X, kept.y, kept.weights)


def needed_rows(model: FittedModel, X: Any = None, y: Any = None, sample_weight: Any = None) -> Rows:
    """As `training_rows`, where there must be some."""
    rows = training_rows(model, X, y, sample_weight)
    if rows is None:
        raise ValueError(
            "The model was loaded without its training rows; "
            "pass some, as in model.plot.fit(X, y) or model.report(path, X, y)."
        )
    return rows


def given_rows(model: FittedModel, X: Any, y: Any, name: str, sample_weight: Any = None) -> Rows:
    """Rows as given by a user, by column name where there are names."""
    if model.encoding is not None and is_table(X) and list(X.columns) != model.names:
        X = model.encoding.transform(X)
    elif getattr(X, "columns", None) is not None and not isinstance(X, np.ndarray):
        missing = [column for column in model.names if column not in set(X.columns)]
        if missing and model.named:
            raise ValueError(
                f"The {SPOKEN[name]} rows have no column {missing[0]!r}, which the model was trained with; add it."
            )
        X = X if missing else X[list(model.names)]
        refuse_text(X)
    values, target = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64).ravel()
    if values.ndim != 2 or values.shape[1] != len(model.names):
        raise ValueError(
            f"The {SPOKEN[name]} rows have shape {values.shape}; the model has {len(model.names)} columns."
        )
    if len(values) != len(target) or len(target) == 0:
        raise ValueError(
            f"X has {len(values)} rows and y has {len(target)}; give as many values as rows, at least one."
        )
    for column, each in [*zip(model.names, values.T, strict=True), (model.target, target)]:
        bad = np.flatnonzero(~np.isfinite(each))
        if len(bad):
            raise ValueError(
                f"Column {column!r} of the {SPOKEN[name]} rows has {len(bad)} missing or infinite values, the "
                f"first in row {bad[0] + 1}; drop or fill those rows first."
            )
    rows = Rows(name, np.ascontiguousarray(values), target)
    return rows if sample_weight is None else _weighted(rows, sample_weight)


def _weighted(rows: Rows, sample_weight: Any) -> Rows:
    """The rows with weights; those of weight 0 are not seen."""
    weights = np.asarray(sample_weight, dtype=np.float64).ravel()
    if len(weights) != len(rows.y):
        raise ValueError(f"sample_weight has {len(weights)} values for {len(rows.y)} rows; give one per row.")
    if not np.all(np.isfinite(weights)) or np.any(weights < 0.0) or not np.any(weights > 0.0):
        raise ValueError(
            "sample_weight must be finite and not negative, and some row must weigh more than 0; check its values."
        )
    seen = weights > 0.0
    return Rows(rows.name, rows.X[seen], rows.y[seen], weights[seen])


def _same(rows: Rows, kept: TrainingRows) -> bool:
    return rows.X.shape == kept.X.shape and np.array_equal(rows.y, kept.y) and np.array_equal(rows.X, kept.X)
