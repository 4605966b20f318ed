"""JavaScript: one function of numbers, for browsers and Node alike."""

from __future__ import annotations

from collections.abc import Sequence

from multigene.export.source import source
from multigene.export.writer import PRODUCT, Template, Writer, calls, plain_number
from multigene.expression.tree import Expression

HELPERS = {
    "erf": """function mg_erf(x) {
  const a = Math.abs(x);
  if (a < 3) {
    let term = x, sum = x;
    for (let k = 1; k < 80; k++) { term *= 2 * x * x / (2 * k + 1); sum += term; }
    return 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * sum;
  }
  let fraction = a;
  for (let k = 60; k > 0; k--) fraction = a + k / 2 / fraction;
  return x > 6 ? 1 : x < -6 ? -1 : Math.sign(x) * (1 - Math.exp(-x * x) / (fraction * Math.sqrt(Math.PI)));
}
""",
    "aq": "function mg_aq(x, y) { return x / Math.sqrt(1 + y * y); }\n",
    "sinc": "function mg_sinc(x) { return x === 0 ? 1 : Math.sin(x) / x; }\n",
    "softplus": "function mg_softplus(x) { return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x))); }\n",
    "gauss": "function mg_gauss(x) { return Math.exp(-x * x); }\n",
    "bent": "function mg_bent(x) { return (Math.sqrt(x * x + 1) - 1) / 2 + x; }\n",
}
MATH = ("sin", "cos", "exp", "log", "sqrt", "abs", "tanh", "atan", "sign", "min", "max")
RESERVED = """
arguments async await break case catch class const continue debugger default delete do else enum eval export
extends false finally for function if implements import in instanceof interface let new null of package
private protected public return static super switch this throw true try typeof undefined var void while with
yield Math NaN Infinity Number abstract boolean byte char double final float goto int long native short
synchronized throws transient volatile
"""


class JavaScriptWriter(Writer):
    """Calls of `Math`."""

    templates = (
        calls(**{n: f"Math.{n}" for n in MATH})
        | calls(**{name: f"mg_{name}" for name in HELPERS})
        | {
            "inv": Template("1/{0:factor}", PRODUCT),
            "logistic": Template("1/(1 + Math.exp({0}))", PRODUCT),
        }
    )
    deepest = 20
    integer_power = Template("Math.pow({0}, {1})")

    def number(self, value: float) -> str:
        return plain_number(value)

    def exponent(self, value: float) -> str:
        return plain_number(value)


def write(expression: Expression, names: Sequence[str], target: str = "y", name: str = "predict") -> str:
    """Source of a JavaScript function whose parameters are the columns used."""
    text = source(
        JavaScriptWriter, expression, names, target, name, mark="//", reserved=RESERVED, helpers=HELPERS
    )
    return (
        f"{text.helpers}\n{text.comment}"
        f"function {text.function}({text.parameters()}) {{\n"
        f"{text.statements('  const {name} = {value};')}  return {text.body};\n}}\n"
    ).lstrip("\n")
