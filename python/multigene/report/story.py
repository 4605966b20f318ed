"""What a report says in words: one sentence about the model, why it is the one, and four models that most readers need.

Sentences are written here for every model of the page, so that the page, a notebook and a test read the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from multigene.explain.criteria import Listed
from multigene.fitted import FittedModel
from multigene.laws import exact
from multigene.report.numbers import spoken_number
from multigene.report.statistics import Rows


@dataclass(frozen=True)
class Unseen:
    """How a model does on rows that the search did not see: which rows these are, R², and errors in the target's units."""

    rows: str
    """"test", "held-out", "cross-validated", or "" where there are none."""
    r2: float
    rmse: float
    half: float
    """Absolute error that half of the rows stay within; NaN where only R² is known."""


def sentence(
    model: FittedModel, listed: Listed, unseen: Unseen, line: float, seen: tuple[float, float], claim: str
) -> str:
    """The model for somebody who reads one sentence. `line` is the linear model's error of the same kind; `seen` are the errors
    of formula and line that half of the training rows stay within; `claim` is the grade of a law, or empty.
    """
    unit = unit_of(model)
    if claim == exact.EXACTLY:
        return "The formula gives every row to the last digits: nothing is left to explain."
    if claim:
        return "The formula gives every row to the precision of the data: nothing is left to explain."
    if unseen.rows == "test" and math.isfinite(unseen.half):
        return (
            f"Half of the unseen rows are predicted to within {spoken_number(unseen.half, 3)}{unit}"
            + _against(line, unit, "a linear model needs {}")
        )
    if unseen.rows and math.isfinite(unseen.rmse):
        return (
            f"On rows that the search did not see, the typical error is {spoken_number(unseen.rmse, 3)}{unit}"
            + _against(line, unit, "a linear model's is {}")
        )
    if math.isfinite(seen[0]):
        return (
            f"Half of the training rows are predicted to within {spoken_number(seen[0], 3)}{unit}"
            + _against(seen[1], unit, "a linear model needs {}")
            + " The search has seen these rows."
        )
    explained = 100.0 * max(listed.member.fitness, 0.0)
    return f"A formula of {listed.complexity} nodes that explains {explained:.1f} % of the variance of the training rows."


def _against(error: float, unit: str, words: str) -> str:
    return f"; {words.format(spoken_number(error, 3) + unit)}." if math.isfinite(error) else "."


def unit_of(model: FittedModel) -> str:
    """The target's unit as it stands behind a number."""
    units = model.parameters.units
    unit = units.get(model.target, "") if isinstance(units, dict) else ""
    return f" {unit}" if unit and unit not in ("1", "dimensionless") else ""


def why(model: FittedModel, listed: Listed, picks: dict[str, int], place: int) -> str:
    """Why one would take this model."""
    if listed.member is not model.chosen:
        names = [TITLES[name].lower() for name, at in picks.items() if at == place]
        return f"One of the four picks: the {names[0]} one." if names else "Another model of the front."
    if model.choice == "pruned":
        return "A longer formula was pruned to this one; what that cost in R² was asked for."
    if model.choice == "index":
        return "It was picked by hand from the front."
    if model.choice != "default":
        return f"It was chosen by the criterion “{model.choice}”."
    if model.stopped_by == "law":
        return "The search ended when it found this: nothing is left that a longer formula could explain."
    if model.validated_by:
        rows = "held-out rows" if model.validated_by == "held-out" else "cross-validation of the whole search"
        return f"How large the formula may be was decided by {rows}; of that size it is the most accurate one found."
    return "It is the most accurate formula that the search found."


TITLES = {
    "simple": "Simple",
    "balanced": "Balanced",
    "recommended": "Recommended",
    "accurate": "Most accurate",
}


def picks(model: FittedModel, shown: Sequence[Listed]) -> dict[str, int]:
    """The four models that most readers need, by their places among those shown; a model may be two of them."""
    of_front = {name: id(pick.member) for name, pick in model.front.picks.items()}

    def place(name: str) -> int:
        return next(i for i, each in enumerate(shown) if id(each.member) == of_front[name])

    return {
        "simple": place("simple"),
        "balanced": place("balanced"),
        "recommended": next(i for i, each in enumerate(shown) if each.member is model.chosen),
        "accurate": place("accuracy"),
    }


def claim(model: FittedModel, listed: Listed, rows: Rows | None) -> str:
    """The grade of a law, or nothing: what the search found, checked on the rows that are shown."""
    if model.stopped_by != "law" or listed.member is not model.front.default:
        return ""
    if rows is None:
        return exact.TO_PRECISION
    return exact.level(listed.formula.expression, rows.X, rows.y) or ""


def badge(grade: str) -> dict[str, Any] | None:
    """What a page shows of a law: a word and what it means."""
    if not grade:
        return None
    word = "Exact law" if grade == exact.EXACTLY else "Law"
    return {"word": word, "grade": grade}
