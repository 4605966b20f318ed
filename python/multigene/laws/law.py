"""From a seeker's find to a law: one expression in the user's variables, tuned on all rows, constants cleaned up.

A law explains the target to numerical precision. What a seeker holds is a sum of genes in a transformed target over scaled
features; here it becomes `m*c**2/sqrt(1 - v**2/c**2)`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual
from multigene.expression.engine_text import engine_node as engine_node
from multigene.expression.engine_text import engine_text as engine_text
from multigene.expression.genes import gene_expression
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
    postorder,
    rebuild,
)
from multigene.laws.transforms import Transform, logarithmic
from multigene.settings.settings import Refinement

Floats = npt.NDArray[np.float64]

#: A law leaves at most this share of the variance unexplained.
EXACT = 1e-12
#: What rounding alone leaves.
ROUNDING = 1e-22
#: What formulas of so many nodes must reach to be a law: long ones come close by chance.
STAIRS = ((12, EXACT), (20, 1e-18))
#: Terms of a law are not larger than their sum by this factor.
CANCELLATION = 1e3
#: Exponents this close to a multiple of one half may be meant as such.
CLOSE_TO_SIMPLE = 0.06
#: Most attempts to shorten a law.
MOST_REDUCTIONS = 60
POLISH = Refinement(iterations=100, gain=0.0, damping=1e-3, max_parameters=200, decay=0.0, prune=0.0)


@dataclass(frozen=True)
class Find:
    """What a seeker found, as one model of the user's features."""

    individual: Individual
    expression: Expression
    unexplained: float


def as_expression(
    individual: Individual,
    transform: Transform,
    features: list[int],
    scales: Floats,
    powers: dict[int, float],
    sign: float | None,
    signs: dict[int, float],
    X: Floats,
) -> Expression:
    """Undo transform and scaling. `powers` are exponents of features that the logarithmic transform or peeling found; `signs` are
    those of features that do not change theirs, `sign` that of the target (None if it changes)."""
    if sign is None and logarithmic(transform):
        factors = [_signed_power(Variable(j), e, X) for j, e in powers.items() if e != 0.0]
    else:
        factors = [_power(_absolute(Variable(j), signs.get(j)), e) for j, e in powers.items() if e != 0.0]
    variables: dict[int, Expression] = {
        k: Variable(j) if scales[k] == 1.0 else Operation("mul", (Number(1.0 / scales[k]), Variable(j)))
        for k, j in enumerate(features)
    }
    genes = [
        (c, _with_variables(gene_expression(individual, g), variables, signs, features))
        for g, c in enumerate(individual.coefficients)
        if c != 0.0
    ]
    if not logarithmic(transform):
        total = _sum([Number(individual.intercept), *(_times(c, gene) for c, gene in genes)])
        return simplify(_product([transform.inverse(total, sign or 1.0), *factors]))
    # exp(c0)·∏F^c for genes ln F, exp(c·g) for others.
    factors.append(Number((sign or 1.0) * math.exp(individual.intercept)))
    rest: list[Expression] = []
    for c, gene in genes:
        inside = _inside_logarithm(gene)
        if inside is not None:
            factors.append(_power(inside, c) if sign is not None else _signed_power(inside, c, X))
        else:
            rest.append(_times(c, gene))
    if rest:
        factors.append(Operation("exp", (_sum(rest),)))
    return simplify(_product(factors))


def as_individual(expression: Expression) -> Individual | None:
    """The expression as a model of one gene, or None if the engine cannot say it."""
    try:
        return Individual([engine_text(expression)], 0.0, [1.0])
    except (ValueError, OverflowError):
        return None


def polished(
    expression: Expression, X: Floats, y: Floats, data: Dataset, how: Refinement = POLISH
) -> Find | None:
    """Tune all constants on all rows; the expression with the constants found, and what it leaves unexplained."""
    individual = as_individual(expression)
    if individual is None:
        return None
    tuned = individual.refine(data, how)
    if np.isfinite(tuned.fitness):
        c = tuned.coefficients[0]
        tree = (
            _sum([Number(tuned.intercept), _times(c, gene_expression(tuned, 0))])
            if c != 0.0
            else Number(tuned.intercept)
        )
        found = measure(simplify(tree), X, y)
        before = measure(expression, X, y)
        return (
            found
            if before is None or (found is not None and found.unexplained <= before.unexplained)
            else before
        )
    return measure(expression, X, y)


def with_simple_exponents(expression: Expression) -> Expression:
    """Exponents close to a multiple of one half made so."""

    def change(node: Expression, children: tuple[Expression, ...]) -> Expression:
        if not isinstance(node, Power):
            return rebuild(node, children)
        near = round(2.0 * node.exponent) / 2.0
        if abs(near - node.exponent) > CLOSE_TO_SIMPLE:
            return Power(children[0], node.exponent)
        return Number(1.0) if near == 0.0 else _power(children[0], near)

    return simplify(fold(expression, change))


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


def _inside_logarithm(gene: Expression) -> Expression | None:
    if not (isinstance(gene, Operation) and gene.name == "log"):
        return None
    inside = gene.arguments[0]
    return inside.arguments[0] if isinstance(inside, Operation) and inside.name == "abs" else inside


def _with_variables(
    expression: Expression, variables: dict[int, Expression], signs: dict[int, float], features: list[int]
) -> Expression:
    """Features of a seeker as the user's; |x| of a feature of one sign needs no bars."""

    def change(node: Expression, children: tuple[Expression, ...]) -> Expression:
        if isinstance(node, Variable):
            return variables[node.index]
        if isinstance(node, Power):
            return _power(children[0], node.exponent)
        if isinstance(node, Operation) and node.name == "abs" and isinstance(node.arguments[0], Variable):
            return _absolute(children[0], signs.get(features[node.arguments[0].index]))
        return rebuild(node, children)

    return fold(expression, change)


def _absolute(expression: Expression, sign: float | None) -> Expression:
    if sign is None:
        return Operation("abs", (expression,))
    return expression if sign > 0 else Operation("neg", (expression,))


def _power(base: Expression, exponent: float) -> Expression:
    near = round(2.0 * exponent) / 2.0
    exponent = near if near != 0.0 and abs(exponent - near) < 1e-5 else exponent
    return base if exponent == 1.0 else Power(base, exponent)


def _signed_power(base: Expression, exponent: float, X: Floats) -> Expression:
    """A factor of a target that changes its sign: what changes its own is there with a whole exponent."""
    values = evaluate(base, X)
    if np.all(values > 0.0):
        return _power(base, exponent)
    if np.all(values < 0.0):
        return _power(Operation("neg", (base,)), exponent)
    whole = round(exponent)
    if whole != 0 and abs(exponent - whole) < 0.05:
        return base if whole == 1 else Power(base, whole)
    return _power(Operation("abs", (base,)), exponent)


def _times(weight: float, expression: Expression) -> Expression:
    return expression if weight == 1.0 else Operation("mul", (Number(weight), expression))


def _sum(parts: list[Expression]) -> Expression:
    return parts[0] if len(parts) == 1 else Operation("add", tuple(parts))


def _product(parts: list[Expression]) -> Expression:
    return parts[0] if len(parts) == 1 else Operation("mul", tuple(parts))
