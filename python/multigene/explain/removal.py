"""A formula without one of its terms: the other coefficients are fitted anew."""

from __future__ import annotations

from collections.abc import Sequence

from multigene.data.training_rows import TrainingRows
from multigene.evolution.pareto import Member
from multigene.explain.terms import Scorer, as_individual
from multigene.expression.tree import Expression


def without_term(terms: Sequence[Expression], place: int, rows: TrainingRows) -> Member:
    """The sum of these terms but the one at a place, with the best coefficients for the rows."""
    if not 0 <= place < len(terms):
        raise ValueError(f"There is no term number {place}; the formula has {len(terms)}, counted from 0.")
    fitted = Scorer(rows).fit([term for i, term in enumerate(terms) if i != place])
    if fitted is None:
        raise ValueError(
            "Without this term the formula has no finite value on some rows; leave another one out."
        )
    individual = as_individual(fitted.constant, fitted.coefficients, fitted.terms, grouped=True)
    return Member(
        individual, rows.explained(individual.predict(rows.X)), individual.complexity, source="pruned"
    )
