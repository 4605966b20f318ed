"""Finds in noisy data simplified within the noise: terms and digits below the noise are dropped.

The last phase of the law search (`seekers.py`), for the most convincing finds. A law needs none of this: what it does not need is
dropped exactly (`law.reduced`).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from multigene.expression.numbers import (
    fitted_count,
    is_simple,
    numbers,
    retuned,
    simple_numbers,
    with_number,
)
from multigene.expression.readable import size
from multigene.expression.rewriting import natural, powers_joined, simplify
from multigene.expression.tree import Expression, evaluate
from multigene.laws.claims import leaves_noise
from multigene.laws.cleaning import smaller_expressions
from multigene.laws.constants import (
    CLOSE_TO_A_NUMBER,
    LARGEST_LAW,
    MOST_DROPS,
    MOST_PRUNED,
    MOST_PRUNED_IN_NOISE,
    NODE_PRICE,
)
from multigene.laws.find import Find, measure

Floats = npt.NDArray[np.float64]
#: Tunes the constants of an expression on all rows.
Fit = Callable[[Expression], Find | None]


def price(find: Find, n: int) -> float:
    """Bayesian information criterion with a price per node; simple numbers are not fitted."""
    fitted = fitted_count(find.expression)
    return criterion(find.unexplained, n, fitted, size(find.expression))


def criterion(left: float, n: int, fitted: int, nodes: int) -> float:
    """The same of what `n` rows leave unexplained, this many fitted numbers and nodes."""
    return n * math.log(max(left, 1e-30)) + math.log(n) * (fitted + NODE_PRICE * nodes)


def simplified(
    find: Find,
    X: Floats,
    y: Floats,
    fit: Fit,
    admits: Callable[[Expression], bool],
    weights: Floats | None = None,
    over: Callable[[], bool] = lambda: False,
) -> Find:
    """The find with less in it and simpler numbers, as far as that pays by `price`; `fit` tunes, `admits` says what may be;
    `weights` say how much a row counts. When time is `over` it is as far as it got."""
    if over():
        return find
    find = _rewritten(find, X, y, admits, weights)
    if over():
        return find
    noise_alone = leaves_noise(find.expression, X, y, weights)
    if size(find.expression) > (MOST_PRUNED_IN_NOISE if noise_alone else MOST_PRUNED):
        return find
    # Of what leaves more than noise little will stay: largest drops first, which is cheaper.
    order = (lambda e: _expected_price(e, X, y, weights)) if noise_alone else size
    short = _rounded(_pruned(find, fit, order, len(y), over), X, y, admits, weights, over)
    return short if over() else _rewritten(short, X, y, admits, weights)


def _rewritten(
    find: Find, X: Floats, y: Floats, admits: Callable[[Expression], bool], weights: Floats | None
) -> Find:
    joined = powers_joined(find.expression, np.flatnonzero(np.all(X > 0.0, axis=0)))
    form = measure(natural(joined) if size(joined) <= LARGEST_LAW else joined, X, y, weights)
    good = form is not None and price(form, len(y)) <= price(find, len(y)) and admits(form.expression)
    return form if form is not None and good else find


def _pruned(
    find: Find, fit: Fit, order: Callable[[Expression], float], n: int, over: Callable[[], bool]
) -> Find:
    """Terms, factors and functions dropped while that pays, in this order."""
    best, tries, progress = find, 0, True
    while progress and not over():
        progress = False
        for smaller in sorted(smaller_expressions(best.expression), key=order):
            tries += 1
            candidate = fit(smaller)
            if candidate is not None and price(candidate, n) < price(best, n):
                best, progress = candidate, True
                break
            if tries >= MOST_DROPS or over():
                return best
    return best


def _expected_price(expression: Expression, X: Floats, y: Floats, weights: Floats | None) -> float:
    """The price of an expression with a factor and an intercept fitted, and nothing else: a first look before it is tuned."""
    value = evaluate(expression, X)
    with np.errstate(all="ignore"):
        alike = np.cov(value, y, aweights=weights, bias=True)
        left = 1.0 - alike[0, 1] ** 2 / (alike[0, 0] * alike[1, 1])
    if not np.isfinite(left):
        return math.inf
    return criterion(left, len(y), fitted_count(expression), size(expression))


def _rounded(
    find: Find,
    X: Floats,
    y: Floats,
    admits: Callable[[Expression], bool],
    weights: Floats | None,
    over: Callable[[], bool],
) -> Find:
    """Nothing, or simple numbers, for constants, the others tuned again each time, while that pays."""
    best, place = find, 0
    while place < len(values := numbers(best.expression)) and not over():
        fixed = {k for k, value in enumerate(values) if is_simple(value)}
        wanted = (
            [] if place in fixed else dict.fromkeys([0.0, *simple_numbers(values[place], CLOSE_TO_A_NUMBER)])
        )
        for simple in wanted:
            changed = retuned(with_number(best.expression, place, simple), fixed | {place}, X, y, 3, weights)
            changed = simplify(changed) if simple == 0.0 else changed
            candidate = measure(changed, X, y, weights) if admits(changed) else None
            if candidate is not None and price(candidate, len(y)) < price(best, len(y)):
                best = candidate
                place = -1 if simple == 0.0 else place  # the others have moved
                break
        place += 1
    return best
