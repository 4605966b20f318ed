"""MATLAB and Octave: a function file over a matrix with one column per column of the training data."""

from __future__ import annotations

from collections.abc import Sequence

from multigene.export.source import source
from multigene.export.writer import FACTOR, PRODUCT, Template, Writer, calls, plain_number
from multigene.expression.tree import Expression


def _helper(name: str, body: str) -> str:
    return f"\nfunction z = mg_{name}\n{body}end\n"


# MATLAB answers with complex numbers where other languages give NaN, and its min and max pass over NaN.
NEGATIVE = "  z(x < 0) = NaN;\n"
MISSING = "  z(isnan(x) | isnan(y)) = NaN;\n"
HELPERS = {
    "log": _helper("log(x)", "  z = real(log(x));\n" + NEGATIVE),
    "sqrt": _helper("sqrt(x)", "  z = real(sqrt(x));\n" + NEGATIVE),
    "real power": _helper("pow(x, w)", "  z = abs(x) .^ w;\n" + NEGATIVE),
    "min": _helper("min(x, y)", "  z = min(x, y);\n" + MISSING),
    "max": _helper("max(x, y)", "  z = max(x, y);\n" + MISSING),
    "aq": _helper("aq(x, y)", "  z = x ./ sqrt(1 + y .* y);\n"),
    "sinc": _helper("sinc(x)", "  z = sin(x) ./ x;\n  z(x == 0) = 1;\n"),
    "softplus": _helper("softplus(x)", "  z = max(x, 0) + log1p(exp(-abs(x)));\n"),
    "gauss": _helper("gauss(x)", "  z = exp(-x .* x);\n"),
    "bent": _helper("bent(x)", "  z = (sqrt(x .* x + 1) - 1) / 2 + x;\n"),
}
RESERVED = """
break case catch classdef continue else elseif end for function global if otherwise parfor persistent return
spmd switch try while until do unwind_protect end_try_catch endif endfor endwhile endfunction i j e pi eps inf
nan NaN Inf ans X value sin cos exp log log1p sqrt abs tanh atan erf sign min max real isnan zeros size
predict
"""


class MatlabWriter(Writer):
    """Elementwise operators; the spaces keep `2 .* x` from being read as `2. * x`."""

    templates = (
        calls(**{n: n for n in ("sin", "cos", "exp", "abs", "tanh", "atan", "erf", "sign")})
        | calls(**{name: f"mg_{name}" for name in HELPERS if " " not in name})
        | {
            "inv": Template("1 ./ {0:factor}", PRODUCT),
            "logistic": Template("1 ./ (1 + exp({0}))", PRODUCT),
        }
    )
    times = " .* "
    over = " ./ "
    deepest = 20
    integer_power = Template("{0:atom} .^ {1}", FACTOR)
    real_power = Template("mg_pow({0}, {1})")

    def number(self, value: float) -> str:
        return plain_number(value)


def write(
    expression: Expression, names: Sequence[str], target: str = "y", name: str = "predict_formula"
) -> str:
    """Source of a function file; save it as `<name>.m`."""
    text = source(MatlabWriter, expression, names, target, name, mark="%", reserved=RESERVED, helpers=HELPERS)
    columns = "".join(f"  {text.legal[i]} = X(:, {i + 1});\n" for i in text.used)
    return (
        f"function value = {text.function}(X)\n{text.comment}{columns}"
        f"{text.statements('  {name} = {value};')}"
        f"  value = {text.body} + zeros(size(X, 1), 1);\nend\n{text.helpers}"
    )
