"""Which features go together: splits of a transformed target into a sum or a product of two functions of different features.

For every way to share the features out among two parts, each part is a polynomial of its own features and the two are fitted
together: a sum by one least-squares solution, a product by solving for one part and the other in turn. A part has fewer features
than the whole and so a higher degree; a true split predicts left-out rows better than any polynomial of all features. Nothing
here is random.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from multigene.data.spread import evenly
from multigene.laws.constants import (
    MOST_SPLIT,
    PART_DEGREES,
    PART_LEAST_WEIGHT,
    PART_SMOOTHNESS,
    POWER_FACTORS,
    SPLIT_BETTER,
    SPLIT_ITERATIONS,
    SPLIT_LEAVES,
    SPLITS_LOOKED_AT,
    SURROGATE_ROWS,
)
from multigene.laws.survey.probes import total_exponents
from multigene.laws.transforms import SPLIT_TRANSFORMS, Transform, logarithmic
from multigene.laws.variables.surrogate import chebyshev, stretched, terms

Floats = npt.NDArray[np.float64]
Block = tuple[int, ...]


@dataclass(frozen=True)
class Split:
    """T(y) as a sum or product of a function of the features `first` and one of the others."""

    transform: Transform
    product: bool
    first: Block
    rest: Block
    left: float
    """Share of the variance that it leaves of left-out rows."""
    logarithms: bool
    """Was it seen in polynomials of the logarithms of positive features?"""
    exponent: float | None = None
    """Of the first feature, where the first part is a power of it; None where it is to be found."""


@dataclass
class Bases:
    """Polynomials of sets of features on some rows, made once each."""

    X: Floats
    logarithms: bool = False
    """Do positive features enter by their logarithm?"""
    made: dict[Block, tuple[Floats, Floats]] = field(default_factory=dict)

    def of(self, block: Block) -> tuple[Floats, Floats]:
        """A column for every term, the constant first, and what large weights of each cost: rough terms more than smooth ones."""
        if block not in self.made:
            degree = PART_DEGREES[min(len(block), len(PART_DEGREES)) - 1]
            exponents = np.array(total_exponents(len(block), degree))
            U = self.X[:, list(block)]
            enters = np.all(U > 0.0, axis=0) & self.logarithms
            V, _ = stretched(np.where(enters, np.log(np.where(enters, U, 1.0)), U))
            columns = terms(chebyshev(V, degree)[0], exponents)
            self.made[block] = columns, PART_SMOOTHNESS * exponents.sum(axis=1) ** 4.0 + 1e-12
        return self.made[block]

    def both(self, first: Block, rest: Block) -> tuple[Floats, Floats]:
        """Columns of a sum of both parts."""
        (A, costs), (B, others) = self.of(first), self.of(rest)
        return np.hstack([A, B[:, 1:]]), np.concatenate([costs, others[1:]])


def splits(
    X: Floats, y: Floats, features: list[int], allows: Callable[..., bool] = lambda *names: True
) -> list[Split]:
    """Splits that predict left-out rows well and clearly better than polynomials of all features do, the best first.

    `allows` says which functions may be used.
    """
    rows = evenly(len(y), SURROGATE_ROWS)
    X, y = X[rows], y[rows]
    if not 2 <= len(features) <= MOST_SPLIT or len(rows) < SURROGATE_ROWS // 4:
        return []
    targets = [
        (transform, t / t.std()) for transform in usable(y, allows) if (t := transform.forward(y)).std() > 0.0
    ]
    seen = [_Seen(Bases(X, logarithms), targets, features, allows("mul")) for logarithms in (False, True)]
    whole = {transform.name: min(each.whole[k] for each in seen) for k, (transform, _) in enumerate(targets)}
    convincing = [
        split
        for each in seen
        for split in each.splits()
        if split.left < min(SPLIT_LEAVES, SPLIT_BETTER * whole[split.transform.name])
    ]
    best: dict[tuple[str, bool, Block, float | None], Split] = {}
    for split in sorted(convincing, key=lambda s: s.left):
        best.setdefault((split.transform.name, split.product, split.first, split.exponent), split)
    return list(best.values())[:SPLITS_LOOKED_AT]


class _Seen:
    """The splits that polynomials of features, or of their logarithms, show."""

    def __init__(
        self, bases: Bases, targets: list[tuple[Transform, Floats]], features: list[int], products: bool
    ) -> None:
        self.bases, self.features, self.transforms = bases, features, [transform for transform, _ in targets]
        self.T = np.column_stack([t for _, t in targets])
        self.fit = np.arange(len(self.T)) % 4 != 0  # every fourth row is left out
        self.variance = np.sum((self.T[~self.fit] - self.T[self.fit].mean(axis=0)) ** 2, axis=0)
        self.products = [
            k for k, transform in enumerate(self.transforms) if transform.name in ("y", "1/y") and products
        ]
        #: What polynomials of all features leave of left-out rows, by transform.
        self.whole = _left_of_sums(*bases.of(tuple(features)), self.T, self.fit) / self.variance

    def splits(self) -> Iterator[Split]:
        """All of them, with what they leave of left-out rows."""
        bases, logarithms = self.bases, self.bases.logarithms
        for first, rest in two_parts(self.features):
            sums = _left_of_sums(*bases.both(first, rest), self.T, self.fit) / self.variance
            for transform, left in zip(self.transforms, sums, strict=True):
                yield Split(transform, logarithmic(transform), first, rest, float(left), logarithms)
            for k in self.products:
                left = _left_of_product(bases.of(first), bases.of(rest), self.T[:, k], self.fit)
                yield Split(self.transforms[k], True, first, rest, left / self.variance[k], logarithms)
        for k in self.products:
            for j, rest, exponent, left in _powers(bases, self.features, self.T[:, k], self.fit):
                share = left / self.variance[k]
                yield Split(self.transforms[k], True, (j,), rest, share, logarithms, exponent)


def usable(y: Floats, allows: Callable[..., bool]) -> list[Transform]:
    """Transforms whose target may be a sum or a product."""
    with np.errstate(all="ignore"):
        return [
            transform
            for transform in SPLIT_TRANSFORMS
            if allows(*transform.needs) and transform.usable(y) and np.isfinite(transform.forward(y)).all()
        ]


def two_parts(features: list[int]) -> Iterator[tuple[Block, Block]]:
    """Every way to share features out among two parts, the first not the larger one."""
    for size in range(1, len(features) // 2 + 1):
        for first in itertools.combinations(features, size):
            if 2 * size < len(features) or features[0] in first:
                yield first, tuple(j for j in features if j not in first)


def first_part(split: Split, bases: Bases, t: Floats) -> tuple[Floats, Floats | None]:
    """The first part, up to a constant or a factor, with all that a polynomial of the rest does not say; and weights of rows."""
    every = np.ones(len(t), dtype=bool)
    if split.product and not logarithmic(split.transform):
        rest = _factors(bases.of(split.first), bases.of(split.rest), t, every)[1]
        return t / rest, squared(rest)
    columns, costs = bases.both(split.first, split.rest)
    own = bases.of(split.first)[0].shape[1]
    part = t - columns[:, own:] @ _solution(columns, costs, t, every)[own:]
    return (np.exp(part - part.mean()), None) if split.product else (part, None)


def squared(factor: Floats) -> Floats:
    """Weights of rows that were divided by a factor."""
    return np.asarray(np.maximum(factor**2, PART_LEAST_WEIGHT * np.mean(factor**2)))


def other_factor(first: Floats, rest: tuple[Floats, Floats], t: Floats) -> Floats:
    """The polynomial by which a known factor is to be multiplied; the size of that does not matter."""
    columns, costs = rest
    scale = np.sqrt(np.mean(first**2)) / t.std()
    weights = _solution(columns * (first / scale)[:, None], costs * t.var(), t, np.ones(len(t), dtype=bool))
    return np.asarray(columns @ weights / scale)


def other_term(first: Floats, rest: tuple[Floats, Floats], t: Floats) -> Floats:
    """The polynomial that is to be added to a known term."""
    columns, costs = rest
    return columns @ _solution(columns, costs, t - first, np.ones(len(t), dtype=bool))


def _powers(
    bases: Bases, features: list[int], t: Floats, fit: npt.NDArray[np.bool_]
) -> Iterator[tuple[int, Block, float, float]]:
    """Powers of single features as factors, and what they leave of left-out rows together with a polynomial of the others."""
    for j in features:
        rest, positive = tuple(k for k in features if k != j), bool(np.all(bases.X[:, j] > 0.0))
        columns, costs = bases.of(rest)
        for exponent in POWER_FACTORS:
            if not positive and exponent != round(exponent):
                continue
            f = bases.X[:, j] ** exponent
            f = f / np.sqrt(np.mean(f**2))
            if np.isfinite(f).all():
                g = columns @ _solution(columns * f[:, None], costs, t, fit)
                yield j, rest, exponent, float(np.sum((t[~fit] - f[~fit] * g[~fit]) ** 2))


def _solution(columns: Floats, costs: Floats, t: Floats, fit: npt.NDArray[np.bool_]) -> Floats:
    A = columns[fit]
    gram = A.T @ A
    gram[np.diag_indices_from(gram)] += costs * len(A)
    return np.asarray(np.linalg.solve(gram, A.T @ t[fit]))


def _left_of_sums(columns: Floats, costs: Floats, T: Floats, fit: npt.NDArray[np.bool_]) -> Floats:
    """What sums leave of left-out rows, of every column of `T`."""
    errors = T[~fit] - columns[~fit] @ _solution(columns, costs, T, fit)
    return np.asarray(np.sum(errors**2, axis=0))


def _left_of_product(
    first: tuple[Floats, Floats], rest: tuple[Floats, Floats], t: Floats, fit: npt.NDArray[np.bool_]
) -> float:
    """What a product leaves of left-out rows."""
    f, g = _factors(first, rest, t, fit)
    return float(np.sum((t[~fit] - f[~fit] * g[~fit]) ** 2))


def _factors(
    first: tuple[Floats, Floats], rest: tuple[Floats, Floats], t: Floats, fit: npt.NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Two polynomials whose product comes near `t`, each solved for in turn; from a constant, and from a line where that does
    better, as where the factor's mean is zero."""
    (A, costs), (B, others) = first, rest
    best: tuple[float, Floats, Floats] | None = None
    for f in (np.ones(len(t)), A[:, 1]):
        for _ in range(SPLIT_ITERATIONS):
            g = B @ _solution(B * f[:, None], others, t, fit)
            g = g / (np.sqrt(np.mean(g[fit] ** 2)) or 1.0)
            f = A @ _solution(A * g[:, None], costs, t, fit)
            size = np.sqrt(np.mean(f[fit] ** 2)) or 1.0
            f = f / size
        left = float(np.sum((t[fit] - size * f[fit] * g[fit]) ** 2))
        if best is None or left < best[0]:
            best = left, size * f, g
    assert best is not None
    return best[1], best[2]
