"""A formula without one of its terms: the other coefficients are fitted anew, and the cost is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from multigene.evolution.pareto import Member
from multigene.explain.terms import Scorer, as_individual
from multigene.expression.tree import Expression

if TYPE_CHECKING:
    from multigene.fitted import FittedModel


def without_term(
    model: FittedModel, terms: Sequence[Expression], place: int
) -> tuple[FittedModel, float, float]:
    """The model in use, the sum of these terms with coefficients, without the one at a place; R² before and after."""
    rows = model.needed(None)
    if not 0 <= place < len(terms):
        raise ValueError(f"There is no term number {place}; the formula has {len(terms)}, counted from 0.")
    fitted = Scorer(rows).fit([term for i, term in enumerate(terms) if i != place])
    if fitted is None:
        raise ValueError(
            "Without this term the formula has no finite value on some rows; leave another one out."
        )
    individual = as_individual(fitted.constant, fitted.coefficients, fitted.terms, grouped=True)
    before, after = (
        rows.explained(model.individual.predict(rows.X)),
        rows.explained(individual.predict(rows.X)),
    )
    member = Member(individual, after, individual.complexity, source="pruned")
    shorter = replace(model, front=model.front.with_member(member), chosen=member, choice="pruned")
    return shorter, before, after
