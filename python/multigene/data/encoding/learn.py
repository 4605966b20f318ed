"""Which numeric columns stand for a raw table: decided once, on the training rows, by the simplest of models on held-out rows.

Few levels become indicators (rare ones joined: none has an indicator, so that a level never seen is treated as they are); many
levels one number each, the mean of the target shrunk towards the overall mean, where the training rows see a number that was made
of other rows. Gaps are filled by the median. An indicator of gaps, waves of year, week and day, and ranks of ordered levels are
taken only if they lower the error of a ridge regression on rows that it was not fitted to.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from multigene.data.constants import (
    BEYOND_CHANCE,
    COVERED,
    DECIDING_ROWS,
    FEWEST,
    FEWEST_DECIDING,
    FOLDS,
    MOST_LEVELS,
    NAMES,
    NEAR_ONE_PLACE,
    RARE,
    SAVED,
    SHRINKAGES,
    SIMPLER,
    TIMES,
)
from multigene.data.encoding.columns import (
    PERIODS,
    UNITS,
    Column,
    Cyclic,
    Elapsed,
    Filled,
    Level,
    Missing,
    Plain,
    Scored,
)
from multigene.data.encoding.encoding import Encoding, Source
from multigene.data.encoding.raw import Floats, RawColumn
from multigene.words import counted


@dataclass
class Learned:
    """What is decided so far: columns with their values on the training rows."""

    columns: list[Column] = field(default_factory=list)
    values: list[Floats] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, column: Column, values: Floats) -> None:
        """Take a column."""
        self.columns.append(column)
        self.values.append(values)


def learn(raw: list[RawColumn], y: Floats, named: bool = True) -> tuple[Encoding, Floats]:
    """The encoding of a raw table for a target, and its numeric columns; `named` says whether its columns have names."""
    learned = Learned()
    folds = np.random.default_rng(len(y)).permutation(len(y)) % FOLDS
    for column in raw:
        if column.kind == "number" and column.names_rows and len(raw) > 1:
            learned.notes.append(
                f"column {column.name!r} numbers the rows, by its name and its values, and was left out; rename it to keep it"
            )
        elif column.kind == "number" and column.codes is None:
            _number(learned, column)
        elif column.kind == "date":
            _date(learned, column)
    raw = [_told(learned, column, y, folds) for column in raw]
    for column in raw:
        if column.kind == "text":
            _text(learned, column, y, folds)
    for column in raw if len(y) >= FEWEST_DECIDING else ():
        for candidates in _candidates(column):
            extra = [candidate.values(column) for candidate in candidates]
            if helps(learned.values, extra, y, folds):
                for candidate, values in zip(candidates, extra, strict=True):
                    learned.add(candidate, values)
    if not learned.columns:
        raise ValueError(
            "No column says anything: all are empty, the same in every row, or different texts in every row; "
            "give a table with more columns."
        )
    places = {column.name: place for place, column in enumerate(raw)}
    order = sorted(range(len(learned.columns)), key=lambda i: places[learned.columns[i].source])
    encoding = Encoding(
        tuple(Source(c.name, c.kind, c.levels, c.form) for c in raw),
        tuple(learned.columns[i] for i in order),
        named,
        tuple(learned.notes),
    )
    return encoding, np.ascontiguousarray(np.column_stack([learned.values[i] for i in order]))


def learn_grouped(
    raw: list[RawColumn], groups: int, y: Floats, named: bool = True
) -> tuple[Encoding, Floats]:
    """The encoding of a raw table whose column number `groups` names groups: they are the last column, as means of the target."""
    column, others = raw[groups], [each for j, each in enumerate(raw) if j != groups]
    if len(column.levels) < 2:
        raise ValueError(
            f"Column {column.name!r} names {'one group' if column.levels else 'no group'} alone; "
            "give one with two groups or more, or leave groups out."
        )
    if len(column.levels) > len(y) / 2:
        raise ValueError(
            f"Column {column.name!r} names {len(column.levels)} groups in {len(y)} rows; groups need two rows or more each. "
            "Give a column with fewer values, or leave groups out."
        )
    if others:
        encoding, values = learn(others, y, named)
    else:
        encoding, values = Encoding((), (), named), np.empty((len(y), 0))
    folds = np.random.default_rng(len(y)).permutation(len(y)) % FOLDS
    means, _ = shrunk_means(column, y, folds)
    sources = tuple(Source(c.name, c.kind, c.levels, c.form) for c in raw)
    with_groups = Encoding(sources, (*encoding.columns, means), named, encoding.notes)
    return with_groups, np.ascontiguousarray(np.column_stack([values, means.values(column)]))


def _told(learned: Learned, column: RawColumn, y: Floats, folds: npt.NDArray[np.intp]) -> RawColumn:
    """A column of few whole numbers that was text: numbers, or levels where held-out rows say so; others as they are."""
    if column.codes is None:
        return column
    levels = [
        level.values(column.codes) for level in _levels(column.codes, list(range(len(column.codes.levels))))
    ]
    middle = float(np.nanmedian(column.values))
    if helps(learned.values, [np.where(column.gaps, middle, column.values)], y, folds, levels, squares=False):
        _number(learned, column)
        return replace(column, codes=None)
    return column.codes


def _number(learned: Learned, column: RawColumn) -> None:
    if not column.gaps.any():
        learned.add(Plain(column.name), column.values)
        return
    present = column.values[~column.gaps]
    if not len(present):
        learned.notes.append(f"column {column.name!r} is empty and was left out")
        return
    filled = Filled(column.name, _short(float(np.median(present)), present))
    learned.add(filled, filled.values(column))
    gaps = int(column.gaps.sum())
    are = "is" if gaps == 1 else "are"
    learned.notes.append(f"{counted(gaps, 'gap')} of {column.name!r} {are} filled by {filled.value:g}")


def _short(value: float, present: Floats) -> float:
    """A number with three digits, if that is within the range of the values."""
    short = float(f"{value:.3g}")
    return short if present.min() <= short <= present.max() else value


def _date(learned: Learned, column: RawColumn) -> None:
    present = column.values[~column.gaps]
    if not len(present) or np.ptp(present) == 0.0:
        learned.notes.append(f"column {column.name!r} has fewer than two dates and was left out")
        return
    since, span = float(np.floor(present.min())), float(np.ptp(present))
    unit = "days" if span >= 3.0 else "hours" if span >= 3.0 / 24.0 else "seconds"
    if unit != "days":
        since = float(present.min())
    middle = float(f"{(float(np.median(present)) - since) / UNITS[unit]:.4g}")
    elapsed = Elapsed(column.name, since, unit, middle)
    learned.add(elapsed, elapsed.values(column))


def _text(learned: Learned, column: RawColumn, y: Floats, folds: npt.NDArray[np.intp]) -> None:
    rows = len(column.values)
    if len(column.levels) < 2 and not column.gaps.any():
        learned.notes.append(f"column {column.name!r} is the same in every row and was left out")
        return
    if len(column.levels) > max(MOST_LEVELS, NAMES * int((~column.gaps).sum())):
        learned.notes.append(f"column {column.name!r} has its own text in nearly every row and was left out")
        return
    column, spellings = _in_one_spelling(learned, column, y, folds)
    counts = _counts(column)
    frequent = [j for j in np.argsort(-counts, kind="stable") if counts[j] >= max(FEWEST, RARE * rows)]
    ranked = _ranked(column)
    # Without squares: a rank that must be bent reads no better than levels.
    if ranked is not None and helps(
        learned.values, [ranked.values(column)], y, folds, _indicators(column, frequent), squares=False
    ):
        learned.add(ranked, ranked.values(column))
        order = ", ".join(repr(level) for level, _ in ranked.scores)
        learned.notes.append(f"the levels of {column.name!r} have ranks, 1 to {len(ranked.scores)}: {order}")
        return
    covered = counts[frequent].sum() / max(1, counts.sum())
    if len(frequent) > MOST_LEVELS or covered < COVERED:
        scored, values = shrunk_means(column, y, folds)
        if learned.columns and not _means_tell(learned, values, y, folds):
            learned.notes.append(
                f"the {len(column.levels)} levels of {column.name!r} tell held-out rows nothing of the target and were left out"
            )
            return
        scores = tuple((each, score) for level, score in scored.scores for each in spellings[level])
        learned.add(replace(scored, scores=scores), values)
        learned.notes.append(
            f"the {len(column.levels)} levels of {column.name!r} have one number each, their mean of the target, shrunk"
        )
        return
    for level in _levels(column, frequent):
        learned.add(replace(level, levels=spellings[level.levels[0]]), level.values(column))
    joined = len(column.levels) - len(frequent)
    if joined:
        learned.notes.append(f"{joined} rare levels of {column.name!r} are joined")


def _means_tell(learned: Learned, means: Floats, y: Floats, folds: npt.NDArray[np.intp]) -> bool:
    """Are levels' means of other rows nearer to the target than the overall mean, or of use beside other columns? If not, they
    are wrong by what the row itself would have added, and any model takes that for an effect of the opposite sign."""
    nearer = float(np.sum((y - means) ** 2)) < float(np.sum((y - y.mean()) ** 2))
    return nearer or helps(learned.values, [means], y, folds)


def _counts(column: RawColumn) -> npt.NDArray[np.intp]:
    """Rows of every level."""
    return np.bincount(column.values[~column.gaps].astype(np.intp), minlength=len(column.levels))


def _in_one_spelling(
    learned: Learned, column: RawColumn, y: Floats, folds: npt.NDArray[np.intp]
) -> tuple[RawColumn, dict[str, tuple[str, ...]]]:
    """The column with one level for all that differ in capitals or spaces alone, the commonest, and what each level stands for.

    Where held-out rows tell such levels apart, and where levels have an order, they stay as they are.
    """
    alone: dict[str, tuple[str, ...]] = {level: (level,) for level in column.levels}
    alike: dict[str, list[int]] = {}
    for place in np.argsort(-_counts(column), kind="stable"):
        alike.setdefault(" ".join(column.levels[place].split()).casefold(), []).append(int(place))
    if column.order is not None or len(alike) == len(column.levels):
        return column, alone
    table = np.empty(len(column.levels))
    for number, places in enumerate(alike.values()):
        table[places] = number
    levels = tuple(column.levels[places[0]] for places in alike.values())
    joined = replace(column, values=column.lookup(table, np.nan), levels=levels)
    apart, together = (shrunk_means(each, y, folds)[1] for each in (column, joined))
    if not helps(learned.values, [together], y, folds, [apart]):
        return column, alone
    first = next(places for places in alike.values() if len(places) > 1)
    learned.notes.append(
        f"levels of {column.name!r} that differ in capitals or spaces alone are one, such as "
        f"{column.levels[first[0]]!r} and {column.levels[first[1]]!r}"
    )
    spellings = {column.levels[p[0]]: tuple(column.levels[each] for each in p) for p in alike.values()}
    return joined, spellings


def _levels(column: RawColumn, frequent: list[int]) -> list[Level]:
    """An indicator for every frequent level: a line that is shrunk is shrunk towards the mean of all, not towards a level. Of two
    levels that are all there is the rarer is enough."""
    kept = frequent[1:] if len(frequent) == 2 == len(column.levels) else frequent
    return [Level(column.name, (column.levels[j],)) for j in kept]


def _indicators(column: RawColumn, frequent: list[int]) -> list[Floats]:
    return [level.values(column) for level in _levels(column, frequent)]


def _ranked(column: RawColumn) -> Scored | None:
    """Ordered levels as 1, 2, 3 …; gaps in the middle."""
    if column.order is None or len(column.order) < 3:
        return None
    scores = tuple((level, float(rank)) for rank, level in enumerate(column.order, 1))
    return Scored(column.name, "rank", scores, (len(column.order) + 1) / 2.0)


def _candidates(column: RawColumn) -> list[list[Column]]:
    """Columns that are taken only if they help, those together that belong together."""
    found: list[list[Column]] = []
    gaps = int(column.gaps.sum())
    if FEWEST <= gaps <= len(column.values) - FEWEST:
        found.append([Missing(column.name, column.kind)])
    if column.kind == "date":
        present = column.values[~column.gaps]
        for period, (days, _) in PERIODS.items():
            if len(present) and np.ptp(present) >= TIMES * days and _go_round(present / days):
                found.append([Cyclic(column.name, "sin", period), Cyclic(column.name, "cos", period)])
    return found


def _go_round(turns: Floats) -> bool:
    """Whether dates, in periods, have more than two places in the period, and not all near one: the first of January of several
    years differs by a quarter of a day, which a wave of the year would make much of."""
    phases = np.round(turns % 1.0, 6)[:DECIDING_ROWS]
    together = float(np.abs(np.exp(2j * np.pi * phases).mean()))
    return len(np.unique(phases)) > 2 and together <= NEAR_ONE_PLACE


def shrunk_means(column: RawColumn, y: Floats, folds: npt.NDArray[np.intp]) -> tuple[Scored, Floats]:
    """Mean of the target by level, shrunk as much as held-out rows want it; and the training rows' numbers from other rows."""
    codes = np.where(column.gaps, len(column.levels), column.values).astype(np.intp)
    width = len(column.levels) + 1
    centre = float(y.mean())

    def means(rows: npt.NDArray[np.bool_], worth: float) -> Floats:
        sums = np.bincount(codes[rows], weights=y[rows] - centre, minlength=width)
        numbers = np.bincount(codes[rows], minlength=width)
        return np.asarray(centre + sums / (numbers + worth))

    def crossed(worth: float) -> Floats:
        values = np.empty(len(y))
        for fold in range(FOLDS):
            held = folds == fold
            values[held] = means(~held, worth)[codes[held]]
        return values

    worth = min(SHRINKAGES, key=lambda each: float(np.sum((y - crossed(each)) ** 2)))
    whole = means(np.ones(len(y), dtype=bool), worth)
    scores = tuple((level, float(f"{value:.5g}")) for level, value in zip(column.levels, whole, strict=False))
    return Scored(column.name, "mean", scores, float(f"{centre:.5g}")), crossed(worth)


def helps(
    base: list[Floats],
    extra: list[Floats],
    y: Floats,
    folds: npt.NDArray[np.intp],
    instead: list[Floats] | None = None,
    squares: bool = True,
) -> bool:
    """Whether extra columns lower the error on held-out rows, or lower it about as far as others would `instead`."""
    rows = slice(0, DECIDING_ROWS)
    y, folds = y[rows], folds[rows]
    with_extra = _errors([v[rows] for v in [*base, *extra]], y, folds, squares)
    without = _errors([v[rows] for v in [*base, *(instead or [])]], y, folds, squares)
    if instead is not None:
        return bool(with_extra.sum() * (1.0 - SIMPLER) <= without.sum())
    return _saves(with_extra, without)


def _saves(errors: Floats, others: Floats) -> bool:
    """Are squared errors on held-out rows less than others, by a share of them and by more than chance among few rows?"""
    saved = others - errors
    chance = float(saved.std()) * len(saved) ** 0.5
    return bool(saved.sum() > max(SAVED * others.sum(), BEYOND_CHANCE * chance))


def _errors(columns: list[Floats], y: Floats, folds: npt.NDArray[np.intp], squares: bool) -> Floats:
    """Squared errors on held-out rows of ridge regression on the columns, and on their squares if told so."""
    centre = float(y.mean())
    if not columns:
        return np.asarray((y - centre) ** 2)
    X = np.column_stack(columns)
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    several = np.array([squares and len(np.unique(column[:1000])) > 2 for column in X.T])
    X = np.column_stack([np.ones(len(y)), X, np.clip(X[:, several], -5.0, 5.0) ** 2])
    errors = np.zeros(len(y))
    for fold in range(FOLDS):
        held = folds == fold
        if not held.any() or held.all():
            continue
        A, b = X[~held], y[~held] - centre
        gram = A.T @ A + 1e-2 * len(b) ** 0.5 * np.eye(X.shape[1])
        errors[held] = (y[held] - centre - X[held] @ np.linalg.solve(gram, A.T @ b)) ** 2
    return errors
