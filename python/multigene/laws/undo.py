"""From a model of a transformed target back to one expression in the user's variables.

What a population holds is a sum of genes in a transformed target over scaled columns; here it becomes
`m*c**2/sqrt(1 - v**2/c**2)`. `rows.py` calls it with what it knows of the columns.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.expression.build import call, power_of, product_of, sum_of, weighted
from multigene.expression.genes import gene_expression
from multigene.expression.rewriting import simplify
from multigene.expression.tree import Expression, Number, Operation, Power, Variable, evaluate, fold, rebuild
from multigene.laws.constants import CLOSE_TO_SIMPLE
from multigene.laws.targets import Target
from multigene.laws.transforms import logarithmic

Floats = npt.NDArray[np.float64]


def as_expression(
    individual: Individual,
    intercept: float,
    powers: dict[int, float],
    target: Target,
    scales: Floats,
    signs: dict[int, float],
    X: Floats,
) -> Expression:
    """Undo transform and scaling. `powers` are exponents of columns that the logarithmic transform or peeling found; `signs` are
    those of columns that do not change theirs."""
    sign, transform = target.sign, target.transform
    if sign is None and logarithmic(transform):
        factors = [_signed_power(Variable(j), e, X) for j, e in powers.items() if e != 0.0]
    else:
        factors = [_power(_absolute(Variable(j), signs.get(j)), e) for j, e in powers.items() if e != 0.0]
    variables: dict[int, Expression] = {
        k: weighted(1.0 / scales[j], Variable(j)) for k, j in enumerate(target.features)
    }
    genes = [
        (c, _with_variables(gene_expression(individual, g), variables, signs, target.features))
        for g, c in enumerate(individual.coefficients)
        if c != 0.0
    ]
    if not logarithmic(transform):
        total = sum_of([Number(intercept), *(weighted(c, gene) for c, gene in genes)])
        return simplify(product_of([transform.inverse(total, sign or 1.0), *factors]))
    # exp(c0)·∏F^c for genes ln F, exp(c·g) for others.
    factors.append(Number((sign or 1.0) * math.exp(intercept)))
    rest: list[Expression] = []
    for c, gene in genes:
        inside = _inside_logarithm(gene)
        if inside is not None:
            factors.append(_power(inside, c) if sign is not None else _signed_power(inside, c, X))
        else:
            rest.append(weighted(c, gene))
    if rest:
        factors.append(call("exp", sum_of(rest)))
    return simplify(product_of(factors))


def with_simple_exponents(expression: Expression) -> Expression:
    """Exponents close to a multiple of one half made so."""

    def change(node: Expression, children: tuple[Expression, ...]) -> Expression:
        if not isinstance(node, Power):
            return rebuild(node, children)
        near = round(2.0 * node.exponent) / 2.0
        if abs(near - node.exponent) > CLOSE_TO_SIMPLE:
            return Power(children[0], node.exponent)
        return Number(1.0) if near == 0.0 else _power(children[0], near)

    return simplify(fold(expression, change))


def _inside_logarithm(gene: Expression) -> Expression | None:
    if not (isinstance(gene, Operation) and gene.name == "log"):
        return None
    inside = gene.arguments[0]
    return inside.arguments[0] if isinstance(inside, Operation) and inside.name == "abs" else inside


def _with_variables(
    expression: Expression, variables: dict[int, Expression], signs: dict[int, float], features: list[int]
) -> Expression:
    """Columns of a target as those of the rows; |x| of a column of one sign needs no bars."""

    def change(node: Expression, children: tuple[Expression, ...]) -> Expression:
        if isinstance(node, Variable):
            return variables[node.index]
        if isinstance(node, Power):
            return _power(children[0], node.exponent)
        if isinstance(node, Operation) and node.name == "abs" and isinstance(node.arguments[0], Variable):
            return _absolute(children[0], signs.get(features[node.arguments[0].index]))
        return rebuild(node, children)

    return fold(expression, change)


def _absolute(expression: Expression, sign: float | None) -> Expression:
    if sign is None:
        return call("abs", expression)
    return expression if sign > 0 else call("neg", expression)


def _power(base: Expression, exponent: float) -> Expression:
    near = round(2.0 * exponent) / 2.0
    exponent = near if near != 0.0 and abs(exponent - near) < 1e-5 else exponent
    return power_of(base, exponent)


def _signed_power(base: Expression, exponent: float, X: Floats) -> Expression:
    """A factor of a target that changes its sign: what changes its own is there with a whole exponent."""
    values = evaluate(base, X)
    if np.all(values > 0.0):
        return _power(base, exponent)
    if np.all(values < 0.0):
        return _power(call("neg", base), exponent)
    whole = round(exponent)
    if whole != 0 and abs(exponent - whole) < 0.05:
        return power_of(base, whole)
    return _power(call("abs", base), exponent)
