"""The model of a fit with groups: numbers of their own for every group (`groups/`), as columns of the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from multigene.data.arrays import data_summary
from multigene.data.encoding.columns import Scored
from multigene.data.training_rows import TrainingRows
from multigene.explain.digits import with_few_digits
from multigene.explain.front import Front
from multigene.fitted import FittedModel
from multigene.fitting.data import Data
from multigene.fitting.result import allows_exp, others_later
from multigene.groups.own import GroupRows
from multigene.groups.regroup import Groups, own_values, regrouped


def grouped_model(
    fitted: FittedModel, alone: Front | None, data: Data, over: Callable[[], bool]
) -> FittedModel:
    """The model with numbers of their own for groups; its last column so far, their means of the target, becomes their number.

    `alone` is the front of a search in one group.
    """
    assert data.groups is not None
    assert data.encoding is not None
    column, mean = data.groups, data.X.shape[1] - 1
    levels = column.levels
    codes = np.where(column.gaps, len(levels), column.values).astype(np.intp)
    counts = np.bincount(codes, minlength=len(levels) + 1)
    groups = Groups(column.name, data.group_numbers, tuple(zip(levels, counts.tolist(), strict=False)))
    every = TrainingRows(data.X, data.y, data.weights, len(data.y), fitted.loss)
    kept = every.shares > 0.0
    rows = GroupRows(data.X, data.y, every.shares, codes, len(levels), fitted.loss).taken(kept)
    fronts = [fitted.front] if alone is None else [alone, fitted.front]
    found = regrouped(fronts, rows, levels, groups, mean, over, powers=allows_exp(fitted.settings))
    place = Scored(column.name, "place", tuple((level, j + 1.0) for j, level in enumerate(levels)), 0.0)
    own = [own_values(each, codes) for each in found.columns]
    X = np.column_stack([data.X[:, :mean], np.where(codes < len(levels), codes + 1.0, 0.0), *own])
    encoding = replace(
        data.encoding,
        columns=(*data.encoding.columns[:-1], place, *found.columns),
        notes=(*data.encoding.notes, found.note),
    )
    training = TrainingRows.of(X, data.y, data.weights, fitted.loss)
    summary = data_summary(encoding.names, X, data.y, training.variance)
    shown = partial(with_few_digits, rows=training, exponentials=allows_exp(fitted.settings))
    [default] = shown([found.default])
    members = others_later(found.members, found.default, default, shown)
    front = Front(members, default, encoding.names, data.target, summary, fitted.loss)
    return replace(
        fitted, front=front, chosen=default, encoding=encoding, data=summary, rows=training, groups=groups
    )
