"""Rust: one function of `f64`, from the standard library alone."""

from __future__ import annotations

from collections.abc import Sequence

from multigene.export.derived import Derived, chain
from multigene.export.source import SourceWriter, source
from multigene.export.writer import Piece
from multigene.expression.tree import Expression

RESERVED = """
abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen
if impl in let loop macro match mod move mut override priv pub ref return self Self static struct super trait
true try type typeof union unsafe unsized use virtual where while yield f64 std core i32 bool main Some None
Ok Err
"""


DERIVED = Derived(
    equal="{0} == Some({1})",
    gap={"number": "f64::is_nan({0})", "date": "f64::is_nan({0})", "text": "{0}.is_none()"},
    choices=chain("(", "if {0} {{ {1} }} else ", "{{ {0} }})"),
    days="({0}/86400.0)",
    wave="f64::{0}({1})",
    parameter={"number": "{}: f64", "date": "{}: f64", "text": "{}: Option<&str>"},
    helpers="// A number is NaN where it is missing; dates are seconds since 1970 (UTC).\n",
)


class RustWriter(SourceWriter):
    """Methods of `f64`, called as functions so that a minus needs no thought."""

    languages = ("rust",)
    derived = DERIVED
    prefix = "f64::"
    mark = "//"
    reserved = RESERVED
    helper = "fn {name}({parameters}) -> f64 {{ {body} }}\n"
    parameter = "{}: f64"

    def power(self, base: Piece, exponent: float) -> Piece:
        if exponent.is_integer() and abs(exponent) <= 64:
            return self.atom(f"f64::powi({base}, {int(exponent)})")
        return self.atom(f"f64::powf({base}, {exponent!r})")


def write(expression: Expression, names: Sequence[str], target: str = "y", name: str = "predict") -> str:
    """Source of a Rust function whose parameters are the columns used."""
    text = source(RustWriter, expression, names, target, name)
    return (
        f"{text.helpers}\n{text.comment}#[allow(non_snake_case, unused_parens, clippy::all)]\n"
        f"pub fn {text.function}({text.parameters()}) -> f64 {{\n"
        f"{text.statements('    let {name}: f64 = {value};')}    {text.body}\n}}\n"
    ).lstrip("\n")
