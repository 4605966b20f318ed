"""Formulas whose terms cancel, or whose angles turn faster than the rows can tell, are not handed over."""

from __future__ import annotations

import numpy as np

from multigene import MultigeneRegressor
from multigene._engine import Individual
from multigene.data.training_rows import TrainingRows
from multigene.evolution.pareto import Member
from multigene.explain.misleading import misleads, not_misleading, terms_cancel, turns_too_fast
from multigene.search.result import Result
from multigene.search.run import Run

rng = np.random.default_rng(0)
X = rng.uniform(0.0, 1.0, (200, 2))
Y = np.sin(X[:, 0]) + X[:, 1]
ROWS = TrainingRows.of(X, Y)
FINE = Individual(["sin(x0)", "x1"], 0.0, [1.0, 1.0])
#: sin(a) - sin(b) with a near b, times a thousand.
CANCELLING = Individual(["sin(x0)", "sin([0: 1.001*x0])"], 0.0, [1001.0, -1000.0])


def member(individual: Individual, fitness: float, nodes: int) -> Member:
    return Member(individual, fitness, nodes)


def test_terms_of_many_times_the_target_s_range_cancel() -> None:
    assert terms_cancel(CANCELLING, ROWS)
    assert not terms_cancel(FINE, ROWS)
    assert not terms_cancel(Individual(["[0: 1000.0*x0 + -999.0*x1]"], 0.0, [1.0]), ROWS)  # a line


def test_a_number_that_the_intercept_takes_away_cancels() -> None:
    flat = Individual(["tanh([0: 20.0 + 2.0*x0])", "x1"], -2e8, [2e8, 1.0])
    assert np.ptp(flat.predict(X)) < 10.0
    assert terms_cancel(flat, ROWS)
    assert not terms_cancel(Individual(["tanh([0: 20.0 + 2.0*x0])", "x1"], -2.0, [2.0, 1.0]), ROWS)
    far = TrainingRows.of(X, Y + 1e9)  # a target that is such a number itself
    assert not terms_cancel(Individual(["sin(x0) + 1000000000.0", "x1"], 0.0, [1.0, 1.0]), far)


def test_angles_that_turn_faster_than_the_rows_can_tell() -> None:
    fast = Individual(["sin(exp([0: 20.0*x0]))", "x1"], 0.0, [1.0, 1.0])
    assert turns_too_fast(fast, ROWS)
    assert misleads(fast, ROWS)
    assert not turns_too_fast(FINE, ROWS)
    assert not turns_too_fast(Individual(["cos([0: 400.0*x0])"], 0.0, [1.0]), ROWS)  # two a row


def test_a_formula_that_has_no_value_as_it_is_printed() -> None:
    large = Individual(["softplus([0: 1494.0*x0])", "x1"], 0.0, [0.001, 1.0])
    assert np.isfinite(large.predict(X)).all()
    assert misleads(large, ROWS)  # log(1 + exp(1494*x0))
    assert not misleads(Individual(["softplus([0: 500.0*x0])", "x1"], 0.0, [0.001, 1.0]), ROWS)
    zero = TrainingRows.of(np.where(X < 0.1, 0.0, X), Y)
    assert not misleads(Individual(["sinc([0: 1.5*x0])", "x1"], 0.0, [1.0, 1.0]), zero)  # by its name


def test_the_fittest_other_of_no_more_nodes_is_chosen() -> None:
    bad, fine = member(CANCELLING, 0.99, 12), member(FINE, 0.95, 6)
    small, large = member(Individual(["x1"], 0.0, [1.0]), 0.5, 1), member(FINE, 0.999, 40)
    assert not_misleading(bad, [small, fine, bad, large], ROWS) is fine
    assert not_misleading(fine, [small, fine, bad], ROWS) is fine
    assert not_misleading(bad, [bad], ROWS) is bad


def test_no_front_lists_one(monkeypatch) -> None:
    result = Run.result

    def with_cancelling(run: Run) -> Result:
        given = result(run)
        worse = member(CANCELLING.fit(ROWS.dataset), 2.0, 500)
        return Result(worse, [*given.front, worse])

    monkeypatch.setattr(Run, "result", with_cancelling)
    noisy = Y + 0.1 * rng.normal(size=200)
    model = MultigeneRegressor(generations=2, random_state=0, n_jobs=1, search="accuracy").fit(X, noisy)
    assert len(model.equations_) > 1
    assert not any(misleads(m.individual, ROWS) for m in model.fitted_.front)
    assert model.fitted_.front.default in list(model.fitted_.front)
