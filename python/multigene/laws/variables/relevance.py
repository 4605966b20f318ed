"""Which features matter at all: those without which left-out rows are predicted worse.

A surrogate (`surrogate.py`) of fewer variables may have a higher degree, so leaving out a feature that says nothing improves what
is predicted of left-out rows. Features are left out while that is so. The law search works on the others first, on all of them
only later: a law must not be missed because a polynomial did not see a feature.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from multigene.data.spread import evenly
from multigene.laws.constants import ACCURATE, MISSED_F, NO_PICTURE, NOTHING, SURROGATE_ROWS
from multigene.laws.variables.surrogate import highest_degree, surrogate_of

Floats = npt.NDArray[np.float64]


def relevant(
    X: Floats, y: Floats, features: list[int], stop: Callable[[], bool] = lambda: False
) -> list[int]:
    """The features that matter, as far as a smooth picture of the target shows; all of them if there is none, or no time."""
    rows = evenly(len(y), SURROGATE_ROWS)
    X, y = X[rows], y[rows]
    if len(features) < 2 or highest_degree(len(rows), len(features)) < 2:
        return features
    with np.errstate(all="ignore"):
        seen = [(left, k) for k, t in enumerate(_targets(y)) if (left := _left(X, t, features)) is not None]
        if not seen:
            return features
        left, best = min(seen)
        left, kept = _without_the_rest(X, _targets(y)[best], features, left, stop)
        if left >= NO_PICTURE:
            return features
        missed = _missed(X, _targets(y)[best], kept, [j for j in features if j not in kept])
    return [j for j in features if j in kept or j in missed]


def _targets(y: Floats) -> list[Floats]:
    """The target, its logarithm, and its order: features may show in any of them."""
    order = np.argsort(np.argsort(y)) / len(y) - 0.5
    logarithm = [np.log(np.abs(y))] if np.all(y != 0.0) else []
    return [y, *logarithm, order]


def _without_the_rest(
    X: Floats, target: Floats, features: list[int], now: float, stop: Callable[[], bool]
) -> tuple[float, list[int]]:
    """Features that matter, and what they leave of left-out rows; `now` is what all of them leave."""
    kept = list(features)
    while len(kept) > 1:
        without = {j: None if stop() else _left(X, target, [k for k in kept if k != j]) for j in kept}
        if stop():  # some were not looked at
            break
        lefts = {j: left for j, left in without.items() if left is not None and left <= now}
        if not lefts:
            break
        worst = min(lefts, key=lambda j: lefts[j])
        # All that seem not to matter at once, if they are not each other's substitutes.
        fewer = [k for k in kept if k not in lefts]
        together = _left(X, target, fewer) if fewer and len(lefts) > 1 else None
        if together is not None and together <= lefts[worst]:
            now, kept = together, fewer
        else:
            now, kept = lefts[worst], [k for k in kept if k != worst]
    return now, kept


def _missed(X: Floats, target: Floats, kept: list[int], dropped: list[int]) -> list[int]:
    """Features that matter after all: what the others leave goes with them (F-test of a few low terms)."""
    surrogate = surrogate_of(X[:, kept], target, np.ones(len(target)), 1) if dropped else None
    if surrogate is None or surrogate.left < ACCURATE:
        return []
    rest = target - surrogate.values
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    found = []
    for j in dropped:
        terms = np.column_stack([Z[:, j], Z[:, j] ** 2, Z[:, [j]] * Z[:, kept]])
        fitted = terms @ np.linalg.lstsq(terms, rest, rcond=None)[0]
        explained, left = float(fitted @ fitted), float((rest - fitted) @ (rest - fitted))
        if explained / terms.shape[1] > MISSED_F * left / (len(rest) - terms.shape[1]):
            found.append(j)
    return found


def _left(X: Floats, target: Floats, features: list[int]) -> float | None:
    """What a surrogate of some features leaves of left-out rows."""
    found = surrogate_of(X[:, features], target, np.ones(len(target)), 1)
    return None if found is None else max(found.left, NOTHING)
