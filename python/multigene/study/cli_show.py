"""Commands that show what a study found: status, tables, effects, figures, page, and the lists of problems and methods."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table as RichTable

from multigene.study import methods as method_registry
from multigene.study import problems as problem_registry
from multigene.study.cli_app import StoreCommand, app, errors, spoken_errors, writing
from multigene.study.cli_options import (
    DEFAULT_STORE,
    AtOption,
    LimitOption,
    MachineOption,
    ProblemOption,
    RuleOption,
    StoreArgument,
)
from multigene.study.design import shipped
from multigene.study.errors import StudyError, nearest, unknown
from multigene.study.store import Store

if TYPE_CHECKING:
    from multigene.study.views import View


@app.command(cls=StoreCommand)
@spoken_errors
def status(store: StoreArgument = DEFAULT_STORE) -> None:
    """Show how far a study is, per problem and method, and what failed."""
    console = Console()
    with Store.open(store) as opened:
        design = opened.design()
        frame = opened.frame(("state", "seconds", "error"), state=None)
    counts = frame["state"].value_counts()
    said = ", ".join(f"{counts.get(state, 0)} {state}" for state in ("done", "running", "waiting", "failed"))
    console.print(f"{design.title}: {said}", markup=False)
    table = RichTable()
    for heading in ("problem", "method", "limit", "done", "failed", "of", "median seconds"):
        table.add_column(heading)
    for (problem, method, limit), group in frame.groupby(["problem", "method", "run_limit"], sort=False):
        done = group[group["state"] == "done"]
        seconds = f"{done['seconds'].median():.3g}" if len(done) else ""
        failed = int((group["state"] == "failed").sum())
        table.add_row(
            str(problem), str(method), str(limit), str(len(done)), str(failed), str(len(group)), seconds
        )
    console.print(table)
    for text, number in frame["error"].dropna().value_counts().head(5).items():
        console.print(f"{number} x {text}", markup=False)


@app.command(cls=StoreCommand)
@spoken_errors
def tables(
    store: StoreArgument = DEFAULT_STORE,
    format: Annotated[
        str, typer.Option("--format", "-f", help="terminal, markdown, csv or latex.")
    ] = "terminal",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.")] = None,
    limit: LimitOption = None,
    problem: ProblemOption = None,
    at: AtOption = None,
    rule: RuleOption = "best",
    machine: MachineOption = None,
) -> None:
    """Print the paper's tables from our runs, with the paper's numbers and verdicts beside them."""
    from multigene.study.statistics import finished_results
    from multigene.study.table_formats import TEXT_FORMATS, print_tables
    from multigene.study.tables import csv_text, study_tables

    _refuse_unknown(format, ("terminal", "csv", *TEXT_FORMATS))
    with Store.open(store) as opened:
        found = finished_results(opened, _view(opened, at, rule, machine))
    if limit is not None and limit not in found.limits():
        raise unknown("limit", limit, found.limits())
    if problem is not None and problem not in found.problems():
        raise unknown("problem in this study", problem, found.problems())
    if format == "terminal":
        if output is None:
            print_tables(study_tables(found, limit, problem), Console())
            return
        with writing(output), output.open("w", encoding="utf-8") as stream:
            print_tables(study_tables(found, limit, problem), Console(file=stream, width=180))
        return
    text = (
        csv_text(found, limit, problem)
        if format == "csv"
        else TEXT_FORMATS[format](study_tables(found, limit, problem))
    )
    if output is None:
        typer.echo(text, nl=False)
    else:
        with writing(output):
            output.write_text(text, encoding="utf-8")


@app.command(cls=StoreCommand)
@spoken_errors
def effects(
    store: StoreArgument = DEFAULT_STORE,
    format: Annotated[str, typer.Option("--format", "-f", help="terminal, markdown or latex.")] = "terminal",
    figure: Annotated[Path | None, typer.Option("--figure", help="Draw them into this SVG file.")] = None,
    against: Annotated[
        str | None, typer.Option("--against", help="Compare with this method instead of the baseline.")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option("--method", "-m", help="Only these methods (repeat the option).")
    ] = None,
    at: AtOption = None,
    rule: RuleOption = "best",
    machine: MachineOption = None,
) -> None:
    """How large the differences from the baseline are, with intervals: chance to win and ratio of errors."""
    from multigene.study.effects import beside, effects_figure, effects_table
    from multigene.study.figures import rendered
    from multigene.study.statistics import finished_results
    from multigene.study.table_formats import TEXT_FORMATS, print_tables

    _refuse_unknown(format, ("terminal", *TEXT_FORMATS))
    with Store.open(store) as opened:
        found = beside(finished_results(opened, _view(opened, at, rule, machine)), against, method)
    made = [effects_table(found, limit) for limit in found.limits()]
    if format == "terminal":
        print_tables(made, Console())
    else:
        typer.echo(TEXT_FORMATS[format](made), nl=False)
    if figure is not None:
        with writing(figure):
            figure.write_bytes(rendered(effects_figure(found, found.limits()[0]), "svg"))


def _refuse_unknown(format: str, known: Sequence[str]) -> None:
    if format not in known:
        raise StudyError(f"there is no format {format!r}{nearest(format, known)}")


def _view(store: Store, at: str | None, rule: str, machine: float | None) -> View | None:
    """What is asked for; says by which factor the authors' clock was turned into generations."""
    from multigene.study.views import CLOCK, View, fitted_machine

    if at is None:
        if rule != "best":
            raise StudyError(f'--rule {rule} needs --at, for example --at "1000 generations"')
        return None
    if at != CLOCK:
        return View(at, rule)
    if machine is None:
        machine = fitted_machine(store)
        errors.print(
            f"authors' machine, fitted to the baseline's training medians: {machine:.2f}", markup=False
        )
    return View(at, rule, machine)


@app.command(cls=StoreCommand)
@spoken_errors
def figures(
    store: StoreArgument = DEFAULT_STORE,
    output: Annotated[Path, typer.Option("--output", "-o", help="Directory for the figures.")] = Path(
        "figures"
    ),
    format: Annotated[
        list[str] | None, typer.Option("--format", "-f", help="png, svg or pdf (repeat the option).")
    ] = None,
    at: AtOption = None,
    rule: RuleOption = "best",
    machine: MachineOption = None,
) -> None:
    """Draw the box plots of the paper and R² over time."""
    from multigene.study.figures import save_figures
    from multigene.study.statistics import finished_results

    with Store.open(store) as opened, writing(output):
        found = finished_results(opened, _view(opened, at, rule, machine))
        written = save_figures(opened, found, output, tuple(format or ["svg"]))
    typer.echo(f"{len(written)} figures in {output}")


@app.command(cls=StoreCommand)
@spoken_errors
def page(
    store: StoreArgument = DEFAULT_STORE,
    output: Annotated[Path, typer.Option("--output", "-o", help="The HTML file.")] = Path("study.html"),
    at: AtOption = None,
    rule: RuleOption = "best",
    machine: MachineOption = None,
) -> None:
    """Write one self-contained HTML page with tables, figures and formulas."""
    from multigene.study.page import write_page

    with Store.open(store) as opened:
        write_page(opened, output, _view(opened, at, rule, machine))
    typer.echo(f"wrote {output}")


@app.command()
@spoken_errors
def pictures(
    output: Annotated[Path, typer.Option("--output", "-o", help="Directory for the pictures.")] = Path(
        "figures"
    ),
) -> None:
    """Draw the value functions of SU, SU-I and MM, which are reconstructions."""
    from multigene.study.pictures import save_pictures

    with writing(output):
        written = save_pictures(output)
    typer.echo(f"{len(written)} pictures in {output}")


@app.command()
@spoken_errors
def problems() -> None:
    """List the problems that come with the package."""
    found = [problem_registry.problem_named(name) for name in problem_registry.REGISTRY]
    _listed("source", [(problem.name, problem.title, problem.reference) for problem in found])


@app.command()
@spoken_errors
def methods() -> None:
    """List the methods that come with the package, and the shipped designs."""
    found = method_registry.REGISTRY.values()
    _listed(
        "limited by",
        [(m.name, m.title, ", ".join(sorted(m.limited_by)) or "ends by itself") for m in found],
    )
    typer.echo("designs: " + ", ".join(shipped()))


def _listed(last: str, rows: list[tuple[str, str, str]]) -> None:
    """A table of names, what they are, and one thing more."""
    table = RichTable("name", "what", last)
    for row in rows:
        table.add_row(*row)
    Console().print(table)
