"""Rust: one function of `f64`, from the standard library alone."""

from __future__ import annotations

from collections.abc import Sequence

from multigene.export.source import source
from multigene.export.writer import PRODUCT, Piece, Template, Writer, calls
from multigene.expression.tree import Expression

HELPERS = {
    "min": "fn mg_min(a: f64, b: f64) -> f64 { if a < b || a.is_nan() { a } else { b } }\n",
    "max": "fn mg_max(a: f64, b: f64) -> f64 { if a > b || a.is_nan() { a } else { b } }\n",
    "aq": "fn mg_aq(x: f64, y: f64) -> f64 { x / (1.0 + y * y).sqrt() }\n",
    "sign": "fn mg_sign(x: f64) -> f64 { if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x } }\n",
    "erf": """fn mg_erf(x: f64) -> f64 {
    let a = x.abs();
    let root = std::f64::consts::PI.sqrt();
    if a < 3.0 {
        let (mut term, mut sum) = (x, x);
        for k in 1..80 {
            term *= 2.0 * x * x / (2.0 * k as f64 + 1.0);
            sum += term;
        }
        return 2.0 / root * (-x * x).exp() * sum;
    }
    let fraction = (1..=60).rev().fold(a, |fraction, k| a + k as f64 / 2.0 / fraction);
    if a > 6.0 { x.signum() } else { x.signum() * (1.0 - (-x * x).exp() / (fraction * root)) }
}
""",
    "sinc": "fn mg_sinc(x: f64) -> f64 { if x == 0.0 { 1.0 } else { x.sin() / x } }\n",
    "softplus": "fn mg_softplus(x: f64) -> f64 { x.max(0.0) + (-x.abs()).exp().ln_1p() }\n",
    "gauss": "fn mg_gauss(x: f64) -> f64 { (-x * x).exp() }\n",
    "bent": "fn mg_bent(x: f64) -> f64 { ((x * x + 1.0).sqrt() - 1.0) / 2.0 + x }\n",
}
RESERVED = """
abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen
if impl in let loop macro match mod move mut override priv pub ref return self Self static struct super trait
true try type typeof union unsafe unsized use virtual where while yield f64 std core i32 bool main Some None
Ok Err
"""


class RustWriter(Writer):
    """Methods of `f64`, called as functions so that a minus needs no thought."""

    templates = (
        calls(**{n: f"f64::{n}" for n in ("sin", "cos", "exp", "sqrt", "abs", "tanh", "atan")})
        | calls(**{name: f"mg_{name}" for name in HELPERS})
        | calls(log="f64::ln")
        | {
            "inv": Template("1.0/{0:factor}", PRODUCT),
            "logistic": Template("1.0/(1.0 + f64::exp({0}))", PRODUCT),
        }
    )

    deepest = 20

    def power(self, base: Piece, exponent: float) -> Piece:
        if exponent.is_integer() and abs(exponent) <= 64:
            return self.atom(f"f64::powi({base}, {int(exponent)})")
        return self.atom(f"f64::powf({base}, {exponent!r})")


def write(expression: Expression, names: Sequence[str], target: str = "y", name: str = "predict") -> str:
    """Source of a Rust function whose parameters are the columns used."""
    text = source(RustWriter, expression, names, target, name, mark="//", reserved=RESERVED, helpers=HELPERS)
    return (
        f"{text.helpers}\n{text.comment}#[allow(non_snake_case, clippy::all)]\n"
        f"pub fn {text.function}({text.parameters('{}: f64')}) -> f64 {{\n"
        f"{text.statements('    let {name}: f64 = {value};')}    {text.body}\n}}\n"
    ).lstrip("\n")
