"""How good predictions are: the one definition of R², by which models are fitted, chosen, pruned and reported.

R² is 1 less the share of the target's variance that is left. As in scikit-learn's `r2_score`, a constant target is explained
wholly (1) by the exact prediction and not at all (0) by any other. A prediction that is not finite on some row has R² −∞.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def r2(y: Floats, prediction: Floats, weights: Floats | None = None) -> float:
    """Share of the target's variance that a prediction explains."""
    unit = unit_of(y)
    with np.errstate(all="ignore"):
        errors = (prediction - y) / unit
        around = y / unit
        around = around - np.average(around, weights=weights)
        left = float(np.average(errors**2, weights=weights))
        total = float(np.average(around**2, weights=weights))
    return explained(left, total)


def explained(left: float, total: float) -> float:
    """R² from the mean (or sum of) squared errors that are left and those around the mean."""
    if not np.isfinite(left):
        return -np.inf
    if total == 0.0:
        return 1.0 if left == 0.0 else 0.0
    return 1.0 - left / total


def unit_of(y: Floats) -> float:
    """A power of two near the largest value, so that squares of 1e200 or 1e-200 are neither infinite nor zero.

    Division by it changes no bit of ordinary numbers.
    """
    largest = float(np.abs(y).max(initial=0.0))
    return float(2.0 ** (np.frexp(largest)[1] - 1)) if np.isfinite(largest) and largest > 0.0 else 1.0
