"""The first thing on the page of a study (`page.py`): every verdict in one picture, problems down, methods across.

A cell has the median testing R² and the verdict as a sign; its colour tells how much less, or more, a method leaves unexplained
than the baseline. All of it as plain values; the page's template draws them.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from multigene.study.statistics import Cell, Results
from multigene.study.tables import TICK, number

#: Share left unexplained that R² of one is taken for. [round]
NOTHING_LEFT = 1e-6
#: Times less or more left unexplained than by the baseline that has the full colour. [round]
FULL_COLOUR = 10.0
#: Colour of a cell without a verdict of its own, as a share of what its difference would have. [round]
WITHOUT_VERDICT = 0.25


@dataclass(frozen=True)
class Field:
    """One method on one problem."""

    text: str
    sign: str
    verdict: str
    """"better", "worse", "same", or empty for the baseline and where nothing was compared."""
    colour: float
    """From -1, much worse than the baseline, to 1, much better."""
    said: str
    """The field in a sentence."""
    against_paper: bool
    """Is the paper's verdict another one?"""


@dataclass(frozen=True)
class HeatMap:
    """All verdicts under one limit."""

    limit: str
    methods: list[str]
    rows: list[tuple[str, str, list[Field | None]]]
    """Problem, the id of its section, and a field per method."""
    counts: list[tuple[int, int, int] | None]
    """Per method: on how many problems it is better, no different, worse; None for the baseline and what is not compared."""
    sentence: str


def section_id(problem: str, limit: str) -> str:
    """The name of a problem's section of the page, and of its figures' files."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", f"{problem}-{limit}").strip("-")


def heat_map(found: Results, limit: str) -> HeatMap:
    """The verdicts of a study under one limit."""
    cells = {(cell.problem, cell.method): cell for cell in found.cells if cell.limit == limit}
    methods = [name for name in found.design.methods if any(method == name for _, method in cells)]
    methods += sorted({method for _, method in cells} - set(methods))
    problems = [problem for problem in found.problems() if any(problem == p for p, _ in cells)]
    baseline = found.design.baseline
    rows = [
        (
            problem,
            section_id(problem, limit),
            [_field(cells.get((problem, method)), cells.get((problem, baseline))) for method in methods],
        )
        for problem in problems
    ]
    counts = [_counts([field for *_, fields in rows if (field := fields[i])]) for i in range(len(methods))]
    return HeatMap(limit, methods, rows, counts, _sentence(methods, counts, baseline))


def _field(cell: Cell | None, baseline: Cell | None) -> Field | None:
    if cell is None or math.isnan(cell.test_median):
        return None
    verdict, paper = cell.verdict or "", None if cell.paper is None else cell.paper.verdict
    colour = 0.0 if baseline is None or not verdict else _gain(cell.test_median, baseline.test_median)
    words = {"better": ", better", "worse": ", worse", "same": ", no difference"}.get(verdict, "")
    said = f"{cell.method} on {cell.problem}: median testing R² {number(cell.test_median, 4)}{words}"
    differs = bool(verdict) and paper is not None and paper != verdict
    theirs = {"better": "better", "worse": "worse", "same": "no difference"}.get(paper or "", "")
    return Field(
        number(cell.test_median),
        TICK[cell.verdict],
        verdict,
        round(colour if verdict in ("better", "worse") else WITHOUT_VERDICT * colour, 3),
        said + (f"; the paper says {theirs}" if differs else ""),
        differs,
    )


def _gain(ours: float, baseline: float) -> float:
    """How much less is left unexplained than by the baseline, from -1 to 1."""
    left, before = max(1.0 - ours, NOTHING_LEFT), max(1.0 - baseline, NOTHING_LEFT)
    if not (math.isfinite(left) and math.isfinite(before)):
        return 0.0
    return max(-1.0, min(1.0, math.log(before / left) / math.log(FULL_COLOUR)))


def _counts(fields: list[Field]) -> tuple[int, int, int] | None:
    verdicts = [field.verdict for field in fields if field.verdict]
    if not verdicts:
        return None
    return verdicts.count("better"), verdicts.count("same"), verdicts.count("worse")


def _sentence(methods: list[str], counts: list[tuple[int, int, int] | None], baseline: str) -> str:
    """What somebody who reads one sentence should know: the method that is better most often, and less often worse."""
    compared = [(name, count) for name, count in zip(methods, counts, strict=True) if count is not None]
    if not compared:
        return f"Nothing was compared with {baseline} yet."
    name, (better, _, worse) = max(compared, key=lambda each: (each[1][0] - each[1][2], each[1][0]))
    total = sum(next(count for method, count in compared if method == name))
    if better == 0:
        return f"No method is better than {baseline} on any of {total} problems."
    than = f"{name} is better than {baseline} on {better} of {total} problems"
    return f"{than} and worse on {worse}." if worse else f"{than} and worse on none."
