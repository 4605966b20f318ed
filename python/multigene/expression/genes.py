"""From the engine's genes to expressions: what a model says, in the terms of its columns. `engine_text.py` is the way back."""

from __future__ import annotations

from functools import lru_cache

from multigene._engine import Individual
from multigene.expression.build import call, linear, monomial, sum_of, weighted
from multigene.expression.operators import OPERATORS
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
            stack.append(monomial(token[1], token[2]))
        elif kind == "pow":
            stack.append(Power(stack.pop(), token[1]))
        elif kind == "weights":
            stack.append(sum_of([Number(token[1]), weighted(token[2], stack.pop())]))
        else:
            first = len(stack) - OPERATORS[kind].arity
            stack[first:] = [Operation(kind, tuple(stack[first:]))]
    return stack[0]


def prediction_expression(individual: Individual, link: str = "identity") -> Expression:
    """The whole model as it predicts: what `model_expression` has, within the inverse of the link."""
    predictor = model_expression(individual)
    if link == "log":
        return call("exp", predictor)
    return call("logistic", call("neg", predictor)) if link == "logit" else predictor


def model_expression(individual: Individual) -> Expression:
    """The whole model, intercept and coefficients included, simplified without changing its value."""
    return _simplified(tuple(individual.genes), individual.intercept, tuple(individual.coefficients))


@lru_cache(maxsize=4)  # the chosen model is asked for by all that reads, prints and writes it
def _simplified(genes: tuple[str, ...], intercept: float, coefficients: tuple[float, ...]) -> Expression:
    individual = Individual(list(genes), intercept, list(coefficients))
    terms: list[Expression] = [Number(intercept)] if intercept != 0.0 else []
    for gene, coefficient in enumerate(coefficients):
        if coefficient != 0.0:
            terms.append(weighted(coefficient, gene_expression(individual, gene)))
    return simplify(sum_of(terms))


def transformations(individual: Individual) -> list[tuple[int, float, dict[int, float]]]:
    """The linear combinations of a model: gene, bias, and weight by feature. Genes the fit left out are left out here."""
    rows: list[tuple[int, float, dict[int, float]]] = []
    for gene, coefficient in enumerate(individual.coefficients):
        if coefficient != 0.0:
            rows.extend((gene, t[1], dict(t[2])) for t in individual.tokens(gene) if t[0] == "lcf")
    return rows
