"""How many verdicts could agree at all? An exact repetition of the paper, simulated from the paper's own figures.

Verdicts of 30 runs are a matter of chance where distributions overlap: the authors themselves, with other seeds, would not
print the same ones. From the minimum, median and maximum that the paper prints for a configuration its testing R² is drawn
anew: with equal chance between minimum and median or between median and maximum, uniformly on the scale of ln(1 − R²), where
such values spread evenly. The same test as in `statistics.py` then gives the verdicts of the repetition, to be compared with
the printed ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.stats import mannwhitneyu

from multigene.study import paper
from multigene.study.paper import PaperCell

Array = NDArray[np.float64]

#: The paper prints three digits: what is closer to 1 cannot be told from it.
PRINTED = 5e-4


@dataclass(frozen=True)
class Ceiling:
    """Verdicts of simulated repetitions that agree with the printed ones: the mean and the middle 90 %."""

    verdicts: int
    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return (
            f"an exact repetition would agree in {self.mean:.0f} of {self.verdicts} "
            f"({self.low:.0f} to {self.high:.0f} in 90 % of simulations)"
        )


@lru_cache
def ceiling(runs: int = 30, draws: int = 1000, alpha: float = 0.05 / 11, seed: int = 0) -> Ceiling:
    """Agreement of exact repetitions with so many runs each."""
    rng = np.random.default_rng(seed)
    cells = paper.cells()
    agreeing = np.zeros(draws)
    printed = [(key, cell) for key, cell in cells.items() if cell.verdict is not None]
    for (problem, _), cell in printed:
        ours = _drawn(cell, runs, draws, rng)
        baseline = _drawn(cells[problem, "baseline"], runs, draws, rng)
        agreeing += (
            _verdicts(ours, baseline, alpha) == {"better": 1, "same": 0, "worse": -1}[cell.verdict or "same"]
        )
    low, high = np.quantile(agreeing, (0.05, 0.95))
    return Ceiling(len(printed), float(agreeing.mean()), float(low), float(high))


def _drawn(cell: PaperCell, runs: int, draws: int, rng: np.random.Generator) -> Array:
    """Testing R² of simulated runs, one line per repetition, on a scale on which more is better."""
    worst, middle, best = (
        -np.log(max(1.0 - value, PRINTED)) for value in (cell.test_min, cell.test_median, cell.test_max)
    )
    place = rng.uniform(0.0, 2.0, (draws, runs))
    drawn = np.where(place < 1.0, worst + place * (middle - worst), middle + (place - 1.0) * (best - middle))
    return np.asarray(np.round(np.exp(-drawn) / PRINTED) * -PRINTED)


def _verdicts(ours: Array, baseline: Array, alpha: float) -> NDArray[np.int_]:
    """1 where ours are better, −1 where they are worse, 0 where the test sees no difference."""
    result = mannwhitneyu(ours, baseline, axis=1, method="asymptotic")
    decided = np.nan_to_num(result.pvalue, nan=1.0) < alpha
    middle = ours.shape[1] * baseline.shape[1] / 2
    return np.where(decided, np.sign(result.statistic - middle), 0).astype(int)
