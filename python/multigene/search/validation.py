"""How large a formula may be: decided on rows that the search did not use.

Every model of the front is compared with the best one row by row. The smallest model that is not clearly worse sets the size, or
one that people can read, where that costs little;
what does not clearly beat a linear model is replaced by it, and if nothing clearly beats the constant, the constant is chosen.

Few rows cannot choose among many models without picking one that fits by chance: there the whole search has been cross-validated
(`cross_validation.py`), and what it comes to must beat a ridge regression on rows that neither has seen. Very few rows cannot be
cross-validated either: there a formula must justify its size by its training error alone (`few_rows.py`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import nan
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.evolution.pareto import Candidate, Member
from multigene.search.comparing import (
    better_for_its_size,
    better_in_noise,
    better_on_most_rows,
    clearly_better,
    on_more_rows,
)
from multigene.search.constants import (
    BETTER_THAN_CONSTANT,
    BETTER_THAN_LINEAR,
    CLEAR_SIGNAL,
    CLEARLY_BETTER,
    CLEARLY_WORSE,
    FAR_LESS,
    LUCKY,
    MANY_ROWS,
    NEARLY_EVERY_ROW,
    ONE_STANDARD_ERROR,
    READABLE,
    READABLE_LEAVES,
    RIDGE_BETTER_THAN_MEAN,
    RIDGE_SAYS,
    ROOM,
    WORTH_IT,
)
from multigene.search.cross_validation import FoldResult
from multigene.search.folds import best_line, folds_of, ridge_of, share_explained, unseen_ridge
from multigene.search.linear import Ridge
from multigene.search.problem import Problem, best_constant
from multigene.search.unseen import NONE_KNOWN, HeldOut, KnownErrors, r2_near, unseen_errors, unseen_rows

Floats = npt.NDArray[np.float64]

#: Size that no model has.
ANY_SIZE = 2**31
#: Number of the ridge regression among the linear models.
RIDGE = -1


@dataclass(frozen=True)
class SizeDecision:
    """What rows that the search did not use say."""

    most_nodes: int
    """Nodes of the formula that is chosen, at most."""
    constant: bool = False
    linear: int | None = None
    """Number of the linear model that is to be preferred, if one is; RIDGE for the ridge regression."""
    of_this_size: bool = False
    """Few noisy rows: the search goes on for no longer than it was cross-validated, and its fittest model of that size is
    chosen."""
    validation_r2: dict[int, float] = field(default_factory=dict)
    errors: Floats | None = None
    """Squared errors, row by row, of the model that set the size."""
    supported: int | None = None
    """Nodes of the largest formulas that unseen rows speak for, where the chosen one is to be more readable than those."""

    @property
    def searched(self) -> int:
        """Nodes up to which the search goes on."""
        return self.most_nodes if self.supported is None else self.supported

    @property
    def simple(self) -> bool:
        """Is it a constant or a linear model?"""
        return self.constant or self.linear is not None

    @property
    def final(self) -> bool:
        """Is nothing left to be searched for?"""
        return self.simple or self.of_this_size

    def r2(self, problem: Problem) -> float:
        """R² on unseen rows of the model that set the size, NaN where there were none."""
        rows = unseen_rows(problem)
        if self.errors is None or len(self.errors) != len(rows):  # cross-validation was cut short
            return nan
        return HeldOut(problem, rows).r2(self.errors)

    def promised(self, problem: Problem) -> float:
        """Few noisy rows: R² on unseen rows of the searches that decided on a size. What fits its own rows worse is not what
        such a search finds; -inf where nothing was promised."""
        r2 = self.r2(problem) if self.of_this_size else nan
        return r2 if np.isfinite(r2) else -np.inf

    def packed(self) -> list[Any]:
        """As plain values, without loss."""
        errors = None if self.errors is None else [e.hex() for e in self.errors.tolist()]
        scores = list(self.validation_r2.items())
        return [
            self.most_nodes,
            self.constant,
            self.linear,
            self.of_this_size,
            scores,
            errors,
            self.supported,
        ]

    @staticmethod
    def unpacked(values: list[Any]) -> SizeDecision:
        """The decision of its plain values."""
        most_nodes, constant, linear, of_this_size, scores, errors, supported = values
        rows = None if errors is None else np.array([float.fromhex(e) for e in errors])
        known = {int(c): float(r) for c, r in scores}
        return SizeDecision(
            int(most_nodes), bool(constant), linear, bool(of_this_size), known, rows, supported
        )


# --- decisions ------------------------------------------------------------------------------------


def decide_on_held_out_rows(
    problem: Problem,
    candidates: Sequence[Candidate],
    linear: Sequence[Individual],
    largest: int | None = None,
) -> SizeDecision:
    """Compare the models of a front, smallest first, with the best of them, with linear models and with the constant. Lines of
    more than `largest` nodes are no rivals: the user does not want them."""
    held_out = HeldOut(problem, problem.held_out_rows)
    if not candidates or not held_out.enough:
        return SizeDecision(ANY_SIZE)
    errors = [held_out.of(c) for c in candidates]
    scores = {c.complexity: held_out.r2(e) for c, e in zip(candidates, errors, strict=True)}
    best = int(np.argmin([e.sum() for e in errors]))
    if not clearly_better(errors[best], held_out.constant, BETTER_THAN_CONSTANT):
        small = _better_on_most_rows_than_all(problem, held_out, errors, linear)
        if small is not None:
            return _sized([c.complexity for c in candidates], errors, small, scores)
        if linear and len(problem.y) <= MANY_ROWS and _line_allowed(problem, largest):
            # A weak effect may be clear on all rows, which a line can be asked on, and not on those held out.
            weak = _ridge_or_mean(problem)
            if weak.linear is not None:
                return replace(weak, validation_r2=scores, errors=None)
        return SizeDecision(1, constant=True, validation_r2=scores, errors=held_out.constant)
    lines = [held_out.errors(model) for model in linear]
    if lines:
        squared = problem.loss.squared
        line = best_line(problem, linear) if squared else int(np.argmin([e.sum() for e in lines]))
        most = problem.size(linear[line])
        allowed = largest is None or most <= largest
        if allowed and not clearly_better(errors[best], lines[line], BETTER_THAN_LINEAR):
            return SizeDecision(most, linear=line, validation_r2=scores, errors=lines[line])
    return _sized([c.complexity for c in candidates], errors, smallest(errors), scores)


def _better_on_most_rows_than_all(
    problem: Problem, held_out: HeldOut, errors: Sequence[Floats], linear: Sequence[Individual]
) -> int | None:
    """Of a skewed target few rows may be most of every sum of squares; then the others decide: the first of the formulas that is
    better on most rows than mean, median and lines. Other losses were chosen by somebody who knows what they add up."""
    if not problem.loss.squared:
        return None
    median = held_out.squares(np.full(len(held_out.y), np.median(problem.y[problem.search_rows])))
    rivals = [held_out.constant, *(held_out.errors(model) for model in linear)]
    for i, own in enumerate(errors):
        # The median is near to most rows by its nature: to be nearer on more rows than chance explains is enough.
        if all(better_on_most_rows(own, each) for each in rivals) and on_more_rows(own, median):
            return i
    return None


def decide_by_cross_validation(
    problem: Problem, folds: Sequence[FoldResult], largest: int | None = None
) -> SizeDecision:
    """Few rows: the cross-validated search against ridge regression, and that against the mean; and the size that was best. A
    ridge regression of more than `largest` nodes is no rival."""
    if not folds:
        return _ridge_or_mean(problem)
    rows = np.concatenate([fold.rows for fold in folds])
    held_out = HeldOut(problem, rows)
    sizes, curve = errors_by_size(held_out, folds)
    scores = {c: held_out.r2(e) for c, e in zip(sizes, curve, strict=True)}
    line = held_out.squares(unseen_ridge(problem)[rows])
    mean = held_out.squares(np.concatenate([np.full(len(fold.rows), fold.mean) for fold in folds]))
    clear = max(scores.values()) >= CLEAR_SIGNAL
    small = smallest(curve, CLEARLY_BETTER if clear else ONE_STANDARD_ERROR)
    # Of a cross-validation that was cut short the folds that are done are few rows; lines need no search and are asked on all.
    whole = len(rows) == sum(map(len, folds_of(problem)))
    has_line = _line_allowed(problem, largest) and (
        better_than_mean(problem, ridge_of(problem), line, mean)
        if whole
        else _ridge_or_mean(problem).linear is not None
    )
    rival, needed = (line, BETTER_THAN_LINEAR) if has_line else (mean, BETTER_THAN_CONSTANT)
    if clear and clearly_better(curve[small], rival, needed):
        return _sized(sizes, curve, small, scores)
    worth_it = bool(curve[small].sum() < (1.0 - WORTH_IT) * rival.sum())
    # The best of many sizes is lucky, and luck against the line is seldom luck against the mean as well.
    rivals = (mean, line) if has_line else (mean,)
    if worth_it and all(better_in_noise(curve[small], each) for each in rivals):
        return _of_this_size(sizes, curve, small, scores)
    if has_line:
        no_larger = sizes[: bisect_right(sizes, problem.size(_of_all_columns(problem)))]
        short = smallest(curve[: len(no_larger)], ONE_STANDARD_ERROR) if no_larger else small
        # Where larger formulas promise far more, what the search on all rows finds may say it by itself.
        promised = min(float(errors.sum()) for errors in curve) < (1.0 - WORTH_IT) * curve[short].sum()
        if no_larger and not promised and better_for_its_size(curve[short], line, mean):
            return _of_this_size(no_larger, curve, short, scores)
    # One row that nothing predicts may be most of every sum of squares; then the others decide.
    nearly = next((i for i, errors in enumerate(curve) if better_on_most_rows(errors, rival)), None)
    if nearly is not None:
        return SizeDecision(sizes[nearly], of_this_size=True, validation_r2=scores, errors=curve[nearly])
    if has_line:
        return SizeDecision(1, linear=RIDGE, validation_r2=scores, errors=line)
    return SizeDecision(1, constant=True, validation_r2=scores, errors=mean)


def _of_this_size(
    sizes: Sequence[int], errors: Sequence[Floats], small: int, scores: dict[int, float]
) -> SizeDecision:
    """Few noisy rows: the size of model number `small`; the best of these sizes is the largest that is of use."""
    best = int(np.argmin([each.sum() for each in errors[: len(sizes)]]))
    return SizeDecision(
        sizes[small],
        of_this_size=True,
        validation_r2=scores,
        errors=errors[small],
        supported=sizes[best],
    )


def errors_by_size(held_out: HeldOut, folds: Sequence[FoldResult]) -> tuple[list[int], list[Floats]]:
    """Sizes of the formulas of cross-validation, smallest first, and their errors on the rows that each did not see."""
    sizes = sorted({c for fold in folds for c in fold.complexities})
    return sizes, [held_out.squares(np.concatenate([fold.up_to(c) for fold in folds])) for c in sizes]


def _line_allowed(problem: Problem, largest: int | None) -> bool:
    """Whether the user wants a ridge regression's line, by its size."""
    return largest is None or problem.size(_of_all_columns(problem)) <= largest


def _of_all_columns(problem: Problem) -> Individual:
    """A line of all columns, as large as that of a ridge regression."""
    terms = " + ".join(f"1.5*x{j}" for j in range(problem.X.shape[1]))
    return Individual([f"[0: 0.0 + {terms}]"], 0.5, [1.0])


def _sized(
    sizes: Sequence[int], errors: Sequence[Floats], small: int, scores: dict[int, float]
) -> SizeDecision:
    """The size of model number `small`, with some room; or a readable one, where that costs little on unseen rows."""
    most = int(np.ceil(ROOM * sizes[small]))
    r2 = [r2_near(scores, size) for size in sizes]
    for nodes, cost in READABLE:
        short = readable(sizes, errors, r2, small, nodes, cost)
        if short is not None:
            fewer = min(int(np.ceil(ROOM * sizes[short])), nodes)
            beyond = most if most > fewer else None
            return SizeDecision(fewer, validation_r2=scores, errors=errors[short], supported=beyond)
    return SizeDecision(most, validation_r2=scores, errors=errors[small])


def _ridge_or_mean(problem: Problem) -> SizeDecision:
    """Where no formula has been held against unseen rows, or none is better than the mean there: ridge regression against it."""
    folds, everything = folds_of(problem), np.arange(len(problem.y))
    rows = np.concatenate(folds)
    held_out = HeldOut(problem, rows)
    line = held_out.squares(unseen_ridge(problem)[rows])
    means = [best_constant(problem, np.setdiff1d(everything, fold)) for fold in folds]
    mean = held_out.squares(np.repeat(means, [len(fold) for fold in folds]))
    if better_than_mean(problem, ridge_of(problem), line, mean):
        return SizeDecision(1, linear=RIDGE, errors=line)
    return SizeDecision(1, constant=True, errors=mean)


def better_than_mean(problem: Problem, ridge: Ridge, line: Floats, mean: Floats) -> bool:
    """Is a ridge regression to be preferred to the mean? `line` and `mean` are errors of both on unseen rows, which decide.

    Of few rows those errors are as much chance. But where the line says nothing, it has shrunk to nearly the mean; where it says
    something, it is hardly worse than the mean, and the mean may be much worse.
    """
    if clearly_better(line, mean, RIDGE_BETTER_THAN_MEAN):
        return True
    return problem.few_rows and share_explained(problem, ridge) >= RIDGE_SAYS


# --- which of several -----------------------------------------------------------------------------


def smallest(errors: Sequence[Floats], clearly: float = CLEARLY_BETTER) -> int:
    """Number of the smallest model that the best is not clearly better than; models come smallest first."""
    best = int(np.argmin([e.sum() for e in errors]))
    return next(
        i for i in range(best + 1) if i == best or not clearly_better(errors[best], errors[i], clearly)
    )


def readable(
    sizes: Sequence[int], errors: Sequence[Floats], r2: Sequence[float], small: int, nodes: int, cost: float
) -> int | None:
    """Number of the model of at most this many nodes that is nearly as good on unseen rows as number `small`, None if there is
    none.

    Of models of that size the smallest that the best of them is not clearly better than is taken. It may cost a little R²,
    and must not leave many times as much unexplained: where a law shines through, it is not given up for an approximation.
    """
    short = [error for size, error in zip(sizes, errors, strict=True) if size <= nodes]
    if not short:
        return None
    number = small if sizes[small] <= nodes else smallest(short)
    affordable = r2[number] >= r2[small] - cost
    return number if affordable and 1.0 - r2[number] <= READABLE_LEAVES * (1.0 - r2[small]) else None


def prefer_short(
    problem: Problem,
    errors: Floats,
    chosen: Member,
    finds: list[Member],
    convincing: Member | None = None,
    known: KnownErrors = NONE_KNOWN,
) -> Member:
    """A short formula of the law search instead of the islands' when unseen rows show no clear difference: the most `convincing`
    one, or the shortest that is about as good as the best. `errors` are those of the model that set the size."""
    squares = {id(f): unseen_errors(problem, f, known) for f in finds}
    if any(len(s) != len(errors) for s in squares.values()):  # cross-validation was cut short
        return chosen
    # Islands have short formulas, too: a law may be longer than an approximation, and then is clearly better on unseen rows.
    shorter = [
        f
        for f in finds
        if (f.complexity < chosen.complexity or clearly_better(squares[id(f)], errors, CLEARLY_WORSE))
        and not better_on_most_rows(errors, squares[id(f)])
    ]
    shorter.sort(key=lambda f: f.complexity)
    best = min(shorter, key=lambda f: float(squares[id(f)].sum()), default=None)
    if best is None or clearly_better(errors, squares[id(best)], LUCKY):
        return chosen
    if (
        convincing is not None
        and any(find is convincing for find in shorter)
        and not clearly_better(squares[id(best)], squares[id(convincing)], CLEARLY_WORSE)
        and not clearly_better(errors, squares[id(convincing)], LUCKY)
    ):
        return convincing
    for find in shorter:
        if find is best or not clearly_better(squares[id(best)], squares[id(find)], CLEARLY_BETTER):
            return find
    return chosen


def best_of(
    problem: Problem, members: list[Member], convincing: Member | None = None, known: KnownErrors = NONE_KNOWN
) -> Member:
    """Of models in the user's units, smallest first: the first that no other is clearly better than; the most `convincing` one
    comes before them."""
    squares = {id(m): unseen_errors(problem, m, known) for m in members}
    best = min(squares.values(), key=lambda s: float(s.sum()))
    first = [convincing] if convincing is not None else []
    for member in (*first, *members):
        if squares[id(member)] is best or not clearly_better(best, squares[id(member)], CLEARLY_WORSE):
            return member
    return members[-1]


def better_on_nearly_every_row(
    problem: Problem, find: Member, other: Member, known: KnownErrors = NONE_KNOWN
) -> bool:
    """Does a find miss unseen rows by far less than another model does, on nearly all of them?"""
    first, second = (unseen_errors(problem, each, known) for each in (find, other))
    if len(first) != len(second) or len(first) == 0:
        return False
    wins = float(np.mean(first < second))
    return wins >= NEARLY_EVERY_ROW and float(np.median(first)) < FAR_LESS * float(np.median(second))
