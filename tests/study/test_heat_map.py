"""The heat map of a study: verdicts, medians and colours are those of the cells."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest

from multigene.study.heat_map import heat_map
from multigene.study.paper import PaperCell
from multigene.study.statistics import Cell


def cell(problem, method, test, verdict, paper=None):
    theirs = None if paper is None else PaperCell(*[0.5] * 6, paper, None, None)
    return Cell(
        problem=problem, method=method, limit="100 generations", runs=10, failed=0, train_median=test, train_min=test,
        train_max=test, test_median=test, test_min=test, test_max=test, p_value=None, verdict=verdict, lcf_share=None,
        depth=None, size=None, genes=None, seconds=1.0, generations=None, paper=theirs,
    )  # fmt: skip


CELLS = [
    cell("A", "baseline", 0.9, None), cell("A", "UB", 0.99, "better", "better"), cell("A", "SC", 0.5, "worse", "same"),
    cell("B", "baseline", 0.9, None), cell("B", "UB", 0.91, "same", "better"), cell("B", "SC", math.nan, None),
]  # fmt: skip


def study(cells):
    return SimpleNamespace(
        cells=tuple(cells),
        design=SimpleNamespace(methods=["baseline", "UB", "SC"], baseline="baseline"),
        problems=lambda: list(dict.fromkeys(c.problem for c in cells)),
    )


def test_fields_are_the_cells():
    drawn = heat_map(study(CELLS), "100 generations")
    assert drawn.methods == ["baseline", "UB", "SC"]
    fields = {
        (problem, method): f
        for problem, _, row in drawn.rows
        for method, f in zip(drawn.methods, row, strict=True)
    }
    assert fields["A", "UB"].text == "0.99"
    assert [fields["A", method].sign for method in drawn.methods] == ["", "✓", "✗"]
    assert fields["A", "UB"].colour == pytest.approx(1.0)  # ten times less is left
    assert fields["A", "SC"].colour == pytest.approx(-math.log(5, 10), abs=1e-3)  # five times more
    assert 0.0 < fields["B", "UB"].colour < 0.05  # hardly any colour without a verdict
    assert fields["B", "SC"] is None
    assert [fields["A", m].against_paper for m in ("UB", "SC")] == [False, True]
    assert fields["B", "UB"].said.endswith("no difference; the paper says better")
    assert drawn.counts == [None, (1, 1, 0), (0, 0, 1)]
    assert drawn.sentence == "UB is better than baseline on 1 of 2 problems and worse on none."


def test_what_there_is_nothing_to_say_about():
    same = [replace(c, verdict=c.verdict and "same") for c in CELLS]
    assert (
        heat_map(study(same), "100 generations").sentence
        == "No method is better than baseline on any of 2 problems."
    )
    alone = [c for c in CELLS if c.method == "baseline"]
    assert heat_map(study(alone), "100 generations").sentence == "Nothing was compared with baseline yet."
