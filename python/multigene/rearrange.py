"""Other ways to write the same sums and products, of which `natural.py` takes the shortest.

c²·(u + v)/(c² + u·v) is (u + v)/(1 + u·v/c²): every rearrangement is offered, none is judged here. Like the rules of
`natural.py` they hold where the law was seen, not everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from multigene.expression import Expression, Number, Operation, Power, Variable, fold, postorder, rebuild
from multigene.readable import size
from multigene.simplify import simplify, split_term

ALIKE = 1e-6
#: Sums of more terms than this are left alone.
MOST_TERMS = 8


def rearranged(expression: Expression) -> Iterator[Expression]:
    """The expression with one of its sums written in another way."""
    for place, node in enumerate(postorder(expression)):
        if isinstance(node, Operation) and node.name == "add" and len(node.arguments) <= MOST_TERMS:
            for other in (*_terms_out(node), *_partly_factored(node), *_square(node)):
                yield _replaced(expression, place, other)


def grouped(expression: Expression) -> Expression:
    """a²/b² as (a/b)²: factors of equal exponents as a power of their product."""
    return fold(expression, _grouped)


def _grouped(node: Expression, children: tuple[Expression, ...]) -> Expression:
    node = rebuild(node, children)
    if not (isinstance(node, Operation) and node.name in ("mul", "div")):
        return node
    above, below = (
        (node.arguments, ())
        if node.name == "mul"
        else (_factors(node.arguments[0]), _factors(node.arguments[1]))
    )
    exponents = [f.exponent for f in (*above, *below) if isinstance(f, Power)]
    shared = next((e for e in exponents if e > 1.0 and exponents.count(e) > 1), None)
    if shared is None:
        return node

    def part(factors: tuple[Expression, ...]) -> tuple[list[Expression], list[Expression]]:
        alike = [f.base for f in factors if isinstance(f, Power) and f.exponent == shared]
        return alike, [f for f in factors if not (isinstance(f, Power) and f.exponent == shared)]

    bases, rest = part(above)
    bases_below, rest_below = part(below)
    base = _quotient(bases, bases_below)
    if not bases:  # 1/(a²·b²) is 1/(a·b)²
        return _quotient(rest, [Power(_product(bases_below), shared), *rest_below])
    return _quotient([*rest, Power(base, shared)], rest_below)


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
    if _is_exponential(by) and (rest is None or _is_exponential(rest)):
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
            factor = base if common == 1.0 else Power(base, common)
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
            if p * q <= 0.0:
                continue
            halves = {b: 0.5 * (A.get(b, 0.0) + B.get(b, 0.0)) for b in {**A, **B}}
            cross = {b: e for b, e in halves.items() if e != 0.0}
            for k, (r, powers) in enumerate(terms):
                if k in (i, j) or powers != cross or abs(r * r - 4.0 * p * q) > ALIKE * r * r:
                    continue
                ratio = math.copysign(math.sqrt(q / p), r * p)
                first, second = _monomial(1.0, A), _monomial(ratio, B)
                square = Operation("mul", (Number(p), Power(Operation("add", (first, second)), 2.0)))
                others = [t for m, t in enumerate(node.arguments) if m not in (i, j, k)]
                yield Operation("add", (square, *others)) if others else square


def squares(node: Expression, children: tuple[Expression, ...]) -> Expression:
    """a² ± 2ab + b² as (a ± b)², and c·a² + d·a as a square less a number, where that is shorter."""
    node = rebuild(node, children)
    if not (isinstance(node, Operation) and node.name == "add"):
        return node
    terms: dict[Expression, float] = {}
    constant = 0.0
    for term in node.arguments:
        coefficient, rest = split_term(term)
        if rest is None:
            constant += coefficient
        else:
            terms[rest] = terms.get(rest, 0.0) + coefficient
    bases = [e.base for e in terms if isinstance(e, Power) and e.exponent == 2.0]
    joined: list[Expression] = []
    for a in bases:
        for b in bases:
            cross = next(
                (e for e in (Operation("mul", (a, b)), simplify(Operation("mul", (a, b)))) if e in terms),
                None,
            )
            if a is b or cross is None or Power(a, 2.0) not in terms or Power(b, 2.0) not in terms:
                continue
            p, q, r = terms[Power(a, 2.0)], terms[Power(b, 2.0)], terms[cross]
            if p * q > 0 and abs(r * r - 4.0 * p * q) < ALIKE * r * r:
                ratio = math.copysign(math.sqrt(q / p), r * p)
                joined.append(_times(p, Power(Operation("add", (a, _times(ratio, b))), 2.0)))
                for used in (Power(a, 2.0), Power(b, 2.0), cross):
                    del terms[used]
    for a in bases:
        square = terms.get(Power(a, 2.0))
        slope = terms.get(a)
        if square is not None and slope is not None and constant != 0.0:
            joined.append(_times(square, Power(Operation("add", (a, Number(slope / (2.0 * square)))), 2.0)))
            constant -= slope * slope / (4.0 * square)
            del terms[Power(a, 2.0)], terms[a]
    if not joined:
        return node
    others = [_times(c, e) for e, c in terms.items()]
    whole = _sum([*joined, *others, *([Number(constant)] if abs(constant) > 1e-12 else [])])
    return whole if size(whole) < size(node) else node


def _monomial(coefficient: float, squares: dict[Expression, float]) -> Expression:
    """A coefficient times the root of a product of even powers."""
    factors = [b if e == 2.0 else Power(b, 0.5 * e) for b, e in squares.items()]
    return _product([Number(coefficient), *factors])


def powers_of(
    term: Expression, exponent: float = 1.0, *, open_powers: bool = True
) -> dict[Expression, float]:
    """Bases of a product with their exponents; `open_powers` looks into whole powers of products too."""
    if isinstance(term, Operation) and term.name == "sqrt":
        return {term.arguments[0]: 0.5 * exponent}
    if isinstance(term, Power):
        if not open_powers or isinstance(term.base, Variable) or not term.is_integer:
            return {term.base: term.exponent * exponent}
        return powers_of(term.base, term.exponent * exponent)
    parts: list[tuple[Expression, float]] = []
    if isinstance(term, Operation) and term.name == "mul":
        parts = [(a, exponent) for a in term.arguments]
    elif isinstance(term, Operation) and term.name == "div":
        parts = [(term.arguments[0], exponent), (term.arguments[1], -exponent)]
    else:
        return {} if isinstance(term, Number) else {term: exponent}
    found: dict[Expression, float] = {}
    for part, e in parts:
        for base, power in powers_of(part, e, open_powers=open_powers).items():
            found[base] = found.get(base, 0.0) + power
    return found


def _replaced(expression: Expression, place: int, replacement: Expression) -> Expression:
    count = -1

    def change(node: Expression, children: tuple[Expression, ...]) -> Expression:
        nonlocal count
        count += 1
        return replacement if count == place else rebuild(node, children)

    return fold(expression, change)


def _is_exponential(node: Expression) -> bool:
    return isinstance(node, Operation) and node.name == "exp"


def _factors(node: Expression) -> tuple[Expression, ...]:
    return node.arguments if isinstance(node, Operation) and node.name == "mul" else (node,)


def _quotient(above: list[Expression], below: list[Expression]) -> Expression:
    top = _product(above) if above else Number(1.0)
    return Operation("div", (top, _product(below))) if below else top


def _product(parts: list[Expression]) -> Expression:
    return parts[0] if len(parts) == 1 else Operation("mul", tuple(parts))


def _times(weight: float, expression: Expression) -> Expression:
    if isinstance(expression, Number):
        return Number(weight * expression.value)
    return expression if weight == 1.0 else Operation("mul", (Number(weight), expression))


def _sum(parts: list[Expression]) -> Expression:
    return parts[0] if len(parts) == 1 else Operation("add", tuple(parts))
