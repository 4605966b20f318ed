"""How many verdicts could agree at all? An exact repetition of the paper, simulated from the paper's own figures.

Verdicts of 30 runs are a matter of chance where distributions overlap: the authors themselves, with other seeds, would not
print the same ones. From the minimum, median and maximum that the paper prints for a configuration its testing R² is drawn
anew, on the scale of ln(1 − R²), where such values spread evenly: a normal distribution on either side of the median, each as
wide as makes the printed extreme the expected one of 30 draws. The same test as in `statistics.py` then gives the verdicts of
the repetition, to be compared with the printed ones. (A uniform distribution between the extremes has heavier shoulders and
makes the printed verdicts themselves less likely: 41 instead of 45 of 52 would agree.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.stats import mannwhitneyu

from multigene.study import paper
from multigene.study.paper import PaperCell, Verdict
from multigene.study.problems import REALISTIC

Array = NDArray[np.float64]

#: The paper prints three digits: what is closer to 1 cannot be told from it.
PRINTED = 5e-4
#: Expected largest of 30 draws from the standard normal distribution.
EXTREME = 2.0428
_WORDS: dict[int, Verdict] = {1: "better", 0: "same", -1: "worse"}
_KINDS = {word: kind for kind, word in _WORDS.items()}


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


def summary_ceiling(runs: int = 30, draws: int = 1000, alpha: float = 0.05 / 11, seed: int = 0) -> Ceiling:
    """The same for the counts of the paper's summary, over the configurations whose figures it prints on all nine realistic
    problems: how many verdicts of a repetition can be matched with one of the same kind in the paper's counts."""
    rng = np.random.default_rng(seed)
    cells, counts = paper.cells(), paper.summary()
    printed = [name for name in counts if all((problem, name) in cells for problem in REALISTIC)]
    matched = np.zeros(draws)
    for name in printed:
        kinds = {1: np.zeros(draws), 0: np.zeros(draws), -1: np.zeros(draws)}
        for problem in REALISTIC:
            ours = _drawn(cells[problem, name], runs, draws, rng)
            found = _verdicts(ours, _drawn(cells[problem, "baseline"], runs, draws, rng), alpha)
            for kind, number in kinds.items():
                number += found == kind
        for kind, word in _WORDS.items():
            matched += np.minimum(kinds[kind], counts[name][word])
    low, high = np.quantile(matched, (0.05, 0.95))
    return Ceiling(len(printed) * len(REALISTIC), float(matched.mean()), float(low), float(high))


@lru_cache
def ceiling(runs: int = 30, draws: int = 1000, alpha: float = 0.05 / 11, seed: int = 0) -> Ceiling:
    """Agreement of exact repetitions with this many runs each."""
    cells, repeated = paper.cells(), _repeated(runs, draws, alpha, seed)
    agreeing = np.sum(
        [found == _KINDS[cells[key].verdict or "same"] for key, found in repeated.items()], axis=0
    )
    low, high = np.quantile(agreeing, (0.05, 0.95))
    return Ceiling(len(repeated), float(agreeing.mean()), float(low), float(high))


def chance(problem: str, method: str, verdict: Verdict, runs: int = 30) -> float:
    """Share of exact repetitions that have this verdict in a cell whose verdict the paper prints."""
    return float(np.mean(_repeated(runs, 1000, 0.05 / 11, 0)[problem, method] == _KINDS[verdict]))


@lru_cache
def _repeated(runs: int, draws: int, alpha: float, seed: int) -> dict[tuple[str, str], NDArray[np.int_]]:
    """The verdicts of repetitions in every cell whose verdict the paper prints."""
    rng, cells = np.random.default_rng(seed), paper.cells()
    found = {}
    for (problem, method), cell in cells.items():
        if cell.verdict is not None:
            ours = _drawn(cell, runs, draws, rng)
            found[problem, method] = _verdicts(
                ours, _drawn(cells[problem, "baseline"], runs, draws, rng), alpha
            )
    return found


def _drawn(cell: PaperCell, runs: int, draws: int, rng: np.random.Generator) -> Array:
    """Testing R² of simulated runs, one line per repetition, on a scale on which more is better."""
    worst, middle, best = (
        -np.log(max(1.0 - value, PRINTED)) for value in (cell.test_min, cell.test_median, cell.test_max)
    )
    place = rng.standard_normal((draws, runs)) / EXTREME
    drawn = middle + place * np.where(place < 0.0, middle - worst, best - middle)
    return np.asarray(np.round(np.exp(-drawn) / PRINTED) * -PRINTED)


def _verdicts(ours: Array, baseline: Array, alpha: float) -> NDArray[np.int_]:
    """1 where ours are better, −1 where they are worse, 0 where the test sees no difference."""
    result = mannwhitneyu(ours, baseline, axis=1, method="asymptotic")
    decided = np.nan_to_num(result.pvalue, nan=1.0) < alpha
    middle = ours.shape[1] * baseline.shape[1] / 2
    return np.where(decided, np.sign(result.statistic - middle), 0).astype(int)
