"""From files and options to training and test rows: what `fit` and `compare` have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from multigene.cli.option_groups import Reading, Rows, Search
from multigene.data.arrays import rows_to_fit, target_name, with_errors
from multigene.data.columns import Columns, choose_columns, guessed_classes, raw_rows
from multigene.data.look import leaks
from multigene.data.split import split
from multigene.data.stream import Stream, all_columns, large_parquet, parquet
from multigene.data.table import Table
from multigene.evolution.interrupts import during_fit
from multigene.settings.loss import loss_of
from multigene.settings.parameters import Parameters
from multigene.settings.resolve import resolved
from multigene.words import nearest

if TYPE_CHECKING:
    from multigene.fitted import FittedModel


#: Options that name a column which says something of rows, and what it is of `Columns`.
BESIDE = {"--weights": "weights", "--y-error": "errors"}


@dataclass(frozen=True)
class Problem:
    """Training rows, test rows if there are any, and what was decided on the way."""

    source: str
    columns: Columns
    train: pd.DataFrame
    test: pd.DataFrame | None
    notes: list[str] = field(default_factory=list)
    units: dict[str, str] = field(default_factory=dict)
    stream: Stream | None = None
    """All rows, where `train` is a sample of them."""
    classes: bool = False
    """Is the target one of classes?"""

    def header_units(self) -> dict[str, str]:
        """The units that stood in the header, one for every column in use."""
        for name in (*self.columns.features, self.columns.target):
            if name not in self.units:
                raise ValueError(
                    f"--units header: column {name!r} of {self.source} has no unit in its name, such as "
                    f"'{name} [mm]'; give all units as --units COLUMN=UNIT."
                )
        return {name: self.units[name] for name in (*self.columns.features, self.columns.target)}

    def x(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The features."""
        return frame[list(self.columns.features)]

    def y(self, frame: pd.DataFrame) -> pd.Series:
        """The target."""
        return frame[self.columns.target]

    @property
    def weights(self) -> pd.Series | None:
        """How much every training row counts, where columns say it: its weight, and how well its target is known."""
        weights, errors = self.columns.weights, self.columns.errors
        if weights is None and errors is None:
            return None
        own = None if weights is None else self.train[weights].to_numpy(dtype=float)
        return pd.Series(with_errors(own, None if errors is None else self.train[errors], len(self.train)))


def problem(
    data: str,
    rows: Rows,
    reading: Reading,
    seed: int,
    megabytes: float = float("inf"),
    beside: Mapping[str, str | None] | None = None,
    task: str = "regression",
) -> Problem:
    """Read the files, choose columns, set test rows aside; of a Parquet table larger than this much memory, only a sample.

    `beside` names the columns of --weights and --y-error, `task` what kind of target it is ("auto" to find out).
    """
    if rows.test is not None and rows.holdout is not None:
        raise ValueError("Give either --test or --holdout, not both: each says which rows are for testing.")
    if rows.holdout is not None and not 0.0 < rows.holdout < 1.0:
        raise ValueError(f"--holdout {rows.holdout} is not a share between 0 and 1; take for example 0.2.")
    if data == "-" and rows.test == "-":
        raise ValueError("Standard input ('-') can be read only once; give a file for the other.")
    table, in_pieces = _sampled(data, seed, megabytes) or (reading.table(data), False)
    test = None if rows.test is None else reading.table(rows.test)
    columns = choose_columns(table, rows.target, rows.features or (), rows.exclude or ())
    for option, name in (beside or {}).items():
        if name is not None:
            columns = _set_apart(table, columns, option, name)
    notes = list(table.notes) + ([columns.guessed] if columns.guessed else [])
    why = guessed_classes(table, columns.target) if task == "auto" else ""
    classes = task == "classification" or bool(why)
    if why:
        notes.append(
            f"column {columns.target!r} {why}: classes are told apart; --task regression takes it for numbers"
        )
    train, left_out = raw_rows(table, columns, rows.gaps(), classes=classes)
    notes += left_out
    if not classes and train[columns.target].min() == train[columns.target].max():
        notes.append(
            f"column {columns.target!r} is {train[columns.target].iloc[0]:g} in every row; there is "
            "nothing to explain"
        )
    if not classes:
        told = leaks(train[[*columns.features, columns.target]], columns.target)
        notes += [f"column {name!r} {how}; --exclude {name!r} leaves it out" for name, how in told.items()]
    rest: pd.DataFrame | None = None
    if test is not None:
        rest = _test_rows(test, replace(columns, weights=None, errors=None), rows.gaps(), notes, classes)
    elif rows.holdout is not None:
        train, rest = split(train, rows.holdout, seed)
    for option, name in (beside or {}).items():
        if in_pieces and name is not None:
            raise ValueError(f"{option} needs the whole table in memory, and this one is read in pieces.")
    if in_pieces and rows.holdout is not None:
        raise ValueError(
            "--holdout needs the whole table in memory, and this one is read in pieces; give --test."
        )
    whole = parquet(Path(data), columns.target, columns.features) if in_pieces else None
    return Problem(table.source, columns, train, rest, notes, table.units, whole, classes)


def _sampled(data: str, seed: int, megabytes: float) -> tuple[Table, bool] | None:
    """Rows drawn evenly from a Parquet table that is too large to be read; None if it is none."""
    total = None if data == "-" else large_parquet(data, megabytes)
    if total is None:
        return None
    every = all_columns(Path(data))
    sample = every.sample(every.sample_size(megabytes), seed)
    note = f"the search works on {len(sample)} of {total} rows, drawn evenly; coefficients and scores are of all rows"
    return Table(sample, data, [note]), True


def _set_apart(table: Table, columns: Columns, option: str, name: str) -> Columns:
    """The columns with one of them for what an option says of rows."""
    names = [str(each) for each in table.frame.columns]
    if name not in names:
        raise ValueError(f"{option} {name}: {table.source} has no such column{nearest(name, names) or '.'}")
    if name == columns.target:
        raise ValueError(f"{option} {name} is the target; give another column.")
    left = tuple(each for each in columns.features if each != name)
    if not left:
        raise ValueError(
            f"{option} {name} leaves no column to explain {columns.target!r} with; give another."
        )
    return replace(columns, features=left, **{BESIDE[option]: name})


def _test_rows(test: Table, columns: Columns, missing: str, notes: list[str], classes: bool) -> pd.DataFrame:
    names = [str(name) for name in test.frame.columns]
    for name in (*columns.features, columns.target):
        if name not in names:
            way_out = nearest(name, names) or "; it needs the columns of the training data."
            raise ValueError(f"{test.source} has no column {name!r}{way_out}")
    rows, left_out = raw_rows(test, columns, missing, classes=classes)
    notes += left_out
    return rows


def asked(
    search: Search,
    /,
    configuration: str | None = None,
    visible: bool = False,
    **parameters: Any,
) -> Parameters:
    """The regression that these options ask for; mistakes in them are told before any data is read."""
    if search.seed < 0:
        raise ValueError(f"--seed {search.seed} is negative; take 0 or a positive whole number.")
    if search.threads is not None and search.threads < 1:
        raise ValueError(
            f"--threads {search.threads} is too few; take at least 1, or leave it out for all cores."
        )
    if search.time is not None and not 0.0 < search.time < float("inf"):
        raise ValueError(f"--time {search.time} is not a positive number of seconds.")
    found = Parameters(
        configuration=configuration,
        generations=search.generations,
        time_limit=search.time,
        n_jobs=search.threads or -1,
        random_state=search.seed,
        verbose=int(visible),
        **parameters,
    )
    resolved(found)
    return found


def fitted(
    parameters: Parameters,
    X: pd.DataFrame,
    y: pd.Series,
    weights: pd.Series | None = None,
    *,
    groups: str | None = None,
    group_numbers: str = "auto",
    checkpoint: Path | None = None,
) -> FittedModel:
    """What `MultigeneRegressor` finds with these parameters; without scikit-learn, whose import takes longer than many a law."""
    from multigene.fitting.asked import data_of, group_numbers_of
    from multigene.fitting.fitting import Fitting
    from multigene.report.progress import ProgressLine

    with during_fit() as interrupts:
        fitting = Fitting(Parameters.of(parameters), resolved(parameters), None, interrupts)
        numbers = group_numbers_of(fitting, groups, group_numbers)
        rows = rows_to_fit(None, X, y, weights, fitting.settings.table.missing, groups)
        data = data_of(rows, target_name(y), numbers, parameters.form, parameters.guesses)
        measure = loss_of(parameters.loss).measure
        line = ProgressLine(fitting.settings.stopping, bool(parameters.verbose), measure)
        return fitting.run(data, line, checkpoint)[0]
