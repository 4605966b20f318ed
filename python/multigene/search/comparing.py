"""Is one model better than another on the same unseen rows? Comparisons of their errors, row by row.

A difference of means may be chance, or one row's: `clearly_better` counts standard errors, the others look at how many rows
agree. What is made of it is decided in `validation.py`, `few_rows.py` and `approximation.py`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from multigene.search.constants import BETTER_IN_NOISE, BETTER_THAN_LINEAR, FAR_LESS, MORE_ROWS, WORTH_IT

Floats = npt.NDArray[np.float64]


def clearly_better(first: Floats, second: Floats, errors: float) -> bool:
    """Is the mean of the first smaller than that of the second by this many standard errors of the difference?"""
    if not np.all(np.isfinite(first)):
        return False
    if not np.all(np.isfinite(second)):
        return True
    difference = second - first
    spread = float(difference.std(ddof=1)) / np.sqrt(len(difference)) if len(difference) > 1 else 0.0
    return float(difference.mean()) > errors * spread


def better_on_most_rows(first: Floats, second: Floats) -> bool:
    """Are the first errors far less on more rows than chance explains, and in sum hardly more? That may be one row's."""
    return bool(
        np.median(first) < FAR_LESS * np.median(second)
        and on_more_rows(first, second)
        and first.sum() <= (1.0 + WORTH_IT) * second.sum()
    )


def on_more_rows(first: Floats, second: Floats, deviations: float = MORE_ROWS) -> bool:
    """Are the first errors less on more rows than chance explains, by this many standard deviations of chance?"""
    return bool(np.mean(first < second) - 0.5 > deviations * 0.5 / np.sqrt(len(first)))


def convincingly_better(first: Floats, second: Floats, errors: float) -> bool:
    """Clearly better, and on more rows than chance would have it: a mean of few squares may hang on one row."""
    return clearly_better(first, second, errors) and on_more_rows(first, second, 1.0)


def better_in_noise(first: Floats, second: Floats) -> bool:
    """Convincingly better of few noisy rows. If few large rows are most of what is saved, standard errors cannot be many; then
    fewer are enough where most of the error is saved."""
    halved = bool(first.sum() < 0.5 * second.sum())
    return convincingly_better(first, second, BETTER_THAN_LINEAR if halved else BETTER_IN_NOISE)


def better_for_its_size(first: Floats, line: Floats, mean: Floats) -> bool:
    """Of few noisy rows, is a formula that is no larger than the line better than that, and more than luck against the mean? It
    need not make up for its size: to be clearly better is enough, unless the line is nearer to more rows than chance explains."""
    if on_more_rows(line, first, 1.0) or not better_in_noise(first, mean):
        return False
    return clearly_better(first, line, BETTER_THAN_LINEAR)
