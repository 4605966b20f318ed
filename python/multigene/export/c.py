"""C99: one function of doubles; compile with `-lm`."""

from __future__ import annotations

from collections.abc import Sequence

from multigene.export.derived import Derived, chain
from multigene.export.source import SourceWriter, source
from multigene.expression.notation import Template
from multigene.expression.tree import Expression

RESERVED = """
auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
_Bool _Complex _Imaginary bool true false nullptr alignas alignof constexpr static_assert thread_local typeof
and or not xor asm class new delete this template try catch throw namespace using virtual private public
protected operator friend export main sin cos tan exp log sqrt fabs tanh atan erf erfc pow log1p fmax expm1
gamma lgamma tgamma j0 j1 jn y0 y1 yn abs div signgam nan inf NAN INFINITY HUGE_VAL isnan isinf isfinite errno
signbit linux unix
"""


DERIVED = Derived(
    equal="mg_is({0}, {1})",
    gap={"number": "isnan({0})", "date": "isnan({0})", "text": "({0} == 0)"},
    choices=chain("(", "{0} ? {1} : ", "{0})"),
    days="({0}/86400.0)",
    parameter={"number": "double {}", "date": "double {}", "text": "const char *{}"},
    helpers="#include <string.h>\n// Text may be NULL, a number NaN where it is missing; dates are seconds since 1970 (UTC).\n"
    "static int mg_is(const char *a, const char *b) { return a != 0 && strcmp(a, b) == 0; }\n",
)


class CWriter(SourceWriter):
    """Calls of math.h."""

    languages = ("c",)
    derived = DERIVED
    mark = "//"
    reserved = RESERVED
    helper = "static double {name}({parameters}) {{ return {body}; }}\n"
    parameter = "double {}"
    integer_power = Template("pow({0}, {1})")

    def exponent(self, value: float) -> str:
        return repr(value)


def write(expression: Expression, names: Sequence[str], target: str = "y", name: str = "predict") -> str:
    """Source of a C function whose parameters are the columns used."""
    text = source(CWriter, expression, names, target, name)
    return (
        f"#include <math.h>\n\n{text.helpers}\n{text.comment}"
        f"double {text.function}({text.parameters(empty='void')}) {{\n"
        f"{text.statements('    const double {name} = {value};')}    return {text.body};\n}}\n"
    )
