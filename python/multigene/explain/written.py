"""A finished model as it is printed: genes that are the terms of its simplified formula.

Genes carry what evolution left in them: constants of constants, factors that a coefficient takes over, an exponential as the tail
of a softplus. Printed, they are simplified; only numbers that stand in the simplified formula can be given few digits
(`digits.py`) such that what people read is what the model computes.
"""

from __future__ import annotations

import numpy as np

from multigene._engine import Individual
from multigene.explain.constants import SAME
from multigene.explain.terms import split
from multigene.expression.engine_text import combination, engine_text
from multigene.expression.genes import model_expression
from multigene.expression.printed_size import printed_size
from multigene.expression.rewriting import simplify
from multigene.expression.rewriting.scales import with_bare_terms
from multigene.expression.rewriting.tails import tails_as_such
from multigene.expression.tree import Array, Expression, Number, Operation, Variable, fold, rebuild


def as_written(individual: Individual, X: Array, *, exponentials: bool = True) -> Individual:
    """The model with the terms of its printed formula as genes; as it was where that would change it on some row.

    `exponentials` may stand where the model uses a tail of another function; not if the user allows no exp.
    """
    try:
        with np.errstate(all="ignore"):
            formula = model_expression(individual)
            formula = simplify(tails_as_such(formula, X)) if exponentials else formula
            shorter = simplify(with_bare_terms(formula))
            constant, terms = split(min(formula, shorter, key=printed_size))
        line = [(rest.index, coefficient) for coefficient, rest in terms if isinstance(rest, Variable)]
        others = [(coefficient, rest) for coefficient, rest in terms if not isinstance(rest, Variable)]
        texts = [engine_text(fold(rest, _number_last), leaves=True, bare=True) for _, rest in others]
        coefficients = [coefficient for coefficient, _ in others]
        if line:
            texts.insert(0, combination(line, 0.0))
            coefficients.insert(0, 1.0)
        written = Individual(texts, constant, coefficients)
    except (OverflowError, ValueError):  # a constant that floating point does not hold
        return individual
    before, after = individual.predict(X), written.predict(X)
    with np.errstate(all="ignore"):
        same = np.abs(after - before) <= SAME * np.abs(before).max()
    return written if bool(same.all()) else individual


def _number_last(node: Expression, children: tuple[Expression, ...]) -> Expression:
    """A product with its number at the end: the engine has products of two, and 2*(x + 1) is multiplied out if it comes first."""
    node = rebuild(node, children)
    if (
        isinstance(node, Operation)
        and node.name == "mul"
        and len(children) > 2
        and isinstance(children[0], Number)
    ):
        return rebuild(node, (*children[1:], children[0]))
    return node
