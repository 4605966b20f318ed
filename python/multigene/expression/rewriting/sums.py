"""Other ways to write the same sums and products; `choosing.py` takes the shortest.

c²·(u + v)/(c² + u·v) is (u + v)/(1 + u·v/c²): every rearrangement is offered, none is compared here. Like the rules of
`where_seen.py` they hold where the law was seen, not everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from multigene.expression.build import join_term, power_of, product_of, quotient_of, sum_of
from multigene.expression.constants import MOST_MULTIPLIED, MOST_TERMS
from multigene.expression.rewriting.always import simplified
from multigene.expression.rewriting.parts import (
    above_and_below,
    factors_of,
    is_a,
    powers_of,
    replaced,
    split_term,
)
from multigene.expression.rewriting.where_seen import square_ratio
from multigene.expression.tree import Expression, Number, Operation, Power, fold, postorder, rebuild


def rearranged(expression: Expression) -> Iterator[Expression]:
    """The expression with one of its sums, or of its products with a sum, written in another way."""
    for place, node in enumerate(postorder(expression)):
        if isinstance(node, Operation) and node.name == "add" and len(node.arguments) <= MOST_TERMS:
            for other in (*_terms_out(node), *_partly_factored(node), *_square(node)):
                yield replaced(expression, place, other)
        elif isinstance(node, Operation) and node.name in ("mul", "div"):
            for other in (*_fraction_split(node), *_exponential_in(node)):
                yield replaced(expression, place, other)


def multiplied_out(expression: Expression) -> Expression | None:
    """Products in sums multiplied out, so that terms may cancel; None where there are none."""
    found = False

    def change(node: Expression, children: tuple[Expression, ...]) -> Expression:
        nonlocal found
        node = rebuild(node, children)
        if not _is_sum(node):
            return node
        terms = [part for c, term in _signed_terms(node) for part in _opened(c, term)]
        if len(terms) == len(node.children) or len(terms) > MOST_MULTIPLIED:
            return node
        if not all(math.isfinite(c) and c != 0.0 for c, _ in terms):  # beyond what floating point holds
            return node
        found = True
        return sum_of([join_term(c, term) for c, term in terms])

    changed = fold(expression, change)
    return simplified(changed) if found else None


def _opened(coefficient: float, term: Expression) -> list[tuple[float, Expression]]:
    """A term as a sum of products without sums and squares of sums."""
    factors = [each for factor in factors_of(term) for each in _twice_if_square(factor)]
    if not any(_is_sum(factor) for factor in factors):
        return [(coefficient, term)]
    opened: list[tuple[float, Expression]] = [(coefficient, Number(1.0))]
    for factor in factors:
        parts = _signed_terms(factor) if _is_sum(factor) else [(1.0, factor)]
        opened = [(c * d, product_of([t, part])) for c, t in opened for d, part in parts]
    return opened


def _twice_if_square(factor: Expression) -> tuple[Expression, ...]:
    square = isinstance(factor, Power) and factor.exponent == 2.0 and _is_sum(factor.base)
    return factor.children * 2 if square else (factor,)


def _is_sum(node: Expression) -> bool:
    return is_a(node, "add") or is_a(node, "sub")


def _signed_terms(node: Expression) -> list[tuple[float, Expression]]:
    """Terms of a sum or difference."""
    (first, rest), *others = _split_terms(node)
    sign = -1.0 if is_a(node, "sub") else 1.0
    return [(first, rest), *((sign * c, term) for c, term in others)]


def grouped(expression: Expression) -> Expression:
    """a²/b² as (a/b)²: factors of equal exponents as a power of their product."""
    return fold(expression, _grouped)


def _grouped(node: Expression, children: tuple[Expression, ...]) -> Expression:
    node = rebuild(node, children)
    if not (isinstance(node, Operation) and node.name in ("mul", "div")):
        return node
    above, below = above_and_below(node)
    exponents = [f.exponent for f in (*above, *below) if isinstance(f, Power)]
    shared = next((e for e in exponents if e > 1.0 and exponents.count(e) > 1), None)
    if shared is None:
        return node

    def part(factors: tuple[Expression, ...]) -> tuple[list[Expression], list[Expression]]:
        alike = [f.base for f in factors if isinstance(f, Power) and f.exponent == shared]
        return alike, [f for f in factors if not (isinstance(f, Power) and f.exponent == shared)]

    bases, rest = part(above)
    bases_below, rest_below = part(below)
    base = quotient_of(bases, bases_below)
    if not bases:  # 1/(a²·b²) is 1/(a·b)²
        return quotient_of(rest, [Power(product_of(bases_below), shared), *rest_below])
    return quotient_of([*rest, Power(base, shared)], rest_below)


def _terms_out(node: Operation) -> Iterator[Expression]:
    """a + b as a·(1 + b/a), for every term; a sum of exponentials also around half of one's exponent."""
    outs: list[Expression] = [rest for t in node.arguments if (rest := split_term(t)[1]) is not None]
    outs += [
        Operation("exp", (Operation("mul", (Number(0.5), out.arguments[0])),))
        for out in outs
        if isinstance(out, Operation) and out.name == "exp"
    ]
    for out in outs:
        divided = tuple(_divided(term, out) for term in node.arguments)
        yield Operation("mul", (out, Operation("add", divided)))


def _divided(term: Expression, by: Expression) -> Expression:
    coefficient, rest = split_term(term)
    if rest == by:
        return Number(coefficient)
    if is_a(by, "exp") and (rest is None or is_a(rest, "exp")):
        opposite = Operation("neg", by.children)
        difference = opposite if rest is None else Operation("add", (*rest.children, opposite))
        return Operation("mul", (Number(coefficient), Operation("exp", (difference,))))
    return Operation("div", (term, by))


def _partly_factored(node: Operation) -> Iterator[Expression]:
    """a·e + b·e + c as (a + b)·e + c."""
    powers = [powers_of(split_term(t)[1] or Number(1.0)) for t in node.arguments]
    for base in dict.fromkeys(b for p in powers for b in p):
        for sign in (1.0, -1.0):
            with_base = [k for k, p in enumerate(powers) if sign * p.get(base, 0.0) > 0.0]
            if not 2 <= len(with_base) < len(powers):
                continue
            common = sign * min(sign * powers[k][base] for k in with_base)
            factor = power_of(base, common)
            inside = [Operation("div", (node.arguments[k], factor)) for k in with_base]
            others = [t for k, t in enumerate(node.arguments) if k not in with_base]
            yield Operation("add", (Operation("mul", (factor, Operation("add", tuple(inside)))), *others))


def _square(node: Operation) -> Iterator[Expression]:
    """p·A² ± 2·√(p·q)·A·B + q·B² as one square, where A and B are products of powers."""
    terms = [(c, powers_of(rest or Number(1.0))) for c, rest in map(split_term, node.arguments)]
    even = [k for k, (c, p) in enumerate(terms) if all(e % 2.0 == 0.0 for e in p.values())]
    for i in even:
        for j in (j for j in even if j > i):
            (p, A), (q, B) = terms[i], terms[j]
            halves = {b: 0.5 * (A.get(b, 0.0) + B.get(b, 0.0)) for b in {**A, **B}}
            cross = {b: e for b, e in halves.items() if e != 0.0}
            for k, (r, powers) in enumerate(terms):
                ratio = square_ratio(p, q, r) if k not in (i, j) and powers == cross else None
                if ratio is None:
                    continue
                first, second = _monomial(1.0, A), _monomial(ratio, B)
                square = Operation("mul", (Number(p), Power(Operation("add", (first, second)), 2.0)))
                others = [t for m, t in enumerate(node.arguments) if m not in (i, j, k)]
                yield Operation("add", (square, *others)) if others else square


def _fraction_split(node: Operation) -> Iterator[Expression]:
    """(a + b·c)/c as a/c + b, for every part of the denominator that a term contains."""
    above, below = above_and_below(node)
    under = powers_of(product_of(below), open_powers=False)
    for k, factor in enumerate(above):
        if not (under and is_a(factor, "add") and len(factor.children) <= MOST_TERMS):
            continue
        shared: list[dict[Expression, float]] = []
        for powers in (powers_of(term, open_powers=False) for _, term in _split_terms(factor)):
            common = {b: min(e, powers[b]) for b, e in under.items() if e > 0.0 and powers.get(b, 0.0) > 0.0}
            if common and common not in shared:
                shared.append(common)
        for common in shared:
            by = product_of([power_of(b, e) for b, e in common.items()])
            terms = tuple(Operation("div", (term, by)) for term in factor.children)
            rest = Operation("div", (product_of(below), by))
            yield quotient_of([*above[:k], Operation("add", terms), *above[k + 1 :]], [rest])


def _exponential_in(node: Operation) -> Iterator[Expression]:
    """exp(a)·(exp(b) + c) as exp(a + b) + c·exp(a)."""
    above, below = above_and_below(node)
    inside = [f.children[0] for f in above if is_a(f, "exp")]
    inside += [Operation("neg", f.children) for f in below if is_a(f, "exp")]
    sums = [f for f in above if is_a(f, "add") and any(_has_exponential(t) for _, t in _split_terms(f))]
    if not inside or len(sums) != 1:
        return
    terms = []
    for coefficient, term in _split_terms(sums[0]):
        exponents = [*inside, *(f.children[0] for f in factors_of(term) if is_a(f, "exp"))]
        exponent = sum_of(exponents)
        others = [f for f in factors_of(term) if not is_a(f, "exp")]
        terms.append(product_of([Number(coefficient), *others, Operation("exp", (exponent,))]))
    rest = [f for f in above if f is not sums[0] and not is_a(f, "exp")]
    yield quotient_of([*rest, sum_of(terms)], [f for f in below if not is_a(f, "exp")])


def _split_terms(node: Expression) -> list[tuple[float, Expression]]:
    return [(c, rest or Number(1.0)) for c, rest in map(split_term, node.children)]


def _has_exponential(term: Expression) -> bool:
    return any(is_a(factor, "exp") for factor in factors_of(term))


def _monomial(coefficient: float, squares: dict[Expression, float]) -> Expression:
    """A coefficient times the root of a product of even powers."""
    factors = [power_of(b, 0.5 * e) for b, e in squares.items()]
    return product_of([Number(coefficient), *factors])
