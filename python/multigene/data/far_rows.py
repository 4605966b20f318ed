"""Rows that have most of the squared errors of a formula, few and far from all others, so that least squares follows them.

`fitting/fitting.py` says so where the formula explains little of the target, with a way to fit the other rows. What is an outlier
before any formula is there is told by `outliers.py`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from multigene.data.constants import FAR_ERRORS, FAR_SHARE, MOST_OF_ERRORS, NAMED_ROWS, NORMAL_SPREAD

Floats = npt.NDArray[np.float64]


def far_rows(errors: Floats) -> npt.NDArray[np.intp]:
    """Rows with most of the squared errors, if they are few and far from the others."""
    none = np.zeros(0, dtype=np.intp)
    unit = float(np.abs(errors).max(initial=0.0))
    if not 0.0 < unit < np.inf:
        return none
    scaled = errors / unit
    spread = robust_spread(scaled)
    far = np.flatnonzero(np.abs(scaled) > max(FAR_ERRORS * spread, np.finfo(float).eps))
    few = len(far) <= FAR_SHARE * len(errors)
    return far if few and np.sum(scaled[far] ** 2) > MOST_OF_ERRORS * np.sum(scaled**2) else none


def said_of(y: Floats, prediction: Floats, explained: float, weights: Floats | None = None) -> str | None:
    """What to say of such rows, where the formula explains little of the target; `weights` say how much a row counts."""
    root = 1.0 if weights is None else np.sqrt(weights / weights.max())
    rows = far_rows(root * (y - prediction)) if explained < MOST_OF_ERRORS else np.zeros(0, dtype=np.intp)
    if not len(rows):
        return None
    return (
        f"{len(rows)} of {len(y)} rows have most of the squared errors (target {named(y, rows)}), and the formula tells little "
        "of the others. Leave them out if they are mistakes; loss='huber' or loss='absolute' fits the other rows."
    )


def named(y: Floats, rows: npt.NDArray[np.intp]) -> str:
    """Targets of the first rows."""
    return ", ".join(f"{y[row]:.4g}" for row in rows[:NAMED_ROWS]) + (", …" if len(rows) > NAMED_ROWS else "")


def robust_spread(errors: Floats) -> float:
    """A standard deviation by the median: a few far errors do not change it."""
    return NORMAL_SPREAD * float(np.median(np.abs(errors - np.median(errors))))
