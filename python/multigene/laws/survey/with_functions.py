"""Probes that know functions as well: laws that are rational in the columns and in functions of them.

`c + k*x**n`, `(exp(-k*t) - exp(-a*t))/(a - k)`, `b*(exp(a*x) - 1)/a + c*x`: with a column more for x**n or exp(a*x), P + t·Q = 0
is linear again (`probes.py`), and so is P + t·Q + t²·S = 0. Functions are of single columns and of simple products, quotients and
differences; columns are exponents. All sets of columns of a kind are tested at once, on few rows; what seems to cancel there is
looked at by the probe itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene.data.spread import evenly
from multigene.expression.build import call, product_of, quotient_of, weighted
from multigene.expression.tree import Expression, Power, Variable, evaluate, substitute
from multigene.laws.constants import (
    AT_A_TIME,
    FEW_COLUMNS,
    FEWEST_DEGREES,
    FUNCTION_ARGUMENTS,
    FUNCTION_COLUMNS,
    FUNCTION_DEGREES,
    FUNCTION_PAIRS,
    FUNCTION_POWERS,
    LARGEST_ARGUMENT,
    PROBE_CANCELS,
    PROBE_GAP,
    PROBE_ROWS_PER_COLUMN,
    PROMISING,
    WIDE_COLUMNS,
    WIDE_DEGREES,
)
from multigene.laws.survey.forms import one_plus
from multigene.laws.survey.probes import Exponents, solved, total_exponents

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Further:
    """A column more: a function of the others."""

    value: Floats
    expression: Expression
    plain_power: int | None = None
    """The exponent of a power of a column."""


@dataclass(frozen=True)
class Batch:
    """Sets of equally many columns; with `once`, the last one of each is there once at most, as cos² is 1 - sin²."""

    sets: list[tuple[Further, ...]]
    once: bool = False
    wide: bool = False
    """Few sets, for which more products of powers are tried."""


def batches(Z: Floats, allows: Callable[..., bool]) -> Iterator[Batch]:
    """Functions instead of columns first, then one or two beside them."""
    columns = tuple(Further(Z[:, j], Variable(j)) for j in range(Z.shape[1]))
    alone = [[x, *(f for f in _of_a_column(x, allows) if _varies(f))] for x in columns]
    yield Batch([columns, *_instead(columns, alone, 1)], wide=True)
    arguments = _arguments(Z, allows("mul", "div"))
    moderate = [u for u in arguments if np.max(np.abs(u.value)) < LARGEST_ARGUMENT]
    exponentials = [_exponential(u, sign) for u in moderate for sign in (-1.0, 1.0)] if allows("exp") else []
    powers = _powers(Z, arguments, allows) if allows("exp", "log", "mul") else []
    logarithms = [_of("log", u, np.log) for u in arguments if np.all(u.value > 0.0)] if allows("log") else []
    inner = [_one_plus(p) for p in powers] if allows("log", "add") else []
    inner += [_exponential(p, -1.0) for p in powers if np.max(p.value) < LARGEST_ARGUMENT]
    waves = [(_of("sin", u, np.sin), _of("cos", u, np.cos)) for u in moderate] if allows("sin", "cos") else []
    yield Batch(_with_waves(columns, waves), once=True)
    for count in range(2, 1 + (min(len(columns), 3) if len(columns) <= FEW_COLUMNS else 2)):
        yield Batch(_instead(columns, alone, count))
    single = (*powers, *exponentials, *logarithms, *inner, *itertools.chain(*(f[1:] for f in alone)))
    yield Batch([(*columns, f) for f in single if _varies(f)])
    pairs = (
        *waves,
        *itertools.combinations(exponentials[: 2 * FUNCTION_PAIRS : 2], 2),
        *((p, q) for p, q in itertools.combinations(powers, 2) if p.plain_power == q.plain_power is not None),
    )
    yield Batch([(*columns, *pair) for pair in pairs if all(_varies(f) for f in pair)], once=True)


def _instead(
    columns: tuple[Further, ...], alone: list[list[Further]], count: int
) -> list[tuple[Further, ...]]:
    """The columns, with functions instead of some of them."""
    found = []
    for which in itertools.combinations(range(len(columns)), count):
        for functions in itertools.product(*(alone[j][1:] for j in which)):
            instead = dict(zip(which, functions, strict=True))
            found.append(tuple(instead.get(j, x) for j, x in enumerate(columns)))
    return found


def _with_waves(
    columns: tuple[Further, ...], waves: list[tuple[Further, Further]]
) -> list[tuple[Further, ...]]:
    """Sine and cosine instead of the column that they are of."""
    return [
        (*columns[:j], sine, *columns[j + 1 :], cosine)
        for j, (sine, cosine) in enumerate(waves[: len(columns)])
    ]


class WithFunctions:
    """Some columns and functions of them; `Z` are the columns divided by `scales`, and laws are told in those."""

    def __init__(
        self,
        Z: Floats,
        scales: Floats,
        allows: Callable[..., bool],
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """`allows` says which functions may be used, `stop` when to look for nothing more."""
        Z, self.stop = Z * scales, stop
        self.division, self.batches = allows("div"), list(batches(Z, allows))
        self.columns = {j: weighted(float(scale), Variable(j)) for j, scale in enumerate(scales)}

    def law(self, target: Floats, roots: bool = False, beside: bool = False) -> Expression | None:
        """The target as a quotient of polynomials of the columns and some functions of them, or with `roots` as the solution of
        a quadratic equation of such; None if there is none of low degree. With `beside`, only functions beside all columns."""
        some = [b for b in self.batches if b.sets and not (beside and len(b.sets[0]) <= len(self.columns))]
        with np.errstate(all="ignore"):  # what overflows is left out
            return self._first(target, roots, some)

    def _first(self, target: Floats, roots: bool, some: list[Batch]) -> Expression | None:
        for batch in some:
            pieces = [batch.sets[k : k + AT_A_TIME] for k in range(0, len(batch.sets), AT_A_TIME)]
            for exponents, sets in itertools.product(_exponents(batch, self.division, roots), pieces):
                if self.stop():
                    return None
                for columns in _cancelling(target, sets, exponents):
                    Z = np.column_stack([f.value for f in columns])
                    found = solved(Z, target, exponents)
                    if found is not None and _fits(found, Z, target):
                        meaning = {k: f.expression for k, f in enumerate(columns)}
                        return substitute(substitute(found, meaning), self.columns)
        return None


def _fits(law: Expression, Z: Floats, target: Floats) -> bool:
    """Does it give the target? A denominator may be nothing but rounding."""
    left = evaluate(law, Z) - target
    return bool(left @ left < PROMISING * np.sum((target - target.mean()) ** 2))


def _exponents(batch: Batch, division: bool, roots: bool) -> list[list[list[Exponents]]]:
    """Exponents of what stands beside 1, t and t²; others where these are too many. Every product needs some rows."""
    usual = [d for d in FUNCTION_DEGREES if roots or len(d) == 2]
    enough = int(len(batch.sets[0][0].value) / PROBE_ROWS_PER_COLUMN)
    most = min(FUNCTION_COLUMNS, enough)
    fit = [e for d in usual if _size(e := _up_to(d, batch, division)) <= most]
    if len(fit) < FEWEST_DEGREES:
        most = min(WIDE_COLUMNS, enough) if batch.wide else most
        fit += [e for d in WIDE_DEGREES if _size(e := _up_to(d, batch, division)) <= most and e not in fit]
    return fit


def _size(exponents: list[list[Exponents]]) -> int:
    return sum(map(len, exponents))


def _up_to(degrees: tuple[int, ...], batch: Batch, division: bool) -> list[list[Exponents]]:
    """Exponents up to such degrees."""
    return [
        [e for e in total_exponents(len(batch.sets[0]), degree) if not batch.once or e[-1] < 2]
        for degree in (degrees if division else (degrees[0], 0))
    ]


def _cancelling(
    target: Floats, sets: list[tuple[Further, ...]], exponents: list[list[Exponents]]
) -> Iterator[tuple[Further, ...]]:
    """Columns whose products, the same times the target and times its square seem to cancel, on few rows."""
    rows = evenly(len(target), int(PROBE_ROWS_PER_COLUMN * _size(exponents)))
    known: dict[int, Floats] = {}
    for f in itertools.chain(*sets):
        if id(f) not in known:
            known[id(f)] = f.value[rows]
    wider = np.array([[known[id(f)] for f in columns] for columns in sets]).swapaxes(0, 1)
    parts = [target[rows] ** k * _products(wider, powers) for k, powers in enumerate(exponents)]
    A = np.moveaxis(np.concatenate(parts), 0, 2)
    size = np.linalg.norm(A, axis=1, keepdims=True)
    sound = np.flatnonzero(np.all(np.isfinite(size) & (size > 0.0), axis=(1, 2)))
    R: Floats = np.asarray(np.linalg.qr(A[sound] / size[sound], mode="r"))
    for k in np.flatnonzero(_nearly_singular(R)).tolist():
        # What cancels without the target says nothing of it: exp(u) of small u is a polynomial.
        own = len(exponents[0])
        if _smallest(R[k]) < PROBE_CANCELS and _smallest(R[k, :own, :own]) > PROBE_GAP * PROBE_CANCELS:
            yield sets[int(sound[k])]


def _nearly_singular(R: Floats) -> npt.NDArray[np.bool_]:
    """Matrices that some vector all but vanishes with, at a tenth of the cost of singular values: what a usual vector becomes."""
    count = R.shape[-1]
    zero = np.diagonal(R, axis1=1, axis2=2) == 0.0
    regular = R + np.where(zero, 1e-20, 0.0)[:, :, None] * np.eye(count)
    usual = np.broadcast_to(np.cos(np.arange(count))[:, None], (len(R), count, 1))
    grown = np.linalg.norm(np.linalg.solve(regular, usual), axis=(1, 2))
    return np.asarray(~(grown < 1e-4 / PROBE_CANCELS))


def _smallest(R: Floats) -> float:
    """The smallest singular value, relative to the largest."""
    values = np.linalg.svd(R, compute_uv=False)
    return float(values[-1] / values[0])


def _products(wider: Floats, exponents: list[Exponents]) -> Floats:
    """Products of powers of columns, for all sets of them at once."""
    products = np.ones((len(exponents), *wider.shape[1:]))
    for product, powers in zip(products, exponents, strict=True):
        for j, e in enumerate(powers):
            for _ in range(e):
                product *= wider[j]
    return products


# --- functions ------------------------------------------------------------------------------------


def _arguments(Z: Floats, products: bool) -> list[Further]:
    """Columns, simple products and quotients of them, and differences over another one."""
    x, d = [Variable(j) for j in range(Z.shape[1])], Z.shape[1]
    pairs, found = list(itertools.combinations(range(d), 2)), list[Expression](x)
    if products:
        for i, j in pairs:
            found += [call("mul", x[i], x[j]), call("div", x[i], x[j]), call("div", x[j], x[i])]
        found += [call("inv", u) for u in x] + [Power(u, 2) for u in x]
        found += [
            call("div", call("sub", x[i], x[j]), x[k]) for i, j in pairs for k in range(d) if k not in (i, j)
        ]
        for i, j, k in itertools.combinations(range(d), 3):
            found += [quotient_of([x[p], x[q]], [x[r]]) for p, q, r in ((i, j, k), (i, k, j), (j, k, i))]
            found.append(product_of([x[i], x[j], x[k]]))
    with np.errstate(all="ignore"):
        arguments = [Further(evaluate(u, Z), u) for u in found[:FUNCTION_ARGUMENTS]]
    return [u for u in arguments if np.isfinite(u.value).all()]


def _varies(f: Further) -> bool:
    return bool(np.isfinite(f.value).all() and np.ptp(f.value) > 1e-9 * np.max(np.abs(f.value)))


def _exponential(u: Further, sign: float) -> Further:
    return Further(np.exp(sign * u.value), call("exp", weighted(sign, u.expression)))


def _of(name: str, u: Further, function: Callable[[Floats], Floats]) -> Further:
    return Further(function(u.value), call(name, u.expression))


def _of_a_column(x: Further, allows: Callable[..., bool]) -> Iterator[Further]:
    """Functions of a column alone."""
    positive, moderate = bool(np.all(x.value > 0.0)), bool(np.max(np.abs(x.value)) < LARGEST_ARGUMENT)
    for name, function, usable in (
        ("sin", np.sin, moderate), ("cos", np.cos, moderate), ("log", np.log, positive), ("sqrt", np.sqrt, positive),
        ("exp", np.exp, moderate), ("tanh", np.tanh, moderate),
    ):  # fmt: skip
        if usable and allows(name):
            yield _of(name, x, function)
    if moderate and allows("sin", "cos", "div"):
        yield Further(np.tan(x.value), call("div", call("sin", x.expression), call("cos", x.expression)))


def _one_plus(f: Further) -> Further:
    """ln(1 + f)."""
    return Further(np.log1p(f.value), call("log", one_plus(f.expression)))


def _powers(Z: Floats, arguments: list[Further], allows: Callable[..., bool]) -> list[Further]:
    """v**w and v**(1/w), w a column: exp(w*log(v)); v may be one more than a column as well."""
    columns = [Variable(j) for j in range(Z.shape[1])]
    more = [Further(1.0 + Z[:, j], one_plus(x)) for j, x in enumerate(columns)] if allows("add") else []
    bases = [
        v for v in (*arguments[: len(columns)], *more, *arguments[len(columns) :]) if np.all(v.value > 0.0)
    ]
    found = []
    inverses = (False, True) if allows("div") else (False,)
    for v, w, inverse in itertools.product(bases, range(Z.shape[1]), inverses):
        logarithm = call("log", v.expression)
        with np.errstate(all="ignore"):
            value = np.exp(np.log(v.value) / Z[:, w] if inverse else Z[:, w] * np.log(v.value))
        said = call("div", logarithm, columns[w]) if inverse else call("mul", columns[w], logarithm)
        plain = w if isinstance(v.expression, Variable) and not inverse else None
        found.append(Further(value, call("exp", said), plain))
    return found[:FUNCTION_POWERS]
