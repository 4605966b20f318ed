"""Taking expressions apart: what every rule needs. Nothing here decides anything; `build.py` puts together."""

from __future__ import annotations

from multigene.expression.build import ONE, call, product_of
from multigene.expression.tree import Expression, Number, Operation, Power, Variable, fold, rebuild


def split_term(term: Expression) -> tuple[float, Expression | None]:
    """Take a term apart into its coefficient and the rest; a number has no rest."""
    if isinstance(term, Number):
        return term.value, None
    if isinstance(term, Operation):
        if term.name == "neg":
            coefficient, rest = split_term(term.arguments[0])
            return -coefficient, rest
        first = term.arguments[0]
        if term.name == "mul" and isinstance(first, Number):
            return first.value, product_of(term.arguments[1:])
        if term.name == "div":
            coefficient, numerator = split_term(first)
            if coefficient != 1.0 and coefficient != 0.0:
                return coefficient, call("div", numerator or ONE, term.arguments[1])
    return 1.0, term


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


def replaced(expression: Expression, place: int, replacement: Expression) -> Expression:
    """The expression with another node at a place of its postorder."""
    count = -1

    def change(node: Expression, children: tuple[Expression, ...]) -> Expression:
        nonlocal count
        count += 1
        return replacement if count == place else rebuild(node, children)

    return fold(expression, change)


def is_a(node: Expression, name: str) -> bool:
    """Whether a node is this operation."""
    return isinstance(node, Operation) and node.name == name


def factors_of(node: Expression) -> tuple[Expression, ...]:
    """The factors of a product; what is none is its own only factor."""
    return node.arguments if isinstance(node, Operation) and node.name == "mul" else (node,)


def terms_of(node: Expression) -> tuple[Expression, ...]:
    """The terms of a sum; what is none is its own only term."""
    return node.arguments if isinstance(node, Operation) and node.name == "add" else (node,)


def above_and_below(node: Expression) -> tuple[tuple[Expression, ...], tuple[Expression, ...]]:
    """The factors of a product or quotient, above the line and below it."""
    if is_a(node, "div"):
        return factors_of(node.children[0]), factors_of(node.children[1])
    return factors_of(node), ()
