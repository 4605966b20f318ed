"""Positive targets over decades: formulas of the logarithm, and the choice between the scales."""

from __future__ import annotations

import numpy as np
import pytest

from multigene import MultigeneRegressor
from multigene._engine import Individual
from multigene.data.losses import Loss
from multigene.evolution.pareto import Member
from multigene.search import log_scale
from multigene.search.log_scale import LogScale, nearer_to_most_rows, over_decades
from multigene.search.problem import Problem
from multigene.search.unseen import HeldOut, refitted_without, unseen_rows


def power_law(n=500, noise=0.2, seed=0):
    """Columns and target over decades, with an error that is a share of the value."""
    rng = np.random.default_rng(seed)
    X = 10.0 ** rng.uniform(-2.0, 2.0, (n, 2))
    return X, 3.0 * X[:, 0] ** 1.5 / X[:, 1] * np.exp(noise * rng.normal(size=n))


LAW = Individual(["log(x0)", "log(x1)"], np.log(3.0), [1.5, -1.0])


def test_which_targets_cover_decades():
    X, y = power_law()
    assert over_decades(Problem.of(X, y, None))
    assert not over_decades(Problem.of(X, -y, None))
    assert not over_decades(Problem.of(X, y - y.min(), None))  # zero has no logarithm
    assert not over_decades(Problem.of(X, 5.0 + np.log(y) / 10.0, None))
    assert not over_decades(Problem.of(X, y, None, loss=Loss.named("absolute")))
    assert not over_decades(Problem.of(X[:12], y[:12], None))


def test_every_fold_is_fitted_from_the_same_formula(monkeypatch):
    """Not from what the fold before it left."""
    begun = []

    def refitted(fold, problem, individual, y):
        begun.append(individual)
        return refitted_without(fold, problem, individual, y)

    monkeypatch.setattr(log_scale, "refitted_without", refitted)
    X, y = power_law(100)
    LogScale.of(Problem.of(X, y, None), [LAW])
    assert len(begun) > 1
    assert all(individual is LAW for individual in begun)


@pytest.mark.parametrize("n", [500, 100])
def test_a_formula_of_the_logarithm_is_one_of_the_target(n):
    X, y = power_law(n)
    problem = Problem.of(X, y, None)
    scale = LogScale.of(problem, [LAW])
    [find], [errors] = scale.finds, scale.unseen
    predicted = find.individual.predict(X)
    shape = X[:, 0] ** 1.5 / X[:, 1]
    assert predicted / shape == pytest.approx(np.full(n, y.mean() / shape.mean()))  # the mean is right
    assert "log" not in find.individual.genes[0]  # written with powers
    rows = unseen_rows(problem)
    assert len(errors) == len(rows)
    assert HeldOut(problem, rows).r2(errors) > 0.8
    again = LogScale.unpacked(problem, scale.packed())
    assert np.array_equal(again.unseen[0], errors)


def test_what_leaves_the_range_of_the_logarithm_is_refused():
    X, y = power_law()
    wild = Individual(["x0"], 0.0, [20.0])
    assert LogScale.of(Problem.of(X, y, None), [wild]).finds == []


def test_what_is_nearer_to_most_rows_is_chosen_unless_it_is_clearly_worse():
    rng = np.random.default_rng(0)
    line, curve = (Member(Individual([gene], 0.0, [1.0]), 0.5, 3) for gene in ("x0", "log(x0)"))
    errors = rng.normal(size=400) ** 2
    near, far, chance = 0.5 * errors, np.where(np.arange(400) < 100, 50.0, 0.1) * errors, errors[::-1]
    for own, chosen in ((near, curve), (far, line), (chance, line), (near[:9], line)):
        assert nearer_to_most_rows(line, [curve], errors, {id(curve.individual): own}) is chosen
    assert nearer_to_most_rows(line, [curve], errors, {}) is line


def test_the_search_chooses_the_scale_on_unseen_rows():
    X, y = power_law(120, 0.3)
    model = MultigeneRegressor(generations=20, random_state=0, n_jobs=1).fit(X, y)
    fresh, clean = power_law(2000, 0.0, seed=1)
    ratio = model.predict(fresh) / clean
    assert model.formula_.size <= 12
    assert np.quantile(np.abs(np.log(np.maximum(ratio, 1e-9))), 0.9) < 0.3


def test_simplifying_ends_with_its_share_of_the_time(monkeypatch):
    """II.8.31 of the Feynman set with a noise of 1 % took 15 s more than its limit of 4."""
    asked = []

    def simplified(find, X, y, fit, admits, weights=None, over=lambda: False):
        asked.append(over)
        return find

    monkeypatch.setattr(log_scale.noise, "simplified", simplified)
    X, y = power_law()
    MultigeneRegressor(time_limit=1.0, random_state=0).fit(X, y)
    assert asked
    assert all(over() for over in asked)  # the limit has passed
