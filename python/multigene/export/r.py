"""R: one function of vectors, from base R alone."""

from __future__ import annotations

from collections.abc import Sequence

from multigene.export.derived import Derived, joined, nested, tabled
from multigene.export.source import SourceWriter, source
from multigene.export.writer import plain_number
from multigene.expression.notation import FACTOR, Template
from multigene.expression.tree import Expression

RESERVED = """
if else repeat while function for next break TRUE FALSE NULL Inf NaN NA T F c t pi sin cos exp log log1p sqrt
abs tanh atan sign pmin pmax pgamma ifelse suppressWarnings in
"""


DERIVED = Derived(
    equal="({0} %in% {1})",
    gap=dict.fromkeys(("number", "text", "date"), "is.na({0})"),
    choices=nested("ifelse"),
    days='(as.numeric(as.POSIXct({0}, tz = "UTC"))/86400)',
    either=joined(" | "),
    literal=plain_number,
    table=tabled("c({3}, {2})[1 + match({0}, c({1}), nomatch = 0)]", ", "),
    read={"number": "  {name} <- as.numeric({name})"},
)


class RWriter(SourceWriter):
    """Vectorised functions of base R."""

    languages = ("r",)
    derived = DERIVED
    reserved = RESERVED
    helper = "{name} <- function({parameters}) {body}\n"
    integer_power = Template("{0:atom}^{1}", FACTOR)

    def number(self, value: float) -> str:
        return plain_number(value)


def write(
    expression: Expression, names: Sequence[str], target: str = "y", name: str = "predict_formula"
) -> str:
    """Source of an R function of the columns used; not `predict`, a generic that nobody wants to mask."""
    text = source(RWriter, expression, names, target, name)
    return (
        f"{text.helpers}\n{text.comment}{text.function} <- function({text.parameters()}) {{\n"
        f"{text.columns('  {name} <- as.numeric({name})')}"
        f"{text.statements('  {name} <- suppressWarnings({value})')}  suppressWarnings({text.body})\n}}\n"
    ).lstrip("\n")
