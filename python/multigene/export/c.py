"""C99: one function of doubles; compile with `-lm`."""

from __future__ import annotations

from collections.abc import Sequence

from multigene.export.source import source
from multigene.export.writer import PRODUCT, Template, Writer, calls
from multigene.expression.tree import Expression

HELPERS = {
    "min": "static double mg_min(double a, double b) { return a < b || a != a ? a : b; }\n",
    "max": "static double mg_max(double a, double b) { return a > b || a != a ? a : b; }\n",
    "aq": "static double mg_aq(double x, double y) { return x / sqrt(1.0 + y * y); }\n",
    "sign": "static double mg_sign(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }\n",
    "sinc": "static double mg_sinc(double x) { return x == 0.0 ? 1.0 : sin(x) / x; }\n",
    "softplus": "static double mg_softplus(double x) { return fmax(x, 0.0) + log1p(exp(-fabs(x))); }\n",
    "gauss": "static double mg_gauss(double x) { return exp(-x * x); }\n",
    "bent": "static double mg_bent(double x) { return (sqrt(x * x + 1.0) - 1.0) / 2.0 + x; }\n",
}
RESERVED = """
auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
_Bool _Complex _Imaginary bool true false nullptr alignas alignof constexpr static_assert thread_local typeof
and or not xor asm class new delete this template try catch throw namespace using virtual private public
protected operator friend export main sin cos tan exp log sqrt fabs tanh atan erf erfc pow log1p fmax expm1
gamma lgamma tgamma j0 j1 jn y0 y1 yn abs div signgam nan inf NAN INFINITY HUGE_VAL isnan isinf isfinite errno
signbit linux unix
"""


class CWriter(Writer):
    """Calls of math.h."""

    templates = (
        calls(**{name: name for name in ("sin", "cos", "exp", "log", "sqrt", "tanh", "atan", "erf")})
        | calls(**{name: f"mg_{name}" for name in HELPERS})
        | calls(abs="fabs")
        | {
            "inv": Template("1.0/{0:factor}", PRODUCT),
            "logistic": Template("1.0/(1.0 + exp({0}))", PRODUCT),
        }
    )
    deepest = 20
    integer_power = Template("pow({0}, {1})")

    def exponent(self, value: float) -> str:
        return repr(value)


def write(expression: Expression, names: Sequence[str], target: str = "y", name: str = "predict") -> str:
    """Source of a C function whose parameters are the columns used."""
    text = source(CWriter, expression, names, target, name, mark="//", reserved=RESERVED, helpers=HELPERS)
    return (
        f"#include <math.h>\n\n{text.helpers}\n{text.comment}"
        f"double {text.function}({text.parameters('double {}', empty='void')}) {{\n"
        f"{text.statements('    const double {name} = {value};')}    return {text.body};\n}}\n"
    )
