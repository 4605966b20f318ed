"""Models tuned once more, and their shorter relatives: the same model at ever higher prices of a printed node.

Evolution works on large models and leaves the small sizes of the front to chance; taking out of a good large model what it can
do without gives better small ones. The search does this before the front is validated and towards the end of a run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from multigene._engine import Dataset, Individual, Workers, polish
from multigene.search.constants import (
    POLISHING_GAIN,
    POLISHING_STEPS,
    PRICES,
    SHORTENING_PARAMETERS,
    SHORTENING_STEPS,
)
from multigene.settings.settings import Refinement


def polished(
    models: Sequence[Individual], data: Dataset, refinement: Refinement, workers: Workers
) -> list[Individual]:
    """All genes of each model tuned jointly."""
    longer = replace(refinement, iterations=POLISHING_STEPS, gain=POLISHING_GAIN)
    return polish(list(models), data, longer, [], workers)


def fitted(models: Sequence[Individual], data: Dataset, workers: Workers) -> list[Individual]:
    """Outer coefficients fitted, inner weights as they are."""
    return polish(list(models), data, Refinement(iterations=0), [], workers)


def shorter_relatives(
    models: Sequence[Individual], data: Dataset, refinement: Refinement, trim: float, workers: Workers
) -> list[Individual]:
    """Every model at every price, each made from the one before, and all that they come by on the way."""
    if not trim > 0.0:
        return []
    tuning = replace(refinement, iterations=SHORTENING_STEPS, max_parameters=SHORTENING_PARAMETERS)
    return polish(list(models), data, tuning, [trim * price / data.count for price in PRICES], workers)
