"""Finds: the best of every size, the law once there is one, and all of it saved and restored."""

from __future__ import annotations

import json

import numpy as np
import pytest

from multigene._engine import Individual
from multigene.expression.genes import model_expression
from multigene.formula import Formula
from multigene.laws.finds import Finds
from multigene.laws.variables.units import Dimensions

NAMES = list("abc")


def rows(n=200, d=3, seed=0):
    return np.random.default_rng(seed).uniform(1.0, 5.0, (n, d))


def read(text):
    return model_expression(Individual([text], 0.0, [1.0]))


def said(find):
    return str(Formula(find.expression, NAMES))


def test_a_law_is_tuned_cleaned_and_kept():
    X = rows()
    finds = Finds(X, X[:, 0] * X[:, 1] ** 2 / 2.0, None)
    assert finds.law is None
    assert finds.best == np.inf
    left = finds.take(read("0.4*x0*x1**2 + 0.1"), False)
    assert left < 1e-25
    assert said(finds.law) == "0.5*a*b**2"
    assert finds.best == left


def test_the_shorter_of_two_laws_is_the_law():
    X = rows()
    finds = Finds(X, X[:, 0] / (X[:, 1] + X[:, 2]), None)
    finds.take(read("x0/(x1 + x2)"), False)
    finds.take(read("x0*(x1 + x2)/(x1*x1 + 2.0*x1*x2 + x2*x2)"), False)
    assert said(finds.law) == "a/(b + c)"


def test_the_best_of_every_size_is_kept():
    X = rows()
    y = X[:, 0] * np.sin(X[:, 1])
    finds = Finds(X, y, None)
    for text in ("x0*x1", "x0 - x1", "x0*cos(x1)"):
        finds.take(read(text), False)
    left = [find.unexplained for _, find in sorted(finds.by_size.items())]
    assert finds.best == min(left)
    assert finds.law is None
    assert finds.prices().keys() == {id(find.individual) for find in finds.by_size.values()}


def test_a_sign_that_was_lost_is_found_again():
    X = rows()
    finds = Finds(X, -X[:, 0] * X[:, 1], None)
    finds.take(read("x0*x1"), True)
    assert said(finds.law) == "-a*b"


def test_too_few_rows_make_no_law():
    X = rows(14)
    finds = Finds(X, 1.2345 * X[:, 0] ** 2 * np.exp(0.321 * X[:, 1]), None)
    finds.take(read("1.2345*x0**2*exp(0.321*x1)"), False)
    assert finds.law is None
    assert finds.best < 1e-25


def test_what_contradicts_units_is_turned_away():
    pytest.importorskip("pint")
    X = rows()
    finds = Finds(X, X[:, 0] * X[:, 1], Dimensions.of({"a": "m", "b": "s", "c": "kg", "y": "m*s"}, NAMES))
    assert finds.take(read("x0 + x1"), False) == np.inf
    assert finds.by_size == {}
    finds.take(read("x0*x1"), False)
    assert said(finds.law) == "a*b"


def test_exponents_that_units_forbid_become_simple_ones():
    pytest.importorskip("pint")
    X = rows()
    finds = Finds(
        X, X[:, 0] * X[:, 1] ** 2, Dimensions.of({"a": "m", "b": "s", "c": "kg", "y": "m*s^2"}, NAMES)
    )
    finds.take(read("x0*exp(1.99*log(x1))"), False)
    assert said(finds.law) == "a*b**2"


def test_a_model_of_others_is_adopted_if_it_is_a_law():
    X = rows()
    finds = Finds(X, 2.0 * X[:, 0] - X[:, 1], None)
    finds.adopt(Individual(["[0: 0.5 + 1.0*x0 + -0.5*x1]"], -1.0, [2.0]))
    assert said(finds.law) == "2*a - b"
    other = Finds(X, np.sin(X[:, 0]), None)
    other.adopt(Individual(["x0"], 0.0, [1.0]))
    assert other.law is None


def test_state_is_plain_and_complete():
    X = rows()
    y = X[:, 0] * np.sin(X[:, 1]) + 0.01 * np.random.default_rng(1).standard_normal(200)
    finds, restored = Finds(X, y, None), Finds(X, y, None)
    for text in ("x0*x1", "0.9*x0*sin(x1) + 0.003", "x0*cos(x1)"):
        finds.take(read(text), False)
    finds.simplify(2)
    restored.restore(json.loads(json.dumps(finds.state())))
    assert restored.state() == finds.state()
    for size, find in finds.by_size.items():
        same = restored.by_size[size]
        assert (same.expression, same.unexplained) == (find.expression, find.unexplained)
        assert same.individual.genes == find.individual.genes
    assert restored.simplify(2) == 0


def test_a_long_model_of_others_that_only_comes_close_is_not_cleaned_up(monkeypatch):
    """That took more than a second after the time limit, for nothing: it is no law."""
    rng, X = np.random.default_rng(1), rows()
    finds = Finds(X, np.sin(X[:, 0]) + 1e-7 * rng.standard_normal(len(X)), None)
    tried = []
    monkeypatch.setattr(finds, "_law", lambda find: tried.append(find))
    genes = [
        f"{f}(x{j}*x{k})" for f in ("cos", "tanh", "sin", "exp") for j, k in ((1, 2), (0, 1), (0, 2), (1, 1))
    ]
    finds.adopt(Individual(["sin(x0)", *genes], 0.0, [1.0] + [1e-12] * len(genes)))
    assert not tried
    finds.adopt(Individual(["sin(x0)"], 0.0, [1.0]))
    assert len(tried) == 1
