"""The models and 1,000 rows on which every export is compared with the reference: each operator, what forms make, 200 random
ones."""

from __future__ import annotations

import shutil
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from random_expressions import AWKWARD, Reference, random_models, random_rows, reference

from multigene.expression.form import read_form
from multigene.expression.operators import OPERATORS
from multigene.expression.rewriting import simplify
from multigene.expression.tree import Array, Expression, Number, Operation, Variable, postorder
from multigene.formula import Formula


class Cases(NamedTuple):
    """Models, the rows they are computed on, and what must come out."""

    models: list[Expression]
    formulas: list[Formula]
    X: Array
    references: list[Reference]


def one_of_each() -> list[Expression]:
    """Every operator alone and, where that is written in another way, over something else than columns."""
    x, y = Variable(0), Variable(1)
    longer = (Operation("add", (x, Number(1.5))), Operation("mul", (y, Number(-0.5))))
    return [
        Operation(name, arguments[: row.arity])
        for arguments in ((x, y), longer)
        for name, row in OPERATORS.items()
    ]


def of_forms() -> list[Expression]:
    """What the search makes of forms: functions at one place and at two, of two columns, within each other, and inner numbers."""
    x, y = Variable(0), Variable(1)
    functions = [
        Operation("add", (Operation("mul", (Number(0.6), x)), Number(1.1))),
        Operation("log", (Operation("add", (Number(2.5), Operation("tanh", (x,)))),)),
        Operation("mul", (Operation("sin", (x,)), y)),
    ]
    texts = {
        "f(c0)*exp(-g(c1)/5) + p": (0, 1),
        "f(c0) - f(c1)": (1,),
        "p*f(c0*c1)/(q**2 + g(c2)**2)": (0, 1),
        "f(c0, c1)*p + g(c2)": (2, 0),
        "exp(-f(g(c0))**2) + p*c3": (0, 1),
    }
    names = [f"c{column}" for column in range(len(AWKWARD))]
    made = []
    for text, chosen in texts.items():
        form = read_form(text, names)
        assert form is not None
        made.append(simplify(form.filled([functions[i] for i in chosen], [0.7, 1.3][: len(form.numbers)])))
    return made


@cache
def cases() -> Cases:
    """The same for every export; the rows must be ones on which the comparison means something."""
    models = [*one_of_each(), *of_forms(), *random_models(200, len(AWKWARD))]
    X = random_rows(1000, len(AWKWARD))
    references = [reference(model, X) for model in models]
    assert np.mean([each.sharp for each in references]) > 0.8
    assert np.mean([each.tame for each in references]) > 0.65
    return Cases(models, [Formula(model, AWKWARD, "α/β") for model in models], X, references)


def check(results: list[Array], forgiving: bool = False, skip: frozenset[int] = frozenset()) -> None:
    """Every result equals its reference on every row."""
    models, formulas, X, references = cases()
    assert len(results) == len(models)
    for number, (formula, expected, actual) in enumerate(zip(formulas, references, results, strict=True)):
        if number in skip:
            continue
        assert np.shape(actual) == (len(X),)
        rows = expected.disagreement(actual, forgiving)
        assert rows.size == 0, (
            f"model {number}, {rows.size} rows, operators {', '.join(operators_of(formula))}: {formula.text()}\n"
            f"row {rows[0]}: {actual[rows[0]]!r}, expected {expected.value[rows[0]]!r}"
        )


def operators_of(formula: Formula) -> list[str]:
    """Operators of a formula, by name."""
    return sorted({node.name for node in postorder(formula.expression) if isinstance(node, Operation)})


def tool(name: str, package: str) -> str:
    """The path of a program; a test without it is skipped and says what to install."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed (Debian: {package})")
    return path
