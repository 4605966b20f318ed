"""Constructors of expressions: sums, products, powers as they stand, without a rule applied to them.

`Operation` wants a name and a tuple of the right length; these leave out what nobody writes (a sum of one term, a factor or an
exponent of 1). `genes.py` makes the trees of models with them, `rewriting/` and the law search every tree that they offer.
What simplifies is in `rewriting/`; what takes apart, in `rewriting/parts.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from multigene.expression.tree import Expression, Number, Operation, Power, Variable

ZERO, ONE, MINUS_ONE = Number(0.0), Number(1.0), Number(-1.0)


def call(name: str, *arguments: Expression) -> Operation:
    """An operator applied to its arguments."""
    return Operation(name, arguments)


def sum_of(parts: Sequence[Expression]) -> Expression:
    """A sum as it stands; of one term it is that term, of nothing 0."""
    return _of("add", parts, ZERO)


def product_of(parts: Sequence[Expression]) -> Expression:
    """A product as it stands; of one factor it is that factor, of nothing 1."""
    return _of("mul", parts, ONE)


def quotient_of(above: Sequence[Expression], below: Sequence[Expression]) -> Expression:
    """A product over a product; without the line where nothing is below."""
    top = product_of(above)
    return call("div", top, product_of(below)) if below else top


def power_of(base: Expression, exponent: float) -> Expression:
    """A power; the base itself where the exponent is 1."""
    return base if exponent == 1.0 else Power(base, exponent)


def weighted(weight: float, expression: Expression) -> Expression:
    """A number times an expression as it stands; a weight of 1 is not written."""
    return expression if weight == 1.0 else call("mul", Number(weight), expression)


def times(weight: float, expression: Expression) -> Expression:
    """As `weighted`, but a number times a number is their product; raises a `ValueError` where that is not finite."""
    return (
        Number(weight * expression.value) if isinstance(expression, Number) else weighted(weight, expression)
    )


def join_term(coefficient: float, rest: Expression | None) -> Expression:
    """The product of a coefficient and what `split_term` left of a term; the number goes above the line of a quotient."""
    if rest is None or coefficient == 0.0:
        return Number(coefficient)
    if coefficient == 1.0:
        return rest
    if isinstance(rest, Operation) and rest.name == "div":
        numerator, denominator = rest.arguments
        if numerator == ONE:
            return call("div", Number(coefficient), denominator)
        if coefficient == -1.0:
            return call("neg", rest)
        return call("div", join_term(coefficient, numerator), denominator)
    if coefficient == -1.0:
        return call("neg", rest)
    factors = rest.arguments if isinstance(rest, Operation) and rest.name == "mul" else (rest,)
    return call("mul", Number(coefficient), *factors)


def linear(bias: float, terms: Iterable[tuple[int, float]]) -> Expression:
    """The linear combination a + b·x of columns with their weights; what has the weight 0 is left out."""
    parts = [weighted(weight, Variable(column)) for column, weight in terms if weight != 0.0]
    if bias != 0.0 or not parts:
        parts.append(Number(bias))
    return sum_of(parts)


def monomial(scale: float, terms: Iterable[tuple[int, float]]) -> Expression:
    """The product leaf s·∏|x|**w of columns with their exponents; what has the exponent 0 is left out."""
    factors = [power_of(call("abs", Variable(column)), power) for column, power in terms if power != 0.0]
    return product_of([Number(scale), *factors] if scale != 1.0 or not factors else factors)


def _of(name: str, parts: Sequence[Expression], nothing: Expression) -> Expression:
    if len(parts) > 1:
        return Operation(name, tuple(parts))
    return parts[0] if parts else nothing
