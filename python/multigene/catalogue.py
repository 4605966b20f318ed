"""A catalogue of features looked through before any evolution: monomials, functions of them, products of two of these.

Laws of the literature are often short sums (in some transformed target) of such features. Thousands of columns are compared with
all transformed targets by a few matrix products; the best single features, and the best sets of up to four, are handed to the
seekers, which tune their constants and verify them like any other find. Nothing here is random.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene.expression import Expression, Number, Operation, Power, Variable
from multigene.forms import FORMS, INNER_FORMS, LOGARITHMIC_FORMS, call, log_abs, one_plus

Floats = npt.NDArray[np.float64]

#: Exponents of monomials and what each costs.
EXPONENTS = {1.0: 1.0, -1.0: 1.1, 2.0: 1.9, -2.0: 2.0, 0.5: 2.2, -0.5: 2.3, 3.0: 2.7, -3.0: 2.9}
#: Largest cost of a monomial: the first of these that gives enough of them.
LIMITS = (2.3, 3.4, 4.5, 5.6, 6.7)
#: Most monomials, monomials under a function, and both in products of the two.
MOST_MONOMIALS, MOST_INSIDE, MOST_FACTORS, MOST_ARGUMENTS = 6000, 900, 130, 30
#: Monomials under a function that are tried with several scales.
MOST_SCALED = 250
#: Functions, the simplest, that products of two functions have as a factor.
MOST_PAIRED = 40
#: Of every factor's products, so many that resemble the target most, and so many of the simplest of the simplest factors.
MOST_ALIKE, SIMPLE_FACTORS, MOST_SIMPLE = 30, 16, 16
#: Columns among which sets are sought: so many of the best ones, of the best for what a pair leaves, and of the simplest.
BEST, BEST_AFTER_A_PAIR, SIMPLEST = 900, 300, 300
#: Sets that are carried on to the next size, and the largest size.
BEAM, LARGEST = 32, 4
#: With more features none is compared with the number 1.
MOST_WITH_ONES = 3
#: Columns that are compared with all others at a time.
BLOCK = 64
#: Sets of a size that are suggested.
MOST_OF_A_SIZE = 10
#: A set is exact, as far as inner products can tell, when it leaves less.
SEEMS_EXACT = 1e-9
#: The part of a column outside a set must be at least this, squared: rounding would decide about less.
APART = 1e-6


@dataclass(frozen=True)
class Base:
    """What monomials are made of: a feature, or the sum or difference of two."""

    expression: Expression
    value: Floats
    exponents: tuple[float, ...]
    cost: float


Monomial = tuple[tuple[int, float], ...]


#: Tags of u·ln|v|, of ln|1 - u·g(v)| and, one less, of ln|1 + u·g(v)|.
EXPONENT, ONE_LESS = -2, -3


@dataclass
class Columns:
    """Columns of the catalogue. The tags of each: form (-1 for none), number of its scale, monomial, further factor (-1
    for none): monomial, and its form (-1 for none; `EXPONENT`, `ONE_LESS`)."""

    values: Floats
    tags: npt.NDArray[np.int64]
    cost: Floats

    def chosen(self, which: npt.NDArray[np.intp]) -> Columns:
        """Some of the columns."""
        return Columns(self.values[:, which], self.tags[which], self.cost[which])


def _together(parts: list[Columns]) -> Columns:
    return Columns(
        np.hstack([p.values for p in parts]),
        np.vstack([p.tags for p in parts]),
        np.concatenate([p.cost for p in parts]),
    )


class Catalogue:
    """The features over some rows `Z`; `allows` says which functions may be used."""

    def __init__(self, Z: Floats, allows: Callable[..., bool], logarithm: bool, ones: bool = False) -> None:
        """`ones`: features are numbers without a unit, so that 1 - x may be a factor."""
        self.Z, self.logarithm = Z, logarithm
        self.bases = _bases(Z, allows("div"), allows("sqrt"), ones and Z.shape[1] <= MOST_WITH_ONES)
        self.monomials = _monomials(self.bases, Z.shape[1])
        self.costs = np.array([_cost(m, self.bases) for m in self.monomials])
        self.forms = [f for f in (LOGARITHMIC_FORMS if logarithm else FORMS) if allows(*f.needs)]
        self.inner = [f for f in INNER_FORMS if allows(*f.needs)]
        logs = np.log(np.abs(Z[:, np.all(Z != 0.0, axis=0)])) if logarithm else np.empty((len(Z), 0))
        self.fixed = np.linalg.qr(np.hstack([np.ones((len(Z), 1)), logs]))[0]
        self.powers = self._powers()
        self.columns = self._standardised(
            _together(
                [
                    self._plain(),
                    *self._functions(0, MOST_SCALED, 6),
                    *self._functions(MOST_SCALED, MOST_INSIDE, 1),
                    *(self._one_plus_products() if logarithm and allows("log", "mul") else ()),
                    *(self._exponents() if logarithm and allows("exp", "log", "mul") else ()),
                ]
            )
        )

    def sets(self, targets: list[Floats]) -> Iterator[list[list[Expression]]]:
        """For every target, sets of features whose sum it may be: genes to be tuned and verified. Those that seem exact
        come first, then the best of every size."""
        lefts = []
        for target in targets:
            with np.errstate(all="ignore"):  # the reciprocal of a target of 1e-305 is too large to be squared
                left = target - self.fixed @ (self.fixed.T @ target)
                size = float(np.linalg.norm(left))
                nothing = not np.isfinite(size) or size <= 1e-9 * float(np.linalg.norm(target))
            lefts.append(np.zeros(len(target)) if nothing else left / size)
        pools = self._pools(np.column_stack(lefts)) if lefts else []
        for left, pool in zip(lefts, pools, strict=True):
            if not left.any():
                yield [[]]
                continue
            measured = [
                (_left(pool.values[:, members], left), cost, members)
                for _, cost, members in _sets(pool, left)
            ]
            measured.sort(key=lambda s: (max(s[0], SEEMS_EXACT), s[1]))
            exact = [members for u, _, members in measured if u < SEEMS_EXACT]
            by_size = [
                [m for u, _, m in measured if len(m) == k and u >= SEEMS_EXACT][:MOST_OF_A_SIZE]
                for k in range(1, LARGEST + 1)
            ]
            chosen = exact[:MOST_OF_A_SIZE] + [members for sets in by_size for members in sets]
            yield [[self._say(pool.tags[i]) for i in members] for members in chosen]

    # --- columns ----------------------------------------------------------------------------------

    def _powers(self) -> Floats:
        """Values of monomials by one product in logarithms."""
        base = np.column_stack([b.value for b in self.bases])
        exponents = np.zeros((len(self.bases), len(self.monomials)))
        for k, monomial in enumerate(self.monomials):
            for b, e in monomial:
                exponents[b, k] = e
        with np.errstate(all="ignore"):
            size = np.exp(np.log(np.maximum(np.abs(base), 1e-300)) @ exponents)
        odd = (np.abs(exponents) % 2 == 1.0).astype(float)
        negative = (base < 0.0).astype(float) @ odd
        return np.asarray(np.where(negative % 2 == 1.0, -size, size))

    def _plain(self) -> Columns:
        tags = np.full((len(self.monomials), 5), -1)
        tags[:, 2] = np.arange(len(self.monomials))
        return Columns(self.powers, tags, self.costs)

    def _functions(self, first: int, last: int, scales: int) -> list[Columns]:
        """Functions of monomials, from the simplest on."""
        powers, costs = self.powers[:, first:last], self.costs[first:last]
        parts = []
        for f, form in enumerate(self.forms):
            for s, scale in enumerate(form.scales[:scales]):
                with np.errstate(all="ignore"):
                    values = form.value(scale * powers)
                tags = np.full((len(costs), 5), -1)
                tags[:, 0], tags[:, 1], tags[:, 2] = f, s, first + np.arange(len(costs))
                parts.append(Columns(values, tags, costs + form.cost + (0.0 if abs(scale) == 1.0 else 0.5)))
        return parts

    def _one_plus_products(self) -> list[Columns]:
        """ln|1 ± u·g(v)|."""
        simple = np.arange(min(SIMPLE_FACTORS, len(self.monomials)))
        powers, costs, parts = self.powers[:, simple], self.costs[simple], []
        for f, form in enumerate(self.inner):
            for s, scale in enumerate(form.scales[:2] if form.needs == ("exp",) else form.scales[:1]):
                for k, sign in itertools.product(simple.tolist(), (0, 1)):
                    with np.errstate(all="ignore"):
                        product = powers[:, [k]] * form.value(scale * powers)
                        values = np.log(np.abs(1.0 + product if sign else 1.0 - product))
                    tags = np.array([(f, s, m, k, ONE_LESS - sign) for m in simple.tolist()])
                    parts.append(Columns(values, tags, costs + costs[k] + form.cost + 1.0))
        return parts

    def _exponents(self) -> list[Columns]:
        """u·ln|v|, u·ln|1 + v|, u·ln|1 - v|: factors v**u of y, and the like."""
        simple = np.arange(min(SIMPLE_FACTORS, len(self.monomials)))
        powers, costs, parts = self.powers[:, simple], self.costs[simple], []
        for k, (s, base) in itertools.product(
            simple.tolist(), enumerate((powers, 1.0 + powers, 1.0 - powers))
        ):
            with np.errstate(all="ignore"):
                values = powers[:, [k]] * np.log(np.abs(base))
            tags = np.array([(-1, s, m, k, EXPONENT) for m in simple.tolist()])
            parts.append(Columns(values, tags, costs + costs[k] + 0.5 + (1.0 if s else 0.0)))
        return parts

    def _products(self, lefts: Floats) -> list[list[Columns]]:
        """For every target: monomials times functions, and functions times functions, that resemble it."""
        kept: list[list[Columns]] = [[] for _ in lefts.T]
        if not self.forms:
            return kept
        functions = _together(self._functions(0, MOST_ARGUMENTS, 1))
        functions = functions.chosen(np.argsort(functions.cost, kind="stable"))
        paired = functions.chosen(np.arange(min(MOST_PAIRED, len(functions.cost))))
        factors = _together([self._plain().chosen(np.arange(min(MOST_FACTORS, len(self.monomials)))), paired])
        for k, tag in enumerate(factors.tags):
            # Each pair of functions once.
            others = functions.chosen(
                np.arange(max(0, k - len(factors.tags) + len(paired.tags)), len(functions.cost))
            )
            tags = others.tags.copy()
            tags[:, 3], tags[:, 4] = tag[2], tag[0]
            with np.errstate(all="ignore"):
                values = others.values * factors.values[:, [k]]
            columns = self._standardised(Columns(values, tags, others.cost + factors.cost[k]))
            alike = np.abs(columns.values.T @ lefts)
            simple = np.arange(min(MOST_SIMPLE, len(columns.cost)) if k < SIMPLE_FACTORS else 0)
            for t, chosen in enumerate(kept):
                best = np.argsort(-alike[:, t], kind="stable")[:MOST_ALIKE]
                chosen.append(columns.chosen(np.union1d(simple, best)))
        return kept

    def _pools(self, lefts: Floats) -> list[Columns]:
        """For every target the columns among which sets are sought: those that resemble it or what the best pair leaves."""
        number = lefts.shape[1]
        wanted = np.column_stack([lefts, *(self._after_a_pair(left) for left in lefts.T)])
        products = [[] for _ in wanted.T] if self.logarithm else self._products(wanted)
        pools = []
        for t in range(number):
            columns = _together([self.columns, *products[t], *products[number + t]])
            alike = np.abs(columns.values.T @ wanted[:, [t, number + t]])
            order = np.argsort(columns.cost, kind="stable")
            product = columns.tags[order, 3] >= 0
            chosen = [
                np.argsort(-alike[:, 0], kind="stable")[:BEST],
                np.argsort(-alike[:, 1], kind="stable")[:BEST_AFTER_A_PAIR],
                order[~product][:SIMPLEST],
                order[product][:SIMPLEST],
            ]
            # Each once, the best ones first.
            both = dict.fromkeys(np.concatenate(chosen).tolist())
            pools.append(columns.chosen(np.array(list(both), dtype=np.intp)))
        return pools

    def _after_a_pair(self, left: Floats) -> Floats:
        """What the best pair of columns without products leaves, of length one."""
        alike = np.argsort(-np.abs(self.columns.values.T @ left), kind="stable")[:BEST_AFTER_A_PAIR]
        columns = self.columns.chosen(alike)
        pairs = _pairs(columns.values.T @ columns.values, columns.values.T @ left, columns.cost)
        if not pairs:
            return left
        values = columns.values[:, pairs[0][2]]
        rest = left - values @ np.linalg.lstsq(values, left, rcond=None)[0]
        size = float(np.linalg.norm(rest))
        return rest / size if size > 1e-9 else left

    def _standardised(self, columns: Columns) -> Columns:
        """Without what the fixed columns explain, of length one; columns that are nothing else are dropped."""
        with np.errstate(all="ignore"):
            size = np.sqrt(np.einsum("ij,ij->j", columns.values, columns.values))
        usable = np.flatnonzero(np.isfinite(size) & (size > 1e-100) & (size < 1e100))
        columns = columns.chosen(usable)
        values = columns.values / size[usable]
        values = values - self.fixed @ (self.fixed.T @ values)
        left = np.sqrt(np.einsum("ij,ij->j", values, values))
        kept = np.flatnonzero(left > 1e-5)
        return Columns(values[:, kept] / left[kept], columns.tags[kept], columns.cost[kept])

    # --- words ------------------------------------------------------------------------------------

    def _say(self, tags: npt.NDArray[np.int64]) -> Expression:
        f, s, m, factor, outer = (int(t) for t in tags)
        if outer == EXPONENT:
            base = self._say_monomial(m)
            if s:
                base = one_plus(Operation("mul", (Number(1.0 if s == 1 else -1.0), base)))
            return Operation("mul", (self._say_monomial(factor), log_abs(base)))
        if outer <= ONE_LESS:
            inner = self.inner[f].expression(
                Operation("mul", (Number(self.inner[f].scales[s]), self._say_monomial(m)))
            )
            sign = Number(-1.0 if outer == ONE_LESS else 1.0)
            return log_abs(one_plus(Operation("mul", (sign, self._say_monomial(factor), inner))))
        said = self._say_function(f, s, m)
        return said if factor < 0 else Operation("mul", (self._say_function(outer, 0, factor), said))

    def _say_function(self, f: int, s: int, m: int) -> Expression:
        """A function of a monomial, or the monomial itself."""
        said = self._say_monomial(m)
        if f < 0:
            return said
        # A factor of one is written as well: it is a constant that tuning may change.
        return self.forms[f].expression(Operation("mul", (Number(self.forms[f].scales[s]), said)))

    def _say_monomial(self, number: int) -> Expression:
        monomial = self.monomials[number]
        factors = [
            self.bases[b].expression if e == 1.0 else Power(self.bases[b].expression, e) for b, e in monomial
        ]
        return factors[0] if len(factors) == 1 else Operation("mul", tuple(factors))


def _cost(monomial: Monomial, bases: list[Base]) -> float:
    """Products and quotients of several plain features cost less than their parts."""
    cost = sum(EXPONENTS[e] + bases[b].cost for b, e in monomial)
    plain = all(abs(e) == 1.0 and bases[b].cost == 0.0 for b, e in monomial)
    return cost - 0.3 * (len(monomial) - 1) if plain else cost


def _bases(Z: Floats, division: bool, roots: bool, ones: bool) -> list[Base]:
    """Features, then sums and differences of two, or of one and the number 1."""

    def exponents(values: Floats, cheap: bool) -> tuple[float, ...]:
        usable = [e for e in EXPONENTS if e.is_integer() and (abs(e) <= 2 or not cheap)]
        if roots and not cheap and np.all(values > 0.0):
            usable += [0.5, -0.5]
        poles = not division or np.min(np.abs(values)) <= 1e-6 * np.max(np.abs(values))
        return tuple(e for e in usable if e > 0 or not poles)

    d = Z.shape[1]
    bases = [Base(Variable(j), Z[:, j], exponents(Z[:, j], False), 0.0) for j in range(d)]
    for i, j in itertools.combinations(range(d), 2):
        first, second = (i, j) if np.mean(Z[:, i] - Z[:, j]) >= 0.0 else (j, i)
        difference, total = Z[:, first] - Z[:, second], Z[:, i] + Z[:, j]
        bases.append(
            Base(call("sub", Variable(first), Variable(second)), difference, exponents(difference, True), 1.2)
        )
        bases.append(Base(call("add", Variable(i), Variable(j)), total, exponents(total, True), 1.4))
    for j in range(d if ones else 0):
        less, more = 1.0 - Z[:, j], 1.0 + Z[:, j]
        bases.append(Base(call("sub", Number(1.0), Variable(j)), less, exponents(less, True), 1.2))
        bases.append(Base(one_plus(Variable(j)), more, exponents(more, True), 1.4))
    return bases


def _monomials(bases: list[Base], features: int) -> list[Monomial]:
    """The simplest products of powers of bases; at most one base is a sum or difference."""
    found: list[tuple[float, int, Monomial]] = []
    cheapest = min((EXPONENTS[e] + b.cost for b in bases for e in b.exponents), default=0.0)
    for limit in LIMITS:
        found = []
        stack: list[tuple[Monomial, int, float, bool]] = [((), 0, 0.0, False)]
        while stack and len(found) <= 4 * MOST_MONOMIALS:
            monomial, first, cost, joint = stack.pop()
            if monomial:
                found.append((cost, len(found), monomial))
            if cost + cheapest > limit:
                continue
            for b in range(first, features if joint else len(bases)):
                for e in bases[b].exponents:
                    total = cost + EXPONENTS[e] + bases[b].cost
                    if total <= limit:
                        stack.append((((*monomial, (b, e))), b + 1, total, b >= features))
        if len(found) >= MOST_MONOMIALS:
            break
    quotients = itertools.islice(_quotients(bases, features), MOST_MONOMIALS)
    monomials = dict.fromkeys([*quotients, *(monomial for _, _, monomial in sorted(found))])
    return sorted(list(monomials)[:MOST_MONOMIALS], key=lambda m: _cost(m, bases))


def _quotients(bases: list[Base], features: int) -> Iterator[Monomial]:
    """Products and quotients of plain features: dimensionless groups are often such."""
    for count in range(1, 1 + min(features, 6 if features <= 6 else 4)):
        for used in itertools.combinations(range(features), count):
            signs = [[e for e in (1.0, -1.0) if e in bases[b].exponents] for b in used]
            for exponents in itertools.product(*signs):
                yield tuple(zip(used, exponents, strict=True))


# --- sets -----------------------------------------------------------------------------------------


def _sets(pool: Columns, left: Floats) -> Iterator[tuple[float, float, list[int]]]:
    """Single columns, pairs by brute force, then larger sets grown from the best: what each leaves, its cost, its members."""
    values, cost = pool.values, pool.cost
    gram, with_left = values.T @ values, values.T @ left
    order = np.argsort(-np.abs(with_left), kind="stable")[: 4 * BEAM]
    for i in order.tolist():
        yield 1.0 - float(with_left[i]) ** 2, float(cost[i]), [i]
    sets = _pairs(gram, with_left, cost)
    for _ in range(2, LARGEST + 1):
        yield from sets
        if not sets or sets[0][0] < SEEMS_EXACT:
            return
        sets = _grown(gram, with_left, cost, sets)


def _left(columns: Floats, left: Floats) -> float:
    """What columns leave of the target, without the rounding of inner products."""
    residual = left - columns @ np.linalg.lstsq(columns, left, rcond=None)[0]
    return float(residual @ residual)


def _pairs(gram: Floats, with_left: Floats, cost: Floats) -> list[tuple[float, float, list[int]]]:
    """The best pairs of all, looked for in blocks that stay in cache."""
    found: list[tuple[float, int, int]] = []
    for first in range(0, len(gram), BLOCK):
        inner, own = gram[first : first + BLOCK, first:], with_left[first : first + BLOCK, None]
        # The part of column j outside column i, and how much of the target it explains.
        apart = 1.0 - inner * inner
        gained = with_left[first:] - inner * own
        gained *= gained
        gained /= np.maximum(apart, APART)
        gained += own * own
        gained[apart <= APART] = -np.inf
        gained[np.tril_indices(len(own), 0, gained.shape[1])] = -np.inf
        least = found[4 * BEAM - 1][0] if len(found) >= 4 * BEAM else -np.inf
        if gained.max(initial=-np.inf) <= least:
            continue
        flat = gained.ravel()
        best = np.argpartition(-flat, min(4 * BEAM, len(flat) - 1))[: 4 * BEAM]
        places = (
            (float(flat[k]), *divmod(int(k), gained.shape[1])) for k in best.tolist() if flat[k] > least
        )
        found += [(explained, first + i, first + j) for explained, i, j in places]
        found = sorted(found, key=lambda pair: (-pair[0], pair[1:]))[: 4 * BEAM]
    return sorted((max(1.0 - u, 0.0), float(cost[i] + cost[j]), [i, j]) for u, i, j in found)


def _grown(
    gram: Floats, with_left: Floats, cost: Floats, sets: list[tuple[float, float, list[int]]]
) -> list[tuple[float, float, list[int]]]:
    """Every set with the columns that help it most."""
    found: dict[tuple[int, ...], tuple[float, float, list[int]]] = {}
    for _, price, members in sets[:BEAM]:
        inner = gram[np.ix_(members, members)]
        try:
            weights = np.linalg.solve(inner, np.column_stack([gram[members], with_left[members]]))
        except np.linalg.LinAlgError:
            continue
        explained = float(with_left[members] @ weights[:, -1])
        apart = 1.0 - np.einsum("ij,ij->j", gram[members], weights[:, :-1])
        rest = with_left - weights[:, -1] @ gram[members]
        with np.errstate(all="ignore"):
            total = np.where(apart > APART, explained + rest**2 / apart, -np.inf)
        for k in np.argsort(-total, kind="stable")[:BEAM].tolist():
            if np.isfinite(total[k]):
                key = tuple(sorted([*members, k]))
                found[key] = (max(1.0 - float(total[k]), 0.0), price + float(cost[k]), [*members, k])
    return sorted(found.values())[: 2 * BEAM]
