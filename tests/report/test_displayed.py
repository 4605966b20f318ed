"""What is displayed is the model: every formula and number of pages, computed from the page's text, against the model."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from mathml_reader import value
from report_cases import fitted, rows, shown_columns

from multigene import MultigeneRegressor
from multigene._engine import Individual
from multigene.expression.genes import model_expression
from multigene.formula import Formula
from multigene.report import collect
from multigene.report.html import for_script
from multigene.report.numbers import spoken_number, spoken_r2
from multigene.report.shown_formula import digits_of, written
from multigene.report.statistics import Rows

#: Column names that are short, long, indexed, and hard to typeset.
NAMES = ["a", "x_2", "free_stream_velocity_of_the_air_m_s", "chord length <m>", "e"]

GENES = {
    "long numbers": (["x0*sin(x1)"], 1234.56789012, [0.123456789012]),
    "cancelling": (["exp(x0)", "exp(1.0000001*x0)"], 0.5, [1234567.8912345, -1234567.1234567]),
    "logistic": (["logistic(x0 + 2.5*x1)", "softplus(x2)", "sinc(x3)"], 1.0, [2.5, -1.25, 0.5]),
    "nested": (["logistic(softplus(x0) - sinc(x1*x2))"], -1.0, [3.0]),
    "powers": (["exp(0.3333333*log(abs(x0)))", "x1**2", "sqrt(abs(x2))"], 0.0, [2.0, -3.0, 1e-9]),
    "fractions": (["x0/(3 + x1)", "inv(4 + x2)", "aq(x0, x1)"], 0.1, [1e9, 2e-7, 5.0]),
    "minimum": (["min(x0, x1)", "max(x2, -x3)", "atan(x0)", "erf(x1)"], 2.0, [1.0, -1.0, 4.0, 0.25]),
    "pi": (["sin(3.141592653589793*x0)", "gauss(x1)", "bent(x2)"], 0.0, [0.6666666666666666, 1.0, 1.0]),
}  # fmt: skip


def engine_models():
    return {
        name: Individual(genes, intercept, weights) for name, (genes, intercept, weights) in GENES.items()
    }


def data(n: int = 300, columns: int = len(NAMES)):
    return np.random.default_rng(1).uniform(-2.0, 2.0, (n, columns))


@cache
def runs() -> dict[str, MultigeneRegressor]:
    """Models of searches, long ones among them."""
    X = data()
    y = (
        3.0 / (1.0 + np.exp(X[:, 0] - 2.0 * X[:, 1]))
        + X[:, 2] * X[:, 3]
        + 0.3 * np.random.default_rng(2).normal(size=300)
    )
    quick = {"random_state": 0, "n_jobs": 1}
    import pandas as pd

    frame = pd.DataFrame(X, columns=NAMES)
    return {
        **{
            code: MultigeneRegressor(code, generations=12, settings={"population_size": 40}, **quick).fit(
                frame, y
            )
            for code in ("baseline", "UB", "SC", "SB")
        },
        "default": MultigeneRegressor(generations=15, **quick).fit(frame, y),
        "law": MultigeneRegressor(generations=20, **quick).fit(frame, 2.5 * frame["a"] * frame["x_2"] + 1.0),
        "diabetes": fitted(),
    }


def displayed(said: dict, names: list[str], X: np.ndarray) -> np.ndarray:
    """The formula of a page, computed from what the page shows: the equation, symbols of columns, and the table of directions."""
    return np.broadcast_to(value(said["mathml"], shown_columns(said, names, X)), len(X))


def assert_same(shown: np.ndarray, exact: np.ndarray, y: np.ndarray) -> None:
    """No further apart than a thousandth of the model's own error, or rounding."""
    error = np.sqrt(np.mean((y - exact) ** 2))
    assert np.sqrt(np.mean((shown - exact) ** 2)) <= max(1.01e-3 * error, 1e-11 * np.abs(exact).max())


@pytest.mark.parametrize("name", GENES)
def test_the_displayed_formula_of_any_model_is_the_model(name):
    individual, X = engine_models()[name], data()
    exact = individual.predict(X)
    y = exact + 1e-3 * np.std(exact) * np.random.default_rng(0).normal(size=len(X))
    formula = Formula(model_expression(individual), NAMES, "y")
    shown = written(formula, digits_of(formula, Rows("train", X, y), None))
    said = {"mathml": shown.mathml, "directions": shown.directions, "symbols": shown.symbols}
    assert_same(displayed(said, NAMES, X), exact, y)


@pytest.mark.parametrize("name", ["baseline", "UB", "SC", "SB", "default", "law", "diabetes"])
def test_every_formula_of_a_page_is_its_model(name):
    model = runs()[name].fitted_
    content = collect(model)
    X, y = model.rows.X, model.rows.y
    listed = {each.complexity: [] for each in model.front.listed}
    for each in model.front.listed:
        listed[each.complexity].append(each.member.individual.predict(X))
    for said in content.models:
        shown = displayed(said, list(model.names), X)
        nearest = min(listed[said["size"]], key=lambda exact: np.abs(exact - shown).mean())
        assert_same(shown, nearest, y)


def test_a_page_with_long_formulas_names_directions():
    said = max(collect(runs()["diabetes"].fitted_).models, key=lambda m: m["size"])
    assert said["size"] >= 60
    assert len(said["directions"]) >= 2
    assert "exp" not in said["mathml"] or "σ" in said["mathml"] or "softplus" not in said["mathml"]


def test_numbers_shown_are_those_of_the_model():
    X, X_test, y, y_test = rows()
    model = runs()["diabetes"]
    data = for_script(collect(model.fitted_, X, y, X_test, y_test))
    table = model.equations_
    for said in data["models"]:
        row = table.index[
            (table["complexity"] == said["size"]) & np.isclose(table["r2"], said["r2"], atol=1e-6)
        ][0]
        test = model.predict(X_test, index=int(row))
        residual = np.asarray(y_test) - test
        r2 = 1.0 - residual @ residual / np.sum((y_test - y_test.mean()) ** 2)
        card = re.search(r"Unseen rows, test</h3>.*?R²</abbr> ([^<]*)<", said["panels"]["cards"], re.DOTALL)
        assert card is not None
        assert card[1] == spoken_r2(float(f"{r2:.6g}"))
        half = np.sort(np.abs(residual))[int(np.ceil(0.5 * len(residual))) - 1]
        assert spoken_number(float(f"{half:.4g}"), 3) in said["sentence"]
        assert f"<dd>{spoken_number(float(f'{np.abs(residual).mean():.6g}'))}</dd>" in said["panels"]["cards"]


def test_held_out_score_is_the_unseen_score():
    model = runs()["default"]
    data = for_script(collect(model.fitted_))
    said, table = data["models"][data["chosen"]], model.equations_
    unseen = table["validation_r2"][table["chosen"]].item()
    assert data["unseen"] == model.fitted_.validated_by != ""
    assert spoken_r2(float(f"{unseen:.6g}")) in said["panels"]["cards"]
    error = np.sqrt((1.0 - unseen) * np.var(model.fitted_.rows.y))
    assert spoken_number(float(f"{error:.6g}"), 3) in said["sentence"]


def test_a_law_is_said_to_be_one_with_its_grade():
    content = collect(runs()["law"].fitted_)
    said = for_script(content)["models"][content.chosen]
    assert said["law"]["grade"] == "exact"
    assert "Exact law" in said["panels"]["first"]
    assert not said["panels"]["segments"].strip()
    other = collect(runs()["default"].fitted_)
    assert all(each["law"] is None for each in other.models)
