"""Outliers: a few rows whose targets are far from all others and from what any feature tells of them, such as slips of the pen.

Least squares follows them, and a search by it ends in a constant. With `loss="auto"` they are left out (`fitting/fitting.py`),
which is said. Learners of different kinds must agree on them: what each makes of the other rows is far from them, and having seen
the other outliers does not bring it nearer. So tails that a feature explains, a rare regime and rows far out among the features
are none; neither are tails that are ordinary on the logarithm of the target.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene.data.constants import (
    BEYOND_OTHERS,
    FAR_ERRORS,
    FAR_SHARE,
    FEWEST_AROUND,
    FEWEST_IN_TAIL,
    FOLDS,
    LEARNER_COLUMNS,
    LEARNER_ROWS,
    LEARNT,
    SQUARED_COLUMNS,
    SUSPECT_ERRORS,
    SUSPECT_SHARE,
    TAIL,
    TAIL_CHANCE,
    TREES,
)
from multigene.data.far_rows import named, robust_spread
from multigene.data.spread import evenly

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]


class _TimeIsUpError(Exception):
    """There is no time to look at outliers."""


def outliers_of(
    X: Floats, y: Floats, weights: Floats | None = None, over: Callable[[], bool] = lambda: False
) -> Rows:
    """The numbers of the rows that are outliers; none where it is `over` before that is known. Mostly no row is suspected, and
    nothing else is looked at."""
    counted = np.arange(len(y)) if weights is None else np.flatnonzero(weights > 0.0)
    y = _unit(y[counted])
    root = 1.0 if weights is None else np.sqrt(weights[counted] / weights.max())
    suspects = _suspects(root * (y - np.median(y)))
    if not len(suspects):
        return suspects
    others = np.setdiff1d(np.arange(len(y)), suspects)
    some = others[evenly(len(others), LEARNER_ROWS)]
    rows = np.concatenate([some, suspects])
    X = _unit(X[counted[rows]])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of learners about columns that tell nothing
        compared = _within_box(X[: len(some)], X[len(some) :])
        if not compared.any():
            return suspects[:0]
        seen = np.concatenate([np.ones(len(some), dtype=bool), compared])
        X, y, suspects = _telling(X[seen], y[rows][seen], len(some)), y[rows][seen], suspects[compared]
        try:
            found = _unexplained(X, y, len(some), over)
        except _TimeIsUpError:
            return suspects[:0]
    return counted[suspects[found]]


def said_of_outliers(y: Floats, rows: npt.NDArray[np.intp]) -> str:
    """What to say of rows that were left out."""
    return (
        f"{len(rows)} of {len(y)} rows look like outliers (target {named(y, rows)}): neither other rows nor any column account "
        f"for them. They were left out, and scores are those of the other {len(y) - len(rows)} rows; loss='squared' keeps them."
    )


def _suspects(away: Floats) -> Rows:
    """Rows far from most others by the target alone, if they are few and have much of its squared deviations."""
    spread = robust_spread(away)
    far = np.abs(away) > SUSPECT_ERRORS * spread
    most = min(FAR_SHARE * len(away), LEARNER_ROWS)
    few = len(away) >= FEWEST_AROUND and 0 < np.count_nonzero(far) <= most
    much = spread > 0.0 and np.sum(away[far] ** 2) > SUSPECT_SHARE * np.sum(away**2)
    return np.flatnonzero(far) if few and much else np.zeros(0, dtype=np.intp)


def _telling(X: Floats, y: Floats, ordinary: int) -> Floats:
    """Of many columns those that tell most of the other rows, and those in which the suspects differ most from them."""
    if X.shape[1] <= LEARNER_COLUMNS:
        return X
    Z = (X - X[:ordinary].mean(axis=0)) / (X[:ordinary].std(axis=0) + np.finfo(float).tiny)
    ranks = np.argsort(np.argsort(y)) - 0.5 * (len(y) - 1)
    telling = np.argsort(-np.abs(ranks[:ordinary] @ Z[:ordinary]), kind="stable")
    side = np.sign(y[ordinary:] - np.median(y))
    differing = np.argsort(-np.abs(side @ Z[ordinary:]) - np.abs(Z[ordinary:]).sum(axis=0), kind="stable")
    half = LEARNER_COLUMNS // 2
    return X[:, np.union1d(telling[:half], differing[:half])]


def _unexplained(X: Floats, y: Floats, ordinary: int, over: Callable[[], bool]) -> Flags:
    """Which of the suspects, the rows from `ordinary` on, are far from what every learner makes of the rows before, while none
    that has seen some suspects tells more of the others."""
    found = ~_told_by_a_polynomial(X, y, ordinary)
    best: Floats | None = None
    for scale in _scales(y):
        if not found.any():
            break
        errors = [_errors(learner, X, scale, ordinary, over) for learner in _learners(X)]
        best = min(errors, key=lambda each: robust_spread(each[:ordinary])) if best is None else best
        far = FAR_ERRORS * min(robust_spread(each[:ordinary]) for each in errors)
        away = np.abs(scale - np.median(scale))[ordinary:]
        for each in errors:
            found &= np.abs(each[ordinary:]) > np.maximum(far, (1.0 - LEARNT) * away)
    if best is not None:
        found = _beyond_the_tail(np.abs(best), ordinary, found)
    if found.any() and _learnt(X, y, ordinary, found, over):
        found[:] = False
    return found


def _told_by_a_polynomial(X: Floats, y: Floats, ordinary: int) -> Flags:
    """Suspects that a polynomial of the second degree, of the other rows or of their logarithms, tells. It takes no time, and
    products and quotients have long tails."""
    told = np.zeros(len(y) - ordinary, dtype=bool)
    positive = bool(X.min() > 0.0 and y.min() > 0.0)
    for A, target in ((X, y), (np.log(X), np.log(y))) if positive else ((X, y),):
        Z = (A - A[:ordinary].mean(axis=0)) / (A[:ordinary].std(axis=0) + np.finfo(float).tiny)
        first, second = np.triu_indices(Z.shape[1])
        columns = np.column_stack([np.ones(len(Z)), Z])
        if ordinary >= 2 * (columns.shape[1] + len(first)):
            columns = np.column_stack([columns, Z[:, first] * Z[:, second]])
        coefficients = np.linalg.lstsq(columns[:ordinary], target[:ordinary], rcond=None)[0]
        away = np.abs(target - np.median(target))[ordinary:]
        told |= np.abs(target - columns @ coefficients)[ordinary:] <= (1.0 - LEARNT) * away
    return told


def _beyond_the_tail(errors: Floats, ordinary: int, found: Flags) -> Flags:
    """The largest errors among the outliers that the tail of the other errors does not reach: heavy tails have no gap.

    Of errors that fall off with a power, n exceed all others by a factor f with the chance f**(-power*n). The power is known from
    m errors of the tail alone, which makes a chance of (1 + n*log(f)/(m*fall))**(-m) of it, where `fall` is its inverse; and of
    several gaps one is the widest by luck.
    """
    own = np.sort(errors[ordinary:][found])
    others = np.sort(np.concatenate([errors[:ordinary], errors[ordinary:][~found]]))
    for dropped in range(len(own)):
        rest = np.sort(np.concatenate([others, own[:dropped]]))
        tail = rest[-max(FEWEST_IN_TAIL, int(TAIL * len(rest))) :]
        gap, number = own[dropped] / rest[-1], len(own) - dropped
        fall = float(np.mean(np.log(tail / tail[0])))
        chance = (1.0 + number * np.log(max(gap, 1.0)) / (len(tail) * fall)) ** -len(tail)
        if chance * len(own) < TAIL_CHANCE:
            return np.asarray(found & (errors[ordinary:] >= own[dropped]))
    return np.zeros_like(found)


def _within_box(X: Floats, suspects: Floats) -> Flags:
    """Rows that are not far out among the features: beyond the other rows nobody knows what the target may be."""
    low, high = X.min(axis=0), X.max(axis=0)
    room = BEYOND_OTHERS * (high - low)
    return np.asarray(((suspects >= low - room) & (suspects <= high + room)).all(axis=1))


def _scales(y: Floats) -> Iterator[Floats]:
    """The target; if it has no negative values, its logarithm too, with room for zeros."""
    yield y
    middle = float(np.median(y))
    if y.min() >= 0.0 and middle > 0.0:
        yield np.log(y + middle)


def _learners(X: Floats) -> list[Any]:
    """A smooth and a rough learner; both know what single columns and pairs of them tell."""
    from sklearn.ensemble import ExtraTreesRegressor
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    squares = [PolynomialFeatures(2)] if X.shape[1] <= SQUARED_COLUMNS else []
    smooth = make_pipeline(StandardScaler(), *squares, RidgeCV(np.logspace(-6.0, 4.0, 11)))
    return [smooth, ExtraTreesRegressor(TREES, min_samples_leaf=2, random_state=0)]


def _inverse(values: Floats) -> Floats:
    """One over every value; of what is nearly 0 a number whose square is one."""
    return np.asarray(1.0 / np.where(np.abs(values) < 1e-100, 1e-100, values), dtype=np.float64)


def _errors(learner: Any, X: Floats, y: Floats, ordinary: int, over: Callable[[], bool]) -> Floats:
    """Errors of every row, of learners that have seen ordinary rows but not this one."""
    errors = np.empty(len(y))
    for rows, fold in _folds(ordinary, over):
        errors[fold] = y[fold] - learner.fit(X[rows], y[rows]).predict(X[fold])
    learner.fit(X[:ordinary], y[:ordinary])
    errors[ordinary:] = y[ordinary:] - learner.predict(X[ordinary:])
    return errors


def _learnt(X: Floats, y: Floats, ordinary: int, found: Flags, over: Callable[[], bool]) -> bool:
    """Does a learner that has seen some of the outliers tell much of the others? Then they hang together with the features. One
    learns the target's inverse, which is smooth where the target has poles; it counts where it knows ordinary rows best."""
    from sklearn.compose import TransformedTargetRegressor

    rows = np.concatenate([np.arange(ordinary), ordinary + np.flatnonzero(found)])
    X, y = X[rows], y[rows]
    smooth, rough = _learners(X)
    poles = TransformedTargetRegressor(smooth, func=_inverse, inverse_func=_inverse, check_inverse=False)
    away, least = y[ordinary:] - np.median(y), np.inf
    for learner in (smooth, rough, poles):
        left = np.empty(len(y))
        for seen, fold in _folds(len(y), over):
            left[fold] = y[fold] - learner.fit(X[seen], y[seen]).predict(X[fold])
        spread = robust_spread(left[:ordinary])
        much = np.sum(left[ordinary:] ** 2) < (1.0 - LEARNT) * np.sum(away**2)
        if much and (learner is not poles or spread <= least):
            return True
        least = min(least, spread)
    return False


def _folds(rows: int, over: Callable[[], bool]) -> Iterator[tuple[Rows, Rows]]:
    """Rows to learn from and to be told, as long as there is time; neighbours in order are in different parts."""
    for first in range(FOLDS):
        if over():
            raise _TimeIsUpError
        fold = np.arange(first, rows, FOLDS)
        yield np.setdiff1d(np.arange(rows), fold), fold


def _unit(values: Floats) -> Floats:
    """Columns divided by their largest absolute value: no square is beyond floating point."""
    largest = np.abs(values).max(axis=0)
    return np.asarray(values / np.where(largest > 0.0, largest, 1.0), dtype=np.float64)
