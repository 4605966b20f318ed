"""Some of many rows, chosen without chance: what is too slow on all rows is done on these."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.intp]


def evenly(rows: int, most: int) -> Indices:
    """At most `most` of this many rows, at equal distances; the first and the last are among them."""
    return np.linspace(0, rows - 1, min(rows, most)).astype(np.intp)


def spread_rows(y: npt.NDArray[np.float64], most: int) -> Indices:
    """At most `most` rows, spread evenly over the order of `y`; the extremes are among them."""
    if len(y) <= most:
        return np.arange(len(y))
    order = np.argsort(y, kind="stable")
    return np.sort(order[np.linspace(0, len(y) - 1, most).round().astype(np.intp)])
