"""Rules that hold where a law was seen, not everywhere: √a·√b = √(a·b) needs a, b ≥ 0. Whoever uses them measures again.

`RULES` says what is done to a node by its kind; the other rules look at sums and products and have passes of their own in
`choosing.py`. What holds everywhere belongs into `always.py`; what is only another way to write the same sum, into `sums.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from multigene.expression.build import join_term, power_of, product_of, quotient_of, sum_of, times
from multigene.expression.constants import ALIKE
from multigene.expression.readable import size
from multigene.expression.rewriting.always import simplified, simplify
from multigene.expression.rewriting.parts import above_and_below, is_a, powers_of, split_term, terms_of
from multigene.expression.tree import Expression, Number, Operation, Power, rebuild

HALF_TURN = math.pi / 2


def by_kind(node: Expression, children: tuple[Expression, ...]) -> Expression:
    """A node after the rule of its kind."""
    node = rebuild(node, children)
    kind = "power" if isinstance(node, Power) else node.name if isinstance(node, Operation) else ""
    return RULES[kind](node) if kind in RULES else node


# --- powers, functions ----------------------------------------------------------------------------


def _power(node: Power) -> Expression:
    """(√u)^c is u^(c/2), (exp u)^c is exp(c·u); powers that are not whole go into products."""
    if is_a(node.base, "exp"):
        return Operation("exp", (product_of([Number(node.exponent), *node.base.children]),))
    if is_a(node.base, "sqrt"):
        return power_of(node.base.children[0], node.exponent / 2.0)
    whole = all(e.is_integer() for e in powers_of(node.base, open_powers=False).values())
    return node if node.is_integer and whole else _power_of_product(node)


def _power_of_product(node: Power) -> Expression:
    """(a·b/c)^e as a^e·b^e/c^e."""
    base, e = node.base, node.exponent
    if isinstance(base, Operation) and base.name == "sqrt":
        return power_of(base.arguments[0], e / 2.0)
    if isinstance(base, Operation) and base.name == "abs":
        base = base.arguments[0]
    if isinstance(base, Power):
        return power_of(base.base, base.exponent * e)
    if isinstance(base, Operation) and base.name == "mul":
        return product_of([_power_of_product(Power(a, e)) for a in base.arguments])
    if isinstance(base, Operation) and base.name in ("div", "inv"):
        above = base.arguments[0] if base.name == "div" else Number(1.0)
        return Operation(
            "mul", (_power_of_product(Power(above, e)), _power_of_product(Power(base.arguments[-1], -e)))
        )
    return power_of(base, e)


def _phase(node: Operation) -> Expression:
    """cos(u + π/2) is -sin(u), and so on around the circle."""
    inside = node.arguments[0]
    if not (isinstance(inside, Operation) and inside.name == "add"):
        return node
    numbers = [a for a in inside.arguments if isinstance(a, Number)]
    rest = [a for a in inside.arguments if not isinstance(a, Number)]
    if len(numbers) != 1 or not rest:
        return node
    quarters = round(numbers[0].value / HALF_TURN)
    if quarters == 0 or abs(numbers[0].value - quarters * HALF_TURN) > 1e-5:
        return node
    # sin is one quarter behind cos.
    place = (quarters + (3 if node.name == "sin" else 0)) % 4
    name, sign = (("cos", 1.0), ("sin", -1.0), ("cos", -1.0), ("sin", 1.0))[place]
    turned = Operation(name, (sum_of(rest),))
    return turned if sign > 0 else Operation("neg", (turned,))


def _exponential(node: Operation) -> Expression:
    """exp(c·ln x + k + u) is x^c·e^k·exp(u)."""
    terms = terms_of(node.arguments[0])
    factors: list[Expression] = []
    rest: list[Expression] = []
    for term in terms:
        power = _logarithm_factor(term)
        if power is not None:
            factors.append(Power(*power))
        elif isinstance(term, Number) and abs(term.value) < 300.0 and len(terms) > 1:
            factors.append(Number(math.exp(term.value)))
        else:
            rest.append(term)
    if not factors:
        return node
    return product_of([*factors, *([Operation("exp", (sum_of(rest),))] if rest else [])])


def _exponentials(node: Operation) -> Expression:
    """exp(a)·exp(b) is exp(a + b)."""
    inside = [a.arguments[0] for a in node.arguments if isinstance(a, Operation) and a.name == "exp"]
    if len(inside) < 2:
        return node
    rest = [a for a in node.arguments if not (isinstance(a, Operation) and a.name == "exp")]
    return product_of([*rest, Operation("exp", (sum_of(inside),))])


def _logarithm(node: Operation) -> Expression:
    """ln(u^c) is c·ln u, ln(exp u) is u, ln |u| is ln u where it was seen; ln(a/b) stands as it is."""
    inside = node.arguments[0]
    if is_a(inside, "abs"):
        return Operation("log", inside.children)
    if isinstance(inside, Power):
        return product_of([Number(inside.exponent), Operation("log", (inside.base,))])
    if isinstance(inside, Operation) and inside.name == "exp":
        return inside.arguments[0]
    return node


def _logarithm_factor(term: Expression) -> tuple[Expression, float] | None:
    """x and c of a term c·ln x."""
    coefficient, rest = split_term(term)
    if isinstance(rest, Operation) and rest.name == "log" and coefficient != 0.0:
        return rest.arguments[0], coefficient
    return None


# --- sums and products ----------------------------------------------------------------------------


def _factored(node: Operation) -> Expression:
    """a·b + a·c as a·(b + c)."""
    powers = [powers_of(split_term(term)[1] or Number(1.0), open_powers=False) for term in node.arguments]
    common: dict[Expression, float] = {}
    for base in powers[0]:
        exponents = [p.get(base, 0.0) for p in powers]
        if all(e > 0.0 for e in exponents):
            common[base] = min(exponents)
        elif all(e < 0.0 for e in exponents):
            common[base] = max(exponents)
    return _without(node, powers, common) if common else node


def one_fraction(node: Expression, children: tuple[Expression, ...]) -> Expression:
    """a/b + c as (a + b·c)/b; powers of quotients as quotients of powers."""
    node = rebuild(node, children)
    if isinstance(node, Power) and isinstance(node.base, Operation) and node.base.name in ("mul", "div"):
        return _power_of_product(node)
    if not (isinstance(node, Operation) and node.name == "add"):
        return node
    powers = [powers_of(split_term(term)[1] or Number(1.0), open_powers=False) for term in node.arguments]
    bases = {base for power in powers for base, e in power.items() if e < 0.0}
    common = {base: min(p.get(base, 0.0) for p in powers) for base in sorted(bases, key=repr)}
    return _without(node, powers, common) if common else node


def _without(
    node: Operation, powers: list[dict[Expression, float]], common: dict[Expression, float]
) -> Expression:
    """A sum with common factors in front of it."""
    split = [split_term(term) for term in node.arguments]
    outside = [power_of(base, e) for base, e in common.items()]
    left = []
    for (coefficient, _), power in zip(split, powers, strict=True):
        every = {**dict.fromkeys(common, 0.0), **power}
        rest = [power_of(b, e - common.get(b, 0.0)) for b, e in every.items() if e != common.get(b, 0.0)]
        left.append(product_of([Number(coefficient), *rest]))
    return product_of([*outside, sum_of(left)])


def roots(node: Expression, children: tuple[Expression, ...]) -> Expression:
    """√a·√b as √(a·b), a/√b with the root where people write it; differences of logarithms as one."""
    node = rebuild(node, children)
    if isinstance(node, Power) and abs(node.exponent) == 0.5:
        root = Operation("sqrt", (node.base,))
        return root if node.exponent > 0 else Operation("div", (Number(1.0), root))
    if isinstance(node, Operation) and node.name in ("mul", "div"):
        return _one_root(node)
    if isinstance(node, Operation) and node.name == "add":
        return _one_logarithm(node)
    return node


def _one_root(node: Operation) -> Expression:
    above, below = above_and_below(node)
    roots_above = [a.children[0] for a in above if is_a(a, "sqrt")]
    roots_below = [a.children[0] for a in below if is_a(a, "sqrt")]
    if len(roots_above) + len(roots_below) < 2:
        return node
    root = Operation("sqrt", (quotient_of(roots_above, roots_below),))
    others = [a for a in above if not is_a(a, "sqrt")]
    return quotient_of([*others, root], [a for a in below if not is_a(a, "sqrt")])


def _one_logarithm(node: Operation) -> Expression:
    """c·ln a - c·ln b is c·ln(a/b)."""
    found = [(k, *split_term(t)) for k, t in enumerate(node.arguments)]
    logs = [(k, c, r) for k, c, r in found if isinstance(r, Operation) and r.name == "log"]
    for (i, c, a), (j, e, b) in ((p, q) for p in logs for q in logs if p[0] < q[0]):
        assert isinstance(a, Operation)
        assert isinstance(b, Operation)
        if abs(abs(c) - abs(e)) > ALIKE * abs(c):
            continue
        name = "mul" if c * e > 0 else "div"
        joined = join_term(c, Operation("log", (Operation(name, (a.arguments[0], b.arguments[0])),)))
        return sum_of([*(t for k, t in enumerate(node.arguments) if k not in (i, j)), joined])
    return node


def turned(node: Expression, children: tuple[Expression, ...]) -> Expression:
    """-a·(b - c) as a·(c - b), above or below the line; -a·ln(b/c) as a·ln(c/b)."""
    node = rebuild(node, children)
    if not (isinstance(node, Operation) and node.name in ("mul", "div", "neg")):
        return node
    coefficient, rest = split_term(node)
    if coefficient >= 0.0 or rest is None:
        return node
    above, below = above_and_below(rest)
    for k, factor in enumerate((*above, *below)):
        if (opposite := _opposite(factor)) is not None:
            every = [*above, *below]
            every[k] = opposite
            front = [Number(-coefficient)] if coefficient != -1.0 else []
            return quotient_of([*front, *every[: len(above)]], every[len(above) :])
    return node


def _opposite(factor: Expression) -> Expression | None:
    """Minus a factor that takes the sign without growing; None for others."""
    if is_a(factor, "add") and any(split_term(t)[0] < 0.0 for t in factor.children):
        return simplified(Operation("neg", (factor,)))
    if is_a(factor, "log") and is_a(factor.children[0], "div"):
        coefficient, _ = split_term(factor.children[0])
        above, below = factor.children[0].children
        # 2 becomes 0.5, but 4.3 would become a number of many digits.
        if coefficient != 0.0 and round(1.0 / coefficient, 4) == 1.0 / coefficient:
            return Operation("log", (simplified(Operation("div", (below, above))),))
    return None


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
            if (ratio := square_ratio(p, q, r)) is not None:
                joined.append(times(p, Power(Operation("add", (a, times(ratio, b))), 2.0)))
                for used in (Power(a, 2.0), Power(b, 2.0), cross):
                    del terms[used]
    for a in bases:
        square = terms.get(Power(a, 2.0))
        slope = terms.get(a)
        if square is not None and slope is not None and constant != 0.0:
            joined.append(times(square, Power(Operation("add", (a, Number(slope / (2.0 * square)))), 2.0)))
            constant -= slope * slope / (4.0 * square)
            del terms[Power(a, 2.0)], terms[a]
    if not joined:
        return node
    others = [times(c, e) for e, c in terms.items()]
    whole = sum_of([*joined, *others, *([Number(constant)] if abs(constant) > 1e-12 else [])])
    return whole if size(whole) < size(node) else node


def square_ratio(p: float, q: float, r: float) -> float | None:
    """c of p·a² + r·a·b + q·b² = p·(a + c·b)²; None where that is no square."""
    if p * q <= 0.0 or abs(r * r - 4.0 * p * q) > ALIKE * r * r:
        return None
    return math.copysign(math.sqrt(q / p), r * p)


RULES: Mapping[str, Callable[..., Expression]] = {
    "power": _power,
    "sqrt": lambda node: _power_of_product(Power(node.arguments[0], 0.5)),
    "sin": _phase,
    "cos": _phase,
    "exp": _exponential,
    "log": _logarithm,
    "mul": _exponentials,
    "add": _factored,
}
