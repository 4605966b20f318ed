"""The formula as a page shows it: with as many digits as it needs to be the model, its directions named, its functions called.

Pages show what `written` gives and nothing else of a formula. Numbers are rounded only as far as nobody could tell from the
predictions; linear combinations of a long formula are listed once (`directions.py`); logistic, softplus and sin x/x are written
as functions, whose definitions stand below.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from multigene.data.training_rows import TrainingRows
from multigene.explain.terms import split
from multigene.export.mathml import APPLY, MathmlWriter, symbol, upright
from multigene.export.names import distinct
from multigene.export.writer import Piece, readable_number
from multigene.expression.build import join_term
from multigene.expression.constants import ROUNDING, WHOLE
from multigene.expression.directions import Named, named
from multigene.expression.numbers import round_numbers
from multigene.expression.readable import plain, readable
from multigene.expression.tree import Expression, Operation, evaluate, substitute, variables
from multigene.formula import Formula
from multigene.report.constants import (
    ALL_DIGITS,
    DIGITS,
    LONG_NAME,
    LOOKED_AT,
    UNNOTICED,
    VERY_LONG_NAME,
)
from multigene.report.numbers import SUPERSCRIPTS
from multigene.report.statistics import Floats, Rows, thinned

#: Operators written as functions, and what they mean; the argument is t.
FUNCTIONS = {
    "logistic": (
        "σ",
        "<mfrac><mn>1</mn><mrow><mn>1</mn><mo>+</mo>"
        "<msup><mi>e</mi><mrow><mo>&#x2212;</mo><mi>t</mi></mrow></msup></mrow></mfrac>",
    ),
    "softplus": (
        "softplus",
        f"<mi>log</mi>{APPLY}<mrow><mo>(</mo><mn>1</mn><mo>+</mo><msup><mi>e</mi><mi>t</mi></msup><mo>)</mo></mrow>",
    ),
    "sinc": (
        "sinc",
        f"<mfrac><mrow><mi>sin</mi>{APPLY}<mrow><mo>(</mo><mi>t</mi><mo>)</mo></mrow></mrow><mi>t</mi></mfrac>",
    ),
}


class PageWriter(MathmlWriter):
    """MathML with logistic, softplus and sin x/x as functions."""

    def _piece(self, node: Expression, parts: tuple[Piece, ...]) -> Piece:
        name = node.name if isinstance(node, Operation) else ""
        if name not in FUNCTIONS:
            return super()._piece(node, parts)
        self.used.add(name)
        # The engine's logistic falls: 1/(1 + exp(x)) is σ(-x).
        inside = (parts[0].opposite or self._negative(parts[0])) if name == "logistic" else parts[0]
        return self.atom(self.call(FUNCTIONS[name][0], 1).text.format(inside))


@dataclass(frozen=True)
class Shown:
    """A formula for a page, as plain values."""

    named: Named
    mathml: str
    """The equation of columns and directions."""
    terms: list[tuple[Expression, str]]
    """Terms of the sum that the formula is, the number left out: expression of columns and directions, MathML."""
    symbols: list[tuple[str, str]]
    """Symbols that stand for columns of long names, as MathML, and the names; empty where names stand for themselves."""
    functions: list[str]
    """Definitions of functions that it uses, as MathML."""
    directions: list[dict[str, Any]]
    """Name, additive number, and weights by column, as texts that read back as the model's numbers."""
    digits: int
    """Significant digits of its numbers, of those that have more than seven."""


def rounded(formula: Formula, digits: int) -> Formula:
    """The formula with the numbers that a page shows."""
    shown = round_numbers(formula.expression, digits, named=True, whole=WHOLE)
    return Formula(plain(shown), formula.feature_names, formula.target_name)


def surviving_digits(formula: Formula, X: Floats, error: float) -> int:
    """The fewest digits that leave the predictions for `X` as they are but for `error`, as a root mean square."""
    exact = evaluate(formula.expression, X)
    if not np.isfinite(exact).all():
        return ALL_DIGITS

    def survives(digits: int) -> bool:
        with np.errstate(all="ignore"):
            change = evaluate(rounded(formula, digits).expression, X) - exact
            return bool(np.sqrt(np.mean(change**2)) <= error)

    return next((digits for digits in DIGITS if survives(digits)), ALL_DIGITS)


def allowed_error(exact: Floats, y: Floats | None) -> float:
    """What rounding of the formula's numbers may change in its predictions, as a root mean square."""
    with np.errstate(all="ignore"):
        spread = float(np.std(exact if y is None else y)) or float(np.abs(exact).max())
        error = 1e-6 * spread if y is None else UNNOTICED * float(np.sqrt(np.mean((y - exact) ** 2)))
    return max(error, ROUNDING * spread) if np.isfinite(error) and np.isfinite(spread) else 0.0


def digits_of(formula: Formula, rows: Rows | None, ranges: Floats | None) -> int:
    """Digits for a page, from rows, or from points between the `ranges` (low and high by column) where there are none."""
    if rows is not None:
        sample: TrainingRows = thinned(rows, LOOKED_AT)
        return surviving_digits(
            formula, sample.X, allowed_error(evaluate(formula.expression, sample.X), sample.y)
        )
    if ranges is None:
        return ALL_DIGITS
    low, high = ranges
    X = np.random.default_rng(0).uniform(low, high, size=(LOOKED_AT, len(low)))
    return surviving_digits(formula, X, allowed_error(evaluate(formula.expression, X), None))


def written(formula: Formula, digits: int) -> Shown:
    """The formula as a page shows it."""
    columns = list(formula.feature_names)
    made = named(rounded(formula, digits).expression, len(columns), formula.size)
    short = abbreviated(columns, made)
    texts = distinct(columns, symbol, upright)
    texts = [symbol(short[j]) if j in short else text for j, text in enumerate(texts)]
    writer = PageWriter([*texts, *(symbol(name) for name in made.names)])
    body = writer.write(_readable(made.expression))
    _, terms = split(made.expression)
    shown = [join_term(coefficient, term) for coefficient, term in terms]
    return Shown(
        named=made,
        mathml=_math(f"{symbol(formula.target_name)}<mo>=</mo>{body}", "block"),
        terms=[(term, _math(writer.write(_readable(term)))) for term in shown],
        symbols=[(_math(symbol(sign)), columns[j]) for j, sign in short.items()],
        functions=[
            _math(f"<mi>{name}</mi>{APPLY}<mrow><mo>(</mo><mi>t</mi><mo>)</mo></mrow><mo>=</mo>{meaning}")
            for operator, (name, meaning) in FUNCTIONS.items()
            if operator in writer.used
        ],
        directions=[
            {
                "name": name,
                "bias": number_text(direction.bias),
                "weights": [[j, number_text(w)] for j, w in direction.weights],
            }
            for name, direction in zip(made.names, made.directions, strict=True)
        ],
        digits=digits,
    )


def shown_terms(formula: Formula) -> list[Expression]:
    """The terms that a page lists, without their coefficients, in terms of columns alone and with every digit."""
    made = named(plain(formula.expression), len(formula.feature_names), formula.size)
    directions = {made.columns + k: each.expression for k, each in enumerate(made.directions)}
    return [substitute(term, directions) for _, term in split(made.expression)[1]]


def abbreviated(columns: list[str], made: Named) -> dict[int, str]:
    """Symbols x1, x2, … for the columns that a formula names and whose names are too long for it."""
    if any(re.fullmatch(r"[ux]_?\d+", name) for name in columns):
        return {}
    most = LONG_NAME if made.directions else VERY_LONG_NAME
    used = [j for j in variables(made.expression) if j < len(columns)]
    return {j: f"x{j + 1}" for j in used if len(columns[j]) > most}


def number_text(value: float) -> str:
    """A number as it stands in a formula, with a true minus sign."""
    text = readable_number(abs(value))
    mantissa, _, exponent = text.partition("e")
    if exponent:
        text = f"{mantissa}·10{exponent.translate(SUPERSCRIPTS)}"
    return f"−{text}" if value < 0 else text


def _readable(expression: Expression) -> Expression:
    return readable(plain(expression), by_name=FUNCTIONS)


def _math(inside: str, display: str = "") -> str:
    how = ' display="block"' if display else ' displaystyle="true"'
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML"{how}><mrow>{inside}</mrow></math>'
