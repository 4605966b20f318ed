"""What a report says about one model of the front, as plain values: all of the page that follows the selection."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from multigene._engine import Individual
from multigene.data.encoding.columns import Elapsed
from multigene.data.scores import metrics
from multigene.explain.criteria import Listed
from multigene.export import EXPORTERS
from multigene.expression.constants import WHOLE
from multigene.expression.genes import model_expression
from multigene.expression.tree import evaluate
from multigene.fitted import FittedModel
from multigene.formula import Formula
from multigene.report import probabilities, raw_columns, shown_formula, statistics, story
from multigene.report.constants import (
    LEAST_ROWS,
    MOST_DEPENDENCES,
    MOST_GROUPS,
    MOST_SEGMENTS,
    SHAPE_POINTS,
    STATISTICS_ROWS,
    THRESHOLD,
)
from multigene.report.numbers import number, numbers
from multigene.report.statistics import Floats, Intervals, Rows
from multigene.report.what_if import computed


@dataclass(frozen=True)
class Shown:
    """What the description of every model starts from."""

    model: FittedModel
    rows: Rows | None
    """Training rows, where there are any."""
    sets: list[Rows]
    points: list[Any]
    """Rows of each set that are drawn."""
    grids: list[Floats]
    """Values of every column that dependence is shown at."""
    references: list[dict[str, Any]]
    line: float
    """Cross-validated error of a linear model; not a number where there are test rows."""
    picks: dict[str, int]
    classes: bool
    """Is the target one of two classes?"""

    def ranges(self) -> Floats | None:
        """Low and high of every column, where they are known."""
        known = self.model.data
        if known is None:
            return None
        pairs = [known["ranges"].get(name) for name in self.model.names]
        return None if None in pairs else np.array(pairs, dtype=np.float64).T


def described(shown: Shown, listed: Listed, place: int) -> dict[str, Any]:
    """One model, the one at this place of the page's list."""
    member, formula, individual = listed.member, listed.formula, listed.member.individual
    rows = shown.rows
    digits = shown_formula.digits_of(formula, rows, shown.ranges())
    typeset = shown_formula.written(formula, digits)
    known = rows is not None and shown.model.loss.squared
    intervals = Intervals(formula.expression, rows, shown.model.names) if rows is not None and known else None
    said: dict[str, Any] = {
        "row": next(i for i, each in enumerate(shown.model.front.listed) if each is listed),
        "size": listed.complexity,
        "r2": number(member.fitness),
        "validation": number(member.validation),
        "held_out_rmse": number(_held_out_rmse(shown.model, member.validation)),
        "text": _text(formula, digits),
        "mathml": typeset.mathml,
        "functions": typeset.functions,
        "symbols": typeset.symbols,
        "directions": typeset.directions,
        "parts": [list(part) for part in member.parts],
        "shapes": _shapes(shown.model, individual),
        "terms": _terms(shown, typeset, member.fitness),
        "groups": _groups(shown.model, listed),
        "variables": list(formula.variables),
        "raw_variables": len(
            {getattr(getattr(name, "column", None), "source", name) for name in formula.variables}
        ),
        "exports": exports(formula, digits),
        **_on_sets(shown, individual, intervals),
        "compute": computed(formula, intervals),
    }
    said |= _on_rows(shown, individual, said)
    claim = story.claim(shown.model, listed, rows, place in shown.picks.values())
    said["law"] = story.badge(shown.model, listed, claim)
    said["claim"] = story.described_claim(claim)
    unseen, line, seen = _unseen(shown, listed, said)
    said["unseen"] = {key: number(v) if key != "rows" else v for key, v in asdict(unseen).items()}
    law = claim.grade if said["law"] and claim else ""
    said["sentence"] = probabilities.sentence(said["errors"], shown.references) if shown.classes else ""
    said["sentence"] = said["sentence"] or story.sentence(shown.model, listed, unseen, line, seen, law)
    said["why"] = story.why(shown.model, listed, shown.picks, place)
    return said


def _on_sets(shown: Shown, individual: Individual, intervals: Intervals | None) -> dict[str, Any]:
    """Scores, error curves, points drawn and intervals on every set of rows."""
    said: dict[str, Any] = {
        "errors": {}, "curves": [], "predictions": [], "residuals": [], "widths": [], "coverage": {}, "classes": [],
    }  # fmt: skip
    for each, kept in zip(shown.sets, shown.points, strict=True):
        prediction = shown.model.loss.prediction(individual.predict(each.X))
        said["errors"][each.name], error_curve = errors_of(each, prediction, shown.classes)
        if shown.classes and (told := probabilities.curves(each, prediction)):
            said["classes"].append(told)
        said["curves"].append(error_curve)
        said["predictions"].append(numbers(prediction[kept]))
        with np.errstate(all="ignore"):
            said["residuals"].append(numbers((each.y - prediction)[kept], 4))
        widths, said["coverage"][each.name] = _interval(intervals, individual, each, kept)
        said["widths"].append(widths)
    return said


def _shapes(model: FittedModel, individual: Individual) -> list[str]:
    """What is known of every shape that the user stated, in words."""
    if model.known is None:
        return []
    return [str(each) for each in model.known.verdicts(model_expression(individual), SHAPE_POINTS)]


def errors_of(rows: Rows, prediction: Floats, of_classes: bool) -> tuple[dict[str, Any], list[Any]]:
    """Error measures of a prediction on a set of rows, of classes too where it is the probability of one; and its error curve."""
    measured = {"rows": len(rows.y), **metrics(rows.y, prediction, rows.weights)}
    with np.errstate(all="ignore"):
        curve = statistics.error_curve(np.abs(rows.y - prediction), rows.weights)
    said = {key: number(value) for key, value in measured.items()}
    return said | (probabilities.measured(rows, prediction) if of_classes else {}), numbers(curve, 4)


def exports(formula: Formula, digits: int) -> dict[str, str]:
    """The formula in every text format, for people with this many digits; a format whose package is missing is left out."""
    written: dict[str, str] = {}
    for name, exporter in EXPORTERS.items():
        if name == "onnx":  # no text; the page says how to write the file
            continue
        try:
            people = exporter.digits is not None
            written[name] = _text(formula, digits, name) if people else str(formula.to(name))
        except (ImportError, ValueError, RecursionError):
            continue
    return written


def _text(formula: Formula, digits: int, format: str = "text") -> str:
    return str(shown_formula.rounded(formula, digits).to(format, digits=max(digits, WHOLE)))


def _groups(model: FittedModel, listed: Listed) -> dict[str, Any] | None:
    """The numbers that groups have for themselves: one row per group, the pooled ones last; None where there are none."""
    if model.groups is None:
        return None
    table = replace(model, chosen=listed.member).group_table()
    if not len(table):
        return None
    names = list(dict.fromkeys(table["number"]))
    parts = [table[table["number"] == name].reset_index(drop=True) for name in names]
    said = []
    for place in range(len(parts[0])):
        first = parts[0].iloc[place]
        values = [
            {key: number(part.iloc[place][key]) for key in ("estimate", "lower", "upper")} for part in parts
        ]
        new = first["group"] is None or first["group"] != first["group"]
        shown = "a new group" if new else str(first["group"])
        said.append({"group": shown, "rows": "" if new else int(first["rows"]), "estimates": values})
    kept = [*said[:-1][:MOST_GROUPS], said[-1]]
    return {"numbers": names, "rows": kept, "left_out": len(said) - len(kept)}


def _terms(shown: Shown, typeset: shown_formula.Shown, r2: float) -> list[dict[str, Any]]:
    """Terms of the formula with what they do, the ones that move most first; spread and cost are in the target's units."""
    roles: list[tuple[float, float, float]] = []
    if shown.rows is not None and typeset.terms:
        X = typeset.named.rows(shown.rows.X)
        with np.errstate(all="ignore"):
            values = np.column_stack([evaluate(term, X) for term, _ in typeset.terms])
        roles = statistics.term_roles(values, shown.rows)
    table = []
    for place, (_, mathml) in enumerate(typeset.terms):
        spread, _, cost = roles[place] if roles else (math.nan, math.nan, math.nan)
        table.append(
            {
                "place": place,
                "mathml": mathml,
                "spread": number(spread),
                "cost": number(_grown(shown, r2, cost)),
            }
        )
    return sorted(table, key=lambda each: -(each["spread"] or 0.0))


def _grown(shown: Shown, r2: float, loss: float) -> float:
    """By how much the root mean square error on the training rows grows when R² falls, in the target's units."""
    if shown.rows is None:
        return math.nan
    with np.errstate(all="ignore"):
        spread = float(np.sqrt(np.cov(shown.rows.y, aweights=shown.rows.weights, bias=True)))
        left, more = max(1.0 - r2, 0.0), max(1.0 - r2 + loss, 0.0) if math.isfinite(loss) else math.nan
        return spread * (math.sqrt(more) - math.sqrt(left))


def _interval(
    intervals: Intervals | None, individual: Individual, shown: Rows, kept: Any
) -> tuple[list[Any] | None, list[Any] | None]:
    """Half widths of the intervals of the rows drawn; share of rows that they hold, and of how many rows."""
    if intervals is None:
        return None, None
    sample = statistics.thinned(shown, STATISTICS_ROWS)
    widths = intervals.half_widths(np.concatenate([shown.X[kept], sample.X]))
    if widths is None or not np.isfinite(widths).any():  # the square of a width may overflow
        return None, None
    held = np.abs(sample.y - individual.predict(sample.X)) <= widths[len(kept) :]
    share = np.average(held, weights=sample.weights)
    return numbers(widths[: len(kept)], 3), [number(share), len(sample.y)]


def _on_rows(shown: Shown, individual: Individual, said: dict[str, Any]) -> dict[str, Any]:
    """Importance in the target's units, dependence, and where the errors are."""
    rows = shown.rows
    if rows is None:
        return {"importance": [], "dependence": [], "segments": []}
    losses = statistics.importance(individual, rows, shown.model.loss)
    r2, squared = said["errors"]["train"]["r2"] or 0.0, shown.model.loss.squared
    curves = [
        (j, statistics.partial_dependence(individual, rows, j, shown.grids[j], shown.model.loss))
        for j in list(losses)[:MOST_DEPENDENCES]
    ]
    last = shown.sets[-1]
    with np.errstate(all="ignore"):
        prediction = shown.model.loss.prediction(individual.predict(last.X))
        wrong = (prediction > THRESHOLD) != (last.y > THRESHOLD)
        worst = _segments(shown, last, wrong.astype(float) if shown.classes else last.y - prediction)
    return {
        # What R² loses can be told in the target's units; what another loss loses is a share of its own.
        "importance": [
            [j, number(_grown(shown, r2, losses[j]) if squared else losses[j]), number(losses[j])]
            for j in losses
        ],
        "dependence": [
            {"feature": j, "mean": numbers(c.mean, 4), "low": numbers(c.low, 4), "high": numbers(c.high, 4)}
            for j, c in curves
        ],
        "segments": [
            {
                "feature": each.feature,
                "said": each.said,
                "low": number(each.low),
                "high": number(each.high),
                "rows": each.rows,
                "rmse": number(each.rmse),
                "bias": number(each.bias),
            }
            for each in worst[:MOST_SEGMENTS]
        ],
    }


def _segments(shown: Shown, rows: Rows, residuals: Floats) -> list[statistics.Segment]:
    """Errors by ranges of numbers and by levels of text, the worst first."""
    made = [raw for raw in raw_columns.raws(shown.model) if raw.kind != "number"]
    # Of a column of text its levels are told, of a date the time; of gaps where they are.
    hidden = {j for raw in made for j, column in raw.columns if not isinstance(column, Elapsed)}
    found = statistics.segments(rows, residuals, without=hidden)
    for raw in made:
        for level, here in raw_columns.told_apart(raw, rows):
            if here.sum() >= LEAST_ROWS:
                said, first = f"{raw.name} = {level}", raw.columns[0][0]
                found.append(statistics.segment(rows, residuals, here, first, (math.nan, math.nan), said))
    return sorted(found, key=lambda each: -each.rmse)


def _held_out_rmse(model: FittedModel, r2: float) -> float:
    """The error that belongs to an R² on unseen rows, in the target's units; unknown where another loss was minimised."""
    known = math.isfinite(r2) and model.loss.squared
    return math.sqrt(max(1.0 - r2, 0.0) * model.front.variance) if known else math.nan


def _unseen(
    shown: Shown, listed: Listed, said: dict[str, Any]
) -> tuple[story.Unseen, float, tuple[float, float]]:
    """How the model does on rows that it was not fitted to, how a linear model does there, and both on the training rows."""
    line = next((each for each in shown.references if each["name"] == "linear"), None)
    middle = len(statistics.SHARES) // 2

    def half(each: dict[str, Any] | None, place: int) -> float:
        value = None if each is None or not shown.sets else each["curves"][place][middle]
        return math.nan if value is None else float(value)

    seen = (half(said, 0), half(line, 0))
    if any(each.name == "test" for each in shown.sets):
        errors = said["errors"]["test"]
        known = {key: math.nan if errors[key] is None else float(errors[key]) for key in ("r2", "rmse")}
        return story.Unseen("test", known["r2"], known["rmse"], half(said, -1)), half(line, -1), seen
    r2 = listed.member.validation
    rmse = _held_out_rmse(shown.model, r2)
    return (
        story.Unseen(shown.model.validated_by if math.isfinite(r2) else "", r2, rmse, math.nan),
        shown.line,
        seen,
    )
