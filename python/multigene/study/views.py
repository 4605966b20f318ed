"""Views of a study: whole runs, or what the same runs had on their way.

A view turns the checkpoints of a store (`trajectory.py`) into rows like those of whole runs, so that statistics, tables and
figures work on either: after this many generations or processor seconds, by the paper's rule or guarded, or by the authors'
clock, which gives every configuration the generations that their program would have made (`authors.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from multigene.study import authors, paper
from multigene.study.ceiling import PRINTED
from multigene.study.errors import StudyError, unknown
from multigene.study.problems import REALISTIC
from multigene.study.store import Store
from multigene.study.trajectory import RULES, label

#: The name of the authors' clock among the marks.
CLOCK = "clock"


@dataclass(frozen=True)
class View:
    """What is compared: runs at a mark (None: at their end), by a rule."""

    at: str | None = None
    rule: str = "best"
    machine: float = 1.0

    @property
    def label(self) -> str:
        """How the view is called in tables."""
        mark = f"{authors.PAPER_SECONDS:g} s of the authors' program" if self.at == CLOCK else self.at
        return f"{mark}, guarded" if self.rule == "guarded" else str(mark)


def runs_at(store: Store, view: View) -> pd.DataFrame:
    """Finished runs as they were at the view's mark, with the view's label as their limit."""
    frame = store.checkpoints()
    if frame.empty:
        raise StudyError(
            f"{store.path} has no checkpoints; give a limit of the design `checkpoints = [100, 200, …]`"
        )
    if view.rule not in RULES:
        raise unknown("rule", view.rule, RULES)
    frame = frame[frame["rule"] == view.rule]
    if view.at == CLOCK:
        frame = _by_clock(frame, view.machine)
    elif view.at in set(frame["at"]):
        frame = frame[frame["at"] == view.at]
    else:
        raise unknown("checkpoint", str(view.at), [*dict.fromkeys(frame["at"]), CLOCK])
    return frame.assign(run_limit=view.label, genes=np.nan).reset_index(drop=True)


def fitted_machine(store: Store) -> float:
    """How fast the authors' machine was, as a multiple of the one of the rates: the factor by which the baseline's *training*
    medians come closest to the paper's, on the scale of ln(1 − R²). No testing R² and no other configuration is looked at."""
    frame = store.checkpoints()
    frame = frame[(frame["method"] == "baseline") & (frame["rule"] == "best")]
    marks = {text: int(text.split()[0]) for text in set(frame["at"]) if "generation" in text}
    curves = {
        str(problem): sorted(
            (marks[at], float(g["train_r2"].median())) for at, g in group.groupby("at") if at in marks
        )
        for problem, group in frame.groupby("problem")
        if (problem, "baseline") in paper.cells() and problem in REALISTIC
    }
    if not curves:
        raise StudyError(f"{store.path} has no checkpoints of the baseline on the paper's problems")

    def left(r2: float) -> float:
        return float(np.log(max(1.0 - r2, PRINTED)))

    def distance(machine: float) -> float:
        total = 0.0
        for problem, curve in curves.items():
            wanted = authors.generations(problem, "baseline", authors.PAPER_SECONDS, machine)
            efforts, medians = zip(*curve, strict=True)
            ours = np.interp(np.log(wanted), np.log(efforts), [left(m) for m in medians])
            total += (float(ours) - left(paper.cells()[problem, "baseline"].train_median)) ** 2
        return total

    return float(min(np.geomspace(0.1, 2.0, 61), key=distance))


def _by_clock(frame: pd.DataFrame, machine: float) -> pd.DataFrame:
    """Of every configuration on every problem the checkpoint nearest to what the authors' seconds bought."""
    marks = {text: int(text.split()[0]) for text in set(frame["at"]) if text == label(int(text.split()[0]))}
    chosen: list[pd.DataFrame] = []
    for (problem, method), group in frame.groupby(["problem", "method"], sort=False):
        wanted = authors.generations(str(problem), str(method), authors.PAPER_SECONDS, machine)
        nearest = min(marks, key=lambda text: abs(np.log(marks[text] / wanted)))
        chosen.append(group[group["at"] == nearest])
    return pd.concat(chosen)
