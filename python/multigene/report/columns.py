"""The data summary of a report: what every column looks like, from one sort of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from multigene.fitted import FittedModel
from multigene.report import statistics
from multigene.report.constants import BINS
from multigene.report.numbers import Floats, number, numbers
from multigene.report.statistics import Rows


def summary(model: FittedModel, rows: Rows | None) -> tuple[list[dict[str, Any]], list[Floats]]:
    """A description of the target and of every feature, and the grid of values that dependence on each
    feature is shown at.
    """
    if rows is None:
        known = model.data
        if known is None:
            return [], []
        ranges = {model.target: known["target_range"], **known["ranges"]}
        return [{"name": name, "min": low, "max": high} for name, (low, high) in ranges.items()], []
    described, grids = [_column(model.target, np.sort(rows.y))], []
    for name, values in zip(model.names, rows.X.T, strict=True):
        ordered = np.sort(values)
        grids.append(statistics.grid_of(ordered))
        described.append({**_column(name, ordered), "grid": numbers(grids[-1])})
    return described, grids


def _column(name: str, ordered: Floats) -> dict[str, Any]:
    quarter, middle, three_quarters = (_quantile(ordered, share) for share in (0.25, 0.5, 0.75))
    with np.errstate(all="ignore"):  # values of 1e300 have no finite deviation
        mean, deviation = ordered.mean(), ordered.std()
    low, high = float(ordered[0]), float(ordered[-1])
    said: dict[str, Any] = {
        "name": name,
        "min": low,
        "quarter": quarter,
        "median": middle,
        "three_quarters": three_quarters,
        "max": high,
        "mean": number(mean),
        "sd": number(deviation),
        "distinct": 1 + int((ordered[1:] != ordered[:-1]).sum()),
    }
    if high > low and np.isfinite(high - low):
        edges = np.linspace(low, high, BINS + 1)
        if np.all(edges[1:] > edges[:-1]):  # not so where the column's values differ in the last bits only
            places = np.searchsorted(ordered, edges[1:-1], side="left")
            said["counts"] = np.diff(np.concatenate([[0], places, [len(ordered)]])).tolist()
            said["edges"] = numbers(edges)
    return said


def _quantile(ordered: Floats, share: float) -> float:
    """As `numpy.quantile`, of values in ascending order."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (place - below) * (ordered[above] - ordered[below]))
