"""What the law search works on: transformed targets, power factors divided out, combined variables instead of features.

One `Target` for every combination that can be undone. Peeling finds features that enter as a pure power factor; units
(`variables/units.py`), or symmetries that the data show (`variables/symmetries.py`), give a factor and groups of features.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.laws.constants import (
    COMBINED_SHARE,
    DENSE_SHARE,
    DENSE_TRANSFORMS,
    DOUBTFUL_SHARE,
    FEW_FEATURES,
    MOST_BY_COLUMNS,
    MOST_FEATURES,
    NOISY_PICTURE,
    PEELING_CLOSE,
    PEELING_F,
    PEELING_LEAST,
    WIDE_SHARE,
)
from multigene.laws.transforms import TRANSFORMS, Transform, one_sign, with_columns
from multigene.laws.variables.symmetries import Variables
from multigene.settings.settings import Seeking

Floats = npt.NDArray[np.float64]


@dataclass
class Target:
    """One transformed target with what it has been given so far."""

    transform: Transform
    features: list[int]
    peeled: dict[int, float]
    share: float
    sign: float | None
    """Of the target; None if it changes."""
    dense: bool = False
    """Leaves of its island are linear combinations of all features (`settings.dense_settings`)."""
    combined: bool = False
    """Over combined variables instead of the features."""
    wide: bool = False
    """Over all features, where only some of them seem to matter."""
    restarts: int = 0
    work: int = 0
    best: float = np.inf
    front: dict[int, float] = field(default_factory=dict)
    """What the models that were looked at leave unexplained of the transformed target, by size."""
    seeds: list[Individual] = field(default_factory=list)
    """Sets of the catalogue that came closest: restarts may begin with them."""


def make_targets(
    X: Floats,
    y: Floats,
    options: Seeking,
    allows: Callable[..., bool],
    features: list[int],
    combined: Variables | None,
) -> list[Target]:
    """All targets of a problem over its features, and over combined variables where there are some."""
    if not features or np.ptp(y) == 0.0:
        return []
    targets = []
    if combined is not None and combined.columns:
        over = _transformed(X, y, list(combined.columns), combined.prefactor, options, allows, True)
        sure = combined.left is None or combined.left < NOISY_PICTURE
        share = COMBINED_SHARE if sure else DOUBTFUL_SHARE
        targets += [replace(t, combined=True, share=share * t.share, front={}, seeds=[]) for t in over]
    plain = _transformed(X, y, features, {}, options, allows, not targets)
    targets += plain
    if options.dense:
        targets += [
            replace(t, dense=True, share=DENSE_SHARE * t.share, front={}, seeds=[])
            for t in plain
            if t.transform.name in DENSE_TRANSFORMS
        ]
    if options.peeling and allows("div"):
        peeled = peel(X, y, features)
        left = [j for j in features if j not in peeled]
        again = combined is not None and set(combined.columns) == set(left) and combined.prefactor == peeled
        if peeled and left and not again:
            targets += _transformed(X, y, left, peeled, options, allows)
    return targets


def wide_targets(
    X: Floats, y: Floats, options: Seeking, allows: Callable[..., bool], features: list[int]
) -> list[Target]:
    """Targets over all features beside those over the features that seem to matter."""
    if np.ptp(y) == 0.0:
        return []
    over = _transformed(X, y, features, {}, options, allows)
    return [replace(t, wide=True, share=WIDE_SHARE * t.share, front={}, seeds=[]) for t in over]


def informative(X: Floats, y: Floats, most: int = MOST_FEATURES) -> list[int]:
    """Features that vary and repeat no other; where there are more than `most`, the few that resemble the target most."""
    features: list[int] = []
    for j in range(X.shape[1]):
        if np.ptp(X[:, j]) > 0.0 and not any(np.array_equal(X[:, j], X[:, k]) for k in features):
            features.append(j)
    if len(features) <= most:
        return features
    with np.errstate(all="ignore"):
        targets = [t for t in (y, np.log(np.abs(y))) if np.isfinite(t).all()]
        alike = {
            j: max(abs(_correlation(f, t)) for f in (x, x * x, np.log(np.abs(x))) for t in targets)
            for j, x in ((j, X[:, j]) for j in features)
        }
    return sorted(sorted(features, key=lambda j: -alike[j])[:FEW_FEATURES])


def _correlation(a: Floats, b: Floats) -> float:
    """Zero where there is none to be had."""
    a, b = a - a.mean(), b - b.mean()
    correlation = float(a @ b) / float(np.sqrt((a @ a) * (b @ b)))
    return correlation if np.isfinite(correlation) else 0.0


def _transformed(
    X: Floats,
    y: Floats,
    features: list[int],
    peeled: dict[int, float],
    options: Seeking,
    allows: Callable[..., bool],
    by_columns: bool = False,
) -> list[Target]:
    """A target for every transform that can be undone, those by columns where these are few."""
    y = y / powers_of(X, peeled)
    sign = (1.0 if y[0] > 0.0 else -1.0) if one_sign(y) else None
    targets = []
    transforms = list(TRANSFORMS if options.transforms else TRANSFORMS[:1])
    if by_columns and options.transforms and options.survey:
        transforms += with_columns(y, {j: X[:, j] for j in features})[:MOST_BY_COLUMNS]
    for transform in transforms:
        if not allows(*transform.needs):
            continue
        with np.errstate(all="ignore"):
            transformed = transform.forward(y)
            if transform.usable(y) and np.all(np.isfinite(transformed)) and np.ptp(transformed) > 0.0:
                targets.append(Target(transform, features, peeled, transform.share, sign))
    return targets


def peel(X: Floats, y: Floats, features: list[int]) -> dict[int, float]:
    """Features that enter as a pure power factor, with their exponents.

    A model of second order (plus cubes) of ln|y| in ln|x|: a feature whose linear term alone matters
    (F-test) is such a factor; its exponent is taken when it is close to a multiple of one half.
    """
    usable = [j for j in features if one_sign(X[:, j])]
    if not one_sign(y) or len(usable) < 1 or np.ptp(y) == 0.0:
        return {}
    L = np.log(np.abs(X[:, usable]))
    L = (L - L.mean(axis=0)) / np.where(L.std(axis=0) > 0, L.std(axis=0), 1.0)
    others = [j for j in features if j not in usable]
    rest = (X[:, others] - X[:, others].mean(axis=0)) / np.where(
        X[:, others].std(axis=0) > 0, X[:, others].std(axis=0), 1.0
    )
    Z, d = np.column_stack([L, rest]), len(usable)
    columns, owners = [np.ones(len(y))], [frozenset[int]()]
    for i in range(Z.shape[1]):
        columns += [Z[:, i], Z[:, i] ** 3]
        owners += [frozenset([i]), frozenset([i, -1])]
        for k in range(i, Z.shape[1]):
            columns.append(Z[:, i] * Z[:, k])
            owners.append(frozenset([i, k, -1]))
    A, target = np.column_stack(columns), np.log(np.abs(y))
    n, p = A.shape
    if n < 2 * p:
        return {}
    full = _sse(A, target)
    found: dict[int, float] = {}
    scales = np.log(np.abs(X[:, usable])).std(axis=0)
    for i in range(d):
        dropped = [k for k, owner in enumerate(owners) if i in owner and -1 in owner]
        kept = [k for k in range(p) if k not in dropped]
        less = _sse(A[:, kept], target)
        if (less - full) / len(dropped) > PEELING_F * max(full, 1e-28 * n) / (n - p):
            continue
        solution = np.linalg.lstsq(A[:, kept], target, rcond=None)[0]
        exponent = float(solution[kept.index(owners.index(frozenset([i])))]) / float(scales[i])
        if abs(exponent - round(2 * exponent) / 2) < PEELING_CLOSE and abs(exponent) > PEELING_LEAST:
            found[usable[i]] = round(2 * exponent) / 2
    return found


def _sse(A: Floats, target: Floats) -> float:
    solution = np.linalg.lstsq(A, target, rcond=None)[0]
    return float(np.sum((target - A @ solution) ** 2))


def powers_of(X: Floats, exponents: dict[int, float]) -> Floats:
    """Product of powers of features."""
    product = np.ones(len(X))
    for j, e in exponents.items():
        product = product * np.abs(X[:, j]) ** e
    return product
