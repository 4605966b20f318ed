"""Common numbers that numbers per group have made redundant: in `p[site]/(a + b*t)` one of a and b can be 1.

As long as such a number is there, nothing but the penalty determines it, and it drifts. It is set to 1, or a term to 0, and the
rest is fitted anew; the fit must not get worse.
"""

from __future__ import annotations

import math

import numpy as np

from multigene.expression.build import product_of, sum_of
from multigene.expression.jacobian import jacobian
from multigene.expression.numbers import number_of, parameters, with_number, with_parameters
from multigene.expression.rewriting import simplify
from multigene.expression.rewriting.parts import factors_of, terms_of
from multigene.expression.tree import Expression, Number, Variable, fold, rebuild, variables
from multigene.groups.constants import DEPENDENT, DETERMINED, FIXED_STEPS, FREE, NOTHING, SAME, WEAK
from multigene.groups.own import Fit, GroupForm, GroupRows, blocks, extended, fitted


def without_redundant(fit: Fit, rows: GroupRows, worth: float) -> Fit:
    """The fit with no more common numbers than the groups' own ones leave something to say."""
    free = fitted(fit.form, rows, FREE, fit)
    if free is None:
        return fit
    least = (1.0 + SAME) * free.error + NOTHING * float(rows.shares @ (rows.y - rows.y.mean()) ** 2)
    for place in _undetermined(free, rows):
        for form in _fixed_forms(fit.form, place):
            tried = fitted(form, rows, FREE, steps=FIXED_STEPS)
            if tried is not None and tried.error <= least:
                held = fitted(tried.form, rows, worth, tried)
                return fit if held is None else without_redundant(held, rows, worth)
    return fit


def _undetermined(fit: Fit, rows: GroupRows) -> list[int]:
    """Common numbers that the rows do not determine beside those of the groups, the least determined first."""
    form = fit.form
    J = jacobian(form.opened(rows.X.shape[1]), extended(rows.X, rows.codes, fit.deviations))
    common = [k for k in range(J.shape[1]) if k not in form.places]
    if not common or not form.places or not np.isfinite(J).all():
        return []
    lengths = np.sqrt(np.sum(J**2, axis=0))
    J = J / np.where(lengths > 0.0, lengths, 1.0)
    own = J[:, list(form.places)]
    A, C = blocks(J[:, common], own, np.ones(len(J)), rows, np.full(own.shape[1], DEPENDENT))
    H = J[:, common].T @ J[:, common]
    left = H - np.einsum("gmp,gmq->pq", C, np.linalg.solve(A, C))
    values, directions = np.linalg.eigh(left)
    weak = np.einsum("ij,ij->i", directions[:, values < DETERMINED], directions[:, values < DETERMINED])
    return [common[k] for k in np.argsort(-weak) if weak[k] > WEAK]


def _fixed_forms(form: GroupForm, place: int) -> list[GroupForm]:
    """The form with a common number fixed at 1, its others as they are or in proportion, and at 0."""
    values = np.array(parameters(form.expression))
    forms = [_fixed(form, place, 1.0), _fixed(form, place, 0.0)]
    if values[place] != 0.0:
        shared = GroupForm(with_parameters(form.expression, values / values[place]), form.places)
        forms.insert(0, _fixed(shared, place, 1.0))
    return [each for each in forms if each is not None]


def _fixed(form: GroupForm, place: int, value: float) -> GroupForm | None:
    """The form with one of its common numbers fixed at 1 or 0, if the numbers per group stay what they are."""
    width = 1 + max(variables(form.expression), default=-1)
    pooled = np.array(parameters(form.expression))[list(form.places)]
    # Numbers per group stand in as columns, which no rule joins with anything.
    before = sum(1 for k in form.places if k < place)
    fixed = simplify(with_number(form.own(width), place - before, value, whole_exponents=False))
    own = [index for index in variables(fixed) if index >= width]
    if len(own) != len(form.places) or len(parameters(fixed)) >= len(parameters(form.expression)) - len(own):
        return None
    return _with_numbers(fixed, width, pooled.tolist())


def _with_numbers(expression: Expression, width: int, pooled: list[float]) -> GroupForm | None:
    """Columns from `width` on as numbers again, each in one place."""
    count, places = 0, dict[int, int]()
    repeated = False

    def change(node: Expression, children: tuple[Expression, ...]) -> Expression:
        nonlocal count, repeated
        if isinstance(node, Variable) and node.index >= width:
            repeated |= node.index in places
            places[node.index] = count
            count += 1
            # Not 1 or 0, which the next rule might take away.
            value = pooled[node.index - width]
            return Number(value if value not in (0.0, 1.0) else value + 1e-9)
        count += number_of(node, whole_exponents=False) is not None
        return rebuild(node, children)

    made = fold(expression, change)
    return None if repeated else GroupForm(made, tuple(places[width + i] for i in range(len(pooled))))


def multiplied_apart(form: GroupForm) -> GroupForm | None:
    """`p*(q*x**r + z)` as `a*x**r + b*z`, all of a, b and r the groups' own; None where none of them has a sum as factor."""
    width = 1 + max(variables(form.expression), default=-1)
    pooled = dict(enumerate(np.array(parameters(form.expression))[list(form.places)].tolist(), width))
    values, terms, found = list[float](), list[Expression](), False

    def own(value: float) -> Expression:
        values.append(value)
        return Variable(width + len(values) - 1)

    def renamed(term: Expression) -> Expression:
        """With its numbers per group as the next columns."""

        def change(node: Expression, children: tuple[Expression, ...]) -> Expression:
            if isinstance(node, Variable) and node.index in pooled:
                return own(pooled[node.index])
            return rebuild(node, children)

        return fold(term, change)

    for term in terms_of(form.own(width)):
        numbers, rest = _numbers_and_rest(term, pooled)
        inner = terms_of(rest[0]) if len(rest) == 1 else ()
        if len(inner) < 2 or not any(isinstance(factor, Variable) for factor in factors_of(term)):
            terms.append(renamed(term))
            continue
        found = True
        for part in inner:
            factors, others = _numbers_and_rest(part, pooled)
            value = math.prod((*numbers, *factors))
            terms.append(product_of([own(value), *map(renamed, others)]))
    return _with_numbers(sum_of(terms), width, values) if found else None


def _numbers_and_rest(term: Expression, pooled: dict[int, float]) -> tuple[list[float], list[Expression]]:
    """Factors of a term that are numbers, those per group by their pooled values, and its other factors."""
    numbers, rest = list[float](), list[Expression]()
    for factor in factors_of(term):
        if isinstance(factor, Number):
            numbers.append(factor.value)
        elif isinstance(factor, Variable) and factor.index in pooled:
            numbers.append(pooled[factor.index])
        else:
            rest.append(factor)
    return numbers, rest
