"""What a report says, as plain values: collected here from a fitted model and rows, written by `html.py`.

`collect` makes a `Content`; everything in it can be written as JSON, so that the page's script, a notebook, the studio, a test or
another writer reads the same numbers. What is said of one model of the front is made in `described.py`.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from multigene import __version__
from multigene.classes.fitted import FittedClasses
from multigene.data.spread import spread_rows
from multigene.explain.criteria import Listed
from multigene.expression.tree import variables
from multigene.fitted import FittedModel
from multigene.report import probabilities, raw_columns, statistics, story
from multigene.report.columns import summary
from multigene.report.constants import MOST_COLUMNS, MOST_MODELS, MOST_POINTS
from multigene.report.described import Shown, described, errors_of
from multigene.report.numbers import number, numbers
from multigene.report.remarks import remarks
from multigene.report.reproduce import constructor, settings_table, shell_command
from multigene.report.shown_rows import given_rows, training_rows
from multigene.report.statistics import Rows


@dataclass(frozen=True)
class Content:
    """All that the page shows."""

    target: str
    unit: str
    """The target's unit as it stands behind a number."""
    features: list[str]
    chosen: int
    picks: list[dict[str, Any]]
    """Simple, balanced, recommended, most accurate: name, title, place among the models."""
    measure: str
    """What the share explained that the search went by is called: R² for squared error."""
    unseen: str
    """Rows that scores on unseen rows come from: "test", "held-out", "cross-validated", or empty."""
    models: list[dict[str, Any]]
    left_out: int
    sets: list[dict[str, Any]]
    references: list[dict[str, Any]]
    columns: list[dict[str, Any]]
    history: dict[str, list[float]]
    run: dict[str, Any]
    settings: list[tuple[str, list[tuple[str, str, str]]]]
    versions: dict[str, str]
    reproduce: dict[str, str]
    """How to repeat the run: as Python, and where there is a command that does it as that ("shell")."""
    validated_by: str
    notes: list[str]
    """What a reader has to know before believing the numbers."""
    meanings: list[str]
    """What the scores are, in sentences."""
    classes: bool = False
    """Is the target one of two classes, and the formula the probability of one?"""
    raw: int = 0
    """How many columns the table had; `features` are the numeric ones made of them."""
    sources: list[dict[str, Any]] = field(default_factory=list)
    """Columns of text and dates and those with gaps, and how they become numbers."""
    remarks: list[str] = field(default_factory=list)
    """What is remarkable about the rows."""
    groups: str = ""
    """The column that names groups with numbers of their own."""


#: What the validation R² of a model is, by where it comes from.
VALIDATION_NOTES = {
    "held-out": "Held-out {} is what formulas of at most this size were worth on rows that the first part of the search "
    "did not see; afterwards all formulas were fitted to all training rows.",
    "cross-validated": "Cross-validated {} is what formulas of at most this size were worth when the whole search was "
    "repeated on parts of the rows and scored on the others; afterwards all formulas were fitted to all training rows.",
}
NO_ROWS_NOTE = (
    "The model was loaded without its training rows, so nothing here depends on data; "
    "pass them, as in model.report(path, X, y), to see predictions, residuals and importances."
)
CLASSES_NOTE = (
    "Deviance explained is the share of the log loss of a constant probability that the formula saves; a row is told right "
    "where the formula gives its class more than one half."
)
LOSS_NOTE = (
    "What was minimised is not the squared error: “{}” ({}) is the share of the best constant's loss that a formula saves; "
    "R², RMSE and MAE are those of its predictions."
)
NO_WEIGHTS_NOTE = "The formula was fitted to weighted rows, and the rows shown all count alike; pass sample_weight to weigh them."


def collect(
    model: FittedModel,
    X: Any = None,
    y: Any = None,
    X_test: Any = None,
    y_test: Any = None,
    sample_weight: Any = None,
    *,
    most: int = MOST_MODELS,
    classes: FittedClasses | None = None,
) -> Content:
    """All that a report shows about a fitted model on these rows, with `most` models of its front beside the picks.

    `classes` is the classifier whose model it is, if it is one's.
    """
    if (X_test is None) != (y_test is None):
        raise ValueError("Test rows need both X_test and y_test; give the other one too.")
    # The matrices are small: threads of the linear algebra library would wait for each other.
    with threadpool_limits(1, user_api="blas"):
        rows = training_rows(model, X, y, sample_weight)
        test = None if X_test is None else given_rows(model, X_test, y_test, "test")
        return _collected(model, rows, test, _notes(model, rows, given=X is not None), most, classes)


def _notes(model: FittedModel, rows: Rows | None, given: bool) -> list[str]:
    """What a reader should know about the rows shown."""
    notes = [NO_ROWS_NOTE] if rows is None else []
    kept = model.rows
    if kept is not None and not given and len(kept.y) < kept.total:
        notes.append(
            f"Shown on a sample of {len(kept.y):,} of {kept.total:,} training rows; "
            "pass X and y for statistics of all of them."
        )
    if kept is not None and kept.weights is not None and rows is not None and rows.weights is None:
        notes.append(NO_WEIGHTS_NOTE)
    return notes


def _meanings(model: FittedModel, of_classes: bool) -> list[str]:
    """What the scores shown are."""
    said = []
    if model.validated_by and model.stopped_by != "law":  # a law leaves nothing to ask of unseen rows
        said.append(VALIDATION_NOTES[model.validated_by].format(model.loss.measure))
    if of_classes:
        said.append(CLASSES_NOTE)
    elif not model.loss.squared:
        said.append(LOSS_NOTE.format(model.loss.measure, model.loss.name))
    return said


def _collected(
    model: FittedModel,
    rows: Rows | None,
    test: Rows | None,
    notes: list[str],
    most: int,
    told: FittedClasses | None,
) -> Content:
    sets = [each for each in (rows, test) if each is not None]
    members, left_out = shown_members(model, most)
    points = [spread_rows(each.y, MOST_POINTS) for each in sets]
    columns, grids = summary(model, rows)
    leaks, remarkable = remarks(model, rows)
    picks = story.picks(model, members)
    line = float("nan") if rows is None or test is not None else statistics.unseen_error_of_line(rows)
    of_classes = probabilities.are_classes(model, sets)
    references = _references(rows, sets, of_classes)
    shown = Shown(model, rows, sets, points, grids, references, line, picks, of_classes)
    models = [described(shown, each, place) for place, each in enumerate(members)]
    return Content(
        target=model.target,
        unit=story.unit_of(model),
        features=list(model.names),
        chosen=picks["recommended"],
        picks=[{"name": name, "title": story.TITLES[name], "model": place} for name, place in picks.items()],
        measure=model.loss.measure,
        unseen="test" if test is not None else model.validated_by,
        models=models,
        left_out=left_out,
        sets=[_set(each, kept, _used(members)) for each, kept in zip(sets, points, strict=True)],
        references=references,
        columns=_without_spare_grids(columns, models),
        history=_history(model),
        run=_run(model),
        settings=settings_table(model),
        versions={
            "multigene": __version__,
            "Python": platform.python_version(),
            "NumPy": np.__version__,
            "system": platform.system(),
        },
        reproduce={"python": constructor(model, told), "shell": shell_command(model, told)},
        validated_by=model.validated_by,
        notes=[*leaks, *notes],
        remarks=remarkable,
        meanings=_meanings(model, of_classes),
        classes=of_classes,
        raw=len(model.raw_names),
        sources=raw_columns.described(model, rows),
        groups="" if model.groups is None else model.groups.column,
    )


def _without_spare_grids(columns: list[dict[str, Any]], models: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Columns, and the values that dependence is shown at of those that some model shows it of."""
    drawn = {curve["feature"] + 1 for model in models for curve in model["dependence"]}
    return [
        column if place in drawn else {key: value for key, value in column.items() if key != "grid"}
        for place, column in enumerate(columns)
    ]


def shown_members(model: FittedModel, most: int = MOST_MODELS) -> tuple[list[Listed], int]:
    """Models of the front as `equations_` lists them, thinned to what a page can hold; and how many that
    leaves out.
    """
    listed = list(model.front.listed)
    wanted = set(range(len(listed)))
    if len(listed) > most:
        wanted = {round(i) for i in np.linspace(0, len(listed) - 1, most).tolist()}
    kept = {id(model.chosen), *(id(pick.member) for pick in model.front.picks.values())}
    shown = [each for i, each in enumerate(listed) if i in wanted or id(each.member) in kept]
    return shown, len(listed) - len(shown)


def _references(rows: Rows | None, sets: list[Rows], of_classes: bool) -> list[dict[str, Any]]:
    """What every formula is compared with: the mean of the target and a linear model of all columns, of log-odds for classes."""
    if rows is None:
        return []
    said = []
    fitted = probabilities.references(rows) if of_classes else statistics.references(rows)
    for name, predict in fitted.items():
        measured = [errors_of(each, predict(each.X), of_classes) for each in sets]
        errors = {each.name: errors for each, (errors, _) in zip(sets, measured, strict=True)}
        said.append({"name": name, "errors": errors, "curves": [curve for _, curve in measured]})
    return said


def _set(rows: Rows, kept: Any, used: list[int]) -> dict[str, Any]:
    """A set of rows, and of those that are drawn the target and the columns that formulas may use."""
    x = {j: numbers(rows.X[kept, j], 12) for j in used}
    return {"name": rows.name, "rows": len(rows.y), "shown": len(kept), "y": numbers(rows.y[kept]), "x": x}


def _used(members: list[Listed]) -> list[int]:
    """Columns of the models whose numbers can be moved; none where that would be more than a page should hold."""
    used = {j for each in members for j in variables(each.formula.expression)}
    return sorted(used) if len(used) <= MOST_COLUMNS else []


def _history(model: FittedModel) -> dict[str, list[float]]:
    """Progress of the run, thinned."""
    history = model.history
    if len(history) == 0:
        return {}
    kept = np.unique(np.linspace(0, len(history) - 1, 300).round().astype(int))
    thin = history.iloc[kept]
    fitness = [number(v) for v in thin["fitness"]]
    return {
        "seconds": numbers(thin["seconds"].to_numpy(), 4),
        "generation": [int(g) + 1 for g in thin["generation"]],
        "fitness": fitness,
        "complexity": [int(c) for c in thin["complexity"]],
    }


def _run(model: FittedModel) -> dict[str, Any]:
    history = model.history
    seed = model.parameters.random_state
    return {
        "generations": int(model.n_generations),
        "seconds": None if len(history) == 0 else round(float(history["seconds"].iloc[-1]), 2),
        "evaluations": None if len(history) == 0 else int(history["evaluations"].iloc[-1]),
        "stopped_by": model.stopped_by,
        "ending": model.ending,
        "seed": int(seed) if isinstance(seed, int | np.integer) else None,
        "configuration": model.parameters.configuration or "default search",
    }
