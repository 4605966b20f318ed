"""A find: an expression in the user's variables, as a model of the engine, with what it leaves unexplained.

`measure` and `polished` are how everything in this folder looks at an expression on all rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual
from multigene.data.scores import scale_of
from multigene.expression.engine_text import engine_form, engine_text
from multigene.expression.numbers import map_numbers
from multigene.expression.rewriting import simplify
from multigene.expression.tree import Expression, Number, Operation
from multigene.laws.constants import POLISH
from multigene.settings.settings import Refinement

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Find:
    """An expression that was found, and what it is worth."""

    individual: Individual
    expression: Expression
    unexplained: float
    grade: str | None = None
    """How strong a claim it is: one of the grades of `exact.py`; None for no claim."""
    parts: tuple[tuple[str, str], ...] = ()
    """What stands in the gaps of a user's form: `f(a)` and its text."""


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


def polished(
    expression: Expression,
    X: Floats,
    y: Floats,
    data: Dataset,
    how: Refinement = POLISH,
    weights: Floats | None = None,
) -> Find | None:
    """Tune all constants on all rows; the expression with the constants found, and what it leaves unexplained.

    `data` holds the same rows, and the same `weights` where there are some.
    """
    before = measure(expression, X, y, weights)
    individual = as_individual(expression) if before is None else before.individual
    tuned = None if individual is None else individual.refine(data, how)
    if tuned is None or not np.isfinite(tuned.fitness):
        return before
    found = measure(simplify(_fitted(expression, tuned)), X, y, weights)
    worse = found is None or (before is not None and not found.unexplained <= before.unexplained)
    return before if worse else found


def measure(expression: Expression, X: Floats, y: Floats, weights: Floats | None = None) -> Find | None:
    """The expression as a model, with what it leaves unexplained; None where it has no finite value or cannot be said.

    `weights` say how much a row counts.
    """
    individual = as_individual(expression)
    if individual is None:
        return None
    unit = scale_of(y)  # squares of very large or small values have no value
    with np.errstate(all="ignore"):
        residual = (y - individual.predict(X)) / unit
        spread = (y - np.average(y / unit, weights=weights) * unit) / unit
        if weights is not None:
            residual, spread = residual * np.sqrt(weights), spread * np.sqrt(weights)
        left, total = float(residual @ residual), float(spread @ spread)
        unexplained = left / total if total > 0 else left
    return Find(individual, expression, unexplained) if np.isfinite(unexplained) else None


def shortest(finds: Iterable[Find]) -> Find:
    """The find with the smallest formula; the more exact one among equals."""
    return min(finds, key=lambda f: (f.individual.complexity, f.unexplained))
