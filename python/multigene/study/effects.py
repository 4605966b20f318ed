"""How large a difference is, not only whether there is one: effect sizes with intervals, per problem and over all.

Two measures of a method beside the baseline of its design, both on testing R². The *chance to win* is the probability that a run
of the method is better than one of the baseline (Vargha and Delaney's A: the U statistic over the number of pairs, ties count
half): 0.5 is no difference. The *error ratio* is the median over seeds of (1 − R²) relative to the baseline's on the same rows:
0.5 halves the unexplained variance. Intervals are percentiles of the bootstrap over seeds; over all problems, seeds are drawn
within each problem. `effects` computes, `effects_table` and `effects_figure` show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from multigene.study.errors import unknown
from multigene.study.figures import COLOURS, STYLE, settled
from multigene.study.statistics import Results
from multigene.study.tables import Table, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
DRAWS = 2000
COVERAGE = 0.95
#: Unexplained shares below this are as good as none: an exact law must not be infinitely better than a nearly exact one.
LEAST = 1e-9
#: With fewer seeds the bootstrap says nothing.
FEWEST_SEEDS = 4


@dataclass(frozen=True)
class Estimate:
    """A number with its bootstrap interval; without one (NaN) where there are too few seeds for it."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        if np.isnan(self.low):
            return f"{self.value:.3g}"
        return f"{self.value:.3g} ({self.low:.3g} to {self.high:.3g})"


@dataclass(frozen=True)
class Effect:
    """A method beside the baseline, on one problem or, with problem None, over all of them."""

    method: str
    problem: str | None
    seeds: int
    win: Estimate
    ratio: Estimate


def effects(found: Results, limit: str, seed: int = 0) -> list[Effect]:
    """Every method of a view on every problem, and over all problems."""
    rng = np.random.default_rng(seed)
    runs = found.runs[found.runs["run_limit"] == limit]
    made: list[Effect] = []
    for method in (name for name in found.design.methods if name != found.design.baseline):
        pairs = {
            problem: _pairs(runs, problem, method, found.design.baseline) for problem in found.problems()
        }
        pairs = {problem: pair for problem, pair in pairs.items() if len(pair)}
        drawn = {problem: _drawn(pair, rng) for problem, pair in pairs.items()}
        for problem, pair in pairs.items():
            made.append(_effect(method, problem, {problem: pair}, {problem: drawn[problem]}))
        if len(pairs) > 1:
            made.append(_effect(method, None, pairs, drawn))
    return made


def beside(found: Results, reference: str | None, methods: Sequence[str] | None) -> Results:
    """The same results with another method as the baseline of effects, and with some methods alone."""
    design = found.design
    for name in (*((reference,) if reference else ()), *(methods or ())):
        if name not in design.methods:
            raise unknown("method in this study", name, design.methods)
    chosen = tuple(methods) if methods else design.methods
    return replace(found, design=replace(design, baseline=reference or design.baseline, methods=chosen))


def _pairs(runs: pd.DataFrame, problem: str, method: str, baseline: str) -> Array:
    """ln(1 − R²) on testing rows of the method and of the baseline, a line for each seed that both have."""
    chosen = runs[runs["problem"] == problem]
    ours, theirs = (
        chosen[chosen["method"] == name].set_index("seed")["test_r2"] for name in (method, baseline)
    )
    both = pd.concat([ours, theirs], axis=1, join="inner").to_numpy(dtype=np.float64)
    return np.log(np.clip(1.0 - both, LEAST, 1e12))


def _drawn(pair: Array, rng: np.random.Generator) -> Array:
    """Bootstrap samples: of shape (draws, seeds, 2)."""
    return pair[rng.integers(len(pair), size=(DRAWS, len(pair)))]


def _effect(method: str, problem: str | None, pairs: dict[str, Array], drawn: dict[str, Array]) -> Effect:
    fewest = min(map(len, pairs.values()))

    def over(measure: object) -> Estimate:
        assert callable(measure)
        value = float(np.mean([measure(pair[None])[0] for pair in pairs.values()]))
        spread = np.mean([measure(sample) for sample in drawn.values()], axis=0)
        if fewest < FEWEST_SEEDS:
            return Estimate(value, np.nan, np.nan)
        low, high = np.quantile(spread, ((1.0 - COVERAGE) / 2, (1.0 + COVERAGE) / 2))
        return Estimate(value, float(low), float(high))

    logs = over(_log_ratio)
    ratio = Estimate(*(float(np.exp(value)) for value in (logs.value, logs.low, logs.high)))
    return Effect(method, problem, fewest, over(_win), ratio)


def _win(sample: Array) -> Array:
    """Chance that a run of the method leaves less than one of the baseline; ties count half."""
    ours, theirs = sample[:, :, None, 0], sample[:, None, :, 1]
    return np.asarray(((ours < theirs) + 0.5 * (ours == theirs)).mean(axis=(1, 2)))


def _log_ratio(sample: Array) -> Array:
    """Median over seeds of ln of what is left, relative to the baseline."""
    return np.asarray(np.median(sample[:, :, 0] - sample[:, :, 1], axis=1))


def effects_table(found: Results, limit: str) -> Table:
    """A row for each method on each problem, and over all."""
    made = effects(found, limit)
    rows: list[tuple[Value, ...]] = [
        (e.method, e.problem or "all", e.seeds, str(e.win), str(e.ratio)) for e in made
    ]
    return Table(
        title=f"{found.design.title}, {limit}: effects beside {found.design.baseline}",
        groups=(("", 3), ("testing R²", 2)),
        columns=("method", "problem", "seeds", "chance to win", "error ratio"),
        rows=tuple(rows),
        notes=(
            f"{COVERAGE:.0%} bootstrap intervals, from {FEWEST_SEEDS} seeds on. Chance to win: 0.5 is no difference.",
            "Error ratio: median of (1 − R²) over the baseline's on the same rows; over all problems the geometric mean.",
        ),
    )


def effects_figure(found: Results, limit: str) -> Figure:
    """Error ratios on every problem and over all, a colour for each method."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    made = effects(found, limit)
    methods = list(dict.fromkeys(e.method for e in made))
    places = [*found.problems(), *([None] if any(e.problem is None for e in made) else [])]
    with rc_context(STYLE):
        figure = Figure(figsize=(6.4, 0.9 + 0.16 * len(methods) * len(places)), layout="constrained")
        axis = figure.subplots()
        for number, method in enumerate(methods):
            own = [e for e in made if e.method == method]
            heights = [places.index(e.problem) + 0.75 * (number + 0.5) / len(methods) for e in own]
            values = np.array([e.ratio.value for e in own])
            spans = np.array([[e.ratio.low, e.ratio.high] for e in own]).T
            colour = COLOURS[number % len(COLOURS)]
            axis.hlines(heights, spans[0], spans[1], color=colour, linewidth=1.2)
            axis.plot(values, heights, "o", markersize=3.5, color=colour, label=method)
        axis.axvline(1.0, color="black", linewidth=0.8)
        axis.set_xscale("log")
        axis.set_yticks([place + 0.375 for place in range(len(places))], [place or "all" for place in places])
        axis.invert_yaxis()
        axis.set_xlabel(f"(1 − R²) on testing rows, relative to {found.design.baseline}")
        if methods:
            axis.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        axis.set_title(f"{found.design.title}, {limit}", fontsize=10)
        return settled(figure)
