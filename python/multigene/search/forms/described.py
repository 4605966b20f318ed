"""What stands in the gaps of a form, for people: `f(a, b) = 0.6*a*b + 1.1`, `p = 0.7`."""

from __future__ import annotations

from collections.abc import Sequence

from multigene.expression.constants import ROUNDING
from multigene.expression.form import NUMBERS, Form
from multigene.expression.numbers import map_numbers, round_numbers
from multigene.expression.numbers import numbers as numbers_of
from multigene.expression.rewriting import simplify
from multigene.expression.tree import Expression, Number, Variable
from multigene.formula import Formula
from multigene.search.constants import FORM_DIGITS


def described(
    form: Form, functions: Sequence[Expression], numbers: Sequence[float]
) -> tuple[tuple[str, str], ...]:
    """Every unknown function with its arguments, and every unknown number, with its text."""
    found = []
    for i, (unknown, tree) in enumerate(zip(form.functions, functions, strict=True)):
        names = _arguments(form, i, unknown.arity)
        shown = Formula(simplify(round_numbers(without_traces(tree), FORM_DIGITS)), names)
        called = ", ".join(Formula(Variable(j), names).text() for j in range(len(names)))
        found.append((f"{unknown.name}({called})", shown.text(FORM_DIGITS)))
    for name, value in zip(form.numbers, numbers, strict=True):
        found.append((name, Formula(Number(value), []).text(FORM_DIGITS)))
    return tuple(found)


def without_traces(tree: Expression) -> Expression:
    """The tree without numbers that are rounding beside its others."""
    least = ROUNDING * max(map(abs, numbers_of(tree)), default=0.0)
    return map_numbers(tree, lambda value: value if abs(value) > least else 0.0)


def _arguments(form: Form, function: int, arity: int) -> list[str]:
    """Names of a function's arguments: the columns at the only place where it stands, else u, v, …"""
    places = [place for place in form.places if place.function == function]
    columns = [
        each.index for each in places[0].arguments if isinstance(each, Variable) and each.index < NUMBERS
    ]
    if len(places) == 1 and len(columns) == arity and len(set(columns)) == arity:
        return [form.names[index] for index in columns]
    letters = [letter for letter in "uvwxyzabcdefghijklmnopqrst" if letter not in form.names]
    return [letters[k] if k < len(letters) else f"argument{k}" for k in range(arity)]
