"""Expressions measured, tuned, cleaned up and shortened on all rows; which of them is a law.

A law explains the target to numerical precision. `finds.py` hands over what the phases of the law search have found, as
expressions in the user's variables (`undo.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual
from multigene.expression.numbers import numbers, retuned, simple_numbers, with_number
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
    map_numbers,
    postorder,
    rebuild,
)
from multigene.laws import exact
from multigene.laws.constants import (
    CANCELLATION,
    EXACT,
    LARGEST_LAW,
    MOST_LOST,
    MOST_REDUCTIONS,
    MOST_WEAK,
    POLISH,
    ROUNDING,
    STAIRS,
)
from multigene.settings.settings import Refinement

__all__ = [
    "EXACT",
    "STAIRS",
    "Find",
    "as_individual",
    "as_law",
    "cancels",
    "cleaned",
    "engine_form",
    "engine_node",
    "engine_text",
    "holds",
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
    grade: str | None = None
    """How strong a claim it is: one of the grades of `exact.py`; None for no claim."""


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


def engine_text(expression: Expression) -> str:
    """An expression in the engine's notation; real exponents become roots or exp(w·log(…))."""
    return fold(expression, engine_node)


def engine_node(node: Expression, parts: tuple[str, ...]) -> str:
    """One node over the texts of its children."""
    if isinstance(node, Number):
        return repr(node.value) if node.value >= 0 else f"({node.value!r})"
    if isinstance(node, Variable):
        return f"x{node.index}"
    if isinstance(node, Power):
        return _engine_power(parts[0], node.exponent)
    assert isinstance(node, Operation)
    sign = {"add": " + ", "sub": " - ", "mul": "*", "div": "/"}.get(node.name)
    return f"({sign.join(parts)})" if sign else f"{node.name}({', '.join(parts)})"


def _engine_power(base: str, exponent: float) -> str:
    if exponent == 1.0:
        return base
    if exponent == 0.0:
        return "1.0"
    if exponent.is_integer() and 2 <= abs(exponent) <= 32:
        return f"({base})**{int(exponent)}"
    if exponent == -1.0:
        return f"inv({base})"
    half = 2.0 * exponent
    if half.is_integer() and abs(half) <= 9:
        root = f"sqrt({base})"
        return _engine_power(root, half)
    return f"exp(({exponent!r})*log({base}))"


def engine_form(expression: Expression) -> Expression:
    """The tree that the engine holds of an expression: sums and products of two, real exponents as `engine_text` says them.

    Its numbers, children before parents, are the engine's constants in their order.
    """

    def form(node: Expression, parts: tuple[Expression, ...]) -> Expression:
        if isinstance(node, Power):
            return _power_form(parts[0], node.exponent)
        if not isinstance(node, Operation) or len(parts) <= 2:
            return rebuild(node, parts)
        total = Operation(node.name, parts[:2])
        for part in parts[2:]:
            total = Operation(node.name, (total, part))
        return total

    return fold(expression, form)


def _power_form(base: Expression, exponent: float) -> Expression:
    if exponent == 1.0:
        return base
    if exponent == 0.0:
        return Number(1.0)
    if exponent.is_integer() and 2 <= abs(exponent) <= 32:
        return Power(base, exponent)
    if exponent == -1.0:
        return Operation("inv", (base,))
    half = 2.0 * exponent
    if half.is_integer() and abs(half) <= 9:
        return _power_form(Operation("sqrt", (base,)), half)
    return Operation("exp", (Operation("mul", (Number(exponent), Operation("log", (base,)))),))


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


def as_law(find: Find, X: Floats, y: Floats, data: Dataset) -> Find | None:
    """The find shortened, its numbers cleaned up, and graded; None if it is no law."""
    floor = exact.digits_share(X, y)
    find = _to_rounding(find, X, y)
    find = _to_rounding(cleaned(reduced(find, X, y, data), X, y), X, y)
    if not is_law(find, floor) or exact.level(find.expression, X, y) is None:
        return None
    for _ in range(MOST_LOST):
        weak = exact.undetermined(find.expression, X, y)
        if not weak:
            break
        without = _without_a_number(find, weak, X, y)
        if without is None:
            return None
        find = without
    grade = exact.grade(find.expression, X, y)
    return None if grade is None or cancels(find.expression, X) else replace(find, grade=grade)


def holds(law: Find, X: Floats, y: Floats) -> bool:
    """Does a law hold on rows that it was not found on, small values included?"""
    return exact.holds(law.expression, X, y, exactly=law.grade == exact.EXACTLY)


def _without_a_number(find: Find, weak: list[int], X: Floats, y: Floats) -> Find | None:
    """As exact a law with one of these numbers less, if there is one; that with the fewest fitted numbers."""
    found = []
    for place in weak[:MOST_WEAK]:
        for expression in exact.without_number(find.expression, place, X, y):
            without = None if exact.level(expression, X, y) is None else measure(expression, X, y)
            if without is not None:
                found.append(_to_rounding(cleaned(without, X, y), X, y))
    return min(
        found, key=lambda f: (len(exact.fitted_places(f.expression)), f.individual.complexity), default=None
    )


def _to_rounding(find: Find, X: Floats, y: Floats) -> Find:
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
        if any(simple == value for simple in simple_numbers(value)):
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
                candidate = _to_rounding(candidate, X, y)
                if as_exact(candidate.expression):
                    best, progress = candidate, True
                    break
            if tries >= MOST_REDUCTIONS:
                break
    return best


def is_law(find: Find, floor: float = 0.0) -> bool:
    """Exact to rounding, or, if short, to the digits that rounded data leave; these explain `floor` anyway.

    The first of the tests that a law has to pass (`as_law`).
    """
    nodes = find.individual.complexity
    bar = next((bar for most, bar in STAIRS if nodes <= most), ROUNDING)
    return find.unexplained < max(bar, floor if nodes <= LARGEST_LAW else 0.0)


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
