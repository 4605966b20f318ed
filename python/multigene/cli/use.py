"""`multigene predict`, `show`, `export`, `report`: what is done with a model file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer

from multigene.cli import options as o
from multigene.cli.output import as_json, check_writable, note, notes, parquet_or_csv, say, say_json, write
from multigene.cli.scores import scores, spoken
from multigene.model_file import load
from multigene.suggest import nearest
from multigene.table import Table, read_table
from multigene.table_columns import numbers

PREDICT_EPILOG = """Examples:

  multigene predict model.json new.csv > predictions.csv

  multigene predict model.json new.parquet --keep -o predictions.parquet

  cat new.csv | multigene predict model.json - | sort -g | tail -1
"""
SHOW_EPILOG = """Examples:

  multigene show model.json --front

  multigene show model.json --format latex --digits 3
"""
EXPORT_EPILOG = """Examples:

  multigene export model.json --format python -o predict.py

  multigene export model.json --format latex
"""

Digits = Annotated[
    int | None,
    typer.Option(
        "--digits",
        metavar="N",
        help="Round constants to so many significant digits.",
        rich_help_panel=o.RESULT,
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="File to write; standard output by default.",
        rich_help_panel=o.RESULT,
    ),
]


def read_model(source: str, choose: str | None = None) -> Any:
    """A model from a file or a pipe."""
    if source == "-":
        if sys.stdin.buffer.isatty():
            raise ValueError(
                "There is nothing to read: '-' needs a pipe, as in `cat model.json | multigene show -`."
            )
        return o.applied(load(sys.stdin.buffer), choose)
    return o.applied(load(source), choose)


def predict(
    model: o.ModelArgument,
    data: o.DataArgument,
    output: Output = None,
    keep: Annotated[
        bool, typer.Option("--keep", "-k", help="Write the columns of DATA too.", rich_help_panel=o.RESULT)
    ] = False,
    choose: o.Choose = None,
    drop_missing: o.DropMissing = False,
    json: o.Json = False,
    quiet: o.Quiet = False,
    separator: o.Separator = None,
    decimal: o.Decimal = None,
    encoding: o.Encoding = "utf-8",
    no_header: o.NoHeader = False,
    sheet: o.Sheet = None,
) -> None:
    """Predict the target for the rows of a table.

    Writes a table with the column `prediction`. If DATA has the target as well, says on standard error how
    good it is.
    """
    if model == "-" and data == "-":
        raise ValueError("Standard input ('-') can be read only once; give a file for the model or the data.")
    check_writable(output, "--output")
    fitted = read_model(model, choose)
    table = read_table(data, o.dialect(separator, decimal, encoding, no_header, sheet))
    notes(table.notes, quiet)
    features, rows = feature_rows(fitted, table, drop_missing, quiet)
    prediction = fitted.predict(features if hasattr(fitted, "feature_names_in_") else features.to_numpy())
    infinite = int(np.sum(~np.isfinite(prediction)))
    if infinite:
        note(
            f"{infinite} predictions are not finite numbers: those rows are outside what the formula is "
            f"defined for",
            quiet,
        )
    warn_of_extrapolation(fitted, features, quiet)
    target = fitted._target_name
    if target in table.frame.columns and not quiet:
        y = pd.to_numeric(table.frame[target], errors="coerce").to_numpy(dtype=np.float64)[rows]
        if np.isfinite(y).all() and not infinite:
            note(spoken(f"against {target!r}", scores(y, prediction), len(y)))
    frame = table.frame[rows].reset_index(drop=True) if keep else pd.DataFrame(index=range(len(prediction)))
    frame = frame.assign(prediction=prediction)
    if json:
        document = frame if keep else {"target": target, "rows": len(frame), "prediction": prediction}
        write(output, as_json(document) + "\n")
    else:
        write(output, parquet_or_csv(frame, output))


def feature_rows(model: Any, table: Table, drop_missing: bool, quiet: bool) -> tuple[pd.DataFrame, Any]:
    """The model's features from a table by name, and which rows they are.

    Columns that the formula does not use may be missing.
    """
    names = list(model._names)
    frame = table.frame
    by_position = not hasattr(model, "feature_names_in_") and not set(names) & set(frame.columns)
    if by_position and frame.shape[1] == len(names):
        note("the model has no column names; columns are taken in their order", quiet)
        table = Table(frame.set_axis(names, axis=1), table.source, [], table.first_line)
    used, known = set(model.formula_.variables), list(table.frame.columns)
    missing = [name for name in names if name not in known]
    for name in missing:
        if name in used:
            raise ValueError(
                f"{table.source} has no column {name!r}, which the formula "
                f"uses{nearest(name, known) or '; add it.'}"
            )
    if missing:
        note(f"{table.source} lacks {len(missing)} columns that the formula does not use", quiet)
    present = [name for name in names if name in used] or [name for name in names if name in known][:1]
    if not present:
        return pd.DataFrame(0.0, index=range(len(table.frame)), columns=names), np.ones(
            len(table.frame), dtype=bool
        )
    values, dropped = numbers(table, present, drop_missing)
    kept = np.ones(len(table.frame), dtype=bool)
    if dropped:
        note(f"left out {dropped} rows that lack a value", quiet)
        kept = table.frame[present].notna().all(axis=1).to_numpy()
    return values.reindex(columns=names, fill_value=0.0), kept


def warn_of_extrapolation(model: Any, features: pd.DataFrame, quiet: bool) -> None:
    """Say how many rows are outside the range of the training data."""
    summary = getattr(model, "_data_summary", None)
    if summary is None:
        return
    outside = np.zeros(len(features), dtype=bool)
    for name in model.formula_.variables:
        low, high = summary["ranges"].get(name, (-np.inf, np.inf))
        values = features[name].to_numpy()
        outside |= (values < low) | (values > high)
    if outside.any():
        note(
            f"{int(outside.sum())} of {len(features)} rows lie outside the range of the training data", quiet
        )


def show(
    model: o.ModelArgument,
    front: Annotated[
        bool, typer.Option("--front", help="Every model of the front.", rich_help_panel=o.RESULT)
    ] = False,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="text, latex, python, … as `export` has them.",
            rich_help_panel=o.RESULT,
        ),
    ] = None,
    digits: Digits = None,
    choose: o.Choose = None,
    json: o.Json = False,
) -> None:
    """Print the formula of a model, or its whole front."""
    fitted = read_model(model, choose)
    if json:
        say_json(description(fitted))
    elif front:
        say(front_text(fitted.equations_))
    elif format is not None:
        content = exported(fitted, format, digits)
        write(None, content)
    else:
        say(f"{fitted._target_name} = {fitted.formula_.text(digits or 4)}")
        say()
        for key, value in spoken_description(fitted):
            say(f"{key + ':':10} {value}")


def description(model: Any) -> dict[str, Any]:
    """What a model file tells, for machines."""
    return {
        "formula": str(model.formula_),
        "exact_formula": model.formula_.text(None),
        "target": model._target_name,
        "features": model._names,
        "variables": list(model.formula_.variables),
        "r2": model.r2_,
        "nodes": model.formula_.size,
        "genes": model.n_genes_,
        "front": model.equations_,
        "generations": model.n_generations_,
        "stopped_by": model.stopped_by_,
        "parameters": model.get_params(),
        "data": getattr(model, "_data_summary", None),
    }


def spoken_description(model: Any) -> list[tuple[str, str]]:
    """The same for people."""
    data = getattr(model, "_data_summary", None)
    rows = "" if data is None else f" on {data['rows']} rows"
    return [
        ("training", f"R² {model.r2_:.6f}{rows}"),
        (
            "formula",
            f"{model.formula_.size} nodes, {model.n_genes_} genes, one of {len(model._front)} models of "
            f"the front (--front)",
        ),
        ("columns", ", ".join(model.formula_.variables) or "none: the formula is a constant"),
        (
            "search",
            f"{model.n_generations_} generations, ended by {model.stopped_by_}, seed {model.random_state}",
        ),
    ]


def front_text(equations: pd.DataFrame) -> str:
    """The front as lines: the chosen one starred."""
    lines = [f"  {'row':>3}  {'nodes':>5}  {'R²':>9}  formula"]
    for row, entry in enumerate(equations.to_dict(orient="records")):
        r2 = next((entry[key] for key in ("r2", "r2_train", "train_r2") if key in entry), float("nan"))
        star = "*" if entry.get("chosen") else " "
        lines.append(f"{star} {row:>3}  {entry['complexity']:>5}  {r2:>9.6f}  {entry['formula']}")
    return "\n".join(lines)


def export(
    model: o.ModelArgument,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="text, latex, mathml, sympy, python, c, …; by default what --output's suffix says.",
            autocompletion=lambda: _formats(),
        ),
    ] = None,
    output: Output = None,
    digits: Digits = None,
    choose: o.Choose = None,
    json: o.Json = False,
) -> None:
    """Write the formula of a model in another language."""
    if format is None:
        if output is None or not output.suffix:
            raise ValueError(f"Say which language with --format; the formats are {', '.join(_formats())}.")
        format = output.suffix
    check_writable(output, "--output")
    fitted = read_model(model, choose)
    content = exported(fitted, format, digits)
    if json:
        say_json({"format": format, "code": content if isinstance(content, str) else content.hex()})
    else:
        write(output, content)


def exported(model: Any, format: str, digits: int | None) -> str | bytes:
    """The formula in a format, as what a file of it holds."""
    if digits is not None and not 1 <= digits <= 17:
        raise ValueError(f"--digits {digits} is not between 1 and 17.")
    try:
        content = model.formula_.to(format, **({} if digits is None else {"digits": digits}))
    except ImportError as error:
        raise ValueError(
            f"The format {format!r} needs one more package ({error}): pip install 'multigene[export]'."
        ) from None
    if hasattr(content, "SerializeToString"):
        return bytes(content.SerializeToString())
    text = str(content)
    return text if text.endswith("\n") else text + "\n"


def _formats() -> tuple[str, ...]:
    from multigene.export import formats

    return formats()


def report(
    model: o.ModelArgument,
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="[DATA]", help="Rows to show the model on, with the target.", show_default=False
        ),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Report to write.")] = Path(
        "report.html"
    ),
    choose: o.Choose = None,
    quiet: o.Quiet = False,
) -> None:
    """Write an HTML report about a model."""
    check_writable(output, "--output")
    fitted = read_model(model, choose)
    if not hasattr(fitted, "report"):
        raise ValueError("Reports are not part of this version of multigene; install a newer one.")
    if data is None:
        fitted.report(output)
    else:
        table = read_table(data)
        if fitted._target_name not in table.frame.columns:
            raise ValueError(
                f"{table.source} has no column {fitted._target_name!r}, the target of the model; add it."
            )
        features, rows = feature_rows(fitted, table, False, quiet)
        fitted.report(output, features, table.frame[fitted._target_name][rows].to_numpy(dtype=np.float64))
    if not quiet:
        say(f"wrote {output}")
