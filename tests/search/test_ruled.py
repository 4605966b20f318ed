"""No model of a result breaks a rule that its user stated, in any kind of search."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from multigene import MultigeneClassifier, MultigeneRegressor
from multigene.expression.genes import model_expression
from multigene.model_file import load

NAMES = ["t", "dose", "humidity", "z"]


def rows(seed=0, n=120, noise=0.1):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.uniform(0.5, 3.0, (n, 4)), columns=NAMES)
    y = 2 * np.sin(2 * X.t) + 3 * X.dose * X.z + np.exp(0.5 * X.humidity)
    return X, y.rename("y") + noise * rng.normal(size=n)


def fitted(rules, X, y, generations=4, **parameters):
    settings = {"rules": list(rules), "population_size": 60} | parameters.pop("settings", {})
    return MultigeneRegressor(generations=generations, random_state=0, settings=settings, **parameters).fit(
        X, y
    )


def broken(model):
    """Members of the front that break a rule, with it."""
    rules = model.fitted_.rules
    found = [(member, rules.broken(model_expression(member.individual))) for member in model.fitted_.front]
    return [(str(member.individual), rule.text) for member, rule in found if rule is not None]


CASES = [
    ("sin only of t", "exp at most 1"),
    ("t only in sin, cos", "must use t"),
    ("must use dose", "must use humidity", "never z"),
    ("exp never of sin, t", "never tanh"),
    ("log, sqrt only of values above 1",),
    ("constants between -2 and 2",),
    ("constants above 0", "exp at most once"),
    ("whole constants", "must use dose"),
    ("whole exponents", "exponents between -2 and 2"),
    ("constants between 1 and 4",),
]


@pytest.mark.parametrize("rules", CASES, ids=range(len(CASES)))
def test_no_member_of_a_front_breaks_a_rule(rules):
    X, y = rows(seed=len(rules))
    model = fitted(rules, X, y)
    assert model.fitted_.rules.stated
    assert broken(model) == []
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize("seed", range(6))
def test_random_rules_hold_over_random_fits(seed):
    rng = np.random.default_rng(seed)
    stock = [
        "sin only of t", "cos, sin only of dose, z", "t only in exp, sin", "exp at most 1", "must use dose",
        "must use z, t", "never humidity", "exp never of dose", "tanh never of tanh", "whole exponents",
        "exponents between -3 and 3", "constants between -20 and 20", "never log, sqrt",
    ]  # fmt: skip
    rules = sorted(rng.choice(stock, size=3, replace=False).tolist())
    X, y = rows(seed, n=int(rng.integers(8, 150)), noise=float(rng.choice([0.0, 0.3])))
    search = ["both", "accuracy", "laws"][seed % 3] if len(X) > 30 else "both"
    model = fitted(rules, X, y, generations=3, search=search)
    assert broken(model) == [], rules


def test_a_law_that_keeps_the_rules_is_found_and_another_is_not():
    X, _ = rows(n=200)
    y = (3 * X.dose * np.sin(2 * X.t) + 1).rename("y")
    model = fitted(
        ["sin only of t", "must use dose"], X, y, generations=20, settings={"population_size": 200}
    )
    assert model.r2_ > 1 - 1e-9
    other = fitted(["sin never of t"], X, y, generations=3)
    assert broken(other) == []


def test_whole_constants_are_found():
    X, y = rows(noise=0.05)
    y = (3 * X.dose - 2 * X.z + 4).rename("y") + 0.05 * np.random.default_rng(1).normal(size=len(X))
    model = fitted(["whole constants"], X, y)
    assert str(model.formula_) in ("3*dose - 2*z + 4", "4 + 3*dose - 2*z")


def test_coefficients_within_a_range_are_the_best_there():
    from scipy.optimize import lsq_linear

    X, _ = rows(n=60)
    y = (3 * X.dose - 1 * X.z).rename("y")
    model = fitted(["constants between 0 and 2", "never t, humidity"], X, y, search="accuracy", max_size=9)
    A = np.column_stack([np.ones(len(X)), X.dose, X.z])
    best = 1 - 2 * lsq_linear(A, y, (0, 2)).cost / np.sum((y - y.mean()) ** 2)
    assert broken(model) == []
    assert model.r2_ > best - 1e-3


def test_forms_losses_and_classes_keep_rules():
    X, y = rows(n=150)
    formed = fitted(["exp at most 1", "sin only of t"], X, y, form="f(t) + g(dose, z)*p", generations=3)
    assert broken(formed) == []
    counted = fitted(["must use dose", "constants between -5 and 5"], X, np.round(np.abs(y)), loss="poisson")
    assert broken(counted) == []
    kind = np.where(y > y.median(), "high", "low")
    settings = {"rules": ["never humidity", "must use z"], "population_size": 60}
    classes = MultigeneClassifier(generations=3, random_state=0, settings=settings).fit(X, kind)
    assert all(broken(each) == [] for each in classes.regressors_)


def test_shapes_and_rules_together():
    X, y = rows()
    model = fitted(["must use dose", "t only in sin"], X, y, shapes=["increasing in dose"])
    assert broken(model) == []
    assert all(verdict.status != "violated" for verdict in model.certificate_)


def test_pruning_keeps_the_rules(tmp_path):
    X, y = rows()
    model = fitted(["must use humidity", "exp at most 1"], X, y)
    model.save(tmp_path / "model.json")
    model.prune(max_loss=0.5)
    assert broken(model) == []
    again = load(tmp_path / "model.json")
    assert again.rules.stated == model.fitted_.rules.stated


def test_guesses_that_break_a_rule_get_a_sentence():
    X, y = rows()
    with pytest.raises(ValueError, match="The guess '2\\*humidity' breaks the rule 'never humidity'"):
        fitted(["never humidity"], X, y, guesses=["2*humidity"])
    with pytest.warns(UserWarning, match="breaks the rule 'never humidity' and is left out"):
        model = fitted(["never humidity"], X, y, guesses=["2*humidity", "3*dose*z"])
    assert broken(model) == []


def test_a_form_that_breaks_a_rule_gets_a_sentence():
    X, y = rows(n=40)
    with pytest.raises(ValueError, match=r"The form 'f\(t\)\*sin\(z\)' breaks the rule 'sin only of t'"):
        fitted(["sin only of t"], X, y, form="f(t)*sin(z)")


def test_what_rules_do_not_go_with():
    X, y = rows(n=40)
    with pytest.raises(ValueError, match="rules belong to the default search"):
        MultigeneRegressor("UB", settings={"rules": ["must use t"]}).fit(X, y)
    for wrong in ("must use t", 3):
        with pytest.raises(ValueError, match=f"rules={wrong!r} is no list of rules"):
            MultigeneRegressor(settings={"rules": wrong}).fit(X, y)
    with pytest.raises(ValueError, match="'does' is no column; did you mean 'dose'"):
        MultigeneRegressor(settings={"rules": ["must use does"]}).fit(X, y)
    with pytest.raises(ValueError, match="rules"):
        MultigeneRegressor(settings={"rules": ["must use t"]}).fit(X.assign(site="a"), y, groups="site")


def test_own_functions_with_a_domain():
    X, y = rows()
    functions = {"add": None, "mul": None, "hill": "x**2/(1 + x**2)"}
    model = fitted(["hill only of values above 0", "hill at most 1"], X, y, functions=functions)
    assert broken(model) == []
