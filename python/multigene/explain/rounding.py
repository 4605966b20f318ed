"""The last step of `prune.py`: numbers with as few digits as the loss of R² allows, simple fractions and multiples of π where
they are close.

One number after the other is fixed, inner ones first, the outer coefficients that are still free refitted
each time, so that what one number gives up another can make good.
"""

from __future__ import annotations

import numpy as np

from multigene.data.scores import explained
from multigene.explain.terms import Fitted, Scorer, Terms
from multigene.expression.numbers import parameters, short_numbers, with_number


def rounded(terms: Terms, scorer: Scorer, floor: float) -> Fitted | None:
    """The sum of terms with rounded numbers and R² not below the floor, or None where that cannot be."""
    fitted = scorer.fit(terms)
    if fitted is None or fitted.r2 < floor:
        return None
    left = sum(len(parameters(term)) for term in fitted.terms) + len(fitted.terms) + 1
    for i in range(len(fitted.terms)):
        for place in range(len(parameters(fitted.terms[i]))):
            lowest = fitted.r2 - (fitted.r2 - floor) / left
            fitted = _fix_inner(fitted, i, place, scorer, lowest)
            left -= 1
    return _fix_outer(fitted, scorer, floor)


def _fix_inner(fitted: Fitted, i: int, place: int, scorer: Scorer, lowest: float) -> Fitted:
    """One number of one term rounded as far as the R² with refitted coefficients allows."""
    term = fitted.terms[i]
    for value in short_numbers(parameters(term)[place]):
        try:
            changed = with_number(term, place, value, whole_exponents=False)
        except ValueError:
            continue
        trial = scorer.fit([*fitted.terms[:i], changed, *fitted.terms[i + 1 :]])
        if trial is not None and trial.r2 >= lowest and len(trial.terms) == len(fitted.terms):
            return trial
    return fitted


def _fix_outer(fitted: Fitted, scorer: Scorer, floor: float) -> Fitted | None:
    """Coefficients and constant rounded one after the other, the free ones refitted."""
    columns = [scorer.column(term) for term in fitted.terms]
    known = [c for c in columns if c is not None]
    A = np.stack([c[0] for c in known]) if known else np.zeros((0, len(scorer.target)))
    gram, cross = A @ A.T, A @ scorer.target
    lengths = np.array([c[2] for c in known])
    means = np.array([c[1] for c in known])
    fixed: dict[int, float] = {}

    def solved(given: dict[int, float]) -> tuple[np.ndarray, float]:
        """All coefficients (of unit columns) with the given ones held, and R²."""
        solution = np.zeros(len(known))
        for j, value in given.items():
            solution[j] = value * lengths[j]
        free = [j for j in range(len(known)) if j not in given]
        if free:
            right = cross[free] - gram[free] @ solution
            solution[free] = np.linalg.lstsq(gram[np.ix_(free, free)], right, rcond=1e-12)[0]
        residual = scorer.target - solution @ A
        return solution, explained(float(residual @ residual), scorer.total)

    # Small contributions first: what they lose, the larger ones can make good.
    order = sorted(range(len(known)), key=lambda j: abs(fitted.coefficients[j]) * lengths[j])
    left = len(known) + 1
    current, r2 = solved({})
    for j in order:
        lowest = r2 - max(0.0, r2 - floor) / left
        left -= 1
        value = current[j] / lengths[j]
        for candidate in [*short_numbers(value), value]:
            trial = solved(fixed | {j: candidate})
            if trial[1] >= lowest or candidate == value:
                fixed[j] = candidate
                current, r2 = trial
                break
    coefficients = [fixed[j] for j in range(len(known))]
    best = scorer.centre - float(np.dot(coefficients, means))
    # A constant off by d costs d² of mean squared error.
    for constant in [0.0, *short_numbers(best), best]:
        achieved = r2 - (constant - best) ** 2 / scorer.total
        if achieved >= floor:
            return Fitted(fitted.terms, constant, tuple(coefficients), achieved)
    return None
