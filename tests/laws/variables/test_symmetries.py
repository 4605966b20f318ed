"""Combined variables that the data show: what scales together, what shifts together, and nothing where there is nothing."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.expression.tree import Operation, Power, Variable
from multigene.formula import Formula
from multigene.laws.variables.symmetries import Variables, _with_columns, picture

NAMES = list("abcdefghi")


def rows(n=500, d=4, low=1.0, high=5.0, seed=0):
    return np.random.default_rng(seed).uniform(low, high, (n, d))


def said(X, y):
    """Columns and prefactor in words."""
    found = picture(X, y, list(range(X.shape[1]))).combined
    if found is None:
        return None
    words = {j: str(Formula(e, NAMES)) for j, e in found.meaning.items()} | dict(
        enumerate(NAMES[: X.shape[1]])
    )
    return {words[j] for j in found.columns}, {words[j]: e for j, e in found.prefactor.items()}


def test_scaling_gives_groups_and_a_factor():
    X = rows(d=5)
    a, b, c, d, e = X.T
    groups, factor = said(X, a / (np.exp(b * c / (d * e)) + np.exp(-b * c / (d * e))))
    assert factor == {"a": 1.0}
    assert groups in ({"b*c/(d*e)"}, {"d*e/(b*c)"})


def test_homogeneous_targets_are_seen_though_they_change_their_sign():
    X = rows(d=4)
    t, x, u, c = X[:, 0], X[:, 1], X[:, 2] / 3.0, X[:, 3] + 2.0
    X = np.column_stack([t, x, u, c])
    y = (t - u * x / c) / np.sqrt(1.0 - u**2 / c**2)
    groups, factor = said(X, y)
    assert len(groups) == 2
    assert len(factor) == 1
    assert factor in ({"a": 1.0}, {"b": 1.0})


def test_shifts_give_differences():
    X = rows(d=4)
    a, b, s, t = X.T
    groups, factor = said(X, np.sqrt(a**2 + b**2 - 2.0 * a * b * np.cos(s - t)))
    assert groups & {"c - d", "d - c"}
    assert groups & {"b/a", "a/b"}
    assert set(factor.values()) == {1.0}


def test_halves_are_exponents_too():
    X = rows(d=4)
    a, b, c, d = X.T
    groups, factor = said(X, np.sqrt(a**3 / (b * (c + d))))
    assert groups in ({"d/c"}, {"c/d"})
    assert factor["a"] == 1.5
    assert factor["b"] == -0.5


def test_values_are_those_of_all_rows():
    X = rows(1200, 3)
    y = X[:, 0] * np.sin(X[:, 1] / X[:, 2])
    found = picture(X, y, [0, 1, 2]).combined
    assert found is not None
    assert found.values.shape == (1200, 3 + len(found.meaning))
    (column,) = found.columns
    ratio = X[:, 1] / X[:, 2]
    assert np.allclose(found.values[:, column], ratio) or np.allclose(found.values[:, column], 1.0 / ratio)
    assert np.array_equal(found.factor(), X[:, 0])


@pytest.mark.parametrize(
    "target",
    [
        lambda a, b, c: a + np.sin(b) * np.exp(-c / 3.0) + c**2,
        lambda a, b, c: np.exp(-((a - 3.0) ** 2) - 0.5 * (b - 2.0) ** 2) / (1.0 + (c - 2.5) ** 2),
    ],
    ids=["sum", "bells"],
)
def test_nothing_is_seen_where_there_is_nothing(target):
    X = rows(d=3)
    assert said(X, target(*X.T)) is None


def test_noise_does_not_hide_it():
    X = rows(d=4)
    a, b, c, d = X.T
    clean = a * np.exp(-b * c / (5.0 * d))
    y = clean + 0.05 * clean.std() * np.random.default_rng(1).standard_normal(len(clean))
    groups, factor = said(X, y)
    assert factor == {"a": 1.0}
    assert groups in ({"b*c/d"}, {"d/(b*c)"})


def test_noise_alone_gives_a_noisy_picture():
    X = rows(d=3)
    noise = np.random.default_rng(3).standard_normal(500)
    assert picture(X, X[:, 0] + noise, [0, 1, 2]).noisy
    assert not picture(X, X[:, 0] * np.exp(X[:, 1] / 3.0) + X[:, 2] ** 2, [0, 1, 2]).noisy


@pytest.mark.parametrize(
    "awkward", ["constant", "huge", "tiny", "far apart", "narrow", "few rows", "many features", "repeated"]
)
def test_awkward_data_do_no_harm(awkward):
    X, y = rows(), np.ones(500)
    if awkward != "constant":
        y = X[:, 0] * np.cos(X[:, 1]) + X[:, 2]
    if awkward == "huge":
        X, y = X * 1e90, y * 1e90
    if awkward == "tiny":
        X, y = X * 1e-200, y * 1e-200
    if awkward == "far apart":
        X, y = X * 1e-95, y * 1e70
    if awkward == "narrow":
        X = 1e9 + 1e-6 * X
    if awkward == "few rows":
        X, y = X[:12], y[:12]
    if awkward == "many features":
        X = rows(d=40)
    if awkward == "repeated":
        X = np.column_stack([X, X])
    with np.errstate(all="raise", under="ignore"):
        picture(X, y, list(range(X.shape[1])))


def test_rows_that_were_not_looked_at_count_too():
    X = rows(2000, 3)
    y = np.cos(X[:, 2]) * X[:, 1] / (X[:, 0] + X[:, 1])
    assert picture(X, y, [0, 1, 2]).combined is not None
    hidden = 1  # between the rows that surrogates are fitted to
    X[hidden, 0] = 0.0
    y[hidden] = np.cos(X[hidden, 2])
    combined = picture(X, y, [0, 1, 2]).combined
    assert combined is None or np.isfinite(combined.values).all()


def test_what_is_known_for_certain_stays_so_in_noise():
    X = rows(d=3)
    groups = Variables(np.column_stack([X, X[:, 1] / X[:, 2]]), {3: Variable(1)}, (0, 3), {})
    noise = 3.0 * np.random.default_rng(4).standard_normal(500)
    seen = picture(X, X[:, 0] + noise, [0, 1, 2], groups)
    assert seen.noisy
    assert seen.combined is groups


def test_only_functions_that_are_allowed():
    X = rows(d=4)
    a, b, c, d = X.T
    y = np.sqrt(a**3 / (b * (c + d)))
    seen = picture(
        X, y, [0, 1, 2, 3], None, lambda *names: "sqrt" not in names and "add" not in names
    ).combined
    assert seen is None or all(e == round(e) for e in seen.prefactor.values())


def test_columns_that_cancel_altogether_do_no_harm():
    X = rows(d=2)
    third = Operation("div", (Power(Variable(0), 1.0 / 3.0), Power(Variable(1), 1.0 / 3.0)))
    turned = Operation("div", (Variable(1), Variable(0)))
    now = _with_columns(Variables(X, {}, (0, 1), {}), [third, turned])
    new = _with_columns(now, [Operation("mul", (Power(Variable(0), 3.0), Variable(1)))])
    np.testing.assert_allclose(new.values[:, new.columns[0]], 1.0)
