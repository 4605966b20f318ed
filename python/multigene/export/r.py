"""R: one function of vectors, from base R alone."""

from __future__ import annotations

from collections.abc import Sequence

from multigene.export.source import source
from multigene.export.writer import FACTOR, PRODUCT, Template, Writer, calls, plain_number
from multigene.expression.tree import Expression

HELPERS = {
    # The gamma distribution keeps the digits near zero that pnorm would lose.
    "erf": "mg_erf <- function(x) sign(x) * pgamma(x * x, 0.5)\n",
    "aq": "mg_aq <- function(x, y) x / sqrt(1 + y * y)\n",
    "sinc": "mg_sinc <- function(x) ifelse(x == 0, 1, sin(x) / x)\n",
    "softplus": "mg_softplus <- function(x) pmax(x, 0) + log1p(exp(-abs(x)))\n",
    "gauss": "mg_gauss <- function(x) exp(-x * x)\n",
    "bent": "mg_bent <- function(x) (sqrt(x * x + 1) - 1) / 2 + x\n",
}
RESERVED = """
if else repeat while function for next break TRUE FALSE NULL Inf NaN NA T F c t pi sin cos exp log log1p sqrt
abs tanh atan sign pmin pmax pgamma ifelse suppressWarnings in
"""


class RWriter(Writer):
    """Vectorised functions of base R."""

    templates = (
        calls(**{n: n for n in ("sin", "cos", "exp", "log", "sqrt", "abs", "tanh", "atan", "sign")})
        | calls(**{name: f"mg_{name}" for name in HELPERS})
        | calls(min="pmin", max="pmax")
        | {
            "inv": Template("1/{0:factor}", PRODUCT),
            "logistic": Template("1/(1 + exp({0}))", PRODUCT),
        }
    )
    deepest = 20
    integer_power = Template("{0:atom}^{1}", FACTOR)

    def number(self, value: float) -> str:
        return plain_number(value)


def write(
    expression: Expression, names: Sequence[str], target: str = "y", name: str = "predict_formula"
) -> str:
    """Source of an R function of the columns used; not `predict`, a generic that nobody wants to mask."""
    text = source(RWriter, expression, names, target, name, mark="#", reserved=RESERVED, helpers=HELPERS)
    numeric = "".join(f"  {text.legal[i]} <- as.numeric({text.legal[i]})\n" for i in text.used)
    return (
        f"{text.helpers}\n{text.comment}{text.function} <- function({text.parameters()}) {{\n"
        f"{numeric}{text.statements('  {name} <- suppressWarnings({value})')}"
        f"  suppressWarnings({text.body})\n}}\n"
    ).lstrip("\n")
