"""Natural forms: a law as people write it. Between `laws.py`, which verifies, and `simplify.py`, which keeps every value.

The rules here hold where the law was seen, not everywhere (√a·√b = √(a·b) needs a, b ≥ 0), so whoever uses them measures again.
"""

from __future__ import annotations

import math
from collections import Counter

from multigene.expression import Expression, Number, Operation, Power, Variable, fold, rebuild
from multigene.readable import size
from multigene.rearrange import grouped, powers_of, rearranged, squares
from multigene.simplify import join_term, simplify, split_term

HALF_TURN = math.pi / 2
ALIKE = 1e-6
#: Most rearrangements of sums one after the other, and the size of a formula beyond which none is tried.
MOST_REARRANGEMENTS, LONG = 4, 30


def natural(expression: Expression) -> Expression:
    """The shortest of the forms that the rules give, and the expression itself."""
    best = _shortest_form(expression)
    for _ in range(MOST_REARRANGEMENTS if size(best) <= LONG else 0):
        others = (_shortest_form(other) for other in rearranged(best))
        shorter = min(others, key=size, default=best)
        if size(shorter) >= size(best):
            break
        best = shorter
    return best


def _shortest_form(expression: Expression) -> Expression:
    forms = _forms(expression)
    shared = _simplified(fold(forms[-1], _one_fraction))
    others = _forms(shared) if shared != forms[-1] else []
    every = [*reversed(forms), *reversed(others), expression]
    return min([*every, *(grouped(form) for form in every)], key=size)


def _forms(expression: Expression) -> list[Expression]:
    """What the rules make of an expression, step by step."""
    forms = [_simplified(expression)]
    for _ in range(4):
        last = forms[-1]
        form = _simplified(fold(last, _better))
        form = _simplified(_scaled(form))
        form = _simplified(fold(form, squares))
        form = _simplified(fold(form, _roots))
        form = fold(form, _turned)
        if form == last:
            break
        forms.append(form)
    return forms


def _simplified(expression: Expression) -> Expression:
    try:
        return simplify(expression)
    except (OverflowError, ValueError):  # a constant beyond what floating point holds
        return expression


# --- single nodes ---------------------------------------------------------------------------------


def _better(node: Expression, children: tuple[Expression, ...]) -> Expression:
    node = rebuild(node, children)
    if isinstance(node, Power) and isinstance(node.base, Operation) and node.base.name in ("sqrt", "exp"):
        inside = node.base.arguments[0]
        if node.base.name == "exp":
            return Operation("exp", (_product([Number(node.exponent), inside]),))
        return _power(inside, node.exponent / 2.0)
    if isinstance(node, Power) and (
        not node.is_integer
        or any(not e.is_integer() for e in powers_of(node.base, open_powers=False).values())
    ):
        return _power_of_product(node)
    if isinstance(node, Operation) and node.name == "sqrt":
        return _power_of_product(Power(node.arguments[0], 0.5))
    if not isinstance(node, Operation):
        return node
    if node.name in ("sin", "cos"):
        return _phase(node)
    if node.name == "exp":
        return _exponential(node)
    if node.name == "mul":
        return _exponentials(node)
    if (
        node.name in ("sqrt", "log")
        and isinstance(node.arguments[0], Operation)
        and node.arguments[0].name == "abs"
    ):
        return Operation(node.name, node.arguments[0].arguments)
    if node.name == "log":
        return _logarithm(node)
    if node.name == "add":
        return _factored(node)
    return node


def _power_of_product(node: Power) -> Expression:
    """(a·b/c)^e as a^e·b^e/c^e."""
    base, e = node.base, node.exponent
    if isinstance(base, Operation) and base.name == "sqrt":
        return _power(base.arguments[0], e / 2.0)
    if isinstance(base, Operation) and base.name == "abs":
        base = base.arguments[0]
    if isinstance(base, Power):
        return _power(base.base, base.exponent * e)
    if isinstance(base, Operation) and base.name == "mul":
        return _product([_power_of_product(Power(a, e)) for a in base.arguments])
    if isinstance(base, Operation) and base.name in ("div", "inv"):
        above = base.arguments[0] if base.name == "div" else Number(1.0)
        return Operation(
            "mul", (_power_of_product(Power(above, e)), _power_of_product(Power(base.arguments[-1], -e)))
        )
    return _power(base, e)


def _power(base: Expression, exponent: float) -> Expression:
    return base if exponent == 1.0 else Power(base, exponent)


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


def _one_fraction(node: Expression, children: tuple[Expression, ...]) -> Expression:
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
    outside = [_power(base, e) for base, e in common.items()]
    left = []
    for (coefficient, _), power in zip(split, powers, strict=True):
        every = {**dict.fromkeys(common, 0.0), **power}
        rest = [_power(b, e - common.get(b, 0.0)) for b, e in every.items() if e != common.get(b, 0.0)]
        left.append(_product([Number(coefficient), *rest]))
    return _product([*outside, _sum(left)])


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
    turned = Operation(name, (_sum(rest),))
    return turned if sign > 0 else Operation("neg", (turned,))


def _exponential(node: Operation) -> Expression:
    """exp(c·ln x + k + u) is x^c·e^k·exp(u)."""
    inside = node.arguments[0]
    terms = inside.arguments if isinstance(inside, Operation) and inside.name == "add" else (inside,)
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
    return _product([*factors, *([Operation("exp", (_sum(rest),))] if rest else [])])


def _exponentials(node: Operation) -> Expression:
    """exp(a)·exp(b) is exp(a + b)."""
    inside = [a.arguments[0] for a in node.arguments if isinstance(a, Operation) and a.name == "exp"]
    if len(inside) < 2:
        return node
    rest = [a for a in node.arguments if not (isinstance(a, Operation) and a.name == "exp")]
    return _product([*rest, Operation("exp", (_sum(inside),))])


def _logarithm(node: Operation) -> Expression:
    """ln(u^c) is c·ln u; ln(a/b) stands as it is."""
    inside = node.arguments[0]
    if isinstance(inside, Power):
        return _product([Number(inside.exponent), Operation("log", (inside.base,))])
    if isinstance(inside, Operation) and inside.name == "exp":
        return inside.arguments[0]
    return node


def _logarithm_factor(term: Expression) -> tuple[Expression, float] | None:
    """x and c of a term c·ln x."""
    coefficient, rest = split_term(term)
    if isinstance(rest, Operation) and rest.name == "log" and coefficient != 0.0:
        return rest.arguments[0], coefficient
    return None


def _roots(node: Expression, children: tuple[Expression, ...]) -> Expression:
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
    above, below = (
        (node.arguments, ())
        if node.name == "mul"
        else (_factors(node.arguments[0]), _factors(node.arguments[1]))
    )
    roots_above = [a.arguments[0] for a in above if _is_root(a)]  # type: ignore[attr-defined]
    roots_below = [a.arguments[0] for a in below if _is_root(a)]  # type: ignore[attr-defined]
    if len(roots_above) + len(roots_below) < 2:
        return node
    inside = _product(roots_above) if roots_above else Number(1.0)
    if roots_below:
        inside = Operation("div", (inside, _product(roots_below)))
    numerator = _product([*(a for a in above if not _is_root(a)), Operation("sqrt", (inside,))])
    others = [a for a in below if not _is_root(a)]
    return Operation("div", (numerator, _product(others))) if others else numerator


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
        return _sum([*(t for k, t in enumerate(node.arguments) if k not in (i, j)), joined])
    return node


def _turned(node: Expression, children: tuple[Expression, ...]) -> Expression:
    """-a·(b - c) as a·(c - b), above or below the line."""
    node = rebuild(node, children)
    if not (isinstance(node, Operation) and node.name in ("mul", "div", "neg")):
        return node
    coefficient, rest = split_term(node)
    if coefficient >= 0.0 or rest is None:
        return node
    above, below = (
        (_factors(rest.children[0]), _factors(rest.children[1])) if _is(rest, "div") else (_factors(rest), ())
    )
    for k, factor in enumerate((*above, *below)):
        if _is(factor, "add") and any(split_term(t)[0] < 0.0 for t in factor.children):
            turned = simplify(Operation("neg", (factor,)))
            every = [*above, *below]
            every[k] = turned
            top = _product([*([Number(-coefficient)] if coefficient != -1.0 else []), *every[: len(above)]])
            return Operation("div", (top, _product(every[len(above) :]))) if below else top
    return node


def _is(node: Expression, name: str) -> bool:
    return isinstance(node, Operation) and node.name == name


def _is_root(node: Expression) -> bool:
    return isinstance(node, Operation) and node.name == "sqrt"


def _factors(node: Expression) -> tuple[Expression, ...]:
    return node.arguments if isinstance(node, Operation) and node.name == "mul" else (node,)


# --- factors --------------------------------------------------------------------------------------


def _scaled(expression: Expression) -> Expression:
    """Numbers pulled out of sums, powers and roots, so that those which say the same thing meet."""
    factor, rest = fold(expression, _pull)
    return _times(factor, rest)


def _pull(node: Expression, parts: tuple[tuple[float, Expression], ...]) -> tuple[float, Expression]:
    """A number and the rest whose product the node is."""
    try:
        return _pulled(node, parts)
    except (OverflowError, ValueError, ZeroDivisionError):
        return 1.0, rebuild(node, tuple(_times(c, e) for c, e in parts))


def _pulled(node: Expression, parts: tuple[tuple[float, Expression], ...]) -> tuple[float, Expression]:
    if isinstance(node, Number):
        return node.value, Number(1.0)
    if isinstance(node, Variable):
        return 1.0, node
    if isinstance(node, Power):
        factor, base = parts[0]
        if factor > 0.0 or (factor != 0.0 and node.is_integer):
            return _plain(math.pow(factor, node.exponent)), Power(base, node.exponent)
        return 1.0, Power(_times(factor, base), node.exponent)
    assert isinstance(node, Operation)
    if node.name == "mul":
        return _plain(math.prod(c for c, _ in parts)), _product([e for _, e in parts])
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
    return 1.0, Operation(node.name, tuple(_times(c, e) for c, e in parts))


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
    return factor, _sum(
        [_times(math.copysign(1.0, c) if abs(abs(c) - 1.0) <= 1e-12 else c, e) for c, e in divided]
    )


def _plain(value: float) -> float:
    if not math.isfinite(value) or value == 0.0:
        raise OverflowError
    return value


def _times(weight: float, expression: Expression) -> Expression:
    if isinstance(expression, Number):
        return Number(weight * expression.value)
    return expression if weight == 1.0 else Operation("mul", (Number(weight), expression))


def _sum(parts: list[Expression]) -> Expression:
    return parts[0] if len(parts) == 1 else Operation("add", tuple(parts))


def _product(parts: list[Expression]) -> Expression:
    return parts[0] if len(parts) == 1 else Operation("mul", tuple(parts))
