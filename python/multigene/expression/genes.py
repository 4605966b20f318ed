"""From the engine's genes to expressions: what a model says, in the terms of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from multigene._engine import Individual
from multigene.expression.rewriting import simplify
from multigene.expression.tree import Expression, Number, Operation, Power, Variable


def gene_expression(individual: Individual, gene: int) -> Expression:
    """One gene as an expression tree."""
    stack: list[Expression] = []
    for token in individual.tokens(gene):
        kind = token[0]
        if kind == "c":
            stack.append(Number(token[1]))
        elif kind == "x":
            stack.append(Variable(token[1]))
        elif kind == "lcf":
            stack.append(linear(token[1], token[2]))
        elif kind == "product":
            stack.append(_product(token[1], token[2]))
        elif kind == "pow":
            stack.append(Power(stack.pop(), token[1]))
        elif kind == "weights":
            stack.append(_add([Number(token[1]), _times(token[2], stack.pop())]))
        else:
            arity = 2 if kind in _BINARY else 1
            arguments = tuple(stack[len(stack) - arity :])
            del stack[len(stack) - arity :]
            stack.append(Operation(kind, arguments))
    return stack[0]


def model_expression(individual: Individual) -> Expression:
    """The whole model, intercept and coefficients included, simplified without changing its value."""
    terms: list[Expression] = [Number(individual.intercept)] if individual.intercept != 0.0 else []
    for gene, coefficient in enumerate(individual.coefficients):
        if coefficient != 0.0:
            terms.append(_times(coefficient, gene_expression(individual, gene)))
    return simplify(_add(terms))


def transformations(individual: Individual) -> list[tuple[int, float, dict[int, float]]]:
    """The linear combinations of a model: gene, bias, and weight by feature. Genes the fit left out are left out here."""
    rows: list[tuple[int, float, dict[int, float]]] = []
    for gene, coefficient in enumerate(individual.coefficients):
        if coefficient != 0.0:
            rows.extend((gene, t[1], dict(t[2])) for t in individual.tokens(gene) if t[0] == "lcf")
    return rows


def linear(bias: float, terms: Iterable[tuple[int, float]]) -> Expression:
    """a + b·x with zero weights dropped."""
    parts: list[Expression] = [_times(w, Variable(j)) for j, w in terms if w != 0.0]
    if bias != 0.0 or not parts:
        parts.append(Number(bias))
    return _add(parts)


def _product(scale: float, terms: Sequence[tuple[int, float]]) -> Expression:
    factors: list[Expression] = [
        Power(Operation("abs", (Variable(j),)), w) if w != 1.0 else Operation("abs", (Variable(j),))
        for j, w in terms
        if w != 0.0
    ]
    if scale != 1.0 or not factors:
        factors.insert(0, Number(scale))
    return factors[0] if len(factors) == 1 else Operation("mul", tuple(factors))


def _times(weight: float, expression: Expression) -> Expression:
    return expression if weight == 1.0 else Operation("mul", (Number(weight), expression))


def _add(parts: Sequence[Expression]) -> Expression:
    if not parts:
        return Number(0.0)
    return parts[0] if len(parts) == 1 else Operation("add", tuple(parts))


def _binary_names() -> frozenset[str]:
    from multigene._engine import operators

    return frozenset(name for name, arity, _ in operators() if arity == 2)


_BINARY: frozenset[str] = _binary_names()

__all__: list[Any] = ["gene_expression", "linear", "model_expression", "transformations"]
