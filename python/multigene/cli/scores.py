"""How good predictions are: the numbers that `fit`, `predict` and `compare` report."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from multigene.words import counted

Floats = npt.NDArray[np.float64]


def scores(y: Floats, prediction: Floats) -> dict[str, float]:
    """R², root mean squared error, mean and largest absolute error."""
    with np.errstate(all="ignore"):
        error = y - prediction
        spread = float(np.sum((y - y.mean()) ** 2))
        left = float(np.sum(error**2))
        r2 = 1.0 - left / spread if spread > 0.0 else (1.0 if left == 0.0 else float("nan"))
        return {
            "r2": r2,
            "rmse": float(np.sqrt(np.mean(error**2))),
            "mae": float(np.mean(np.abs(error))),
            "max_error": float(np.max(np.abs(error))),
        }


def spoken(name: str, values: dict[str, float], rows: int) -> str:
    """One line of scores for people."""
    return f"{name + ':':10} R² {values['r2']:.6f}   RMSE {values['rmse']:.6g}   {counted(rows, 'row')}"
