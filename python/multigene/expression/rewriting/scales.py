"""Numbers pulled out of sums, powers and roots: 0.1·a - 0.1·b is 0.1·(a - b).

Holds everywhere up to rounding, but does not always make an expression shorter; `choosing.py` decides for laws. `with_bare_terms`
is for models whose numbers are all fitted (`explain/written.py`).
"""

from __future__ import annotations

import math
from collections import Counter

from multigene.expression.build import join_term, power_of, product_of, quotient_of, sum_of, times
from multigene.expression.constants import ALIKE
from multigene.expression.rewriting.canonical import has_many_digits
from multigene.expression.rewriting.parts import above_and_below, is_a, split_term
from multigene.expression.tree import (
    Expression,
    Number,
    Operation,
    Power,
    Variable,
    fold,
    postorder,
    rebuild,
)


def scaled(expression: Expression) -> Expression:
    """Numbers pulled out of sums, powers and roots, so that those which say the same thing meet."""
    factor, rest = fold(expression, _pull)
    return times(factor, rest)


def _pull(node: Expression, parts: tuple[tuple[float, Expression], ...]) -> tuple[float, Expression]:
    """A number and the rest whose product the node is."""
    try:
        return _pulled(node, parts)
    except (OverflowError, ValueError, ZeroDivisionError):
        return 1.0, rebuild(node, tuple(times(c, e) for c, e in parts))


def _pulled(node: Expression, parts: tuple[tuple[float, Expression], ...]) -> tuple[float, Expression]:
    if isinstance(node, Number):
        return node.value, Number(1.0)
    if isinstance(node, Variable):
        return 1.0, node
    if isinstance(node, Power):
        factor, base = parts[0]
        if factor > 0.0 or (factor != 0.0 and node.is_integer):
            return _plain(math.pow(factor, node.exponent)), Power(base, node.exponent)
        return 1.0, Power(times(factor, base), node.exponent)
    assert isinstance(node, Operation)
    if node.name == "mul":
        return _plain(math.prod(c for c, _ in parts)), product_of([e for _, e in parts])
    if node.name in ("div", "inv"):
        above = parts[0] if node.name == "div" else (1.0, Number(1.0))
        return _plain(above[0] / parts[-1][0]), Operation("div", (above[1], parts[-1][1]))
    if node.name == "neg":
        return -parts[0][0], parts[0][1]
    if node.name in ("add", "sub"):
        signs = [1.0] * len(parts) if node.name == "add" else [1.0, -1.0]
        return _common([(s * c, e) for s, (c, e) in zip(signs, parts, strict=True)])
    if node.name == "sqrt" and parts[0][0] > 0.0:
        return math.sqrt(parts[0][0]), Operation("sqrt", (parts[0][1],))
    if node.name == "abs":
        return abs(parts[0][0]), Operation("abs", (parts[0][1],))
    return 1.0, Operation(node.name, tuple(times(c, e) for c, e in parts))


def _common(terms: list[tuple[float, Expression]]) -> tuple[float, Expression]:
    """The factor that leaves most terms of a sum with the coefficient ±1."""
    terms = [(c, e) for c, e in terms if c != 0.0]
    if not terms:
        return 0.0, Number(1.0)
    rounded = [abs(c) for c, _ in terms]
    alike = Counter({c: sum(abs(d - c) <= ALIKE * c for d in rounded) for c in rounded})
    already = sum(abs(c - 1.0) <= ALIKE for c in rounded)
    best, count = max(alike.items(), key=lambda item: (item[1], -rounded.index(item[0])))
    factor = best if count > max(already, 1) else 1.0
    divided = [(c / factor, e) for c, e in terms]
    return factor, sum_of(
        [times(math.copysign(1.0, c) if abs(abs(c) - 1.0) <= 1e-12 else c, e) for c, e in divided]
    )


def _plain(value: float) -> float:
    if not math.isfinite(value) or value == 0.0:
        raise OverflowError
    return value


def spread(node: Expression, children: tuple[Expression, ...]) -> Expression:
    """A number in front of a sum all of whose terms have numbers of their own goes into them: 2·x·(3 + 4·y) is x·(6 + 8·y)."""
    node = rebuild(node, children)
    if not is_a(node, "mul") or not isinstance(node.children[0], Number):
        return node
    number, *others = node.children
    assert isinstance(number, Number)
    for place, other in enumerate(others):
        if not (is_a(other, "add") or is_a(other, "sub")):
            continue
        signs = [1.0, *([1.0 if is_a(other, "add") else -1.0] * (len(other.children) - 1))]
        terms = [
            (s * c * number.value, e)
            for s, (c, e) in zip(signs, map(split_term, other.children), strict=True)
        ]
        own = all(e is None or abs(c) not in (1.0, abs(number.value)) for c, e in terms)
        if own and all(math.isfinite(c) for c, _ in terms):
            others[place] = sum_of([join_term(c, e) for c, e in terms])
            return product_of(others)
    return node


def with_bare_terms(expression: Expression) -> Expression:
    """2·(0.3·x + 0.6·y + 5)·z as 1.2·(0.5·x + y + 8.33)·z: factors that are sums give the number of their largest term to the
    product, where that makes it shorter. Sums that stand at several places stay, so that they can be named once.
    """
    seen = Counter(node for node in postorder(expression) if is_a(node, "add"))

    def change(node: Expression, children: tuple[Expression, ...]) -> Expression:
        node = rebuild(node, children)
        is_product = any(is_a(node, name) for name in ("mul", "div", "neg", "inv"))
        if not is_product and not isinstance(node, Power):
            return node
        number, rest = split_term(node)
        above, below = above_and_below(rest or Number(1.0))
        saved, cost = 0, 0 if number != 1.0 else 1 if is_product else 2
        sides: list[list[Expression]] = []
        for side, sign in ((above, 1.0), (below, -1.0)):
            sides.append([])
            for factor in side:
                base, exponent = (
                    (factor.base, factor.exponent) if isinstance(factor, Power) else (factor, 1.0)
                )
                largest = _largest(base) if exponent.is_integer() and seen[base] < 2 else None
                if largest is not None:
                    number *= math.pow(largest, sign * exponent)
                    base = sum_of([join_term(c / largest, e) for c, e in map(split_term, base.children)])
                    factor = power_of(base, exponent)
                    saved += 2
                sides[-1].append(factor)
        if saved <= cost or number == 0.0 or not math.isfinite(number):
            return node
        return times(number, quotient_of(*sides))

    return fold(expression, change)


def _largest(node: Expression) -> float | None:
    """The largest coefficient of a sum, constant left out; None for what is no sum, has a term without a number, or numbers
    that may be meant (3*x + 4*y)."""
    if not is_a(node, "add"):
        return None
    found = [c for c, e in map(split_term, node.children) if e is not None]
    if not any(map(has_many_digits, found)) or any(abs(c) == 1.0 for c in found):
        return None
    return max(found, key=abs)
