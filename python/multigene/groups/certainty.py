"""How sure the numbers of a grouped formula are, common ones and those of every group, and what it says of a row.

As in `explain/intervals.py`, by the delta method; the groups' deviations have the prior that their fit had, so the interval of a
group of few rows is that of a shrunk number. A new group has the pooled number, and the groups' spread around it as its error.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from multigene.data.encoding.columns import ColumnName, Own, Scored
from multigene.data.training_rows import TrainingRows
from multigene.explain.constants import CHUNK, DETERMINED
from multigene.explain.intervals import Uncertainty, residual_spread
from multigene.expression.build import ZERO, call
from multigene.expression.jacobian import jacobian, owners
from multigene.expression.tree import Expression, Variable, evaluate, substitute, variables
from multigene.groups.constants import DEPENDENT, TINY
from multigene.groups.own import GroupRows, blocks

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class GroupUncertainty(Uncertainty):
    """What the training rows say about the numbers of a grouped formula; the base class holds the common ones."""

    place: int = 0
    """The column that tells the group of a row: 1, 2, …; 0 for a new one."""
    columns: tuple[int, ...] = ()
    """The columns of the groups' own numbers."""
    own: Floats = field(default_factory=lambda: np.zeros((0, 0, 0)))
    """Groups × own × own: covariance of a group's numbers where the common ones are known, in units of the residual variance;
    the first is that of new groups."""
    shared: Floats = field(default_factory=lambda: np.zeros((0, 0, 0)))
    """Groups × own × common: how a group's numbers move when common ones do."""

    def half_width(self, expression: Expression, X: Floats, level: float, new: bool = True) -> Floats:
        """Half the width of the interval of every row: of a new observation, or of what the formula says."""
        quantile, width = self.quantile(level), np.empty(len(X))
        for start in range(0, len(X), CHUNK):
            part = X[start : start + CHUNK]
            with np.errstate(all="ignore"):
                common, own = derivatives(expression, part, self.columns)
                codes = np.clip(part[:, self.place].astype(np.intp), 0, len(self.own) - 1)
                moved = common - np.einsum("nm,nmp->np", own, self.shared[codes])
                spread = np.einsum("ij,ij->i", moved @ self.factor, moved @ self.factor)
                spread = spread + np.einsum("nm,nmk,nk->n", own, self.own[codes], own)
            width[start : start + CHUNK] = quantile * np.sqrt(self.variance * (float(new) + spread))
        return width

    def own_errors(self) -> Floats:
        """Standard errors of the groups' numbers: groups × own, new groups first."""
        through = np.einsum("gmp,pr->gmr", self.shared, self.factor)
        variances = np.einsum("gmm->gm", self.own) + np.einsum("gmr,gmr->gm", through, through)
        return np.asarray(np.sqrt(self.variance * variances))

    def as_dict(self) -> dict[str, Any]:
        """What a model file keeps of the groups."""
        return {"own": self.own.tolist(), "shared": self.shared.tolist()}

    @staticmethod
    def from_dict(
        values: dict[str, Any], common: Uncertainty, names: list[str], columns: tuple[int, ...]
    ) -> GroupUncertainty:
        """What `as_dict` wrote, with what is known of the common numbers; a `ValueError` refuses anything else."""
        column = own_at(names, columns)[0]
        groups, m, p = len(column.scores) + 1, len(columns), len(common.factor)
        try:
            own = np.array(values["own"], dtype=np.float64).reshape(groups, m, m)
            shared = np.array(values["shared"], dtype=np.float64).reshape(groups, m, p)
        except (KeyError, TypeError, ValueError):
            raise ValueError("its intervals do not belong to its groups") from None
        if not (np.isfinite(own).all() and np.isfinite(shared).all()):
            raise ValueError("its intervals have a number that is not finite")
        place = place_of(names, column.source)
        return GroupUncertainty(
            **{each.name: getattr(common, each.name) for each in fields(Uncertainty)},
            place=place,
            columns=columns,
            own=own,
            shared=shared,
        )


def derivatives(expression: Expression, X: Floats, columns: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Derivatives of a formula by its numbers, and by the columns of the groups' own ones."""
    # A column plus the number 0 has the column's derivative; one column may stand in several places.
    replaced = {column: call("add", ZERO, Variable(column)) for column in columns}
    opened = substitute(expression, replaced)
    J = jacobian(opened, X)
    places = _zeros(opened, columns)
    common = [k for k in range(J.shape[1]) if not any(k in found for found in places)]
    own = np.column_stack([J[:, found].sum(axis=1) for found in places])
    return J[:, common], own


def _zeros(opened: Expression, columns: tuple[int, ...]) -> list[list[int]]:
    """For every column the parameters that stand beside it."""
    found: list[list[int]] = [[] for _ in columns]
    for k, node in enumerate(owners(opened)):
        if len(node.children) != 2 or node.children[0] != ZERO:
            continue
        beside = node.children[1]
        if isinstance(beside, Variable) and beside.index in columns:
            found[columns.index(beside.index)].append(k)
    return found


def own_columns(expression: Expression, names: list[str]) -> tuple[int, ...]:
    """The columns of a formula that are numbers per group; none where columns have no names."""
    return tuple(
        index
        for index in variables(expression)
        if index < len(names)
        and isinstance(name := names[index], ColumnName)
        and isinstance(name.column, Own)
    )


def own_at(names: list[str], columns: tuple[int, ...]) -> list[Own]:
    """The numbers per group that these columns are."""
    found = [name.column for name in (names[index] for index in columns) if isinstance(name, ColumnName)]
    return [column for column in found if isinstance(column, Own)]


def place_of(names: list[str], source: str) -> int:
    """The column that tells the group of a row."""
    for index, name in enumerate(names):
        column = name.column if isinstance(name, ColumnName) else None
        if isinstance(column, Scored) and column.word == "place" and column.source == source:
            return index
    raise ValueError(f"its groups {source!r} have no column that counts them")


def certainty_of(expression: Expression, names: list[str], rows: TrainingRows) -> Uncertainty:
    """What rows say about the numbers of a formula, with or without numbers per group."""
    columns = own_columns(expression, names)
    if columns:
        return uncertainty_of(expression, names, columns, rows)
    return Uncertainty.of(expression, rows)


def uncertainty_of(
    expression: Expression, names: list[str], columns: tuple[int, ...], rows: TrainingRows
) -> GroupUncertainty:
    """From the training rows; a `ValueError` where there are no more rows than numbers."""
    own = own_at(names, columns)
    place, groups = place_of(names, own[0].source), len(own[0].scores)
    codes = rows.X[:, place].astype(np.intp) - 1
    codes[codes < 0] = groups
    seen = GroupRows(rows.X, rows.y, rows.shares, codes, groups, rows.loss)
    values = evaluate(expression, rows.X)
    weights, residual = seen.working(values)
    common, mine = derivatives(expression, rows.X, columns)
    if not (np.isfinite(residual).all() and np.isfinite(mine).all()):
        raise ValueError("The model has no finite value on some of the rows; give other rows.")
    usable = np.isfinite(common).all(axis=0) & (np.abs(common).max(axis=0, initial=0.0) > 0.0)
    J = np.where(usable, common, 0.0)
    precision = np.array([column.precision for column in own])
    # Rows may be a sample of all; the penalty is that of all rows.
    part = len(rows.y) / rows.total
    A, C = blocks(J, mine, weights, seen, part * precision)
    D = np.linalg.solve(A, C)
    factor, determined = _factor(J.T @ (weights[:, None] * J) - np.einsum("gmp,gmq->pq", C, D), usable)
    inverse = np.linalg.inv(A)
    free = float(np.einsum("gmk,gkm->", inverse, A - np.diag(part * precision)))
    freedom = int(rows.total - factor.shape[1] - np.ceil(free))
    if freedom <= 0:
        raise ValueError(
            f"Intervals need more rows than numbers; there are {rows.total} rows and {factor.shape[1] + int(np.ceil(free))} "
            "numbers, those of the groups among them. Give more rows or choose a smaller formula."
        )
    squares = float(weights @ residual**2)
    variance = squares / max(1.0, len(rows.y) - factor.shape[1] - free) if rows.loss.squared else 1.0
    new = np.diag([column.spread**2 for column in own]) / max(variance, TINY)
    return GroupUncertainty(
        variance,
        freedom,
        factor * np.sqrt(part),
        determined,
        () if rows.loss.squared else residual_spread(rows, values),
        place=place,
        columns=columns,
        own=np.concatenate([new[None], inverse * part]),
        shared=np.concatenate([np.zeros((1, *D.shape[1:])), D]),
    )


def _factor(matrix: Floats, usable: npt.NDArray[np.bool_]) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """F with FFᵀ the inverse of a symmetric matrix of rows × rows, and which numbers it determines."""
    size = np.sqrt(np.maximum(np.diag(matrix), 0.0))
    usable = usable & (size > 0.0)
    scale = np.where(usable, size, 1.0)
    values, directions = np.linalg.eigh((matrix / np.outer(scale, scale))[np.ix_(usable, usable)])
    kept = values > max(values.max(initial=0.0), TINY) * DEPENDENT
    V = directions[:, kept]
    factor = np.zeros((len(scale), int(kept.sum())))
    factor[usable] = V / np.sqrt(values[kept]) / scale[usable, None]
    determined = np.zeros(len(scale), dtype=bool)
    determined[usable] = np.einsum("ij,ij->i", V, V) >= DETERMINED
    return factor, determined


def group_table(
    names: list[str],
    columns: tuple[int, ...],
    counts: dict[str, int],
    known: Uncertainty | None,
    level: float = 0.95,
) -> pd.DataFrame:
    """The numbers of every group and, last, the pooled ones of new groups: estimate, standard error and interval."""
    import pandas as pd

    found = []
    errors = known.own_errors() if isinstance(known, GroupUncertainty) else None
    quantile = np.nan if known is None else known.quantile(level)
    for k, column in enumerate(own_at(names, columns)):
        estimates = [*column.scores, (None, column.otherwise)]
        for j, (group, value) in enumerate(estimates):
            error = np.nan if errors is None else float(errors[0 if group is None else j + 1, k])
            found.append(
                {
                    "number": column.text,
                    "group": group,
                    "rows": counts.get(group, 0) if group is not None else 0,
                    "estimate": value,
                    "standard_error": error,
                    "lower": value - quantile * error,
                    "upper": value + quantile * error,
                }
            )
    return pd.DataFrame(
        found, columns=["number", "group", "rows", "estimate", "standard_error", "lower", "upper"]
    )
