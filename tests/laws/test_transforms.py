"""Transforms of the target: what is done is undone."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.expression.tree import Operation, Variable, evaluate, postorder
from multigene.laws.transforms import TRANSFORMS, logarithmic, one_sign, with_columns


@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda t: t.name)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_transform_is_undone(transform, sign):
    y = sign * np.linspace(0.2, 1.4, 50)
    assert transform.usable(y)
    back = evaluate(transform.inverse(Variable(0), sign), transform.forward(y)[:, None])
    np.testing.assert_allclose(back, y, rtol=1e-12)


def test_transforms_that_cannot_be_undone_are_not_usable():
    changing = np.linspace(-1.0, 1.0, 51)
    unusable = {t.name for t in TRANSFORMS if not t.usable(changing)}
    assert unusable == {"ln|y|", "1/y", "y²", "1/y²"}
    assert not one_sign(changing)
    assert [t.name for t in TRANSFORMS if logarithmic(t)] == ["ln|y|"]


def test_values_that_a_transform_cannot_tell_apart_are_not_usable():
    usable = {t.name: t.usable for t in TRANSFORMS}
    assert not usable["sin y"](np.array([0.0, 2.0]))  # beyond a quarter turn
    assert not usable["exp y"](np.array([0.0, 60.0]))  # digits are lost
    assert not usable["1/y"](np.array([1e-5, 1.0]))  # next to a pole
    assert not usable["ln|y|"](np.array([0.0, 1.0]))
    assert all(test(np.array([0.5, 1.0])) for test in usable.values())


def test_needs_name_the_operators_of_the_inverse():
    for transform in TRANSFORMS:
        inverse = postorder(transform.inverse(Variable(0), 1.0))
        used = {node.name for node in inverse if isinstance(node, Operation)} - {"sub"}
        assert {("div" if name == "inv" else name) for name in used} <= set(transform.needs)


def test_one_sign():
    assert one_sign(np.array([1.0, 2.0]))
    assert one_sign(np.array([-1.0, -2.0]))
    assert not one_sign(np.array([0.0, 1.0]))
    assert not one_sign(np.array([-1.0, 1.0]))


def test_transforms_by_columns_are_undone():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(0.1, 0.4, 50), rng.uniform(2.0, 3.0, 50), rng.uniform(-1.0, 1.0, 50)])
    y = X[:, 0] + (X[:, 1] - X[:, 0]) * rng.uniform(0.1, 0.9, 50)
    found = with_columns(y, dict(enumerate(X.T)))
    assert len([t for t in found if t.name.startswith("y**")]) == 3
    assert len(found) > 4  # above the first column, below the second, and from either to the other
    for transform in found:
        assert transform.usable(y)
        undone = transform.inverse(Variable(3), 1.0)
        back = evaluate(undone, np.column_stack([X, transform.forward(y)]))
        np.testing.assert_allclose(back, y, rtol=1e-10)


def test_a_target_of_both_signs_is_no_base_of_powers():
    y = np.linspace(-1.0, 1.0, 50)
    assert not with_columns(y, {0: np.linspace(2.0, -2.0, 50)})
