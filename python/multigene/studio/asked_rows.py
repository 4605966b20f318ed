"""The rows that a question is about: columns as they are in the table, training and test rows, and the numbers that text, dates
and gaps become in the search."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import pandas as pd

from multigene.classes.fitted import smoothed
from multigene.data.arrays import rows_to_fit
from multigene.data.columns import choose_columns, class_levels, guessed_classes, raw_rows
from multigene.data.encoding.columns import ColumnName
from multigene.data.encoding.encoding import Encoding, UnseenLevelWarning
from multigene.data.split import split
from multigene.estimator import MultigeneRegressor
from multigene.fitted import FittedModel
from multigene.studio.mistake import Mistake, of_field
from multigene.studio.workspace import Dataset


class Asking(Protocol):
    """What a question (`question.py`) says about rows."""

    @property
    def target(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def features(self) -> list[str]: ...
    @property
    def groups(self) -> str: ...
    @property
    def missing(self) -> str: ...
    @property
    def holdout(self) -> float: ...
    @property
    def seed(self) -> int: ...
    def estimator(self) -> MultigeneRegressor: ...


@dataclass(frozen=True)
class AskedRows:
    """Rows of a table, and how their columns become numbers."""

    whole: pd.DataFrame
    """All rows that are used, in the table's order."""
    train: pd.DataFrame
    test: pd.DataFrame | None
    features: list[str]
    target: str
    """The column of the target; of classes it holds 1 for the class that is told from the others, else 0."""
    note: str | None
    """What was left out of the table, in a sentence."""
    classes: tuple[Any, Any] | None = None
    """What the other rows are, and the class that is told from them; None for a target of numbers."""
    encoding: Encoding | None = None
    """How text, dates and gaps become numbers; None where all are numbers already."""

    @staticmethod
    def of(question: Asking, dataset: Dataset) -> AskedRows:
        """The rows that a question asks for; a `Mistake` names the field that is wrong."""
        table = dataset.table
        classes = _classes(question, dataset) if question.label else None
        with of_field("target"):
            if classes is None and guessed_classes(table, question.target).startswith("holds text"):
                raise ValueError(
                    f"The target {question.target!r} holds text; choose the class that is to be told from the others, or a "
                    "column of numbers."
                )
        with of_field("groups"):
            asked = list(question.features)
            if question.groups:
                if question.groups == question.target or question.groups not in table.frame.columns:
                    raise ValueError(f"Groups cannot be named by {question.groups!r}; choose another column.")
                asked += [question.groups] if asked and question.groups not in asked else []
        with of_field("features"):
            columns = choose_columns(table, question.target, asked)
            try:
                whole, notes = raw_rows(table, columns, question.missing, classes=classes is not None)
            except ValueError as error:
                raise ValueError(_without_options(str(error))) from None
        if classes is not None:
            of_class = whole[question.target].astype(str) == question.label
            whole = whole.assign(**{question.target: of_class.astype(np.float64)})
        note = ". ".join(each[0].upper() + each[1:] for each in notes) + "." if notes else None
        train, test = whole, None
        if question.holdout:
            with of_field("holdout"):
                train, test = split(whole, question.holdout, question.seed)
        if classes is not None and train[question.target].nunique() < 2:
            raise Mistake(
                "label", f"The training rows have none, or nothing but rows, of {question.label!r}."
            )
        made = AskedRows(whole, train, test, list(columns.features), question.target, note, classes)
        with of_field("groups" if question.groups else "features"):
            return made.encoded(question)

    def encoded(self, question: Asking) -> AskedRows:
        """The same with the encoding that the search learns of its training rows."""
        X, y = self.train[self.features], self.fitted_target()
        rows = rows_to_fit(question.estimator(), X, y, None, "fill", question.groups or None)
        return replace(self, encoding=rows.encoding)

    @property
    def told(self) -> str:
        """What the formula is of: the target, or the probability of a class."""
        return self.target if self.classes is None else f"P({self.classes[1]})"

    def fitted_target(self) -> pd.Series:
        """The target of the training rows as the search takes it."""
        y = self.train[self.target]
        return y if self.classes is None else pd.Series(smoothed(y.to_numpy() > 0.5), name=self.told)

    @property
    def names(self) -> list[str]:
        """Names of the numeric columns, which formulas are made of."""
        return self.features if self.encoding is None else self.encoding.names

    def made_of(self, column: str) -> list[str]:
        """The numeric columns that stand for a column of the table; a numeric column stands for itself."""
        made = [n for n in self.names if isinstance(n, ColumnName) and n.column.source == column]
        return [str(name) for name in made] or [column]

    def refuse_to_ban_all(self, actions: list[tuple[str, Any]]) -> None:
        """A `ValueError` where these actions of steering leave no column."""
        banned = [value for action, value in actions if action == "ban"]
        if set(banned).issuperset(self.names):
            raise ValueError(
                f"{banned[-1]!r} is the last column that is left; without it there is nothing to build formulas of."
            )

    def arrays(self, rows: pd.DataFrame) -> tuple[Any, Any]:
        """Features and target of some rows as numbers."""
        y = rows[self.target].to_numpy(dtype=np.float64)
        if self.encoding is None:
            return np.ascontiguousarray(rows[self.features].to_numpy(dtype=np.float64)), y
        with new_levels():
            return self.encoding.transform(rows[self.features]), y


def _classes(question: Asking, dataset: Dataset) -> tuple[Any, Any]:
    """What is told apart: the other class, "others" where there are several, and the one that is asked for."""
    frame = dataset.table.frame
    with of_field("target"):
        if question.target not in frame.columns:
            raise ValueError(f"{dataset.name} has no column {question.target!r}; choose another.")
    levels = {str(level): level for level in class_levels(frame[question.target])}
    if question.label not in levels:
        known = f"its classes are {', '.join(map(repr, levels))}" if levels else "it has no classes"
        raise Mistake("label", f"{question.target!r} has no class {question.label!r}; {known}.")
    others = [level for text, level in levels.items() if text != question.label]
    return others[0] if len(others) == 1 else "others", levels[question.label]


@contextmanager
def new_levels() -> Iterator[None]:
    """Levels that only test rows have are nothing to warn of: such rows are to be expected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenLevelWarning)
        yield


def with_predictions(model: FittedModel, table: pd.DataFrame) -> str:
    """A table with predictions and 95 % intervals as CSV; a `ValueError` says what it lacks."""
    missing = [name for name in model.raw_variables if name not in table.columns]
    if missing:
        raise ValueError(f"The table has no column {missing[0]!r}, which the model needs.")
    given = table
    if model.encoding is None:  # columns that the formula does not use may be missing
        given = pd.DataFrame({name: table.get(name, 0.0) for name in model.names}, index=table.index)
    with new_levels():
        X = model.features(given)
    added = {f"predicted {model.target}": model.predict(X)}
    try:
        _, low, high = model.interval(X, 0.95)
        added |= {"lower 95 %": low, "upper 95 %": high}
    except ValueError:  # too few rows for intervals
        pass
    return str(table.assign(**added).to_csv(index=False))


def _without_options(sentence: str) -> str:
    """What the command line says, for somebody who has none."""
    head, given, _ = sentence.partition(", or give --exclude")
    return f"{head}, or leave the column out." if given else sentence
