"""The formula in use with other numbers in it: what somebody gets who moves its constants by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from multigene._engine import Individual
from multigene.data.training_rows import TrainingRows
from multigene.evolution.pareto import Member
from multigene.expression.engine_text import engine_text
from multigene.expression.numbers import parameters, with_number
from multigene.expression.tree import Expression


def with_numbers(expression: Expression, values: Sequence[float], rows: TrainingRows) -> Member:
    """The formula with these values of its `parameters`, which nothing is fitted to."""
    known = parameters(expression)
    if len(values) != len(known):
        raise ValueError(f"The formula has {len(known)} numbers, not {len(values)}; give one value for each.")
    for place, (value, before) in enumerate(zip(values, known, strict=True)):
        if not math.isfinite(value):
            raise ValueError(f"Number {place + 1} would be {value}; give a finite one.")
        if value != before:
            expression = with_number(expression, place, value, whole_exponents=False)
        if len(parameters(expression)) != len(known):
            raise ValueError(f"An exponent of {value:g} is whole and no number of its own; give another one.")
    try:
        individual = Individual([engine_text(expression)], 0.0, [1.0])
    except (ValueError, OverflowError):
        raise ValueError("The formula cannot be computed with these numbers; give others.") from None
    predicted = individual.predict(rows.X)
    if not np.isfinite(predicted).all():
        raise ValueError("With these numbers the formula has no finite value on some rows; give others.")
    return Member(individual, rows.explained(predicted), individual.complexity, source="moved")
