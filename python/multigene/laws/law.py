"""Expressions measured, tuned, cleaned up and shortened on all rows; which of them is a law.

A law explains the target to numerical precision. `finds.py` hands over what the phases of the law search have found, as
expressions in the user's variables (`undo.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual
from multigene.expression.engine_text import engine_form, engine_text
from multigene.expression.numbers import map_numbers, numbers, retuned, simple_numbers, with_number
from multigene.expression.readable import size
from multigene.expression.rewriting import natural, replaced, simplify
from multigene.expression.tree import (
    Expression,
    Number,
    Operation,
    Power,
    Variable,
    evaluate,
    fold,
    postorder,
    rebuild,
)
from multigene.laws.constants import CANCELLATION, EXACT, MOST_REDUCTIONS, POLISH, ROUNDING, STAIRS
from multigene.settings.settings import Refinement

__all__ = [
    "EXACT",
    "STAIRS",
    "Find",
    "as_individual",
    "cancels",
    "cleaned",
    "individual_of",
    "is_law",
    "measure",
    "polished",
    "reduced",
    "shortest",
    "smaller_expressions",
]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Find:
    """What a seeker found, as one model of the user's features."""

    individual: Individual
    expression: Expression
    unexplained: float


# --- as the engine has it --------------------------------------------------------------------------


def as_individual(expression: Expression) -> Individual | None:
    """The expression as a model of one gene, or None if the engine cannot say it."""
    return individual_of([expression])


def individual_of(genes: Sequence[Expression]) -> Individual | None:
    """A sum of genes as a model, or None if the engine cannot say one of them."""
    try:
        texts = [engine_text(gene) for gene in genes] or ["0.0"]
        return Individual(texts, 0.0, [1.0] * len(texts))
    except (ValueError, OverflowError):
        return None


def _fitted(expression: Expression, tuned: Individual) -> Expression:
    """The expression with the constants, coefficient and intercept that the engine has found for it."""
    constants = iter([token[1] for token in tuned.tokens(0) if token[0] == "c"])
    tree = map_numbers(engine_form(expression), lambda _: next(constants))
    [coefficient] = tuned.coefficients
    if coefficient == 0.0:
        return Number(tuned.intercept)
    if coefficient != 1.0:
        tree = Operation("mul", (Number(coefficient), tree))
    return Operation("add", (Number(tuned.intercept), tree))


# --- measured and tuned ---------------------------------------------------------------------------


def polished(
    expression: Expression, X: Floats, y: Floats, data: Dataset, how: Refinement = POLISH
) -> Find | None:
    """Tune all constants on all rows; the expression with the constants found, and what it leaves unexplained."""
    before = measure(expression, X, y)
    individual = as_individual(expression) if before is None else before.individual
    tuned = None if individual is None else individual.refine(data, how)
    if tuned is None or not np.isfinite(tuned.fitness):
        return before
    found = measure(simplify(_fitted(expression, tuned)), X, y)
    worse = found is None or (before is not None and not found.unexplained <= before.unexplained)
    return before if worse else found


def measure(expression: Expression, X: Floats, y: Floats) -> Find | None:
    """The expression as a model, with what it leaves unexplained; None where it has no finite value or cannot be said."""
    individual = as_individual(expression)
    if individual is None:
        return None
    size_of_y = float(np.max(np.abs(y))) or 1.0  # squares of very large or small values have no value
    with np.errstate(all="ignore"):
        residual = (y - individual.predict(X)) / size_of_y
        spread = (y - y.mean()) / size_of_y
        left, total = float(residual @ residual), float(spread @ spread)
        unexplained = left / total if total > 0 else left
    return Find(individual, expression, unexplained) if np.isfinite(unexplained) else None


def cleaned(find: Find, X: Floats, y: Floats) -> Find:
    """Constants become zero, whole numbers, simple fractions, multiples of π or roots wherever that costs nothing."""
    limit = max(4.0 * find.unexplained, ROUNDING)
    best = find
    for _ in range(3):
        before = best
        best = _better_form(_snapped(best, X, y, limit), X, y, limit)
        if best.expression == before.expression:
            break
    return best


def _better_form(find: Find, X: Floats, y: Floats, limit: float) -> Find:
    form = measure(natural(find.expression), X, y)
    if form is None or form.unexplained > limit or size(form.expression) > size(find.expression):
        return find
    return form


def _snapped(find: Find, X: Floats, y: Floats, limit: float) -> Find:
    """Simple numbers one after the other, those not yet simple tuned again each time."""
    best, fixed = find, set[int]()
    for place, value in enumerate(numbers(find.expression)):
        if any(simple == value for simple in simple_numbers(value)):
            fixed.add(place)
    order = sorted(range(len(numbers(best.expression))), key=lambda k: _distance(numbers(find.expression)[k]))
    for place in order:
        if place in fixed:
            continue
        for simple in simple_numbers(numbers(best.expression)[place]):
            changed = with_number(best.expression, place, simple)
            candidate = measure(changed, X, y)
            if candidate is None or candidate.unexplained > limit:
                changed = retuned(changed, fixed | {place}, X, y)
                candidate = measure(changed, X, y)
            if candidate is not None and candidate.unexplained <= limit:
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
    best, tries = find, 0
    progress = True
    while progress and tries < MOST_REDUCTIONS:
        progress = False
        for smaller in smaller_expressions(best.expression):
            tries += 1
            candidate = polished(smaller, X, y, data)
            if (
                candidate is not None
                and is_law(candidate)
                and candidate.individual.complexity < best.individual.complexity
            ):
                best, progress = candidate, True
                break
            if tries >= MOST_REDUCTIONS:
                break
    return best


def is_law(find: Find) -> bool:
    """Exact to rounding, or, if short, to the digits that rounded data leave."""
    bar = next((bar for nodes, bar in STAIRS if find.individual.complexity <= nodes), ROUNDING)
    return find.unexplained < bar


def cancels(expression: Expression, X: Floats) -> bool:
    """Is there a sum of large terms that all but cancel? Such formulas approximate a derivative or a limit."""

    def value(node: Expression, parts: tuple[tuple[Floats, bool], ...]) -> tuple[Floats, bool]:
        alone = rebuild(node, tuple(Variable(k) for k in range(len(parts)))) if parts else node
        columns = np.column_stack([np.broadcast_to(v, len(X)) for v, _ in parts]) if parts else X
        values = evaluate(alone, columns)
        found = any(bad for _, bad in parts)
        if isinstance(node, Operation) and node.name in ("add", "sub"):
            with np.errstate(all="ignore"):
                found |= bool(np.max(np.abs(columns)) > CANCELLATION * np.max(np.abs(values)))
        return values, found

    return fold(expression, value)[1]


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


def shortest(finds: Iterable[Find]) -> Find:
    """The find with the smallest formula; the more exact one among equals."""
    return min(finds, key=lambda f: (f.individual.complexity, f.unexplained))
