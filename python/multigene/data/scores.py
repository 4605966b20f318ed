"""How good predictions are: R² and other measures, defined once for fitting, choosing, pruning and every report.

R² is 1 less the share of the target's variance that is left. As in scikit-learn's `r2_score`, a constant target is explained
wholly (1) by the exact prediction and not at all (0) by any other. A prediction that is not finite on some row has R² −∞.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from multigene.words import counted

Floats = npt.NDArray[np.float64]


def r2(y: Floats, prediction: Floats, weights: Floats | None = None) -> float:
    """Share of the target's variance that a prediction explains."""
    unit = scale_of(y)
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


def metrics(y: Floats, prediction: Floats, weights: Floats | None = None) -> dict[str, float]:
    """R², RMSE, mean, median and largest absolute error, and mean error (bias) of a prediction."""
    if len(y) == 0:
        raise ValueError("There are no rows to measure on; give at least one.")
    with np.errstate(all="ignore"):
        error = prediction - y
    if not np.all(np.isfinite(error)):
        lost = dict.fromkeys(("rmse", "mae", "median", "max"), np.inf)
        return {"r2": -np.inf, **lost, "bias": np.nan}
    unit = scale_of(error)
    error = error / unit
    return {
        "r2": r2(y, prediction, weights),
        "rmse": float(np.sqrt(np.average(error**2, weights=weights))) * unit,
        "mae": float(np.average(np.abs(error), weights=weights)) * unit,
        "median": float(np.median(np.abs(error))) * unit,
        "max": float(np.abs(error).max()) * unit,
        "bias": float(np.average(error, weights=weights)) * unit,
    }


def scores(y: Floats, prediction: Floats, weights: Floats | None = None) -> dict[str, float]:
    """What the command line reports of a prediction: R², root mean squared error, mean and largest absolute error."""
    found = metrics(y, prediction, weights)
    return {name: found[name] for name in ("r2", "rmse", "mae")} | {"max_error": found["max"]}


def spoken(name: str, values: Mapping[str, float], rows: int) -> str:
    """One line of scores for people."""
    return f"{name + ':':10} R² {values['r2']:.6f}   RMSE {values['rmse']:.6g}   {counted(rows, 'row')}"


def scale_of(y: Floats) -> float:
    """A power of two near the largest value, so that squares of 1e200 or 1e-200 are neither infinite nor zero.

    Division by it changes no bit of ordinary numbers.
    """
    largest = float(np.abs(y).max(initial=0.0))
    return float(2.0 ** (np.frexp(largest)[1] - 1)) if np.isfinite(largest) and largest > 0.0 else 1.0
