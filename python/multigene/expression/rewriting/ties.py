"""Among forms of the same size, the one people write: V·s/(K + s), not V/(K/s + 1); a·exp(b - c), not a/exp(c - b).

The last step of `natural` in `choosing.py`, after which nothing is simplified.
Nothing becomes longer here. Like the rules of `where_seen.py` these hold where the law was seen, not everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from multigene.expression.build import product_of, quotient_of, sum_of
from multigene.expression.constants import MOST_CHANGES
from multigene.expression.readable import size
from multigene.expression.rewriting.always import simplified
from multigene.expression.rewriting.parts import above_and_below, factors_of, is_a, replaced, split_term
from multigene.expression.tree import Expression, Number, Operation, postorder


def tidied(expression: Expression) -> Expression:
    """The expression with fewer fractions below fractions and divisions by exponentials, at most as long."""
    best, found = expression, _oddities(expression)
    length = size(best) if found else 0
    for _ in range(MOST_CHANGES):
        if not found:
            break
        for other in _other_ways(best):
            count, nodes = _oddities(other), size(other)
            if nodes <= length and (nodes, count) < (length, found):
                best, found, length = other, count, nodes
                break
        else:
            break
    return best


def _oddities(expression: Expression) -> int:
    """How often people would have written something else."""
    return sum(_odd(node) for node in postorder(expression) if isinstance(node, Operation))


def _odd(node: Operation) -> int:
    if node.name != "div":
        return 0
    below = factors_of(node.arguments[1])
    return sum(is_a(f, "exp") for f in below) + sum(len(_denominators(f)) for f in below)


def _denominators(node: Expression) -> list[Expression]:
    """What the terms of a sum are divided by."""
    rests = [split_term(term)[1] for term in node.children] if is_a(node, "add") else []
    below = [rest.children[1] for rest in rests if rest is not None and is_a(rest, "div")]
    return [each for each in below if not isinstance(each, Number)]


def _other_ways(expression: Expression) -> Iterator[Expression]:
    """The expression with one of its oddities written in another way."""
    for place, node in enumerate(postorder(expression)):
        if not (isinstance(node, Operation) and node.name == "div"):
            continue
        for other in (*_cleared(node), *_exponential_above(node)):
            yield replaced(expression, place, other)


def _cleared(node: Operation) -> Iterator[Expression]:
    """a/(b/c + 1) as a·c/(b + c)."""
    above, below = above_and_below(node)
    for k, factor in enumerate(below):
        for out in dict.fromkeys(_denominators(factor)):
            terms = [simplified(Operation("mul", (term, out))) for term in factor.children]
            yield quotient_of(
                _written([*above, *factors_of(out)]), [*below[:k], sum_of(terms), *below[k + 1 :]]
            )


def _exponential_above(node: Operation) -> Iterator[Expression]:
    """a/exp(b - c) as a·exp(c - b), and a·exp(b)/exp(c) as a·exp(b - c)."""
    above, below = above_and_below(node)
    inside = [simplified(Operation("neg", f.children)) for f in below if is_a(f, "exp")]
    if inside:
        inside = [*(f.children[0] for f in above if is_a(f, "exp")), *inside]
        exponential = Operation("exp", (simplified(sum_of(inside)),))
        others = [f for f in above if not is_a(f, "exp")]
        yield quotient_of(_written([*others, exponential]), [f for f in below if not is_a(f, "exp")])


def _written(factors: list[Expression]) -> list[Expression]:
    """Factors without those that are 1, if others are left."""
    return [f for f in factors if f != Number(1.0)] or [product_of([])]
