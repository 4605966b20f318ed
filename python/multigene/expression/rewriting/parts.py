"""Taking expressions apart and putting them together: what every rule needs. Nothing here decides anything."""

from __future__ import annotations

from collections.abc import Sequence

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
            others = term.arguments[1:]
            return first.value, others[0] if len(others) == 1 else Operation("mul", others)
        if term.name == "div":
            coefficient, numerator = split_term(first)
            if coefficient != 1.0 and coefficient != 0.0:
                return coefficient, Operation("div", (numerator or Number(1.0), term.arguments[1]))
    return 1.0, term


def join_term(coefficient: float, rest: Expression | None) -> Expression:
    """The product of a coefficient and what `split_term` left of a term."""
    if rest is None or coefficient == 0.0:
        return Number(coefficient)
    if coefficient == 1.0:
        return rest
    if isinstance(rest, Operation) and rest.name == "div":
        numerator, denominator = rest.arguments
        if numerator == Number(1.0):
            return Operation("div", (Number(coefficient), denominator))
        if coefficient == -1.0:
            return Operation("neg", (rest,))
        return Operation("div", (join_term(coefficient, numerator), denominator))
    if coefficient == -1.0:
        return Operation("neg", (rest,))
    factors = rest.arguments if isinstance(rest, Operation) and rest.name == "mul" else (rest,)
    return Operation("mul", (Number(coefficient), *factors))


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


def above_and_below(node: Expression) -> tuple[tuple[Expression, ...], tuple[Expression, ...]]:
    """The factors of a product or quotient, above the line and below it."""
    if is_a(node, "div"):
        return factors_of(node.children[0]), factors_of(node.children[1])
    return factors_of(node), ()


def power_of(base: Expression, exponent: float) -> Expression:
    """A power; the base itself where the exponent is 1."""
    return base if exponent == 1.0 else Power(base, exponent)


def times(weight: float, expression: Expression) -> Expression:
    """A number times an expression, as it stands; a weight of 1 is not written, numbers are multiplied."""
    if isinstance(expression, Number):
        return Number(weight * expression.value)
    return expression if weight == 1.0 else Operation("mul", (Number(weight), expression))


def sum_of(parts: Sequence[Expression]) -> Expression:
    """A sum as it stands, of at least one term."""
    return parts[0] if len(parts) == 1 else Operation("add", tuple(parts))


def product_of(parts: Sequence[Expression]) -> Expression:
    """A product as it stands; of nothing it is 1."""
    if not parts:
        return Number(1.0)
    return parts[0] if len(parts) == 1 else Operation("mul", tuple(parts))


def quotient_of(above: Sequence[Expression], below: Sequence[Expression]) -> Expression:
    """A product over a product; without the line where nothing is below."""
    top = product_of(above)
    return Operation("div", (top, product_of(below))) if below else top
