"""The numbers of a formula and the simpler ones near them: all that is known about constants.

A formula's `numbers` are its constants and exponents, counted in postorder; its `parameters` are those of them that are printed
and fitted: all but whole exponents. Three words say what a number may be instead:

| word | means | used by |
|---|---|---|
| simple | a small fraction of 1, π, √2, √3 or √π: what laws are made of | `laws/`, `search/few_rows.py` |
| short | of few digits, or a fraction or multiple of π that is as short to write | `explain/rounding.py`, `explain/digits.py` |
| named | to the last bit a fraction without a short decimal, or a multiple of π: printed `2/3`, `pi/2` | `export/` |
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from multigene.expression.constants import ALMOST, CLOSE, FEW, LATELY, MOST, NOISE, UNITS, WHOLE
from multigene.expression.tree import Expression, Number, Operation, Power, evaluate, fold, postorder, rebuild

Floats = npt.NDArray[np.float64]

# --- reading and replacing ------------------------------------------------------------------------


def number_of(node: Expression, whole_exponents: bool) -> float | None:
    """A node's own number: the value of a constant, the exponent of a power; None where it has none."""
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Power) and (whole_exponents or not node.is_integer):
        return node.exponent
    return None


def numbers(expression: Expression, *, whole_exponents: bool = True) -> list[float]:
    """Constants and exponents of an expression, children before their parents."""
    own = (number_of(node, whole_exponents) for node in postorder(expression))
    return [value for value in own if value is not None]


def parameters(expression: Expression) -> list[float]:
    """The numbers that are printed and fitted: whole exponents are neither."""
    return numbers(expression, whole_exponents=False)


def exponent_places(expression: Expression) -> set[int]:
    """Which of the `numbers` are exponents."""
    kinds = [isinstance(n, Power) for n in postorder(expression) if number_of(n, True) is not None]
    return {place for place, exponent in enumerate(kinds) if exponent}


def with_number(
    expression: Expression, place: int, value: float, *, whole_exponents: bool = True
) -> Expression:
    """The expression with another value of one of its `numbers`, or without `whole_exponents` of its `parameters`."""
    count = -1

    def change(node: Expression, children: tuple[Expression, ...]) -> Expression:
        nonlocal count
        if number_of(node, whole_exponents) is not None:
            count += 1
            if count == place:
                return Number(value) if isinstance(node, Number) else Power(children[0], value)
        return rebuild(node, children)

    return fold(expression, change)


def map_numbers(
    expression: Expression, function: Callable[[float], float], exponents: bool = False
) -> Expression:
    """Apply a function to every constant; with `exponents`, also to exponents that are not whole."""

    def change(node: Expression, children: tuple[Expression, ...]) -> Expression:
        if isinstance(node, Number):
            return Number(function(node.value))
        if isinstance(node, Power) and exponents and not node.is_integer:
            return Power(children[0], function(node.exponent))
        return rebuild(node, children)

    return fold(expression, change)


def with_parameters(expression: Expression, values: Floats) -> Expression:
    """The expression with other values of its `parameters`."""
    left = iter(values.tolist())
    return map_numbers(expression, lambda _: next(left), exponents=True)


# --- digits ---------------------------------------------------------------------------------------


def to_digits(value: float, digits: int) -> float:
    """The nearest number with this many significant digits."""
    return float(f"{value:.{digits - 1}e}")


def round_numbers(
    expression: Expression, digits: int, named: bool = False, whole: int | None = None
) -> Expression:
    """Round every constant (and real exponent) to `digits` significant digits.

    With `named`, numbers that have a name (2/3, π/2) stay what they are; so do, with `whole`, those that have no more
    digits than that, but for what sums of short numbers leave in the last places, and unless they are a shorter number (1) but
    for a millionth.
    """
    if not isinstance(digits, int | np.integer) or not 1 <= digits <= 17:
        raise ValueError(f"digits={digits!r} is not a whole number between 1 and 17.")

    def shown(value: float) -> float:
        if named and recognised(value) is not None:
            return value
        if whole is not None and abs(value - to_digits(value, digits)) > ALMOST * abs(value):
            short = to_digits(value, whole)
            if abs(value - short) <= NOISE * abs(value):
                return short
        return to_digits(value, digits)

    return map_numbers(expression, shown, exponents=True)


def as_shown(expression: Expression) -> Expression:
    """The expression with the digits that formats for people show unless told."""
    return round_numbers(expression, FEW, named=True, whole=WHOLE)


# --- named numbers --------------------------------------------------------------------------------

#: Denominators with endless decimals, and those of multiples of π; the largest numerator of either.
NAMED = ((1.0, (3, 6, 7, 9, 12)), (math.pi, (1, 2, 3, 4, 6, 8)))


def recognised(value: float) -> tuple[int, int, bool] | None:
    """Numerator, denominator, and whether it is times π; None for what is best written as a decimal."""
    if not math.isfinite(value) or value == 0.0 or to_digits(value, 10) == value:
        return None
    for numerator, denominator, unit in _fractions(value):
        if numerator * unit / denominator == value:
            return numerator, denominator, unit != 1.0
    return None


def _fractions(value: float) -> Iterator[tuple[int, int, float]]:
    """Numerator, denominator and unit of the small fractions in lowest terms that are nearest to a value."""
    for unit, denominators in NAMED if abs(value) <= 2.0 * MOST * math.pi else ():
        for denominator in denominators:
            numerator = round(value / unit * denominator)
            lowest = math.gcd(numerator, denominator) == 1
            if lowest and 1 <= abs(numerator) <= MOST:
                yield numerator, denominator, unit


# --- short numbers --------------------------------------------------------------------------------


def short_numbers(value: float, most_digits: int = 15, *, named: bool = True) -> Iterator[float]:
    """Numbers near a value, shortest first: by the digits that they are written with, then by distance. Zero is not among them.

    With `named`, close fractions and multiples of π compete as well; without, only the nearest sixth does, after two digits.
    """
    if value == 0.0:
        return

    def rank(pair: tuple[float, float]) -> tuple[float, float]:
        return pair[0], abs(pair[1] - value)

    # One at a time: most callers take one of the first.
    rounded = ((float(digits), to_digits(value, digits)) for digits in range(1, most_digits + 1))
    others = sorted(_named_near(value) if named else _sixth_near(value), key=rank)
    seen = {0.0}
    for _, number in heapq.merge(rounded, others, key=rank):
        if number not in seen and math.isfinite(number):
            seen.add(number)
            yield number


def _named_near(value: float) -> list[tuple[float, float]]:
    """Close numbers that have a name, with the digits of numerator and denominator; π counts as one."""
    found = []
    for numerator, denominator, unit in _fractions(value):
        number, angle = numerator * unit / denominator, unit != 1.0
        if abs(number - value) <= CLOSE * abs(value) and recognised(number) is not None:
            above = (abs(numerator) > 1 or not angle) + (abs(numerator) > 9) + angle
            found.append((float(above + (denominator > 1) + (denominator > 9)), number))
    return found


def _sixth_near(value: float) -> list[tuple[float, float]]:
    sixths = round(6.0 * value) if abs(value) < 4.0 else 0
    return [(2.5, sixths / 6.0)] if sixths else []


# --- simple numbers -------------------------------------------------------------------------------


def simple_numbers(value: float, close: float = 1e-5) -> list[float]:
    """Simple numbers within a share `close` of a value, simplest first."""
    found = [0.0] if abs(value) < 0.1 * close else []
    # Where the value is known less well, only the simplest of all.
    coarse = close > 1e-3
    for unit, largest in UNITS[:1] if coarse else UNITS:
        for denominator in (1, 2, 4) if coarse else (largest,):
            fraction = Fraction(value / unit).limit_denominator(denominator)
            simple = float(fraction) * unit
            if (
                simple != 0.0
                and abs(simple - value) <= close * abs(value)
                and abs(fraction.numerator) <= 1000
            ):
                found.append(simple)
    return list(dict.fromkeys(found))


@lru_cache(LATELY)
def is_simple(value: float) -> bool:
    """Whether a number is exactly a simple one: such numbers count as known, not as fitted."""
    return value in simple_numbers(value)


def fitted_count(expression: Expression) -> int:
    """How many numbers of an expression were fitted: those that are not simple."""
    return sum(not is_simple(value) for value in numbers(expression))


# --- tuning ---------------------------------------------------------------------------------------


def retuned(
    expression: Expression,
    fixed: set[int],
    X: Floats,
    y: Floats,
    steps: int = 6,
    weights: Floats | None = None,
) -> Expression:
    """All numbers but the fixed ones moved by a few Gauss-Newton steps; `weights` say how much a row counts."""
    with np.errstate(all="ignore"):
        return _retuned(expression, fixed, X, y, steps, 1.0 if weights is None else np.sqrt(weights))


def _retuned(
    expression: Expression, fixed: set[int], X: Floats, y: Floats, steps: int, root: Floats | float
) -> Expression:
    values = np.array(numbers(expression))
    free = [k for k in range(len(values)) if k not in fixed]
    if not free:
        return expression
    best, least = expression, np.inf
    for _ in range(steps):
        current = best if np.isfinite(least) else expression
        values = np.array(numbers(current))
        residual = root * (y - evaluate(current, X))
        error = float(residual @ residual)
        if not np.isfinite(error):
            break
        least = min(least, error)
        steps_taken = 1e-7 * np.maximum(np.abs(values[free]), 1e-3)
        slopes = [
            (root * (evaluate(with_number(current, k, values[k] + h), X) - y) + residual) / h
            for k, h in zip(free, steps_taken, strict=True)
        ]
        J = np.column_stack(slopes)
        if not np.all(np.isfinite(J)):
            break
        scale = np.maximum(np.max(np.abs(J), axis=0), 1e-300)
        move = np.linalg.lstsq(J / scale, residual, rcond=1e-10)[0] / scale
        new = values[free] + move
        if not np.all(np.isfinite(new)):  # a slope of next to nothing
            break
        moved = current
        for k, value in zip(free, new.tolist(), strict=True):
            moved = with_number(moved, k, value)
        left = root * (y - evaluate(moved, X))
        if not float(left @ left) < error:
            break
        best, least = moved, float(left @ left)
    return best


def largest_exponent(expression: Expression) -> float:
    """The largest size of an exponent in an expression, powers of powers and exp(-x**2) counted as they are printed."""

    def change(node: Expression, parts: tuple[tuple[float, float], ...]) -> tuple[float, float]:
        """Of a part its exponent as a factor, and the largest inside."""
        own, inside = max((p[0] for p in parts), default=1.0), max((p[1] for p in parts), default=1.0)
        if isinstance(node, Power):
            own *= abs(node.exponent)
        elif isinstance(node, Operation) and node.name == "gauss":
            own, inside = 1.0, max(inside, 2.0 * own)
        elif isinstance(node, Operation) and node.name == "sqrt":
            own *= 0.5
        elif not (isinstance(node, Operation) and node.name in ("mul", "div", "inv", "neg")):
            own = 1.0
        return own, max(inside, own)

    return fold(expression, change)[1]
