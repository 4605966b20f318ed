"""Encoding: which numeric columns stand for the columns of a raw table. A frozen value; the fitted model and its file hold it."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from multigene.data.dates import FORMS, Form
from multigene.data.encoding.columns import KINDS, Column, ColumnName, Own, Scored
from multigene.data.encoding.raw import Floats, Kind, RawColumn, raw_columns


class UnseenLevelWarning(UserWarning):
    """A category that was not among the training rows; it is treated as the levels without a number of their own are."""


@dataclass(frozen=True)
class Source:
    """A raw column: its name, what it holds, and the levels that the training rows had."""

    name: str
    kind: Kind
    levels: tuple[str, ...] = ()
    form: Form = ""
    """How dates are written, where that had to be told."""


@dataclass(frozen=True)
class Encoding:
    """Raw columns, and the numeric columns made of them in their order."""

    sources: tuple[Source, ...]
    columns: tuple[Column, ...]
    named: bool = True
    """Whether the raw columns had names."""
    notes: tuple[str, ...] = ()
    """What was decided, for people."""
    _warned: set[tuple[str, str]] = field(default_factory=set, init=False, repr=False, compare=False)

    @cached_property
    def names(self) -> list[str]:
        """Names of the numeric columns."""
        places = {source.name: place for place, source in enumerate(self.sources)}
        return [ColumnName(column, places[column.source]) for column in self.columns]

    @property
    def raw_names(self) -> list[str]:
        """Names of the raw columns."""
        return [source.name for source in self.sources]

    def transform(self, X: Any, used: set[str] | None = None) -> Floats:
        """The numeric columns of any table that has the raw ones; `used` are the raw columns that must be there.

        Others that are missing give zeros. A level that the training rows did not have is warned of once.
        """
        needed = {column.source for column in self.columns}
        wanted = {
            s.name: s.kind for s in self.sources if s.name in needed and (used is None or s.name in used)
        }
        forms: dict[str, Form] = {s.name: s.form for s in self.sources if s.form}
        if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == len(self.sources):
            every = raw_columns(X, {s.name: s.kind for s in self.sources}, forms)
            raw = {column.name: column for column in every if column.name in wanted}
        else:
            raw = {column.name: column for column in raw_columns(X, wanted, forms)}
        rows = len(next(iter(raw.values())).values) if raw else len(X)
        self._warn_of_unseen(raw)
        made = np.zeros((rows, len(self.columns)))
        for place, column in enumerate(self.columns):
            if column.source in raw:
                made[:, place] = column.values(raw[column.source])
        return made

    def _warn_of_unseen(self, raw: dict[str, RawColumn]) -> None:
        for source in self.sources:
            if source.kind != "text" or source.name not in raw:
                continue
            known = set(source.levels)
            new = [each for each in raw[source.name].levels if each not in known]
            new = [level for level in new if (source.name, level) not in self._warned]
            if new:
                self._warned.update((source.name, level) for level in new)
                more = f" and {len(new) - 1} more" if len(new) > 1 else ""
                grouped = any(isinstance(c, Own) and c.source == source.name for c in self.columns)
                scored = any(isinstance(c, Scored) and c.source == source.name for c in self.columns)
                treated = "get the overall mean" if scored else "are treated as those of rare levels"
                treated = "get the pooled numbers" if grouped else treated
                warnings.warn(
                    f"Column {source.name!r} has the level {new[0]!r}{more}, which the training rows did not have; "
                    f"such rows {treated}.",
                    UnseenLevelWarning,
                    stacklevel=4,
                )

    # --- as plain values, for model files --------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """Tables, lists, texts and numbers alone."""
        columns = [{"kind": type(c).__name__.lower(), **asdict(c)} for c in self.columns]
        sources = [asdict(source) for source in self.sources]
        return {"named": self.named, "sources": sources, "columns": columns}

    @staticmethod
    def from_dict(values: dict[str, Any]) -> Encoding:
        """What `as_dict` wrote; a `ValueError` refuses anything else."""
        try:
            sources = tuple(
                Source(
                    str(s["name"]), _kind(s["kind"]), tuple(map(str, s["levels"])), _form(s.get("form", ""))
                )
                for s in values["sources"]
            )
            columns = tuple(_column(dict(c)) for c in values["columns"])
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"its encoding is damaged ({error})") from None
        known = {source.name: source.kind for source in sources}
        if len(known) != len(sources) or any(known.get(c.source) != c.raw for c in columns) or not columns:
            raise ValueError("its encoding names columns that it does not have")
        return Encoding(sources, columns, bool(values.get("named", True)))


def _kind(value: Any) -> Kind:
    if value not in ("number", "text", "date"):
        raise ValueError(f"its encoding has a column of the kind {str(value)[:20]!r}, which there is not")
    return value  # type: ignore[no-any-return]


def _form(value: Any) -> Form:
    if value not in FORMS:
        raise ValueError(f"its encoding has dates of the form {str(value)[:20]!r}, which there is not")
    return value  # type: ignore[no-any-return]


def _column(values: dict[str, Any]) -> Column:
    kind = KINDS.get(values.pop("kind"))
    if kind is None:
        raise ValueError("its encoding has a column of a kind that there is not; install a newer multigene")
    if "levels" in values:
        values["levels"] = tuple(map(str, values["levels"]))
    if "scores" in values:
        values["scores"] = tuple((str(level), float(score)) for level, score in values["scores"])
    for name in ("value", "since", "otherwise", "precision", "spread"):
        if name in values:
            values[name] = float(values[name])
            if not np.isfinite(values[name]):
                raise ValueError("its encoding has a number that is not finite")
    made = kind(**values)
    made.text  # noqa: B018 - a unit or period that there is not is refused here
    if values.get("unit", "days") not in ("years", "days", "hours", "seconds"):
        raise ValueError(f"its encoding has the unit {values['unit']!r}, which there is not")
    if values.get("period", "year") not in ("year", "week", "day") or values.get("function", "sin") not in (
        "sin",
        "cos",
    ):
        raise ValueError("its encoding has a wave that there is not")
    return made  # type: ignore[no-any-return]
