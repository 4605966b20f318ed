"""Features that do not matter are told from those that do."""

from __future__ import annotations

import numpy as np
import pytest

from multigene._engine import Workers
from multigene.formula import Formula
from multigene.laws.seekers import Seekers
from multigene.laws.survey.stages import stages
from multigene.laws.variables.relevance import relevant
from multigene.settings.settings import Seeking

LAWS = {
    "product": (lambda X: X[:, 0] * X[:, 3] / X[:, 5] ** 2, [0, 3, 5]),
    "sum": (lambda X: np.sin(X[:, 1]) + X[:, 2] * X[:, 4], [1, 2, 4]),
    "large": (lambda X: X[:, 0] * np.exp(3.0 * X[:, 1] * X[:, 6]), [0, 1, 6]),
    "one": (lambda X: np.sqrt(X[:, 7]), [7]),
}


def rows(n=375, d=8):
    return np.random.default_rng(0).uniform(1.0, 5.0, (n, d))


@pytest.mark.parametrize("name", LAWS)
def test_irrelevant_columns_are_recognised(name):
    law, used = LAWS[name]
    X = rows()
    assert relevant(X, law(X), list(range(8))) == used


def test_a_feature_that_matters_a_little_is_not_left_out():
    rng = np.random.default_rng(0)
    X = rng.uniform([1.0, 1.0, 1.0, 0.1, 0.0], [5.0, 5.0, 3.0, 0.8, 6.0], (500, 5))
    D, V, a, k, t = X.T
    assert relevant(X, D * a / (V * (a - k)) * (np.exp(-k * t) - np.exp(-a * t)), [0, 1, 2, 3, 4]) == [
        0,
        1,
        2,
        3,
        4,
    ]


def test_where_there_is_no_picture_all_features_stay():
    X = rows()
    assert relevant(X, np.random.default_rng(1).standard_normal(len(X)), list(range(8))) == list(range(8))
    assert relevant(X[:20], X[:20, 0], list(range(8))) == list(range(8))
    assert relevant(X, X[:, 0], [0]) == [0]


def test_without_time_nothing_is_left_out():
    law, used = next(iter(LAWS.values()))
    X, asked = rows(), []

    def stop(after):
        asked.append(1)
        return len(asked) > after

    assert relevant(X, law(X), list(range(8)), lambda: stop(0)) == list(range(8))
    asked.clear()
    assert relevant(X, law(X), list(range(8)), lambda: stop(4)) == list(range(8))
    assert relevant(X, law(X), list(range(8)), lambda: False) == used
    workers = Workers(1)
    assert workers.watch() is None
    workers.set_deadline(1000.0)
    assert 900.0 < workers.watch() <= 1000.0
    workers.set_deadline(0.0)
    assert workers.watch() == 0.0


def seekers(X, y, **options):
    return Seekers(X, y, np.arange(len(y)), np.random.default_rng(0), Workers(1), Seeking(**options))


def test_the_law_search_looks_at_all_features_last():
    X = rows()
    search = seekers(X, X[:, 0] * np.cos(X[:, 3]) + X[:, 5])
    order = [stage.targets[0].wide for stage in stages(search.targets)]
    assert order == sorted(order)
    assert any(order)
    assert all(len(t.features) == 8 for t in search.targets if t.wide)
    everywhere = seekers(X, X[:, 0] * np.cos(X[:, 3]) + X[:, 5], relevance=False)
    assert not any(t.wide for t in everywhere.targets)


def test_a_law_has_no_irrelevant_column():
    X = rows()
    search = seekers(X, X[:, 0] * np.cos(X[:, 3]) + X[:, 5])
    search.seek(100_000)
    assert sorted(Formula(search.law.expression, [f"x{j}" for j in range(8)]).variables) == ["x0", "x3", "x5"]
