"""Points far beyond the rows, and what models may say there."""

from __future__ import annotations

import numpy as np
import pytest

from multigene import MultigeneRegressor
from multigene._engine import Individual
from multigene.evolution.pareto import Candidate
from multigene.search.constants import FAR, FAR_ROOM
from multigene.search.far import FarOut
from multigene.search.few_rows import line_of_logarithms
from multigene.search.members import Staying, one_that_stays
from multigene.search.problem import Problem


def rows(n: int = 200) -> np.ndarray:
    """A column of even spread, one with a long tail, one of few values that many rows share."""
    rng = np.random.default_rng(0)
    return np.column_stack(
        [rng.uniform(-1.0, 1.0, n), rng.lognormal(0.0, 1.5, n), rng.integers(0, 5, n).astype(float)]
    )


def test_ends_that_one_row_has_are_moved_far_beyond_the_box() -> None:
    X = rows()
    far = FarOut.of(X)
    low, high = X.min(axis=0), X.max(axis=0)
    assert far.points[:, 0].max() == pytest.approx(high[0] + FAR * (high[0] - low[0]))
    assert far.points[:, 0].min() == pytest.approx(low[0] - FAR * (high[0] - low[0]))
    assert far.points[:, 1].max() == pytest.approx(high[1] + FAR * (high[1] - low[1]))
    assert far.points[:, 1].min() > 0.0, "what is positive stays so"
    moved = (far.points[:, 2] < low[2]) | (far.points[:, 2] > high[2])
    alone = (far.points[:, :2] >= low[:2]).all(axis=1) & (far.points[:, :2] <= high[:2]).all(axis=1)
    assert not np.any(moved & alone), "an end that many rows share is an end"


def test_a_long_tail_leaves_less_room() -> None:
    X = rows()
    even, tail = (FarOut.of(X[:, [j]]) for j in (0, 1))
    assert set(even.room) == {FAR_ROOM}
    assert tail.room[tail.points[:, 0] > X[:, 1].max()] == pytest.approx(FAR)


def test_rows_without_such_ends_have_no_far_points() -> None:
    X = np.repeat(np.arange(6.0)[:, None], 2, axis=1)
    assert FarOut.of(np.vstack([X, X])).points.shape == (0, 2)
    assert FarOut.of(np.array([[1e308], [-1e308], [0.0]])).points.shape[0] == 0, "beyond floating point"
    assert FarOut.of(np.ones((1, 2))).points.shape == (0, 2)


def of_a_tail() -> Problem:
    X = rows()
    return Problem.of(X[:, [1]], np.sqrt(X[:, 1]), None)


def test_what_explodes_far_out_is_no_model_of_a_front() -> None:
    problem = of_a_tail()
    data = problem.user_dataset()
    for gene, allowed in (("x0 * x0", False), ("log(x0)", True), ("x0", True)):
        model = Individual([gene], 0.0, [1.0]).fit(data)
        assert problem.guard.behaves_as_it_is(model) is allowed, gene


def test_of_models_that_are_as_good_the_one_that_stays_is_chosen() -> None:
    problem = of_a_tail()
    data = problem.user_dataset()
    models = [Individual([gene], 0.0, [1.0]).fit(data) for gene in ("log(x0)", "x0 * x0")]
    staying = Staying.of(problem)
    assert [staying.stays(model) for model in models] == [True, False]
    front = [Candidate(model, 0.9, 5, in_user_units=True) for model in models]
    assert one_that_stays(problem, front, 1) == 0
    clearly = Candidate(models[1], 0.99, 5, in_user_units=True)
    assert one_that_stays(problem, [front[0], clearly], 1) == 1, "where it explains far more, it is let be"


@pytest.mark.parametrize("seed", range(3))
def test_one_far_row_does_not_explode(seed: int) -> None:
    """As in star98 of statsmodels: 29,528 pupils in one district, at most 5,087 in the others."""
    rng = np.random.default_rng(seed)
    size, share = rng.lognormal(5.5, 1.2, 240), rng.uniform(0.0, 1.0, 240)
    y = 3.0 * size**0.8 * (1.2 - share) * rng.lognormal(0.0, 0.15, 240)
    model = MultigeneRegressor(generations=20, random_state=seed, n_jobs=1)
    model.fit(np.column_stack([size, share]), y)
    far = np.column_stack([np.full(5, 5.0 * size.max()), np.linspace(0.0, 1.0, 5)])
    assert np.abs(model.predict(far)).max() < 8.0 * np.ptp(y)


def concentrations(n: int = 14) -> Problem:
    rng = np.random.default_rng(3)
    X = np.column_stack([10.0 ** rng.uniform(-4.0, 1.0, n), rng.normal(size=n)])
    return Problem.of(X, 2.0 * np.log10(X[:, 0]) + 0.3 * rng.normal(size=n), None)


def test_very_few_rows_have_logarithms_of_columns_over_decades_in_their_line() -> None:
    line = line_of_logarithms(concentrations())
    assert line is not None
    assert line.genes == ["log(x0)", "x1"]


def test_where_the_columns_as_they_are_say_clearly_more_they_stay() -> None:
    problem = concentrations()
    assert line_of_logarithms(Problem.of(problem.X, 3.0 * problem.X[:, 0], None)) is None
    assert line_of_logarithms(Problem.of(problem.X[:, [1]], problem.y, None)) is None


def test_a_line_of_logarithms_is_the_model_and_functions_stay_a_promise() -> None:
    problem = concentrations()
    free = MultigeneRegressor(generations=3, random_state=0, n_jobs=1).fit(problem.X, problem.y)
    assert "log" in str(free.formula_)
    told = MultigeneRegressor(generations=3, random_state=0, n_jobs=1, functions=["sin"])
    assert "log" not in str(told.fit(problem.X, problem.y).formula_)
