"""Which rows a report or plot shows: those passed, or those the fitted model kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from multigene.data.arrays import refuse_text
from multigene.fitted import FittedModel
from multigene.report.statistics import Rows
from multigene.search.problem import Problem

SPOKEN = {"train": "training", "validation": "validation", "test": "test"}


def training_rows(model: FittedModel, X: Any = None, y: Any = None) -> tuple[Rows | None, bool]:
    """Rows to show the model on, and whether they are all rows it was trained on (False: a sample, or other
    rows).
    """
    if (X is None) != (y is None):
        raise ValueError(f"{'y' if y is None else 'X'} is missing; give both X and y, or neither.")
    summary = model.data or {}
    if X is not None:
        rows = given_rows(model, X, y, "train")
        return rows, len(rows.y) == summary.get("rows") and _same_target(rows, summary)
    if model.rows is None:
        return None, False
    return Rows("train", model.rows.X, model.rows.y), len(model.rows.y) == summary.get("rows")


def needed_rows(model: FittedModel, X: Any = None, y: Any = None) -> Rows:
    """As `training_rows`, where there must be some."""
    rows, _ = training_rows(model, X, y)
    if rows is None:
        raise ValueError(
            "The model was loaded without its training rows; "
            "pass some, as in model.plot.fit(X, y) or model.report(path, X, y)."
        )
    return rows


def given_rows(model: FittedModel, X: Any, y: Any, name: str) -> Rows:
    """Rows as given by a user, by column name where there are names."""
    if getattr(X, "columns", None) is not None and not isinstance(X, np.ndarray):
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
    return Rows(name, np.ascontiguousarray(values), target)


def with_validation(model: FittedModel, rows: Rows) -> list[Rows]:
    """All training rows as those that bred formulas and those that judged their size, where the search held
    some back.
    """
    search = model.settings.search
    if search is None or not search.holdout:
        return [rows]
    only_laws = search.looks_for == "laws" or model.parameters.units is not None
    problem = Problem.of(rows.X, rows.y, None, holdout=search.holdout, standardise=False, only_laws=only_laws)
    held = np.zeros(len(rows.y), dtype=bool)
    held[problem.judge_rows] = True
    if not held.any():
        return [rows]
    return [Rows("train", rows.X[~held], rows.y[~held]), Rows("validation", rows.X[held], rows.y[held])]


def _same_target(rows: Rows, summary: Mapping[str, Any]) -> bool:
    low, high = summary.get("target_range", (None, None))
    return bool(rows.y.min() == low and rows.y.max() == high)
