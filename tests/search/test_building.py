"""Rules of building: nests and exponents that nobody believes."""

from __future__ import annotations

import numpy as np
import pytest

from multigene import MultigeneRegressor
from multigene._engine import Individual
from multigene.expression.genes import model_expression
from multigene.expression.numbers import largest_exponent
from multigene.search import building
from multigene.search.building import Building, nests, no_larger_exponent
from multigene.settings.defaults import default_settings
from multigene.settings.functions import function_entries


@pytest.mark.parametrize(
    ("gene", "nested"),
    [
        ("tanh(tanh(tanh(x0)))", True),
        ("tanh(x0 + tanh(2.0 * tanh(x1)))", True),
        ("tanh(x0) * tanh(x1) * tanh(x2)", False),
        ("exp(tanh(exp(x0)))", False),
    ],
)
def test_nests_of_three_equal_functions(gene, nested):
    assert nests(gene, 2) is nested
    assert not nests(gene, 3)


@pytest.mark.parametrize(
    ("gene", "nested"),
    [
        ("exp(cos(exp(cos(softplus(x0)))))", True),
        ("exp(cos(tanh(softplus(x0))))", True),
        ("exp(cos(tanh(x0))) * softplus(sin(x1))", False),
        ("sqrt(exp(abs(cos(pow2(neg(tanh(x0)))))))", False),  # signs and powers hide nothing
    ],
)
def test_nests_of_four_functions_of_any_kind(gene, nested):
    assert nests(gene, 2) is nested
    assert nests(gene, 3) is (gene.count("(") > 4 and nested)


@pytest.mark.parametrize(
    ("gene", "allowed"),
    [
        ("pow3(pow2(x0))", True),
        ("pow3(pow3(x0))", False),
        ("pow3(x0) * x0 * pow3(x0)", False),
        ("pow3(x0) * x0 * pow3(x1)", True),
        ("gauss(pow3(x0))", True),
        ("gauss(pow2(pow2(x0)))", False),
        ("1.0 / pow3(pow3(x0))", False),
        ("sin(pow3(pow3([0: 1.0 + 2.0*x0])))", False),
        ("x0 * x1 * x2 * x3 * x4 * x5 * x6 * x7", True),
    ],
)
def test_exponents_up_to_six(gene, allowed):
    model = Individual([gene, "x1"], 0.0, [1.0, 2.0])
    rules = Building.of(default_settings())
    assert rules.allow(model) is allowed
    assert rules.allow_find(model, model_expression(model)) is allowed
    assert rules.allow(Individual([gene, "x1"], 0.0, [0.0, 2.0]))  # it does not take part


@pytest.mark.parametrize(
    "gene",
    [
        "pow3(pow2(x0) / x1) + x0",
        "1.0 / (x0 / (1.0 / pow3(x0)))",
        "sqrt(pow3(pow2(x0))) * x0",
        "abs(x0) * (2.0 * pow2(x0) + pow2(x0))",
        "gauss(x0 * pow2(x0)) * gauss(x1)",
        "tanh(pow2(x0) * x0) * [0: 1.0 + 2.0*x0]",
        "(x0 - 0.5) * pow2([0: -1.0 + 2.0*x0])",
        "exp(pow2(x0) * pow2(x0))",
    ],
)
def test_no_simplified_gene_has_an_exponent_beyond_the_bound(gene):
    model = Individual([gene], 0.0, [1.0])
    assert largest_exponent(model_expression(model)) <= no_larger_exponent(model.tokens(0))


def test_genes_that_cannot_have_a_high_power_are_not_simplified(monkeypatch):
    monkeypatch.setattr(building, "simplify", lambda expression: pytest.fail("simplified"))
    gene = "pow2(x0) * tanh(pow3([0: 0.123 + 1.0*x0 + 2.0*x1])) / (x1 * gauss(pow2(x2)))"
    assert Building.of(default_settings()).allow(Individual([gene], 0.0, [1.0]))


def test_powers_that_the_user_names_are_allowed():
    settings = default_settings().changed(functions=function_entries(["add", "mul", "pow8"]))
    assert Building.of(settings).allow(Individual(["pow8(x0)"], 0.0, [1.0]))
    assert not Building.of(default_settings()).allow(Individual(["pow8(x0)"], 0.0, [1.0]))


def test_the_front_keeps_the_rules():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, (60, 1))
    y = X[:, 0] ** 12 + 0.01 * rng.normal(size=60)
    settings = {"rules": ["exponents between -3 and 3"], "nesting": 1}
    model = MultigeneRegressor(generations=10, random_state=0, settings=settings).fit(X, y)
    rules = Building(1, 3.0)
    assert all(rules.allow(member.individual) for member in model.fitted_.front)
