"""Probes for polynomial and rational laws: linear algebra that finds them at once, or shows that there is none of low degree.

P(x) - t·Q(x) = 0 is linear in the coefficients of P and Q: an exact law t = P/Q is a vector that the columns x^a and t·x^b cancel
with. The survey tests for these first, with every transformed target t.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cache
from math import comb

import numpy as np
import numpy.typing as npt

from multigene.expression.build import call
from multigene.expression.tree import Expression, Number, Operation, Power, Variable, evaluate
from multigene.laws.constants import (
    DEGREES,
    PROBE_CANCELS,
    PROBE_COLUMNS,
    PROBE_GAP,
    PROBE_NEEDED,
    PROBE_ROWS_PER_COLUMN,
    PROBE_TERMS,
)

Floats = npt.NDArray[np.float64]

Exponents = tuple[int, ...]
#: Of a polynomial.
Terms = list[tuple[Exponents, float]]


def rational(Z: Floats, target: Floats, division: bool) -> Expression | None:
    """The target as a polynomial or a quotient of two, of the lowest degrees that do; None if there is none of few terms."""
    n, d = Z.shape
    for above, below in _degrees(d, n, division):
        law = solved(Z, target, [total_exponents(d, above), total_exponents(d, below)])
        if law is not None:
            return law
    return None


def solved(Z: Floats, target: Floats, exponents: Sequence[Sequence[Exponents]]) -> Expression | None:
    """The target as the solution t of P + Q·t = 0 or P + Q·t + S·t² = 0, P, Q and S sums of few products of powers that are
    given for each; None if there is none."""
    A = np.hstack([target[:, None] ** k * _columns(Z, powers) for k, powers in enumerate(exponents)])
    found = _cancelling(A)
    if found is None or np.count_nonzero(found) > PROBE_TERMS:
        return None
    parts, first = [], 0
    for powers in exponents:
        weights = found[first : first + len(powers)]
        parts.append([(powers[k], weights[k]) for k in np.flatnonzero(weights).tolist()])
        first += len(powers)
    if not all(parts[:2]):  # without Q, the square of the target is what to look at
        return None
    if any(parts[2:]):
        return _root(parts, Z, target)
    return _quotient([(e, -weight) for e, weight in parts[0]], parts[1])


def _degrees(d: int, n: int, division: bool) -> Iterator[tuple[int, int]]:
    """Degrees of numerator and denominator, fewest columns first."""
    most = min(PROBE_COLUMNS, int(n / PROBE_ROWS_PER_COLUMN))
    sizes = [(comb(d + a, d) + comb(d + b, d), a, b) for a, b in DEGREES if division or b == 0]
    return ((a, b) for size, a, b in sorted(sizes) if size <= most)


@cache
def total_exponents(d: int, degree: int) -> tuple[Exponents, ...]:
    """Exponents of all monomials up to a degree, lowest first."""
    if d == 0:
        return ((),)
    found: list[Exponents] = []
    for total in range(degree + 1):
        for chosen in itertools.combinations_with_replacement(range(d), total):
            found.append(tuple(chosen.count(j) for j in range(d)))
    return tuple(found)


def _columns(Z: Floats, exponents: Sequence[Exponents]) -> Floats:
    powers = np.asarray(exponents, dtype=float)
    columns = np.ones((len(Z), len(exponents)))
    for j in range(Z.shape[1]):
        for e in np.unique(powers[:, j]):
            if e > 0:
                columns[:, powers[:, j] == e] *= (Z[:, j] ** e)[:, None]
    return columns


def _cancelling(A: Floats) -> Floats | None:
    """Coefficients of as few columns as possible that cancel; None if none do."""
    size = np.max(np.abs(A), axis=0)
    if not np.all(np.isfinite(size)) or np.any(size == 0.0):
        return None
    size = size * np.linalg.norm(A / size, axis=0)
    R: Floats = np.asarray(np.linalg.qr(A / size, mode="r"))
    values = np.linalg.svd(R, compute_uv=False)
    if values[-1] > PROBE_CANCELS * values[0] or not np.any(
        values[:-1] > PROBE_GAP * np.maximum(values[1:], 1e-16 * values[0])
    ):
        return None
    kept = _needed(R)
    for k in reversed(kept):  # the highest degrees go first
        fewer = [j for j in kept if j != k]
        if fewer and _cancel(R[:, fewer]):
            kept = fewer
    _, values, rows = np.linalg.svd(R[:, kept])
    if len(values) < 2 or values[-2] < PROBE_GAP * max(values[-1], 1e-15):
        return None
    weights = rows[-1]
    found = np.zeros(A.shape[1])
    found[kept] = weights / size[kept]
    return found


def _needed(R: Floats) -> list[int]:
    """The columns that the one vector has which they cancel with, if there is one; otherwise all."""
    weights = np.abs(np.linalg.svd(R)[2][-1])
    few = np.flatnonzero(weights > PROBE_NEEDED * weights.max()).tolist()
    return few if _cancel(R[:, few]) else list(range(R.shape[1]))


def _cancel(R: Floats) -> bool:
    values = np.linalg.svd(R, compute_uv=False)
    return bool(len(values) < R.shape[1] or values[-1] < PROBE_CANCELS * values[0])


def _quotient(p: Terms, q: Terms) -> Expression:
    # A coefficient of one in the denominator says which multiple of both is meant.
    unit = q[0][1]
    above, below = _polynomial(p, unit), _polynomial(q, unit)
    return above if below == Number(1.0) else Operation("div", (above, below))


def _root(parts: list[Terms], Z: Floats, target: Floats) -> Expression | None:
    """The root of a quadratic equation that is the target; None where neither is."""
    unit = 2.0 * parts[2][0][1]
    c, b, a = (_polynomial(terms, unit) for terms in parts)
    below = call("sub", Power(b, 2), call("mul", Number(4.0), a, c))
    for name in ("add", "sub"):
        above = call(name, call("neg", b), call("sqrt", below))
        root = above if a == Number(0.5) else call("div", above, call("mul", Number(2.0), a))
        with np.errstate(all="ignore"):
            near = np.abs(evaluate(root, Z) - target) <= 1e-6 * np.abs(target)
        if np.mean(near) > 0.99:
            return root
    return None


def _polynomial(terms: Terms, unit: float) -> Expression:
    said = [_term(exponents, weight / unit) for exponents, weight in terms]
    return said[0] if len(said) == 1 else Operation("add", tuple(said))


def _term(exponents: Exponents, weight: float) -> Expression:
    factors: list[Expression] = [
        Variable(j) if e == 1 else Power(Variable(j), e) for j, e in enumerate(exponents) if e
    ]
    if not factors:
        return Number(weight)
    if weight != 1.0:
        factors.insert(0, Number(weight))
    return factors[0] if len(factors) == 1 else Operation("mul", tuple(factors))
