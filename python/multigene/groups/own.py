"""Numbers of their own per group: the joint fit of a form's common numbers and of every group's deviations from them.

A form is an expression in which some numbers `c` became `c + deviation`, the deviation a column that is constant within a group.
Deviations are held back by a penalty, so that a group of few rows stays near the pooled number `c`. The fit is Gauss-Newton;
groups do not touch each other, so each step costs as much as one with the common numbers alone (their block is eliminated).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from multigene.data.losses import SQUARED, Loss
from multigene.expression.build import call
from multigene.expression.jacobian import Program
from multigene.expression.numbers import number_of, parameters, with_parameters
from multigene.expression.tree import (
    Expression,
    Number,
    Variable,
    evaluate,
    fold,
    postorder,
    rebuild,
)
from multigene.groups.constants import DEPENDENT, ENOUGH, HALVINGS, STEPS, TINY

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]


@dataclass(frozen=True)
class GroupRows:
    """Rows with the group of each: a number from 0 on, `count` for a row without one."""

    X: Floats
    y: Floats
    shares: Floats
    """Weight of every row, 1 on average."""
    codes: Codes
    count: int
    loss: Loss = SQUARED

    def taken(self, kept: npt.NDArray[np.bool_] | Codes) -> GroupRows:
        """Some of the rows."""
        return replace(self, X=self.X[kept], y=self.y[kept], shares=self.shares[kept], codes=self.codes[kept])

    def working(self, values: Floats) -> tuple[Floats, Floats]:
        """Weights and residuals of the squared error that looks like the loss at these values."""
        weights, target = self.loss.working(self.y, values)
        return self.shares * weights, target - values

    def losses(self, values: Floats) -> Floats:
        """The loss of every row, weighted."""
        return np.asarray(self.shares * self.loss.values(self.y, values))

    def error(self, values: Floats) -> float:
        """The loss of these values; infinite where one is not finite."""
        total = float(self.losses(values).sum()) if np.isfinite(values).all() else np.inf
        return total if np.isfinite(total) else np.inf

    def sums(self, values: Floats) -> Floats:
        """Sum of every column by group: groups × columns; rows without a group are left out."""
        found = [np.bincount(self.codes, column, self.count + 1)[: self.count] for column in values.T]
        return np.stack(found, axis=1) if found else np.zeros((self.count, 0))


@dataclass(frozen=True)
class GroupForm:
    """An expression, and which of its parameters every group has for itself."""

    expression: Expression
    places: tuple[int, ...]

    def opened(self, width: int) -> Expression:
        """The expression with `c + deviation` for these numbers; deviations are the columns from `width` on."""
        columns = {place: Variable(width + i) for i, place in enumerate(self.places)}
        return _changed(self.expression, lambda place, node: call("add", node, columns[place]), self.places)

    def own(self, width: int) -> Expression:
        """The expression with columns from `width` on instead of these numbers."""
        columns = {place: Variable(width + i) for i, place in enumerate(self.places)}
        return _changed(self.expression, lambda place, node: columns[place], self.places)


def _changed(
    expression: Expression, change: Callable[[int, Expression], Expression], places: tuple[int, ...]
) -> Expression:
    count = -1

    def rebuilt(node: Expression, children: tuple[Expression, ...]) -> Expression:
        nonlocal count
        if number_of(node, whole_exponents=False) is not None:
            count += 1
            if count in places:
                return change(count, node)
        return rebuild(node, children)

    return fold(expression, rebuilt)


def may_be_own(expression: Expression) -> list[int]:
    """The parameters that a group may have for itself: constants, not exponents."""
    nodes = [n for n in postorder(expression) if number_of(n, whole_exponents=False) is not None]
    return [place for place, node in enumerate(nodes) if isinstance(node, Number)]


@dataclass(frozen=True)
class Fit:
    """A form with its numbers, every group's deviations from the pooled ones, and how they are held back."""

    form: GroupForm
    deviations: Floats
    """Groups × own numbers."""
    precision: Floats
    """The penalty of each own number's squared deviation."""
    error: float
    """The loss, without the penalty."""

    @property
    def pooled(self) -> Floats:
        """The pooled value of every own number."""
        return np.array(parameters(self.form.expression))[list(self.form.places)]

    @property
    def numbers(self) -> Floats:
        """The own numbers: groups × own numbers."""
        return np.asarray(self.pooled + self.deviations)

    def values(self, X: Floats, codes: Codes) -> Floats:
        """What the form says for rows of these groups."""
        return evaluate(self.form.opened(X.shape[1]), extended(X, codes, self.deviations))


def extended(X: Floats, codes: Codes, deviations: Floats) -> Floats:
    """Rows with every group's deviations as columns; 0 for rows without a group."""
    if not deviations.shape[1]:
        return X
    return np.column_stack([X, np.vstack([deviations, np.zeros(deviations.shape[1])])[codes]])


def fitted(
    form: GroupForm, rows: GroupRows, worth: float, start: Fit | None = None, steps: int = STEPS
) -> Fit | None:
    """The best numbers for the rows; the pooled number counts as much as `worth` rows of each group.

    None where the form has no finite value on some row.
    """
    width = rows.X.shape[1]
    theta = np.array(parameters(form.expression))
    u = np.zeros((rows.count, len(form.places)))
    if start is not None and start.form.places == form.places:
        theta, u = np.array(parameters(start.form.expression)), start.deviations
    program = Program(form.opened(width))
    values = program.value(theta, extended(rows.X, rows.codes, u))
    if not np.isfinite(values).all():
        return None
    precision: Floats | None = None
    for _ in range(steps):
        weights, residual = rows.working(values)
        J = program.jacobian(theta, extended(rows.X, rows.codes, u))
        if not (np.isfinite(J).all() and np.isfinite(residual).all()):
            break
        if precision is None:
            squares = (weights @ J[:, list(form.places)] ** 2) / len(rows.y)
            precision = worth * np.where(squares > 0.0, squares, 1.0)
        before = rows.error(values) + float(np.sum(precision * u**2))
        try:
            move, moves = _step(J, residual, weights, rows, form.places, u, precision)
        except np.linalg.LinAlgError:  # numbers beyond floating point
            break
        for halving in range(HALVINGS):
            share = 0.5**halving
            new, deviations = theta + share * move, u + share * moves
            if not (np.isfinite(new).all() and np.isfinite(deviations).all()):
                continue
            tried = program.value(new, extended(rows.X, rows.codes, deviations))
            after = rows.error(tried) + float(np.sum(precision * deviations**2))
            if after < before:
                break
        else:
            break
        theta, u, values = new, deviations, tried
        if before - after <= ENOUGH * before:
            break
    if precision is None:
        precision = np.full(len(form.places), worth)
    done = GroupForm(with_parameters(form.expression, theta), form.places)
    return Fit(done, u, precision, rows.error(values))


def _step(
    J: Floats,
    residual: Floats,
    weights: Floats,
    rows: GroupRows,
    places: tuple[int, ...],
    u: Floats,
    precision: Floats,
) -> tuple[Floats, Floats]:
    """The Gauss-Newton step of common numbers and deviations: the deviations' blocks are eliminated."""
    H, b = J.T @ (weights[:, None] * J), J.T @ (weights * residual)
    if not places:
        return _solved(H, b, H), np.zeros_like(u)
    A, C = blocks(J, J[:, list(places)], weights, rows, precision)
    c = rows.sums(J[:, list(places)] * (weights * residual)[:, None]) - precision * u
    D, d = np.linalg.solve(A, C), np.linalg.solve(A, c[:, :, None])[:, :, 0]
    S = H - np.einsum("gmp,gmq->pq", C, D)
    move = _solved(S, b - np.einsum("gmp,gm->p", C, d), H)
    return move, d - np.einsum("gmp,p->gm", D, move)


def blocks(
    J: Floats, own: Floats, weights: Floats, rows: GroupRows, precision: Floats
) -> tuple[Floats, Floats]:
    """Curvature of every group's deviations (groups × own × own) and their part with common numbers (groups × own × common)."""
    m, p = own.shape[1], J.shape[1]
    weighted = weights[:, None] * own
    A = rows.sums((weighted[:, :, None] * own[:, None, :]).reshape(len(own), m * m)).reshape(rows.count, m, m)
    C = rows.sums((weighted[:, :, None] * J[:, None, :]).reshape(len(own), m * p)).reshape(rows.count, m, p)
    return A + np.diag(np.maximum(precision, TINY)), C


def _solved(matrix: Floats, right: Floats, sizes: Floats) -> Floats:
    """Solution of a symmetric system, scaled by the diagonal of `sizes`; directions that nothing determines stay as they are."""
    scale = np.sqrt(np.maximum(np.diag(sizes), TINY))
    A, b = matrix / np.outer(scale, scale), right / scale
    if not (np.isfinite(A).all() and np.isfinite(b).all()):  # LAPACK would write to the terminal
        raise np.linalg.LinAlgError("the curvature is beyond floating point")
    found = np.linalg.lstsq(A, b, rcond=DEPENDENT)[0]
    return np.asarray(found / scale)
