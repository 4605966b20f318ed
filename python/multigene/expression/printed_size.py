"""The one definition of a formula's size: nodes of the tree that SymPy makes of what is printed.

    3*x + 1         5    a sum, 1, a product, 3, x: a linear combination of k columns has 3k + 1 nodes, with a constant 3k + 2
    x - y           5    a difference is a sum with a product by -1
    x/y             5    a quotient is a product with a power of -1
    sqrt(x), x**2   3    roots and powers have an exponent

Sums and products have any number of parts, and numbers in them fold into one, so the way in which a formula is written does not
matter. The engine counts the same of a model's genes (`Individual.printed_size`), where a search cannot wait for formulas; both
are tested against SymPy, which is not needed here. `readable.size` is something else: what a person has to write (a quotient is
one sign), by which rewriting and the law search decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from multigene.expression.build import ONE
from multigene.expression.readable import plain, readable
from multigene.expression.tree import Expression, Number, Operation, Power, Variable, fold

#: A base, its size, and its exponent.
Factor = tuple[object, int, float]


@dataclass(frozen=True)
class _Product:
    """Factors, with a number before them unless that is 1."""

    factors: tuple[Factor, ...]
    number: bool = False

    @property
    def size(self) -> int:
        parts = sum(size + (0 if exponent == 1.0 else 2) for _, size, exponent in self.factors) + self.number
        return parts + (len(self.factors) + self.number > 1)


@dataclass(frozen=True)
class _Sum:
    """Terms, and whether there is a number beside them. A number alone has no terms."""

    terms: tuple[_Product, ...]
    number: bool = False

    @property
    def size(self) -> int:
        if len(self.terms) == 1 and not self.number:
            return self.terms[0].size
        return sum(term.size for term in self.terms) + self.number + (len(self.terms) > 0)

    @property
    def is_number(self) -> bool:
        return not self.terms


NUMBER = _Sum((), True)


def printed_size(expression: Expression) -> int:
    """Nodes of the SymPy tree of the printed formula."""
    return max(1, fold(readable(plain(expression)), _value).size)


def _value(node: Expression, parts: Sequence[_Sum]) -> _Sum:
    if isinstance(node, Number):
        return NUMBER
    if isinstance(node, Variable):
        return _whole(node, 1)
    if isinstance(node, Power):
        return _power(parts[0], node.exponent)
    assert isinstance(node, Operation)
    if all(part.is_number for part in parts):
        return NUMBER
    match node.name:
        case "add":
            return _sum(parts)
        case "sub":
            return _sum([parts[0], _scaled(parts[1])])
        case "neg":
            return _scaled(parts[0])
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
    return _whole(node, 1 + sum(part.size for part in parts))


def _whole(base: object, nodes: int) -> _Sum:
    return _Sum((_Product(((base, nodes, 1.0),)),))


def _sum(parts: Sequence[_Sum]) -> _Sum:
    """Terms that differ in their number alone become one."""
    terms: dict[object, _Product] = {}
    for part in parts:
        for term in part.terms:
            known = term.factors in terms
            terms[term.factors] = _Product(term.factors, known or term.number)
    return _Sum(tuple(terms.values()), any(part.number for part in parts))


def _scaled(value: _Sum) -> _Sum:
    """Times a number: it goes into every term."""
    return _Sum(tuple(_Product(term.factors, True) for term in value.terms), value.number)


def _product(first: _Sum, second: _Sum) -> _Sum:
    if first.is_number or second.is_number:
        return _scaled(second if first.is_number else first)
    one, other = _factors(first), _factors(second)
    factors: dict[object, Factor] = {}
    for base, nodes, exponent in (*one.factors, *other.factors):
        before = factors[base][2] if base in factors else 0.0
        factors[base] = (base, nodes, before + exponent)
    left = tuple(f for f in factors.values() if f[2] != 0.0)
    return _Sum((_Product(left, one.number or other.number),)) if left else NUMBER


def _factors(value: _Sum) -> _Product:
    if len(value.terms) == 1 and not value.number:
        return value.terms[0]
    return _Product(((value, value.size, 1.0),))


def _power(value: _Sum, exponent: float) -> _Sum:
    if value.is_number:
        return value
    product = _factors(value)
    if float(exponent).is_integer() or len(product.factors) == 1:
        raised = tuple((b, nodes, e * exponent) for b, nodes, e in product.factors)
        return _Sum((_Product(raised, product.number),))
    # A number comes out of the root of a product, which stays together.
    inner = _Product(product.factors)
    return _Sum((_Product(((inner, inner.size, exponent),), product.number),))
