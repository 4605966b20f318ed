"""The catalogue of the survey: monomials, functions of them, products of two of these, tested for before any evolution.

Laws of the literature are often short sums (in some transformed target) of such features. Thousands of columns are compared with
all transformed targets by a few matrix products; the best single features, and the best sets of up to four, are handed to
the survey's phase (`phase.py`), which tunes their constants and has them verified like any other find. Nothing here is random.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from multigene._engine import column_sets
from multigene.expression.tree import Expression, Number, Operation
from multigene.laws.constants import (
    BEAM,
    BEST_AFTER_A_PAIR,
    BEST_COLUMNS,
    LARGEST_SET,
    MOST_ALIKE,
    MOST_ARGUMENTS,
    MOST_FACTORS,
    MOST_INSIDE,
    MOST_PAIRED,
    MOST_SCALED,
    MOST_SIMPLE,
    MOST_SUGGESTED,
    NOTHING_ELSE,
    SEEMS_EXACT,
    SET_COST,
    SIMPLEST_COLUMNS,
)
from multigene.laws.survey.forms import FORMS, INNER_FORMS, LOGARITHMIC_FORMS, log_abs, one_plus
from multigene.laws.survey.monomials import Monomials

Floats = npt.NDArray[np.float64]

#: Tags of u·ln|v|, of ln|1 - u·g(v)| and, one less, of ln|1 + u·g(v)|.
EXPONENT, ONE_LESS = -2, -3


@dataclass
class Columns:
    """Columns of the catalogue, the values of each a line.

    The tags of each: form (-1 for none), number of its scale, monomial, further factor (-1 for none): monomial, and its form (-1
    for none; `EXPONENT`, `ONE_LESS`).
    """

    values: Floats
    tags: npt.NDArray[np.int64]
    cost: Floats

    def chosen(self, which: npt.NDArray[np.intp]) -> Columns:
        """Some of the columns."""
        return Columns(self.values[which], self.tags[which], self.cost[which])


def _together(parts: list[Columns]) -> Columns:
    return Columns(
        np.vstack([p.values for p in parts]),
        np.vstack([p.tags for p in parts]),
        np.concatenate([p.cost for p in parts]),
    )


@dataclass
class Products:
    """Products of a factor and a function that resemble a target, by their numbers: too many to keep all their values."""

    factors: Columns
    functions: Columns
    places: list[npt.NDArray[np.intp]] = field(default_factory=list)
    alike: list[Floats] = field(default_factory=list)
    cost: list[Floats] = field(default_factory=list)

    def keep(self, factor: int, functions: npt.NDArray[np.intp], alike: Floats) -> None:
        """Products of a factor, and how much they resemble the target."""
        self.places.append(np.column_stack([np.full(len(functions), factor), functions]))
        self.cost.append(self.factors.cost[factor] + self.functions.cost[functions])
        self.alike.append(alike)

    def chosen(self, which: npt.NDArray[np.intp]) -> Columns:
        """Some of them."""
        factor, function = np.vstack(self.places)[which].T
        tags = self.functions.tags[function]
        tags[:, 3], tags[:, 4] = self.factors.tags[factor, 2], self.factors.tags[factor, 0]
        values = self.functions.values[function] * self.factors.values[factor]
        return Columns(values, tags, np.concatenate(self.cost)[which])


def _worth_trying(alike: Floats, cost: Floats, product: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Columns that resemble the target most, or what the best pair leaves of it, and the simplest; the best ones first."""
    order = np.argsort(cost, kind="stable")
    chosen = [
        np.argsort(-alike[:, 0], kind="stable")[:BEST_COLUMNS],
        np.argsort(-alike[:, 1], kind="stable")[:BEST_AFTER_A_PAIR],
        order[~product[order]][:SIMPLEST_COLUMNS],
        order[product[order]][:SIMPLEST_COLUMNS],
    ]
    return np.array(list(dict.fromkeys(np.concatenate(chosen).tolist())), dtype=np.intp)


class Catalogue:
    """Everything that is made of some monomials; `allows` says which functions may be used."""

    def __init__(
        self,
        monomials: Monomials,
        allows: Callable[..., bool],
        logarithm: bool,
        root: Floats | None = None,
    ) -> None:
        """`root` are the roots of the rows' weights, None where all count alike."""
        self.monomials, self.logarithm, self.root = monomials, logarithm, root
        self.forms = [f for f in (LOGARITHMIC_FORMS if logarithm else FORMS) if allows(*f.needs)]
        self.inner = [f for f in INNER_FORMS if allows(*f.needs)]
        Z = monomials.Z
        logs = np.log(np.abs(Z[:, np.all(Z != 0.0, axis=0)])) if logarithm else np.empty((len(Z), 0))
        free = np.hstack([np.ones((len(Z), 1)), logs])
        self.fixed = np.linalg.qr(free if root is None else free * root[:, None])[0]
        parts = itertools.chain(
            [self._plain()],
            self._functions(0, MOST_SCALED, 6),
            self._functions(MOST_SCALED, MOST_INSIDE, 1),
            self._one_plus_products() if logarithm and allows("log", "mul") else (),
            self._exponents() if logarithm and allows("exp", "log", "mul") else (),
        )
        # One after the other: each fits into the cache.
        self.columns = _together([self._standardised(part) for part in parts])

    def sets(self, targets: list[Floats]) -> Iterator[list[list[Expression]]]:
        """For every target, sets of features whose sum it may be: genes to be tuned and verified. Those that seem exact
        come first, then the best of every size."""
        lefts = []
        for target in targets:
            with np.errstate(all="ignore"):  # the reciprocal of a target of 1e-305 is too large to be squared
                target = target if self.root is None else self.root * target
                left = target - self.fixed @ (self.fixed.T @ target)
                size = float(np.linalg.norm(left))
                nothing = not np.isfinite(size) or size <= 1e-9 * float(np.linalg.norm(target))
            lefts.append(np.zeros(len(target)) if nothing else left / size)
        pools = self._pools(lefts) if lefts else []
        for left, pool in zip(lefts, pools, strict=True):
            if not left.any():
                yield [[]]
                continue
            measured = column_sets(pool.values, pool.cost, left, (BEAM, LARGEST_SET, SEEMS_EXACT))
            measured.sort(key=lambda s: (max(s[0], SEEMS_EXACT), s[1]))
            exact = [members for u, _, members in measured if u < SEEMS_EXACT]
            by_size = [
                [m for u, _, m in measured if len(m) == k and u >= SEEMS_EXACT][:MOST_SUGGESTED]
                for k in range(1, LARGEST_SET + 1)
            ]
            chosen = exact[:MOST_SUGGESTED] + [members for sets in by_size for members in sets]
            if not exact:  # where noise is in the way, what is simple may be right
                priced = sorted(measured, key=lambda s: len(left) * np.log(s[0]) + SET_COST * s[1])
                chosen += [members for _, _, members in priced[:MOST_SUGGESTED] if members not in chosen]
            yield [[self._say(pool.tags[i]) for i in members] for members in chosen]

    # --- columns ----------------------------------------------------------------------------------

    def _plain(self) -> Columns:
        tags = np.full((len(self.monomials), 5), -1)
        tags[:, 2] = np.arange(len(self.monomials))
        return Columns(self.monomials.values, tags, self.monomials.costs)

    def _functions(self, first: int, last: int, scales: int) -> Iterator[Columns]:
        """Functions of monomials, from the simplest on."""
        powers, costs = self.monomials.values[first:last], self.monomials.costs[first:last]
        for f, form in enumerate(self.forms):
            for s, scale in enumerate(form.scales[:scales]):
                with np.errstate(all="ignore"):
                    values = form.value(scale * powers)
                tags = np.full((len(costs), 5), -1)
                tags[:, 0], tags[:, 1], tags[:, 2] = f, s, first + np.arange(len(costs))
                yield Columns(values, tags, costs + form.cost + (0.0 if abs(scale) == 1.0 else 0.5))

    def _one_plus_products(self) -> Iterator[Columns]:
        """ln|1 ± u·g(v)|."""
        simple = np.arange(min(MOST_SIMPLE, len(self.monomials)))
        powers, costs = self.monomials.values[simple], self.monomials.costs[simple]
        for f, form in enumerate(self.inner):
            for s, scale in enumerate(form.scales[:2] if form.needs == ("exp",) else form.scales[:1]):
                for k, sign in itertools.product(simple.tolist(), (0, 1)):
                    with np.errstate(all="ignore"):
                        product = powers[k] * form.value(scale * powers)
                        values = np.log(np.abs(1.0 + product if sign else 1.0 - product))
                    tags = np.array([(f, s, m, k, ONE_LESS - sign) for m in simple.tolist()])
                    yield Columns(values, tags, costs + costs[k] + form.cost + 1.0)

    def _exponents(self) -> Iterator[Columns]:
        """u·ln|v|, u·ln|1 + v|, u·ln|1 - v|: factors v**u of y, and the like."""
        simple = np.arange(min(MOST_SIMPLE, len(self.monomials)))
        powers, costs = self.monomials.values[simple], self.monomials.costs[simple]
        for k, (s, base) in itertools.product(
            simple.tolist(), enumerate((powers, 1.0 + powers, 1.0 - powers))
        ):
            with np.errstate(all="ignore"):
                values = powers[k] * np.log(np.abs(base))
            tags = np.array([(-1, s, m, k, EXPONENT) for m in simple.tolist()])
            yield Columns(values, tags, costs + costs[k] + 0.5 + (1.0 if s else 0.0))

    def _products(self, wanted: Floats) -> list[Products]:
        """Monomials times functions, and functions times functions: for every target those that resemble what is wanted."""
        functions = _together(list(self._functions(0, MOST_ARGUMENTS, 1)))
        functions = functions.chosen(np.argsort(functions.cost, kind="stable"))
        paired = functions.chosen(np.arange(min(MOST_PAIRED, len(functions.cost))))
        plain = self._plain().chosen(np.arange(min(MOST_FACTORS, len(self.monomials))))
        factors = _together([plain, paired])
        products = [Products(factors, functions) for _ in range(wanted.shape[1] // 2)]
        for k, factor in enumerate(factors.values):
            first = max(0, k - len(plain.cost))  # each pair of functions once
            with np.errstate(all="ignore"):
                alike = self._alike(functions.values[first:] * factor, wanted)
            best = np.argsort(-alike, axis=0, kind="stable")[:MOST_ALIKE]
            usable = alike[:, 0] >= 0.0
            simple = np.flatnonzero(usable)[: MOST_SIMPLE if k < MOST_SIMPLE else 0]
            for t, chosen in enumerate(products):
                which = np.unique(np.concatenate([simple, best[:, 2 * t], best[:, 2 * t + 1]]))
                which = which[usable[which]]
                chosen.keep(k, first + which, alike[which, 2 * t : 2 * t + 2])
        return products

    def _pools(self, lefts: list[Floats]) -> list[Columns]:
        """For every target the columns among which sets are sought: those that resemble it or what the best pair leaves."""
        wanted = np.column_stack([column for left in lefts for column in (left, self._after_a_pair(left))])
        products = self._products(wanted) if self.forms and not self.logarithm else []
        all_alike, pools = np.abs(self.columns.values @ wanted), []
        for t in range(len(lefts)):
            alike, cost = [all_alike[:, 2 * t : 2 * t + 2]], [self.columns.cost]
            if products:
                alike, cost = [*alike, *products[t].alike], [*cost, *products[t].cost]
            own = len(self.columns.cost)
            product = np.concatenate(
                [self.columns.tags[:, 3] >= 0, np.ones(sum(map(len, cost[1:])), dtype=bool)]
            )
            chosen = _worth_trying(np.vstack(alike), np.concatenate(cost), product)
            pool = self.columns.chosen(chosen[chosen < own])
            if products:
                pool = _together([pool, self._standardised(products[t].chosen(chosen[chosen >= own] - own))])
            pools.append(pool)
        return pools

    def _after_a_pair(self, left: Floats) -> Floats:
        """What the best pair of columns without products leaves, of length one."""
        alike = np.argsort(-np.abs(self.columns.values @ left), kind="stable")[:BEST_AFTER_A_PAIR]
        columns = self.columns.chosen(alike)
        sets = column_sets(columns.values, columns.cost, left, (BEAM, 2, SEEMS_EXACT))
        pair = next((members for _, _, members in sets if len(members) == 2), None)
        if pair is None:
            return left
        values = columns.values[pair].T
        rest = left - values @ np.linalg.lstsq(values, left, rcond=None)[0]
        size = float(np.linalg.norm(rest))
        return rest / size if size > 1e-9 else left

    def _alike(self, values: Floats, lefts: Floats) -> Floats:
        """How much columns would resemble targets if they were standardised; -1 for those that would be dropped."""
        with np.errstate(all="ignore"):
            values = values if self.root is None else values * self.root
            size = np.einsum("ij,ij->i", values, values)
            inner = values @ np.hstack([self.fixed, lefts])
            of_fixed, of_lefts = np.split(inner, [self.fixed.shape[1]], axis=1)
            left = size - np.einsum("ij,ij->i", of_fixed, of_fixed)
            alike = np.abs(of_lefts) / np.sqrt(left)[:, None]
        return np.where((np.isfinite(size) & (left > NOTHING_ELSE**2 * size))[:, None], alike, -1.0)

    def _standardised(self, columns: Columns) -> Columns:
        """Without what the fixed columns explain, of length one; columns that are nothing else are dropped."""
        if self.root is not None:
            columns = Columns(columns.values * self.root, columns.tags, columns.cost)
        with np.errstate(all="ignore"):
            size = np.sqrt(np.einsum("ij,ij->i", columns.values, columns.values))
        usable = np.flatnonzero(np.isfinite(size) & (size > 1e-100) & (size < 1e100))
        columns = columns.chosen(usable)
        values = columns.values
        values /= size[usable, None]
        values -= (values @ self.fixed) @ self.fixed.T
        left = np.sqrt(np.einsum("ij,ij->i", values, values))
        columns.values /= np.maximum(left, 1e-300)[:, None]
        return columns.chosen(np.flatnonzero(left > NOTHING_ELSE))

    # --- words ------------------------------------------------------------------------------------

    def _say(self, tags: npt.NDArray[np.int64]) -> Expression:
        f, s, m, factor, outer = (int(t) for t in tags)
        if outer == EXPONENT:
            base = self.monomials.say(m)
            if s:
                base = one_plus(Operation("mul", (Number(1.0 if s == 1 else -1.0), base)))
            return Operation("mul", (self.monomials.say(factor), log_abs(base)))
        if outer <= ONE_LESS:
            inner = self.inner[f].expression(
                Operation("mul", (Number(self.inner[f].scales[s]), self.monomials.say(m)))
            )
            sign = Number(-1.0 if outer == ONE_LESS else 1.0)
            return log_abs(one_plus(Operation("mul", (sign, self.monomials.say(factor), inner))))
        said = self._say_function(f, s, m)
        return said if factor < 0 else Operation("mul", (self._say_function(outer, 0, factor), said))

    def _say_function(self, f: int, s: int, m: int) -> Expression:
        """A function of a monomial, or the monomial itself."""
        said = self.monomials.say(m)
        if f < 0:
            return said
        # A factor of one is written as well: it is a constant that tuning may change.
        return self.forms[f].expression(Operation("mul", (Number(self.forms[f].scales[s]), said)))
