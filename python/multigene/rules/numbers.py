"""The numbers of a formula as rules mean them, and formulas whose numbers were made to keep rules.

`constants` are the coefficients of terms with their signs, and numbers that stand alone; a coefficient of 1 is none. `exponents`
are those of powers, of roots and of what stands below a line. `projected` puts inner numbers to the nearest that are allowed.
"""

from __future__ import annotations

from collections.abc import Callable

from multigene.expression.build import ONE, call, join_term, power_of, sum_of
from multigene.expression.rewriting.parts import split_term
from multigene.expression.tree import Expression, Number, Operation, Power, fold, rebuild

Nearest = Callable[[float], float]


def signed_terms(expression: Expression) -> list[tuple[float, Expression | None]]:
    """The terms of a sum, each as its coefficient with its sign and the rest, None for a number alone."""
    found: list[tuple[float, Expression | None]] = []
    waiting: list[tuple[float, Expression]] = [(1.0, expression)]
    while waiting:
        sign, node = waiting.pop()
        coefficient, rest = split_term(node)
        is_sum = isinstance(rest, Operation) and rest.name in ("add", "sub")
        if is_sum and coefficient in (1.0, -1.0):
            assert isinstance(rest, Operation)
            signs = [sign * coefficient] * len(rest.arguments)
            if rest.name == "sub":
                signs[1] = -signs[1]
            waiting.extend(reversed(list(zip(signs, rest.arguments, strict=True))))
        else:
            found.append((sign * coefficient, rest))
    return found


def constants(expression: Expression) -> list[float]:
    """Coefficients with their signs, and numbers that stand alone, at any depth; factors of 1 are not written."""
    found: list[float] = []
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        for coefficient, rest in signed_terms(node):
            if rest is None or coefficient != 1.0:
                found.append(coefficient)
            if rest is not None:
                waiting.extend(_parts(rest))
    return found


def _parts(rest: Expression) -> list[Expression]:
    """What may hold numbers within a term: factors, what is above and below a line, arguments."""
    if isinstance(rest, Operation) and rest.name in ("mul", "div"):
        return [part for child in rest.children if child != ONE for part in _parts_of_factor(child)]
    return list(rest.children)


def _parts_of_factor(factor: Expression) -> list[Expression]:
    if isinstance(factor, Operation) and factor.name in ("mul", "div"):
        return _parts(factor)
    return [factor] if isinstance(factor, Number) or _is_sum(factor) else list(factor.children)


def _is_sum(node: Expression) -> bool:
    return isinstance(node, Operation) and node.name in ("add", "sub", "neg")


def exponents(expression: Expression) -> list[float]:
    """Exponents of powers and roots; what stands below a line has the opposite, or -1."""
    found: list[float] = []
    waiting: list[tuple[Expression, bool]] = [(expression, False)]
    while waiting:
        node, below = waiting.pop()
        sign = -1.0 if below else 1.0
        name = node.name if isinstance(node, Operation) else ""
        if name in ("mul", "neg"):
            waiting.extend((child, below) for child in node.children)
            continue
        if name == "div":
            above, under = node.children
            waiting += [(above, below), (under, not below)]
            continue
        if isinstance(node, Power):
            found.append(sign * node.exponent)
        elif name == "sqrt":
            found.append(sign * 0.5)
        elif name == "inv" or (below and not isinstance(node, Number)):
            found.append(-1.0)
        waiting.extend((child, False) for child in node.children)
    return found


def projected(expression: Expression, constant: Nearest, exponent: Nearest) -> Expression:
    """The formula with every constant and every exponent of a power put to the nearest that is allowed."""

    def change(node: Expression, children: tuple[Expression, ...]) -> Expression:
        new = rebuild(node, children)
        if isinstance(new, Power):
            return power_of(new.base, exponent(new.exponent))
        if isinstance(new, Operation) and new.name == "sqrt":
            return power_of(new.arguments[0], exponent(0.5)) if exponent(0.5) != 0.5 else new
        if isinstance(new, Operation) and new.name in ("add", "sub"):
            return _terms(new, constant)
        if isinstance(new, Operation) and new.name not in ("mul", "div", "neg"):
            parts = tuple(_term(child, constant) for child in new.arguments)
            return call(new.name, *parts)
        return new

    return fold(expression, change)


def _terms(node: Expression, constant: Nearest) -> Expression:
    return sum_of([_joined(constant, *pair) for pair in signed_terms(node)])


def _term(node: Expression, constant: Nearest) -> Expression:
    """An argument: a sum has been dealt with, a lone term has a coefficient."""
    return (
        node
        if isinstance(node, Operation) and node.name in ("add", "sub")
        else _joined(constant, *split_term(node))
    )


def _joined(constant: Nearest, coefficient: float, rest: Expression | None) -> Expression:
    return join_term(coefficient if rest is not None and coefficient == 1.0 else constant(coefficient), rest)
