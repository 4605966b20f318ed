"""Functions that users define (`functions={"hill": "x**2/(1 + x**2)"}`), recognised in formulas, which spell them out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

from multigene.expression.reading import read
from multigene.expression.rewriting import simplify
from multigene.expression.rewriting.parts import is_a, split_term
from multigene.expression.tree import Expression, Number, Operation, Power, Variable
from multigene.rules.constants import MOST_ORDERS

#: What each argument of a definition stands for.
Bound = dict[int, Expression]


class OwnFunctions:
    """Functions by name, each with the trees that it may have in a formula; variables 0 and 1 are its arguments."""

    def __init__(self, definitions: Mapping[str, str]) -> None:
        trees = {name: read(text, ("x", "y")) for name, text in definitions.items()}
        self.trees = {name: tuple(dict.fromkeys([tree, simplify(tree)])) for name, tree in trees.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self.trees)

    def found(self, node: Expression) -> dict[str, tuple[Expression, ...]]:
        """Functions that a node is, with their arguments."""
        _, rest = split_term(node)  # 3*x**2/(1 + x**2) has its 3 above the line
        forms = [rest] if rest is not None and is_a(node, "div") else [node]
        matches = [
            (name, _match(tree, form, {}))
            for name, trees in self.trees.items()
            for tree in trees
            for form in forms
        ]
        return {name: tuple(bound.values()) for name, bound in matches if bound is not None}


def own_functions(functions: Sequence[tuple[str, str | None, float]]) -> dict[str, str]:
    """Those of a set of functions that are defined by a text."""
    return {name: definition for name, definition, _ in functions if definition is not None}


def _match(pattern: Expression, node: Expression, bound: Bound) -> Bound | None:
    """What the arguments of a definition stand for in a formula; None where it is another one."""
    if isinstance(pattern, Variable):
        known = bound.get(pattern.index)
        if known is None:
            return {**bound, pattern.index: node}
        return bound if known == node else None
    if isinstance(pattern, Number):
        return bound if pattern == node else None
    if isinstance(pattern, Power):
        if not (isinstance(node, Power) and node.exponent == pattern.exponent):
            return None
        return _match(pattern.base, node.base, bound)
    if not (isinstance(pattern, Operation) and isinstance(node, Operation) and pattern.name == node.name):
        return None
    if len(pattern.arguments) != len(node.arguments):
        return None
    free = pattern.name in ("add", "mul") and len(node.arguments) <= MOST_ORDERS
    for order in permutations(node.arguments) if free else (node.arguments,):
        found: Bound | None = bound
        for part, child in zip(pattern.arguments, order, strict=True):
            found = None if found is None else _match(part, child, found)
        if found is not None:
            return found
    return None
