"""`multigene export`: the formula of a model in another language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from multigene.cli import options as o
from multigene.cli.model_argument import read_model
from multigene.cli.output import check_writable, say_json, write
from multigene.export import formats

if TYPE_CHECKING:
    from multigene.fitted import FittedModel

EPILOG = """Examples:

  multigene export model.json --format python -o predict.py

  multigene export model.json --format latex
"""
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="text, latex, mathml, sympy, python, c, …; by default what --output's suffix says.",
        autocompletion=formats,
    ),
]
Digits = Annotated[
    int | None,
    typer.Option(
        "--digits",
        metavar="N",
        help="Significant digits of constants.",
        rich_help_panel=o.RESULT,
    ),
]


def export(
    model: o.ModelArgument,
    format: Format = None,
    output: o.Output = None,
    digits: Digits = None,
    choose: o.Choose = None,
    label: o.Label = None,
    json: o.Json = False,
) -> None:
    """Write the formula of a model in another language."""
    if format is None:
        if output is None or not output.suffix:
            raise ValueError(f"Say which language with --format; the formats are {', '.join(formats())}.")
        format = output.suffix
    check_digits(digits)
    check_writable(output, "--output")
    content = exported(read_model(model, choose, label), format, digits)
    if json:
        say_json({"format": format, "code": content if isinstance(content, str) else content.hex()})
    else:
        write(output, content)


def check_digits(digits: int | None) -> None:
    """Refuse a number of digits that doubles do not have."""
    if digits is not None and not 1 <= digits <= 17:
        raise ValueError(f"--digits {digits} is not between 1 and 17.")


def exported(model: FittedModel, format: str, digits: int | None) -> str | bytes:
    """The formula in a format, as what a file of it holds."""
    try:
        content = model.formula.to(format, **({} if digits is None else {"digits": digits}))
    except ImportError as error:
        raise ValueError(
            f"The format {format!r} needs one more package ({error}): pip install 'multigene[export]'."
        ) from None
    if hasattr(content, "SerializeToString"):
        return bytes(content.SerializeToString())
    text = str(content)
    return text if text.endswith("\n") else text + "\n"
