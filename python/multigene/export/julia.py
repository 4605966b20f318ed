"""Julia: one function of numbers, from Base alone; over columns with a dot: `predict.(a, b)`."""

from __future__ import annotations

from collections.abc import Sequence

from multigene.export.source import source
from multigene.export.writer import FACTOR, PRODUCT, Template, Writer, calls
from multigene.expression.tree import Expression

# Base raises a DomainError where other languages give NaN, hence helpers for sin, cos, log, sqrt and powers.
HELPERS = {
    "sin": "mg_sin(x) = isfinite(x) ? sin(x) : NaN\n",
    "cos": "mg_cos(x) = isfinite(x) ? cos(x) : NaN\n",
    "log": "mg_log(x) = x < 0 ? NaN : log(x)\n",
    "sqrt": "mg_sqrt(x) = x < 0 ? NaN : sqrt(x)\n",
    "real power": "mg_pow(x, w) = x < 0 ? NaN : x^w\n",
    "erf": """function mg_erf(x)
    a = abs(x)
    if a < 3
        term = total = x
        for k in 1:79
            term *= 2 * x * x / (2k + 1)
            total += term
        end
        return 2 / sqrt(pi) * exp(-x * x) * total
    end
    fraction = a
    for k in 60:-1:1
        fraction = a + k / 2 / fraction
    end
    return a > 6 ? sign(x) : sign(x) * (1 - exp(-x * x) / (fraction * sqrt(pi)))
end
""",
    "aq": "mg_aq(x, y) = x / sqrt(1 + y * y)\n",
    "sinc": "mg_sinc(x) = x == 0 ? 1.0 : isfinite(x) ? sin(x) / x : NaN\n",
    "softplus": "mg_softplus(x) = max(x, 0.0) + log1p(exp(-abs(x)))\n",
    "gauss": "mg_gauss(x) = exp(-x * x)\n",
    "bent": "mg_bent(x) = (sqrt(x * x + 1) - 1) / 2 + x\n",
}
RESERVED = """
abstract baremodule begin break catch const continue do else elseif end export false finally for function
global if import in isa let local macro module mutable outer primitive public quote return struct true try
type using var where while pi im NaN Inf sin cos exp log log1p sqrt abs tanh atan sign min max float isfinite
sum total
"""


class JuliaWriter(Writer):
    """Functions of Base and the helpers above."""

    templates = (
        calls(**{name: name for name in ("exp", "abs", "tanh", "atan", "sign", "min", "max")})
        | calls(**{name: f"mg_{name}" for name in HELPERS if " " not in name})
        | {
            "inv": Template("1.0/{0:factor}", PRODUCT),
            "logistic": Template("1.0/(1.0 + exp({0}))", PRODUCT),
        }
    )
    deepest = 20
    integer_power = Template("{0:atom}^{1}", FACTOR)
    real_power = Template("mg_pow({0}, {1})")


def write(expression: Expression, names: Sequence[str], target: str = "y", name: str = "predict") -> str:
    """Source of a Julia function whose parameters are the columns used."""
    text = source(JuliaWriter, expression, names, target, name, mark="#", reserved=RESERVED, helpers=HELPERS)
    floats = "".join(f"    {text.legal[i]} = float({text.legal[i]})\n" for i in text.used)
    return (
        f"{text.helpers}\n{text.comment}"
        f"function {text.function}({text.parameters()})\n{floats}"
        f"{text.statements('    {name} = {value}')}    return {text.body}\nend\n"
    ).lstrip("\n")
