"""What the first part of a split may be: finds for what a polynomial leaves to it, cleaned up and put in order.

A constant added to a term of a sum, or a factor of a factor, belongs to the rest as well, and is left out: what is known without
a fitted number is known exactly, and leaves a rest without noise. Every form is scored with the rest left to a polynomial.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset
from multigene.expression.build import sum_of
from multigene.expression.numbers import fitted_count
from multigene.expression.readable import size
from multigene.expression.rewriting import simplify
from multigene.expression.rewriting.parts import split_term, terms_of
from multigene.expression.tree import Expression, Number, evaluate
from multigene.laws.constants import POLISH, ROWS_ALIKE
from multigene.laws.find import polished
from multigene.laws.finds import Finds
from multigene.laws.noise import criterion
from multigene.laws.parts.splits import Bases, Split, other_factor, other_term, squared

Floats = npt.NDArray[np.float64]


def most_convincing(finds: Finds) -> list[Expression]:
    """Finds by what they cost; the law first where there is one."""
    law = [] if finds.law is None else [finds.law.expression]
    prices = finds.prices()
    others = sorted(finds.by_size.values(), key=lambda find: prices[id(find.individual)])
    return list(dict.fromkeys([*law, *(find.expression for find in others)]))


def candidates(found: list[Expression], split: Split, bases: Bases, X: Floats, t: Floats) -> list[Expression]:
    """All forms of what was found that have values, by what they cost together with a polynomial for the rest."""
    costs: dict[Expression, float] = {}
    with np.errstate(all="ignore"):
        for expression in found:
            tuned = _tuned(expression, split, bases, X, t)
            for form in (expression, tuned):
                for bare in () if form is None else forms(form, split.product):
                    left = _left(bare, split, bases, X, t)
                    if np.isfinite(left):
                        costs.setdefault(bare, _cost(bare, left, len(t)))
    return sorted(costs, key=lambda expression: costs[expression])


def forms(expression: Expression, product: bool) -> list[Expression]:
    """The expression without what the rest can have instead: an added number in a sum, a factor in a product, where also nothing
    may be added."""
    expression = simplify(expression)
    without = simplify(sum_of([term for term in terms_of(expression) if not isinstance(term, Number)]))
    if not product:
        return [without]
    return [rest for form in (without, expression) if (rest := split_term(form)[1]) is not None]


def _cost(expression: Expression, left: float, n: int) -> float:
    fitted = fitted_count(expression)
    return criterion(left, n // ROWS_ALIKE, fitted, size(expression))


def _left(expression: Expression, split: Split, bases: Bases, X: Floats, t: Floats) -> float:
    """What a first part and the best polynomial for the rest leave."""
    first = np.broadcast_to(evaluate(expression, X), len(t))
    if not np.isfinite(first).all() or np.ptp(first) == 0.0:
        return np.inf
    rest = bases.of(split.rest)
    left = (
        t - first * other_factor(first, rest, t) if split.product else t - first - other_term(first, rest, t)
    )
    return float(np.sum(left**2) / np.sum((t - t.mean()) ** 2))


def _tuned(expression: Expression, split: Split, bases: Bases, X: Floats, t: Floats) -> Expression | None:
    """A first part with its constants tuned while the rest is left to a polynomial."""
    if not split.product:
        free = Dataset(X, t, None, bases.of(split.rest)[0][:, 1:])
        found = polished(expression, X, t, free, POLISH)
        return None if found is None else found.expression
    for _ in range(2):
        first = np.broadcast_to(evaluate(expression, X), len(t))
        if not np.isfinite(first).all():
            return None
        rest = other_factor(first, bases.of(split.rest), t)
        quotient, weights = t / rest, squared(rest)
        if not np.isfinite(quotient).all():
            return None
        found = polished(expression, X, quotient, Dataset(X, quotient, weights), POLISH, weights)
        if found is None:
            return None
        expression = found.expression
    return expression
