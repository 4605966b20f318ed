"""How stable a formula is: which of its columns other searches use as well, in formulas of like size.

The searches are those of cross-validation with few rows, each without a fifth of the rows and without knowing of the others: a
column that all of them use is there whichever rows are drawn. With many rows there are no such searches; islands see the same
rows, exchange models, and have formulas of unlike sizes.
"""

from __future__ import annotations

from collections.abc import Sequence

from multigene._engine import Individual
from multigene.evolution.pareto import Member

#: What a search has come to: size and columns of models, the smallest first, each fitter than those before it.
Sizes = Sequence[tuple[int, frozenset[int]]]


def columns_of(individual: Individual) -> frozenset[int]:
    """Columns that a model uses, in genes that take part."""
    used: set[int] = set()
    for gene, coefficient in enumerate(individual.coefficients):
        for token in individual.tokens(gene) if coefficient != 0.0 else ():
            if token[0] == "x":
                used.add(token[1])
            elif token[0] in ("lcf", "product"):
                used.update(column for column, weight in token[2] if weight != 0.0)
    return frozenset(used)


def supported(member: Member, searches: Sequence[Sizes]) -> tuple[tuple[int, float], ...]:
    """For every column of a model, the share of the searches whose fittest model of at most its size uses it as well. Nothing
    where there are fewer than two to ask: a search always agrees with itself."""
    fittest = [
        next((columns for size, columns in reversed(sizes) if size <= member.complexity), None)
        for sizes in searches
    ]
    asked = [columns for columns in fittest if columns is not None]
    if len(asked) < 2:
        return ()
    return tuple(
        (column, sum(column in columns for columns in asked) / len(asked))
        for column in sorted(columns_of(member.individual))
    )
