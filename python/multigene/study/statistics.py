"""The statistics of a study, as in section 5 of the paper.

Per problem, method and limit: median, minimum and maximum of training and testing R², the verdict of the
Mann-Whitney U test on testing R² against the baseline (Bonferroni-corrected), mean LCF share and mean depth;
over problems: how often each method is better, indifferent or worse; against the paper: how many verdicts
agree.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import mannwhitneyu

from multigene.study import paper
from multigene.study.design import Design
from multigene.study.errors import StudyError
from multigene.study.limits import NO_LIMIT
from multigene.study.methods import REGISTRY as METHODS
from multigene.study.paper import PaperCell, Verdict
from multigene.study.problems import REALISTIC
from multigene.study.problems import REGISTRY as PROBLEMS
from multigene.study.store import Store
from multigene.study.views import View, runs_at

Array = NDArray[np.float64]
COLUMNS = ("train_r2", "test_r2", "seconds", "generations", "size", "lcf_share", "depth", "genes")


@dataclass(frozen=True)
class Cell:
    """What is known of one method on one problem under one limit."""

    problem: str
    method: str
    limit: str
    runs: int
    failed: int
    train_median: float
    train_min: float
    train_max: float
    test_median: float
    test_min: float
    test_max: float
    p_value: float | None
    verdict: Verdict | None
    lcf_share: float | None
    depth: float | None
    size: float | None
    genes: float | None
    seconds: float
    generations: float | None
    paper: PaperCell | None


@dataclass(frozen=True)
class Results:
    """All cells of a study with the raw runs behind them."""

    design: Design
    runs: pd.DataFrame
    cells: tuple[Cell, ...]

    def limits(self) -> list[str]:
        """The views: labels of the design's limits that have results (methods without limit are in each)."""
        return list(dict.fromkeys(cell.limit for cell in self.cells))

    def problems(self) -> list[str]:
        """The problems that have results, in the design's order."""
        return list(dict.fromkeys(cell.problem for cell in self.cells))

    def of(self, problem: str, limit: str) -> list[Cell]:
        """The cells of one table, in the design's order of methods."""
        return [cell for cell in self.cells if cell.problem == problem and cell.limit == limit]


def verdict(
    ours: Array, baseline: Array, threshold: float, resolution: float
) -> tuple[float | None, Verdict | None]:
    """The p value of the two-sided Mann-Whitney U test and its verdict at the corrected level `threshold`.

    R² values closer than `resolution` count as equal: where all methods reach 1, rounding noise must not
    decide.
    """
    if not len(ours) or not len(baseline):
        return None, None
    ours, baseline = _rounded(ours, resolution), _rounded(baseline, resolution)
    if np.all(ours == ours[0]) and np.all(baseline == ours[0]):
        return 1.0, "same"
    result = mannwhitneyu(ours, baseline, alternative="two-sided")
    p_value = float(result.pvalue)
    if not p_value < threshold:
        return p_value, "same"
    return p_value, "better" if result.statistic > len(ours) * len(baseline) / 2 else "worse"


def _rounded(values: Array, resolution: float) -> Array:
    # Ranks are all the test sees, so minus infinity (a model that blew up) may stay what it is.
    with np.errstate(over="ignore"):
        return np.round(values / resolution) * resolution if resolution else values


def whole_design(store: Store) -> Design:
    """The design last enrolled and, with it, what else is finished under its limits.

    A study that was run in parts, problem by problem or method by method, is one study to whoever reads it.
    """
    design = store.design()
    labels = {limit.label for limit in design.limits} | {NO_LIMIT}
    runs = store.frame(("state",))
    runs = runs[runs["run_limit"].isin(labels)]
    found = {name: dict.fromkeys(runs[name].tolist()) for name in ("problem", "method", "seed")}
    problems = [name for name in found["problem"] if name in {*PROBLEMS, *design.own_problems}]
    methods = [name for name in found["method"] if name in {*METHODS, *design.own_methods}]
    return replace(
        design,
        problems=tuple(dict.fromkeys([*problems, *design.problems])),
        methods=tuple(dict.fromkeys([*methods, *design.methods])),
        seeds=tuple(sorted({*design.seeds, *found["seed"]})),
    )


def results(store: Store, design: Design | None = None, view: View | None = None) -> Results:
    """The statistics of all finished runs of the design (default: the one the store holds); of what they had on their way with
    a view of it."""
    design = design or whole_design(store)
    runs = store.frame(COLUMNS) if view is None or view.at is None else runs_at(store, view)
    wanted = (
        runs["problem"].isin(design.problems)
        & runs["method"].isin(design.methods)
        & runs["seed"].isin(design.seeds)
    )
    runs = runs[wanted]
    failures = store.frame(("error",), state="failed")
    failed = failures.groupby(["problem", "method", "run_limit"]).size().to_dict()
    groups = dict(iter(runs.groupby(["problem", "method", "run_limit"], sort=False)))
    cells = []
    limits = list(dict.fromkeys(runs["run_limit"])) if view is not None and view.at else None
    limits = limits or [limit.label for limit in design.limits]
    for limit in limits if _has_limits(runs) else [NO_LIMIT]:
        for problem in design.problems:
            baseline = _group(groups, problem, design.baseline, limit)
            for method in design.methods:
                group = _group(groups, problem, method, limit)
                label = limit if (problem, method, limit) in groups else NO_LIMIT
                if group is not None:
                    lost = failed.get((problem, method, label), 0)
                    cells.append(_cell(design, group, baseline, problem, method, limit, lost))
    return Results(design, runs, tuple(cells))


def finished_results(store: Store, view: View | None = None) -> Results:
    """`results` for who shows them: a sentence where there are none."""
    found = results(store, view=view)
    if not found.cells:
        raise StudyError(f"{store.path} has no finished runs yet; run the study first")
    return found


def _has_limits(runs: pd.DataFrame) -> bool:
    return bool((runs["run_limit"] != NO_LIMIT).any())


def _group(
    groups: dict[tuple[object, ...], pd.DataFrame], problem: str, method: str, limit: str
) -> pd.DataFrame | None:
    """The runs of a method under a limit; those of a method without limits belong to every view."""
    group = groups.get((problem, method, limit))
    return group if group is not None else groups.get((problem, method, NO_LIMIT))


def _cell(
    design: Design,
    group: pd.DataFrame,
    baseline: pd.DataFrame | None,
    problem: str,
    method: str,
    limit: str,
    failed: int,
) -> Cell:
    train, test = _values(group, "train_r2"), _values(group, "test_r2")
    p_value, decided = None, None
    if baseline is not None and method != design.baseline:
        threshold = design.alpha / design.comparisons
        p_value, decided = verdict(test, _values(baseline, "test_r2"), threshold, design.resolution)
    return Cell(
        problem=problem,
        method=method,
        limit=limit,
        runs=len(group),
        failed=failed,
        train_median=_median(train),
        train_min=float(train.min()),
        train_max=float(train.max()),
        test_median=_median(test),
        test_min=float(test.min()),
        test_max=float(test.max()),
        p_value=p_value,
        verdict=decided,
        lcf_share=_mean(group, "lcf_share"),
        depth=_mean(group, "depth"),
        size=_mean(group, "size"),
        genes=_mean(group, "genes"),
        seconds=_median(_values(group, "seconds")),
        generations=_mean(group, "generations"),
        paper=paper.cells().get((problem, method)),
    )


def _values(group: pd.DataFrame, column: str) -> Array:
    return group[column].to_numpy(dtype=np.float64)


def _median(values: Array) -> float:
    # The mean of the two middle values is not a number when one of them is infinite: take the lower one then.
    ordered = np.sort(values)
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return float((low + high) / 2) if np.isfinite(low) else float(low)


def _mean(group: pd.DataFrame, column: str) -> float | None:
    values = _values(group, column)
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else None


def verdict_counts(
    found: Results, limit: str, problems: Iterable[str] = REALISTIC
) -> dict[str, dict[Verdict, int]]:
    """The paper's summary: on how many problems each method is better, indifferent, worse than the baseline."""
    counts: dict[str, dict[Verdict, int]] = {}
    chosen = set(problems)
    for cell in found.cells:
        if cell.limit == limit and cell.problem in chosen and cell.verdict is not None:
            counts.setdefault(cell.method, {"better": 0, "same": 0, "worse": 0})[cell.verdict] += 1
    return counts


def smallest_p(runs: int) -> float:
    """The smallest p value the test can give with this many runs on each side: below a few runs no verdict is
    possible.
    """
    return 2 / math.comb(2 * runs, runs)


@dataclass(frozen=True)
class Agreement:
    """How many of our verdicts are the paper's, of those both have."""

    agreeing: int
    compared: int
    opposite: int

    def __str__(self) -> str:
        if not self.compared:
            return "the paper has no verdicts to compare with"
        opposed = f", {self.opposite} opposite" if self.opposite else ""
        return f"{self.agreeing} of {self.compared} verdicts agree with the paper's{opposed}"


def agreement(cells: Iterable[Cell]) -> Agreement:
    """Counts agreeing and opposite verdicts over these cells."""
    pairs = [
        (cell.verdict, cell.paper.verdict)
        for cell in cells
        if cell.verdict is not None and cell.paper is not None and cell.paper.verdict is not None
    ]
    opposite = sum({ours, theirs} == {"better", "worse"} for ours, theirs in pairs)
    return Agreement(sum(ours == theirs for ours, theirs in pairs), len(pairs), opposite)


def close_medians(cells: Iterable[Cell], within: float = 0.02) -> tuple[int, int, int]:
    """Cells whose median testing R², and training R², is within this of the paper's, and how many cells the paper prints."""
    pairs = [(cell, cell.paper) for cell in cells if cell.paper is not None]
    testing = sum(abs(cell.test_median - theirs.test_median) <= within for cell, theirs in pairs)
    training = sum(abs(cell.train_median - theirs.train_median) <= within for cell, theirs in pairs)
    return testing, training, len(pairs)


@dataclass(frozen=True)
class SummaryAgreement:
    """Our counts of verdicts over the realistic problems beside the paper's."""

    matched: int
    """Verdicts that can be matched with one of the same kind in the paper's counts for the same configuration."""
    counted: int
    largest: int
    """Largest difference of a count."""

    def __str__(self) -> str:
        return (
            f"{self.matched} of {self.counted} verdicts of the summary have their like in the paper's counts; "
            f"no count differs by more than {self.largest}"
        )


def summary_agreement(found: Results, limit: str) -> SummaryAgreement | None:
    """How our summary compares with the paper's; None unless all its problems and configurations were run."""
    ours, theirs = verdict_counts(found, limit), paper.summary()
    if any(sum(ours.get(name, {}).values()) != len(REALISTIC) for name in theirs):
        return None
    pairs = [(ours[name][word], number) for name, counts in theirs.items() for word, number in counts.items()]
    return SummaryAgreement(
        sum(min(pair) for pair in pairs), len(theirs) * len(REALISTIC), max(abs(a - b) for a, b in pairs)
    )
