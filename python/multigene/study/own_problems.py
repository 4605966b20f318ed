"""Users' own problems: a CSV file with a target column, or a Python class named as "module:Class".

Both become ordinary problems of a study: `design.py` finds them in the tables `[problem.NAME]` of a
configuration.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from multigene.study.errors import StudyError, nearest
from multigene.study.import_path import import_named
from multigene.study.problems import Array, Loaded, Problem, Split

CSV_KEYS = ("csv", "target", "split", "features", "training_share", "title")
CLASS_KEYS = ("class", "parameters", "title")
TRAINING_WORDS = frozenset({"train", "training", "learn", "0"})
TESTING_WORDS = frozenset({"test", "testing", "1"})


class CsvProblem(Loaded):
    """The rows of a CSV file; split at random per seed, or as its split column says.

    `target` names the column to predict, `features` the columns to predict from (default: all others).
    `split` names a column that holds "train" or "test" in every row; then every seed has the same rows and
    only the methods' own randomness differs.
    """

    def __init__(
        self,
        name: str,
        csv: str | Path,
        target: str,
        split: str | None = None,
        features: list[str] | None = None,
        training_share: float = 0.7,
        title: str = "",
    ) -> None:
        if not isinstance(training_share, float) or not 0 < training_share < 1:
            raise StudyError(
                f"problem {name!r}: training_share is {training_share!r}, it must lie between 0 and 1"
            )
        if features is not None and not (
            isinstance(features, list) and all(isinstance(feature, str) for feature in features)
        ):
            raise StudyError(f"problem {name!r}: features is {features!r}; give a list of columns' names")
        self.name, self.title, self.path = name, title or Path(csv).name, Path(csv)
        self.reference = f"user's table {Path(csv).name}"
        self.target, self.split, self.features = target, split, features
        self.training_share = training_share
        self._is_training: np.ndarray[Any, np.dtype[np.bool_]] | None = None
        self._digest = ""

    def prepare(self) -> None:
        try:
            content = self.path.read_bytes()
            frame = pd.read_csv(self.path)
        except (OSError, ValueError, UnicodeError) as error:
            raise StudyError(
                f"problem {self.name!r}: {self.path} is not a readable CSV file ({error}); "
                "a header row and comma-separated values in UTF-8 are needed"
            ) from error
        self._digest = hashlib.sha256(content).hexdigest()
        for column in [self.target, *([self.split] if self.split else []), *(self.features or [])]:
            self._need_column(column, frame)
        features = self.features or [
            column for column in frame.columns if column not in (self.target, self.split)
        ]
        if not features or self.target in features:
            raise StudyError(f"problem {self.name!r}: the features must be columns other than the target")
        X, y = self._numbers(frame[features]), self._numbers(frame[[self.target]])[:, 0]
        self._rows = X, y, tuple(str(feature) for feature in features)
        self._is_training = self._parts(frame[self.split]) if self.split else None

    def sample(self, seed: int) -> Split:
        X, y, names = self.rows()
        if self._is_training is None:
            return super().sample(seed)
        chosen = self._is_training
        return Split(X[chosen], y[chosen], X[~chosen], y[~chosen], names)

    def specification(self) -> dict[str, str]:
        self.rows()
        return {
            "csv": self._digest,
            "target": self.target,
            "split": self.split or "",
            "features": ",".join(self.rows()[2]),
            "training_share": repr(self.training_share),
        }

    def _need_column(self, column: str, frame: pd.DataFrame) -> None:
        if column not in frame.columns:
            known = [str(known) for known in frame.columns]
            raise StudyError(
                f"problem {self.name!r}: {self.path} has no column {column!r}{nearest(column, known)}"
            )

    def _numbers(self, frame: pd.DataFrame) -> Array:
        for column in frame.columns:
            numbers = pd.to_numeric(frame[column], errors="coerce")
            if not np.all(np.isfinite(numbers.to_numpy(dtype=np.float64))):
                row = int(np.flatnonzero(~np.isfinite(numbers.to_numpy(dtype=np.float64)))[0])
                value = frame[column].iloc[row]
                shown = "nothing" if pd.isna(value) else repr(value) if isinstance(value, str) else str(value)
                raise StudyError(
                    f"problem {self.name!r}: {self.path} has {shown} in column {column!r}, row {row + 1}, "
                    "where a number is needed; encode or remove it, or leave the column out by `features`"
                )
        return frame.to_numpy(dtype=np.float64)

    def _parts(self, column: pd.Series[Any]) -> np.ndarray[Any, np.dtype[np.bool_]]:
        words = column.astype(str).str.strip().str.casefold()
        strange = sorted(set(words) - TRAINING_WORDS - TESTING_WORDS)
        if strange:
            raise StudyError(
                f"problem {self.name!r}: column {self.split!r} of {self.path} has the value {strange[0]!r}; "
                "each row needs 'train' or 'test' there"
            )
        training = words.isin(TRAINING_WORDS).to_numpy(dtype=np.bool_)
        if training.all() or not training.any():
            raise StudyError(f"problem {self.name!r}: column {self.split!r} must name rows of both kinds")
        return training


def class_problem(name: str, path: str, parameters: Mapping[str, Any], title: str) -> Problem:
    """A user's class: anything with `sample(seed)` that returns a `Split`."""
    made = import_named(path, "problem class")
    try:
        problem = made(**parameters)
    except TypeError as error:
        raise StudyError(f"problem {name!r}: {path} does not take the parameters given: {error}") from error
    if not callable(getattr(problem, "sample", None)):
        raise StudyError(f"problem {name!r}: {path} has no method sample(seed) that returns a Split")
    return OwnProblem(name, path, problem, dict(parameters), title)


class OwnProblem(Problem):
    """A user's object as a problem of the study: what it lacks beside `sample` is filled in."""

    def __init__(self, name: str, path: str, wrapped: Any, parameters: dict[str, Any], title: str) -> None:
        self.name, self.path, self.wrapped, self.parameters = name, path, wrapped, parameters
        self.title = title or str(getattr(wrapped, "title", path))
        self.reference = str(getattr(wrapped, "reference", "user's class"))

    def prepare(self) -> None:
        prepare = getattr(self.wrapped, "prepare", None)
        if callable(prepare):
            prepare()

    def sample(self, seed: int) -> Split:
        split = self.wrapped.sample(seed)
        if not isinstance(split, Split):
            raise StudyError(f"problem {self.name!r}: sample(seed) of {self.path} must return a Split")
        return split

    def specification(self) -> dict[str, str]:
        return {"class": self.path, "parameters": repr(sorted(self.parameters.items()))}


def own_problem(name: str, table: Mapping[str, Any]) -> Problem:
    """The problem described by a table `[problem.NAME]` of a configuration."""
    keys = CSV_KEYS if "csv" in table else CLASS_KEYS
    for key in table:
        if key not in keys:
            raise StudyError(f"problem {name!r} has an unknown key {key!r}{nearest(key, keys)}")
    if "csv" in table:
        if "target" not in table:
            raise StudyError(f'problem {name!r} names a CSV file but no target; add target = "column"')
        return CsvProblem(name, **table)
    if "class" in table:
        return class_problem(name, table["class"], table.get("parameters", {}), table.get("title", ""))
    raise StudyError(
        f'problem {name!r} needs either csv = "file.csv" and a target, or class = "module:Class"'
    )
