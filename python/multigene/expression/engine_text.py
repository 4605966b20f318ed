"""Expressions as the engine's text: the one place of this package that writes it. `genes.py` is the way back.

The notation is that of `crates/multigene-core/src/tree/text.rs`: infix over `x0`, `x1`, …; a linear combination as
`[0: 1.5 + 2.0*x0]`, a product leaf as `{2.0: x0^1.0 x3^-0.5}`, weights of an inner node as `weighted(a, b, sin(x0))`. The number
before the colon says which combinations share their weights in the paper's synchronised modes; in models written here none do, so
it is that of the first column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from multigene.expression.constants import MOST_HALVES, MOST_POWER
from multigene.expression.operators import OPERATORS
from multigene.expression.rewriting.parts import split_term
from multigene.expression.tree import Expression, Number, Operation, Power, Variable, fold, rebuild

#: Stands for a number in a text `with_gaps`.
GAP = "\0"


def engine_text(expression: Expression, *, leaves: bool = False, bare: bool = False) -> str:
    """An expression in the engine's notation; real exponents become roots or exp(w·log(…)).

    With `leaves`, weighted sums become linear combinations and |x|**w product leaves, so that the engine tunes their numbers. A
    bare x beside them keeps its weight of 1 when the model is tuned; with `bare` it is part of the combination.
    """
    return fold(expression, partial(_with_leaves, bare=bare) if leaves else engine_node)


def engine_node(node: Expression, parts: tuple[str, ...]) -> str:
    """One node over the texts of its children."""
    if isinstance(node, Number):
        return repr(node.value) if node.value >= 0 else f"({node.value!r})"
    if isinstance(node, Variable):
        return f"x{node.index}"
    if isinstance(node, Power):
        return _power(parts[0], node.exponent)
    assert isinstance(node, Operation)
    return _applied(node.name, parts)


def combination(weights: Sequence[tuple[int, float]], bias: float = 0.0) -> str:
    """The linear combination of columns with their weights; a bias of 0 is not written."""
    return _combination(
        [(column, repr(weight)) for column, weight in weights], repr(bias) if bias != 0.0 else None
    )


def with_gaps(tokens: Iterable[tuple[Any, ...]]) -> tuple[str, list[float]]:
    """A gene, as postfix tokens of the engine, with a `GAP` for each of its numbers; and the numbers in the order of the gaps."""
    stack: list[tuple[str, list[float]]] = []
    for kind, *values in tokens:
        if kind == "x":
            stack.append((f"x{values[0]}", []))
        elif kind == "c":
            stack.append((f"({GAP})", [values[0]]))
        elif kind in ("lcf", "product"):
            first, terms = values
            columns = [(column, GAP) for column, _ in terms]
            text = _combination(columns, GAP) if kind == "lcf" else _product(GAP, columns)
            stack.append((text, [first, *(weight for _, weight in terms)]))
        elif kind == "pow":
            text, inside = stack.pop()
            stack.append((f"({text})**{values[0]}", inside))
        elif kind == "weights":
            text, inside = stack.pop()
            stack.append((f"weighted({GAP}, {GAP}, {text})", [*values, *inside]))
        else:
            first = len(stack) - OPERATORS[kind].arity
            texts, numbers = zip(*stack[first:], strict=True)
            stack[first:] = [(_applied(kind, texts), [number for each in numbers for number in each])]
    return stack[0]


def _applied(name: str, parts: Sequence[str]) -> str:
    sign = OPERATORS[name].sign if OPERATORS[name].arity == 2 else ""
    return f"({f' {sign} '.join(parts)})" if sign else f"{name}({', '.join(parts)})"


def _power(base: str, exponent: float) -> str:
    if exponent == 1.0:
        return base
    if exponent == 0.0:
        return "1.0"
    if exponent.is_integer() and 2 <= abs(exponent) <= MOST_POWER:
        return f"({base})**{int(exponent)}"
    if exponent == -1.0:
        return f"inv({base})"
    halves = 2.0 * exponent
    if halves.is_integer() and abs(halves) <= MOST_HALVES:
        return _power(f"sqrt({base})", halves)
    return f"exp(({exponent!r})*log({base}))"


def _combination(weights: Sequence[tuple[int, str]], bias: str | None) -> str:
    terms = [] if bias is None else [bias]
    terms += [f"{weight}*x{column}" for column, weight in weights]
    return f"[{weights[0][0] if weights else 0}: {' + '.join(terms)}]"


def _product(scale: str, exponents: Sequence[tuple[int, str]]) -> str:
    return f"{{{scale}: {' '.join(f'x{column}^{exponent}' for column, exponent in exponents)}}}"


def _with_leaves(node: Expression, parts: tuple[str, ...], bare: bool) -> str:
    if isinstance(node, Power) and not node.is_integer:
        inside = node.base.children[0] if _is_absolute(node.base) else None
        if isinstance(inside, Variable):
            return _product("1.0", [(inside.index, repr(node.exponent))])
    if not (isinstance(node, Operation) and node.name == "add"):
        return engine_node(node, parts)
    bias, weighted, others = 0.0, dict[int, float](), []
    for child, part in zip(node.arguments, parts, strict=True):
        weight, rest = split_term(child)
        if rest is None:
            bias += weight
        elif isinstance(rest, Variable) and (bare or weight not in (1.0, -1.0)):
            weighted[rest.index] = weighted.get(rest.index, 0.0) + weight
        else:
            others.append(part)
    if not weighted or set(weighted.values()) <= {1.0, -1.0}:
        return engine_node(node, parts)
    return "(" + " + ".join([combination(list(weighted.items()), bias), *others]) + ")"


def _is_absolute(node: Expression) -> bool:
    return isinstance(node, Operation) and node.name == "abs"


def engine_form(expression: Expression) -> Expression:
    """The tree that the engine holds of an expression: sums and products of two, real exponents as `engine_text` says them.

    Its numbers, children before parents, are the engine's constants in their order.
    """

    def form(node: Expression, parts: tuple[Expression, ...]) -> Expression:
        if isinstance(node, Power):
            return _power_form(parts[0], node.exponent)
        if not isinstance(node, Operation) or len(parts) <= 2:
            return rebuild(node, parts)
        total = Operation(node.name, parts[:2])
        for part in parts[2:]:
            total = Operation(node.name, (total, part))
        return total

    return fold(expression, form)


def _power_form(base: Expression, exponent: float) -> Expression:
    if exponent == 1.0:
        return base
    if exponent == 0.0:
        return Number(1.0)
    if exponent.is_integer() and 2 <= abs(exponent) <= 32:
        return Power(base, exponent)
    if exponent == -1.0:
        return Operation("inv", (base,))
    half = 2.0 * exponent
    if half.is_integer() and abs(half) <= 9:
        return _power_form(Operation("sqrt", (base,)), half)
    return Operation("exp", (Operation("mul", (Number(exponent), Operation("log", (base,)))),))
