"""`multigene predict`: a model and new rows in, predictions out."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
import typer

from multigene.classes.fitted import FittedClasses
from multigene.cli import options as o
from multigene.cli.classes import predict_classes
from multigene.cli.model_argument import applied, criterion, read_any
from multigene.cli.output import as_json, check_writable, note, notes, parquet_or_csv, write
from multigene.data.columns import numbers
from multigene.data.scores import scores, spoken
from multigene.data.table import Table
from multigene.words import counted, nearest

if TYPE_CHECKING:
    from multigene.fitted import FittedModel

EPILOG = """Examples:

  multigene predict model.json new.csv > predictions.csv

  multigene predict model.json new.csv --interval 0.95

  multigene predict model.json new.parquet --keep -o predictions.parquet

  cat new.csv | multigene predict model.json - | sort -g | tail -1
"""
Keep = Annotated[
    bool, typer.Option("--keep", "-k", help="Write the columns of DATA too.", rich_help_panel=o.RESULT)
]
Interval = Annotated[
    float | None,
    typer.Option(
        "--interval",
        metavar="SHARE",
        help="Write lower and upper too: bounds that hold this share of new observations, such as 0.95.",
        rich_help_panel=o.RESULT,
    ),
]


@o.spread
def predict(
    model: o.ModelArgument,
    data: o.DataArgument,
    *,
    output: o.Output = None,
    keep: Keep = False,
    interval: Interval = None,
    choose: o.Choose = None,
    drop_missing: o.DropMissing = False,
    saying: o.Saying,
    reading: o.Reading,
) -> None:
    """Predict the target for the rows of a table.

    Writes a table with the column `prediction`. If DATA has the target as well, says on standard error how
    good it is.
    """
    if model == "-" and data == "-":
        raise ValueError("Standard input ('-') can be read only once; give a file for the model or the data.")
    check_writable(output, "--output")
    found = read_any(model)
    table = reading.table(data)
    notes(table.notes, saying.quiet)
    if isinstance(found, FittedClasses):
        if interval is not None:
            raise ValueError("--interval is for numbers, and this model tells classes; leave it out.")
        found = found if choose is None else found.choose(criterion(choose))
        predict_classes(found, table, output, keep=keep, json=saying.json, quiet=saying.quiet)
        return
    fitted = applied(found, choose)
    features, rows = feature_rows(fitted, table, drop_missing, saying.quiet)
    values = features.to_numpy(dtype=np.float64)
    prediction = fitted.predict(values)
    if not saying.quiet:
        remark_on(fitted, features, table.frame[rows], prediction)
    frame = table.frame[rows].reset_index(drop=True) if keep else pd.DataFrame(index=range(len(prediction)))
    columns = {"prediction": prediction}
    if interval is not None:
        _, columns["lower"], columns["upper"] = fitted.interval(values, interval)
    frame = frame.assign(**columns)
    if saying.json:
        short = {"target": fitted.target, "rows": len(frame), **columns}
        write(output, as_json(frame if keep else short) + "\n")
    else:
        write(output, parquet_or_csv(frame, output))


def remark_on(model: FittedModel, features: pd.DataFrame, frame: pd.DataFrame, prediction: Any) -> None:
    """What there is to say about predictions: where they are none, where they are risky, how good they are."""
    infinite = int(np.sum(~np.isfinite(prediction)))
    if infinite:
        note(f"no finite prediction for {counted(infinite, 'row')}: outside what the formula is defined for")
    outside = int(np.sum(extrapolated(model, features)))
    if outside:
        note(f"{outside} of {len(features)} rows lie outside the range of the training data")
    target = model.target
    if target in frame.columns:
        y = pd.to_numeric(frame[target], errors="coerce").to_numpy(dtype=np.float64)
        if np.isfinite(y).all() and not infinite:
            note(spoken(f"against {target!r}", scores(y, prediction), len(y)))


def extrapolated(model: FittedModel, features: pd.DataFrame) -> Any:
    """Which rows lie outside the range of the training data in a column that the formula uses."""
    summary = model.data or {"ranges": {}}
    outside = np.zeros(len(features), dtype=bool)
    for name in model.formula.variables:
        low, high = summary["ranges"].get(name, (-np.inf, np.inf))
        values = features[name].to_numpy()
        outside |= (values < low) | (values > high)
    return outside


def spoken_features(model: FittedModel, frame: pd.DataFrame, quiet: bool = False) -> Any:
    """The numeric features of a table; what there is to warn of (levels never seen) as notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        values = model.features(frame)
    for each in caught:
        note(str(each.message).rstrip("."), quiet)
    return values


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
        if drop_missing:
            kept = rows[present].notna().all(axis=1).to_numpy()
            rows = rows[kept]
            if not kept.all():
                note(f"left out {counted(int((~kept).sum()), 'row')} without a value", quiet)
        return pd.DataFrame(spoken_features(model, rows, quiet), columns=model.names), kept
    values, dropped = numbers(table, present, drop_missing)
    if dropped:
        note(f"left out {counted(dropped, 'row')} without a value", quiet)
        kept = table.frame[present].notna().all(axis=1).to_numpy()
    return values.reindex(columns=names, fill_value=0.0), kept
