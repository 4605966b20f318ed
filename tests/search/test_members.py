"""Models as members of a result: measured by the loss of the run, scored by their size, finite where rows are."""

from __future__ import annotations

import numpy as np
import pytest

from multigene._engine import Individual
from multigene.data.losses import Loss
from multigene.data.scores import r2
from multigene.evolution.pareto import Candidate, Member
from multigene.expression.tree import Variable
from multigene.laws.law import Find
from multigene.search.members import constant_model, is_finite, is_line, measured, one_that_stays, scored
from multigene.search.problem import Problem

LINE = Individual(["x0"], 0.0, [1.0])


def test_scores_are_those_of_the_largest_size_below():
    members = [Member(LINE, 0.5, size) for size in (1, 3, 4, 9)]
    assert [m.validation for m in scored(members, {3: 0.5, 5: 0.7})][1:] == [0.5, 0.5, 0.7]
    assert np.isnan(scored(members, {3: 0.5})[0].validation)
    assert all(np.isnan(m.validation) for m in scored(members, {}))


def test_predictions_of_a_link_count_not_predictors():
    X = np.linspace(1.0, 5.0, 100)[:, None]
    counts = Problem.of(X, np.round(X[:, 0]), None, loss=Loss("poisson"))
    assert is_finite(counts, LINE)
    assert not is_finite(counts, Individual(["x0"], 0.0, [1_000.0]))


@pytest.mark.parametrize("loss", ["squared", "huber:0.5", "poisson"])
def test_a_find_is_measured_by_the_loss_of_the_run_and_its_weights(loss):
    rng = np.random.default_rng(0)
    X = rng.uniform(0.0, 2.0, (300, 1))
    y = rng.poisson(np.exp(X[:, 0])).astype(float)
    weights = rng.uniform(0.5, 2.0, 300)
    problem = Problem.of(X, y, weights, loss=Loss.named(loss).of_rows(X, y))
    rows = np.arange(0, 300, 2)
    found = measured(problem, Find(LINE, Variable(0), 0.1), rows)
    assert found.fitness == problem.loss.explained(y[rows], X[rows, 0], weights[rows])
    assert (found.fitness == r2(y[rows], X[rows, 0], weights[rows])) is (loss == "squared")
    assert found.complexity == 1


def test_the_constant_model_is_the_mean():
    X = np.linspace(1.0, 5.0, 100)[:, None]
    problem = Problem.of(X, X[:, 0] ** 2, None)
    constant = constant_model(problem, problem.dataset())
    assert constant.individual.predict(X) == pytest.approx(np.full(100, np.mean(X**2)))
    assert constant.fitness == pytest.approx(0.0, abs=1e-12)
    assert is_line(constant.individual)
    assert not is_line(Individual(["sin(x0)"], 0.0, [1.0]))


def test_what_explodes_just_beyond_the_rows_is_not_chosen_where_another_explains_nearly_as_much():
    X = np.random.default_rng(0).uniform(1.0, 5.0, (200, 1))
    problem = Problem.of(X, X[:, 0], None)
    steep = Individual(["exp(x0*4.0)"], 0.0, [5.0 * np.exp(-20.0)])
    flat, line = Individual(["log(x0)"], 1.0, [2.0]), Individual(["x0"], 0.0, [1.0])
    front = [
        Candidate(flat, 0.90, 4, True),
        Candidate(line, 0.94, 5, True),
        Candidate(steep, 0.96, 8, True),
        Candidate(line, 0.97, 20, True),
    ]
    assert one_that_stays(problem, front, 3) == 3
    assert one_that_stays(problem, front, 2) == 1
    assert one_that_stays(problem, [front[0], front[2]], 1) == 1  # the other leaves far more unexplained
