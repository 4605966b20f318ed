"""MATLAB and Octave: a function file over a matrix with one column per column of the training data."""

from __future__ import annotations

from collections.abc import Sequence

from multigene.export.derived import Derived, doubled, joined, nested, tabled
from multigene.export.source import SourceWriter, source
from multigene.export.writer import plain_number
from multigene.expression.notation import FACTOR, Template
from multigene.expression.tree import Expression

RESERVED = """
break case catch classdef continue else elseif end for function global if otherwise parfor persistent return
spmd switch try while until do unwind_protect end_try_catch endif endfor endwhile endfunction i j e pi eps inf
nan NaN Inf ans X value sin cos exp log log1p sqrt abs tanh atan erf sign min max real isnan zeros size
predict
"""


READ = "  {name} = X.{name};"
DERIVED = Derived(
    equal="strcmp({0}, {1})",
    gap={"number": "isnan({0})", "date": "isnan({0})", "text": "cellfun(@isempty, {0})"},
    choices=nested("mg_if"),
    days="({0} - 719529)",
    either=joined(" | "),
    quote=doubled("'"),
    literal=plain_number,
    table=tabled("mg_of({0}, {{{1}}}, [{2}], {3})", ", "),
    read={"number": READ, "text": READ, "date": READ},
    helpers="\nfunction z = mg_if(c, a, b)\n  z = b + zeros(size(c)); a = a + zeros(size(c)); z(c) = a(c);\nend\n"
    "\nfunction z = mg_of(x, levels, numbers, other)\n"
    "  [known, place] = ismember(x, levels); z = other + zeros(size(known)); z(known) = numbers(place(known));\nend\n",
)


class MatlabWriter(SourceWriter):
    """Elementwise operators; the spaces keep `2 .* x` from being read as `2. * x`.

    MATLAB answers with complex numbers where other languages give NaN, and its min and max pass over NaN, hence helpers.
    """

    languages = ("matlab",)
    derived = DERIVED
    mark = "%"
    reserved = RESERVED
    helper = "\nfunction z = {name}({parameters})\n  {body}\nend\n"
    times = " .* "
    over = " ./ "
    integer_power = Template("{0:atom} .^ {1}", FACTOR)
    real_power = Template("mg_pow({0}, {1})")
    power_helper = "\nfunction z = mg_pow(x, w)\n  z = abs(x) .^ w; z(x < 0) = NaN;\nend\n"

    def number(self, value: float) -> str:
        return plain_number(value)


def write(
    expression: Expression, names: Sequence[str], target: str = "y", name: str = "predict_formula"
) -> str:
    """Source of a function file; save it as `<name>.m`. Raw columns are fields of `X` (cells of text, dates by `datenum`)."""
    text = source(MatlabWriter, expression, names, target, name)
    columns = "".join(f"  {each.legal} = X(:, {each.place + 1});\n" for each in text.inputs)
    if text.derived is not None:
        columns = text.columns("")
    return (
        f"function value = {text.function}(X)\n{text.comment}{columns}"
        f"{text.statements('  {name} = {value};')}"
        f"  value = {text.body} + zeros(size(X, 1), 1);\nend\n{text.helpers}"
    )
