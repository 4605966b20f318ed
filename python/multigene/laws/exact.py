"""Is it a law? What an expression must stand before it is called one, on the rows it was found on and on others.

A share of the variance sees the largest values only, and long formulas come as close as one likes to anything smooth. So a law
has to pass further tests, each against the rounding that its own arithmetic brings (`rounding_scale`):

    level        what is left is rounding on every row, small values included, or as small as the data's own digits are
    conditioned  no digits are lost inside the formula
    sampled      nothing oscillates faster than the rows can tell
    determined   every fitted number matters a thousand times more than what is left

The last one tells a law from an approximation. Each further term of a polynomial or quotient that approximates brings a little
more, down to rounding, where the last ones no longer stand out; a term of a law stands out or is none. `law.as_law` applies them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from multigene.data.scores import scale_of
from multigene.expression.angles import can_be_told
from multigene.expression.jacobian import jacobian
from multigene.expression.numbers import (
    is_simple,
    number_of,
    parameters,
    with_parameters,
)
from multigene.expression.readable import size
from multigene.expression.rewriting import simplify
from multigene.expression.tree import (
    Expression,
    Number,
    Operation,
    Power,
    evaluate,
    fold,
    postorder,
    rebuild,
)
from multigene.laws.constants import (
    COARSEST,
    COARSEST_LEVEL,
    DIGITS_NODES,
    EVEN,
    EVEN_NODES,
    GAUSS_NEWTON_STEPS,
    LARGEST_LAW,
    LOST_BELOW,
    LOST_DIGITS,
    ROUNDING_LEVEL,
    SINGLE,
    STANDS_OUT,
    WORST_LEVEL,
)

Floats = npt.NDArray[np.float64]

#: Grades of a claim, the strongest first.
EXACTLY = "exact"
TO_PRECISION = "exact to the data's precision"
IN_NOISE = "consistent with the noise"


def grade(expression: Expression, X: Floats, y: Floats) -> str | None:
    """`EXACTLY` or `TO_PRECISION` if the expression is a law of these rows, None if it is not."""
    found = level(expression, X, y)
    if found is None or not sampled(expression, X):
        return None
    return found if not undetermined(expression, X, y) else None


def level(expression: Expression, X: Floats, y: Floats) -> str | None:
    """How exact it is, by what is left on every row; None if more is left than rounding or the data's own digits explain."""
    scale, left = _scale(expression, X, y), np.abs(y - evaluate(expression, X))
    if not np.isfinite(scale).all() or not np.isfinite(left).all():
        return None
    if scale.max() > LOST_DIGITS * np.abs(y).max():
        return None
    needed = _ratio(left, scale)
    if _nine_of_ten(needed) <= ROUNDING_LEVEL and needed.max() <= WORST_LEVEL:
        return EXACTLY
    single = is_single(y) or any(is_single(x) for x in X.T)
    digits, nodes = rounding_of(y) + (SINGLE * scale if single else 0.0), size(expression)
    few = nodes <= (DIGITS_NODES if fitted_places(expression) else LARGEST_LAW)
    if (
        few
        and digits.max() <= COARSEST * np.abs(y - y.mean()).mean()
        and np.all(left <= 2.0 * digits + WORST_LEVEL * scale)
    ):
        return TO_PRECISION
    even = needed.max() <= min(COARSEST_LEVEL, EVEN * float(np.median(needed)))
    return TO_PRECISION if even and nodes <= EVEN_NODES else None


def holds(expression: Expression, X: Floats, y: Floats, exactly: bool) -> bool:
    """Does a law hold on rows that it was not found on, small values included? `exactly`, or to the data's precision."""
    scale, left = _scale(expression, X, y), np.abs(y - evaluate(expression, X))
    most = WORST_LEVEL * scale if exactly else 2.0 * COARSEST_LEVEL * scale + 4.0 * rounding_of(y)
    return bool(np.isfinite(left).all() and np.all(left <= most))


def digits_share(X: Floats, y: Floats) -> float:
    """Share of the variance that the digits of the data may leave unexplained, generously."""
    single = is_single(y) or any(is_single(x) for x in X.T)
    digits = 2.0 * rounding_of(y) + (8.0 * SINGLE * np.abs(y) if single else 0.0)
    unit = scale_of(y)
    around = float(np.sum(((y - y.mean()) / unit) ** 2))
    return float(np.sum((digits / unit) ** 2)) / around if around > 0.0 else 0.0


def no_worse_than(expression: Expression, X: Floats, y: Floats) -> Callable[[Expression], bool]:
    """Says of other expressions whether they are as exact, small values included."""
    if level(expression, X, y) is not None:
        return lambda other: level(other, X, y) is not None
    most = max(4.0 * _relative(expression, X, y), WORST_LEVEL)
    return lambda other: _relative(other, X, y) <= most


def _relative(expression: Expression, X: Floats, y: Floats) -> float:
    """What is left of nine rows of ten, relative to each."""
    return _nine_of_ten(_ratio(np.abs(y - evaluate(expression, X)), np.abs(y)))


def rounding_scale(expression: Expression, X: Floats) -> Floats:
    """By how much the value of every row changes when every node's value changes by its own size, each to its worst: times the
    precision of floating point, the most that rounding explains."""
    wrapped = fold(expression, lambda node, parts: Operation("mul", (Number(1.0), rebuild(node, parts))))
    with np.errstate(all="ignore"):
        return np.asarray(np.abs(jacobian(wrapped, X) * parameters(wrapped)).sum(axis=1))


def _scale(expression: Expression, X: Floats, y: Floats) -> Floats:
    """The same with the rounding of the target, whose digits are lost below the smallest normal numbers. Where a part overflows
    and the value is that of the target nevertheless, 0 for 1/(exp(x) - 1), nothing is left to explain."""
    least = min(LOST_BELOW, float(np.finfo(float).eps * np.abs(y).max(initial=0.0)))
    inside = rounding_scale(expression, X)
    met = ~np.isfinite(inside) & (evaluate(expression, X) == y)
    return np.where(met, 0.0, inside) + np.abs(y) + least


def sampled(expression: Expression, X: Floats) -> bool:
    """Does every angle turn less than half a turn per different row on the whole? Otherwise a slower one does as well."""
    return can_be_told(expression, X, len(np.unique(X, axis=0)))


def fitted_places(expression: Expression) -> list[int]:
    """Which of the `parameters` are no simple numbers."""
    return [k for k, value in enumerate(parameters(expression)) if not is_simple(value)]


def undetermined(expression: Expression, X: Floats, y: Floats) -> list[int]:
    """Fitted numbers that hardly matter, the least first: without one, the others tuned again, hardly more would be left."""
    places = fitted_places(expression)
    if not places:
        return []
    values = np.array(parameters(expression))[places]
    scale = _scale(expression, X, y)
    effects = _ratio(jacobian(expression, X)[:, places] * values, scale[:, None])
    if not np.isfinite(effects).all():
        return places
    left = max(_length(expression, X, y, scale), np.finfo(float).eps * np.sqrt(len(y)))
    own = np.array([beyond(effects, k) for k in range(len(places))])
    return [places[k] for k in np.argsort(own, kind="stable") if own[k] < STANDS_OUT * left]


def beyond(columns: Floats, k: int) -> float:
    """Length of what the other columns do not explain of column k."""
    others = np.delete(columns, k, axis=1)
    size_of = np.linalg.norm(others, axis=0)
    others = others / np.where(size_of > 0.0, size_of, 1.0)
    rest = columns[:, k] - others @ np.linalg.lstsq(others, columns[:, k], rcond=1e-14)[0]
    return float(np.linalg.norm(rest))


# --- numbers --------------------------------------------------------------------------------------


def fitted_by_rounding(expression: Expression, X: Floats, y: Floats) -> Expression:
    """The fitted numbers tuned so that all rows are met alike, measured by the rounding of each; small values count as well."""
    places = fitted_places(expression)
    best = expression
    for _ in range(GAUSS_NEWTON_STEPS if places else 0):
        # Anew in every step: numbers that are far too large make rounding look so as well.
        scale = _scale(best, X, y)
        moved = _moved(best, places, X, y, scale)
        if moved is None:
            break
        before, after = _length(best, X, y, scale), _length(moved, X, y, scale)
        best = moved
        if after > 0.9 * before:
            break
    return best


def _moved(
    expression: Expression, places: list[int], X: Floats, y: Floats, scale: Floats
) -> Expression | None:
    """One Gauss-Newton step of some numbers, shortened if need be; None if none leads on."""
    values, exponents = np.array(parameters(expression)), _exponents(expression)
    with np.errstate(all="ignore"):
        effects = _ratio(jacobian(expression, X)[:, places] * values[places], scale[:, None])
        residual = _ratio(y - evaluate(expression, X), scale)
        if not np.isfinite(effects).all() or not np.isfinite(residual).all():
            return None
        # Relative moves: what has next to no effect stays.
        move = values[places] * np.linalg.lstsq(effects, residual, rcond=1e-12)[0]
    least = _length(expression, X, y, scale)
    for share in (1.0, 0.25, 0.03):
        moved = values.copy()
        moved[places] += share * move
        if not np.isfinite(moved).all() or np.any(moved[exponents] == np.round(moved[exponents])):
            continue  # whole exponents are no parameters
        candidate = with_parameters(expression, moved)
        if _length(candidate, X, y, scale) < least:
            return candidate
    return None


def _exponents(expression: Expression) -> list[int]:
    """Which of the `parameters` are exponents."""
    own = [node for node in postorder(expression) if number_of(node, False) is not None]
    return [k for k, node in enumerate(own) if isinstance(node, Power)]


def _length(expression: Expression, X: Floats, y: Floats, scale: Floats) -> float:
    """Of what is left, each row in units of its own."""
    with np.errstate(all="ignore"):
        left = float(np.linalg.norm(_ratio(y - evaluate(expression, X), scale)))
    return left if np.isfinite(left) else np.inf


def _nine_of_ten(values: Floats) -> float:
    """What nine values of ten do not exceed; one of the values, since between two infinite ones there is nothing."""
    return float(np.quantile(values, 0.9, method="higher"))


def _ratio(above: Floats, below: Floats) -> Floats:
    """Nothing over nothing is nothing."""
    with np.errstate(all="ignore"):
        return np.asarray(np.where(above == 0.0, 0.0, above / below))


def without_number(expression: Expression, place: int, X: Floats, y: Floats) -> list[Expression]:
    """Expressions in which a number is gone: zero where that makes sense, or one, the other fitted numbers tuned again."""
    values = np.array(parameters(expression))
    found = []
    for simple in (0.0, 1.0, -1.0):
        changed = values.copy()
        changed[place] = simple
        try:
            candidate = simplify(with_parameters(expression, changed))
        except (OverflowError, ValueError):  # a constant beyond what floating point holds
            continue
        found.append(fitted_by_rounding(candidate, X, y))
    return found


# --- digits of the data ---------------------------------------------------------------------------


def is_single(values: Floats) -> bool:
    """Have all values come from single precision? Whole numbers and short decimals say nothing."""
    with np.errstate(all="ignore"):
        single = values.astype(np.float32).astype(np.float64)
    return bool(np.all(single == values) and np.any(values != np.round(values, 3)))


def rounding_of(values: Floats) -> Floats:
    """Half a unit in the last place of values that were written with a fixed number of decimals; zero otherwise."""
    largest = float(np.abs(values).max())
    for decimals in range(12):
        if largest * 10.0**decimals > 1e11:
            break
        if np.all(np.abs(values - np.round(values, decimals)) <= 4e-16 * np.abs(values)):
            return np.full(len(values), 0.5 * 10.0**-decimals)
    return np.zeros(len(values))


__all__ = [
    "EXACTLY",
    "IN_NOISE",
    "TO_PRECISION",
    "beyond",
    "fitted_by_rounding",
    "fitted_places",
    "grade",
    "holds",
    "level",
    "no_worse_than",
    "rounding_scale",
    "sampled",
    "undetermined",
    "without_number",
]
