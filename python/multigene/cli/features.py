"""A model's features from a table, by name, with what there is to say about them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from multigene.cli.output import note
from multigene.data.columns import numbers
from multigene.data.encoding.columns import Plain
from multigene.data.encoding.encoding import Encoding
from multigene.data.table import Table
from multigene.words import counted, nearest

if TYPE_CHECKING:
    from multigene.classes.fitted import FittedClasses
    from multigene.fitted import FittedModel


def table_for(found: FittedModel | FittedClasses, table: Table) -> Table:
    """The table with its columns as the model calls them."""
    from multigene.classes.fitted import FittedClasses

    model = found.models[0] if isinstance(found, FittedClasses) else found
    return table.called([*model.raw_names, found.target])


def spoken_features(model: FittedModel, frame: pd.DataFrame, quiet: bool = False) -> Any:
    """The numeric features of a table; what there is to warn of (levels never seen) as notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        values = model.features(frame)
    for each in caught:
        note(str(each.message).rstrip("."), quiet)
    return values


def _refuse_new_gaps(encoding: Encoding, table: Table, used: list[str], kept: Any) -> None:
    """A gap in a column that had none when the model was trained, with its line."""
    for name in _without_gaps(encoding, used):
        gaps = np.flatnonzero(table.frame[name].isna().to_numpy() & kept)
        if len(gaps):
            more = f" (and {len(gaps) - 1} more rows lack one)" if len(gaps) > 1 else ""
            raise ValueError(
                f"Column {name!r} has no value in {table.place(int(gaps[0]))} of {table.source}{more}, and the training rows "
                "had no gaps there; fill it in, or give --drop-missing to leave such rows out."
            )


def _refuse_text(encoding: Encoding, table: Table, used: list[str]) -> None:
    """Text in a column of numbers, with its line."""
    kinds = {source.name: source.kind for source in encoding.sources}
    for name in used:
        column = table.frame[name]
        if pd.api.types.is_numeric_dtype(column) or kinds[name] != "number":
            continue
        text = column.notna() & pd.to_numeric(column, errors="coerce").isna()
        known = int(column.notna().sum())
        if text.any() and text.sum() < known:
            row = int(np.flatnonzero(text.to_numpy())[0])
            raise ValueError(
                f"Column {name!r} holds {str(column.iloc[row])!r} in {table.place(row)} of {table.source}, which is not a number "
                "as other values of it are; mend it, or make it a gap."
            )


def _without_gaps(encoding: Encoding, used: list[str]) -> list[str]:
    """Columns that had no gaps when the model was trained: it does not know what to make of one."""
    return [
        column.source for column in encoding.columns if isinstance(column, Plain) and column.source in used
    ]


def row_numbers(kept: Any) -> dict[str, Any]:
    """A column that says which rows of a table are left, counted from 1 as messages do; none where all of them are."""
    return {} if np.all(kept) else {"row": np.flatnonzero(kept) + 1}


def feature_rows(
    model: FittedModel, table: Table, drop_missing: bool, quiet: bool
) -> tuple[pd.DataFrame, Any]:
    """The model's features from a table by name, and which rows they are.

    Columns that the formula does not use may be missing.
    """
    names = model.raw_names
    frame = table.frame
    by_position = not model.named and not set(names) & set(frame.columns)
    if by_position and frame.shape[1] == len(names):
        note("the model has no column names; columns are taken in their order", quiet)
        table = Table(frame.set_axis(names, axis=1), table.source, [], table.first_line)
    used, known = set(model.raw_variables), list(table.frame.columns)
    missing = [name for name in names if name not in known]
    for name in missing:
        if name in used:
            raise ValueError(
                f"{table.source} has no column {name!r}, which the formula "
                f"uses{nearest(name, known) or '; add it.'}"
            )
    if missing:
        note(f"{table.source} lacks {counted(len(missing), 'column')} that the formula does not use", quiet)
    present = [name for name in names if name in used] or [name for name in names if name in known][:1]
    kept = np.ones(len(table.frame), dtype=bool)
    if not present:
        return pd.DataFrame(0.0, index=range(len(table.frame)), columns=model.names), kept
    if model.encoding is not None:
        rows = table.frame
        _refuse_text(model.encoding, table, present)
        if drop_missing:
            kept = rows[_without_gaps(model.encoding, present)].notna().all(axis=1).to_numpy()
            rows = rows[kept]
            if not kept.all():
                note(f"left out {counted(int((~kept).sum()), 'row')} without a value", quiet)
        _refuse_new_gaps(model.encoding, table, present, kept)
        return pd.DataFrame(spoken_features(model, rows, quiet), columns=model.names), kept
    values, dropped = numbers(table, present, drop_missing)
    if dropped:
        note(f"left out {counted(dropped, 'row')} without a value", quiet)
        kept = table.frame[present].notna().all(axis=1).to_numpy()
    return values.reindex(columns=names, fill_value=0.0), kept
