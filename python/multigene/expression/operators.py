"""The operators: one row each. Evaluation, derivatives, printing, SymPy and every export follow from the row.

A row says: name, number of arguments, value and slope (NumPy; the slope is given the arguments and the value, as in the engine's
table), the sign it is written with if it has one, and where they hold

- `definition`: the operator in terms of others. People read it instead of the name, and a language without a spelling writes it.
- `by_name`: languages that call it by its own name, each in its way (`np.sin`, `Math.sin`, `f64::sin`, `SIN`, …).
- `written`: how languages write it that do so in another way: the name of another function, a `Template`, or a `Helper`.
- `symmetry` ("odd", "even") and `not_negative`: what `rewriting/always.py` may use.

To add an operator: see ARCHITECTURE.md, *Where to add*. `test_operators.py` takes every
row through the engine's value, finite differences, the text and back, and every export, and names what a row lacks. Where an
operator has more to offer: rules of its own in `rewriting/`, shorter stand-ins in `explain/prune.py`, what it asks of units in
`laws/variables/units.py`, its place in the sets of functions of `settings/`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy  # its parts are imported when they are first used

from multigene.expression import long_spellings as long
from multigene.expression.notation import FACTOR, PRODUCT, SUM, Helper, Spelling, Template

Array = npt.NDArray[np.float64]

#: Formats that people read; in them operators stand as defined, and by name only where a definition would be too long.
PEOPLE = ("text", "latex", "mathml")
#: Every export, by the name of its module.
LANGUAGES = (
    *PEOPLE, "sympy", "python", "c", "javascript", "rust", "julia", "r", "matlab",
    "postgresql", "sqlite", "excel", "onnx", "pytorch",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """One row of the table."""

    arity: int
    value: Callable[..., Array]
    slope: Callable[..., Any]
    """Derivative by the argument, or by both as a tuple, from the arguments and the value."""
    sign: str = ""
    many: bool = False
    """Whether more than two arguments are welcome."""
    definition: str = ""
    by_name: tuple[str, ...] = ()
    written: Mapping[str, Spelling] = field(default_factory=dict)
    symmetry: str = ""
    not_negative: bool = False


def _sinc(x: Array) -> Array:
    return np.where(x == 0, 1.0, np.sin(x) / np.where(x == 0, 1.0, x))


def _sinc_slope(x: Array, v: Array) -> Array:
    near = np.abs(x) < 1e-4  # where (cos x - sin x / x) / x would be 0/0
    return np.where(near, -x / 3.0, (np.cos(x) - v) / np.where(near, 1.0, x))


OPERATORS: Mapping[str, Operator] = {
    "add": Operator(arity=2, value=np.add, slope=lambda a, b, v: (1.0, 1.0), sign="+", many=True),
    "sub": Operator(arity=2, value=np.subtract, slope=lambda a, b, v: (1.0, -1.0), sign="-"),
    "mul": Operator(arity=2, value=np.multiply, slope=lambda a, b, v: (b, a), sign="*", many=True),
    "div": Operator(
        arity=2,
        value=np.divide,
        slope=lambda a, b, v: (1.0 / b, -a / (b * b)),
        sign="/",
        written={
            "latex": Template(r"\frac{{{0}}}{{{1}}}", PRODUCT),
            "mathml": Template("<mfrac><mrow>{0}</mrow><mrow>{1}</mrow></mfrac>", PRODUCT),
            "postgresql": Template("{0:product}/" + long.not_zero("{1}"), PRODUCT),
        },
    ),
    "aq": Operator(
        arity=2,
        value=lambda x, y: x / np.sqrt(1.0 + y * y),
        slope=lambda x, y, v: ((1.0 + y * y) ** -0.5, -x * y * (1.0 + y * y) ** -1.5),
        definition="x/sqrt(1 + y**2)",
        written={
            "postgresql": Template(
                "{0:product}/sqrt(1 + " + long.SQUARE_POSTGRESQL.replace("{0}", "{1}") + ")", PRODUCT
            )
        },
    ),
    "min": Operator(
        arity=2,
        value=np.minimum,
        # Where the arguments are equal the slope of both lies anywhere between; the second is taken, as in the engine.
        slope=lambda a, b, v: (np.where(a < b, 1.0, 0.0), np.where(a < b, 0.0, 1.0)),
        by_name=LANGUAGES,
        written={
            "sympy": "Min",
            "python": "np.minimum",
            "pytorch": "torch.minimum",
            "r": "pmin",
            "c": Helper("x < y || x != x ? x : y"),
            "rust": Helper("if x < y || x.is_nan() { x } else { y }"),
            "matlab": Helper("z = min(x, y); z(isnan(x) | isnan(y)) = NaN;"),
            "postgresql": Template("(-GREATEST(-{0:factor}, -{1:factor}))"),
        },
    ),
    "max": Operator(
        arity=2,
        value=np.maximum,
        slope=lambda a, b, v: (np.where(a > b, 1.0, 0.0), np.where(a > b, 0.0, 1.0)),
        by_name=LANGUAGES,
        written={
            "sympy": "Max",
            "python": "np.maximum",
            "pytorch": "torch.maximum",
            "r": "pmax",
            "c": Helper("x > y || x != x ? x : y"),
            "rust": Helper("if x > y || x.is_nan() { x } else { y }"),
            "matlab": Helper("z = max(x, y); z(isnan(x) | isnan(y)) = NaN;"),
            "postgresql": "GREATEST",
        },
    ),
    "neg": Operator(arity=1, value=np.negative, slope=lambda x, v: -1.0, sign="-"),
    "sin": Operator(
        arity=1,
        value=np.sin,
        slope=lambda x, v: np.cos(x),
        symmetry="odd",
        by_name=LANGUAGES,
        written={"julia": Helper("isfinite(x) ? sin(x) : NaN")},
    ),
    "cos": Operator(
        arity=1,
        value=np.cos,
        slope=lambda x, v: -np.sin(x),
        symmetry="even",
        by_name=LANGUAGES,
        written={"julia": Helper("isfinite(x) ? cos(x) : NaN")},
    ),
    "exp": Operator(
        arity=1,
        value=np.exp,
        slope=lambda x, v: v,
        not_negative=True,
        by_name=LANGUAGES,
        written={
            "latex": Template(r"e^{{{0}}}", FACTOR),
            "mathml": Template("<msup><mi>e</mi><mrow>{0}</mrow></msup>", FACTOR),
            "postgresql": Template(long.exp_postgresql("{0:factor}")),
        },
    ),
    "log": Operator(
        arity=1,
        value=np.log,
        slope=lambda x, v: 1.0 / x,
        by_name=LANGUAGES,
        written={
            "rust": "f64::ln",
            "sqlite": "ln",
            "excel": "LN",
            "julia": Helper("x < 0 ? NaN : log(x)"),
            "matlab": Helper("z = real(log(x)); z(x < 0) = NaN;"),
            "postgresql": Template(f"ln({long.not_zero('GREATEST({0}, 0)')})"),
        },
    ),
    "sqrt": Operator(
        arity=1,
        value=np.sqrt,
        slope=lambda x, v: 0.5 / v,
        not_negative=True,
        by_name=LANGUAGES,
        written={
            "latex": Template(r"\sqrt{{{0}}}"),
            "mathml": Template("<msqrt><mrow>{0}</mrow></msqrt>"),
            "julia": Helper("x < 0 ? NaN : sqrt(x)"),
            "matlab": Helper("z = real(sqrt(x)); z(x < 0) = NaN;"),
            "postgresql": Template(f"sqrt({long.not_negative('{0}')})"),
        },
    ),
    "abs": Operator(
        arity=1,
        value=np.abs,
        slope=lambda x, v: np.sign(x),
        symmetry="even",
        not_negative=True,
        by_name=LANGUAGES,
        written={
            "latex": Template(r"\left|{0}\right|"),
            "mathml": Template("<mrow><mo>|</mo>{0}<mo>|</mo></mrow>"),
            "sympy": "Abs",
            "c": "fabs",
        },
    ),
    "tanh": Operator(
        arity=1, value=np.tanh, slope=lambda x, v: 1.0 - v * v, symmetry="odd", by_name=LANGUAGES
    ),
    "atan": Operator(
        arity=1,
        value=np.arctan,
        slope=lambda x, v: 1.0 / (1.0 + x * x),
        symmetry="odd",
        by_name=LANGUAGES,
        written={"latex": r"\arctan", "mathml": "arctan", "python": "np.arctan", "onnx": long.atan_onnx},
    ),
    "erf": Operator(
        arity=1,
        value=lambda x: np.asarray(scipy.special.erf(x)),
        slope=lambda x, v: 2.0 / np.sqrt(np.pi) * np.exp(-x * x),
        symmetry="odd",
        by_name=(*PEOPLE, "sympy", "c", "matlab", "pytorch", "excel", "postgresql 16"),
        written={
            "python": Helper("np.vectorize(math.erf, otypes=[float])(x)"),
            "javascript": Helper(long.ERF_JAVASCRIPT),
            "julia": Helper(long.ERF_JULIA),
            "rust": Helper(long.ERF_RUST),
            # The gamma distribution keeps the digits near zero that pnorm would lose.
            "r": Helper("sign(x) * pgamma(x * x, 0.5)"),
            "sqlite": Template(
                "CASE WHEN {0} > 6.0 THEN 1.0 WHEN {0} < -6.0 THEN -1.0 ELSE "
                + long.erf_series("{0}")
                + " END"
            ),
            "postgresql": Template(
                "CASE WHEN {0} = 'NaN' THEN {0} WHEN {0} > 6 THEN 1 WHEN {0} < -6 THEN -1 ELSE "
                + long.erf_series("{0}", "{}::float8")
                + " END"
            ),
            "onnx": long.erf_onnx,
        },
    ),
    "sign": Operator(
        arity=1,
        value=np.sign,
        slope=lambda x, v: 0.0,
        symmetry="odd",
        by_name=LANGUAGES,
        written={
            "c": Helper("x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x"),
            "rust": Helper("if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x }"),
            "pytorch": Helper("torch.where(torch.isnan(x), x, torch.sign(x))"),
            "postgresql": Template("CASE WHEN {0} = 'NaN' THEN {0} ELSE sign({0}) END"),
        },
    ),
    "inv": Operator(arity=1, value=lambda x: 1.0 / x, slope=lambda x, v: -v * v, definition="1/x"),
    "logistic": Operator(
        arity=1,
        value=lambda x: scipy.special.expit(-x),
        slope=lambda x, v: -v * (1.0 - v),
        not_negative=True,
        definition="1/(1 + exp(x))",
        written={
            "excel": Template("1/(1+EXP(MIN({0:sum}+0,700)))", PRODUCT),
            "postgresql": Template(f"1/(1 + {long.exp_postgresql('{0:factor}')})", PRODUCT),
            "pytorch": Template("torch.sigmoid(-{0:factor})"),
        },
    ),
    "sinc": Operator(
        arity=1,
        value=_sinc,
        slope=_sinc_slope,
        symmetry="even",
        definition="sin(x)/x",
        by_name=(*PEOPLE, "sympy"),
        written={
            "python": Helper("np.where(x == 0, 1.0, np.sin(x) / np.where(x == 0, 1.0, x))"),
            "c": Helper("x == 0.0 ? 1.0 : sin(x) / x"),
            "javascript": Helper("x === 0 ? 1 : Math.sin(x) / x"),
            "rust": Helper("if x == 0.0 { 1.0 } else { x.sin() / x }"),
            "julia": Helper("x == 0 ? 1.0 : isfinite(x) ? sin(x) / x : NaN"),
            "r": Helper("ifelse(x == 0, 1, sin(x) / x)"),
            "matlab": Helper("z = sin(x) ./ x; z(x == 0) = 1;"),
            "pytorch": Helper(long.SINC_PYTORCH),
            "sqlite": Template("CASE WHEN {0} = 0.0 THEN 1.0 ELSE sin({0})/{0} END"),
            "postgresql": Template("CASE WHEN {0} = 0 THEN 1 ELSE sin({0})/{0} END"),
            "excel": Template("IF({0:sum}=0,1,SIN({0})/{0:factor})"),
            "onnx": long.sinc_onnx,
        },
    ),
    # Beyond the reach of its definition, which overflows, everywhere max(x, 0) + log(1 + exp(-|x|)).
    "softplus": Operator(
        arity=1,
        value=lambda x: np.logaddexp(0.0, x),
        slope=lambda x, v: scipy.special.expit(x),
        not_negative=True,
        definition="log(1 + exp(x))",
        written={
            "python": Template("np.logaddexp(0.0, {0})"),
            "c": Helper("fmax(x, 0.0) + log1p(exp(-fabs(x)))"),
            "javascript": Helper("Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)))"),
            "rust": Helper("x.max(0.0) + (-x.abs()).exp().ln_1p()"),
            "julia": Helper("max(x, 0.0) + log1p(exp(-abs(x)))"),
            "r": Helper("pmax(x, 0) + log1p(exp(-abs(x)))"),
            "matlab": Helper("z = max(x, 0) + log1p(exp(-abs(x)));"),
            "pytorch": Helper("torch.clamp(x, min=0) + torch.log1p(torch.exp(-torch.abs(x)))"),
            "sqlite": Template("max({0}, 0.0) + 2.0*atanh(1.0/(1.0 + 2.0*exp(abs({0}))))", SUM),
            "postgresql": Template(
                "GREATEST({0}, 0) + 2*atanh(1/(1 + 2*exp(-GREATEST(-abs({0}), -700))))", SUM
            ),
            "excel": Template("MAX({0:sum}+0,0)+2*ATANH(1/(1+2*EXP(MIN(ABS({0}),700))))", SUM),
            "onnx": long.softplus_onnx,
        },
    ),
    "gauss": Operator(
        arity=1,
        value=lambda x: np.exp(-x * x),
        slope=lambda x, v: -2.0 * x * v,
        symmetry="even",
        not_negative=True,
        definition="exp(-x**2)",
        written={"postgresql": Template(f"exp({long.above('-' + long.SQUARE_POSTGRESQL, -745.13)})")},
    ),
    "bent": Operator(
        arity=1,
        value=lambda x: (np.sqrt(x * x + 1.0) - 1.0) / 2.0 + x,
        slope=lambda x, v: 0.5 * x / np.sqrt(x * x + 1.0) + 1.0,
        definition="(sqrt(x**2 + 1) - 1)/2 + x",
        by_name=PEOPLE,
        written={"postgresql": Template("(sqrt(" + long.SQUARE_POSTGRESQL + " + 1) - 1)/2 + {0}", SUM)},
    ),
}


def named_power(name: str) -> int | None:
    """The exponent of a power that is an operator by name: 2 of `pow2`; None for other names."""
    found = re.fullmatch(r"pow(-?\d+)", name)
    return int(found[1]) if found else None
