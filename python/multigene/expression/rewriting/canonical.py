"""Sums and products in canonical form: what `always.py` makes of every `add`, `sub`, `mul`, `div` and power.

A sum is one n-ary `add` whose terms carry their coefficients (`sub` disappears), a product is one n-ary `mul` with its number in
front, a quotient is one `div` of such products. What would overflow or underflow while folding raises an `UnsafeError`: the
caller leaves it as it stands.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from multigene.expression.build import join_term, power_of, product_of, sum_of
from multigene.expression.constants import LARGEST_EXPONENTIAL, MOST_OUT_OF_EXP
from multigene.expression.readable import size
from multigene.expression.rewriting.parts import is_a, split_term, terms_of
from multigene.expression.tree import Expression, Number, Operation, Power, Variable


class UnsafeError(Exception):
    """Folding here would leave the range of floating point numbers."""


# --- sums -----------------------------------------------------------------------------------------


def canonical_sum(parts: Iterable[tuple[float, Expression]]) -> Expression:
    """Add up `factor * expression` parts: constants folded, like terms merged, in canonical order."""
    constant, coefficients = 0.0, dict[Expression, float]()
    waiting = list(parts)
    while waiting:
        for factor, part in waiting:
            for term in terms_of(part):
                coefficient, rest = split_term(term)
                coefficient = _finite(factor * coefficient)
                if rest is None:
                    constant = _finite(constant + coefficient)
                else:
                    coefficients[rest] = _finite(coefficients.get(rest, 0.0) + coefficient)
        # 2*(x + y) - 3*x is 2*y - x: a sum that has a term in common with this one is opened.
        waiting = [(coefficients.pop(each), each) for each in _like_others(coefficients, constant)]
    kept = sorted((rest for rest, value in coefficients.items() if value != 0.0), key=canonical_order)
    terms_out = [join_term(coefficients[rest], rest) for rest in kept]
    if constant != 0.0 or not terms_out:
        terms_out.append(Number(constant))
    # `3 - x` reads better than `-x + 3`.
    leader = next((i for i, term in enumerate(terms_out) if split_term(term)[0] > 0.0), 0)
    terms_out.insert(0, terms_out.pop(leader))
    return sum_of(terms_out)


def _like_others(terms: Mapping[Expression, float], constant: float) -> list[Expression]:
    """Terms that are sums and have a term of another one, or a number beside a number."""
    inner = {each: [split_term(t)[1] for t in each.children] for each in terms if is_a(each, "add")}
    return [
        each
        for each, rests in inner.items()
        if any((constant != 0.0) if rest is None else rest in terms for rest in rests)
    ]


# --- products -------------------------------------------------------------------------------------


class _Factors:
    """A product taken apart: one coefficient and an exponent for every base."""

    def __init__(self) -> None:
        self.coefficient = 1.0
        self.exponents: dict[Expression, float] = {}

    def multiply(self, expression: Expression, power: float) -> None:
        """Multiply by `expression ** power`."""
        whole = power.is_integer()
        if isinstance(expression, Number) and (whole or expression.value > 0.0):
            self._scale(expression.value, power)
        elif isinstance(expression, Power) and _may_nest(expression, power):
            self.multiply(expression.base, expression.exponent * power)
        elif isinstance(expression, Operation) and whole and expression.name in ("neg", "mul", "div", "inv"):
            self._multiply_product(expression, power)
        elif isinstance(expression, Operation) and expression.name == "abs" and whole and power % 2 == 0:
            self.multiply(expression.arguments[0], power)
        elif is_a(expression, "sqrt") and _is_reciprocal(expression.children[0]):
            self.multiply(Operation("sqrt", expression.children[0].children[-1:]), -power)
        elif is_a(expression, "exp") and power not in (1.0, -1.0):
            self._collect(
                Operation("exp", (canonical_product([(Number(power), 1.0), (expression.children[0], 1.0)]),)),
                1.0,
            )
        elif isinstance(expression, Operation) and expression.name == "mul" and _is_fitted(expression, power):
            # (1.38e-5*x)**0.03 is 0.71*x**0.03
            coefficient, rest = split_term(expression)
            self._scale(coefficient, power)
            self._collect(rest or Number(1.0), power)
        else:
            self._collect(expression, power)

    def _multiply_product(self, product: Operation, power: float) -> None:
        if product.name == "neg":
            self._scale(-1.0, power)
            self.multiply(product.arguments[0], power)
        elif product.name == "inv":
            self.multiply(product.arguments[0], -power)
        elif abs(power) != 1.0 and sum(not isinstance(part, Number) for part in product.arguments) > 1:
            # (2*x*y)**3 becomes 8*(x*y)**3, which is shorter than a power of every factor.
            coefficient, rest = split_term(product)
            self._scale(coefficient, power)
            if rest is not None:
                self._collect(rest, power)
        else:
            signs = (1.0, -1.0) if product.name == "div" else (1.0,) * len(product.arguments)
            for part, sign in zip(product.arguments, signs, strict=True):
                self.multiply(part, sign * power)

    def _scale(self, value: float, power: float) -> None:
        if value == 0.0 and power < 0.0:
            raise UnsafeError
        try:
            factor = math.pow(value, power)
        except (OverflowError, ValueError):
            raise UnsafeError from None
        product = _finite(self.coefficient * factor)
        if (factor == 0.0 and value != 0.0) or (product == 0.0 and factor != 0.0 and self.coefficient != 0.0):
            raise UnsafeError
        self.coefficient = product

    def _collect(self, base: Expression, power: float) -> None:
        if base in self.exponents:
            old = self.exponents[base]
            if not _may_join(base, old, power):
                raise UnsafeError
            power += old
        self.exponents[base] = power

    def _without_numbers_inside(self) -> None:
        """2*exp(x + 1.234) is 6.87*exp(x), and 2*sqrt(1.234*x) is 2.22*sqrt(x): numbers that were fitted stand once."""
        if self.coefficient == 0.0 or (abs(self.coefficient) == 1.0 and len(self.exponents) < 2):
            return
        for base, power in list(self.exponents.items()):
            inner, scale = _number_inside(base, fitted=has_many_digits(self.coefficient))
            if inner in self.exponents or inner is base:
                continue
            before = self.coefficient
            try:
                self._scale(scale, power)
            except UnsafeError:
                self.coefficient = before
                continue
            if _is_farther_from_one(self.coefficient, before) and abs(math.log(scale)) > MOST_OUT_OF_EXP:
                self.coefficient = before
                continue
            self.exponents = {inner if b is base else b: p for b, p in self.exponents.items()}

    def _join_roots(self) -> None:
        """sqrt(x)/x is 1/sqrt(x), and x*sqrt(x) is x**1.5."""
        for root in list(self.exponents):
            inside = root.children[0] if is_a(root, "sqrt") else None
            # A root of this root may have taken its place.
            if root not in self.exponents or inside not in self.exponents:
                continue
            assert inside is not None
            base, power, old = inside, self.exponents[root], self.exponents[inside]
            if _may_join(base, old, power / 2.0):
                del self.exponents[root], self.exponents[base]
                joined = old + power / 2.0
                if abs(joined) == 0.5:
                    base, joined = root, 2.0 * joined
                self.exponents[base] = joined

    def _join_sines(self) -> None:
        """x*sinc(2*x) is sin(2*x)/2."""
        for base, power in list(self.exponents.items()):
            factor, inside = split_term(base.children[0]) if is_a(base, "sinc") else (1.0, None)
            both = min(power, self.exponents.get(inside, 0.0)) if inside is not None else 0.0
            if inside is None or both < 1.0 or not both.is_integer():
                continue
            sine = Operation("sin", base.children)
            self._scale(factor, -both)
            for each, gained in ((base, -both), (inside, -both), (sine, both)):
                self.exponents[each] = self.exponents.get(each, 0.0) + gained

    def _turn_quotients(self) -> None:
        """1/(a/b)**2 is (b/a)**2."""
        for base, power in list(self.exponents.items()):
            if power < 0.0 and isinstance(base, Operation) and base.name == "div":
                above, below = base.arguments
                turned = Operation("div", (below, above))
                if not isinstance(above, Number) and turned not in self.exponents:
                    del self.exponents[base]
                    self.exponents[turned] = -power

    def build(self) -> Expression:
        """The product in canonical form."""
        self._without_numbers_inside()
        self._join_roots()
        self._join_sines()
        self._turn_quotients()
        if self.coefficient == 0.0:
            return Number(0.0)
        bases = sorted((base for base, power in self.exponents.items() if power != 0.0), key=canonical_order)
        above = [power_of(base, self.exponents[base]) for base in bases if self.exponents[base] > 0.0]
        below = [power_of(base, -self.exponents[base]) for base in bases if self.exponents[base] < 0.0]
        if abs(self.coefficient) != 1.0 and above and is_a(above[0], "add"):
            # 2*(x + 1)*exp(y) is multiplied out by who reads it from left to right, as SymPy does; 2*exp(y)*(x + 1) is not.
            above.sort(key=lambda factor: is_a(factor, "add"))
        if below:
            return join_term(self.coefficient, Operation("div", (product_of(above), product_of(below))))
        if len(above) == 1 and isinstance(above[0], Operation) and above[0].name == "add":
            return _distribute(self.coefficient, above[0])
        return join_term(self.coefficient, product_of(above) if above else None)


def _number_inside(base: Expression, fitted: bool) -> tuple[Expression, float]:
    """What is left of an exponential or a root without a fitted number inside, and the factor that this number is.

    A number of few digits may be meant, 2*exp(1 - x); beside a coefficient that was `fitted` it is not.
    """
    if isinstance(base, Operation) and base.name == "exp":
        terms = terms_of(base.arguments[0])
        rest = [term for term in terms if not isinstance(term, Number)]
        values = [term.value for term in terms if isinstance(term, Number)]
        if rest and values and abs(values[0]) <= LARGEST_EXPONENTIAL:
            fitted = fitted or has_many_digits(values[0]) or abs(values[0]) > MOST_OUT_OF_EXP
            if fitted:
                return Operation("exp", (sum_of(rest),)), math.exp(values[0])
    if isinstance(base, Operation) and base.name == "sqrt":
        coefficient, inside = split_term(base.arguments[0])
        if (
            inside is not None
            and coefficient > 0.0
            and coefficient != 1.0
            and (fitted or has_many_digits(coefficient))
        ):
            return Operation("sqrt", (inside,)), math.sqrt(coefficient)
    return base, 1.0


def _is_farther_from_one(coefficient: float, other: float) -> bool:
    return abs(math.log(abs(coefficient))) > abs(math.log(abs(other)))


def _is_fitted(product: Operation, power: float) -> bool:
    """Is a product's own number positive, and one that was fitted, so that a broken power of it may stand outside?"""
    coefficient, rest = split_term(product)
    if power.is_integer() or rest is None or coefficient <= 0.0:
        return False
    return has_many_digits(coefficient) or has_many_digits(power) or not 1e-3 < coefficient < 1e3


def has_many_digits(value: float) -> bool:
    """Does a number have more digits than people write?"""
    return float(f"{value:.3g}") != value


def canonical_product(parts: Iterable[tuple[Expression, float]]) -> Expression:
    """The product of `expression ** power` parts: numbers folded, powers of one base joined, in canonical order."""
    factors = _Factors()
    for part, power in parts:
        if isinstance(part, Power):
            factors.multiply(part.base, part.exponent * power)
        else:
            factors.multiply(part, power)
    return factors.build()


def _is_reciprocal(node: Expression) -> bool:
    return is_a(node, "inv") or (is_a(node, "div") and node.children[0] == Number(1.0))


def _may_join(base: Expression, first: float, second: float) -> bool:
    """Whether `base**first * base**second` is `base**(first + second)` wherever the former has a value, and no wider:
    sqrt(x)*sqrt(x) has no value below zero, x has."""
    if isinstance(base, Operation) and base.name == "abs":
        return True
    return (first.is_integer() and second.is_integer()) or not (first + second).is_integer()


def _may_nest(inner: Power, power: float) -> bool:
    """Whether `(base**a)**power` is `base**(a*power)` wherever the former has a value, and no wider."""
    if isinstance(inner.base, Operation) and inner.base.name == "abs":
        return True
    product = inner.exponent * power
    return power.is_integer() and (inner.is_integer or not product.is_integer())


def _distribute(coefficient: float, terms: Operation) -> Expression:
    """`c*(a*x + b)` becomes `(c*a)*x + c*b` unless that would be longer."""
    bare = sum(
        split_term(term)[1] is not None and abs(split_term(term)[0]) == 1.0 for term in terms.arguments
    )
    if coefficient == 1.0:
        return terms
    if bare <= 1 or coefficient == -1.0:
        return canonical_sum([(coefficient, terms)])
    return join_term(coefficient, terms)


# --- order and range ------------------------------------------------------------------------------


def canonical_order(expression: Expression) -> tuple[int, int, _Text]:
    """Variables by column, then the rest by size; the text settles ties, so equal sets come out equal."""
    if isinstance(expression, Variable):
        return 0, expression.index, _Text("")
    if isinstance(expression, Power) and isinstance(expression.base, Variable):
        return 1, expression.base.index, _Text(expression.exponent)
    return 2, size(expression), _Text(expression)


class _Text:
    """What a thing is written as, written only where two are compared: mostly their sizes tell."""

    __slots__ = ("thing",)

    def __init__(self, thing: object) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Text) and repr(self.thing) == repr(other.thing)

    def __lt__(self, other: _Text) -> bool:
        return repr(self.thing) < repr(other.thing)

    def __hash__(self) -> int:
        return hash(repr(self.thing))


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise UnsafeError
    return value
