"""Classes on the command line: what `fit` and `predict` do where the target is one of classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from multigene.cli.features import feature_rows, row_numbers, spoken_features
from multigene.cli.model_argument import criterion
from multigene.cli.option_groups import Saying
from multigene.cli.output import (
    as_json,
    csv_text,
    formula_lines,
    kept,
    note,
    parquet_or_csv,
    say,
    say_json,
    write,
)
from multigene.data.columns import class_values
from multigene.words import anatomy, counted

if TYPE_CHECKING:
    from multigene.classes.fitted import FittedClasses
    from multigene.cli.task import Problem
    from multigene.data.table import Table
    from multigene.settings.parameters import Parameters

TASKS = ("auto", "regression", "classification")


def check_task(task: str, class_weight: str | None) -> None:
    """Refuse what there is not before anything is read."""
    if task not in TASKS:
        raise ValueError(f"--task {task} is not known; take {', '.join(TASKS[:-1])} or {TASKS[-1]}.")
    if class_weight not in (None, "balanced"):
        raise ValueError(f"--class-weight {class_weight} is not known; take balanced, or leave it out.")
    if task == "regression" and class_weight is not None:
        raise ValueError(
            "--class-weight belongs to classification; give --task classification, or leave it out."
        )


def fit_classes(
    parameters: Parameters, task: Problem, class_weight: str | None, choose: str | None
) -> FittedClasses:
    """The formulas that tell the classes of the training rows apart."""
    from multigene.estimator import MultigeneRegressor
    from multigene.estimators.classifier import MultigeneClassifier

    classifier = MultigeneClassifier.like(MultigeneRegressor(**parameters.values()), class_weight)
    fitted = classifier.fit(task.x(task.train), labels_of(task.y(task.train)), task.weights).fitted_
    return fitted if choose is None else fitted.choose(criterion(choose))


def labels_of(y: pd.Series) -> Any:
    """Classes as an array that sorts: numbers, truth values, or text."""
    values = y.tolist()
    kinds = {type(value) for value in values}
    return pd.Series(values, name=y.name, dtype=object if kinds - {int, float, bool} else None)


def summary(model: FittedClasses, task: Problem, seconds: float, seed: int) -> dict[str, Any]:
    """All there is to say about a classifier."""
    test = None if task.test is None else _measured(model, task.x(task.test), task.y(task.test))
    return {
        "task": "classification",
        "target": model.target,
        "classes": list(model.classes),
        "formulas": {
            str(label): {
                "log_odds": str(formula),
                "named_log_odds": formula.where(),
                "nodes": formula.size,
                "genes": each.n_genes,
                "front": each.equations(),
                "stopped_by": each.stopped_by,
                "generations": each.n_generations,
            }
            for (label, formula), each in zip(model.formulas.items(), model.models, strict=True)
        },
        "train": _measured(model, task.x(task.train), task.y(task.train)),
        "test": test,
        "seconds": round(seconds, 3),
        "seed": seed,
        "data": task.source,
    }


def _measured(model: FittedClasses, X: pd.DataFrame, y: pd.Series) -> dict[str, Any]:
    from multigene.classes.measures import class_scores

    return class_scores(model, probabilities(model, X), y.tolist())


def probabilities(model: FittedClasses, X: pd.DataFrame) -> Any:
    """Probability of every class for the rows of a table."""
    return model.probabilities(model.log_odds([spoken_features(each, X) for each in model.models]))


def spoken_summary(result: dict[str, Any]) -> str:
    """The same for people."""
    lines = []
    for label, each in result["formulas"].items():
        lines.append(formula_lines(f"log-odds of {result['target']} = {label}: {each['named_log_odds']}"))
        models = counted(len(each["front"]), "model")
        lines.append(f"{'':10} {anatomy(each['nodes'], each['genes'])}, one of {models} of the front")
    lines.append("")
    for name in ("training", "test"):
        scores = result["train" if name == "training" else "test"]
        if scores is not None:
            lines.append(f"{name + ':':10} {spoken_scores(scores)}")
    stops = ", ".join(sorted({each["stopped_by"] for each in result["formulas"].values()}))
    lines.append(f"{'search:':10} {result['seconds']:.1f} s, ended by {stops}, seed {result['seed']}")
    lines += [f"{'wrote:' if i == 0 else '':10} {path}" for i, path in enumerate(result.get("files", ()))]
    return "\n".join(lines)


def spoken_scores(scores: dict[str, Any]) -> str:
    """Scores in a line."""
    area = "" if scores["roc_auc"] is None else f"   ROC AUC {scores['roc_auc']:.4f}"
    return (
        f"accuracy {scores['accuracy']:.4f}{area}   log loss {scores['log_loss']:.4f}   {scores['rows']} rows"
    )


def check_options(given: dict[str, Any]) -> None:
    """Refuse options that classification does not have."""
    for option, value in given.items():
        if value is not None:
            raise ValueError(
                f"{option} does not go with classification; leave it out, or give --task regression."
            )


def write_files(
    model: FittedClasses,
    task: Problem,
    result: dict[str, Any],
    save: Path | None,
    output: Path | None,
    report: Path | None,
) -> list[str]:
    """Write what was asked for; returns the files' names."""
    from multigene.model_file import dumps

    text_of_model = dumps(model)
    files: list[tuple[Path, str]] = [] if save is None else [(save, text_of_model)]
    with kept(text_of_model):
        if output is not None:
            output.mkdir(parents=True, exist_ok=True)
            files += [(output / name, text) for name, text in written(model, task, result).items()]
        for path, text in files:
            write(path, text)
        pages = [] if report is None else write_reports(model, task, report)
    return [str(path) for path, _ in files] + pages


def tell(result: dict[str, Any], saying: Saying, *, to_standard_output: bool) -> None:
    """Print the result; as a note where standard output holds the model."""
    if to_standard_output:
        note(spoken_summary(result), saying.quiet)
    elif saying.json:
        say_json(result)
    else:
        say(spoken_summary(result))


def written(model: FittedClasses, task: Problem, result: dict[str, Any]) -> dict[str, str]:
    """Files of an output directory: model, summary, predictions of the test or training rows."""
    from multigene.model_file import dumps

    rows = task.train if task.test is None else task.test
    table = prediction_table(model, probabilities(model, task.x(rows)))
    table.insert(0, task.columns.target, task.y(rows).to_numpy())
    return {
        "model.json": dumps(model),
        "summary.json": as_json(result) + "\n",
        "predictions.csv": csv_text(table),
    }


def prediction_table(model: FittedClasses, shares: Any) -> pd.DataFrame:
    """The most probable class of every row, and the probability of each."""
    classes = np.array(model.classes, dtype=object)
    table = pd.DataFrame({"prediction": classes[np.argmax(shares, axis=1)]})
    for place, label in enumerate(model.classes):
        table[f"P({label})"] = shares[:, place]
    return table


def write_reports(model: FittedClasses, task: Problem, path: Path) -> list[str]:
    """One page per formula; where there are several, the class stands in the name of the file."""
    from multigene.report import write_report

    pages = [path] if len(model.models) == 1 else [path.with_stem(s) for s in _stems(path.stem, model.told)]
    for page, each in zip(pages, model.models, strict=True):
        test: tuple[Any, ...] = ()
        if task.test is not None:
            test = (task.x(task.test), model.is_of(task.y(task.test), each).astype(np.float64))
        write_report(each, page, None, None, *test, classes=model)
    return [str(page) for page in pages]


def _stems(stem: str, labels: Sequence[Any]) -> list[str]:
    """A file name for every class; classes that would share one (`a/b` and `a b`, `A` and `a`) are numbered."""
    names = ["".join(sign if sign.isalnum() else "-" for sign in str(label))[:40] for label in labels]
    lower = [name.lower() for name in names]
    return [
        f"{stem}-{name}" if lower.count(name.lower()) == 1 else f"{stem}-{place + 1}-{name}"
        for place, name in enumerate(names)
    ]


def predict_classes(
    model: FittedClasses,
    table: Table,
    output: Path | None,
    *,
    keep: bool,
    drop_missing: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Write the class of every row of a table, and the probabilities of all classes."""
    from multigene.classes.measures import class_scores

    kept = _complete(model, table, quiet) if drop_missing else np.ones(len(table.frame), dtype=bool)
    table = replace(table, frame=table.frame[kept])
    values = [feature_rows(each, table, False, quiet)[0].to_numpy(dtype=np.float64) for each in model.models]
    shares = model.probabilities(model.log_odds(values))
    if model.target in table.frame.columns and not quiet:
        labels = class_values(table.frame[model.target])
        known = np.array([label is not None for label in labels])
        if known.any() and set(map(str, labels[known])) <= {str(label) for label in model.classes}:
            scores = class_scores(model, shares[known], labels[known].tolist())
            note(f"against {model.target!r}: {spoken_scores(scores)}")
    found = prediction_table(model, shares)
    found = found if keep else pd.concat([pd.DataFrame(row_numbers(kept)), found], axis=1)
    frame = pd.concat([table.frame.reset_index(drop=True), found], axis=1) if keep else found
    if json:
        columns = {name: found[name].tolist() for name in found.columns}
        short = {"target": model.target, "rows": len(found), **columns}
        write(output, as_json(frame if keep else short) + "\n")
    else:
        write(output, parquet_or_csv(frame, output))


def _complete(model: FittedClasses, table: Table, quiet: bool) -> Any:
    """Which rows have no gap in a column that any of the formulas uses."""
    used = {name for each in model.models for name in each.raw_variables}
    rows = table.frame[[name for name in table.frame.columns if name in used]].notna().all(axis=1)
    if not rows.all():
        note(f"left out {counted(int((~rows).sum()), 'row')} without a value", quiet)
    return rows.to_numpy()
