"""Proofs: what is true is proven, what is false is never, and points tell what a proof cannot."""

from __future__ import annotations

import numpy as np
import pytest

from multigene.expression.build import call, linear, sum_of
from multigene.expression.tree import Expression, Number, Power, Variable
from multigene.shapes.points import Conditions
from multigene.shapes.proof import decided, verdicts
from multigene.shapes.repair import constrained
from multigene.shapes.stated import read

A, B = Variable(0), Variable(1)
LOW, HIGH = np.zeros(2), np.full(2, 3.0)


def status(expression: Expression, text: str, low=LOW, high=HIGH) -> str:
    [verdict] = verdicts(expression, read([text], ["a", "b"], "y"), low, high, 1.0)
    return verdict.status


SATURATION = call("div", call("mul", Number(2.0), A), sum_of([Number(1.0), A]))


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (SATURATION, "increasing in a"),
        (SATURATION, "concave in a"),
        (SATURATION, "0 <= y <= 1.5"),
        (SATURATION, "y(0) = 0"),
        (SATURATION, "y(a=0) = 0"),
        (SATURATION, "increasing in b"),
        (SATURATION, "even in b"),
        (call("sqrt", A), "increasing in a"),
        (call("exp", call("neg", A)), "decreasing in a"),
        (call("exp", call("neg", A)), "convex in a"),
        (call("mul", A, B), "symmetric in a, b"),
        (sum_of([call("mul", A, A), call("cos", A)]), "even in a"),
        (call("sin", A), "odd in a"),
        (linear(1.0, [(0, 2.0), (1, -1.0)]), "convex in a"),
    ],
)
def test_true_shapes_are_proven(expression, text):
    assert status(expression, text) == "proven"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (SATURATION, "decreasing in a"),
        (SATURATION, "convex in a"),
        (SATURATION, "0 <= y <= 1.4"),
        (SATURATION, "y(0) = 1"),
        (SATURATION, "symmetric in a, b"),
        (call("sin", A), "increasing in a"),
        (SATURATION, "odd in a"),
        (sum_of([A, Number(1.0)]), "odd in a"),
    ],
)
def test_false_shapes_are_violated(expression, text):
    assert status(expression, text) == "violated"


def test_a_dent_between_points_is_found_by_cutting():
    # Falls within 1e-4 of a = 2 alone, far narrower than points lie.
    dent = call("mul", Number(1e-3), call("gauss", call("mul", Number(1e4), sum_of([A, Number(-2.0)]))))
    [shape] = read(["increasing in a"], ["a", "b"], "y").shapes
    assert decided(sum_of([A, dent]), shape, LOW, HIGH, 1.0) is False


def test_what_is_too_hard_to_prove_is_checked():
    wiggles = [call("sin", call("mul", Number(40.0 + k), sum_of([A, B]))) for k in range(8)]
    e = sum_of([call("mul", Number(400.0), A), *wiggles])
    [verdict] = verdicts(e, read(["increasing in a"], ["a", "b"], "y"), LOW, HIGH, 1000.0)
    assert (verdict.status, verdict.points) == ("checked", 100_000) or verdict.status == "proven"
    assert "increasing in a: " in str(verdict)


def test_poles_prove_nothing():
    assert status(call("div", Number(1.0), sum_of([A, Number(-1.5)])), "decreasing in a") != "proven"


def test_coefficients_keep_the_conditions():
    rng = np.random.default_rng(0)
    X = rng.uniform(0.0, 4.0, (200, 1))
    y = np.sqrt(X[:, 0]) + 0.3 * rng.normal(size=200)
    stated = read(["increasing in a", "concave in a", "y(0) = 0"], ["a"], "y")
    conditions = Conditions.of(stated, X.min(axis=0), X.max(axis=0), float(np.ptp(y)), rng, 200)

    def powers(points):
        return np.hstack([points**k for k in range(1, 6)])

    free = np.linalg.lstsq(np.hstack([np.ones((200, 1)), powers(X)]), y, rcond=None)[0]
    kept = constrained(powers(X), y, None, powers(conditions.points), conditions)
    assert not conditions.kept(free[0] + powers(conditions.points) @ free[1:])
    assert conditions.kept(kept[0] + powers(conditions.points) @ kept[1:])
    errors = [np.mean((y - c[0] - powers(X) @ c[1:]) ** 2) for c in (free, kept)]
    assert errors[0] < errors[1] < 1.3 * errors[0]


def test_the_nearest_coefficients_are_those_of_scipy():
    from scipy.optimize import minimize

    rng = np.random.default_rng(1)
    X = rng.uniform(0.0, 3.0, (80, 1))
    y = np.sin(2.0 * X[:, 0])
    stated = read(["increasing in a"], ["a"], "y")
    conditions = Conditions.of(stated, np.zeros(1), np.full(1, 3.0), 1.0, rng, 60)
    columns, at = np.hstack([X, X**2]), np.hstack([conditions.points, conditions.points**2])
    ours = constrained(columns, y, None, at, conditions)
    A, P = np.hstack([np.ones((80, 1)), columns]), np.hstack([np.ones((len(at), 1)), at])
    G = conditions.matrix @ P
    theirs = minimize(
        lambda c: np.mean((A @ c - y) ** 2), ours + 0.01, method="SLSQP",
        constraints={"type": "ineq", "fun": lambda c: G @ c}, options={"ftol": 1e-14, "maxiter": 500},
    )  # fmt: skip
    assert np.mean((A @ ours - y) ** 2) == pytest.approx(theirs.fun, rel=1e-4)


def test_conditions_that_nothing_meets_are_told():
    stated = read(["y(a=0) = 0", "y(a=1) = 1"], ["a"], "y")
    conditions = Conditions.of(stated, np.zeros(1), np.ones(1), 1.0, np.random.default_rng(0), 10)
    at = np.zeros((len(conditions.points), 1))
    assert constrained(np.zeros((5, 1)), np.zeros(5), None, at, conditions) is None


def test_powers_of_negative_numbers_are_no_proof():
    assert status(Power(sum_of([A, Number(-1.0)]), 0.5), "increasing in a") != "proven"
