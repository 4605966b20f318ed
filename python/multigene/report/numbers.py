"""Numbers as the page's data has them: few digits, and None where there is no finite value."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def number(value: Any, digits: int = 6) -> float | None:
    """A finite number with few digits, or None."""
    value = float(value)
    return float(f"{value:.{digits}g}") if np.isfinite(value) else None


def numbers(values: Floats, digits: int = 5) -> list[Any]:
    """Each of them so."""
    return [number(value, digits) for value in values.tolist()]
