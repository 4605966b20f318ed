"""A run of the studio as Python that repeats it on the same file, what was done while it ran and to its model included."""

from __future__ import annotations

from typing import Any

from multigene.data.columns import choose_columns
from multigene.studio.question import Question
from multigene.studio.workspace import Dataset

BY_TIME = (
    "# Limited by time: another run does as much as the machine allows. With generations= it is the same."
)


def recorded(
    question: Question, dataset: Dataset, actions: list[dict[str, Any]], decisions: list[list[Any]]
) -> str:
    """The run as a script: rows, estimator, steering, choice, and what became of the model (`LiveRun.decisions`)."""
    steered = [each for each in actions if each["action"] != "resume"]
    lines = _imports(question, dataset, steered)
    if any(decision[0] == "remove" for decision in decisions):
        lines.append("from multigene.report.shown_formula import shown_terms")
    lines += ["", *_rows(question, dataset), *_fit(question, steered)]
    if question.prefer != "default":
        lines.append(f"model.choose({question.prefer!r})")
    if question.generations is None:
        lines.append(BY_TIME)
    lines.append("print(model)")
    if decisions:
        lines.append("fitted = model.fitted_.of()" if question.label else "fitted = model.fitted_")
        lines += [line for decision in decisions for line in _decided(*decision)]
        lines.append("print(fitted.formula)")
    return "\n".join(lines) + "\n"


def _decided(what: str, *given: Any) -> list[str]:
    """What was done to the model after the run."""
    if what == "choose":
        return [f"fitted = fitted.choose({given[0]!r})"]
    if what == "prune":
        return [f"fitted, _ = fitted.prune({given[0]!r})"]
    row, value = given
    if what == "numbers":
        return [f"fitted = fitted.at({row}).with_numbers({value!r})"]
    return [
        f"fitted = fitted.at({row})",
        f"fitted = fitted.without_term(shown_terms(fitted.formula), {value})",
    ]


def _imports(question: Question, dataset: Dataset, steered: list[dict[str, Any]]) -> list[str]:
    estimators = "MultigeneClassifier, MultigeneRegressor" if question.label else "MultigeneRegressor"
    return [
        f"from multigene import {estimators}",
        "from multigene.data.columns import Columns, raw_rows",
        "from multigene.data.reading import read_table",
        *(["from multigene.data.split import split"] if question.holdout else []),
        *(["from multigene.search.steering import Script"] if steered else []),
        *(["from multigene.studio.workspace import Dataset"] if dataset.derived else []),
    ]


def _rows(question: Question, dataset: Dataset) -> list[str]:
    """The table, its derived columns, and the rows of it that the search sees."""
    lines = [f"table = read_table({str(dataset.path)!r})"]
    if dataset.derived:
        lines.append(f"dataset = Dataset(1, {dataset.name!r}, None, table)")
        lines += [f"dataset.derive({name!r}, {formula!r})" for name, formula in dataset.derived]
        lines.append("table = dataset.table")
    features = list(choose_columns(dataset.table, question.target, question.features).features)
    features += [question.groups] if question.groups and question.groups not in features else []
    classes = ", classes=True" if question.label else ""
    lines += [
        f"features, target = {features!r}, {question.target!r}",
        f"rows, _ = raw_rows(table, Columns(target, tuple(features)), {question.missing!r}{classes})",
    ]
    if question.holdout:
        lines.append(f"rows, test = split(rows, {question.holdout!r}, {question.seed!r})")
    return lines


def _fit(question: Question, steered: list[dict[str, Any]]) -> list[str]:
    parameters = question.parameters()
    if question.label:
        del parameters["loss"]  # a classifier takes it for granted
    arguments = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
    estimator, y = f"MultigeneRegressor({arguments})", "rows[target]"
    if question.label:
        estimator, y = f"MultigeneClassifier({arguments})", f"rows[target].astype(str) == {question.label!r}"
    given = [f"rows[features], {y}"]
    given += [f"groups={question.groups!r}"] if question.groups else []
    lines = [f"model = {estimator}"]
    if steered:
        said = ",\n    ".join(repr((each["step"], each["action"], each["value"])) for each in steered)
        lines.append(f"script = Script([\n    {said},\n])")
        given.append("callback=script")
    return [*lines, f"model.fit({', '.join(given)})"]
