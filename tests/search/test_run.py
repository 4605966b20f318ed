"""A run: what a callback sees, Ctrl-C at any moment, limits, and results that do not depend on the clock."""

from __future__ import annotations

import numpy as np
import pytest

import multigene
from multigene import MultigeneRegressor
from multigene._engine import Individual, Workers
from multigene.evolution.pareto import Member
from multigene.files import write_atomically
from multigene.search import approximation, found, phases, result, run, searcher, state
from multigene.search.islands import Islands
from multigene.search.problem import Problem
from multigene.settings.defaults import default_settings
from multigene.settings.paper import configuration


def rows(n=500, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.sin(2.0 * X[:, 0]) * np.exp(0.3 * X[:, 1]) + X[:, 2] + 0.1 * rng.normal(size=n)


def quick(**parameters):
    return MultigeneRegressor(
        **{"generations": 20, "n_jobs": 1, "random_state": 0, "search": "accuracy", **parameters}
    )


# --- what a callback sees -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "n", "phases"),
    [
        ({"configuration": "UB", "search": "both", "generations": 3}, 100, ["evolve"] * 3),
        ({}, 500, ["explore", "finish"]),
        ({"generations": 10}, 100, ["cross-validate"] * 5 + ["explore"]),
    ],
)
def test_a_callback_gets_a_picture_of_the_moment(parameters, n, phases):
    import pandas as pd

    X, y = rows(n)
    table = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    seen = []
    quick(**parameters).fit(table, pd.Series(y, name="t"), callback=seen.append)
    assert [progress.phase for progress in seen] == phases
    for progress in seen:
        assert isinstance(progress, multigene.Progress)
        assert progress.evaluations > 0
        assert progress.seconds > 0.0
        sizes, scores = ([getattr(row, name) for row in progress.front] for name in ("complexity", "r2"))
        assert sizes == sorted(sizes)
        assert scores == sorted(scores)
        assert progress.r2 == max(scores)
        assert progress.formula == max(progress.front, key=lambda row: row.r2).formula
        said = repr(progress)
        assert said.startswith(f"Progress(number={progress.number}, phase={progress.phase!r}, ")
        assert progress.formula in said
        assert " at 0x" not in said
        assert not {"x0", "x1", "x2", "x3"} & set(progress.formula.replace("*", " ").split())


def test_formulas_of_a_callback_are_in_the_users_units():
    rng = np.random.default_rng(0)
    X = rng.uniform(100.0, 200.0, (500, 2))
    y = 3.0 * X[:, 0] + np.tanh(0.1 * X[:, 1] - 15.0) + rng.normal(size=500)
    seen = []
    quick(generations=10).fit(X, y, callback=seen.append)
    predicted = eval(seen[-1].formula, {name: getattr(np, name) for name in ("exp", "tanh", "sin", "cos")} | {
        "x0": X[:, 0], "x1": X[:, 1], "log": np.log,
    })  # fmt: skip
    assert 1.0 - np.var(y - predicted) / np.var(y) > 0.99


def test_a_picture_stays_as_it_is_when_the_run_goes_on():
    X, y = rows()
    kept, said = [], []

    def look(progress):
        kept.append(progress)
        said.append((progress.number, progress.r2, len(progress.front), progress.formula))

    quick().fit(X, y, callback=look)
    assert [(p.number, p.r2, len(p.front), p.formula) for p in kept] == said
    assert len({formula for *_, formula in said}) > 1


# --- the clock ------------------------------------------------------------------------------------


def test_the_clock_has_no_say_in_a_run_that_generations_limit(monkeypatch):
    X, y = rows()
    models = []
    for moment in (1e-9, 100.0):
        monkeypatch.setattr(run, "LAST_MOMENT", moment)
        models.append(quick().fit(X, y))
    assert models[0].predict(X).tobytes() == models[1].predict(X).tobytes()
    assert models[0].equations_.equals(models[1].equations_)


@pytest.mark.parametrize("seconds", [None, 1000.0])
def test_a_stop_by_callback_does_not_wait_for_the_time_limit(seconds, monkeypatch):
    X, y = rows()
    allowed = []
    real = searcher.result_of

    def noted(found, workers, seconds):
        allowed.append(seconds)
        return real(found, workers, seconds)

    monkeypatch.setattr(searcher, "result_of", noted)
    model = quick(settings={"seconds": seconds}).fit(X, y, callback=lambda progress: True)
    assert model.stopped_by_ == "callback"
    assert allowed == [None if seconds is None else run.LAST_MOMENT]


# --- Ctrl-C ---------------------------------------------------------------------------------------


def pressed(*_, **__):
    raise KeyboardInterrupt


STEPS = {
    "the size is being decided": (phases, "validate"),
    "the result is being made": (searcher, "result_of"),
    "models are being fitted to all rows": (found, "fitted"),
    "the chosen model is being tuned": (approximation, "polished"),
    "finds are being measured": (approximation, "finds_that_behave"),
    "scores are being added": (result, "scored"),
}


@pytest.mark.parametrize("moment", STEPS)
@pytest.mark.parametrize("n", [500, 100, 15])
def test_ctrl_c_while_the_result_is_being_made_leaves_the_best_model_so_far(moment, n, monkeypatch):
    X, y = rows(n)
    module, name = STEPS[moment]
    real, calls = getattr(module, name), []

    def once(*arguments, **options):
        calls.append(name)
        if name == "scored" and len(calls) == 1:  # the provisional result has scores too
            return real(*arguments, **options)
        raise KeyboardInterrupt

    model = quick(generations=10)
    monkeypatch.setattr(module, name, once)
    model.fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert model.equations_["chosen"].sum() == 1
    interrupted = len(calls) > (1 if name == "scored" else 0)
    assert (model.stopped_by_ == "interrupt") == interrupted
    assert n == 15 or model.r2_ > 0.5


def test_the_model_that_ctrl_c_leaves_is_the_best_of_the_search(monkeypatch):
    X, y = rows()
    seen = []
    monkeypatch.setattr(searcher, "result_of", pressed)
    model = quick().fit(X, y, callback=seen.append)
    assert model.stopped_by_ == "interrupt"
    assert model.r2_ == pytest.approx(seen[-1].r2, abs=1e-3)  # of the allowed size
    assert model.score(X, y) == pytest.approx(model.r2_, abs=0.02)


@pytest.mark.parametrize(
    ("owner", "name"),
    [(state, "LawSearch"), (state, "Islands"), (run, "Searcher")],
    ids=lambda v: str(v)[-20:],
)
def test_ctrl_c_before_the_search_leaves_the_mean(owner, name, monkeypatch, tmp_path):
    X, y = rows(100)
    monkeypatch.setattr(owner, name, pressed)
    model = quick(warm_start=True).fit(X, y, checkpoint=tmp_path / "state")
    assert model.stopped_by_ == "interrupt"
    assert model.predict(X) == pytest.approx(y.mean())
    assert not (tmp_path / "state").exists()
    monkeypatch.undo()
    assert model.fit(X, y, checkpoint=tmp_path / "state").n_generations_ >= 10


def test_ctrl_c_in_the_first_round_leaves_a_line(monkeypatch):
    X, y = rows()
    monkeypatch.setattr(Islands, "round", pressed)
    model = quick().fit(X, y)
    assert model.stopped_by_ == "interrupt"
    assert model.r2_ > 0.1


def test_ctrl_c_while_the_checkpoint_is_being_written_keeps_the_old_one(monkeypatch, tmp_path):
    X, y = rows(100)
    file = tmp_path / "state"
    quick(generations=10).fit(X, y, checkpoint=file)
    before = file.read_bytes()

    def half(path, content):
        write_atomically(path.with_name("other"), content)
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "write_atomically", half)
    model = quick(generations=30).fit(X, y, checkpoint=file)
    assert model.stopped_by_ == "interrupt"
    assert file.read_bytes() == before
    assert model.score(X, y) > 0.5


# --- limits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("search", ["accuracy", "both", "laws"])
@pytest.mark.parametrize("n", [500, 100])
def test_a_limit_of_generations_holds_between_migrations(n, search):
    X, y = rows(n)
    model = quick(generations=12, search=search, warm_start=True, settings={"first": 1000})
    assert model.fit(X, y).n_generations_ == 12
    assert model.fit(X, y).n_generations_ == 24
    assert model.stopped_by_ == "generations"


def test_a_search_on_the_logarithm_does_not_count_as_generations_of_the_run():
    rng = np.random.default_rng(0)
    X = 10.0 ** rng.uniform(-2.0, 2.0, (500, 2))
    y = (3.0 + X[:, 0] ** 1.5 / X[:, 1]) * np.exp(0.4 * rng.normal(size=500))
    seen = []
    model = quick(generations=12, search="accuracy").fit(X, y, callback=lambda now: seen.append(now.phase))
    assert seen.count("explore") >= 2
    assert model.history_["generation"].tolist() == [9, 11]


def test_a_warm_start_is_the_run_that_had_the_whole_limit():
    X, y = rows()
    whole, half = quick(generations=20).fit(X, y), quick(generations=10, warm_start=True).fit(X, y)
    assert half.n_generations_ == 10
    half.fit(X, y)
    assert half.n_generations_ == 20
    assert whole.predict(X).tobytes() == half.predict(X).tobytes()
    assert whole.equations_.equals(half.equations_)


@pytest.mark.parametrize("n", [500, 100])
def test_a_warm_start_goes_on_even_if_no_improvement_was_expected(n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    y = X[:, 0] + 0.5 * rng.normal(size=n)
    assert quick(generations=20).fit(X, y).stopped_by_ == "no improvement expected"
    model = quick(generations=10, warm_start=True)
    assert [model.fit(X, y).n_generations_ for _ in range(3)] == [10, 20, 30]


@pytest.mark.parametrize("kind", ["default", "UB"])
def test_a_checkpoint_goes_on_with_a_larger_limit(kind, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    y = X[:, 0] + 0.5 * rng.normal(size=100)
    parameters = {} if kind == "default" else {"configuration": kind, "search": "both"}
    done = [
        quick(generations=g, **parameters).fit(X, y, checkpoint=tmp_path / "c").n_generations_
        for g in (10, 10, 30)
    ]
    assert done[0] == done[1] == 10
    assert done[2] > 10


def test_a_warm_start_after_one_that_had_nothing_to_do_still_knows_everything():
    X, _ = rows(100)
    model = quick(generations=10, warm_start=True, search="both")
    first, second = (model.fit(X, X[:, 0] * X[:, 1]).stopped_by_ for _ in range(2))
    assert first == second == "law"
    assert model.n_generations_ == 1


@pytest.mark.parametrize(("limit", "sampled"), [(0.001, True), (3600.0, False)])
def test_a_limit_too_short_for_the_table_of_all_rows_leaves_a_sample(monkeypatch, limit, sampled):
    """To make the engine's table of 300,000 × 50 values took longer than the limit, and the mean was left."""
    made = []
    single = run.SinglePopulation
    monkeypatch.setattr(run, "SinglePopulation", lambda *given: made.append(single(*given)) or made[-1])
    X, y = rows(20_000)
    model = MultigeneRegressor("UB", generations=1, time_limit=limit, n_jobs=1, random_state=0).fit(X, y)
    assert made[0].data.n_rows == (6_000 if sampled else len(y))
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize(("configuration", "needed"), [(None, 1e6), ("UB", 0.0)])
def test_islands_are_broken_off_before_the_limit(monkeypatch, configuration, needed):
    """Of very many rows validation and the result take long: a first round of islands that filled the limit made the run late."""
    seen, execute = [], run.Run.execute
    monkeypatch.setattr(run, "SECONDS_PER_VALIDATED_VALUE", needed)
    monkeypatch.setattr(
        run.Run, "execute", lambda self, line: seen.append(self.workers.watch()) or execute(self, line)
    )
    X, y = rows(500)
    search = "both" if configuration else "accuracy"
    model = quick(generations=2, time_limit=100.0, configuration=configuration, search=search).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert seen == [0.0] if needed else 0.0 < seen[0] <= 100.0


def test_a_run_never_hands_over_what_has_no_value_for_a_training_row(monkeypatch):
    pole = Individual(["(1.0 / x0)"], 0.0, [1.0])
    bad = Member(pole, 0.9, 3)
    monkeypatch.setattr(run.SinglePopulation, "result", lambda *_: result.Result(bad, [bad]))
    X, y = rows(100)
    X[7] = 0.0
    model = quick(generations=1, configuration="UB", search="both").fit(X, y)
    assert np.isfinite(model.predict(X)).all()


# --- time limits with very many rows --------------------------------------------------------------


def begun(settings, n, limit):
    """A run whose clock stands still, of rows that nobody has looked at yet."""
    X = np.random.default_rng(0).normal(size=(n, 5))
    problem = Problem.of(X, X[:, 0] + 1.0, None, holdout=0.2)
    return run.Run(settings.changed(seconds=limit), problem, Workers(1), run.CLOCKS["wall"]())


def test_very_many_rows_leave_time_for_what_comes_after_the_search(monkeypatch):
    """Limits were exceeded by what the result took; native calls of the search end before that."""
    monkeypatch.setitem(run.CLOCKS, "wall", lambda: 0.0)
    monkeypatch.setattr(
        run, "SECONDS_PER_VALIDATED_VALUE", 1e-3
    )  # minutes, so that no pause of this machine counts
    left = []
    for n in (500, 200_000):
        work = begun(default_settings(), n, 10_000.0)
        work._leave_time_to_validate()
        left.append(work.workers.watch())
    asked = len(work.problem.held_out_rows) + len(work.problem.finish_rows)
    assert left[1] < left[0] - 1e-3 * asked * work.problem.X.shape[1]
    assert left[1] > 5_000.0


def test_a_configuration_of_the_paper_takes_a_sample_where_the_limit_is_over_before_all_rows_are_in_place(
    monkeypatch,
):
    monkeypatch.setitem(run.CLOCKS, "wall", lambda: 0.0)
    sample = begun(configuration("UB"), 200_000, 0.02)._rows_in_time()
    assert sample is not None
    assert len(sample) < 20_000
    assert begun(configuration("UB"), 200_000, 10.0)._rows_in_time() is None
    assert begun(configuration("UB"), 500, 0.02)._rows_in_time() is None


def test_a_column_with_one_value_is_in_no_formula():
    """exp(const) of a column that is 7 everywhere was a factor."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(1.0, 3.0, (500, 2)), np.full(500, 7.0)])
    y = np.sin(X[:, 0]) * X[:, 1] + 0.1 * rng.standard_normal(500)
    model = MultigeneRegressor(generations=30, random_state=0, n_jobs=1).fit(X, y)
    assert not model.equations_["formula"].str.contains("x2").any()
