"""`multigene verify`: does a model keep the shapes that were stated when it was fitted?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from multigene.cli import options as o
from multigene.cli.features import feature_rows, table_for
from multigene.cli.model_argument import read_model
from multigene.cli.option_groups import Reading, Saying, spread
from multigene.cli.output import say, say_json

if TYPE_CHECKING:
    from multigene.fitted import FittedModel
    from multigene.shapes.known import Known

EPILOG = """Examples:

  multigene fit data.csv --target y --shape 'increasing in dose' --save model.json

  multigene verify model.json

  multigene verify model.json new.csv --points 1000000
"""
Data = Annotated[
    Path | None,
    typer.Argument(metavar="[DATA]", help="Table whose rows the shapes are to hold for as well."),
]
Points = Annotated[
    int,
    typer.Option("--points", metavar="N", help="Points for what cannot be proven.", rich_help_panel=o.RESULT),
]


@spread
def verify(
    model: o.ModelArgument,
    data: Data = None,
    *,
    points: Points = 100_000,
    front: o.Front = False,
    choose: o.Choose = None,
    label: o.Label = None,
    saying: Saying,
    reading: Reading,
) -> None:
    """Check the shapes of a model again: each is proven by interval arithmetic, checked on points, or violated.

    Nothing that the file says of its shapes is believed. Exit code 1 if one is violated.
    """
    if points < 1:
        raise ValueError(f"--points {points} is not positive; take for example 100000.")
    fitted = read_model(model, choose, label)
    if fitted.known is None:
        raise ValueError(
            f"{model} has no shapes to verify; state them when it is fitted, by --shape or shapes=."
        )
    known = fitted.known if data is None else widened(fitted, fitted.known, str(data), saying.quiet, reading)
    shown = [fitted.at(i) for i in range(len(fitted.front.listed))] if front else [fitted]
    found = [checked(each, known, points) for each in shown]
    if saying.json:
        say_json(found if front else found[0])
    else:
        for each in found:
            say(f"{fitted.target} = {each['formula']}")
            for verdict in each["shapes"]:
                seen = f" on {verdict['points']} points" if verdict["status"] != "proven" else ""
                say(f"  {verdict['shape']}: {verdict['status']}{seen}")
    if any(verdict["status"] == "violated" for each in found for verdict in each["shapes"]):
        raise typer.Exit(1)


def checked(model: FittedModel, known: Known, points: int) -> dict[str, Any]:
    """A model's formula and what is known of every shape."""
    from multigene.expression.genes import model_expression

    verdicts = known.verdicts(model_expression(model.individual), points)
    return {
        "formula": str(model.formula),
        "shapes": [{"shape": v.shape, "status": v.status, "points": v.points} for v in verdicts],
        "box": {
            name: [low, high]
            for name, low, high in zip(model.names, known.low.tolist(), known.high.tolist(), strict=True)
        },
    }


def widened(model: FittedModel, known: Known, data: str, quiet: bool, reading: Reading) -> Known:
    """The box that holds the rows of a table as well."""
    features, _ = feature_rows(model, table_for(model, reading.table(data)), True, quiet)
    X = features.to_numpy(dtype=np.float64)
    used = [model.names.index(name) for name in model.formula.variables]
    low, high = known.low.copy(), known.high.copy()
    if len(X):
        low[used] = np.minimum(low[used], X[:, used].min(axis=0))
        high[used] = np.maximum(high[used], X[:, used].max(axis=0))
    return replace(known, low=low, high=high)
