"""What people read of an expression, and how long it is to write.

Some operators of the search have no common name (logistic, softplus, the analytic quotient); they are spelt
out in every form meant for people, and `size` counts signs, functions, names and numbers of what is written. Stands between
`tree.py` and the writers of text, LaTeX, MathML and SymPy; `rewriting/` and the law search measure their success with it. The
size that users see is `printed_size.py`'s.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache, partial

from multigene.expression.build import MINUS_ONE, ONE, call, product_of, quotient_of
from multigene.expression.constants import LATELY, SPELT_OUT
from multigene.expression.definitions import DEFINITIONS, REPEATED, spelt_out
from multigene.expression.tree import (
    Expression,
    Number,
    Operation,
    Power,
    fold,
    rebuild,
    variables,
)


def readable(expression: Expression, by_name: Collection[str] = ()) -> Expression:
    """Spell out the operators that have no common name: what people read, and what `size` counts.

    Operators of `by_name` stay as they are, for a writer that explains them beside the formula; so does sinc(x), since sin(x)/x
    has no value at 0 and repeats its argument.
    """
    spelt: tuple[Expression, int] = fold(expression, partial(_spell_out, by_name=by_name))
    return spelt[0]


@lru_cache(LATELY)
def size(expression: Expression) -> int:
    """The number of constants, variables, operators and functions as they are written.

    `3*x + 1` has five. `x**2` has three. `1/(1 + exp(x))` has six although it is one operator of the search.
    """
    return fold(expression, _spell_out)[1]


def raised(node: Expression) -> tuple[Expression, Expression] | None:
    """Base and exponent of `exp(z*log(a))`, which people read as `a**z`; None for anything else.

    The exponent has columns: with a number as exponent there is `Power`, which has values where the logarithm has none.
    """
    if not (isinstance(node, Operation) and node.name == "exp"):
        return None
    argument, minus, below = node.arguments[0], False, list[Expression]()
    if isinstance(argument, Operation) and argument.name == "neg":
        argument, minus = argument.arguments[0], True
    if isinstance(argument, Operation) and argument.name == "div":
        argument, *below = argument.arguments
    factors = list(argument.children) if _is(argument, "mul") else [argument]
    logarithms = [k for k, factor in enumerate(factors) if _is(factor, "log")]
    if len(logarithms) != 1:
        return None
    [base] = factors.pop(logarithms[0]).children
    exponent = quotient_of(factors, below)
    exponent = call("neg", exponent) if minus else exponent
    return (base, exponent) if variables(exponent) else None


def plain(expression: Expression) -> Expression:
    """Without factors, divisors and exponents of exactly 1, and with a sign instead of -1: what every writer starts from.

    IEEE arithmetic gives the same bits with and without them. They come from constants that were set or rounded to 1.
    """
    return fold(expression, _plain_node)


def as_read(expression: Expression) -> Expression:
    """What Python, and with it SymPy, reads in the text of an expression, where it matters: a later term with a minus sign is
    taken away, `z - 2.5*(x + y)*z`; a sign before a product belongs to its first factor.
    """
    return fold(expression, _as_read_node)


def _as_read_node(node: Expression, children: tuple[Expression, ...]) -> Expression:
    node = rebuild(node, children)
    if not isinstance(node, Operation):
        return node
    if node.name == "neg" and isinstance(children[0], Operation) and children[0].name in ("mul", "div"):
        first, *others = children[0].arguments
        return Operation(children[0].name, (call("neg", first), *others))
    if node.name != "add":
        return node
    so_far, *others = node.arguments
    for term in others:
        opposite = None if isinstance(term, Number) else _without_minus(term)
        so_far = call("add", so_far, term) if opposite is None else call("sub", so_far, opposite)
    return so_far


def _without_minus(term: Expression) -> Expression | None:
    """A term without the minus sign that it begins with."""
    if isinstance(term, Number):
        return Number(-term.value) if term.value < 0.0 else None
    if isinstance(term, Operation) and term.name == "neg":
        return term.arguments[0]
    if isinstance(term, Operation) and term.name in ("mul", "div"):
        first = _without_minus(term.arguments[0])
        return None if first is None else Operation(term.name, (first, *term.arguments[1:]))
    return None


def _plain_node(node: Expression, children: tuple[Expression, ...]) -> Expression:
    node = rebuild(node, children)
    if isinstance(node, Power) and node.exponent == 1.0:
        return node.base
    if not isinstance(node, Operation) or node.name not in ("mul", "div"):
        return node
    first, *others = node.arguments
    if node.name == "div":
        if others[0] == ONE:
            return first
        return call("neg", first) if others[0] == MINUS_ONE else node
    factors = [factor for factor in node.arguments if factor not in (ONE, MINUS_ONE)]
    if len(factors) == len(node.arguments):
        return node
    negative = sum(factor == MINUS_ONE for factor in node.arguments) % 2 == 1
    return call("neg", product_of(factors)) if negative else product_of(factors)


def _spell_out(
    node: Expression, parts: tuple[tuple[Expression, int], ...], by_name: Collection[str] = ()
) -> tuple[Expression, int]:
    arguments = tuple(argument for argument, _ in parts)
    known = {id(argument): count for argument, count in parts}
    name = node.name if isinstance(node, Operation) else ""
    if (
        name in DEFINITIONS
        and name not in by_name
        and name != "sinc"
        and not any(
            again and count > SPELT_OUT for again, (_, count) in zip(REPEATED[name], parts, strict=True)
        )
    ):
        spelt = spelt_out(name, arguments)
        return spelt, _count(spelt, known)
    spelt = rebuild(node, arguments)
    if name in ("mul", "neg"):
        spelt = _one_fraction(spelt) if name == "mul" else _opposite(arguments[0]) or spelt
        return spelt, _count(spelt, known)
    if (power := raised(spelt)) is not None:
        return spelt, 1 + sum(map(size, power))
    return spelt, _own(spelt) + sum(count for _, count in parts)


def _one_fraction(product: Expression) -> Expression:
    """`2*(1/x)` is read as `2/x`: factors that are fractions join into one."""
    above: list[Expression] = []
    below: list[Expression] = []
    for factor in product.children:
        if isinstance(factor, Operation) and factor.name == "div":
            above.append(factor.arguments[0])
            below.append(factor.arguments[1])
        else:
            above.append(factor)
    if not below:
        return product
    return call("div", _joined([each for each in above if each != ONE] or [ONE]), _joined(below))


def _opposite(expression: Expression) -> Expression | None:
    """Minus this, where the sign melts into a number or cancels: `-(2*x)` is read as `-2*x`."""
    if isinstance(expression, Number):
        return Number(-expression.value)
    if isinstance(expression, Operation) and expression.name in ("neg", "mul", "div"):
        first, *others = expression.arguments
        if expression.name == "neg":
            return first
        opposite = _opposite(first)
        return None if opposite is None else Operation(expression.name, (opposite, *others))
    return None


def _joined(factors: list[Expression]) -> Expression:
    flat: list[Expression] = []
    for factor in factors:
        flat.extend(factor.children if isinstance(factor, Operation) and factor.name == "mul" else (factor,))
    return product_of(flat)


def _own(node: Expression) -> int:
    """The nodes a printed node adds to those of its children; `a + (-b)` is printed `a - b`."""
    if isinstance(node, Power):
        return 2
    if isinstance(node, Operation):
        count = max(1, len(node.arguments) - 1)
        if node.name in ("add", "sub"):
            count -= sum(_starts_with_minus(term) for term in node.arguments[1:])
        return count
    return 1


def _is(node: Expression, name: str) -> bool:
    return isinstance(node, Operation) and node.name == name


def _starts_with_minus(term: Expression) -> bool:
    while isinstance(term, Operation) and term.name in ("mul", "div"):
        term = term.arguments[0]
    return isinstance(term, Operation) and term.name == "neg"


def _count(expression: Expression, known: Mapping[int, int]) -> int:
    """The nodes of a printed expression; `known` holds the counts of sub-expressions by their identity."""
    count, stack = 0, [expression]
    while stack:
        node = stack.pop()
        if id(node) in known:
            count += known[id(node)]
        else:
            count += _own(node)
            stack.extend(node.children)
    return count
