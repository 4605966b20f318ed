"""Stability: which columns of a formula other searches use as well."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from multigene import MultigeneRegressor, load
from multigene._engine import Individual
from multigene.evolution.pareto import Member
from multigene.explain.front_text import stability_text
from multigene.search.stability import columns_of, supported


def member(gene, size):
    return Member(Individual([gene], 0.0, [1.0]), 0.9, size)


def test_columns_of_genes_that_take_part():
    model = Individual(["x0 * tanh([0: 1.0 + 2.0*x3 + 0.0*x4])", "x5"], 0.0, [1.0, 0.0])
    assert columns_of(model) == {0, 3}


def test_the_share_is_that_of_formulas_of_like_size():
    searches = [
        [(3, frozenset({0})), (9, frozenset({0, 1}))],
        [(5, frozenset({0})), (11, frozenset({0, 2}))],
        [(20, frozenset({0, 1, 2}))],  # nothing of that size: not asked
    ]
    assert supported(member("x0 * x1", 9), searches) == ((0, 1.0), (1, 0.5))
    assert supported(member("x0 * x1", 30), searches) == ((0, 1.0), (1, 2 / 3))
    assert supported(member("x0 * x1", 3), searches) == ()  # one search alone says nothing
    assert supported(member("1.5", 9), searches) == ()


def test_the_text_names_the_least_stable_columns():
    assert stability_text([], ["a"]) == ""
    told = stability_text([(0, 1.0), (1, 0.4), (2, 0.2)], ["a", "b", "c"])
    assert told == (
        "1 of 3 columns are in the formulas of all other searches, too; c in 20% of them; b in 40% of them"
    )


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, (150, 6))
    y = 3.0 * np.sin(2.0 * X[:, 0]) * X[:, 1] + X[:, 2] ** 2 + 0.3 * rng.normal(size=150)
    return MultigeneRegressor(generations=20, random_state=0).fit(X, y)


def test_columns_that_matter_are_found_again(fitted):
    support = dict(fitted.fitted_.chosen.support)
    assert support[0] == support[1] == 1.0
    assert fitted.fitted_.stability_text() in str(fitted)
    table = fitted.equations_
    assert table["stability"][table["chosen"]].item() == pytest.approx(sum(support.values()) / len(support))
    assert table["stability"].dropna().between(0.0, 1.0).all()


def test_files_hold_it(fitted, tmp_path):
    path = tmp_path / "model.json"
    fitted.save(path)
    again = load(path)
    assert str(again.fitted_) == str(fitted.fitted_)
    document = json.loads(path.read_text())
    entry = next(each for each in document["front"] if "support" in each)
    for broken in ([[0, 1.5]], [[99, 0.5]], [[0]], [[0, None]], [["x", 0.5]]):
        entry["support"] = broken
        path.write_text(json.dumps(document))
        with pytest.raises(ValueError, match=r"support|column|share"):
            load(path)


def test_a_law_has_none():
    X = np.random.default_rng(0).uniform(1.0, 2.0, (100, 2))
    model = MultigeneRegressor(generations=10, random_state=0).fit(X, X[:, 0] * X[:, 1])
    assert model.stopped_by_ == "law"
    assert model.fitted_.stability_text() == ""
    assert math.isnan(model.equations_["stability"].iloc[-1])
