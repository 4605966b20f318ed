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
from multigene.laws.claims import Claim, claim_of
from multigene.report.constants import AS_WELL
from multigene.report.numbers import number, spoken_number
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
            # The line was left other rows out than the formula: a little more or less says nothing.
            + (
                "; a linear model does about as well."
                if abs(line - unseen.rmse) <= AS_WELL * unseen.rmse
                else _against(line, unit, "a linear model's is {}")
            )
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
    """The target's unit as it stands behind a number, on the same line."""
    units = model.parameters.units
    unit = units.get(model.target, "") if isinstance(units, dict) else ""
    return f"\u00a0{unit}" if unit and unit not in ("1", "dimensionless") else ""


def why(model: FittedModel, listed: Listed, picks: dict[str, int], place: int) -> str:
    """Why one would take this model."""
    if listed.member is not model.chosen:
        names = [TITLES[name].lower() for name, at in picks.items() if at == place]
        return f"One of the four picks: the {names[0]} one." if names else "Another model of the front."
    if model.choice == "pruned":
        return "It was made shorter after the search: parts of a longer formula were left out and the rest fitted anew."
    if model.choice == "moved":
        return "Its numbers were moved by hand; they are not those that fit best."
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


def claim(model: FittedModel, listed: Listed, shown: Rows | None, picked: bool) -> Claim | None:
    """What may be claimed of a formula that is a law or `picked`: what `claim_` says, of the rows that are shown where the model
    has none; without any rows, what the search found."""
    expression, ended = listed.formula.expression, _ended_by(model, listed)
    if not model.loss.squared or not (picked or ended):
        return None
    rows = shown if model.rows is None else model.rows
    if rows is None:
        return Claim(exact.TO_PRECISION, math.nan) if ended else None
    known = claim_of(expression, rows.X, rows.y, rows.weights)
    if known is None and ended:  # laws may be longer than those whose probability is known
        grade = exact.level(expression, rows.X, rows.y)
        return None if grade is None else Claim(grade, math.nan)
    return known


def claimed(claim: Claim) -> str:
    """The claim in a sentence."""
    chance = "" if math.isnan(claim.probability) else CHANCE.format(round(100 * claim.probability))
    if claim.grade == exact.IN_NOISE:
        return f"Grade: {claim.grade}. What the formula leaves unexplained shows no pattern.{chance}"
    return f"Grade: {claim.grade}.{chance}"


def described_claim(claim: Claim | None) -> dict[str, Any] | None:
    """The claim as a page shows it."""
    if claim is None:
        return None
    return {"grade": claim.grade, "probability": number(claim.probability), "said": claimed(claim)}


CHANCE = (
    " In trials with known laws, {} of 100 formulas of this grade, with as many fitted numbers, were the law."
)


def badge(model: FittedModel, listed: Listed, claim: Claim | None) -> dict[str, Any] | None:
    """What a page shows of a law that ended the search: a word and what it means."""
    if claim is None or claim.grade == exact.IN_NOISE or not _ended_by(model, listed):
        return None
    return {"word": "Exact law" if claim.grade == exact.EXACTLY else "Law", "grade": claim.grade}


def _ended_by(model: FittedModel, listed: Listed) -> bool:
    return model.stopped_by == "law" and listed.member is model.front.default
