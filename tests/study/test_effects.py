"""Effect sizes: against their definitions, and on made-up runs whose effects are known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu

from multigene.study.design import read_design
from multigene.study.effects import beside, effects, effects_figure, effects_table
from multigene.study.errors import StudyError
from multigene.study.figures import rendered
from multigene.study.statistics import Results

LIMIT = "1 processor second"


def made_up(
    factors: dict[str, float], seeds: int = 30, problems: tuple[str, ...] = ("K11C", "CCS")
) -> Results:
    """Runs whose unexplained share is that of the baseline times a factor, with noise of its own per run."""
    rng = np.random.default_rng(0)
    design = replace(
        read_design("science-steps"), methods=tuple(factors), baseline="25 steps", problems=problems
    )
    rows = []
    for problem in problems:
        for seed in range(seeds):
            hard = np.exp(rng.normal(-2.0, 0.3))
            for method, factor in factors.items():
                left = hard * factor * np.exp(rng.normal(0.0, 0.05))
                rows.append((problem, method, LIMIT, seed, 1.0 - left))
    runs = pd.DataFrame(rows, columns=["problem", "method", "run_limit", "seed", "test_r2"])
    cells = [_Cell(problem, method, LIMIT) for problem in problems for method in factors]
    return Results(design, runs, tuple(cells))  # type: ignore[arg-type]


class _Cell:
    def __init__(self, problem: str, method: str, limit: str) -> None:
        self.problem, self.method, self.limit = problem, method, limit


def test_known_effects_are_found_with_intervals_that_hold_them():
    found = effects(made_up({"25 steps": 1.0, "half": 0.5, "same": 1.0, "worse": 1.5}), LIMIT)
    overall = {e.method: e for e in found if e.problem is None}
    for method, factor in (("half", 0.5), ("same", 1.0), ("worse", 1.5)):
        ratio = overall[method].ratio
        assert 0.98 * ratio.low <= factor <= 1.02 * ratio.high
        assert ratio.high / ratio.low < 1.15
        assert ratio.value == pytest.approx(factor, rel=0.05)
    assert overall["half"].win.low > 0.9
    assert overall["worse"].win.high < 0.3
    assert overall["same"].win.low < 0.5 < overall["same"].win.high


def test_chance_to_win_is_the_u_statistic_over_pairs():
    results = made_up({"25 steps": 1.0, "other": 0.8}, problems=("CCS",))
    (effect,) = effects(results, LIMIT)
    ours, theirs = (
        results.runs[results.runs["method"] == name]["test_r2"].to_numpy() for name in ("other", "25 steps")
    )
    expected = mannwhitneyu(ours, theirs).statistic / (len(ours) * len(theirs))
    assert effect.win.value == pytest.approx(expected)
    assert effect.problem == "CCS"
    assert effect.seeds == 30


def test_exact_fits_and_explosions_do_not_break_it():
    results = made_up({"25 steps": 1.0, "other": 1.0}, seeds=5)
    runs = results.runs.copy()
    runs.loc[runs["method"] == "other", "test_r2"] = [1.0, -np.inf, 1.0, -1e30, 0.5] * 2
    found = effects(replace(results, runs=runs), LIMIT)
    assert all(np.isfinite([e.ratio.low, e.ratio.high, e.win.low, e.win.high]).all() for e in found)


def test_table_and_figure(tmp_path: Path):
    results = made_up({"25 steps": 1.0, "half": 0.5}, seeds=6)
    table = effects_table(results, LIMIT)
    assert [row[:3] for row in table.rows] == [("half", "K11C", 6), ("half", "CCS", 6), ("half", "all", 6)]
    assert rendered(effects_figure(results, LIMIT), "svg").startswith(b"<?xml")


def test_no_interval_is_shown_where_there_are_too_few_seeds():
    for seeds, shown in ((1, False), (3, False), (4, True)):
        found = effects(made_up({"25 steps": 1.0, "half": 0.5}, seeds=seeds), LIMIT)
        assert all(("to" in str(e.ratio)) is shown and ("to" in str(e.win)) is shown for e in found)
    rendered(effects_figure(made_up({"25 steps": 1.0, "half": 0.5}, seeds=1), LIMIT), "svg")


def test_any_method_can_be_what_others_are_compared_with():
    results = made_up({"25 steps": 1.0, "half": 0.5, "worse": 1.5})
    found = effects(beside(results, "half", ["25 steps"]), LIMIT)
    assert {effect.method for effect in found} == {"25 steps"}
    for effect in found:
        assert effect.ratio.value == pytest.approx(2.0, rel=0.1)
    with pytest.raises(StudyError, match=r"no method in this study 'haff'.*'half'"):
        beside(results, "haff", None)
