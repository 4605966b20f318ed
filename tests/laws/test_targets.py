"""Targets: transforms that can be undone, features that say something, power factors divided out."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.laws.constants import COMBINED_SHARE, DOUBTFUL_SHARE, FEW_FEATURES
from multigene.laws.targets import informative, make_targets, peel, powers_of
from multigene.laws.variables.symmetries import Variables
from multigene.settings.settings import Seeking


def rows(n=300, d=3, low=1.0, high=5.0, seed=0):
    return np.random.default_rng(seed).uniform(low, high, (n, d))


def anything(*names):
    return True


def test_peeling_finds_power_factors():
    X = rows(500, 4)
    assert peel(X, X[:, 0] ** 2 * np.sqrt(X[:, 1]) * (X[:, 2] + X[:, 3]), [0, 1, 2, 3]) == {0: 2.0, 1: 0.5}
    assert peel(X, X[:, 0] / X[:, 1] * np.log(1.0 + X[:, 2] * X[:, 3]), [0, 1, 2, 3]) == {0: 1.0, 1: -1.0}


def test_peeling_takes_nothing_else():
    X = rows(500, 2)
    assert peel(X, X[:, 0] + X[:, 1], [0, 1]) == {}
    assert peel(X, X[:, 0] - X[:, 1], [0, 1]) == {}  # changes its sign
    assert peel(X, np.ones(500), [0, 1]) == {}


def test_targets_are_those_that_can_be_undone():
    X = rows(300, 2)

    def names(y, **options):
        return [
            t.transform.name
            for t in make_targets(
                X, y, Seeking(peeling=False, dense=False, **options), lambda *n: True, [0, 1], None
            )
        ]

    usual = ["y", "ln|y|", "1/y", "y²", "1/y²", "exp y"]
    assert names(X[:, 0] + X[:, 1]) == [*usual, "y**[0]", "y**[1]"]
    assert names(X[:, 0] + X[:, 1], survey=False) == usual
    assert names(X[:, 0] - X[:, 1])[:2] == ["y", "ln|y|"]
    assert names(X[:, 0] + X[:, 1], transforms=False) == ["y"]
    assert names(np.ones(300)) == []


def test_shares_of_combined_variables_depend_on_how_sure_they_are():
    X = rows()
    y = X[:, 0] * np.sin(X[:, 1] / X[:, 2])
    shares = []
    for left in (None, 1e-6, 0.2):
        seen = Variables(np.column_stack([X, X[:, 1] / X[:, 2]]), {}, (3,), {0: 1.0}, left)
        targets = make_targets(seen.values, y, Seeking(peeling=False), anything, [0, 1, 2], seen)
        combined = [t for t in targets if t.combined]
        assert all(t.features == [3] and t.peeled == {0: 1.0} for t in combined)
        plain = {t.transform.name: t.share for t in targets if not t.combined and not t.dense}
        shares.append({t.share / plain[t.transform.name] for t in combined if t.transform.name in plain})
    assert shares == [{COMBINED_SHARE}, {COMBINED_SHARE}, {DOUBTFUL_SHARE}]


def test_what_is_peeled_and_combined_alike_is_one_target():
    X = rows()
    y = X[:, 0] * np.log(1.0 + X[:, 1] * X[:, 2])
    same = Variables(X, {}, (1, 2), {0: 1.0})
    for seen, expected in ((None, 2), (same, 2)):
        found = {
            (tuple(t.features), tuple(t.peeled.items()))
            for t in make_targets(X, y, Seeking(), anything, [0, 1, 2], seen)
        }
        assert len(found) == expected


def test_powers():
    X = np.array([[2.0, -3.0], [4.0, 1.0]])
    np.testing.assert_allclose(powers_of(X, {0: 2.0, 1: -1.0}), [4.0 / 3.0, 16.0])
    np.testing.assert_array_equal(powers_of(X, {}), [1.0, 1.0])


@pytest.mark.parametrize("most", [5, 20])
def test_features_that_say_something(most):
    rng = np.random.default_rng(0)
    X = rng.uniform(1.0, 2.0, (100, 15))
    X[:, 3], X[:, 4] = 7.0, X[:, 5]  # constant, and given twice
    y = X[:, 7] ** 2 + 0.1 * X[:, 9]
    features = informative(X, y, most)
    if most == 20:
        assert features == [0, 1, 2, 4, *range(6, 15)]
    else:
        assert len(features) == FEW_FEATURES
        assert 7 in features
