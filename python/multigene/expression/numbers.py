"""Constants of an expression: read, replaced, tuned, and the simple numbers near them.

`laws/law.py` cleans up with it what tuning leaves of a law, `laws/noise.py` what it leaves of a find in noisy data.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from multigene.expression.tree import Expression, Number, Power, evaluate, fold, postorder, rebuild

Floats = npt.NDArray[np.float64]


def numbers(expression: Expression) -> list[float]:
    """Constants and exponents of an expression, children before their parents."""
    found: list[float] = []
    for node in postorder(expression):
        if isinstance(node, Number):
            found.append(node.value)
        elif isinstance(node, Power):
            found.append(node.exponent)
    return found


def exponent_places(expression: Expression) -> set[int]:
    """Which of the `numbers` are exponents."""
    kinds = [isinstance(n, Power) for n in postorder(expression) if isinstance(n, Number | Power)]
    return {place for place, exponent in enumerate(kinds) if exponent}


def with_number(expression: Expression, place: int, value: float) -> Expression:
    """The expression with another value of one of its `numbers`."""
    count = -1

    def change(node: Expression, children: tuple[Expression, ...]) -> Expression:
        nonlocal count
        if isinstance(node, Number):
            count += 1
            return Number(value) if count == place else node
        if isinstance(node, Power):
            count += 1
            return Power(children[0], value) if count == place else Power(children[0], node.exponent)
        return rebuild(node, children)

    return fold(expression, change)


#: Units in which a number may be simple, and the largest denominator there.
UNITS = ((1.0, 12), (math.pi, 8), (math.sqrt(2.0), 8), (math.sqrt(3.0), 8), (math.sqrt(math.pi), 8))


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


def retuned(expression: Expression, fixed: set[int], X: Floats, y: Floats, steps: int = 6) -> Expression:
    """All numbers but the fixed ones moved by a few Gauss-Newton steps."""
    with np.errstate(all="ignore"):
        return _retuned(expression, fixed, X, y, steps)


def _retuned(expression: Expression, fixed: set[int], X: Floats, y: Floats, steps: int) -> Expression:
    values = np.array(numbers(expression))
    free = [k for k in range(len(values)) if k not in fixed]
    if not free:
        return expression
    best, least = expression, np.inf
    for _ in range(steps):
        current = best if np.isfinite(least) else expression
        values = np.array(numbers(current))
        residual = y - evaluate(current, X)
        error = float(residual @ residual)
        if not np.isfinite(error):
            break
        least = min(least, error)
        steps_taken = 1e-7 * np.maximum(np.abs(values[free]), 1e-3)
        slopes = [
            (evaluate(with_number(current, k, values[k] + h), X) - y + residual) / h
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
        left = y - evaluate(moved, X)
        if not float(left @ left) < error:
            break
        best, least = moved, float(left @ left)
    return best
