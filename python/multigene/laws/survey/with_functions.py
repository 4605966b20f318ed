"""Probes that know functions as well: laws that are rational in the columns and in one or two functions of them.

`x - y*x**n`, `(exp(-k*t) - exp(-a*t))/(a - k)`, `b*(exp(a*x) - 1)/a + c*x`: with a column more for x**n or exp(a*x), P - t·Q = 0
is linear again (`probes.py`). Functions have simple products and quotients of the columns as arguments, and columns are exponents.
All functions of a kind are tested at once, on few rows; what seems to cancel there is looked at by the probe itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene.expression.build import call, product_of, quotient_of, weighted
from multigene.expression.tree import Expression, Variable, evaluate, substitute
from multigene.laws.constants import (
    FUNCTION_ARGUMENTS,
    FUNCTION_COLUMNS,
    FUNCTION_DEGREES,
    FUNCTION_PAIRS,
    FUNCTION_POWERS,
    LARGEST_ARGUMENT,
    PROBE_CANCELS,
    PROBE_GAP,
    PROMISING,
)
from multigene.laws.survey.forms import one_plus
from multigene.laws.survey.probes import Exponents, quotient, total_exponents

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Further:
    """A column more: a function of the others."""

    value: Floats
    expression: Expression
    plain_power: int | None = None
    """The exponent of a power of a column."""


#: Columns that are added together.
Addition = tuple[Further, ...]


def additions(Z: Floats, allows: Callable[..., bool]) -> Iterator[list[Addition]]:
    """What is added to the columns, all of a kind at a time: one column first, then two."""
    arguments = _arguments(Z, allows("mul", "div"))
    moderate = [u for u in arguments if np.max(np.abs(u.value)) < LARGEST_ARGUMENT]
    exponentials = [_exponential(u, sign) for u in moderate for sign in (-1.0, 1.0)] if allows("exp") else []
    powers = _powers(Z, arguments) if allows("exp", "log", "mul") else []
    logarithms = [_logarithm(u) for u in arguments if np.all(u.value > 0.0)] if allows("log") else []
    inner = [_one_plus(p) for p in powers] if allows("log", "add") else []
    single = (*powers, *exponentials, *logarithms, *inner)
    yield [(f,) for f in single if _varies(f)]
    waves = [_waves(u) for u in moderate] if allows("sin", "cos") else []
    pairs = (
        *waves,
        *itertools.combinations(exponentials[: 2 * FUNCTION_PAIRS : 2], 2),
        *((p, q) for p, q in itertools.combinations(powers, 2) if p.plain_power is not None and p.plain_power == q.plain_power),
    )
    yield [pair for pair in pairs if all(_varies(f) for f in pair)]


class WithFunctions:
    """Some columns and functions of them; `Z` are the columns divided by `scales`, and laws are told in those."""

    def __init__(self, Z: Floats, scales: Floats, allows: Callable[..., bool]) -> None:
        self.Z, self.division = Z * scales, allows("div")
        self.added = list(additions(self.Z, allows))
        self.columns = {j: weighted(float(scale), Variable(j)) for j, scale in enumerate(scales)}

    def law(self, target: Floats) -> Expression | None:
        """The target as a quotient of polynomials of the columns and some functions of them; None if there is none of low
        degree."""
        d = self.Z.shape[1]
        for some in self.added:
            for numerator, denominator in _exponents(d, len(some[0]), self.division) if some else ():
                for addition in _cancelling(self.Z, target, some, numerator, denominator):
                    wider = np.column_stack([self.Z, *(f.value for f in addition)])
                    found = quotient(wider, target, numerator, denominator)
                    if found is not None and _fits(found, wider, target):
                        meaning = {d + k: f.expression for k, f in enumerate(addition)}
                        return substitute(substitute(found, meaning), self.columns)
        return None


def _fits(law: Expression, Z: Floats, target: Floats) -> bool:
    """Does it give the target? A denominator may be nothing but rounding."""
    with np.errstate(all="ignore"):
        left = evaluate(law, Z) - target
        return bool(left @ left < PROMISING * np.sum((target - target.mean()) ** 2))


def _exponents(d: int, more: int, division: bool) -> Iterator[tuple[list[Exponents], list[Exponents]]]:
    """Exponents of numerator and denominator; of two further columns the second is there once at most, as cos² is 1 - sin²."""
    for above, below in FUNCTION_DEGREES:
        numerator, denominator = (
            [e for e in total_exponents(d + more, degree) if more < 2 or e[-1] < 2]
            for degree in (above, below if division else 0)
        )
        if len(numerator) + len(denominator) <= FUNCTION_COLUMNS:
            yield numerator, denominator


def _cancelling(
    Z: Floats,
    target: Floats,
    added: list[Addition],
    numerator: list[Exponents],
    denominator: list[Exponents],
) -> Iterator[Addition]:
    """Additions with which products of columns and the same times the target seem to cancel, on few rows."""
    d, count = Z.shape[1], min(len(Z), 2 * (len(numerator) + len(denominator)))
    rows = np.linspace(0, len(Z) - 1, count).astype(int)
    wider = np.empty((d + len(added[0]), len(added), count))
    wider[:d] = Z[rows].T[:, None, :]
    for k, addition in enumerate(added):
        for m, f in enumerate(addition):
            wider[d + m, k] = f.value[rows]
    with np.errstate(all="ignore"):
        P, Q = _products(wider, numerator), target[rows] * _products(wider, denominator)
        A = np.moveaxis(np.concatenate([P, Q]), 0, 2)
        size = np.linalg.norm(A, axis=1, keepdims=True)
    sound = np.flatnonzero(np.all(np.isfinite(size) & (size > 0.0), axis=(1, 2)))
    R = np.linalg.qr(A[sound] / size[sound], mode="r")
    values = np.linalg.svd(R, compute_uv=False)
    for k in np.flatnonzero(values[:, -1] < PROBE_CANCELS * values[:, 0]).tolist():
        # What cancels without the target says nothing of it: exp(u) of small u is a polynomial.
        without = np.linalg.svd(R[k, : len(P), : len(P)], compute_uv=False)
        if without[-1] > PROBE_GAP * PROBE_CANCELS * without[0]:
            yield added[int(sound[k])]


def _products(wider: Floats, exponents: list[Exponents]) -> Floats:
    """Products of powers of columns, for all additions at once."""
    products = np.ones((len(exponents), *wider.shape[1:]))
    for product, powers in zip(products, exponents, strict=True):
        for j, e in enumerate(powers):
            for _ in range(e):
                product *= wider[j]
    return products


# --- functions ------------------------------------------------------------------------------------


def _arguments(Z: Floats, products: bool) -> list[Further]:
    """Columns, and simple products and quotients of them."""
    d = Z.shape[1]
    signs: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((j,), ()) for j in range(d)]
    if products:
        for i, j in itertools.combinations(range(d), 2):
            signs += [((i, j), ()), ((i,), (j,)), ((j,), (i,))]
        signs += [((), (j,)) for j in range(d)]
        signs += [((j, j), ()) for j in range(d)]
        for used in itertools.combinations(range(d), 3):
            signs += [((i, j), (k,)) for i, j, k in (used, (used[0], used[2], used[1]), (used[1], used[2], used[0]))]
            signs.append((used, ()))
    found = []
    for above, below in signs[:FUNCTION_ARGUMENTS]:
        with np.errstate(all="ignore"):
            value = np.prod(Z[:, above], axis=1) / np.prod(Z[:, below], axis=1)
        if np.isfinite(value).all():
            said = quotient_of([Variable(j) for j in above], [Variable(j) for j in below])
            found.append(Further(value, said))
    return found


def _varies(f: Further) -> bool:
    return bool(np.isfinite(f.value).all() and np.ptp(f.value) > 1e-9 * np.max(np.abs(f.value)))


def _exponential(u: Further, sign: float) -> Further:
    return Further(np.exp(sign * u.value), call("exp", weighted(sign, u.expression)))


def _logarithm(u: Further) -> Further:
    return Further(np.log(u.value), call("log", u.expression))


def _one_plus(f: Further) -> Further:
    """ln(1 + f)."""
    return Further(np.log1p(f.value), call("log", one_plus(f.expression)))


def _waves(u: Further) -> Addition:
    return Further(np.sin(u.value), call("sin", u.expression)), Further(np.cos(u.value), call("cos", u.expression))


def _powers(Z: Floats, arguments: list[Further]) -> list[Further]:
    """v**w, w a column: exp(w*log(v))."""
    found = []
    for v, w in itertools.product(arguments, range(Z.shape[1])):
        if np.all(v.value > 0.0):
            with np.errstate(over="ignore"):
                value = np.exp(Z[:, w] * np.log(v.value))
            said = call("exp", product_of([Variable(w), call("log", v.expression)]))
            found.append(Further(value, said, w if isinstance(v.expression, Variable) else None))
    return found[:FUNCTION_POWERS]
