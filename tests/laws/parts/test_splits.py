"""Which features go together."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.laws.parts.splits import splits, two_parts

RNG = np.random.default_rng(5)
X = RNG.uniform((-2.0, 0.5, 1.0, -1.0), (2.0, 2.0, 4.0, 1.0), (400, 4))
A, B, C, D = X.T


def best(y):
    [first, *_] = splits(X, y, [0, 1, 2, 3])
    return first


@pytest.mark.parametrize(
    ("y", "transform", "product"),
    [
        (np.exp(A) * B + np.sin(2.0 * C * D), "y", False),
        (np.sqrt(8.0 + np.exp(A) * B + np.sin(2.0 * C * D)), "y²", False),
        ((5.0 + np.exp(A) * B + np.sin(2.0 * C * D)) ** 2, "√|y|", False),
        (np.cos(A + B) * (C**2 + D), "y", True),
    ],
    ids=["sum", "root of a sum", "square of a sum", "product with a change of sign"],
)
def test_features_that_go_together_are_told(y, transform, product):
    split = best(y)
    assert (split.transform.name, split.product) == (transform, product)
    assert {split.first, split.rest} == {(0, 1), (2, 3)}


def test_a_power_is_told_as_a_factor_of_poles():
    y = B / (A * (C + np.sin(D)) + 0.01)
    assert any(s.exponent is not None and s.first == (1,) for s in splits(X, y, [0, 1, 2, 3]))


def test_what_has_no_parts_is_not_split():
    assert splits(X, np.sin(A * B * C * D), [0, 1, 2, 3]) == []
    assert splits(X, RNG.standard_normal(len(X)), [0, 1, 2, 3]) == []
    assert splits(X, A, [0]) == []


def test_functions_that_may_not_be_used_give_no_split():
    y = np.cos(A + B) * (C**2 + D)
    assert not any(s.product for s in splits(X, y, [0, 1, 2, 3], lambda *names: "mul" not in names))


@pytest.mark.parametrize(("features", "ways"), [(2, 1), (3, 3), (4, 7), (7, 63)])
def test_every_way_to_share_features_out(features, ways):
    shared = list(two_parts(list(range(features))))
    assert len(shared) == len({frozenset(pair) for pair in shared}) == ways
    assert all(sorted(first + rest) == list(range(features)) for first, rest in shared)
