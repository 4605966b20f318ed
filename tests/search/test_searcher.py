"""The phases of the default search: their order, what they pass on, and that they go on from anywhere."""

from __future__ import annotations

import json

import numpy as np
import pytest

from multigene._engine import Workers
from multigene.expression.genes import model_expression
from multigene.expression.tree import variables
from multigene.search import steering
from multigene.search.problem import Problem
from multigene.search.searcher import Searcher
from multigene.settings.defaults import default_settings


def rows(n, kind="curve", seed=0):
    """A problem of a kind."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    noise = rng.normal(size=n)
    y = {
        "curve": X[:, 0] ** 2 + np.sin(2.0 * X[:, 1]) + 0.3 * noise,
        "line": X[:, 0] + 0.5 * noise,
        "noise": noise,
        "clean": np.tanh(X[:, 0]) * np.abs(X[:, 1]) + np.sin(3.0 * X[:, 2]) * X[:, 0],
        "law": 1.5 * X[:, 0] * X[:, 1] ** 2,
    }[kind]
    return Problem.of(X, y, None)


class Driven:
    """A search with a limit of generations, as a run drives it."""

    def __init__(self, problem, generations=40, saved=None, looks_for="accuracy", done=0, **changes):
        self.settings = default_settings().changed(looks_for=looks_for, generations=generations, **changes)
        self.problem, self.generations, self.done = problem, generations, done
        workers, rng = Workers(1), np.random.default_rng(0)
        self.searcher = Searcher(problem, self.settings, rng, workers, generations, saved)

    def share(self):
        return self.done / self.generations

    def steps(self):
        """Steps until the limit."""
        for step in self.searcher.steps(self.share):
            if not step.preparing:
                self.done = step.number + 1
            yield step
            if self.share() >= 1.0:
                return

    def phases(self):
        """Names of the phases, one after the other."""
        seen = [step.phase for step in self.steps()]
        return [phase for i, phase in enumerate(seen) if i == 0 or seen[i - 1] != phase]

    def packed(self):
        """The state as a checkpoint file holds it."""
        return json.loads(json.dumps(self.searcher.packed()))


def predictions(driven):
    """What every member of the result's front predicts."""
    front = driven.searcher.result(None).front
    return np.array([member.individual.predict(driven.problem.X) for member in front])


# --- the order of phases --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "kind", "phases", "why"),
    [
        (500, "curve", ["explore", "finish"], None),
        (500, "line", ["explore"], "no improvement expected"),
        (500, "noise", ["explore"], "no improvement expected"),
        (100, "noise", ["cross-validate", "explore"], "no improvement expected"),
        (100, "clean", ["cross-validate", "explore"], "no improvement expected"),
        (15, "curve", ["explore"], None),
    ],
)
def test_phases(n, kind, phases, why):
    driven = Driven(rows(n, kind))
    assert driven.phases() == phases
    ended_early = driven.share() < 1.0
    assert ended_early == (why is not None)
    if ended_early:
        assert driven.searcher.why_ended() == why


def test_a_law_ends_the_search_before_any_island():
    driven = Driven(rows(500, "law"), looks_for="both")
    assert driven.phases() == ["seek"]
    assert driven.done == 1
    assert driven.searcher.why_ended() == "law"
    assert driven.searcher.result(None).chosen.fitness > 1.0 - 1e-12


def test_whoever_watches_sees_what_the_law_search_finds():
    driven = Driven(rows(500, "curve"), 20, looks_for="both")
    seen = []
    for step in driven.steps():
        if step.phase != "seek":
            break
        sizes, scores = [c.complexity for c in step.models], [c.fitness for c in step.models]
        assert step.preparing
        assert step.number == 0
        assert sizes == sorted(set(sizes))
        assert scores == sorted(set(scores))
        seen.append((step, scores[-1]))
    assert len(seen) > 2
    assert len(seen[0][0].models) > 0  # linear models are there before anything is tried
    assert seen[-1][1] > seen[0][1]
    assert seen[-1][0].finds


def test_a_ban_while_the_law_search_comes_first_begins_another_one():
    driven = Driven(rows(500, "curve"), 20, looks_for="both")
    steps = driven.steps()
    next(steps), next(steps)
    before = driven.searcher.state.laws
    steering.steer(driven.searcher, "ban", "x1", ["x0", "x1", "x2"])
    assert driven.searcher.state.laws is not before
    for step in steps:
        assert all(1 not in variables(model_expression(c.individual)) for c in step.models)
        if step.phase == "finish":
            break
    assert driven.searcher.state.laws.evaluations > 0


def test_a_law_search_alone_counts_generations_too():
    driven = Driven(rows(500, "curve"), 20, looks_for="laws", population_size=4)
    assert driven.phases() == ["seek"]
    assert driven.done == 20


def test_very_many_rows_end_in_a_front_that_is_fitted_to_all():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(13_000, 2))
    problem = Problem.of(X, X[:, 0] ** 2 + np.tanh(X[:, 1]) + 0.1 * rng.normal(size=13_000), None)
    assert len(problem.finish_rows) < 13_000
    driven = Driven(problem, 40, population_size=8, islands=2, migration=4)
    assert driven.phases() == ["explore", "finish"]
    state = driven.searcher.state
    assert driven.share() == 0.9
    assert state.complete
    assert state.islands.data.n_rows == 13_000
    assert driven.searcher.result(None).chosen.fitness > 0.9


# --- any moment -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "kind", "looks_for"),
    [(500, "curve", "accuracy"), (100, "curve", "accuracy"), (60, "curve", "both"), (12, "line", "both")],
)
def test_goes_on_from_every_step_as_if_nothing_had_happened(n, kind, looks_for):
    """The law search does not begin anew either, and the whole front is the same."""
    problem, changes = rows(n, kind), {"looks_for": looks_for, "population_size": 10, "first": 500}
    whole, states = Driven(problem, 30, **changes), []
    for step in whole.steps():
        states.append((whole.packed(), whole.done, step.evaluations))
    expected = predictions(whole)
    for saved, done, _ in states[:: max(1, len(states) // 4)]:
        again = Driven(problem, 30, saved, done=done, **changes)
        evaluations = [step.evaluations for step in again.steps()]
        assert evaluations == [e for _, _, e in states[len(states) - len(evaluations) :]]
        assert predictions(again).tobytes() == expected.tobytes()


@pytest.mark.parametrize(("n", "kind"), [(500, "curve"), (500, "line"), (100, "curve"), (15, "line")])
def test_there_is_a_result_at_every_step_and_asking_leaves_no_trace(n, kind):
    driven = Driven(rows(n, kind), 30, population_size=12)
    for _ in driven.steps():
        before = driven.packed()
        for result in (driven.searcher.provisional(), driven.searcher.result(0.01)):
            assert np.isfinite(result.chosen.individual.predict(driven.problem.X)).all()
            assert any(member is result.chosen for member in result.front)
        assert driven.packed() == before


def test_damaged_states_get_a_sentence():
    driven = Driven(rows(100), 10, population_size=8)
    next(driven.steps())
    saved = driven.packed()
    for name in saved["search"]:
        damaged = {"search": {key: value for key, value in saved["search"].items() if key != name}}
        with pytest.raises(ValueError, match="damaged"):
            Driven(rows(100), 10, damaged, population_size=8)


# --- a larger limit -------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "kind"), [(500, "line"), (100, "noise"), (100, "clean"), (15, "noise")])
def test_a_search_that_expected_no_improvement_goes_on_with_a_larger_limit(n, kind):
    first = Driven(rows(n, kind), 20, population_size=12)
    first.phases()
    done, saved = first.done, first.packed()
    same = Driven(rows(n, kind), 20, saved, done=done, population_size=12)
    same.phases()
    assert same.done == done
    further = Driven(rows(n, kind), 40, saved, done=done, population_size=12)
    further.searcher.continue_with_larger_limit()
    further.phases()
    assert further.done > done


def test_a_front_of_all_rows_goes_back_to_the_rows_that_islands_see():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(13_000, 2))
    problem = Problem.of(X, X[:, 0] ** 2 + 0.1 * rng.normal(size=13_000), None)
    changes = {"population_size": 8, "islands": 2, "migration": 4}
    first = Driven(problem, 40, **changes)
    first.phases()
    assert first.searcher.state.complete
    assert first.searcher.state.islands.data.n_rows == 13_000
    further = Driven(problem, 80, first.packed(), done=first.done, **changes)
    further.searcher.continue_with_larger_limit()
    assert further.searcher.state.islands.data.n_rows == 9250
    assert next(further.steps()).phase == "finish"
    assert not further.searcher.state.complete
