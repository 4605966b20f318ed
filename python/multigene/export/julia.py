"""Julia: one function of numbers, from Base alone; over columns with a dot: `predict.(a, b)`."""

from __future__ import annotations

from collections.abc import Sequence

from multigene.export.derived import Derived, backslashed, chain
from multigene.export.source import SourceWriter, source
from multigene.expression.notation import FACTOR, Template
from multigene.expression.tree import Expression

RESERVED = """
abstract baremodule begin break catch const continue do else elseif end export false finally for function
global if import in isa let local macro module mutable outer primitive public quote return struct true try
type using var where while pi im NaN Inf sin cos exp log log1p sqrt abs tanh atan sign min max float isfinite
sum total
"""


DERIVED = Derived(
    equal="isequal({0}, {1})",
    gap={"number": "(ismissing({0}) || isnan({0}))", "text": "ismissing({0})", "date": "ismissing({0})"},
    choices=chain("(", "{0} ? {1} : ", "{0})"),
    days="mg_days({0})",
    quote=lambda level: backslashed(level).replace("$", "\\$"),
    read={"number": "    {name} = float({name})"},
    helpers="import Dates\nmg_days(x) = Dates.datetime2unix(Dates.DateTime(x))/86400\n",
)


class JuliaWriter(SourceWriter):
    """Functions of Base; it raises a DomainError where other languages give NaN, hence helpers for log, powers and others."""

    languages = ("julia",)
    derived = DERIVED
    reserved = RESERVED
    helper = "{name}({parameters}) = {body}\n"
    integer_power = Template("{0:atom}^{1}", FACTOR)
    real_power = Template("mg_pow({0}, {1})")
    power_helper = "mg_pow(x, w) = x < 0 ? NaN : x^w\n"


def write(expression: Expression, names: Sequence[str], target: str = "y", name: str = "predict") -> str:
    """Source of a Julia function whose parameters are the columns used."""
    text = source(JuliaWriter, expression, names, target, name)
    return (
        f"{text.helpers}\n{text.comment}function {text.function}({text.parameters()})\n"
        f"{text.columns('    {name} = float({name})')}"
        f"{text.statements('    {name} = {value}')}    return {text.body}\nend\n"
    ).lstrip("\n")
