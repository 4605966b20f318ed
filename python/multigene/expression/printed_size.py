"""The one definition of a formula's size: nodes of the tree that SymPy makes of what is printed.

    3*x + 1         5    a sum, 1, a product, 3, x: a linear combination of k columns has 3k + 1 nodes, with a constant 3k + 2
    x - y           5    a difference is a sum with a product by -1
    x/y             5    a quotient is a product with a power of -1
    sqrt(x), x**2   3    roots and powers have an exponent
    exp(y*log(x))   3    it is printed x**y

    exp(x + 2.5)    4    a number with a point comes out of an exponential: 12.2*exp(x); exp(x)**2 is exp(2*x), exp(log(x)) x
    cos(x - 2*y - 3*z)   odd and even functions are of the sum with fewer minus signs, here cos(2*y + 3*z - x), or, where there
                         are as many of both, of the one whose first term has none

Sums and products have any number of parts, and numbers in them fold into one, so the way in which a formula is written does not
matter. The engine counts nearly the same of a model's genes (`Individual.printed_size`), where a search cannot wait for formulas;
both are tested against SymPy, which is not needed here. `readable.size` is something else: what a person has to write (a quotient
is one sign), by which rewriting and the law search decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from multigene.expression.constants import LARGEST_EXPONENTIAL
from multigene.expression.numbers import as_shown, recognised
from multigene.expression.operators import OPERATORS
from multigene.expression.readable import as_read, plain, raised, readable
from multigene.expression.tree import Expression, Number, Operation, Power, Variable, applied, fold

#: Functions that SymPy turns the argument of: f(-x) is f(x), or -f(x).
EVEN, ODD = ("cos", "abs"), ("sin", "tanh", "atan", "arcsin", "arctan", "erf")
#: What comes out of the root of a product, since it is not negative.
POSITIVE = ("abs", "pi")
#: The smallest number above 0.
SMALLEST = float(np.nextafter(0.0, 1.0))
#: Where SymPy sorts functions; others stand behind them.
PLACES = {"exp": 10, "log": 11, "sin": 20, "cos": 21, "tanh": 32}


@dataclass(frozen=True, eq=False)
class _Base:
    """What is raised to powers: a column, a function, a sum; there is one object of each, so comparing them takes no time."""

    kind: str
    inside: tuple[_Sum, ...]
    size: int
    #: By what SymPy sorts it.
    order: Any


@dataclass(frozen=True)
class _Product:
    """Bases with exponents, and a number before them unless that is 1: an exact one, or one with a point."""

    powers: frozenset[tuple[_Base, float]]
    value: float = 1.0
    exact: bool = True

    @property
    def has_number(self) -> bool:
        return self.value != 1.0 or not self.exact

    @property
    def size(self) -> int:
        parts = sum(base.size + (0 if exponent == 1.0 else 2) for base, exponent in self.powers)
        return parts + self.has_number + (len(self.powers) + self.has_number > 1)

    @property
    def order(self) -> Any:
        keys = sorted((*base.order, exponent) for base, exponent in self.powers)
        return keys[0] if len(keys) == 1 else ((3, 0, "Mul"), (len(keys), tuple(keys)), 1.0)


@dataclass(frozen=True)
class _Sum:
    """Terms, and a number beside them unless that is 0. A number alone has no terms."""

    terms: frozenset[_Product]
    value: float = 0.0
    exact: bool = True

    @property
    def is_number(self) -> bool:
        return not self.terms

    @property
    def has_number(self) -> bool:
        return self.value != 0.0 or not self.exact

    @property
    def size(self) -> int:
        parts = sum(term.size for term in self.terms) + self.has_number
        return max(1, parts + (len(self.terms) + self.has_number > 1))

    @property
    def product(self) -> _Product | None:
        """Its only term."""
        return next(iter(self.terms)) if len(self.terms) == 1 and not self.has_number else None

    @property
    def order(self) -> Any:
        keys = [(*term.order, term.value) for term in _in_order(self)]
        if self.has_number:
            keys.append(((1, 0, "Number"), (0, ()), 1.0, self.value))
        return keys[0] if len(keys) == 1 else ((3, 1, "Add"), (len(keys), tuple(keys)), 1.0, 1.0)


def printed_size(expression: Expression, names: Sequence[str] = ()) -> int:
    """Nodes of the SymPy tree of the printed formula; its columns are called x0, x1, … unless their `names` are given."""
    return fold(as_read(readable(plain(as_shown(expression)))), _Reader(names).value).size


class _Reader:
    """Makes of a formula, bottom-up, the sums and products that SymPy makes of it."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.bases: dict[Any, _Base] = {}

    def value(self, node: Expression, parts: Sequence[_Sum]) -> _Sum:
        if isinstance(node, Number):
            return self.number(node.value)
        if isinstance(node, Variable):
            return self.symbol(self.names[node.index] if self.names else f"x{node.index}")
        if isinstance(node, Power):
            return self.power(parts[0], node.exponent)
        assert isinstance(node, Operation)
        if all(part.is_number for part in parts):
            return _folded(node, parts)
        match node.name:
            case "add":
                return _sum(parts)
            case "sub":
                return _sum([parts[0], _scaled(parts[1], -1.0)])
            case "neg":
                return _scaled(parts[0], -1.0)
            case "mul":
                product = parts[0]
                for part in parts[1:]:
                    product = self.product(product, part)
                return product
            case "div":
                return self.product(parts[0], self.power(parts[1], -1.0))
            case "inv":
                return self.power(parts[0], -1.0)
            case "sqrt":
                return self.power(parts[0], 0.5)
            case "exp":
                power = raised(node)
                if power is not None:
                    return self.function("**", [fold(part, self.value) for part in power])
                return self.exponential(parts[0])
            case "min" | "max":
                return self.extreme(node.name, parts)
        return self.function(node.name, parts)

    # --- leaves and functions ---

    def base(self, kind: str, inside: tuple[_Sum, ...], size: int, order: Any) -> _Base:
        return self.bases.setdefault(
            (kind, inside, order if not inside else None), _Base(kind, inside, size, order)
        )

    def symbol(self, name: str) -> _Sum:
        return _whole(self.base("symbol", (), 1, ((2, 0, "Symbol"), (1, (name,)))))

    def number(self, value: float) -> _Sum:
        """A number, as it is printed: 0.5, 2, 1/3, or a product with π."""
        name = recognised(value)
        if name is None:
            return _number(value, exact=value.is_integer())
        ratio = name[0] / name[1]
        pi = _whole(self.base("pi", (), 1, ((1, 0, "Pi"), (0, ()))))
        return _scaled(pi, ratio) if name[2] else _number(ratio, exact=True)

    def function(self, name: str, arguments: Sequence[_Sum]) -> _Sum:
        first, sign = arguments[0], 1.0
        if name in (*EVEN, *ODD) and _is_turned(first):
            arguments, sign = [_scaled(first, -1.0)], -1.0 if name in ODD else 1.0
        keys = tuple(argument.order for argument in arguments)
        order = (4, PLACES.get(name, 10_000), name), (len(keys), keys)
        size = 1 + sum(argument.size for argument in arguments)
        return _scaled(_whole(self.base(name, tuple(arguments), size, order)), sign)

    def extreme(self, name: str, parts: Sequence[_Sum]) -> _Sum:
        """The smallest or largest of several: of those inside, too, and each once."""
        inside = [base.inside if base.kind == name else (part,) for part in parts for base in (_alone(part),)]
        different = dict.fromkeys(chain.from_iterable(inside))
        return self.function(name, list(different)) if len(different) > 1 else parts[0]

    def exponential(self, inside: _Sum) -> _Sum:
        """Numbers with a point and logarithms come out as factors."""
        out = (
            _number(1.0)
            if inside.exact
            else _number(
                float(np.exp(np.clip(inside.value, -LARGEST_EXPONENTIAL, LARGEST_EXPONENTIAL))), exact=False
            )
        )
        left = []
        for term in inside.terms:
            base = _alone(_Sum(frozenset([replace(term, value=1.0, exact=True)])))
            if base.kind == "log":
                out = self.product(out, self.power(base.inside[0], term.value))
            else:
                left.append(term)
        rest = _Sum(frozenset(left), inside.value if inside.exact else 0.0)
        if rest.is_number and not rest.has_number:
            return out
        return self.product(out, self.function("exp", [rest]))

    # --- products and powers ---

    def factors(self, value: _Sum) -> _Product:
        return value.product or _Product(frozenset([(self.of_sum(value), 1.0)]))

    def of_sum(self, value: _Sum) -> _Base:
        return self.base("sum", (value,), value.size, value.order[:2])

    def product(self, first: _Sum, second: _Sum) -> _Sum:
        if first.is_number or second.is_number:
            number, rest = (first, second) if first.is_number else (second, first)
            return _scaled(rest, number.value, number.exact)
        one, other = self.factors(first), self.factors(second)
        exponents: dict[_Base, float] = {}
        exponentials: dict[Any, _Sum] = {}
        for base, exponent in chain(one.powers, other.powers):
            if base.kind == "exp" and exponent == 1.0:
                # exp(x)*exp(2*x) is exp(3*x); what differs in more than a number stays apart.
                [inside] = base.inside
                kind = inside.product.powers if inside.product else inside
                exponentials[kind] = _sum([exponentials[kind], inside]) if kind in exponentials else inside
            else:
                exponents[base] = exponents.get(base, 0.0) + exponent
        powers, value = list(exponents.items()), _times(one.value, other.value)
        exact = one.exact and other.exact
        joined = [self.exponential(inside) for inside in exponentials.values()]
        powers += [(_alone(each), 1.0) for each in joined if _alone(each).kind == "exp"]
        others = [each for each in joined if _alone(each).kind != "exp"]
        return self.all_of([_of(powers, value, exact), *others]) if others else _of(powers, value, exact)

    def power(self, value: _Sum, exponent: float) -> _Sum:
        whole = float(exponent).is_integer()
        if value.is_number:
            return self.number_to(value.value, exponent, value.exact)
        product = self.factors(value)
        if whole:
            powers = [self.raised(base, before, exponent) for base, before in product.powers]
            number = self.number_to(product.value, exponent, product.exact)
            return self.all_of([number, *powers])
        # Numbers, but for their sign, and sizes come out of the root of a product, which stays together.
        out = [self.number_to(abs(product.value), exponent, product.exact)] if product.has_number else []
        out += [
            _of([(b, e * exponent)])
            for b, e in product.powers
            if b.kind in POSITIVE and len(product.powers) > 1
        ]
        inside = [(b, e) for b, e in product.powers if b.kind not in POSITIVE or len(product.powers) == 1]
        left = _Product(frozenset(inside), -1.0 if product.value < 0.0 else 1.0)
        return self.all_of([*out, self.root(left, exponent)])

    def root(self, product: _Product, exponent: float) -> _Sum:
        """Of powers, the exponents are multiplied where SymPy knows that it may."""
        if len(product.powers) == 1 and product.value == 1.0:
            [(base, before)] = product.powers
            if -1.0 < before <= 1.0:
                return _of([(base, before * exponent)])
        together = _Sum(frozenset([product]))
        return _of([(self.base("product", (together,), product.size, product.order[:2]), exponent)])

    def raised(self, base: _Base, before: float, exponent: float) -> _Sum:
        if base.kind == "exp" and before == 1.0:
            return self.exponential(_scaled(base.inside[0], exponent))
        if base.kind == "number":
            return self.number_to(base.inside[0].value, before * exponent, exact=True)
        if base.kind == "product" and (before * exponent).is_integer():
            return self.power(base.inside[0], before * exponent)
        return _of([(base, before * exponent)])

    def all_of(self, factors: Iterable[_Sum]) -> _Sum:
        product = _number(1.0)
        for factor in factors:
            product = self.product(product, factor)
        return product

    def number_to(self, value: float, exponent: float, exact: bool) -> _Sum:
        """A number's power; the root of a whole number that is none stays: sqrt(2), and sqrt(2)/2 for its inverse."""
        with np.errstate(all="ignore"):
            power = float(np.power(value, exponent)) if value >= 0.0 or exponent.is_integer() else np.nan
        if not exact or exponent.is_integer() or not value.is_integer() or value == 1.0 or power.is_integer():
            return _number(power if np.isfinite(power) else value, exact)
        base = self.base("number", (_number(value),), 1, ((1, 0, "Number"), (0, ())))
        upper = exponent % 1.0
        return _of([(base, upper)], float(value ** (exponent - upper)))


def _of(powers: Iterable[tuple[_Base, float]], value: float = 1.0, exact: bool = True) -> _Sum:
    found = frozenset((base, exponent) for base, exponent in powers if exponent != 0.0)
    if not found:
        return _number(value, exact)
    [(base, exponent), *others] = found
    if not others and base.kind == "sum" and exponent == 1.0:
        return _scaled(base.inside[0], value, exact)
    return _Sum(frozenset([_Product(found, value, exact)]))


def _whole(base: _Base) -> _Sum:
    return _of([(base, 1.0)])


def _alone(value: _Sum) -> _Base:
    """The only base of a value, if that is all there is."""
    product = value.product
    if product is not None and len(product.powers) == 1 and not product.has_number:
        [(base, exponent)] = product.powers
        if exponent == 1.0:
            return base
    return _NOTHING


_NOTHING = _Base("", (), 0, ())


def _number(value: float, exact: bool = True) -> _Sum:
    return _Sum(frozenset(), value, exact)


def _folded(node: Operation, parts: Sequence[_Sum]) -> _Sum:
    """An operation on numbers is one."""
    with np.errstate(all="ignore"):
        value = float(applied(node, [np.asarray(part.value) for part in parts]))
    exact = bool(OPERATORS[node.name].sign) and all(part.exact for part in parts)
    return _number(value if np.isfinite(value) else 1.0, exact)


def _sum(parts: Sequence[_Sum]) -> _Sum:
    """Terms that differ in their number alone become one."""
    terms: dict[frozenset[tuple[_Base, float]], _Product] = {}
    for term in chain.from_iterable(part.terms for part in parts):
        known = terms.get(term.powers)
        if known is not None:
            term = _Product(term.powers, known.value + term.value, known.exact and term.exact)
        terms[term.powers] = term
    kept = frozenset(term for term in terms.values() if term.value != 0.0)
    return _Sum(kept, sum(part.value for part in parts), all(part.exact for part in parts))


def _scaled(value: _Sum, by: float, exact: bool = True) -> _Sum:
    """Times a number: it goes into every term."""
    terms = (replace(t, value=_times(by, t.value), exact=exact and t.exact) for t in value.terms)
    return _Sum(frozenset(terms), _times(by, value.value), value.exact and (exact or value.value == 0.0))


def _times(first: float, second: float) -> float:
    """A product, which is 0 only where a factor is: numbers of SymPy do not underflow, and 1e-200*exp(-500.5)*x has its term."""
    product = first * second
    return (
        product
        if product or not (first and second)
        else float(np.copysign(SMALLEST, first) * np.sign(second))
    )


def _is_turned(value: _Sum) -> bool:
    """Whether SymPy takes a minus sign out of an argument: there are more terms with it than without, or the first has it."""
    numbers = [term.value for term in value.terms] + ([value.value] if value.has_number else [])
    minus = sum(number < 0.0 for number in numbers)
    if len(numbers) == 1 or 2 * minus != len(numbers):
        return 2 * minus > len(numbers)
    return _in_order(value)[0].value < 0.0


def _in_order(value: _Sum) -> list[_Product]:
    """The terms as SymPy sorts them: by the exponents of the first base, of the second, …"""
    monomials = [(term, dict(_generator(*power) for power in term.powers)) for term in value.terms]
    bases = sorted(set(chain.from_iterable(monomial for _, monomial in monomials)))
    ranked = sorted(monomials, key=lambda m: [-m[1].get(base, 0.0) for base in bases])
    return [term for term, _ in ranked]


def _generator(base: _Base, exponent: float) -> tuple[Any, float]:
    return ((*base.order, 1.0), exponent) if exponent.is_integer() else ((*base.order, exponent), 1.0)
