"""Commands that run a study, or carry its runs to another machine: run, resume, import, export."""

from __future__ import annotations

import os
import signal
import threading
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from multigene.study.cli_app import StoreCommand, app, errors, spoken_errors, writing
from multigene.study.cli_options import (
    DEFAULT_STORE,
    DataOption,
    FromOption,
    JobsOption,
    QuietOption,
    RetryOption,
    SchedulerOption,
    StoreArgument,
    StoreOption,
)
from multigene.study.design import Design, Study, build_study, read_design
from multigene.study.errors import StudyError
from multigene.study.limits import Limit
from multigene.study.store import Store


@app.command()
@spoken_errors
def run(
    design: Annotated[
        str, typer.Argument(help="smoke, quick, paper, paper-effort, paper-clock, science-…, or a TOML file.")
    ],
    store: StoreOption = DEFAULT_STORE,
    problem: Annotated[
        list[str] | None, typer.Option("--problem", "-p", help="Only these problems (repeat the option).")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option("--method", "-m", help="Only these methods (repeat the option).")
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="How many seeds instead of the design's.")] = None,
    generations: Annotated[
        int | None, typer.Option(min=1, help="Limit runs to this many generations.")
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Limit runs to this many seconds.")] = None,
    clock: Annotated[
        str, typer.Option(help="Which seconds count: wall, or processor on a shared machine.")
    ] = "wall",
    csv: Annotated[
        list[Path] | None, typer.Option("--csv", help="Your own table as a problem (repeat the option).")
    ] = None,
    target: Annotated[str | None, typer.Option("--target", help="The column of --csv to predict.")] = None,
    split: Annotated[
        str | None, typer.Option("--split", help="The column of --csv that says train or test.")
    ] = None,
    finished: FromOption = None,
    data_dir: DataOption = None,
    jobs: JobsOption = None,
    scheduler: SchedulerOption = None,
    retry_failed: RetryOption = False,
    quiet: QuietOption = False,
) -> None:
    """Run a study; what the store or a compact file already holds is not run again."""
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
    study = build_study(chosen.restricted(problem or (), method or (), seeds, limits), data_dir)
    if finished is not None:
        _take_in(finished, store, study)
    _run(study, store, jobs, scheduler, retry_failed, quiet)


def _take_in(path: Path, store: Path, study: Study | None = None) -> None:
    from multigene.study.compact import read_compact

    with Store.create(store) as opened:
        added = read_compact(path, opened, study)
    typer.echo(f"{added} finished runs of {path} taken into {store}")


@app.command("import")
@spoken_errors
def import_(
    file: Annotated[Path, typer.Argument(help="A compact file, as `export` writes it.")],
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Put the runs of a compact file into a store: for tables and figures, or to go on with `resume`."""
    _take_in(file, store)


@app.command(cls=StoreCommand)
@spoken_errors
def export(
    store: StoreArgument = DEFAULT_STORE,
    output: Annotated[Path, typer.Option("--output", "-o", help="The compact file.")] = Path("study.csv.gz"),
) -> None:
    """Write all finished runs as one small file (scores at every checkpoint, no formulas and curves)."""
    from multigene.study.compact import write_compact

    with Store.open(store) as opened, writing(output):
        number = write_compact(opened, output)
    typer.echo(f"{number} finished runs in {output}, {output.stat().st_size / 1e6:.2f} MB")


@app.command(cls=StoreCommand)
@spoken_errors
def resume(
    store: StoreArgument = DEFAULT_STORE,
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
        console.print(_announced(study, store, jobs if scheduler is None else None), markup=False)
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


def _announced(study: Study, store: Store, jobs: int | None) -> str:
    """How many runs there are to make, and how long they will take here."""
    from multigene.study.estimate import seconds_left
    from multigene.study.progress import spoken

    number, seconds = seconds_left(study, store)
    at_a_time = jobs or os.cpu_count() or 1
    if not number:
        return f"{study.design.title}: all runs are done"
    if seconds is None:
        return f"{study.design.title}: {number} runs to make; how long they take is not known"
    wall = f", {spoken(seconds / at_a_time)} with {at_a_time} at a time" if at_a_time > 1 else ""
    return (
        f"{study.design.title}: {number} runs to make, about {spoken(seconds)} of processor time here{wall}"
    )


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


def _deaf() -> dict[int, Any]:
    """Ignore interrupts from here on; what handled them before."""
    if threading.current_thread() is not threading.main_thread():
        return {}  # signals are the main thread's alone
    return {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}


def _hear_again(before: dict[int, Any]) -> None:
    for number, handler in before.items():
        signal.signal(number, handler)
