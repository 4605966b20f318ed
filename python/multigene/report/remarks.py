"""What is remarkable about the rows of a report: `multigene look` at them, and what was decided when they were encoded."""

from __future__ import annotations

import pandas as pd

from multigene.data import look
from multigene.data.constants import COMPARED_ROWS
from multigene.data.table import Table
from multigene.fitted import FittedModel
from multigene.report.constants import MOST_REMARKS
from multigene.report.statistics import Rows
from multigene.words import counted


def remarks(model: FittedModel, rows: Rows | None) -> tuple[list[str], list[str]]:
    """Columns that may be made of the target, which spoil a model; and all else, in sentences without an end."""
    decided = [] if model.encoding is None else list(model.encoding.notes)
    if rows is None:
        return [], decided
    names, most = [str(name) for name in model.names], COMPARED_ROWS
    frame = pd.DataFrame(rows.X[:most], columns=names)
    if model.target not in names:
        frame[model.target] = rows.y[:most]
    told = {} if model.target in names else look.leaks(frame, model.target)
    found = look.look(Table(frame, ""), None)
    columns = [f"column {c.name!r} {remark}" for c in found.columns for remark in c.remarks]
    outliers = [
        f"column {c.name!r} has {counted(c.outliers, 'value')} far from the others ({c.values})"
        for c in found.columns
        if c.outliers
    ]
    others = [*decided, *found.remarks, *columns, *outliers]
    more = [f"and {len(others) - MOST_REMARKS} more"] if len(others) > MOST_REMARKS else []
    return [f"Column {name!r} {how}." for name, how in told.items()], others[:MOST_REMARKS] + more
