"""Operators in terms of others: the definitions of `operators.py` as trees.

`readable.py` puts them in place of names that people would not know; the writers of `export/` in place of operators that their
language lacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from multigene.expression.operators import OPERATORS
from multigene.expression.reading import read
from multigene.expression.tree import Expression, Variable, postorder, rebuild

#: Operators that have a definition, with `Variable(0)` and `Variable(1)` for their arguments.
DEFINITIONS: Mapping[str, Expression] = {
    name: read(row.definition, ("x", "y")) for name, row in OPERATORS.items() if row.definition
}
#: For each of their arguments whether the definition has it more than once.
REPEATED: Mapping[str, tuple[bool, ...]] = {
    name: tuple(postorder(tree).count(Variable(i)) > 1 for i in range(OPERATORS[name].arity))
    for name, tree in DEFINITIONS.items()
}


def spelt_out(name: str, arguments: Sequence[Expression]) -> Expression:
    """An operator's definition over these arguments."""
    return _over(DEFINITIONS[name], arguments)


def _over(tree: Expression, arguments: Sequence[Expression]) -> Expression:
    if isinstance(tree, Variable):
        return arguments[tree.index]
    return rebuild(tree, tuple(_over(child, arguments) for child in tree.children)) if tree.children else tree
