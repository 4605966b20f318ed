"""A find that may be a law made as short and simple as it can be without losing anything: `law.py` does this before it decides.

Dead parts go first, then terms, factors and functions that are not needed; numbers become simple ones. What leaves more than
before is not taken, small values of the target included (`exact.py`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset
from multigene.expression.numbers import is_simple, numbers, retuned, simple_numbers, with_number
from multigene.expression.readable import size
from multigene.expression.rewriting import natural, replaced, simplify
from multigene.expression.tree import Expression, Number, Operation, Power, evaluate, postorder, variables
from multigene.laws import exact
from multigene.laws.constants import DEAD, EXACT, LARGEST_LAW, MOST_REDUCTIONS, ROUNDING, STAIRS
from multigene.laws.find import Find, measure, polished

Floats = npt.NDArray[np.float64]


def is_law(find: Find, floor: float = 0.0) -> bool:
    """Exact to rounding, or, if short, to the digits that rounded data leave; these explain `floor` anyway.

    The first of the tests that a law has to pass (`as_law`).
    """
    nodes = find.individual.complexity
    bar = next((bar for most, bar in STAIRS if nodes <= most), ROUNDING)
    return find.unexplained < max(bar, floor if nodes <= LARGEST_LAW else 0.0)


def without_dead_parts(find: Find, X: Floats, y: Floats, data: Dataset) -> Find:
    """Parts that change the value no more than what is left unexplained become numbers, the largest first."""
    best = find
    for _ in range(MOST_REDUCTIONS):
        nodes, value = postorder(best.expression), evaluate(best.expression, X)
        most = DEAD * float(np.linalg.norm(y - value))
        # By size; the whole is no part of itself.
        order = sorted(range(len(nodes) - 1), key=lambda place: -len(postorder(nodes[place])))
        for place in order:
            if not isinstance(nodes[place], Operation | Power) or not variables(nodes[place]):
                continue
            mean = float(np.mean(evaluate(nodes[place], X)))
            if not np.isfinite(mean):
                continue
            without = replaced(best.expression, place, Number(mean))
            if not float(np.linalg.norm(evaluate(without, X) - value)) <= most:
                continue
            candidate = polished(simplify(without), X, y, data)
            if candidate is not None and candidate.unexplained <= max(4.0 * best.unexplained, ROUNDING):
                best = candidate
                break
        else:
            break
    return best


def to_rounding(find: Find, X: Floats, y: Floats) -> Find:
    """Fitted numbers tuned for small values of the target as well, down to rounding where that is possible."""
    tuned = exact.fitted_by_rounding(find.expression, X, y)
    if tuned == find.expression:
        return find
    better = measure(tuned, X, y)
    held = better is not None and better.unexplained < max(4.0 * find.unexplained, EXACT)
    return better if better is not None and held else find


def cleaned(find: Find, X: Floats, y: Floats) -> Find:
    """Constants become zero, whole numbers, simple fractions, multiples of π or roots wherever that costs nothing."""
    limit = max(4.0 * find.unexplained, ROUNDING)
    as_exact = exact.no_worse_than(find.expression, X, y)

    def costs_nothing(candidate: Find | None) -> bool:
        return candidate is not None and candidate.unexplained <= limit and as_exact(candidate.expression)

    best = find
    for _ in range(3):
        before = best
        best = _better_form(_snapped(best, X, y, costs_nothing), X, y, costs_nothing)
        if best.expression == before.expression:
            break
    return best


def _better_form(find: Find, X: Floats, y: Floats, costs_nothing: Callable[[Find | None], bool]) -> Find:
    form = measure(natural(find.expression), X, y)
    if form is None or size(form.expression) > size(find.expression):
        return find
    return form if costs_nothing(form) else find


def _snapped(find: Find, X: Floats, y: Floats, costs_nothing: Callable[[Find | None], bool]) -> Find:
    """Simple numbers one after the other, those not yet simple tuned again each time."""
    best, fixed = find, set[int]()
    for place, value in enumerate(numbers(find.expression)):
        if is_simple(value):
            fixed.add(place)
    order = sorted(range(len(numbers(best.expression))), key=lambda k: _distance(numbers(find.expression)[k]))
    for place in order:
        if place in fixed:
            continue
        for simple in simple_numbers(numbers(best.expression)[place]):
            changed = with_number(best.expression, place, simple)
            candidate = measure(changed, X, y)
            if not costs_nothing(candidate):
                candidate = measure(retuned(changed, fixed | {place}, X, y), X, y)
            if candidate is not None and costs_nothing(candidate):
                best = candidate
                fixed.add(place)
                break
    return best


def _distance(value: float) -> float:
    """How far the nearest simple number is."""
    return min(
        (abs(simple - value) / max(abs(value), 1e-9) for simple in simple_numbers(value)), default=np.inf
    )


def reduced(find: Find, X: Floats, y: Floats, data: Dataset) -> Find:
    """Drop terms, factors and functions as long as the law stays one, constants tuned again each time."""
    best, tries, floor = find, 0, exact.digits_share(X, y)
    as_exact = exact.no_worse_than(find.expression, X, y)
    progress = True
    while progress and tries < MOST_REDUCTIONS:
        progress = False
        for smaller in smaller_expressions(best.expression):
            tries += 1
            candidate = polished(smaller, X, y, data)
            shorter = candidate is not None and candidate.individual.complexity < best.individual.complexity
            if shorter and candidate is not None and is_law(candidate, floor):
                candidate = to_rounding(candidate, X, y)
                if as_exact(candidate.expression):
                    best, progress = candidate, True
                    break
            if tries >= MOST_REDUCTIONS:
                break
    return best


def smaller_expressions(expression: Expression) -> list[Expression]:
    """Expressions with one term, factor or function less, shortest first."""
    nodes = postorder(expression)
    candidates: list[Expression] = []
    for place, node in enumerate(nodes):
        if not isinstance(node, Operation | Power):
            continue
        replacements: list[Expression] = list(node.children)
        if isinstance(node, Operation) and node.name in ("add", "mul") and len(node.arguments) > 1:
            for k in range(len(node.arguments)):
                rest = node.arguments[:k] + node.arguments[k + 1 :]
                replacements.append(rest[0] if len(rest) == 1 else Operation(node.name, rest))
        replacements.append(Number(1.0))
        candidates.extend(simplify(replaced(expression, place, replacement)) for replacement in replacements)
    return sorted(dict.fromkeys(candidates), key=size)
