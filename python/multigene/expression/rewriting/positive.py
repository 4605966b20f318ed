"""Powers of variables that are positive wherever a law was seen: only there √g·√g is g, and x^(1/3)/x^(1/3) is 1."""

from __future__ import annotations

from collections.abc import Collection

from multigene.expression.build import power_of, product_of
from multigene.expression.rewriting.always import simplify
from multigene.expression.rewriting.parts import is_a
from multigene.expression.tree import Expression, Operation, Power, Variable, fold, rebuild


def powers_joined(expression: Expression, positive: Collection[int]) -> Expression:
    """Powers of positive variables in a product, joined."""

    def change(node: Expression, children: tuple[Expression, ...]) -> Expression:
        node = rebuild(node, children)
        if not (is_a(node, "mul") or is_a(node, "div") or isinstance(node, Power)):
            return node
        parts = _parts(node, 1.0, positive)
        exponents: dict[Expression, float] = {}
        for base, exponent in parts:
            if isinstance(base, Variable) and base.index in positive:
                exponents[base] = exponents.get(base, 0.0) + exponent
        others = [power_of(base, exponent) for base, exponent in parts if base not in exponents]
        root = isinstance(node, Power) and is_a(node.base, "sqrt")  # √x² is x
        if len(others) + len(exponents) == len(parts) and not (root and exponents):
            return node
        # Sums of thirds and the like are whole up to rounding.
        return product_of(
            [*others, *(_power(b, round(e, 12)) for b, e in exponents.items() if abs(e) > 1e-9)]
        )

    return simplify(fold(expression, change))


def _power(base: Expression, exponent: float) -> Expression:
    if abs(exponent) == 0.5:
        return power_of(Operation("sqrt", (base,)), 2.0 * exponent)
    return power_of(base, exponent)


def _parts(node: Expression, exponent: float, positive: Collection[int]) -> list[tuple[Expression, float]]:
    """Factors with their exponents. A root of a product is taken apart only where all of it is positive."""
    if is_a(node, "mul"):
        return [part for child in node.children for part in _parts(child, exponent, positive)]
    if is_a(node, "div"):
        above, below = node.children
        return [*_parts(above, exponent, positive), *_parts(below, -exponent, positive)]
    power = node.exponent if isinstance(node, Power) else 0.5 if is_a(node, "sqrt") else None
    if power is not None:
        [base] = node.children
        inner = _parts(base, 1.0, positive)
        whole = power == round(power) and exponent == round(exponent)
        if whole or all(isinstance(b, Variable) and b.index in positive for b, _ in inner):
            return [(b, e * power * exponent) for b, e in inner]
    return [(node, exponent)]
