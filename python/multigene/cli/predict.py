"""`multigene predict`: a model and new rows in, predictions out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
import typer

from multigene.cli import options as o
from multigene.cli.classes import predict_classes
from multigene.cli.features import feature_rows, row_numbers, table_for
from multigene.cli.model_argument import applied, check_pipes, criterion, read_any
from multigene.cli.option_groups import Reading, Saying, spread
from multigene.cli.output import as_json, check_writable, note, notes, parquet_or_csv, write
from multigene.data.scores import scores, spoken
from multigene.words import counted

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


@spread
def predict(
    model: o.ModelArgument,
    data: o.DataArgument,
    *,
    output: o.Output = None,
    keep: Keep = False,
    interval: Interval = None,
    choose: o.Choose = None,
    drop_missing: o.DropMissing = False,
    saying: Saying,
    reading: Reading,
) -> None:
    """Predict the target for the rows of a table.

    Writes a table with the column `prediction`. If DATA has the target as well, says on standard error how
    good it is.
    """
    check_pipes(model, data)
    check_writable(output, "--output")
    from multigene.classes.fitted import FittedClasses

    found = read_any(model)
    table = table_for(found, reading.table(data))
    notes(table.notes, saying.quiet)
    if isinstance(found, FittedClasses):
        if interval is not None:
            raise ValueError("--interval is for numbers, and this model tells classes; leave it out.")
        found = found if choose is None else found.choose(criterion(choose))
        predict_classes(
            found,
            table,
            output,
            keep=keep,
            drop_missing=drop_missing,
            json=saying.json,
            quiet=saying.quiet,
        )
        return
    fitted = applied(found, choose)
    features, rows = feature_rows(fitted, table, drop_missing, saying.quiet)
    values = features.to_numpy(dtype=np.float64)
    prediction = fitted.predict(values)
    if not saying.quiet:
        remark_on(fitted, features, table.frame[rows], prediction)
    frame = table.frame[rows].reset_index(drop=True) if keep else pd.DataFrame(index=range(len(prediction)))
    columns = ({} if keep else row_numbers(rows)) | {"prediction": prediction}
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
