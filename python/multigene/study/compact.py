"""The compact file of a study: its finished runs as one compressed table, small enough to be published with the text about them.

`write_compact` leaves out formulas and curves, and keeps every score at every checkpoint; `read_compact` puts such runs into a
store, from which tables are made or the rest of the study is run, on any machine. The first line holds the design and what
identifies its problems and methods, so that runs of other settings never mix.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from multigene.files import write_atomically
from multigene.study.design import Run, Study, build_study, design_from
from multigene.study.errors import StudyError
from multigene.study.execution import Outcome
from multigene.study.statistics import whole_design
from multigene.study.store import Store
from multigene.study.trajectory import Checkpoint

FORMAT = "multigene study, compact"
VERSION = 1
#: What is told of a whole run, and of each of its checkpoints. `left` is 1 − R²: its leading digits are those that matter.
COLUMNS = (
    *(
        "problem",
        "method",
        "limit",
        "seed",
        "at",
        "rule",
        "generations",
        "seconds",
        "train_left",
        "test_left",
        "size",
    ),
    *("lcf_share", "depth", "train_rmse", "test_rmse", "genes"),
)
_OF_RUNS = (
    "generations",
    "seconds",
    "train_r2",
    "test_r2",
    "size",
    "lcf_share",
    "depth",
    "train_rmse",
    "test_rmse",
    "genes",
)


def write_compact(store: Store, path: Path) -> int:
    """Writes all finished runs; returns how many."""
    runs = store.frame((*_OF_RUNS, "versions"))
    marks = dict(iter(store.checkpoints().groupby(["problem", "method", "run_limit", "seed"])))
    head = {
        "format": FORMAT,
        "version": VERSION,
        "design": whole_design(store).to_dict(),
        "specifications": [[kind, name, settings] for (kind, name), settings in store.settings().items()],
        "versions": json.loads(runs["versions"].iloc[0]) if len(runs) and runs["versions"].iloc[0] else {},
    }
    text = io.StringIO()
    text.write(f"# {json.dumps(head)}\n")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for row in runs.itertuples():
        names = (row.problem, row.method, row.run_limit, row.seed)
        table.writerow(
            [*names, "", "", *_scores(row), _short(row.train_rmse), _short(row.test_rmse), _short(row.genes)]
        )
        for mark in marks.get(names, pd.DataFrame()).itertuples():
            table.writerow([*names, mark.at, mark.rule, *_scores(mark), "", "", ""])
    # Without a time inside, the same runs make the same file.
    write_atomically(path, gzip.compress(text.getvalue().encode(), mtime=0))
    return len(runs)


def _scores(row: Any) -> list[str]:
    left = [_short(None if value is None else 1.0 - value, 7) for value in (row.train_r2, row.test_r2)]
    return [
        _short(row.generations),
        _short(row.seconds, 4),
        *left,
        _short(row.size),
        _short(row.lcf_share, 4),
        _short(row.depth),
    ]


def _short(value: Any, digits: int = 6) -> str:
    return "" if value is None or pd.isna(value) else f"{value:.{digits}g}"


def read_compact(path: Path, store: Store, study: Study | None = None) -> int:
    """Puts the runs of a compact file into a store; returns how many it did not have. `study` is what will be run with them
    (default: that of the file)."""
    head, lines = _opened(path)
    design = design_from(head["design"], Path.cwd())
    store.enrol(study or build_study(design, prepare=False))
    specifications = {
        (str(kind), str(name)): dict(settings) for kind, name, settings in head["specifications"]
    }
    versions = {str(name): str(version) for name, version in head["versions"].items()}
    return store.adopt(_outcomes(lines, versions, path), specifications)


def _opened(path: Path) -> tuple[dict[str, Any], list[dict[str, str]]]:
    try:
        text = gzip.decompress(path.read_bytes()).decode("utf-8")
        first, _, rest = text.partition("\n")
        head = json.loads(first.removeprefix("# "))
        if head["format"] != FORMAT or head["version"] != VERSION:
            raise ValueError(f"it is {head['format']!r}, version {head['version']!r}")
        lines = list(csv.DictReader(rest.splitlines()))
        if lines and set(lines[0]) != set(COLUMNS):
            raise ValueError(f"its columns are {', '.join(lines[0])}")
        return {name: head[name] for name in ("design", "specifications", "versions")}, lines
    except OSError as error:
        why = error.strerror or error
        raise StudyError(f"{path} cannot be read: {why}; name a file of `multigene study export`") from error
    except (ValueError, KeyError, TypeError, EOFError) as error:
        raise StudyError(
            f"{path} is no compact file of a study ({error}); `multigene study export` writes one"
        ) from error


def _outcomes(
    lines: list[dict[str, str]], versions: dict[str, str], path: Path
) -> Iterator[tuple[Run, Outcome]]:
    """Every run with its checkpoints, which follow it."""
    groups: dict[Run, list[dict[str, str]]] = {}
    try:
        for line in lines:
            run = Run(line["problem"], line["method"], line["limit"], int(line["seed"]))
            groups.setdefault(run, []).append(line)
        for run, (whole, *marks) in groups.items():
            yield (
                run,
                Outcome(
                    **_numbers(whole, "run"),
                    checkpoints=tuple(_checkpoint(mark) for mark in marks),
                    versions=versions,
                ),
            )
    except (ValueError, TypeError, KeyError) as error:
        raise StudyError(f"{path} is damaged: a run cannot be read ({error})") from error


def _numbers(line: dict[str, str], kind: str) -> dict[str, Any]:
    whole = ("generations", "size", "depth", *(("genes",) if kind == "run" else ()))
    real = ("seconds", "lcf_share", *(("train_rmse", "test_rmse") if kind == "run" else ()))
    found: dict[str, Any] = {name: int(float(line[name])) if line[name] else None for name in whole}
    found |= {name: float(line[name]) if line[name] else None for name in real}
    return found | {f"{rows}_r2": 1.0 - float(line[f"{rows}_left"]) for rows in ("train", "test")}


def _checkpoint(line: dict[str, str]) -> Checkpoint:
    return Checkpoint(at=line["at"], rule=line["rule"], **_numbers(line, "checkpoint"))
