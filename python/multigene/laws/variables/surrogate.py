"""A smooth stand-in for the target, to see how it changes along every variable: a polynomial by least squares.

`symmetries.py` takes slopes from it, and what it leaves of rows that were left out. Polynomials are of the variables or of
their logarithms, whichever does better, and of the degree that does best; one decomposition serves all degrees.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
import numpy.typing as npt

from multigene.laws.constants import HIGHEST_DEGREE, INSIDE, ROWS_PER_TERM, SETTLED, SURROGATE_TERMS
from multigene.laws.survey.probes import total_exponents

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Surrogate:
    """A polynomial of some variables that stands for a power of the target."""

    left: float
    """Share of the variance that it leaves of rows that were left out, each in its turn."""
    power: int
    """Of the target; 0 is the logarithm."""
    settled: bool
    """Does a higher degree bring no more? Then noise is what is left."""
    values: Floats
    variables: Floats
    logarithms: npt.NDArray[np.bool_]
    """Which variables enter by their logarithm."""
    exponents: npt.NDArray[np.int64]
    weights: Floats
    inside: npt.NDArray[np.bool_]
    """Rows that have enough others around them for their slopes to be trusted."""

    def slopes(self) -> Floats:
        """Along every variable."""
        V, scale = stretched(_entering(self.variables, self.logarithms))
        T, slope = chebyshev(V, int(self.exponents.max(initial=1)))
        inner = np.where(self.logarithms, 1.0 / np.where(self.logarithms, self.variables, 1.0), 1.0)
        along = [scale[k] * (terms(T, self.exponents, slope, k) @ self.weights) for k in range(V.shape[1])]
        return np.asarray(inner * np.column_stack(along))


def highest_degree(rows: int, variables: int) -> int:
    """The highest degree that this many rows allow."""
    degree = 1
    most = min(SURROGATE_TERMS, rows / ROWS_PER_TERM)
    while comb(variables + degree + 1, variables) <= most and degree < HIGHEST_DEGREE:
        degree += 1
    return degree


def surrogate_of(U: Floats, y: Floats, factor: Floats, power: int) -> Surrogate | None:
    """The best surrogate that gives y as `factor` times a function of the columns of `U`; None if numbers get too large."""
    with np.errstate(all="ignore"):
        target, whole = (np.log(np.abs(t)) if power == 0 else t**power for t in (y / factor, y))
        weight = factor**power
        variance = float(np.sum((whole - whole.mean()) ** 2))
    sound = np.isfinite(target).all() and np.isfinite(weight).all() and np.isfinite(U).all()
    if not sound or not 0.0 < variance < np.inf or np.any(np.ptp(U, axis=0) == 0.0):
        return None
    positive = np.all(U > 0.0, axis=0)
    entering = [np.zeros_like(positive), *([positive] if positive.any() else [])]
    with np.errstate(all="ignore"):
        found = [_fitted(U, logarithms, target, weight, variance, power) for logarithms in entering]
    return min((s for s in found if s is not None), key=lambda s: s.left, default=None)


def _fitted(
    U: Floats,
    logarithms: npt.NDArray[np.bool_],
    target: Floats,
    weight: Floats,
    variance: float,
    power: int,
) -> Surrogate | None:
    n, d = U.shape
    highest = highest_degree(n, d)
    exponents = np.array(total_exponents(d, highest))
    V, _ = stretched(_entering(U, logarithms))
    if not np.isfinite(V).all():
        return None  # logarithms of a narrow range that are all the same
    # Terms come by degree, so that the first columns are all of a lower one.
    Q, R = np.linalg.qr(terms(chebyshev(V, highest)[0], exponents))
    projected = Q.T @ target
    lefts, leverages = [], []
    for degree in range(1, highest + 1):
        some = comb(d + degree, d)
        leverages.append(np.einsum("ij,ij->i", Q[:, :some], Q[:, :some]))
        errors = weight * (target - Q[:, :some] @ projected[:some]) / np.maximum(1.0 - leverages[-1], 1e-3)
        lefts.append(float(np.sum(errors**2)))
    if not np.isfinite(lefts).all():
        return None
    best = int(np.argmin(lefts)) + 1
    some = comb(d + best, d)
    return Surrogate(
        left=lefts[best - 1] / variance,
        power=power,
        settled=best < highest or (highest > 1 and lefts[-1] > SETTLED * lefts[-2]),
        values=Q[:, :some] @ projected[:some],
        variables=U,
        logarithms=logarithms,
        exponents=exponents[:some],
        weights=np.linalg.lstsq(R[:some, :some], projected[:some], rcond=1e-13)[0],
        inside=leverages[best - 1] <= np.quantile(leverages[best - 1], INSIDE),
    )


def _entering(U: Floats, logarithms: npt.NDArray[np.bool_]) -> Floats:
    return np.where(logarithms, np.log(np.where(logarithms, U, 1.0)), U)


def stretched(V: Floats) -> tuple[Floats, Floats]:
    """Every column between -1 and 1, and the factors that took."""
    low, high = V.min(axis=0), V.max(axis=0)
    scale = 2.0 / (high - low)
    return (V - low) * scale - 1.0, scale


def chebyshev(V: Floats, degree: int) -> tuple[Floats, Floats]:
    """Chebyshev polynomials of every degree, and their slopes."""
    T, slope = np.ones((degree + 1, *V.shape)), np.zeros((degree + 1, *V.shape))
    T[1], slope[1] = V, 1.0
    for k in range(2, degree + 1):
        T[k] = 2.0 * V * T[k - 1] - T[k - 2]
        slope[k] = 2.0 * T[k - 1] + 2.0 * V * slope[k - 1] - slope[k - 2]
    return T, slope


def terms(
    T: Floats, exponents: npt.NDArray[np.int64], slope: Floats | None = None, along: int = -1
) -> Floats:
    """Products of polynomials, a column each; or their slopes along a variable."""
    product = np.ones((len(exponents), T.shape[1]))
    for j in range(T.shape[2]):
        source = slope if slope is not None and j == along else T
        product = product * source[exponents[:, j], :, j]
    return product.T
