"""How large a formula may be, decided on rows that the search did not use."""

from __future__ import annotations

import numpy as np
import pytest

from multigene._engine import Individual
from multigene.data.losses import Loss
from multigene.evolution.pareto import Candidate, Member
from multigene.search import validation as module
from multigene.search.comparing import clearly_better
from multigene.search.few_rows import decide_by_leaving_one_out
from multigene.search.folds import best_line
from multigene.search.linear import linear_models
from multigene.search.problem import Problem
from multigene.search.unseen import HeldOut, r2_near, unseen_errors
from multigene.search.validation import (
    ANY_SIZE,
    SizeDecision,
    best_of,
    decide_on_held_out_rows,
    prefer_short,
    readable,
    smallest,
)


def curved(n=800, noise=0.1, seed=0):
    """A problem whose target is a parabola."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return Problem.of(X, X[:, 0] ** 2 + noise * rng.normal(size=n), None, standardise=False)


def candidates(problem, *genes):
    """Candidates of one gene each, fitted to the rows for searching, smallest first."""
    data = problem.dataset(problem.search_rows)
    models = [Individual([gene], 0.0, [1.0]).fit(data) for gene in genes]
    return sorted((Candidate(m, m.fitness, problem.size(m)) for m in models), key=lambda c: c.complexity)


def decide(problem, *genes):
    """The decision about candidates of these genes."""
    linear = linear_models(problem, problem.dataset(problem.search_rows))
    return decide_on_held_out_rows(problem, candidates(problem, *genes), linear)


def skewed(seed=0):
    """A law over decades with noise in proportion: few rows have most of the squares."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.5, 1.5, size=(400, 2))
    y = np.exp(2.0 * X[:, 0] + X[:, 1] ** 2) * rng.gamma(2.0, 0.5, size=400)
    return Problem.of(X, y, None, standardise=False)


@pytest.mark.parametrize("seed", range(3))
def test_few_large_rows_of_a_skewed_target_do_not_hide_a_formula(seed):
    decision = decide(skewed(seed), "x0", "exp(x0 + x0 + x1*x1)")
    assert not decision.simple
    assert decision.most_nodes >= 5


def test_the_rows_that_another_loss_adds_up_are_not_counted_instead():
    """Its predictor may be a logarithm, which a median of the target is not."""
    plain, gamma = skewed(), Problem.of(skewed().X, skewed().y, None, loss=Loss.named("gamma"))
    for problem, expected in ((plain, 0), (gamma, None)):
        held_out = HeldOut(problem, problem.held_out_rows)
        perfect = [np.zeros(len(held_out.y))]
        assert module._better_on_most_rows_than_all(problem, held_out, perfect, []) == expected


@pytest.mark.parametrize("seed", range(5))
def test_noise_with_heavy_tails_has_no_formula(seed):
    """The mean is far from most rows, and what is nearer to their median is better there."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 3))
    problem = Problem.of(X, 3.0 + rng.standard_cauchy(600), None, standardise=False)
    assert decide(problem, "x0", "abs(x0)", "exp(x1)", "x0*x1").simple


# --- comparisons ----------------------------------------------------------------------------------


def test_the_smallest_that_the_best_is_not_clearly_better_than():
    rng = np.random.default_rng(0)
    base = rng.normal(size=1000) ** 2
    errors = [base + 1.0, base + 0.001 * rng.normal(size=1000), base, base + 0.5]
    assert smallest(errors) == 1
    assert smallest([errors[0], errors[2]]) == 1
    assert smallest(errors[2:]) == 0


# --- decisions ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("standard_errors", "chosen"), [(0.1, 1), (0.4, 2)])
def test_held_out_rows_choose_the_smallest_model_that_is_not_clearly_worse(
    monkeypatch, standard_errors, chosen
):
    problem = curved()
    models = candidates(problem, "x0", "x0 * x0", "x0 * x0 + 0.1 * sin(x1 * x1 + 2.0)")
    rows, unit = len(problem.held_out_rows), HeldOut(problem, problem.held_out_rows).constant.mean()
    apart = np.tile([-1.0, 1.0], rows // 2 + 1)[:rows]
    apart += standard_errors * apart.std(ddof=1) / np.sqrt(rows) - apart.mean()
    left = dict(
        zip(
            (m.complexity for m in models),
            (unit * 0.5 * np.ones(rows), unit * (0.02 + 0.01 * apart), unit * 0.02 * np.ones(rows)),
            strict=True,
        )
    )
    sizes = []
    monkeypatch.setattr(HeldOut, "of", lambda self, candidate: left[candidate.complexity])
    monkeypatch.setattr(module, "_sized", lambda nodes, errors, small, scores: sizes.append(small))
    decide_on_held_out_rows(problem, models, [])
    assert sizes == [chosen]


def test_the_size_has_some_room_above_the_smallest_that_does():
    problem = curved()
    decision = decide(problem, "x0", "x0 * x0", "x0 * x0 + 0.001 * sin(x1 * x1 + 2.0)")
    assert not decision.final
    sizes = [c.complexity for c in candidates(problem, "x0", "x0 * x0")]
    assert decision.most_nodes == int(np.ceil(1.25 * sizes[1]))
    assert max(decision.validation_r2.values()) > 0.98
    assert len(decision.errors) == len(problem.held_out_rows)


def test_a_readable_formula_is_taken_where_it_costs_little_on_unseen_rows():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(4, 500)) ** 2
    sizes = [20, 60, 78, 300]

    def number(*r2, nodes=80, cost=0.01):
        errors = [(1.0 - r) * e for r, e in zip(r2, noise, strict=True)]
        return readable(sizes, errors, r2, 3, nodes, cost)

    assert (
        number(0.8, 0.90, 0.902, 0.91) == 1
    )  # the smallest of the readable ones that does as well as the best of them
    assert number(0.8, 0.85, 0.895, 0.90) == 2
    assert number(0.8, 0.85, 0.88, 0.90) is None  # 0.02 is too much
    assert number(0.8, 0.95, 0.995, 0.9999) is None  # fifty times as much is left: there may be a law
    assert number(0.897, 0.90, 0.90, 0.90, nodes=50, cost=0.005) == 0
    assert number(0.894, 0.90, 0.90, 0.90, nodes=50, cost=0.005) is None
    assert readable(sizes, list(noise), [0.5, 0.9, 0.9, 0.9], 1, 80, 0.01) == 1


def test_one_lucky_model_among_its_neighbours_does_not_count():
    sizes, r2 = [10, 48, 49, 50, 51, 52, 100], [0.5, 0.80, 0.81, 0.87, 0.81, -4.0, 0.9]
    scores = dict(zip(sizes, r2, strict=True))
    assert [r2_near(scores, size) for size in sizes] == [0.5, 0.81, 0.81, 0.81, 0.81, 0.81, 0.9]
    assert r2_near(scores, 70) == -4.0  # of the next smaller one
    assert np.isnan(r2_near(scores, 8))


def test_the_search_goes_on_with_what_unseen_rows_speak_for(monkeypatch):
    monkeypatch.setattr(module, "READABLE", ((5, 2.0),))
    monkeypatch.setattr(module, "READABLE_LEAVES", 1e9)
    problem = curved()
    decision = decide(problem, "x0", "x0 * x0")
    assert decision.most_nodes <= 5 < decision.searched
    assert SizeDecision.unpacked(decision.packed()).searched == decision.searched


def test_a_line_is_preferred_where_a_formula_is_not_clearly_better():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 2))
    problem = Problem.of(X, X[:, 0] + 0.1 * rng.normal(size=800), None, standardise=False)
    linear = linear_models(problem, problem.dataset(problem.search_rows))
    front = [Candidate(m, m.fitness, problem.size(m)) for m in linear]
    front += candidates(problem, "x0 + 0.01 * x1 * x1 * x1")
    decision = decide_on_held_out_rows(problem, front, linear)
    assert decision.linear is not None
    assert decision.final
    assert decision.simple


def test_a_constant_is_preferred_where_there_is_nothing():
    rng = np.random.default_rng(0)
    problem = Problem.of(rng.normal(size=(800, 2)), rng.normal(size=800), None)
    decision = decide(problem, "x0", "x0 * x1")
    assert decision.constant
    assert decision.most_nodes == 1


@pytest.mark.parametrize("n", [399, 20])
def test_without_held_out_rows_nothing_is_decided(n):
    problem = curved(n)
    decision = decide(problem, "x0", "x0 * x0")
    assert (decision.most_nodes, decision.final) == (ANY_SIZE, False)


def test_a_weak_effect_that_all_rows_show_is_a_line():
    """Held-out rows are too few to see it; a ridge regression is held against the mean on all rows, fold by fold."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1500, 8))
    problem = Problem.of(X, X @ np.full(8, 0.09) + rng.normal(size=1500), None, standardise=False)
    held_out = HeldOut(problem, problem.held_out_rows)
    weak = candidates(problem, "x0", "x1")
    assert not clearly_better(held_out.of(weak[0]), held_out.constant, 2.0)
    linear = linear_models(problem, problem.dataset(problem.search_rows))
    assert decide_on_held_out_rows(problem, weak, linear).linear == module.RIDGE
    assert decide_on_held_out_rows(problem, weak, linear, largest=10).constant
    assert decide_on_held_out_rows(problem, weak, []).constant


def test_a_constant_target_decides_nothing():
    X = np.random.default_rng(0).normal(size=(500, 2))
    problem = Problem.of(X, np.full(500, 3.0), None)
    assert decide_on_held_out_rows(problem, candidates(problem, "x0"), []).most_nodes == ANY_SIZE


def test_packed_and_unpacked():
    decisions = [
        SizeDecision(17, validation_r2={3: 0.5, 9: 1 / 3}, errors=np.array([0.1, 1e-300, np.inf])),
        SizeDecision(1, constant=True),
        SizeDecision(1, linear=-1),
        SizeDecision(5, of_this_size=True),
    ]
    for decision in decisions:
        again = SizeDecision.unpacked(decision.packed())
        assert again.packed() == decision.packed()
        assert again.final == decision.final


# --- errors on unseen rows ------------------------------------------------------------------------


def test_errors_are_those_of_the_held_out_rows():
    problem = curved()
    rows = problem.held_out_rows
    held_out = HeldOut(problem, rows)
    model = Individual(["x0 * x0"], 0.5, [1.0])
    residual = problem.y[rows] - model.predict(problem.X[rows])
    expected = 1.0 - np.sum(residual**2) / np.sum((problem.y[rows] - problem.y[rows].mean()) ** 2)
    assert held_out.r2(held_out.errors(model)) == pytest.approx(expected)
    assert held_out.enough


def test_targets_near_the_end_of_floating_point_do_not_overflow():
    problem = curved()
    huge = Problem.of(problem.X, 1e300 * problem.y, None, standardise=False)
    small, large = (HeldOut(p, p.held_out_rows) for p in (problem, huge))
    assert small.r2(small.constant) == pytest.approx(large.r2(large.constant))


def test_few_rows_are_predicted_by_models_fitted_without_them():
    problem = curved(100)
    model = Individual(["x0 * x0"], 100.0, [-5.0])  # as wrong as can be, but fitted again on every fold
    errors = unseen_errors(problem, Member(model, 0.0, model.complexity))
    assert len(errors) == 100
    assert errors.sum() < 0.01 * HeldOut(problem, np.arange(100)).constant.sum()


# --- which of several -----------------------------------------------------------------------------


def member(gene, intercept=0.0, coefficient=1.0):
    """A member of one gene."""
    model = Individual([gene], intercept, [coefficient])
    return Member(model, 0.9, model.complexity)


def test_a_short_formula_replaces_a_long_one_that_is_no_better():
    problem = curved()
    long, short, poor = member("x0 * x0 + 0.0001 * sin(x1)"), member("x0 * x0"), member("x0")
    errors = unseen_errors(problem, long)
    assert prefer_short(problem, errors, long, [poor, short]) is short
    assert prefer_short(problem, errors, long, [poor]) is long
    assert prefer_short(problem, errors, short, [long]) is short  # nothing shorter is offered


def test_a_longer_find_must_be_clearly_better():
    problem = curved(noise=1.0)
    short, lucky = member("x0 * x0"), member("x0 * x0 + 0.0001 * sin(x1)")
    errors = unseen_errors(problem, short)
    by_chance = errors - 1e-6 * np.random.default_rng(0).normal(0.5, 10.0, len(errors))
    assert by_chance.sum() < errors.sum()
    assert prefer_short(problem, errors, short, [lucky], known={id(lucky.individual): by_chance}) is short
    poor, law = member("x0"), member("x0 * x0")
    assert prefer_short(problem, unseen_errors(problem, poor), poor, [law]) is law


def test_the_most_convincing_one_comes_before_the_shortest():
    problem = curved(noise=1.0)
    long = member("x0 * x0 + 0.0001 * sin(x1) + 0.0001 * x1")
    first, convincing = member("x0 * x0"), member("x0 * x0 + 0.0001 * x1")
    errors = unseen_errors(problem, long)
    assert prefer_short(problem, errors, long, [first, convincing]) is first
    assert prefer_short(problem, errors, long, [first, convincing], convincing) is convincing


def test_errors_of_a_cross_validation_that_was_cut_short_compare_with_nothing():
    problem, long, short = curved(100), member("x0 * x0 + 0.0001 * sin(x1)"), member("x0 * x0")
    assert prefer_short(problem, np.ones(60), long, [short]) is long


def test_best_of_takes_the_first_that_is_not_clearly_worse():
    problem = curved()
    poor, good, longer = member("x0"), member("x0 * x0"), member("x0 * x0 + 0.0001 * sin(x1)")
    assert best_of(problem, [poor, good, longer]) is good
    assert best_of(problem, [poor, good, longer], longer) is longer
    assert best_of(problem, [poor, good, longer], poor) is good


def test_a_column_of_small_effect_belongs_to_the_line_where_all_rows_tell():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(750, 4))
    y = X @ [0.4, 0.45, 0.25, 0.13] + 0.8 * rng.normal(size=750)
    problem = Problem.of(X, y, None)
    linear = linear_models(problem, problem.dataset(problem.search_rows))
    columns = [c for c, _ in linear[best_line(problem, linear)].tokens(0)[0][2]]
    assert sorted(columns) == [0, 1, 2, 3]
    noise = rng.normal(size=750)
    of_noise = Problem.of(X, noise + X[:, 1], None)
    linear = linear_models(of_noise, of_noise.dataset(of_noise.search_rows))
    assert len(linear[best_line(of_noise, linear)].tokens(0)[0][2]) < 4


def test_a_column_whose_squares_are_beyond_floating_point_is_not_of_the_best_line():
    """A constant is not scaled; "SVD did not converge" was all that was said."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.full(600, 1e200), rng.normal(size=600)])
    problem = Problem.of(X, X[:, 1] + rng.normal(size=600), None)
    lines = [Individual([f"[0: 0.0 + 1.0*x{j}]"], 0.0, [1.0]) for j in (0, 1)]
    assert best_line(problem, lines) == 1


def test_one_column_that_tells_nearly_all_of_very_few_rows_is_found():
    """Ridge regression spreads over five columns what one of them tells, and rows left out then speak for the mean."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(16, 6))
    X[0] *= 4.0  # a row far from the others
    y = 6.0 * X[:, 3] + 2.0 * rng.normal(size=16)
    problem = Problem.of(X, y, None)
    decision = decide_by_leaving_one_out(problem, linear_models(problem, problem.dataset()))
    assert decision.linear == 0
    noise = Problem.of(X, rng.normal(size=16), None)
    assert decide_by_leaving_one_out(noise, linear_models(noise, noise.dataset())).constant
