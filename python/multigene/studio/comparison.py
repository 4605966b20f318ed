"""Models of two runs side by side: each in words, formula and scores, and both on the same rows where there are such rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from multigene.data.scores import metrics
from multigene.data.split import split
from multigene.report.html import for_script
from multigene.report.numbers import number, numbers
from multigene.report.probabilities import measured as measured_classes
from multigene.report.statistics import SHARES, Rows, error_curve
from multigene.studio.live import LiveRun

#: What is shown of each model, by the report's panels.
PANELS = ("first", "formula", "cards", "directions")


def compared(first: LiveRun, second: LiveRun) -> dict[str, Any]:
    """Both models, and how they do on the same rows."""
    said, rows = common_rows(first, second)
    return {
        "runs": [_described(each) for each in (first, second)],
        "said": said,
        "common": [] if rows is None else [_errors(each, rows) for each in (first, second)],
        "shares": numbers(SHARES, 3),
    }


def _described(run: LiveRun) -> dict[str, Any]:
    content = run.content(most=0)
    model = for_script(content)["models"][content.chosen]
    return {
        "number": run.number,
        "title": f"Run {run.number}: {run.asked.told}, {run.dataset.name}",
        "panels": {name: model["panels"][name] for name in PANELS},
        "text": model["text"],
        "variables": model["variables"],
        "size": model["size"],
    }


def common_rows(first: LiveRun, second: LiveRun) -> tuple[str, npt.NDArray[np.intp] | None]:
    """Rows of the table, by place, that both models can be measured on, unseen by both if there are any; a sentence on them."""
    if first.dataset is not second.dataset or first.asked.told != second.asked.told:
        return "The runs are about different tables or targets, so their scores cannot be compared.", None
    n = len(first.dataset.table.frame)
    if any(len(each.asked.whole) < n for each in (first, second)):
        return "Rows without a value were left out of a run, so each has test rows of its own.", None
    unseen = np.intersect1d(_held_out(first, n), _held_out(second, n))
    if len(unseen):
        return f"Both on the {len(unseen):,} rows that neither search has seen:", unseen
    return f"Both on all {n:,} rows; at least one search has seen each of them:", np.arange(n)


def _held_out(run: LiveRun, n: int) -> npt.NDArray[np.intp]:
    if not run.question.holdout:
        return np.zeros(0, dtype=np.intp)
    _, test = split(pd.DataFrame({"row": np.arange(n)}), run.question.holdout, run.question.seed)
    return test["row"].to_numpy(dtype=np.intp)


def _errors(run: LiveRun, rows: npt.NDArray[np.intp]) -> dict[str, Any]:
    """Error measures of a run's model on rows of its table, and its error curve."""
    X, y = run.asked.arrays(run.asked.whole.iloc[rows])
    with np.errstate(all="ignore"):
        prediction = run.model().predict(X)
        measured = metrics(y, prediction)
        curve = error_curve(np.abs(y - prediction))
    middle = len(SHARES) // 2
    classes = None if run.asked.classes is None else measured_classes(Rows("both", X, y, None), prediction)
    return {
        "number": run.number,
        "rows": len(y),
        "classes": classes,
        **{name: number(measured[name]) for name in ("r2", "rmse", "mae")},
        "half": number(curve[middle]),
        "curve": numbers(curve, 4),
    }
