"""Products of powers of features, the simplest first: what the catalogue (`catalogue.py`) is made of."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene.expression.build import call
from multigene.expression.tree import Expression, Number, Operation, Power, Variable
from multigene.laws.constants import COST_LIMITS, EXPONENT_COSTS, MOST_MONOMIALS, MOST_WITH_ONES
from multigene.laws.survey.forms import one_plus

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Base:
    """What monomials are made of: a feature, or the sum or difference of two."""

    expression: Expression
    value: Floats
    exponents: tuple[float, ...]
    cost: float


Monomial = tuple[tuple[int, float], ...]


class Monomials:
    """Monomials of the features `Z` with their values, a line for each; `allows` says which functions may be used."""

    def __init__(
        self,
        Z: Floats,
        allows: Callable[..., bool],
        ones: bool = False,
        admits: Callable[[Expression], bool] = lambda _: True,
    ) -> None:
        """`ones`: features are numbers without a unit, so that 1 - x may be a factor; `admits` says which monomials may be used
        where products may not."""
        self.Z = Z
        self.bases = _bases(Z, allows("div"), allows("sqrt"), ones and Z.shape[1] <= MOST_WITH_ONES)
        self.exponents, costs = _monomials(self.bases, Z.shape[1])
        if not allows("mul"):
            admitted = [k for k in range(len(self.exponents)) if admits(self.say(k))]
            self.exponents, costs = [self.exponents[k] for k in admitted], [costs[k] for k in admitted]
        self.costs, self.values = np.array(costs), self._values()

    def __len__(self) -> int:
        return len(self.exponents)

    def _values(self) -> Floats:
        """All at once, by a product in logarithms."""
        base = np.vstack([b.value for b in self.bases])
        exponents = np.zeros((len(self.exponents), len(self.bases)))
        for k, monomial in enumerate(self.exponents):
            for b, e in monomial:
                exponents[k, b] = e
        with np.errstate(all="ignore"):
            size = np.exp(exponents @ np.log(np.maximum(np.abs(base), 1e-300)))
        negative = (np.abs(exponents) % 2 == 1.0).astype(float) @ (base < 0.0).astype(float)
        return np.asarray(np.where(negative % 2 == 1.0, -size, size))

    def say(self, number: int) -> Expression:
        """A monomial as an expression."""
        factors = [
            self.bases[b].expression if e == 1.0 else Power(self.bases[b].expression, e)
            for b, e in self.exponents[number]
        ]
        return factors[0] if len(factors) == 1 else Operation("mul", tuple(factors))


def _cost(monomial: Monomial, bases: list[Base]) -> float:
    """Products and quotients of several plain features cost less than their parts."""
    cost = sum(EXPONENT_COSTS[e] + bases[b].cost for b, e in monomial)
    plain = all(abs(e) == 1.0 and bases[b].cost == 0.0 for b, e in monomial)
    return cost - 0.3 * (len(monomial) - 1) if plain else cost


def _bases(Z: Floats, division: bool, roots: bool, ones: bool) -> list[Base]:
    """Features, then sums and differences of two, or of one and the number 1."""

    def exponents(values: Floats, cheap: bool) -> tuple[float, ...]:
        usable = [e for e in EXPONENT_COSTS if e.is_integer() and (abs(e) <= 2 or not cheap)]
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


def _monomials(bases: list[Base], features: int) -> tuple[list[Monomial], list[float]]:
    """The simplest products of powers of bases, and what they cost; at most one base is a sum or difference."""
    found: list[Monomial] = []
    for limit in COST_LIMITS:
        found = _up_to(limit, bases, features)
        if len(found) >= MOST_MONOMIALS:
            break
    quotients = itertools.islice(_quotients(bases, features), MOST_MONOMIALS)
    simplest = itertools.islice(dict.fromkeys([*quotients, *found]), MOST_MONOMIALS)
    costs = sorted(((_cost(m, bases), m) for m in simplest), key=lambda pair: pair[0])
    return [monomial for _, monomial in costs], [cost for cost, _ in costs]


def _up_to(limit: float, bases: list[Base], features: int) -> list[Monomial]:
    """Monomials that cost no more, the cheapest first and no more than are needed."""
    powers = [(b, e) for b, base in enumerate(bases) for e in base.exponents]
    base = np.array([b for b, _ in powers], dtype=np.intp)
    price = np.array([EXPONENT_COSTS[e] + bases[b].cost for b, e in powers])
    parts: list[tuple[Floats, npt.NDArray[np.intp]]] = []
    # Powers by their numbers, one more for every round.
    members, costs = np.empty((1, 0), dtype=np.intp), np.zeros(1)
    while len(members):
        may_grow = costs + price.min(initial=np.inf) <= limit
        members, costs = members[may_grow], costs[may_grow]
        last = base[members[:, -1]] if members.shape[1] else np.full(len(members), -1)
        joint = np.any(base[members] >= features, axis=1)
        further = costs[:, None] + price <= limit
        further &= (base > last[:, None]) & ~(joint[:, None] & (base >= features))
        old, new = np.nonzero(further)
        members, costs = np.column_stack([members[old], new]), costs[old] + price[new]
        parts.append((costs, members))
    cheapest = np.argsort(np.concatenate([costs for costs, _ in parts]), kind="stable")[:MOST_MONOMIALS]
    begins = np.cumsum([0, *(len(costs) for costs, _ in parts)])
    rounds = np.searchsorted(begins, cheapest, side="right") - 1
    return [
        tuple(powers[k] for k in parts[r][1][place])
        for r, place in zip(rounds, cheapest - begins[rounds], strict=True)
    ]


def _quotients(bases: list[Base], features: int) -> Iterator[Monomial]:
    """Products and quotients of plain features: dimensionless groups are often such."""
    for count in range(1, 1 + min(features, 6 if features <= 6 else 4)):
        for used in itertools.combinations(range(features), count):
            signs = [[e for e in (1.0, -1.0) if e in bases[b].exponents] for b in used]
            for exponents in itertools.product(*signs):
                yield tuple(zip(used, exponents, strict=True))
