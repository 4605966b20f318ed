"""Where a search of the studio stands, as its page shows it: phase, best formula, front, scores on test rows, curve."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from multigene.fitted import FittedModel
from multigene.search.progress import FrontRow, Progress
from multigene.studio.asked_rows import AskedRows
from multigene.studio.first_line import LinearModel
from multigene.studio.unseen import Unseen, half_within

#: Seconds that an answer may spend on scores of the front on test rows; the rest comes with the next answers.
SCORING = 0.05
#: Phases whose generations are those of the run.
COUNTED = ("evolve", "explore", "finish")
#: Points of the curve that an answer has, at most.
MOST_POINTS = 300


@dataclass
class Standing:
    """What is known of a search so far."""

    unseen: Unseen | None
    """The test rows and scores on them, where there are any."""
    phase: str = "prepare"
    part: tuple[int, int] | None = None
    step: int = 0
    """Rounds so far, of all phases; actions are recorded with it."""
    generation: int = 0
    formula: str = ""
    r2: float = -math.inf
    best: FrontRow | None = None
    rows: list[FrontRow] = field(default_factory=list)
    """The front."""
    curve: list[tuple[float, float]] = field(default_factory=list)
    """Seconds and the best R² then."""

    def line_first(self, asked: AskedRows) -> None:
        """A linear formula, which is there at once; the search has its first ones after a round."""
        first = LinearModel.of(asked)
        self.r2, self.formula = first.r2, first.text
        if self.unseen is not None:
            self.unseen.line = half_within(self.unseen.y, first.predict(self.unseen.X))
        self.phase = "a linear model to begin with"

    def note(self, progress: Progress, seconds: float) -> None:
        """Another round is done."""
        self.step += 1
        self.phase, self.part, self.rows = progress.phase, progress.part, progress.front
        self.generation = progress.number + 1 if progress.phase in COUNTED else 0
        if math.isfinite(progress.r2):
            self.r2, self.formula, self.best = progress.r2, progress.formula, progress.front[-1]
            self.curve.append((round(seconds, 2), progress.r2))

    def show(self, model: FittedModel) -> None:
        """From now on this model and its front."""
        self.formula, self.r2 = str(model.formula), model.explained
        self.rows = [
            FrontRow(each.complexity, each.member.fitness, each.formula.text, each.member.individual.predict)
            for each in model.front.listed
        ]
        self.best = FrontRow(
            model.formula.size, model.explained, model.formula.text, model.individual.predict
        )

    def score_on(self, unseen: Unseen | None) -> None:
        """The test rows again, as other columns; what a linear model does on them stays."""
        if unseen is not None and self.unseen is not None:
            unseen.line = self.unseen.line
        self.unseen = unseen

    def shown(self) -> dict[str, Any]:
        """All of it as the page reads it."""
        unseen, best = self.unseen, self.best
        return {
            "phase": self.phase,
            "part": self.part,
            "generation": self.generation,
            "r2": self.r2 if math.isfinite(self.r2) else None,
            "formula": self.formula,
            "front": self._front(),
            "unseen": None if unseen is None or best is None else unseen.described(best),
            "curve": self.curve[-MOST_POINTS:],
        }

    def _front(self) -> list[dict[str, Any]]:
        """Sizes and scores of the front, those on test rows as far as there is time."""
        scores = [None] * len(self.rows) if self.unseen is None else self.unseen.scored(self.rows, SCORING)
        return [
            {"size": row.complexity, "r2": row.r2, "test": test}
            for row, test in zip(self.rows, scores, strict=True)
        ]

    def at_size(self, size: int) -> list[FrontRow]:
        """Formulas of the front with this many nodes, or with the next fewer: the search may have gone on meanwhile. There are
        several where one is pinned."""
        if not self.rows:
            raise LookupError("The front has no formula yet; wait for the first round.")
        nearest = max(
            (row.complexity for row in self.rows if row.complexity <= size), default=self.rows[0].complexity
        )
        return [row for row in self.rows if row.complexity == nearest]
