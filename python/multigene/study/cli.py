"""The command line of the study: run, resume, status, tables, figures, page, problems, methods.

Mounted as `multigene study`, and runnable alone as `python -m multigene.study`. Errors of the user are one
sentence on stderr and exit code 2; Ctrl-C ends cleanly with 130; a study with failed runs ends with 1.
"""

from __future__ import annotations

import functools
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec, TypeVar

import typer
from rich.console import Console
from rich.table import Table as RichTable

from multigene.study import methods as method_registry
from multigene.study import problems as problem_registry
from multigene.study.design import Design, Study, build_study, read_design, shipped
from multigene.study.errors import StudyError, nearest, unknown
from multigene.study.limits import Limit
from multigene.study.store import Store

if TYPE_CHECKING:
    from multigene.study.views import View

P = ParamSpec("P")
R = TypeVar("R")

app = typer.Typer(
    name="study",
    help="The paper's experiment, and your own comparisons: problems x methods x seeds, with statistics.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
errors = Console(stderr=True, soft_wrap=True, highlight=False)

StoreOption = Annotated[Path, typer.Option("--store", "-s", help="The file that holds all results (SQLite).")]
StoreArgument = Annotated[Path, typer.Argument(help="The store of a study, as given to `run --store`.")]
DataOption = Annotated[
    Path | None,
    typer.Option("--data-dir", help="Directory of local copies: airfoil.csv, concrete.csv, energy.csv."),
]
JobsOption = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, help="Runs at a time (default: all cores).")
]
SchedulerOption = Annotated[
    str | None, typer.Option("--scheduler", help="Address of a Dask scheduler, such as tcp://host:8786.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress display.")]
RetryOption = Annotated[bool, typer.Option("--retry-failed", help="Run failed runs again.")]
LimitOption = Annotated[
    str | None, typer.Option("--limit", help='One view only, such as "1000 generations".')
]
AtOption = Annotated[
    str | None,
    typer.Option(
        "--at",
        help='What runs had on their way: "200 generations", "1 processor second", or clock for the generations that the '
        "authors' seven minutes bought each configuration.",
    ),
]
RuleOption = Annotated[
    str,
    typer.Option(
        "--rule", help="With --at: best (the paper's result rule) or guarded (behaves between rows)."
    ),
]
MachineOption = Annotated[
    float | None,
    typer.Option(
        "--machine",
        help="With --at clock: how fast the authors' machine was (default: fitted to the baseline).",
    ),
]
ProblemOption = Annotated[str | None, typer.Option("--problem", "-p", help="One problem only.")]


def spoken_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Errors of the user become one sentence on stderr and exit code 2, never a traceback."""

    @functools.wraps(command)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except StudyError as error:
            errors.print(f"multigene study: {error}", markup=False)
            raise typer.Exit(2) from None
        except ImportError as error:
            errors.print(
                f"multigene study: {error}; install the extra with `pip install 'multigene[study]'`",
                markup=False,
            )
            raise typer.Exit(2) from None

    return wrapper


@app.command()
@spoken_errors
def run(
    design: Annotated[
        str, typer.Argument(help="smoke, quick, paper, paper-effort, paper-clock, science-…, or a TOML file.")
    ],
    store: StoreOption = Path("study.db"),
    problem: Annotated[
        list[str] | None, typer.Option("--problem", "-p", help="Only these problems (repeat the option).")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option("--method", "-m", help="Only these methods (repeat the option).")
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="How many seeds instead of the design's.")] = None,
    generations: Annotated[int | None, typer.Option(min=1, help="Limit runs to so many generations.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Limit runs to so many seconds.")] = None,
    clock: Annotated[
        str, typer.Option(help="Whose seconds: wall, or processor for a machine that others use too.")
    ] = "wall",
    csv: Annotated[
        list[Path] | None, typer.Option("--csv", help="Your own table as a problem (repeat the option).")
    ] = None,
    target: Annotated[str | None, typer.Option("--target", help="The column of --csv to predict.")] = None,
    split: Annotated[
        str | None, typer.Option("--split", help="The column of --csv that says train or test.")
    ] = None,
    data_dir: DataOption = None,
    jobs: JobsOption = None,
    scheduler: SchedulerOption = None,
    retry_failed: RetryOption = False,
    quiet: QuietOption = False,
) -> None:
    """Run a study; what the store already holds is not run again."""
    chosen = read_design(design)
    if csv:
        chosen = _with_tables(chosen, csv, target, split, bool(problem))
    limits = []
    if generations is not None or seconds is not None:
        limits = [Limit(generations, seconds, clock)]  # type: ignore[arg-type]  # Limit refuses other words
    elif clock != "wall":
        raise StudyError(
            f"--clock {clock} needs --seconds or --generations; without them the design's limits hold"
        )
    chosen = chosen.restricted(problem or (), method or (), seeds, limits)
    _run(build_study(chosen, data_dir), store, jobs, scheduler, retry_failed, quiet)


@app.command()
@spoken_errors
def resume(
    store: StoreArgument,
    data_dir: DataOption = None,
    jobs: JobsOption = None,
    scheduler: SchedulerOption = None,
    retry_failed: RetryOption = False,
    quiet: QuietOption = False,
) -> None:
    """Go on with a study that was stopped or killed."""
    with Store.open(store) as opened:
        design = opened.design()
    _run(build_study(design, data_dir), store, jobs, scheduler, retry_failed, quiet)


def _with_tables(
    design: Design, files: list[Path], target: str | None, split: str | None, keep_problems: bool
) -> Design:
    if target is None:
        raise StudyError("--csv needs --target, the column to predict")
    own = dict(design.own_problems)
    for path in files:
        table = {"csv": str(path.resolve()), "target": target}
        own[path.stem] = table if split is None else {**table, "split": split}
    names = tuple(path.stem for path in files)
    return replace(design, own_problems=own, problems=(*design.problems, *names) if keep_problems else names)


def _run(
    study: Study, path: Path, jobs: int | None, scheduler: str | None, retry_failed: bool, quiet: bool
) -> None:
    from multigene.study.progress import display_for
    from multigene.study.runner import Executor, LocalProcesses, run_study

    console = Console()
    client = None
    executor: Executor
    if scheduler is None:
        executor = LocalProcesses(study, jobs)
    else:
        from multigene.study.cluster import DaskCluster, connect

        client = connect(scheduler)
        executor = DaskCluster(study, client)
    with Store.create(path) as store:
        store.enrol(study)
        if retry_failed:
            store.retry_failed()
        # While it runs, the study handles the first signal itself; later ones, which batch systems like to send, find nobody.
        before = _deaf()
        try:
            counts = run_study(study, store, executor, display_for(console, quiet))
        except KeyboardInterrupt:
            before = {}  # deaf until the end
            counts = store.counts()
            errors.print(
                f"stopped with {counts['done']} of {len(study.runs)} runs done; "
                f"go on with `multigene study resume {path}`",
                markup=False,
            )
            raise typer.Exit(130) from None
        finally:
            _hear_again(before)
            if client is not None:
                client.close()
        _report(counts, store, console)


def _report(counts: dict[str, int], store: Store, console: Console) -> None:
    console.print(
        f"{counts['done']} runs done, {counts['failed']} failed; results are in {store.path}", markup=False
    )
    if counts["running"] or counts["waiting"]:
        open_runs = counts["running"] + counts["waiting"]
        console.print(f"{open_runs} runs are still under way in another process on this store")
    if counts["failed"]:
        failures = store.frame(("error",), state="failed")
        for text, number in failures["error"].value_counts().head(5).items():
            errors.print(f"{number} x {text}", markup=False)
        raise typer.Exit(1)


@app.command()
@spoken_errors
def status(store: StoreArgument) -> None:
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


@app.command()
@spoken_errors
def tables(
    store: StoreArgument,
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
    from multigene.study.statistics import results
    from multigene.study.table_formats import TEXT_FORMATS, print_tables
    from multigene.study.tables import csv_text, study_tables

    known = ("terminal", "csv", *TEXT_FORMATS)
    if format not in known:
        raise StudyError(f"there is no format {format!r}{nearest(format, known)}")
    with Store.open(store) as opened:
        found = results(opened, view=_view(opened, at, rule, machine))
    if not found.cells:
        raise StudyError(f"{store} has no finished runs yet; run the study first")
    if limit is not None and limit not in found.limits():
        raise unknown("limit", limit, found.limits())
    if problem is not None and problem not in found.problems():
        raise unknown("problem in this study", problem, found.problems())
    if format == "terminal":
        if output is None:
            print_tables(study_tables(found, limit, problem), Console())
            return
        with _writing(output), output.open("w", encoding="utf-8") as stream:
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
        with _writing(output):
            output.write_text(text, encoding="utf-8")


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


class _writing:
    """Turns a failure to write a file into a sentence."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            raise StudyError(f"{self.path} cannot be written: {error.strerror or error}") from error


@app.command()
@spoken_errors
def figures(
    store: StoreArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="Directory for the figures.")] = Path(
        "figures"
    ),
    format: Annotated[
        list[str] | None, typer.Option("--format", "-f", help="png, svg or pdf (repeat the option).")
    ] = None,
) -> None:
    """Draw the box plots of the paper and R² over time."""
    from multigene.study.figures import save_figures
    from multigene.study.statistics import results

    with Store.open(store) as opened, _writing(output):
        found = results(opened)
        if not found.cells:
            raise StudyError(f"{store} has no finished runs yet; run the study first")
        written = save_figures(opened, found, output, tuple(format or ["svg"]))
    typer.echo(f"{len(written)} figures in {output}")


@app.command()
@spoken_errors
def page(
    store: StoreArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="The HTML file.")] = Path("study.html"),
) -> None:
    """Write one self-contained HTML page with tables, figures and formulas."""
    from multigene.study.page import write_page

    with Store.open(store) as opened:
        write_page(opened, output)
    typer.echo(f"wrote {output}")


@app.command()
@spoken_errors
def problems() -> None:
    """List the problems that come with the package."""
    table = RichTable()
    for heading in ("name", "what", "source"):
        table.add_column(heading)
    for name in problem_registry.REGISTRY:
        problem = problem_registry.problem_named(name)
        table.add_row(name, problem.title, problem.reference)
    Console().print(table)


@app.command()
@spoken_errors
def methods() -> None:
    """List the methods that come with the package, and the shipped designs."""
    table = RichTable()
    for heading in ("name", "what", "limited by"):
        table.add_column(heading)
    for method in method_registry.REGISTRY.values():
        table.add_row(method.name, method.title, ", ".join(sorted(method.limited_by)) or "ends by itself")
    Console().print(table)
    typer.echo("designs: " + ", ".join(shipped()))


def main() -> None:
    """Entry point of `python -m multigene.study`."""
    app()


def _deaf() -> dict[int, Any]:
    """Ignore interrupts from here on; what handled them before."""
    if threading.current_thread() is not threading.main_thread():
        return {}  # signals are the main thread's alone
    return {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}


def _hear_again(before: dict[int, Any]) -> None:
    for number, handler in before.items():
        signal.signal(number, handler)
