"""Very few rows, or a cross-validation that was cut short: choosing without rows to validate on.

`phases.py` asks for a decision about the size where there are too few rows for cross-validation, `result.py` which formula
is accepted nevertheless.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.data.scores import scale_of
from multigene.evolution.pareto import Member, non_dominated, with_member
from multigene.search.comparing import clearly_better, convincingly_better
from multigene.search.constants import (
    BETTER_THAN_LINEAR,
    CLEAR_SIGNAL,
    DECADES_OF_A_COLUMN,
    EVIDENT,
    LINE_SAYS_ALL,
    LINES_APART,
    LUCK,
    MOST_ASKED,
    MOST_FITTED,
    NEARLY_AS_FIT,
    NODE_COST,
    ONE_COLUMN,
    ONE_STANDARD_ERROR,
    ROOM,
    WORTH_IT,
)
from multigene.search.cross_validation import FoldResult
from multigene.search.linear import Ridge, centred, forward_selection
from multigene.search.problem import Problem
from multigene.search.unseen import HeldOut, KnownErrors, r2_near, unseen_errors
from multigene.search.validation import (
    RIDGE,
    SizeDecision,
    better_than_mean,
    errors_by_size,
    smallest,
)

Floats = npt.NDArray[np.float64]


def uncontradicted(problem: Problem, folds: Sequence[FoldResult]) -> float:
    """Nodes of the largest formulas that are shown: what fits few rows better by its size alone is not.

    Of noisy rows those of the size that cross-validation finds best, with some room; of others those that it does not clearly
    find worse than the best, without a limit where that is said of the largest that it has seen.
    """
    if not folds:
        return math.inf
    held_out = HeldOut(problem, np.concatenate([fold.rows for fold in folds]))
    sizes, errors = errors_by_size(held_out, folds)
    best = int(np.argmin([e.sum() for e in errors]))
    if held_out.r2(errors[best]) < CLEAR_SIGNAL:
        return math.ceil(ROOM * sizes[best])
    worse = [i != best and clearly_better(errors[best], e, ONE_STANDARD_ERROR) for i, e in enumerate(errors)]
    return math.inf if not worse[-1] else max(s for s, w in zip(sizes, worse, strict=True) if not w)


def decide_by_leaving_one_out(problem: Problem, linear: Sequence[Individual]) -> SizeDecision:
    """Ridge regression or the mean, each row left out once; or the line of one feature, where that tells nearly all: ridge
    regression of few rows is then lost among the others. A formula must convince against what remains.

    The first of the `linear` models is the line of one feature.
    """
    (Z, y, weights), loss = _different_rows(problem), problem.loss
    if len(y) < 3:
        return SizeDecision(1, constant=True)
    predicted: dict[int | None, Floats] = {number: np.zeros(len(y)) for number in (RIDGE, 0, None)}
    for row in range(len(y)):
        rest, out = np.arange(len(y)) != row, slice(row, row + 1)
        of_rest = Z[rest], y[rest], weights[rest]
        predicted[RIDGE][out] = Ridge.of_loss(*of_rest, loss).predict(Z[out])
        column = _most_telling(*of_rest)
        predicted[0][out] = Ridge.of_loss(Z[rest][:, column], *of_rest[1:], loss).predict(Z[out, column])
        predicted[None][row] = loss.constant(y[rest], weights[rest])
    errors = {number: loss.costs(y, each, weights) for number, each in predicted.items()}
    tells_all = errors[0].sum() < (1.0 - ONE_COLUMN) * errors[None].sum()
    if linear and tells_all and clearly_better(errors[0], errors[RIDGE], ONE_STANDARD_ERROR):
        return SizeDecision(1, linear=0)
    if better_than_mean(problem, ridge_of_different_rows(problem), errors[RIDGE], errors[None]):
        return SizeDecision(1, linear=RIDGE)
    return SizeDecision(1, constant=True)


def line_of_logarithms(problem: Problem) -> Individual | None:
    """A shrunk line with the logarithms of positive columns that span decades, in the user's units; None where there are none, or
    where the line of the columns as they are is clearly better on rows left out.

    Concentrations, counts, sizes: of very few rows one or two tell all of such a column's slope, and the next may lie far beyond.
    """
    X, y, weights = _different(problem)
    least, most = X.min(axis=0), X.max(axis=0)
    with np.errstate(over="ignore"):
        logs = np.flatnonzero((least > 0.0) & (most >= DECADES_OF_A_COLUMN * least))
    if not problem.loss.squared or not len(logs) or len(y) < 3:
        return None
    L = X.copy()
    L[:, logs] = np.log(X[:, logs])
    errors = []
    for columns in (problem.standardised(X), L):
        left_out = np.zeros(len(y))
        for row in range(len(y)):
            rest = np.arange(len(y)) != row
            line = Ridge.fitted(columns[rest], y[rest], weights[rest])
            left_out[row] = y[row] - line.predict(columns[row : row + 1])[0]
        errors.append(weights * left_out**2)
    as_they_are, of_logs = errors
    if clearly_better(as_they_are, of_logs, LINES_APART) or as_they_are.sum() < LINE_SAYS_ALL * of_logs.sum():
        return None
    line = Ridge.fitted(L, y, weights)
    genes = [f"log(x{j})" if j in logs else f"x{j}" for j in range(X.shape[1])]
    return Individual(genes, line.intercept, line.weights.tolist())


def _most_telling(Z: Floats, y: Floats, weights: Floats) -> list[int]:
    """The feature whose line explains most of the target."""
    return forward_selection(centred(Z, weights), centred(y / scale_of(y), weights), 1)


def ridge_of_different_rows(problem: Problem) -> Ridge:
    """Ridge regression of the different rows: leaving out one of two equal rows would tell nothing."""
    return Ridge.of_loss(*_different_rows(problem), problem.loss)


def _different_rows(problem: Problem) -> tuple[Floats, Floats, Floats]:
    """Standardised rows that count, target and the sum of their weights, each once."""
    X, y, weights = _different(problem)
    return problem.standardised(X), y, weights


def _different(problem: Problem) -> tuple[Floats, Floats, Floats]:
    """The same of rows as they are. Rows of another target are different ones."""
    weights = np.ones(len(problem.y)) if problem.weights is None else problem.weights
    counted = weights > 0.0
    pairs = np.column_stack([problem.X[counted], problem.y[counted]])
    rows, number = np.unique(pairs, axis=0, return_inverse=True)
    total = np.asarray(np.bincount(number.reshape(-1), weights[counted]), dtype=np.float64)
    return np.ascontiguousarray(rows[:, :-1]), rows[:, -1].copy(), total


def within_noise(problem: Problem, members: Sequence[Member]) -> Member:
    """The smallest model that the best is not better than by a standard error, each fitted again without every fold.

    Cross-validation of the search has said how large a formula may be; which of the models of the search on all rows is to be
    taken, their own errors say better than a size. They come smallest first.
    """
    least = min(1.0 - member.fitness for member in members)
    near = [member for member in members if 1.0 - member.fitness <= NEARLY_AS_FIT * least]
    errors = [unseen_errors(problem, member) for member in near]
    return near[smallest(errors, ONE_STANDARD_ERROR)]


def supported_by_folds(
    problem: Problem,
    members: Sequence[Member],
    chosen: Member,
    known: KnownErrors,
    scores: Mapping[int, float],
) -> list[Member]:
    """Models of a front that, fitted again without every fold, predict its rows better by a standard error than the one kept
    before them; and the chosen one. What fits few noisy rows better is often only more fitted.

    Their structures have seen all rows, which flatters large ones most. So those larger than the chosen one need the word of the
    searches without a fold as well: by their `scores` by size, on rows that they had not seen, the risk must be worth it.
    """
    kept, least, best = list[Member](), None, -math.inf
    for member in non_dominated(members):
        errors, unseen = unseen_errors(problem, member, known), r2_near(scores, member.complexity)
        larger = bool(scores) and member.complexity > chosen.complexity
        if larger and not 1.0 - unseen < (1.0 - WORTH_IT) * (1.0 - best):
            continue
        if least is None or clearly_better(errors, least, ONE_STANDARD_ERROR):
            kept.append(member)
            least, best = errors, max(best, unseen)
    return with_member(kept, chosen)


def most_convincing(members: Sequence[tuple[Member, int]], rival: Member, n: int) -> Member:
    """The model that saves most, in natural units of information on `n` rows, against the rival; or the rival itself.

    With each model comes how many of its numbers were fitted: they take rows away. A row tells as much as the logarithm of
    how much less is left unexplained, and every node of the formula must be paid for, as a search that tries enough
    formulas finds some that agree with any rows.
    """
    return next(iter(_convincing(members, rival, n, nodes=0)), rival)


def for_its_price(problem: Problem, superior: Member, chosen: Member) -> Member:
    """A find that is better on nearly every row left out. The numbers within its functions have seen few rows all the same, and a
    few of them agree with any: there it must be worth its nodes."""
    if not problem.few_rows:
        return superior
    rows = problem.different(np.arange(len(problem.y)))
    return most_convincing([(superior, superior.individual.n_parameters)], chosen, rows)


def evident(
    problem: Problem,
    members: Sequence[tuple[Member, int]],
    rival: Member,
    errors: Floats,
    known: KnownErrors,
    linear: bool,
) -> Member:
    """A formula that cross-validation of the search did not come to, for the evidence of its own; else the rival.

    Searches without a fold are short. What a longer one found on all rows is taken where it saves far more information than its
    further nodes cost, and where it predicts rows better that it was not fitted to, structure aside: `errors` are those of the
    rival there. Nobody searched for the nodes of a `linear` rival, so they pay for none of the formula's.
    """
    n = problem.different(np.arange(len(problem.y)))
    for member in _convincing(members, rival, n, nodes=0 if linear else rival.complexity)[:MOST_ASKED]:
        unseen = unseen_errors(problem, member, known)
        if len(unseen) == len(errors) and (
            unseen.sum() < (1.0 - EVIDENT) * errors.sum()
            and convincingly_better(unseen, errors, BETTER_THAN_LINEAR)
        ):
            return member
    return rival


def _convincing(members: Sequence[tuple[Member, int]], rival: Member, n: int, nodes: int) -> list[Member]:
    """Models that save more than luck does, those that save most first; `nodes` of the rival were paid for."""

    def left(member: Member, fitted: float) -> float:
        return max(1.0 - member.fitness, 1e-28) / (1.0 - fitted / n) ** 2

    to_beat = left(rival, min(rival.individual.n_parameters, MOST_FITTED * n))

    def saved(member: Member, fitted: int) -> float:
        information = 0.5 * (n - fitted) * math.log(to_beat / left(member, fitted))
        return information - NODE_COST * max(0, member.complexity - nodes)

    worth = [(saved(m, k), m) for m, k in members if k <= MOST_FITTED * n and math.isfinite(m.fitness)]
    return [m for most, m in sorted(worth, key=lambda pair: -pair[0]) if most > LUCK]
