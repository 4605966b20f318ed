"""Intervals of values, slopes and bends hold what the expressions do: random trees on random boxes."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.expression.build import call, sum_of
from multigene.expression.operators import OPERATORS
from multigene.expression.tree import Number, Power, Variable, evaluate
from multigene.shapes.jets import jet

X0, X1 = Variable(0), Variable(1)


def held(expression, low, high, column=0, seed=0):
    """Differences inside the boxes lie within the intervals."""
    rng = np.random.default_rng(seed)
    found = jet(expression, low, high, column)
    for _ in range(20):
        p = low + rng.uniform(0.05, 0.95, low.shape) * (high - low)
        h = 1e-4 * (high - low)[:, column]
        step = np.zeros_like(p)
        step[:, column] = h
        below, here, above = (evaluate(expression, p + s * step) for s in (-1.0, 0.0, 1.0))
        slope, bend = (above - below) / (2 * h), (above - 2 * here + below) / h**2
        for values, interval, room in (
            (here, found.value, 1e-12), (slope, found.slope, 1e-5), (bend, found.bend, 1e-2),
        ):  # fmt: skip
            known = np.isfinite(values)
            size = room * (1.0 + np.abs(values[known]))
            assert np.all(values[known] >= interval.low[known] - size)
            assert np.all(values[known] <= interval.high[known] + size)


def boxes(seed, low=-3.0, high=3.0, n=40):
    ends = np.sort(np.random.default_rng(seed).uniform(low, high, (2, n, 2)), axis=0)
    return ends[0], ends[1] + 0.01


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_every_operator_is_held(name):
    arguments = [sum_of([X0, call("mul", X0, X0)]), call("mul", X1, X0)][: OPERATORS[name].arity]
    held(call(name, *arguments), *boxes(1))
    held(call(name, *arguments), *boxes(2, 0.1, 2.0))


@pytest.mark.parametrize("exponent", [-2.0, -1.0, -0.5, 0.5, 1.5, 2.0, 3.0, 4.0])
def test_every_power_is_held(exponent):
    held(Power(sum_of([X0, X1]), exponent), *boxes(3))
    held(Power(sum_of([X0, X1]), exponent), *boxes(4, 0.1, 2.0))


def test_nested_functions_are_held():
    e = call("div", call("exp", call("neg", call("mul", X0, X1))), sum_of([Number(4.0), call("tanh", X0)]))
    held(e, *boxes(5), column=0)
    held(e, *boxes(6), column=1)


def test_small_boxes_are_told_tightly():
    low, high = np.array([[1.0, 1.0]]), np.array([[1.001, 1.001]])
    found = jet(call("mul", X0, call("log", X1)), low, high, 1)
    assert found.slope.low[0] == pytest.approx(1.0, abs=0.01)
    assert found.bend.high[0] == pytest.approx(-1.0, abs=0.01)


def test_poles_tell_nothing():
    found = jet(call("div", Number(1.0), X0), np.array([[-1.0, 0.0]]), np.array([[1.0, 1.0]]), 0)
    assert (found.value.low[0], found.value.high[0]) == (-np.inf, np.inf)
