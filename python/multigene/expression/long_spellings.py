"""Spellings of operators that are too long for a row of `operators.py`: erf where a language lacks it, guards, graphs.

Every function of x for which a language has no function of its own is put together here from what it has, right to the last
digits; `tests/export` runs them all.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# --- erf: a power series below 3, a continued fraction above ---------------------------------------

ERF_JAVASCRIPT = """function mg_erf(x) {
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
"""
ERF_JULIA = """function mg_erf(x)
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
"""
ERF_RUST = """fn mg_erf(x: f64) -> f64 {
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
"""
#: erf as a sum of sines, right to 1e-15 for arguments between -6 and 6 and to the last digits near zero: the trapezoidal rule of
#: this step on the Fourier integral of erf, whose error is about erfc(pi/step - 6).
ERF_STEP, ERF_TERMS = 0.26, 24


def erf_series(argument: str, number: str = "{}") -> str:
    """erf for SQL; `number` says how a constant is written."""
    parts = [number.format(repr(2 / math.pi * ERF_STEP)) + f"*{argument}"]
    for n in range(1, ERF_TERMS + 1):
        weight = number.format(repr(2 / math.pi * math.exp(-((n * ERF_STEP) ** 2)) / n))
        parts.append(f"{weight}*sin({number.format(repr(2 * n * ERF_STEP))}*{argument})")
    return " + ".join(parts)


# --- PyTorch: a division that has a gradient at zero -------------------------------------------------

SINC_PYTORCH = """

def mg_sinc(x):
    nonzero = torch.where(x == 0, torch.ones_like(x), x)
    return torch.where(x == 0, torch.ones_like(x), torch.sin(nonzero) / nonzero)
"""

# --- PostgreSQL: guards, since it raises an error where others give NaN or an infinity ---------------
# They use GREATEST alone, because PostgreSQL takes NaN for the greatest number.

# The least negative number: GREATEST with it tells "below zero" from "zero or more".
BELOW = "'-4.94065645841247e-324'::float8"
NAN = "'NaN'::float8"
#: The square of a tinier number would be an underflow error.
SQUARE_POSTGRESQL = "power(GREATEST(abs({0}), 1e-150), 2)"


def not_zero(argument: str) -> str:
    """The argument, NaN for zero."""
    return f"COALESCE(NULLIF({argument}, 0), {NAN})"


def not_negative(argument: str) -> str:
    """The argument, NaN below zero."""
    return f"COALESCE(NULLIF(GREATEST({argument}, {BELOW}), {BELOW}), {NAN})"


def above(argument: str, bound: float) -> str:
    """The argument, or minus infinity where it is not above the bound; NaN stays NaN."""
    return f"COALESCE(NULLIF(GREATEST({argument}, {bound}), {bound}), '-Infinity'::float8)"


def exp_postgresql(argument: str) -> str:
    """exp of an infinity is no error, exp beyond the range of numbers is."""
    return f"exp({above('-' + above('-' + argument, -709.78), -745.13)})"


# --- ONNX: what its runtime does not compute in double precision -------------------------------------
# `graph` is that of `export/onnx.py`; every call returns the name of a tensor.


def atan_onnx(graph: Any, x: str) -> str:
    """Newton's method on tan for arguments up to 1; larger ones by atan(x) = pi/2 - atan(1/x)."""
    size = graph.apply("Abs", x)
    small = graph.apply("Min", size, graph.apply("Reciprocal", size))
    bend = graph.apply("Mul", graph.constant(0.28), graph.apply("Mul", small, small))
    angle = graph.apply("Div", small, graph.apply("Add", graph.constant(1.0), bend))
    for _ in range(4):
        sine, cosine = graph.apply("Sin", angle), graph.apply("Cos", angle)
        miss = graph.apply("Sub", graph.apply("Mul", small, cosine), sine)
        angle = graph.apply("Add", angle, graph.apply("Mul", cosine, miss))
    rest = graph.apply("Sub", graph.constant(math.pi / 2), angle)
    large = graph.apply("Greater", size, graph.constant(1.0))
    return str(graph.apply("Mul", graph.apply("Sign", x), graph.apply("Where", large, rest, angle)))


def erf_onnx(graph: Any, x: str) -> str:
    """The sum of sines of `erf_series`, as one product of matrices."""
    terms = np.arange(1, ERF_TERMS + 1)
    weights = 2 / math.pi * np.exp(-((terms * ERF_STEP) ** 2)) / terms
    near = graph.apply("Clip", x, graph.constant(-6.0), graph.constant(6.0))
    column = graph.apply("Unsqueeze", near, graph.constant([-1], np.int64))
    waves = graph.apply("Sin", graph.apply("Mul", column, graph.constant(2 * ERF_STEP * terms)))
    line = graph.apply("Mul", near, graph.constant(2 / math.pi * ERF_STEP))
    return str(graph.apply("Add", line, graph.apply("MatMul", waves, graph.constant(weights))))


def softplus_onnx(graph: Any, x: str) -> str:
    """max(x, 0) + log1p(e) with e = exp(-|x|); log1p(e) = e*log(1 + e)/((1 + e) - 1) keeps its digits."""
    one, zero = graph.constant(1.0), graph.constant(0.0)
    small = graph.apply("Exp", graph.apply("Neg", graph.apply("Abs", x)))
    more = graph.apply("Add", one, small)
    excess = graph.apply("Sub", more, one)
    lost = graph.apply("Equal", excess, zero)
    ratio = graph.apply("Div", graph.apply("Log", more), graph.apply("Where", lost, one, excess))
    ratio = graph.apply("Where", lost, one, ratio)
    return str(graph.apply("Add", graph.apply("Max", x, zero), graph.apply("Mul", small, ratio)))


def sinc_onnx(graph: Any, x: str) -> str:
    """sin(x)/x, and 1 at zero."""
    one = graph.constant(1.0)
    zero = graph.apply("Equal", x, graph.constant(0.0))
    ratio = graph.apply("Div", graph.apply("Sin", x), graph.apply("Where", zero, one, x))
    return str(graph.apply("Where", zero, one, ratio))
