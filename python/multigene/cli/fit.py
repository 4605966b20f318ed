"""`multigene fit`: a file in, a formula out."""

from __future__ import annotations

import signal
import time as clock
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import pandas as pd
import typer

from multigene.cli import classes
from multigene.cli import options as o
from multigene.cli.model_argument import applied, check_choice, check_prune
from multigene.cli.option_groups import Reading, Rows, Saying, Search, spread, words
from multigene.cli.output import (
    as_json,
    check_writable,
    csv_text,
    kept,
    note,
    notes,
    progress_visible,
    say,
    say_json,
    write,
)
from multigene.cli.summary import spoken_summary, summary
from multigene.cli.task import Problem, asked, fitted, problem
from multigene.evolution.interrupts import ENDING, Interrupts
from multigene.groups.regroup import told_numbers
from multigene.settings.loss import AUTO
from multigene.settings.paper import configuration
from multigene.settings.parameters import Parameters
from multigene.settings.resolve import resolved
from multigene.settings.settings import Search as SearchSettings
from multigene.settings.text import read_assignment, read_settings_file
from multigene.words import nearest

if TYPE_CHECKING:
    from multigene.fitted import FittedModel

#: What `--units` is given to take them from the names of the columns.
HEADER = "header"
EPILOG = """Examples:

  multigene fit data.csv --target y --time 30

  multigene fit data.csv -t price -x id,name --holdout 0.2 --save model.json --report report.html

  multigene fit train.csv --test test.csv --configuration UB --set tournament_size=7 --output results

  multigene fit data.csv -t y --weights w --time 3600 --checkpoint run.state --save model.json

  multigene fit trials.csv -t growth --groups site --save model.json

  cat data.tsv | multigene fit - -t y --json | jq .formula
"""


Prune = Annotated[
    float | None,
    typer.Option(
        "--prune",
        metavar="LOSS",
        help="Shorten the formula at this loss of training R², such as 0.001.",
        rich_help_panel=o.RESULT,
    ),
]
Save = Annotated[
    Path | None,
    typer.Option("--save", metavar="FILE", help="Model file to write (JSON).", rich_help_panel=o.RESULT),
]
Report = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE", help="Report to write (HTML).", rich_help_panel=o.RESULT),
]
Checkpoint = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        metavar="FILE",
        help="File that keeps the state of the run: the same command goes on from it after a crash, or with a larger limit.",
        rich_help_panel=o.RESULT,
    ),
]
Directory = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="DIRECTORY",
        help="Directory for predictions, model and summary.",
        rich_help_panel=o.RESULT,
    ),
]


@dataclass(frozen=True)
class Method:
    """What the search looks for, what it builds formulas with, and how."""

    search_: o.Kind = "both"
    task: o.Task = "auto"
    class_weight: o.ClassWeight = None
    loss: o.Loss = AUTO
    form: o.Form = None
    guess: o.Guess = None
    max_size: o.MaxSize = None
    shape: o.Shape = None
    rule: o.Rule = None
    units: o.Units = None
    weights: o.Weights = None
    y_error: o.YError = None
    groups: o.Groups = None
    group_numbers: o.GroupNumbers = "auto"
    functions: o.Functions = None
    configuration: o.Configuration = None
    set_: o.Set = None
    settings: o.SettingsFile = None

    def kind(self) -> str:
        """The task; "regression" where something is asked for that numbers alone have."""
        of_numbers = self.loss != AUTO or self.groups or self.units or self.search_ == "laws"
        return "regression" if self.task == "auto" and (of_numbers or self.configuration) else self.task

    def beside(self) -> dict[str, str | None]:
        """Columns that say something of rows, by option."""
        return {"--weights": self.weights, "--y-error": self.y_error}

    def parameters(self) -> dict[str, Any]:
        """What the estimator is given of this; settings of the command line go before those of the file."""
        of_file = {} if self.settings is None else read_settings_file(self.settings)
        named = of_file.pop("configuration", None)
        given = self.configuration
        if named is not None and given is not None and configuration(named) != configuration(given):
            raise ValueError(
                f"--configuration {given} contradicts {self.settings}, which is of configuration {named}; "
                "leave one of them out."
            )
        settings = of_file | dict(read_assignment(text) for text in self.set_ or ())
        if self.rule:
            settings["rules"] = (*settings.get("rules", ()), *self.rule)
        return {
            "configuration": given if named is None else named,
            "functions": self.functions,
            "search": self.search_,
            "form": self.form,
            "guesses": self.guess or None,
            "loss": self.loss,
            "max_size": self.max_size,
            "shapes": self.shape or None,
            "units": read_units(self.units),
            "settings": settings or None,
        }


@dataclass(frozen=True)
class Results:
    """Which model of the front is taken, and what is written about it."""

    choose: o.Choose = None
    prune: Prune = None
    save: Save = None
    report: Report = None
    output: Directory = None
    checkpoint: Checkpoint = None

    def check(self) -> None:
        """Refuse what cannot be done before the search."""
        check_choice(self.choose)
        check_prune(self.prune)
        check_writable(self.save, "--save", ".json")
        check_writable(self.report, "--report", ".html", ".htm")
        check_writable(self.checkpoint, "--checkpoint")
        if self.output is not None and self.output.exists() and not self.output.is_dir():
            raise ValueError(f"--output {self.output} is a file; give the name of a directory.")

    def taken(self, fitted: FittedModel, interrupts: Interrupts) -> tuple[FittedModel, ValueError | None]:
        """The model that was asked for, or where it cannot be had the search's own, and why."""
        try:
            chosen = applied(fitted, self.choose)
        except ValueError as error:
            return fitted, error
        try:
            with interrupts.breakable():
                return applied(chosen, None, self.prune), None
        except ValueError as error:
            return chosen, error
        except KeyboardInterrupt:
            interrupts.met()
            return chosen, None

    def write(self, model: FittedModel, task: Problem, result: dict[str, Any]) -> list[str]:
        """Write what was asked for; returns the files' names."""
        from multigene.model_file import dumps

        text_of_model = dumps(model)
        files: list[tuple[Path, str]] = [] if self.save is None else [(self.save, text_of_model)]
        with kept(text_of_model):
            if self.output is not None:
                self.output.mkdir(parents=True, exist_ok=True)
                files += [(self.output / name, text) for name, text in contents(model, task, result).items()]
            for path, text in files:
                write(path, text)
            names = [str(path) for path, _ in files]
            if self.report is not None:
                from multigene.report import write_report  # a tenth of a second

                test = () if task.test is None else (task.x(task.test), task.y(task.test))
                write_report(model, self.report, None, None, *test)
                names.append(str(self.report))
        return names


@spread
def fit(
    data: o.DataArgument,
    rows: Rows,
    search: Search,
    method: Method,
    results: Results,
    saying: Saying,
    reading: Reading,
) -> None:
    """Find a formula for one column of a table in terms of the others.

    Ctrl-C, SIGTERM and SIGHUP end the search early and keep the best formula so far; a second signal ends at once.
    """
    # From here on nothing that was found is lost: signals break off reading and searching, and no writing.
    with Interrupts(ENDING, second_ends=True) as interrupts:
        with interrupts.breakable():
            results.check()
            told_numbers(method.group_numbers)
            classes.check_task(method.task, method.class_weight)
            visible = progress_visible(saying.quiet)
            parameters = asked(search, visible=visible, **method.parameters())
            memory = (resolved(parameters).search or SearchSettings()).memory_megabytes
            task = problem(data, rows, reading, search.seed, memory, method.beside(), method.kind())
            notes(task.notes, saying.quiet)
            check_groups(method.groups, task)
            check_pieces(parameters, task, method.groups)
            if task.stream is not None:  # of all rows nobody knows which are outliers
                parameters = replace(parameters, loss="squared")
            if method.units == [HEADER]:
                parameters = replace(parameters, units=task.header_units())
        started = clock.perf_counter()
        if task.classes:
            _tell_classes_apart(parameters, task, search.seed, method, results, saying)
            return
        x, y = task.x(task.train), task.y(task.train)
        beside: dict[str, Any] = {"groups": method.groups, "group_numbers": method.group_numbers}
        found = fitted(parameters, x, y, task.weights, **beside, checkpoint=results.checkpoint)
        if found.encoding is not None:
            notes(found.encoding.notes, saying.quiet)
        if task.stream is not None:
            from multigene.fitting.in_pieces import on_all_rows

            found = on_all_rows(found, task.stream)
        found = replace(found, command=command(data, task, rows, search, method, reading))
        model, refused = results.taken(found, interrupts)
        result = summary(model, task, clock.perf_counter() - started, search.seed)
        try:
            result["files"] = results.write(model, task, result)
        finally:  # a disk that is full is no reason to lose the formula
            tell(result, results, saying, model.picks_text())
        if interrupts.first is not None:
            name = "Ctrl-C" if interrupts.first == signal.SIGINT else interrupts.first.name
            note(f"stopped by {name}; this is the best formula so far", saying.quiet)
        if refused is not None:
            raise refused


def _tell_classes_apart(
    parameters: Parameters,
    task: Problem,
    seed: int,
    method: Method,
    results: Results,
    saying: Saying,
) -> None:
    """The same for a target of classes."""
    started = clock.perf_counter()
    not_asked = {"--groups": method.groups, "--prune": results.prune, "--checkpoint": results.checkpoint}
    classes.check_options(not_asked)
    model = classes.fit_classes(parameters, task, method.class_weight, results.choose)
    told = classes.summary(model, task, clock.perf_counter() - started, seed)
    try:
        told["files"] = classes.write_files(model, task, told, results.save, results.output, results.report)
    finally:
        classes.tell(told, saying, to_standard_output=str(results.save) == "-")


def tell(result: dict[str, Any], results: Results, saying: Saying, picks: str) -> None:
    """Print the result."""
    if str(results.save) == "-":
        note(spoken_summary(result, picks), saying.quiet)  # standard output holds the model
    elif saying.json:
        say_json(result)
    else:
        say(spoken_summary(result, picks))


def command(
    data: str,
    task: Problem,
    rows: Rows,
    search: Search,
    method: Method,
    reading: Reading,
) -> tuple[str, ...]:
    """The words of this command line that decide which formula comes out; the rest of it does not belong to the model."""
    given = words(replace(rows, target=task.columns.target), replace(search, seed=0, threads=None))
    return (
        "multigene", "fit", data, *given, "--seed", str(search.seed), *words(method, reading)
    )  # fmt: skip


def check_pieces(parameters: Parameters, task: Problem, groups: str | None) -> None:
    """Refuse what a table that is read in pieces does not go with."""
    if task.stream is not None:
        from multigene.fitting.in_pieces import refuse_in_pieces

        given = {"weights": task.weights, "groups": groups}
        refuse_in_pieces(parameters, resolved(parameters), given)


def check_groups(groups: str | None, task: Problem) -> None:
    """Refuse groups that there are not before anything is fitted."""
    if groups is None:
        return
    if groups not in task.columns.features:
        known = nearest(groups, task.columns.features) or "; name one of its features."
        raise ValueError(f"--groups: {task.source} has no feature {groups!r}{known}")
    if task.stream is not None:
        raise ValueError(
            "--groups goes with rows in memory; give --set memory_megabytes=… so that the table fits, or leave it out."
        )


def read_units(texts: list[str] | None) -> dict[str, str] | None:
    """`m=kg,v=m/s`, or one of them each time; a comma may stand in a column's name."""
    if not texts or texts == [HEADER]:
        return None
    found: dict[str, str] = {}
    for text in texts:
        pieces = text.split(",")
        for piece in pieces if all("=" in each for each in pieces) else [text]:
            column, equals, unit = piece.rpartition("=")
            if not equals or not column.strip() or not unit.strip():
                raise ValueError(
                    f"--units {text!r} is not COLUMN=UNIT; write for example --units m=kg,v=m/s,E=J."
                )
            found[column.strip()] = unit.strip()
    return found


def contents(model: FittedModel, task: Problem, result: dict[str, Any]) -> dict[str, str]:
    """The files of `--output`, by name."""
    from multigene.model_file import dumps

    tested = {} if task.test is None else {"predictions-test.csv": predictions(model, task, task.test)}
    return {
        "model.json": dumps(model),
        "predictions-train.csv": predictions(model, task, task.train),
        **tested,
        "front.csv": csv_text(model.equations()),
        **({} if model.groups is None else {"groups.csv": csv_text(model.group_table())}),
        "history.csv": csv_text(model.history),
        "summary.json": as_json(result) + "\n",
        "summary.txt": spoken_summary(result, model.picks_text()) + "\n",
    }


def predictions(model: FittedModel, task: Problem, frame: pd.DataFrame) -> str:
    """Target, prediction and residual of every row."""
    prediction = model.predict(model.features(task.x(frame)))
    y = task.y(frame)
    return csv_text(
        frame[[task.columns.target]].assign(prediction=prediction, residual=y.to_numpy() - prediction)
    )
