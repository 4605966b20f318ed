"""`multigene show`: the formula of a model, or its whole front, for people and for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import pandas as pd
import typer

from multigene.cli import options as o
from multigene.cli.export import Digits, check_digits, exported
from multigene.cli.model_argument import criterion, one_of, read_any
from multigene.cli.output import formula_lines, say, say_json, write
from multigene.words import among, anatomy, counted

if TYPE_CHECKING:
    from multigene.fitted import FittedModel

EPILOG = """Examples:

  multigene show model.json --front

  multigene show model.json --format latex --digits 3
"""
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="text, latex, python, … as `export` has them.",
        rich_help_panel=o.RESULT,
    ),
]


def show(
    model: o.ModelArgument,
    front: o.Front = False,
    format: Format = None,
    digits: Digits = None,
    choose: o.Choose = None,
    label: o.Label = None,
    json: o.Json = False,
) -> None:
    """Print the formula of a model, or its whole front."""
    from multigene.classes.fitted import FittedClasses

    check_digits(digits)
    found = read_any(model)
    if isinstance(found, FittedClasses) and label is None and not (front or format or json):
        say(str(found if choose is None else found.choose(criterion(choose))))
        return
    fitted = one_of(found, model, choose, label)
    if json:
        say_json(description(fitted))
    elif front:
        say(front_text(fitted.equations()))
    elif format is not None:
        write(None, exported(fitted, format, digits))
    else:
        say(formula_lines(f"{fitted.target} = {fitted.formula.where(digits or 'few')}"))
        say()
        for key, value in spoken_description(fitted):
            say(f"{key + ':' if key else '':10} {value}")


def description(model: FittedModel) -> dict[str, Any]:
    """What a model file tells, for machines."""
    return {
        "formula": str(model.formula),
        "exact_formula": model.formula.text(None),
        "target": model.target,
        "features": model.names,
        "variables": list(model.formula.variables),
        "r2": model.r2,
        "parts": dict(model.chosen.parts),
        "shapes": [{"shape": v.shape, "status": v.status, "points": v.points} for v in model.certificate],
        "nodes": model.formula.size,
        "genes": model.n_genes,
        "front": model.equations(),
        "generations": model.n_generations,
        "stopped_by": model.stopped_by,
        "cut_short": model.cut_short,
        "parameters": model.parameters.values(),
        "data": model.data,
    }


def spoken_description(model: FittedModel) -> list[tuple[str, str]]:
    """The same for people."""
    data = model.data
    rows = "" if data is None else f" on {counted(data['rows'], 'row')}"
    return [
        ("training", f"R² {model.r2:.6f}{rows}"),
        (
            "formula",
            f"{anatomy(model.formula.size, model.n_genes)}, {among(len(model.front.listed))} (--front)",
        ),
        *[
            ("with" if i == 0 else "", f"{name} = {text}")
            for i, (name, text) in enumerate(model.chosen.parts)
        ],
        *[("shapes" if i == 0 else "", str(verdict)) for i, verdict in enumerate(model.certificate)],
        ("columns", ", ".join(model.formula.variables) or "none: the formula is a constant"),
        (
            "search",
            f"{counted(model.n_generations, 'generation')}, ended by {model.ending}, seed {model.parameters.random_state}",
        ),
    ]


def front_text(equations: pd.DataFrame) -> str:
    """The front as lines: the chosen one starred. With another loss than squared error the share of it that is explained stands
    in the place of R²."""
    measure, head = ("explained", "explained") if "explained" in equations else ("r2", "R²")
    lines = [f"  {'row':>3}  {'nodes':>5}  {head:>9}  formula"]
    for row, entry in enumerate(equations.to_dict(orient="records")):
        star = "*" if entry["chosen"] else " "
        lines.append(f"{star} {row:>3}  {entry['complexity']:>5}  {entry[measure]:>9.6f}  {entry['formula']}")
    return "\n".join(lines)
