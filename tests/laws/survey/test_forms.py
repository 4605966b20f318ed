"""Functions of the catalogue: values, expressions and needs of every row say the same."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.expression.tree import Operation, Variable, evaluate, postorder
from multigene.laws.survey.forms import FORMS, INNER_FORMS, LOGARITHMIC_FORMS

#: Operators that need no permission: signs, and sums inside the functions.
FREE = {"add", "neg", "abs"}


@pytest.mark.parametrize("form", [*FORMS, *LOGARITHMIC_FORMS], ids=lambda f: repr(f.expression(Variable(0))))
def test_values_are_those_of_the_expression(form):
    u = np.linspace(-0.9, 0.9, 40)  # zero is not among them
    with np.errstate(all="ignore"):
        values = form.value(u)
    said = evaluate(form.expression(Variable(0)), u[:, None])
    usable = np.isfinite(values)
    assert usable.any()
    np.testing.assert_allclose(values[usable], said[usable], rtol=1e-12)


@pytest.mark.parametrize("form", FORMS, ids=lambda f: repr(f.expression(Variable(0))))
def test_needs_are_the_operators_of_the_expression(form):
    used = {n.name for n in postorder(form.expression(Variable(0))) if isinstance(n, Operation)}
    used = {"div" if name == "inv" else name for name in used}
    assert used - FREE <= set(form.needs)
    assert form.scales[0] in (1.0, -1.0)
    assert form.cost >= 1.0


def test_absolute_values_are_news_only_of_what_changes_its_sign():
    folded = FORMS[0].value
    assert np.isnan(folded(np.array([[1.0, 2.0]]))).all()
    assert folded(np.array([[-1.0, 2.0]])).tolist() == [[1.0, 2.0]]


def test_inner_forms_are_those_of_one_function():
    assert {f.needs for f in INNER_FORMS} == {("sin",), ("cos",), ("exp",)}
