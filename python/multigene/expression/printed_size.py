"""The one definition of a formula's size: nodes of the tree that SymPy makes of what is printed.

    3*x + 1         5    a sum, 1, a product, 3, x: a linear combination of k columns has 3k + 1 nodes, with a constant 3k + 2
    x - y           5    a difference is a sum with a product by -1
    x/y             5    a quotient is a product with a power of -1
    sqrt(x), x**2   3    roots and powers have an exponent
    exp(y*log(x))   3    it is printed x**y

    exp(x + 2.5)    4    a number with a point comes out of an exponential: 12.2*exp(x)
    exp(x)**2       4    an exponential of 2*x
    cos(x - 2*y - 3*z)   odd and even functions are of the sum with fewer minus signs, here cos(2*y + 3*z - x)

Sums and products have any number of parts, and numbers in them fold into one, so the way in which a formula is written does not
matter. The engine counts the same of a model's genes (`Individual.printed_size`), where a search cannot wait for formulas; both
are tested against SymPy, which is not needed here. `readable.size` is something else: what a person has to write (a quotient is
one sign), by which rewriting and the law search decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from multigene.expression.build import ONE
from multigene.expression.readable import plain, raised, readable
from multigene.expression.rewriting.parts import split_term
from multigene.expression.tree import Expression, Number, Operation, Power, Variable, evaluate, fold

#: A base, its size, and its exponent.
Factor = tuple[object, int, float]

#: Functions that SymPy turns the argument of, as f(-x) is f(x) or -f(x).
TURNED = ("cos", "sin", "tanh", "atan", "erf")


@dataclass(frozen=True)
class _Product:
    """Factors, with a number before them unless that is 1. What it is tells products of one kind apart."""

    factors: tuple[Factor, ...]
    number: bool = False
    value: float = 1.0

    @property
    def size(self) -> int:
        parts = sum(size + (0 if exponent == 1.0 else 2) for _, size, exponent in self.factors) + self.number
        return parts + (len(self.factors) + self.number > 1)


@dataclass(frozen=True)
class _Sum:
    """Terms, and whether there is a number beside them, and which. A number alone has no terms."""

    terms: tuple[_Product, ...]
    number: bool = False
    value: float = 0.0

    @property
    def size(self) -> int:
        if len(self.terms) == 1 and not self.number:
            return self.terms[0].size
        return sum(term.size for term in self.terms) + self.number + (len(self.terms) > 0)

    @property
    def is_number(self) -> bool:
        return not self.terms


@dataclass(frozen=True)
class _Exponential:
    """The base of a factor exp(…)."""

    inside: _Sum


def printed_size(expression: Expression) -> int:
    """Nodes of the SymPy tree of the printed formula."""
    return max(1, fold(readable(plain(expression)), _value).size)


def _value(node: Expression, parts: Sequence[_Sum]) -> _Sum:
    if isinstance(node, Number):
        return _number(node.value)
    if isinstance(node, Variable):
        return _whole(node, 1)
    if isinstance(node, Power):
        return _power(parts[0], node.exponent)
    assert isinstance(node, Operation)
    if all(part.is_number for part in parts):
        with np.errstate(all="ignore"):
            return _number(float(evaluate(node, np.zeros((1, 1)))[0]))
    match node.name:
        case "add":
            first, *others = zip(node.arguments, parts, strict=True)
            return _sum([first[1], *(_taken_away(term, part) for term, part in others)])
        case "sub":
            return _sum([parts[0], _scaled(parts[1], -1.0)])
        case "neg":
            return _scaled(parts[0], -1.0)
        case "mul":
            product = parts[0]
            for part in parts[1:]:
                product = _product(product, part)
            return product
        case "div":
            below = _power(parts[1], -1.0)
            return below if node.arguments[0] == ONE else _product(parts[0], below)
        case "inv":
            return _power(parts[0], -1.0)
        case "sqrt":
            return _power(parts[0], 0.5)
        case "exp":
            power = raised(node)
            if power is not None:
                return _whole(node, 1 + sum(fold(part, _value).size for part in power))
            return _exponential(parts[0], node.arguments[0])
    turned = _by_turning(node.arguments[0]) if node.name in TURNED else 0
    return _whole(node, 1 + turned + sum(part.size for part in parts))


def _taken_away(term: Expression, part: _Sum) -> _Sum:
    """A later term of a sum: of `- 2.5*(x + y)*z` the 2.5 goes into the sum beside it, and the sign stays."""
    if (
        isinstance(term, Operation)
        and term.name == "mul"
        and isinstance(term.arguments[0], Number)
        and term.arguments[0].value < 0.0
        and len(part.terms) == 1
    ):
        return _Sum((replace(part.terms[0], number=True),), part.number, part.value)
    return part


def _exponential(inside: _Sum, argument: Expression) -> _Sum:
    """A number that is not whole comes out as a factor."""
    numbers = [value for value, rest in _terms(argument) if rest is None]
    out = inside.number and any(not value.is_integer() for value in numbers)
    with np.errstate(over="ignore"):
        factor = float(np.exp(inside.value)) if out else 1.0
    inside = _Sum(inside.terms) if out else inside
    return _Sum((_Product((_of_exponential(inside),), out, factor),))


def _of_exponential(inside: _Sum) -> Factor:
    return _Exponential(inside), 1 + inside.size, 1.0


def _terms(node: Expression, sign: float = 1.0) -> Iterator[tuple[float, Expression | None]]:
    """Coefficients and rests of the terms of a sum."""
    if isinstance(node, Operation) and node.name in ("add", "sub", "neg"):
        for place, child in enumerate(node.arguments):
            minus = node.name == "neg" or (node.name == "sub" and place == 1)
            yield from _terms(child, -sign if minus else sign)
    else:
        coefficient, rest = split_term(node)
        yield sign * coefficient, rest


def _by_turning(argument: Expression) -> int:
    """Nodes that a sum gains, or loses, when all its signs change, which is done where most are minus."""
    terms = list(_terms(argument))
    minus = sum(coefficient < 0.0 for coefficient, _ in terms)
    if len(terms) == 1 or 2 * minus <= len(terms):
        return 0
    own = {1.0: 1, -1.0: -1}
    # The factor -1 of a product is a node, of anything else two.
    return sum(
        own.get(coefficient, 0) * (1 if isinstance(rest, Operation) and rest.name in ("mul", "div") else 2)
        for coefficient, rest in terms
        if rest is not None
    )


def _whole(base: object, nodes: int) -> _Sum:
    return _Sum((_Product(((base, nodes, 1.0),)),))


def _sum(parts: Sequence[_Sum]) -> _Sum:
    """Terms that differ in their number alone become one."""
    terms: dict[object, _Product] = {}
    for part in parts:
        for term in part.terms:
            known = terms.get(term.factors)
            if known is not None:
                term = _Product(term.factors, True, known.value + term.value)
            terms[term.factors] = term
    return _Sum(tuple(terms.values()), any(part.number for part in parts), sum(part.value for part in parts))


def _number(value: float) -> _Sum:
    return _Sum((), True, value)


def _scaled(value: _Sum, by: float) -> _Sum:
    """Times a number: it goes into every term."""
    terms = tuple(_Product(term.factors, True, by * term.value) for term in value.terms)
    return _Sum(terms, value.number, by * value.value)


def _product(first: _Sum, second: _Sum) -> _Sum:
    if first.is_number:
        return _scaled(second, first.value)
    if second.is_number:
        return _scaled(first, second.value)
    one, other = _factors(first), _factors(second)
    factors: dict[object, Factor] = {}
    for base, nodes, exponent in (*one.factors, *other.factors):
        before = factors[base][2] if base in factors else 0.0
        factors[base] = (base, nodes, before + exponent)
    left, value = tuple(f for f in factors.values() if f[2] != 0.0), one.value * other.value
    return _Sum((_Product(left, one.number or other.number, value),)) if left else _number(value)


def _factors(value: _Sum) -> _Product:
    if len(value.terms) == 1 and not value.number:
        return value.terms[0]
    return _Product(((value, value.size, 1.0),))


def _power(value: _Sum, exponent: float) -> _Sum:
    if value.is_number:
        return value
    product = _factors(value)
    number = _power_of(product.value, exponent)
    if float(exponent).is_integer() or len(product.factors) == 1:
        raised = tuple(_raised(factor, exponent) for factor in product.factors)
        return _Sum((_Product(raised, product.number, number),))
    # A number comes out of the root of a product, which stays together.
    inner = _Product(product.factors)
    return _Sum((_Product(((inner, inner.size, exponent),), product.number, number),))


def _power_of(value: float, exponent: float) -> float:
    """A number's power; where there is none the number itself, which tells it from others as well."""
    try:
        power = value**exponent
    except (OverflowError, ZeroDivisionError):
        return value
    return power if isinstance(power, float) else value


def _raised(factor: Factor, exponent: float) -> Factor:
    base, nodes, before = factor
    power = before * exponent
    if isinstance(base, _Exponential) and power.is_integer() and power != 1.0:
        return _of_exponential(_scaled(base.inside, power))
    return base, nodes, power
