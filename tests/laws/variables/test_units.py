"""Units: how they are read, which formulas they allow, and what dimensional analysis finds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("pint")

from multigene import MultigeneRegressor
from multigene._engine import Individual
from multigene.expression.genes import model_expression
from multigene.formula import Formula
from multigene.laws.variables.units import Dimensions, has_no_unit

NAMES = ["m", "v", "t", "n"]
MOTION = Dimensions.of({"m": "kg", "v": "km/h", "t": "s", "n": "1", "y": "J"}, NAMES)


@pytest.mark.parametrize(
    "text",
    ["0.5*x0*x1**2", "x0*x1**2*x3", "x0*x1**2*exp(-1.0*x3)", "x0*x1**2 + 2.0*x0*x1**2*sin(x3)", "6.6743*x0", "3.7",
    "x0*abs(x1)*x1",
     "x0*sqrt(x1**4)", "x0*x1**2/(1.0 + x3)"],
)  # fmt: skip
def test_formulas_that_make_sense(text):
    assert MOTION.admits(model_expression(Individual([text], 0.0, [1.0])))


@pytest.mark.parametrize(
    "text",
    ["x0*x1", "x0 + x1", "x0*x1**2 + 1.0", "x0*x1**2*sin(x2)", "x0*x1**2*exp(x1)", "2.0*x0", "x0*x1**2*(1.0 + x2)", "log(x0)",
     "6.6743*(x0 + x1)"],
)  # fmt: skip
def test_formulas_that_do_not(text):
    assert not MOTION.admits(model_expression(Individual([text], 0.0, [1.0])))


def test_simple_numbers():
    assert all(
        has_no_unit(v) for v in (1.0, -2.0, 0.5, 2.0 / 3.0, np.pi, 4.0 * np.pi, np.sqrt(2.0), 1.0 / np.pi)
    )
    assert not any(has_no_unit(v) for v in (6.674, 0.3989422, 1.23456))


def test_the_same_dimension_in_other_units():
    assert (
        Dimensions.of({"a": "N*m", "y": "J"}, ["a"]).features[0]
        == Dimensions.of({"a": "kg*m^2/s^2", "y": "J"}, ["a"]).target
    )


def test_an_unknown_target_leaves_only_what_contradicts_itself():
    free = Dimensions.of({"m": "kg", "v": "m/s", "t": "s", "n": ""}, NAMES)
    assert free.target is None
    assert free.admits(model_expression(Individual(["x0*x1"], 0.0, [1.0])))
    assert not free.admits(model_expression(Individual(["x0 + x1"], 0.0, [1.0])))
    assert free.groups(np.ones((3, 4))) is None


# --- groups ---------------------------------------------------------------------------------------


def test_groups_have_no_dimension_and_the_factor_has_the_targets():
    units = {"n": "mol", "R": "J/mol/K", "T": "K", "V": "m^3", "a": "J*m^3/mol^2", "b": "m^3/mol", "y": "Pa"}
    names = [name for name in units if name != "y"]
    dimensions = Dimensions.of(units, names)
    X = np.random.default_rng(0).uniform(1.0, 2.0, (20, 6))
    found = dimensions.groups(X)
    assert found is not None
    factor, groups = found
    assert dimensions.dimension(factor.expression) == dimensions.target
    assert len(groups) == 2
    assert all(not any(dimensions.dimension(g.expression)) for g in groups)
    rank = np.linalg.matrix_rank([[g.exponents.get(j, 0.0) for j in range(6)] for g in groups])
    assert rank == 2


def test_no_groups_where_no_product_has_the_unit():
    dimensions = Dimensions.of({"a": "m", "b": "s", "y": "kg"}, ["a", "b"])
    assert dimensions.groups(np.ones((3, 2))) is None


def test_features_of_changing_sign_are_not_divided_by():
    X = np.column_stack([np.linspace(-1.0, 1.0, 20), np.linspace(1.0, 2.0, 20)])
    found = Dimensions.of({"a": "m", "b": "m", "y": "m"}, ["a", "b"]).groups(X)
    assert found is not None
    assert found[0].exponents == {1: 1.0}


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("units", "word"),
    [
        ({"m": "kg"}, "no entry for the feature 'v'"),
        ({"m": "kg", "v": "m/s", "t": "s", "n": "1", "w": "s"}, "'w'"),
        ({"m": "kilogrumm", "v": "m/s", "t": "s", "n": "1"}, "kilogrumm"),
        ({"m": 3, "v": "m/s", "t": "s", "n": "1"}, "give text"),
        ({"m": "kg**", "v": "m/s", "t": "s", "n": "1"}, "not known"),
    ],
)
def test_units_that_cannot_be_read(units, word):
    with pytest.raises(ValueError, match=word.replace("*", r"\*")):
        Dimensions.of(units, NAMES)


def test_what_contradicts_units():
    X, y = np.ones((5, 1)), np.ones(5)
    with pytest.raises(ValueError, match="contradict"):
        MultigeneRegressor(units={"x0": "m"}, search="accuracy").fit(X, y)
    with pytest.raises(ValueError, match="not a dict"):
        MultigeneRegressor(units="m").fit(X, y)
    with pytest.raises(ValueError, match="belongs to the default search"):
        MultigeneRegressor("UB", units={"x0": "m"}).fit(X, y)


# --- with units -----------------------------------------------------------------------------------


def table(**ranges):
    rng = np.random.default_rng(0)
    return pd.DataFrame({name: rng.uniform(*bounds, 400) for name, bounds in ranges.items()})


def test_a_law_that_only_units_make_easy():
    """Van der Waals: six features, two groups."""
    X = table(n=(1, 2), R=(1, 5), T=(1, 5), V=(5, 10), a=(1, 5), b=(0.1, 1.0))
    y = (X.n * X.R * X["T"] / (X.V - X.n * X.b) - X.a * X.n**2 / X.V**2).rename("p")
    units = {"n": "mol", "R": "J/mol/K", "T": "K", "V": "m^3", "a": "J*m^3/mol^2", "b": "m^3/mol", "p": "Pa"}
    model = MultigeneRegressor(units=units, random_state=0, n_jobs=1).fit(X, y)
    assert model.stopped_by_ == "law"
    np.testing.assert_allclose(model.predict(X), y, rtol=1e-8)
    assert Dimensions.of(units, list(X.columns), "p").admits(model.formula_.expression)


def test_nothing_that_contradicts_the_units_is_reported():
    X = table(m=(1, 5), v=(1, 5), h=(1, 5))
    rng = np.random.default_rng(1)
    y = (0.5 * X.m * X.v**2 + 9.81 * X.m * X.h) * (1.0 + 0.02 * rng.normal(size=len(X)))
    units = {"m": "kg", "v": "m/s", "h": "m", "y": "J"}
    model = MultigeneRegressor(units=units, generations=30, random_state=0, n_jobs=1)
    model.fit(X, y.rename("y"))
    assert model.score(X, y) > 0.9  # the part that a number in front of it can explain
    dimensions = Dimensions.of(units, list(X.columns))
    for member in model.fitted_.front:
        assert dimensions.admits(model_expression(member.individual)), str(member.individual.genes)


@pytest.mark.parametrize("noise", [0.01, 0.1])
def test_units_with_noise(noise):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(1.0, 5.0, (200, 4)), columns=list("mvhg"))
    clean = 0.5 * X.m * X.v**2 + X.m * X.g * X.h
    y = clean + noise * clean.std() * rng.standard_normal(200)
    units = {"m": "kg", "v": "m/s", "h": "m", "g": "m/s^2", "y": "J"}
    model = MultigeneRegressor(generations=30, units=units, random_state=0).fit(X, y)
    assert np.var(clean - model.predict(X)) < 0.5 * noise**2 * np.var(clean)
    assert Dimensions.of(units, list("mvhg")).admits(model.formula_.expression)


def test_a_mean_for_want_of_anything_that_agrees_is_said():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(1.0, 5.0, (100, 3)), columns=list("mvh"))
    units = {"m": "kg", "v": "m/s", "h": "m", "y": "J"}
    with pytest.warns(UserWarning, match="agrees with the units"):
        MultigeneRegressor(generations=3, units=units, random_state=0).fit(X, 20.0 + np.sin(9.0 * X.h))


@pytest.mark.parametrize("root", ["", "/sqrt(c1)"])
def test_few_generations_are_enough_with_units_where_they_are_without(root):
    rng = np.random.default_rng(1)
    X = pd.DataFrame({name: rng.uniform(0.5, 4.0, 80) for name in ("c0", "c1", "u", "w")})
    y = X.c0 * np.exp(-X.u / X.w) / (np.sqrt(X.c1) if root else 1.0)
    units = {"c0": "kg", "c1": "A", "u": "m", "w": "m", "y": "kg*A**(-0.5)" if root else "kg"}
    for told in (None, units):
        model = MultigeneRegressor(generations=3, units=told, random_state=0, n_jobs=1).fit(X, y)
        assert str(model.formula_) == f"c0*exp(-u/w){root}"


@pytest.mark.parametrize("noise", [0.001, 0.01, 0.03])
def test_laws_without_groups_in_noise(noise):
    """Units leave nothing but a number to be found: knowing more must not make it worse."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"m": rng.uniform(1.0, 5.0, 500), "v": rng.uniform(1.0, 5.0, 500)})
    y = 0.5 * X.m * X.v**2 * (1.0 + noise * rng.standard_normal(500))
    units = {"m": "kg", "v": "m/s", "y": "J"}
    model = MultigeneRegressor(generations=10, units=units, random_state=0, n_jobs=1).fit(X, y)
    assert str(model.formula_) == "0.5*m*v**2"
    X = pd.DataFrame({"I": rng.uniform(0.1, 5.0, 500), "R": rng.uniform(1.0, 100.0, 500)})
    y = X.I * X.R * (1.0 + noise * rng.standard_normal(500))
    units = {"I": "A", "R": "ohm", "y": "V"}
    model = MultigeneRegressor(generations=10, units=units, random_state=0, n_jobs=1).fit(X, y)
    assert model.score(X, X.I * X.R) > 0.9999
    assert model.formula_.size <= 5


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("0.4993*x0*x1**2 + 0.00796", "0.4993*m*v**2"),
        ("0.4985*x0*x1**2 + 3e-5*exp(0.55*x0**2*(x1 - x0)) + 0.0198", "0.4985*m*v**2"),
        ("0.4996*x0*x1**2*exp(-0.002*sin(x1*(x0 + x1)))", "0.4996*m*v**2"),
        ("1.1*(x0*x1**2 - x3 - 2.0*x2)*(1.0 + 0.01*x3)", "1.1*m*v**2*(0.01*n + 1)"),
        ("x0*x1**2*cos(x3) - 3.0*x0*x1", "m*v**2*cos(n)"),
        ("0.3 + 0.1*exp(x0)", None),
    ],
)
def test_what_contradicts_the_units_is_left_out(text, wanted):
    known = Dimensions.of({"m": "kg", "v": "m/s", "t": "s", "n": "", "y": "J"}, NAMES)
    repaired = known.repaired(model_expression(Individual([text], 0.0, [1.0])))
    assert (None if repaired is None else str(Formula(repaired, NAMES))) == wanted
    assert repaired is None or known.admits(repaired)


def test_a_law_with_poles_near_the_rows_is_not_given_up_for_the_mean():
    """The guard against explosions had refused the only formula that agrees with the units."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(0.5, 4.0, (80, 3)), columns=list("abc"))
    clean = 0.25 / (X.a * X.b**2 * X.c**2)
    y = clean + 0.03 * clean.std() * rng.standard_normal(80)
    units = {"a": "A", "b": "kg", "c": "s", "y": "1/(A*kg**2*s**2)"}
    model = MultigeneRegressor(generations=3, units=units, random_state=0, n_jobs=1).fit(X, y)
    assert np.var(clean - model.predict(X)) < 0.01 * np.var(clean)
    dimensions = Dimensions.of(units, list("abc"))
    for row in range(len(model.equations_)):  # lines of the search were listed although units forbid them
        assert dimensions.admits(model_expression(model.fitted_.at(row).individual))


@pytest.mark.parametrize(
    ("law", "unit", "text"),
    [
        (lambda a, b: 3.7 * b, "N", "3.7*b"),
        (lambda a, b: b, "N", "b"),
        (lambda a, b: 1.5 * a**2, "s", "1.5*a**2"),
        (lambda a, b: np.sqrt(a), "s", "sqrt(a)"),
    ],
)
def test_a_simple_factor_may_have_a_unit_where_the_formula_is_exact(law, unit, text):
    """Hooke's law for a spring of 3.7 N/m was a constant, since 3.7 is 37/10."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.uniform(1.0, 5.0, 100), "b": rng.uniform(0.5, 3.0, 100)})
    units = {"a": "kg", "b": "m", "y": unit}
    model = MultigeneRegressor(generations=3, random_state=0, n_jobs=1, units=units)
    model.fit(table, pd.Series(law(table["a"], table["b"]), name="y"))
    assert str(model.formula_) == text
    assert model.stopped_by_ == "law"


def test_units_are_those_of_raw_columns():
    """Gaps, text and dates become numeric columns of other names; their units are given by the names that the table has."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"mass": rng.uniform(1.0, 5.0, 120), "speed": rng.uniform(0.5, 3.0, 120)})
    energy = (0.5 * table["mass"] * table["speed"] ** 2).rename("energy")
    table["kind"] = rng.choice(["a", "b"], 120)
    table["day"] = pd.date_range("2024-01-01", periods=120)
    table.loc[7, "mass"] = np.nan
    units = {"mass": "kg", "speed": "m/s", "energy": "J"}
    model = MultigeneRegressor(generations=3, random_state=0, n_jobs=1, units=units).fit(table, energy)
    assert "mass" in str(model.formula_)
    assert "speed**2" in str(model.formula_)
    with pytest.raises(ValueError, match="'weight', which is neither a feature nor the target"):
        MultigeneRegressor(generations=1, units=units | {"weight": "kg"}).fit(table, energy)
