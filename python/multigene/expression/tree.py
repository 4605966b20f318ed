"""The expression tree: the one form from which every formula, export and count of nodes is made.

The engine hands over genes; the estimator turns them, with their outer coefficients, into one tree of
`Number`, `Variable`, `Operation` and `Power` nodes. `rewriting/` shortens such a tree, `formula.py` gives it
column names, and `export/` writes it in other languages. Trees are immutable and hashable. Every walk goes
through `fold`, which keeps its own stack, so that depth is limited by memory and not by the interpreter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from multigene.expression.operators import OPERATORS as OPERATORS

Array = npt.NDArray[np.float64]
Result = TypeVar("Result")


class Expression:
    """A node with its children. Use the four subclasses; this class holds what they share."""

    __slots__ = ()

    @property
    def children(self) -> tuple[Expression, ...]:
        """The direct sub-expressions, left to right."""
        return ()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Expression):
            return NotImplemented
        return hash(self) == hash(other) and to_postfix(self) == to_postfix(other)

    def __hash__(self) -> int:
        raise NotImplementedError

    def __repr__(self) -> str:
        return fold(self, _repr)

    def __reduce__(self) -> tuple[Any, ...]:
        # A flat pickle: the nested one would run into the recursion limit for deep trees.
        return from_postfix, (to_postfix(self),)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Number(Expression):
    """A constant; always finite."""

    value: float
    _hash: int = field(init=False)

    def __post_init__(self) -> None:
        value = float(self.value)
        if not math.isfinite(value):
            raise ValueError(
                f"A constant of a formula must be finite, got {value}; drop the term it belongs to."
            )
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "_hash", hash(("number", value)))

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Variable(Expression):
    """A column of the data by its position; its name is given to the writers from outside."""

    index: int
    _hash: int = field(init=False)

    def __post_init__(self) -> None:
        if self.index < 0:
            raise ValueError(f"A variable's index counts columns from 0, got {self.index}.")
        object.__setattr__(self, "index", int(self.index))
        object.__setattr__(self, "_hash", hash(("variable", self.index)))

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Operation(Expression):
    """An operator by its canonical name applied to its arguments; `add` and `mul` take two or more."""

    name: str
    arguments: tuple[Expression, ...]
    _hash: int = field(init=False)

    def __post_init__(self) -> None:
        operator = OPERATORS.get(self.name)
        if operator is None:
            raise ValueError(f"Unknown operator {self.name!r}; the operators are {', '.join(OPERATORS)}.")
        arguments = tuple(self.arguments)
        if len(arguments) != operator.arity and not (operator.many and len(arguments) > 2):
            wanted = "2 or more" if operator.many else str(operator.arity)
            raise ValueError(f"Operator {self.name!r} takes {wanted} argument(s), got {len(arguments)}.")
        object.__setattr__(self, "arguments", arguments)
        object.__setattr__(self, "_hash", hash((self.name, arguments)))

    @property
    def children(self) -> tuple[Expression, ...]:
        return self.arguments

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Power(Expression):
    """`base ** exponent` with a fixed real exponent.

    A product leaf `|x|**w` is `Power(Operation("abs", (x,)), w)`: the absolute value is part of the tree, so
    every writer shows it. A negative base under an exponent that is not an integer has no value (NaN).
    """

    base: Expression
    exponent: float
    _hash: int = field(init=False)

    def __post_init__(self) -> None:
        exponent = float(self.exponent)
        if not math.isfinite(exponent):
            raise ValueError(f"An exponent must be finite, got {exponent}.")
        object.__setattr__(self, "exponent", exponent)
        object.__setattr__(self, "_hash", hash(("power", self.base, exponent)))

    @property
    def children(self) -> tuple[Expression, ...]:
        return (self.base,)

    @property
    def is_integer(self) -> bool:
        """Whether the exponent is a whole number."""
        return self.exponent.is_integer()

    def __hash__(self) -> int:
        return self._hash


# --- walks ----------------------------------------------------------------------------------------


def postorder(expression: Expression) -> list[Expression]:
    """All nodes, children before their parents and left before right."""
    nodes, stack = [], [expression]
    while stack:
        node = stack.pop()
        nodes.append(node)
        stack.extend(node.children)
    nodes.reverse()
    return nodes


def fold(expression: Expression, combine: Callable[[Expression, tuple[Result, ...]], Result]) -> Result:
    """Compute a result bottom-up: `combine(node, results of its children)` at every node."""
    results: list[Result] = []
    for node in postorder(expression):
        arguments: tuple[Result, ...] = ()
        if count := len(node.children):
            arguments = tuple(results[-count:])
            del results[-count:]
        results.append(combine(node, arguments))
    return results[0]


def rebuild(node: Expression, children: tuple[Expression, ...]) -> Expression:
    """The same node over other children; the node itself when nothing changed."""
    if all(new is old for new, old in zip(children, node.children, strict=True)):
        return node
    if isinstance(node, Power):
        return Power(children[0], node.exponent)
    if isinstance(node, Operation):
        return Operation(node.name, children)
    return node


def applied(node: Expression, arguments: Sequence[Array]) -> Array:
    """Value of an inner node from those of its arguments; sums and products take any number of them."""
    if isinstance(node, Power):
        return np.power(arguments[0], node.exponent)
    assert isinstance(node, Operation)
    function = OPERATORS[node.name].value
    result = function(*arguments[:2])
    for argument in arguments[2:]:
        result = function(result, argument)
    return result


def evaluate(expression: Expression, X: npt.ArrayLike) -> Array:
    """The value on every row of `X` (rows by columns): plain NumPy, the reference for every export.

    Outside an operator's domain the value is NaN or an infinity, as IEEE arithmetic has it; no warning is raised.
    """
    data = np.asarray(X, dtype=np.float64)
    if data.ndim != 2:
        raise ValueError(f"X must have two dimensions (rows, columns), got shape {data.shape}.")
    width = 1 + max(variables(expression), default=-1)
    if data.shape[1] < width:
        raise ValueError(f"The formula uses column number {width}, but X has only {data.shape[1]} column(s).")

    def value(node: Expression, arguments: tuple[Array, ...]) -> Array:
        if isinstance(node, Number):
            return np.float64(node.value)  # type: ignore[return-value]  # a scalar broadcasts
        if isinstance(node, Variable):
            return data[:, node.index]
        return applied(node, arguments)

    with np.errstate(all="ignore"):
        result = fold(expression, value)
    return np.array(np.broadcast_to(result, data.shape[:1]), dtype=np.float64)


def depth(expression: Expression) -> int:
    """The number of nodes on the longest way from the root to a leaf; a leaf alone has depth 1."""
    return fold(expression, lambda _, below: 1 + max(below, default=0))


def variables(expression: Expression) -> tuple[int, ...]:
    """The indices of the columns used, ascending."""
    return tuple(sorted({node.index for node in postorder(expression) if isinstance(node, Variable)}))


def substitute(expression: Expression, replacements: Mapping[int, Expression]) -> Expression:
    """Replace variables by expressions, given by the variable's index."""

    def replace(node: Expression, children: tuple[Expression, ...]) -> Expression:
        if isinstance(node, Variable):
            return replacements.get(node.index, node)
        return rebuild(node, children)

    return fold(expression, replace)


# --- flat form ------------------------------------------------------------------------------------

Token = tuple[str, float | int]


def to_postfix(expression: Expression) -> tuple[Token, ...]:
    """The tree as pairs: ("number", value), ("variable", index), ("power", exponent), (operator, arity)."""
    tokens: list[Token] = []
    for node in postorder(expression):
        if isinstance(node, Number):
            tokens.append(("number", node.value))
        elif isinstance(node, Variable):
            tokens.append(("variable", node.index))
        elif isinstance(node, Power):
            tokens.append(("power", node.exponent))
        elif isinstance(node, Operation):
            tokens.append((node.name, len(node.arguments)))
    return tuple(tokens)


def from_postfix(tokens: Sequence[Token]) -> Expression:
    """The tree of a flat tuple made by `to_postfix`."""
    stack: list[Expression] = []
    for name, value in tokens:
        count = 0 if name in ("number", "variable") else 1 if name == "power" else int(value)
        if count > len(stack):
            raise ValueError(
                f"The postfix form is damaged: {name!r} needs {count} argument(s), {len(stack)} are there."
            )
        arguments = tuple(stack[len(stack) - count :])
        del stack[len(stack) - count :]
        if name == "number":
            stack.append(Number(value))
        elif name == "variable":
            stack.append(Variable(int(value)))
        elif name == "power":
            stack.append(Power(arguments[0], value))
        else:
            stack.append(Operation(name, arguments))
    if len(stack) != 1:
        raise ValueError(f"The postfix form is damaged: it leaves {len(stack)} expressions instead of one.")
    return stack[0]


def _repr(node: Expression, parts: tuple[str, ...]) -> str:
    if isinstance(node, Number):
        return f"Number({node.value!r})"
    if isinstance(node, Variable):
        return f"Variable({node.index})"
    if isinstance(node, Power):
        return f"Power({parts[0]}, {node.exponent!r})"
    assert isinstance(node, Operation)
    return f"Operation({node.name!r}, ({', '.join(parts)}{',' if len(parts) == 1 else ''}))"
