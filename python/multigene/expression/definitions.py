"""Operators in terms of others: the definitions of `operators.py` as trees, and the reader of formulas' text that makes them.

`readable.py` puts them in place of names that people would not know; the writers of `export/` in place of operators that their
language lacks.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence

from multigene.expression.build import call, power_of
from multigene.expression.operators import OPERATORS
from multigene.expression.tree import Expression, Number, Variable, postorder, rebuild

SIGNS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}


def read(text: str, names: Sequence[str]) -> Expression:
    """The expression that a formula's text says, in the notation in which formulas are printed: `0.5*x**2 - sin(y)`.

    `names` are the columns. Raises a `ValueError` that names what is not understood.
    """
    return _read(ast.parse(text, mode="eval").body, {name: Variable(i) for i, name in enumerate(names)})


def _read(node: ast.expr, columns: dict[str, Variable]) -> Expression:
    match node:
        case ast.Constant(value=int() | float() as value):
            return Number(float(value))
        case ast.Name(id=name) if name in columns:
            return columns[name]
        case ast.Name(id="pi"):
            return Number(math.pi)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return Number(-float(value))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return call("neg", _read(operand, columns))
        case ast.BinOp(left=base, op=ast.Pow(), right=right):
            exponent = _read(right, columns)
            if isinstance(exponent, Number):
                return power_of(_read(base, columns), exponent.value)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in SIGNS:
            return call(SIGNS[type(op)], _read(left, columns), _read(right, columns))
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in OPERATORS:
            return call(name, *(_read(argument, columns) for argument in arguments))
    raise ValueError(
        f"{ast.unparse(node)!r} cannot be read as a part of a formula; give numbers, columns, + - * / ** "
        f"and the functions {', '.join(OPERATORS)}."
    )


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
