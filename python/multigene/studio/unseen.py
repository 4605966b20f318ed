"""How formulas of a running search do on test rows, which it never sees: a score for each of the front, and the best one in words
and points."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene.data.losses import Loss
from multigene.data.spread import spread_rows
from multigene.report.constants import THRESHOLD
from multigene.report.numbers import number, numbers, spoken_number
from multigene.report.statistics import SHARES, error_curve
from multigene.search.progress import FrontRow

Floats = npt.NDArray[np.float64]
#: Test rows that are drawn. [round]
DRAWN = 300


class Unseen:
    """Test rows, and what is known of formulas on them."""

    def __init__(self, X: Floats, y: Floats, loss: Loss, classes: tuple[Any, Any] | None = None) -> None:
        self.X, self.y, self.loss, self.classes = X, y, loss, classes
        self.line: float | None = None
        """Error that half of the rows stay within by a linear model."""
        self.drawn = spread_rows(y, DRAWN)
        self.scores: dict[int, tuple[FrontRow, float | None]] = {}

    def score(self, row: FrontRow) -> float | None:
        """The share explained on the test rows; None where it is not finite."""
        if id(row) not in self.scores:
            with np.errstate(all="ignore"):
                explained = self.loss.explained(self.y, row.predictor(self.X))
            self.scores[id(row)] = (row, number(explained))  # the row stays, and with it its id
        return self.scores[id(row)][1]

    def scored(self, rows: list[FrontRow], seconds: float) -> list[float | None]:
        """Scores of a front, as many as there is time for, the best formulas first; formulas that it has lost are forgotten."""
        end = time.monotonic() + seconds
        self.scores = {id(row): self.scores[id(row)] for row in rows if id(row) in self.scores}
        found = [
            self.score(row) if id(row) in self.scores or time.monotonic() < end else None
            for row in reversed(rows)
        ]
        return found[::-1]

    def described(self, row: FrontRow) -> dict[str, Any]:
        """One formula in a sentence, and its predictions of the rows that are drawn."""
        with np.errstate(all="ignore"):
            predictor = row.predictor(self.X)
            prediction = self.loss.prediction(predictor)
            half = half_within(self.y, prediction)
        return {
            "rows": len(self.y),
            "r2": self.score(row),
            "half": number(half, 4),
            "said": self._within(half) if self.classes is None else self._told(prediction),
            "actual": numbers(self.y[self.drawn]),
            "predicted": numbers(prediction[self.drawn]),
        }

    def _within(self, half: float) -> str:
        line = "" if self.line is None else f"; a linear model needs {spoken_number(self.line, 3)}"
        return (
            f"Half of the {len(self.y):,} test rows are predicted to within {spoken_number(half, 3)}{line}."
        )

    def _told(self, shares: Floats) -> str:
        of_class = self.y > THRESHOLD
        right = int(np.sum((shares > THRESHOLD) == of_class))
        most = int(max(of_class.sum(), (~of_class).sum()))
        return f"{right:,} of the {len(self.y):,} test rows are told right; taking all for the larger class gets {most:,}."


def half_within(y: Floats, prediction: Floats) -> float:
    """The absolute error that half of the rows stay within."""
    return float(error_curve(np.abs(y - prediction))[len(SHARES) // 2])
