"""Models with the terms of their printed formula as genes."""

from __future__ import annotations

import numpy as np
import pytest

from multigene._engine import Individual
from multigene.data.training_rows import TrainingRows
from multigene.evolution.pareto import Member
from multigene.explain.digits import with_few_digits
from multigene.explain.written import as_written
from multigene.expression.genes import model_expression
from multigene.expression.numbers import parameters
from multigene.expression.reading import read
from multigene.formula import Formula

X = np.random.default_rng(1).uniform(0.0, 3.0, size=(80, 3))
NAMES = ("x0", "x1", "x2")


def shown(individual: Individual) -> str:
    return str(Formula(model_expression(individual), NAMES))


def test_constants_of_constants_and_factors_of_coefficients_are_one_number() -> None:
    genes = ["sin(286.0 + 1.0) + x0 * cos(x1)", "(1.711 - 1.0103) * (x2 * cos(1.1193703 * x1))"]
    before = Individual(genes, 0.5, [2.0, 3.0])
    after = as_written(before, X)
    assert after.predict(X) == pytest.approx(before.predict(X), rel=1e-12)
    assert after.intercept == pytest.approx(0.5 + 2.0 * np.sin(287.0))
    assert sorted(after.coefficients) == pytest.approx([2.0, 3.0 * (1.711 - 1.0103)])


def test_an_exponential_in_a_tail_is_one() -> None:
    before = Individual(["softplus([0: -514.1 + -0.5*x0 + -1.5*x1])"], 1.0, [-5.208e224])
    assert "e+224" in shown(before) or "e224" in shown(before)
    after = as_written(before, X)
    assert after.predict(X) == pytest.approx(before.predict(X), rel=1e-9)
    assert max(map(abs, parameters(model_expression(after)))) < 1e4
    assert "log" not in shown(after)


def test_columns_with_coefficients_are_one_linear_gene() -> None:
    after = as_written(Individual(["x0", "x1 * 2.0", "sin(x2)"], 0.5, [1.5, 2.5, 3.5]), X)
    assert [token[0] for token in after.tokens(0)] == ["lcf"]
    assert len(after.coefficients) == 2


def test_a_model_without_a_value_on_some_row_stays_as_it_is() -> None:
    before = Individual(["log(x0 - 1.0) * (2.0 + 3.0)"], 0.0, [1.0])
    assert as_written(before, X) is before


@pytest.mark.parametrize("seed", range(5))
def test_what_is_printed_of_a_model_with_few_digits_is_the_model(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b, c, d = rng.uniform(0.5, 3.0, 4).tolist()
    individual = Individual(
        [
            f"{a!r} * cos({100 * b!r} * x1) * ({c!r} - x2)",
            f"softplus([0: {-90 - a!r} + {-b!r}*x0])",
            f"[1: {d!r} + {a!r}*x0 + {b!r}*x1] * [2: {c!r} + {d!r}*x2]",
        ],
        a,
        [b, 1e40 * c, d],
    )
    y = individual.predict(X) + rng.normal(size=len(X))
    rows = TrainingRows.of(X, y)
    [member] = with_few_digits([Member(individual, 0.5, 30)], rows)
    printed = Formula(read(shown(member.individual), NAMES), NAMES)(X)
    assert np.abs(printed - member.individual.predict(X)).max() < 1e-9 * np.abs(y).max()
    assert np.abs(printed - individual.predict(X)).max() < 0.05


def test_a_tail_stays_where_no_exponential_is_allowed() -> None:
    before = Individual(["softplus([0: -90.0 + -0.5*x0])"], 1.0, [-5.2e39])
    after = as_written(before, X, exponentials=False)
    assert [token[0] for token in after.tokens(0)] == ["lcf", "softplus"]
