"""`multigene fit`: a file in, a formula out."""

from __future__ import annotations

import time as clock
from pathlib import Path
from typing import Annotated, Any

import typer

from multigene.cli import options as o
from multigene.cli.output import (
    as_json,
    check_writable,
    csv_text,
    note,
    notes,
    progress_visible,
    say,
    say_json,
    write,
)
from multigene.cli.problem import Problem, problem, regressor
from multigene.cli.scores import scores, spoken
from multigene.settings_text import read_assignment, read_settings_file

EPILOG = """Examples:

  multigene fit data.csv --target y --time 30

  multigene fit data.csv -t price -x id,name --holdout 0.2 --save model.json --report report.html

  multigene fit train.csv --test test.csv --configuration UB --set tournament_size=7 --output results

  cat data.tsv | multigene fit - -t y --json | jq .formula
"""


def fit(
    data: o.DataArgument,
    target: o.Target = None,
    features: o.Features = None,
    exclude: o.Exclude = None,
    test: o.Test = None,
    holdout: o.Holdout = None,
    drop_missing: o.DropMissing = False,
    time: o.Time = None,
    generations: o.Generations = None,
    seed: o.Seed = 0,
    threads: o.Threads = None,
    functions: o.Functions = None,
    configuration: o.Configuration = None,
    set_: o.Set = None,
    settings: o.SettingsFile = None,
    choose: o.Choose = None,
    prune: Annotated[
        float | None,
        typer.Option(
            "--prune",
            metavar="LOSS",
            help="Shorten the formula at this loss of training R², such as 0.001.",
            rich_help_panel=o.RESULT,
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FILE", help="Model file to write (JSON).", rich_help_panel=o.RESULT),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE", help="Report to write (HTML).", rich_help_panel=o.RESULT),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIRECTORY",
            help="Directory for predictions, model and summary.",
            rich_help_panel=o.RESULT,
        ),
    ] = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
    separator: o.Separator = None,
    decimal: o.Decimal = None,
    encoding: o.Encoding = "utf-8",
    no_header: o.NoHeader = False,
    sheet: o.Sheet = None,
) -> None:
    """Find a formula for one column of a table in terms of the others.

    Ctrl-C ends the search early and keeps the best formula so far.
    """
    check_writable(save, "--save")
    check_writable(report, "--report")
    if output is not None and output.exists() and not output.is_dir():
        raise ValueError(f"--output {output} is a file; give the name of a directory.")
    values = {} if settings is None else read_settings_file(settings)
    values.update(read_assignment(text) for text in set_ or ())
    model = regressor(
        configuration=configuration, functions=functions, time=time, generations=generations, seed=seed,
        threads=threads,
        settings=values, visible=progress_visible(quiet),
    )  # fmt: skip
    if report is not None and not hasattr(model, "report"):
        raise ValueError(
            "--report is not part of this version of multigene; leave it out or install a newer one."
        )
    table, other = o.tables(o.dialect(separator, decimal, encoding, no_header, sheet), data, test)
    assert table is not None
    task = problem(
        table,
        other,
        target=target,
        features=features,
        exclude=exclude,
        drop_missing=drop_missing,
        holdout=holdout,
        seed=seed,
    )
    notes(task.notes, quiet)
    started = clock.perf_counter()
    model.fit(task.x(task.train), task.y(task.train))
    o.applied(model, choose, prune)
    result = summary(model, task, clock.perf_counter() - started, seed)
    result["files"] = written(model, task, result, save, report, output)
    if str(save) == "-":
        note(spoken_summary(result), quiet)  # standard output holds the model
    elif json:
        say_json(result)
    else:
        say(spoken_summary(result))
    if model.stopped_by_ == "interrupt":
        note("stopped by Ctrl-C; this is the best formula so far", quiet)


def summary(model: Any, task: Problem, seconds: float, seed: int) -> dict[str, Any]:
    """All there is to say about a fit."""
    training = scores(task.y(task.train).to_numpy(), model.predict(task.x(task.train)))
    testing = None
    if task.test is not None:
        testing = scores(task.y(task.test).to_numpy(), model.predict(task.x(task.test)))
    return {
        "formula": str(model.formula_),
        "exact_formula": model.formula_.text(None),
        "target": task.columns.target,
        "features": list(task.columns.features),
        "variables": list(model.formula_.variables),
        "nodes": model.formula_.size,
        "genes": model.n_genes_,
        "train": {"rows": len(task.train), **training},
        "test": None if testing is None or task.test is None else {"rows": len(task.test), **testing},
        "front": model.equations_,
        "generations": model.n_generations_,
        "seconds": round(seconds, 3),
        "stopped_by": model.stopped_by_,
        "seed": seed,
        "data": task.source,
    }


def spoken_summary(result: dict[str, Any]) -> str:
    """The same for people."""
    lines = [
        f"{result['target']} = {result['formula']}",
        "",
        spoken("training", result["train"], result["train"]["rows"]),
    ]
    if result["test"] is not None:
        lines.append(spoken("test", result["test"], result["test"]["rows"]))
    lines.append(
        f"{'formula:':10} {result['nodes']} nodes, {result['genes']} genes, one of "
        f"{len(result['front'])} models of the front"
    )
    lines.append(
        f"{'search:':10} {result['generations']} generations in {result['seconds']:.1f} s, ended by "
        f"{result['stopped_by']}, seed {result['seed']}"
    )
    lines.extend(f"{'wrote:' if i == 0 else '':10} {path}" for i, path in enumerate(result.get("files", ())))
    return "\n".join(lines)


def written(
    model: Any,
    task: Problem,
    result: dict[str, Any],
    save: Path | None,
    report: Path | None,
    output: Path | None,
) -> list[str]:
    """Write what was asked for; returns the files' names."""
    from multigene.model_file import dumps

    files: list[tuple[Path, str]] = []
    if save is not None:
        files.append((save, dumps(model)))
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        files.append((output / "model.json", dumps(model)))
        files.append((output / "predictions-train.csv", predictions(model, task, task.train)))
        if task.test is not None:
            files.append((output / "predictions-test.csv", predictions(model, task, task.test)))
        files.append((output / "front.csv", csv_text(model.equations_)))
        files.append((output / "history.csv", csv_text(model.history_)))
        files.append((output / "summary.json", as_json(result) + "\n"))
        files.append((output / "summary.txt", spoken_summary(result) + "\n"))
    for path, content in files:
        write(path, content)
    names = [str(path) for path, _ in files]
    if report is not None:
        model.report(report)
        names.append(str(report))
    return names


def predictions(model: Any, task: Problem, frame: Any) -> str:
    """Target, prediction and residual of every row."""
    prediction = model.predict(task.x(frame))
    y = task.y(frame)
    return csv_text(
        frame[[task.columns.target]].assign(prediction=prediction, residual=y.to_numpy() - prediction)
    )
